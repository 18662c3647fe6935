"""Arguments that Python, pandas or Polars would read another way are refused or read as meant, never misread."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import ColumnNotFoundError, InvalidArgumentError

FRAME = lf.DataFrame({"month": [1, 2], "s": ["a", "b"]})


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: FRAME.filter(FRAME["month"] == 1), r'not False\nwrite lf\.col\("month"\) == 1'),
        (lambda: FRAME.filter(True), r"lf\.lit\(True\) is a condition for all rows"),
        (lambda: FRAME.filter([True, False]), "not True"),
        (lambda: FRAME.filter(np.bool_(True)), "not True"),
        (lambda: FRAME.filter(np.array([True, False])), "values of an? ndarray"),
        (lambda: FRAME.filter(pd.Series([True, False])), "values of a Series"),
        (lambda: FRAME.filter("s == 'a'"), r"""write lf\.col\("s"\) == 'a'"""),
        (lambda: FRAME.group_by(by=["month"]), r"a list cannot stand for one column: by=\['month'\]"),
        (lambda: FRAME.group_by("s").agg({"month": "sum"}), r"lf\.col\('x'\)\.sum\(\)"),
        (lambda: FRAME.select({"s": "t"}), r"a dict cannot stand for a column\n.*rename\(\)"),
        (lambda: FRAME.with_columns(n=[1, 2]), r"n=\[1, 2\]\nwrite lf\.lit\(\[\.\.\.\]\)"),
        (lambda: FRAME.with_columns(n={"a": 1}), "a dict cannot stand for a column"),
        (lambda: FRAME.with_columns(n=FRAME["month"]), "a ChunkedArray cannot stand for one column"),
        (lambda: FRAME.select([["s"]]), "a list cannot stand for one column"),
    ],
)
def test_what_could_be_misread_is_refused(build, message):
    with pytest.raises(InvalidArgumentError, match=message):
        build()


def test_constants_can_still_be_written():
    assert FRAME.filter(lf.lit(True)).count() == 2
    assert FRAME.select(n=lf.lit([1, 2])).to_dicts() == [{"n": [1, 2]}, {"n": [1, 2]}]


def test_lists_of_conditions_and_columns_are_fine():
    assert FRAME.filter([col("month") > 1, col("s") == "b"]).to_dicts() == [{"month": 2, "s": "b"}]
    assert FRAME.select(["s"]).columns == ["s"]


def test_groups_keep_their_order_whether_asked_or_not():
    for kept in (True, False):
        counted = FRAME.group_by("s", maintain_order=kept).agg(n=lf.len())
        assert counted.to_dicts() == [{"s": "a", "n": 1}, {"s": "b", "n": 1}]


def test_branches_read_strings_as_columns():
    chosen = FRAME.select(c=lf.when(col("month") > 1).then("s").otherwise(lf.lit("low")))
    assert chosen.to_dicts() == [{"c": "low"}, {"c": "b"}]
    otherwise = FRAME.select(c=lf.when(col("month") > 1).then(None).otherwise("s"))
    assert otherwise.to_dicts() == [{"c": "a"}, {"c": None}]


@pytest.mark.parametrize(
    "build",
    [
        lambda: FRAME.select(lf.when(col("month") > 1).then("late")),
        lambda: FRAME.select(lf.when(col("month") > 1).then(None).otherwise("late")),
        lambda: FRAME.select(lf.concat_str("s", "late")),
    ],
)
def test_text_where_a_name_is_read_is_hinted_at(build):
    with pytest.raises(ColumnNotFoundError, match=r"no column named 'late'(.|\n)*write lf\.lit\('late'\) for the text"):
        build()
