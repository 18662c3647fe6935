"""Selectors, their algebra, and where they may stand."""

from __future__ import annotations

import datetime
import decimal

import pytest

import lazyframe as lf
import lazyframe.selectors as cs
from lazyframe import col

FRAME = lf.from_dict(
    {
        "i": [1], "f": [0.5], "d": [decimal.Decimal("1.5")], "s": ["a"], "y": [b"a"], "b": [True],
        "day": [datetime.date(2024, 1, 1)], "at": [datetime.datetime(2024, 1, 1)], "time": [datetime.time(1)],  # noqa: DTZ001
        "long": [datetime.timedelta(1)], "l": [[1]], "r": [{"p": 1}],
    }
)  # fmt: skip


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        (cs.all(), ["i", "f", "d", "s", "y", "b", "day", "at", "time", "long", "l", "r"]),
        (cs.numeric(), ["i", "f", "d"]),
        (cs.integer(), ["i"]),
        (cs.float(), ["f"]),
        (cs.decimal(), ["d"]),
        (cs.string(), ["s"]),
        (cs.binary(), ["y"]),
        (cs.boolean(), ["b"]),
        (cs.temporal(), ["day", "at", "time", "long"]),
        (cs.date(), ["day"]),
        (cs.datetime(), ["at"]),
        (cs.duration(), ["long"]),
        (cs.nested(), ["l", "r"]),
        (cs.by_name("s", "i"), ["s", "i"]),
        (cs.by_dtype(int, str), ["i", "s"]),
        (cs.by_dtype("decimal(2,1)"), ["d"]),
        (cs.matches("^d"), ["d", "day"]),
        (cs.starts_with("d", "l"), ["d", "day", "long", "l"]),
        (cs.ends_with("y", "g"), ["y", "day", "long"]),
        (cs.contains("a"), ["day", "at"]),
        (cs.starts_with("."), []),
        (cs.first(), ["i"]),
        (cs.last(), ["r"]),
        (cs.numeric() | cs.string(), ["i", "f", "d", "s"]),
        (cs.by_name("s", "i") | cs.by_name("f"), ["i", "f", "s"]),
        (cs.numeric() & cs.matches("[id]"), ["i", "d"]),
        (cs.numeric() - cs.float(), ["i", "d"]),
        (~(cs.numeric() | cs.temporal() | cs.nested()), ["s", "y", "b"]),
        (cs.all() - cs.all(), []),
    ],
)
def test_which_columns(selector, names):
    assert FRAME.select(selector).columns == names


def test_what_is_done_with_a_selector_is_done_with_each():
    assert FRAME.select((cs.integer() | cs.float()) + 1).to_dict() == {"i": [2], "f": [1.5]}
    assert FRAME.select(cs.numeric().cast(str).name.suffix("_text")).to_dict() == {
        "i_text": ["1"], "f_text": ["0.5"], "d_text": ["1.5"],
    }  # fmt: skip
    assert FRAME.select(cs.boolean() & (col("i") > 0)).to_dict() == {"b": [True]}
    assert FRAME.select(cs.by_name("i", "f") * cs.by_name("f", "i")).to_dict() == {"i": [0.5], "f": [0.5]}


def test_selections_of_different_sizes_do_not_combine():
    with pytest.raises(lf.errors.InvalidArgumentError, match="selections of 1 and 2 columns"):
        FRAME.select(cs.by_name("i", "f") + cs.integer())


def test_missing_names_are_errors():
    with pytest.raises(lf.errors.ColumnNotFoundError, match="'q'"):
        FRAME.select(cs.by_name("i", "q"))


@pytest.mark.parametrize("make", [cs.matches, col])
def test_patterns_are_checked_where_they_are_written(make):
    with pytest.raises(lf.errors.InvalidArgumentError, match="no regular expression"):
        make("^($")
