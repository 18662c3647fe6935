"""What `import lazyframe` costs beyond `import pyarrow`, in fresh processes."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.fresh import fresh
from benchmarks.options import Options
from benchmarks.runner import Case

_CODE = "import time{before}; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
_MODULES = {
    "pyarrow": ("pyarrow", ""),
    "lazyframe": ("lazyframe", ", pyarrow"),
    "polars": ("polars", ""),
    "duckdb": ("duckdb", ""),
}


def run(options: Options) -> Iterator[Case]:
    case = Case("import (lazyframe: beyond pyarrow)", samples={name: [] for name in _MODULES})
    for turn in range(1 + (options.rounds or 11)):
        for name, (module, before) in _MODULES.items():
            seconds = float(fresh(_CODE.format(module=module, before=before)))
            if turn:  # the first warms the disk cache and compiles
                case.samples[name].append(seconds)
    yield case
