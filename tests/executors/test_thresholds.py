"""Scans that leave out rows by the last row that a sort keeps so far: the same rows and order as without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.threshold import Threshold
from lazyframe.planner.sources import ColumnStatistics
from tests.differential.comparing import identical
from tests.differential.tables import TYPES, pool
from tests.executors.small_scans import run, stored, with_constants

RULE = "push_threshold_into_scan"


@contextmanager
def eager(sampling: int) -> Iterator[None]:
    with with_constants({
        "planner.rules.push_threshold_into_scan.FEWEST_ROWS": 0,
        "executors.filtered_scan._WORTH_SAMPLING": sampling,
        "executors.sources.parquet.MORSEL_ROWS": 3,
        "executors.sources.memory.MORSEL_ROWS": 3,
    }):  # fmt: skip
        yield


@settings(max_examples=200)
@given(data=st.data())
def test_the_first_rows_of_any_order_are_the_same(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(TYPES)))
    size = data.draw(st.sampled_from([0, 1, 7, 20, 40]))
    values = data.draw(st.lists(st.one_of(pool(TYPES[kind]), st.none()), min_size=size, max_size=size))
    if data.draw(st.booleans()):
        values = sorted(values, key=lambda value: (value is None, repr(value)))
    table = pa.table(
        {"x": pa.array(values, TYPES[kind]), "n": pa.array(range(size)), "y": [n % 3 for n in range(size)]}
    )
    frame = stored(table, data.draw(st.sampled_from([1, 2, 5]))) if data.draw(st.booleans()) else lf.from_arrow(table)
    match data.draw(st.sampled_from(["scan", "filter", "project", "join", "union"])):
        case "filter":
            frame = frame.filter(col("y") != 1)
        case "project":
            frame = frame.select("n", "y", z="x").rename({"z": "x"})
        case "join":
            frame = frame.join(lf.from_dict({"y": [0, 2, 2], "w": [1, 2, 3]}), on="y")
        case "union":
            frame = lf.concat([frame, frame.filter(col("n") > 3)])
    order = frame.sort(
        "x",
        "y",
        descending=[data.draw(st.booleans()), data.draw(st.booleans())],
        nulls_first=data.draw(st.booleans()),
    )
    top = order.slice(data.draw(st.integers(0, 2)), data.draw(st.integers(0, 9)))
    with eager(data.draw(st.sampled_from([1, 10**9]))):
        plain, _ = run(top, disable=(RULE,))
        assert identical(plain, order.to_arrow().slice(*_window(top))), "the first rows of the sort"
        for threads in (1, 2, 7):
            found, _ = run(top, threads)
            assert identical(found, plain), f"{found.to_pydict()}\nis not\n{plain.to_pydict()}"


def _window(frame: lf.LazyFrame) -> tuple[int, int]:
    plan = frame._plan
    return plan.offset, plan.count


def test_row_groups_of_other_rows_are_not_read():
    size = 100_000
    frame = stored(pa.table({"t": range(size), "x": [n % 7 for n in range(size)]}), 1_000)
    with patch("lazyframe.executors.sources.parquet.MORSEL_ROWS", 1_000):
        for descending, expected in ((True, range(size - 1, size - 6, -1)), (False, range(5))):
            top = frame.sort("t", descending=descending).head(5)
            assert "with t within top 1" in top.explain()
            found, context = run(top)
            assert found.column("t").to_pylist() == list(expected)
            assert sum(context.measured.groups_left_out.values()) == 99


def test_rows_that_tie_with_the_last_one_come_in_input_order():
    size = 50_000
    frame = stored(pa.table({"x": [n % 2 for n in range(size)], "n": range(size)}), 2_000)
    with patch("lazyframe.executors.sources.parquet.MORSEL_ROWS", 2_000):
        for threads in (1, 2, 7):
            found, _ = run(frame.sort("x").head(3), threads)
            assert found.column("n").to_pylist() == [0, 2, 4]
            found, _ = run(frame.sort("x", col("n") % 1000, descending=[True, True]).head(2), threads)
            assert found.column("n").to_pylist() == [999, 1999]


@pytest.mark.parametrize(
    ("last", "descending", "nulls_first", "low", "high", "nulls", "expected"),
    [
        (5, False, False, 5, 9, 0, True),
        (5, False, False, 6, 9, 0, False),
        (5, False, False, 6, 9, 1, False),
        (5, False, True, 6, 9, 1, True),
        (5, True, False, 1, 4, 0, False),
        (5, True, False, 1, 5, 0, True),
        (5, True, False, None, None, 0, True),
        (5, True, False, None, None, 10, False),
        (None, False, False, 1, 2, 0, True),
        (None, False, True, 1, 2, 0, False),
        (None, False, True, 1, 2, 1, True),
        (2.5, False, False, 3.0, 4.0, 0, False),
        (2.5, True, False, 1.0, 2.0, 0, True),  # NaN, which is greater, may be there
        (float("nan"), False, False, 1.0, 2.0, 0, True),
        ("m", False, False, "n", "z", 0, False),
        ("m", True, False, "n", "z", 0, True),
    ],
)
def test_bounds_of_row_groups(last, descending, nulls_first, low, high, nulls, expected):
    key = pa.array([last], None if last is not None else pa.int64())
    threshold = Threshold(key.type, descending=descending, nulls_first=nulls_first)
    threshold.set(key)
    assert threshold.may_hold(ColumnStatistics(low, high, nulls), key.type, 10) is expected
