"""TPC-H Q1 on one thread and on as many as there are cores: what more threads bring."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import lazyframe as lf
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.runner import OURS, Case, measure
from benchmarks.scan import q1


def run(options: Options) -> Iterator[Case]:
    scale = options.scale or 1
    lineitem = tpch(options.data, scale) / "lineitem.parquet"

    def on(threads: int) -> Callable[[], Any]:
        def query() -> Any:
            with lf.config(threads=threads):
                return q1(lineitem).collect()

        return query

    cores = os.cpu_count() or 1
    counts = [2**power for power in range(cores.bit_length()) if 2**power <= cores]
    contenders = {f"{OURS}, {count} thread{'s' if count > 1 else ''}": on(count) for count in counts}
    yield measure(f"threads: TPC-H Q1, scale {scale:g}", contenders, rounds=options.rounds or 3)
