"""Calls of window functions: overloads, frames, what is refused, and the relations that compute them."""

from __future__ import annotations

import datetime
import pickle
from decimal import Decimal

import pyarrow as pa
import pytest

from lazyframe.planner.build.frame_offsets import distance
from lazyframe.planner.build.windows import window_call, with_windows, within_groups
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.frames import CURRENT, FIRST, LAST, Bound, Frame
from lazyframe.planner.invariants import check
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Project, Window
from lazyframe.planner.scalars import Call, Cast, Column, SortKey
from tests.planner.rules.harness import plan_of, t

INT = Column("a", pa.int64(), True)
TEXT = Column("c", pa.string(), True)
DAY = Column("day", pa.date32(), True)
BY_INT = SortKey(INT)
INTERVAL = pa.month_day_nano_interval()


def before(offset):
    return Bound("preceding", pa.scalar(offset) if not isinstance(offset, pa.Scalar) else offset)


def behind(offset):
    return before(offset)._replace(kind="following")


def test_what_types_it_gives():
    assert window_call("row_number", ()).dtype == pa.int64()
    assert window_call("percent_rank", ()).dtype == pa.float64()
    assert window_call("sum", [Column("i", pa.int8(), True)]).dtype == pa.int64()
    assert window_call("first_value", [TEXT]).dtype == pa.string()
    widened = window_call("lag", [Column("i", pa.int8(), False), literal(1), literal(1000)])
    assert (widened.dtype, widened.nullable) == (pa.int64(), True)
    assert isinstance(widened.args[0], Cast)
    assert not window_call("rank", (), order=[BY_INT]).nullable
    assert not window_call("count", [INT]).nullable
    assert window_call("sum", [Column("i", pa.int8(), False)]).nullable


def test_first_and_last_are_values_of_the_frame():
    assert window_call("first", [INT], options={"ignore_nulls": True}).function == "first_value"
    assert window_call("last", [INT], argument_order=[BY_INT]).function == "last"


def test_a_frame_that_changes_nothing_is_none():
    default = Frame("range", FIRST, CURRENT)
    whole = Frame("rows", FIRST, LAST)
    rows = Frame("rows", before(1), CURRENT)
    assert window_call("sum", [INT], order=[BY_INT], frame=default).frame is None
    assert window_call("sum", [INT], frame=whole).frame is None
    assert window_call("rank", (), order=[BY_INT], frame=rows).frame is None
    assert window_call("sum", [INT], order=[BY_INT], frame=whole).takes_whole_partitions
    assert not window_call("sum", [INT], order=[BY_INT]).takes_whole_partitions
    assert window_call("sum", [INT]).takes_whole_partitions


@pytest.mark.parametrize(
    ("frame", "order", "error", "message"),
    [
        (Frame("rows", before(-1), CURRENT), [], InvalidArgumentError, "cannot be negative: -1"),
        (Frame("rows", before(pa.scalar(None, pa.int64())), CURRENT), [], InvalidArgumentError, "cannot be null"),
        (Frame("rows", before(1.5), CURRENT), [], TypeMismatchError, "a number of rows or groups, not float64"),
        (Frame("groups", before(True), CURRENT), [BY_INT], TypeMismatchError, "not bool"),
        (Frame("rows", LAST, LAST), [], InvalidArgumentError, "cannot start at UNBOUNDED FOLLOWING"),
        (Frame("rows", FIRST, FIRST), [], InvalidArgumentError, "cannot end at UNBOUNDED PRECEDING"),
        (Frame("rows", CURRENT, before(1)), [], InvalidArgumentError, "start at CURRENT ROW and end at PRECEDING"),
        (Frame("rows", behind(1), CURRENT), [], InvalidArgumentError, "start at FOLLOWING and end at CURRENT ROW"),
        (Frame("groups", before(1), CURRENT), [], InvalidArgumentError, "GROUPS needs an order"),
        (Frame("range", before(1), CURRENT), [], InvalidArgumentError, "an order of one key"),
        (Frame("range", before(1), CURRENT), [BY_INT, SortKey(TEXT)], InvalidArgumentError, "an order of one key"),
        (Frame("range", before(1), CURRENT), [SortKey(TEXT)], TypeMismatchError, "an order of string has no offset"),
        (Frame("range", before(1), CURRENT), [SortKey(DAY)], TypeMismatchError, "an order of date has no offset"),
        (Frame("range", before(float("nan")), CURRENT), [BY_INT], InvalidArgumentError, "cannot be NaN"),
        (Frame("range", before(-0.5), CURRENT), [BY_INT], InvalidArgumentError, "cannot be negative: -0.5"),
        (
            Frame("range", before(datetime.timedelta(days=-1)), CURRENT), [SortKey(DAY)], InvalidArgumentError,
            "cannot be negative",
        ),
    ],
)  # fmt: skip
def test_frames_that_are_none(frame, order, error, message):
    with pytest.raises(error, match=message):
        window_call("sum", [INT], order=order, frame=frame)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: window_call("rank", [INT]), InvalidArgumentError, "rank\\(\\) takes 0 arguments, not 1"),
        (lambda: window_call("lag", [INT, TEXT]), TypeMismatchError, "lag\\(\\) is not defined for int64, string"),
        (lambda: window_call("sum", [TEXT]), TypeMismatchError, "sum\\(\\) is not defined for string"),
        (lambda: window_call("rank", (), where=literal(True)), InvalidArgumentError, "takes no rows by a filter"),
        (lambda: window_call("lead", [INT], distinct=True), InvalidArgumentError, "takes no rows by DISTINCT"),
        (lambda: window_call("rank", (), options={"ignore_nulls": True}), InvalidArgumentError, "no nulls to ignore"),
        (lambda: window_call("sum", [INT], where=INT), TypeMismatchError, "must be true or false, not int64"),
    ],
)
def test_calls_that_are_none(build, error, message):
    with pytest.raises(error, match=message):
        build()


def test_distances_between_two_values_of_the_key():
    """x >= 10 - 1.5 holds for integers from 9 on, x > 10 - 1.5 too, x <= 10 - 1.5 up to 8, x < 10 - 1.5 too."""
    offset = before(Decimal("1.5"))
    assert distance(offset, pa.int64(), is_end=False) == 1
    assert distance(offset._replace(is_open=True), pa.int64(), is_end=False) == 2
    assert distance(offset, pa.int64(), is_end=True) == 2
    assert distance(offset._replace(is_open=True), pa.int64(), is_end=True) == 1
    assert distance(behind(Decimal("1.5")), pa.int64(), is_end=False) == 2
    assert distance(behind(Decimal("1.5")), pa.int64(), is_end=True) == 1
    assert distance(before(1), pa.decimal128(10, 2), is_end=False) == 100
    assert distance(before(1), pa.float64(), is_end=False) == 1.0


def test_distances_of_time():
    hours = pa.scalar((0, 0, 36 * 3600 * 10**9), INTERVAL)
    assert distance(before(hours), pa.date32(), is_end=False) == 1
    assert distance(before(hours), pa.date32(), is_end=True) == 2
    assert distance(before(hours), pa.timestamp("s"), is_end=False) == 36 * 3600
    day, month = pa.scalar((0, 1, 0), INTERVAL), pa.scalar((1, 0, 0), INTERVAL)
    assert distance(before(day), pa.timestamp("ms"), is_end=False) == 86_400_000
    # Days are of 23 to 25 hours where there are clocks that change.
    assert distance(before(day), pa.timestamp("ms", "Europe/Paris"), is_end=False) == day
    assert distance(before(month), pa.date32(), is_end=False) == month
    with pytest.raises(TypeMismatchError, match="no days and months"):
        distance(before(day), pa.time64("us"), is_end=False)


def test_nested_calls_are_computed_first():
    plan = plan_of(t)
    lag = window_call("lag", [INT])
    change = Call("subtract", (INT, lag))
    total = window_call("sum", [change], partition=[lag])
    above, (scalar, again) = with_windows(plan, [Call("add", (total, total)), lag])
    assert repr(above).splitlines() == [
        "Window sum(a - lag) over (partition by lag) as sum",
        "  Window lag(a) over () as lag",
        "    Scan t [a, b, c, d]",
    ]
    assert (repr(scalar), repr(again)) == ("sum + sum", "lag")
    check(Project(above, (("x", scalar), ("y", again))))


def test_calls_within_groups_are_divided_by_them():
    call = window_call("row_number", ())
    plan, _ = within_groups(plan_of(t), [TEXT], [call])
    assert repr(plan).splitlines()[0] == "Window row_number() over (partition by c) as row_number"


def test_a_window_call_outside_a_window_breaks_the_invariants():
    plan = Project(plan_of(t), (("x", window_call("row_number", ())),))
    with pytest.raises(AssertionError, match="stands inside an expression"):
        check(plan)


def test_windows_travel_and_are_told_apart():
    def plan(offset):
        frame = Frame("range", before(offset), CURRENT, "ties")
        return Window(plan_of(t), (("s", window_call("sum", [INT], [TEXT], [BY_INT], frame)),))

    back = pickle.loads(pickle.dumps(plan(2).calls[0][1]))
    assert back == plan(2).calls[0][1]
    assert isinstance(back.frame, Frame)
    assert plan(2) == plan(2)
    assert plan(2) != plan(3)
    assert repr(plan(2)).splitlines()[0] == (
        "Window sum(a) over (partition by c order by a range between 2 preceding and current row exclude ties) as s"
    )


def test_frames_of_time_as_they_are_written():
    month = pa.scalar((1, 0, 0), INTERVAL)
    frame = Frame("range", before(month)._replace(is_open=True), behind(datetime.timedelta(hours=2)))
    call = window_call("len", (), order=[SortKey(DAY, descending=True)], frame=frame)
    assert repr(call) == ("len() over (order by day desc range between 1mo preceding exclusive and 2:00:00 following)")
