"""TPC-H and TPC-DS: every query gives the rows of the answer that lies beside it."""

from __future__ import annotations

from functools import cache

import pyarrow.parquet as pq
import pytest

from tests.conformance.corpora import FOLDER, answer, reader

answers = reader("answers")

# The readers leave closing their files to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

QUERIES = [("tpch", number) for number in range(1, 23)] + [("tpcds", number) for number in range(1, 100)]


@cache
def tables(suite):
    return {path.stem: pq.read_table(path) for path in sorted((FOLDER / suite / "sf0.01").glob("*.parquet"))}


def numbered(folder, number):
    return next(path for path in folder.iterdir() if path.stem.lstrip("q").zfill(2) == f"{number:02d}")


@pytest.mark.parametrize(("suite", "number"), QUERIES, ids=[f"{suite}-{number}" for suite, number in QUERIES])
def test_rows_are_those_of_the_answer(suite, number):
    sql = numbered(FOLDER / suite / "queries", number).read_text(encoding="utf8").strip().rstrip(";")
    expected = numbered(FOLDER / suite / "answers" / "sf0.01", number)
    assert answers.check(answer(sql, tables(suite)), expected, rtol=1e-6) == ""
