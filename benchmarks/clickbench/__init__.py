"""The 43 questions of ClickBench over a generated Parquet file; `--scale` is its number of rows."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.clickbench.data import hits
from benchmarks.clickbench.questions import questions
from benchmarks.contenders import suite
from benchmarks.contenders.parquet import ENGINES
from benchmarks.options import Options
from benchmarks.runner import Case

_USUAL = ("duckdb", "polars", "polars-streaming", "datafusion")
_ROWS = 5_000_000


def run(options: Options) -> Iterator[Case]:
    """One case a question, and what all come to."""
    rows = int(options.scale or _ROWS)
    folder = hits(options.data, rows)
    yield from suite(f"43 questions, {rows:,} rows", ENGINES, folder, questions(rows), options, _USUAL)
