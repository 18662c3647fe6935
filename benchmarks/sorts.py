"""Sorting a million rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.options import Options
from benchmarks.rows import contenders
from benchmarks.runner import Case, measure


def run(options: Options) -> Iterator[Case]:
    queries: dict[str, Any] = {
        "sort 1,000,000 rows by a float": (lambda f: f.sort("x"), lambda f: f.sort("x"), "from rows order by x"),
        "sort 1,000,000 rows by two integers and a float": (
            lambda f: f.sort("few", "id", "x"),
            lambda f: f.sort("few", "id", "x"),
            "from rows order by few, id, x",
        ),
        "sort 1,000,000 rows by a text and a float": (
            lambda f: f.sort("text", "x"),
            lambda f: f.sort("text", "x"),
            "from rows order by text, x",
        ),
        "the 100 least of 1,000,000 rows": (
            lambda f: f.sort("x").head(100),
            lambda f: f.sort("x").head(100),
            "from rows order by x limit 100",
        ),
    }
    with contenders(queries) as cases:
        for name, each in cases.items():
            yield measure(name, each, rounds=options.rounds or 5)
