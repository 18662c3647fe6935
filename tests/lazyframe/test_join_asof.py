"""Asof joins: which row is found, what counts as near, and how columns are named."""

from __future__ import annotations

import datetime as dt
import decimal

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.planner.errors import (
    ColumnNotFoundError,
    DuplicateColumnError,
    InvalidArgumentError,
    TypeMismatchError,
)

NAN = float("nan")
D = decimal.Decimal
LEFT = lf.from_dict({"t": [5, 1, 9, None, 4], "x": ["a", "b", "c", "d", "e"]})
RIGHT = lf.from_dict({"t": [8, 2, 4, 4, None], "y": [10, 20, 30, 40, 50]})


def ys(**options):
    return LEFT.join_asof(RIGHT, on="t", **options).to_dict()["y"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [40, None, 10, None, 40]),
        ({"allow_exact_matches": False}, [40, None, 10, None, 20]),
        ({"strategy": "forward"}, [10, 20, None, None, 30]),
        ({"strategy": "forward", "allow_exact_matches": False}, [10, 20, None, None, 10]),
        ({"strategy": "nearest"}, [40, 20, 10, None, 40]),
        # From 4 it is 2 to the 2 and 4 to the 8.
        ({"strategy": "nearest", "allow_exact_matches": False}, [40, 20, 10, None, 20]),
        ({"tolerance": 1}, [40, None, 10, None, 40]),
        ({"tolerance": 0}, [None, None, None, None, 40]),
        ({"tolerance": 0, "allow_exact_matches": False}, [None] * 5),
        ({"strategy": "forward", "tolerance": 1}, [None, 20, None, None, 30]),
    ],
)
def test_strategies(options, expected):
    assert ys(**options) == expected


def test_of_two_at_one_distance_the_greater():
    left = lf.from_dict({"t": [5]})
    right = lf.from_dict({"t": [6, 4, 6], "y": [1, 2, 3]})
    assert left.join_asof(right, on="t", strategy="nearest").to_dict()["y"] == [3]


class TestGroups:
    left = lf.from_dict({"t": [3, 3, 3, 7], "g": ["a", None, "b", "a"], "h": [1, 1, None, 2]})
    right = lf.from_dict({"t": [1, 2, 2, 5], "g": ["a", None, None, "a"], "h": [1, 1, 1, 3], "y": [10, 20, 30, 40]})

    def test_a_null_is_in_no_group_and_moves_no_other(self):
        assert self.left.join_asof(self.right, on="t", by="g").to_dict() == {
            "t": [3, 3, 3, 7], "g": ["a", None, "b", "a"], "h": [1, 1, None, 2],
            "h_right": [1, None, None, 3], "y": [10, None, None, 40],
        }  # fmt: skip

    def test_two_columns(self):
        assert self.left.join_asof(self.right, on="t", by=["g", "h"]).to_dict()["y"] == [10, None, None, None]

    def test_of_other_names(self):
        right = self.right.rename({"g": "k", "t": "u"}).drop("h")
        found = self.left.join_asof(right, left_on="t", right_on="u", by_left="g", by_right="k")
        assert found.columns == ["t", "g", "h", "u", "y"]
        assert found.to_dict()["u"] == [1, None, None, 5]

    def test_expressions(self):
        found = self.left.join_asof(self.right, on=col("t") * 2, by=col("g").str.to_uppercase())
        assert found.to_dict()["y"] == [10, None, None, 40]
        assert found.columns == ["t", "g", "h", "t_right", "g_right", "h_right", "y"]

    def test_on_two_threads(self, in_parts, answer):
        left = in_parts({"t": [3, 3, 3, 7], "g": ["a", None, "b", "a"]})
        assert answer(left.join_asof(self.right.drop("h"), on="t", by="g"))["y"] == [10, None, None, 40]


def at(hour: int, minute: int = 0) -> dt.datetime:
    return dt.datetime(2024, 3, 1, hour, minute)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("dtype", "probe", "values", "tolerance", "expected"),
    [
        (pa.timestamp("us"), at(12), [at(11, 55), at(12, 4)], "5m", [0, 1, 1]),
        (pa.timestamp("us"), at(12), [at(11, 54), at(12, 6)], "5m", [None, None, None]),
        (pa.timestamp("s", "Europe/Paris"), at(12), [at(11, 59), at(12, 1)], dt.timedelta(seconds=60), [0, 1, 1]),
        (pa.timestamp("ns"), at(12), [at(11, 59)], "1m", [0, None, 0]),
        # Less than a day is no distance of dates.
        (pa.date32(), dt.date(2024, 3, 1), [dt.date(2024, 2, 29), dt.date(2024, 3, 1)], "23h", [1, 1, 1]),
        (pa.date32(), dt.date(2024, 3, 1), [dt.date(2024, 2, 29), dt.date(2024, 3, 3)], "1d", [0, None, 0]),
        (pa.time64("us"), dt.time(12), [dt.time(11, 59), dt.time(12, 2)], "1m", [0, None, 0]),
        (pa.duration("ms"), dt.timedelta(seconds=9), [dt.timedelta(seconds=8), dt.timedelta(seconds=11)], "2s", [0, 1, 0]),
        (pa.decimal128(10, 2), D("1.00"), [D("0.95"), D("1.06")], D("0.055"), [0, None, 0]),
        (pa.decimal128(38, 2), D(10**30), [D("999999999999999999999999999999.99"), D(10**30 + 1)], D("0.01"), [0, None, 0]),
        (pa.float64(), 1.0, [0.5, 1.25], 0.3, [None, 1, 1]),
        (pa.float64(), NAN, [1.0, NAN], 0.0, [1, 1, 1]),
        (pa.float64(), NAN, [1.0, float("inf")], None, [1, None, 1]),
        (pa.float64(), NAN, [1.0, float("inf")], 1e300, [None, None, None]),
        (pa.float64(), -0.0, [0.0], 0.0, [0, 0, 0]),
        (pa.int64(), 2**63 - 1, [-(2**63), 0], 2**63 - 1, [1, None, 1]),
        (pa.int64(), 2**63 - 1, [-(2**63)], 2**64 - 1, [0, None, 0]),
        (pa.uint64(), 2**64 - 1, [0, 2**64 - 3], 2, [1, None, 1]),
        (pa.int64(), 2**53 + 1, [2**53, 2**53 + 2], None, [0, 1, 1]),
        (pa.uint8(), 3, [0, 255], None, [0, 1, 0]),
    ],
)  # fmt: skip
def test_types_and_their_distances(dtype, probe, values, tolerance, expected):
    left = lf.from_arrow(pa.table({"t": pa.array([probe], dtype)}))
    right = lf.from_arrow(pa.table({"t": pa.array(values, dtype), "n": range(len(values))}))
    found = [
        left.join_asof(right, on="t", strategy=strategy, tolerance=tolerance).to_dict()["n"][0]
        for strategy in ("backward", "forward", "nearest")
    ]
    assert found == expected


def test_text_is_in_the_order_of_code_points():
    left = lf.from_dict({"s": ["b", "Z", "é", "b" * 40, None]})
    right = lf.from_dict({"s": ["a", "b", "z", "b" * 39], "n": [0, 1, 2, 3]})
    assert left.join_asof(right, on="s").to_dict()["n"] == [1, None, 2, 3, None]
    assert left.join_asof(right, on="s", strategy="forward").to_dict()["n"] == [1, 0, None, 2, None]


def test_a_finer_unit_is_the_common_one():
    left = lf.from_arrow(pa.table({"t": pa.array([at(12)], pa.timestamp("s"))}))
    right = lf.from_arrow(pa.table({"t": pa.array([at(12)], pa.timestamp("ns")), "n": [1]}))
    assert left.join_asof(right, on="t", tolerance="1ns").to_dict()["n"] == [1]
    assert left.join_asof(right.with_columns(t=col("t").dt.offset_by("1ns")), on="t").to_dict()["n"] == [None]


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("by", [None, "g"])
def test_empty_sides(strategy, by):
    full = lf.from_dict({"t": [1, 2], "g": [1, None], "v": ["x", "y"]})
    empty = full.filter(col("t") > 9)
    assert empty.join_asof(full, on="t", by=by, strategy=strategy).to_dicts() == []
    assert full.join_asof(empty, on="t", by=by, strategy=strategy).to_dict()["v_right"] == [None, None]
    nulls = lf.from_dict({"t": [None, None], "g": [1, 1], "v": ["x", "y"]}, {"t": "int64", "g": "int64", "v": "string"})
    assert full.join_asof(nulls, on="t", by=by, strategy=strategy).to_dict()["v_right"] == [None, None]
    assert nulls.join_asof(full, on="t", by=by, strategy=strategy).to_dict()["v_right"] == [None, None]


def test_columns_of_the_other_side_may_be_null():
    left, right = (lf.from_arrow(pa.table([[1], [2]], schema=pa.schema([pa.field("t", pa.int64(), False), pa.field(n, pa.int64(), False)])))
                   for n in "xy")  # fmt: skip
    found = left.join_asof(right, on="t").to_arrow()
    assert [field.nullable for field in found.schema] == [False, False, True]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"on": "nope"}, ColumnNotFoundError, "nope"),
        ({}, InvalidArgumentError, "an asof join needs one column"),
        ({"on": ["t", "x"]}, InvalidArgumentError, "an asof join needs one column"),
        ({"on": "t", "left_on": "t"}, InvalidArgumentError, "not both"),
        ({"left_on": "t"}, InvalidArgumentError, "left_on= needs right_on="),
        ({"on": "t", "by_left": "x"}, InvalidArgumentError, "by_left= needs by_right="),
        ({"on": "t", "by_left": ["x"], "by_right": ["y", "t"]}, InvalidArgumentError, "by_left has 1 keys"),
        ({"on": "t", "by_left": "x", "by_right": "y"}, TypeMismatchError, "nothing in common"),
        ({"left_on": "x", "right_on": "t"}, TypeMismatchError, "nothing in common"),
        ({"on": "t", "strategy": "near"}, InvalidArgumentError, "near"),
        ({"on": "t", "tolerance": "5m"}, InvalidArgumentError, "a number like int64"),
        ({"on": "t", "tolerance": -1}, InvalidArgumentError, "no distance is -1"),
        ({"on": "t", "tolerance": 1.5}, InvalidArgumentError, "a number like int64"),
        ({"on": "t", "tolerance": True}, InvalidArgumentError, "a number like int64"),
        ({"on": "t", "tolerance": 2**64}, InvalidArgumentError, "more than values of type int64"),
        ({"left_on": col("t").sum(), "right_on": "t"}, InvalidArgumentError, "aggregate"),
        ({"left_on": col("t").cast("float64"), "right_on": "t"}, TypeMismatchError, "no type that holds both exactly"),
        ({"on": "t", "suffix": ""}, DuplicateColumnError, "'x'"),
    ],
)
def test_mistakes(options, kind, message):
    right = RIGHT.with_columns(x=col("y")) if options.get("suffix") == "" else RIGHT
    with pytest.raises(kind, match=message):
        LEFT.join_asof(right, **options)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (["a"], {"strategy": "nearest"}, "have none"),
        (["a"], {"tolerance": 1}, "have none"),
        ([dt.date(2024, 1, 1)], {"tolerance": 1}, "a span such as '5m'"),
        ([dt.date(2024, 1, 1)], {"tolerance": "1mo"}, "months are of unlike length"),
        ([dt.date(2024, 1, 1)], {"tolerance": "soon"}, "soon"),
        ([dt.date(2024, 1, 1)], {"tolerance": "-1d"}, "no distance is"),
        ([1.0], {"tolerance": NAN}, "no distance is"),
        ([D("1.0")], {"tolerance": D("NaN")}, "no distance is"),
        ([D("1.0")], {"tolerance": 0.5}, "a number like decimal"),
        ([[1]], {}, "has none to search in"),
    ],
)
def test_values_without_order_or_distance(values, options, message):
    frame = lf.from_dict({"t": values})
    with pytest.raises((TypeMismatchError, InvalidArgumentError), match=message):
        frame.join_asof(frame.with_row_index("n"), on="t", **options)
