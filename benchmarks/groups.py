"""Grouping a million rows in memory: by few keys, by many, by texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import lazyframe as lf
from benchmarks.options import Options
from benchmarks.rows import contenders
from benchmarks.runner import Case, measure


def run(options: Options) -> Iterator[Case]:
    import polars as pl

    def grouped(key: str) -> Any:
        # The order of groups is ours to keep and nobody else's, so that answers are compared as totals over them.
        return (
            lambda f: (
                f.group_by(key)
                .agg(x=lf.col("x").sum(), n=lf.len())
                .select(lf.len(), lf.col("n").max().alias("n"), lf.col("x").max())
            ),
            lambda f: (
                f.group_by(key)
                .agg(x=pl.col("x").sum(), n=pl.len())
                .select(pl.len(), pl.col("n").max().alias("n"), pl.col("x").max())
            ),
            f"select count(*), max(n), max(x) from (select sum(x) as x, count(*) as n from rows group by {key})",
        )

    queries = {
        "group 1,000,000 rows into 100": grouped("few"),
        "group 1,000,000 rows into 430,000": grouped("id"),
        "group 1,000,000 rows into 430,000 by text": grouped("text"),
    }
    with contenders(queries) as cases:
        for name, each in cases.items():
            yield measure(name, each, rounds=options.rounds or 5)
