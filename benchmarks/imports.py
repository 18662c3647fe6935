"""What `import lazyframe` costs beyond `import pyarrow`, in fresh processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

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
            code = _CODE.format(module=module, before=before)
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            if turn:  # the first warms the disk cache
                case.samples[name].append(float(done.stdout))
    yield case
