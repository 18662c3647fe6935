"""Rows in windows of time, or of another measure, that begin at regular steps and may overlap."""

from __future__ import annotations

import math
from typing import NamedTuple

from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.functions.spans import NO_SPAN, Span, parse_window, span_text
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Filter, Plan, Project, Unpivot
from lazyframe.planner.relations.project import column, columns
from lazyframe.planner.scalars import Call, Column, Scalar
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.types import is_date, is_integer, is_timestamp, type_name

MOST_OVERLAPPING = 1_000
"""In how many windows a row may lie."""

_DAY = 86_400 * 10**9
_MONTH = 28 * _DAY, 31 * _DAY
_CLOCK_DAY = 23 * 3600 * 10**9, 25 * 3600 * 10**9
"""The shortest and the longest month, and day across a change of the clocks."""


class Windows(NamedTuple):
    """Windows that begin at regular steps.

    Args:
        every: from the start of one to the start of the next: a span, or a whole number where they are of integers.
        period: how long each is.
        offset: how far all are moved.
        closed: which ends belong to a window: `left`, `right`, `both` or `none`.
    """

    every: Span | int
    period: Span | int
    offset: Span | int
    closed: str

    def start_of(self, value: Scalar) -> Scalar:
        """The start of the last window that begins at the value or before."""
        if isinstance(self.every, int):
            moved = call("subtract", value, literal(self.offset))
            steps = call("multiply", call("floor_divide", moved, literal(self.every)), literal(self.every))
            return call("add", steps, literal(self.offset))
        return call("truncate", value, every=_text(self.every), offset=_text(self.offset or NO_SPAN))

    def start_before(self, value: Scalar) -> Scalar:
        """The start of the last window that begins before the value."""
        if isinstance(self.every, int):
            return self.start_of(call("subtract", value, literal(1)))
        tick = "-1d" if is_date(value.dtype) else f"-1{value.dtype.unit}"
        return self.start_of(call("offset_by", value, by=tick))

    def end_of(self, start: Scalar) -> Scalar:
        """The end of the window that begins there."""
        if isinstance(self.period, int):
            return call("add", start, literal(self.period))
        return call("offset_by", start, by=_text(self.period))

    @property
    def overlapping(self) -> int:
        """In how many windows a value may lie, at most."""
        if isinstance(self.every, int) and isinstance(self.period, int):
            return -(-self.period // self.every) + 1
        assert isinstance(self.every, Span)
        assert isinstance(self.period, Span)
        return math.ceil(_length(self.period, longest=True) / _length(self.every, longest=False)) + 1


def check_windows(windows: Windows, index: Scalar) -> None:
    """Raise where there are no such windows of a column."""
    numbers = [isinstance(measure, int) for measure in (windows.every, windows.period)]
    if is_integer(index.dtype) != all(numbers) or any(numbers) != all(numbers):
        raise TypeMismatchError(
            f"windows of {type_name(index.dtype)} are measured in "
            + ("whole numbers" if is_integer(index.dtype) else "spans such as '1d'")
        )
    if not (is_integer(index.dtype) or is_date(index.dtype) or is_timestamp(index.dtype)):
        raise TypeMismatchError(f"there are no windows of {type_name(index.dtype)}")
    if isinstance(windows.every, int):
        if windows.every < 1 or (isinstance(windows.period, int) and windows.period < 1):
            raise InvalidArgumentError("windows are 1 or more wide")
    else:
        parse_window(_text(windows.every))
        assert isinstance(windows.period, Span)
        if min(windows.period) < 0 or not any(windows.period):
            raise InvalidArgumentError("the period of windows is a span above 0")
        if is_date(index.dtype) and windows.period.nanos:
            raise InvalidArgumentError("windows of dates are of whole days", hint="cast the dates to timestamps first")
    if windows.overlapping > MOST_OVERLAPPING:
        raise InvalidArgumentError(
            f"each row would lie in up to {windows.overlapping} windows", hint="windows of a fixed width overlap less"
        )


def in_windows(plan: Plan, index: Column, windows: Windows) -> tuple[Plan, Column]:
    """The rows once for each window they lie in, with a column behind theirs: its start. Rows without a time lie in none."""
    plan = Filter(plan, call("is_not_null", index))
    taken = set(plan.schema.names)
    name = fresh_name("window start", taken)
    kept = columns(plan)
    if windows.every == windows.period and windows.closed in ("left", "right"):
        start = windows.start_of(index) if windows.closed == "left" else windows.start_before(index)
        return _with_start(Project(plan, (*kept, (name, start))), name)
    # The windows that hold a value begin with the last that starts before it, and go back from there.
    starts: list[tuple[str, Scalar]] = []
    start = windows.start_of(index)
    for _ in range(windows.overlapping):
        key = fresh_name("start", taken)
        taken.add(key)
        starts.append((key, start))
        start = windows.start_before(start)
    starts.reverse()
    wide = Project(plan, (*kept, *starts))
    variable = fresh_name("window", taken)
    long = Unpivot(wide, tuple([key for key, _ in starts]), tuple(plan.schema.names), variable, name)
    _, found = _with_start(long, name)
    after = call("less_equal" if windows.closed in ("left", "both") else "less", found, index)
    before = call("less_equal" if windows.closed in ("right", "both") else "less", index, windows.end_of(found))
    inside = Filter(long, Call("and", (after, before)))
    return _with_start(Project(inside, (*kept, (name, found))), name)


def _with_start(plan: Plan, name: str) -> tuple[Plan, Column]:
    return plan, column(plan.schema, name)


def _length(span: Span, *, longest: bool) -> int:
    return span.months * _MONTH[longest] + span.days * _CLOCK_DAY[longest] + span.nanos


def _text(span: Span | int) -> str:
    """A span as it is written."""
    assert isinstance(span, Span)
    return span_text(*span)
