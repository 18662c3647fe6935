"""The offsets of a window frame: what they may be, and the distance of the sort key that they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.frames import Bound, Frame, check_bounds
from lazyframe.planner.scalars import Scalar, SortKey
from lazyframe.planner.types import (
    INT64,
    DataType,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_interval,
    is_numeric,
    is_temporal,
    is_timestamp,
    type_name,
)

Distance: TypeAlias = int | float | pa.Scalar
"""How far a bound lies from a sort key: units of an integer key, of a decimal's scale, ticks of a time, a float, or a calendar
interval."""

_MOST = (1 << 63) - 1
_DAY = 86_400 * 10**9
_NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def checked(frame: Frame, order: Sequence[Scalar]) -> Frame:
    """The frame, whose offsets of rows and groups are int64.

    Raises:
        InvalidArgumentError: for bounds in the wrong order and offsets that are negative or null.
        TypeMismatchError: where the sort key has no such distance.
    """
    check_bounds(frame)
    if frame.unit == "groups" and not order:
        raise InvalidArgumentError("a frame of GROUPS needs an order", hint="say what the window is ordered by")
    return Frame(frame.unit, _bound(frame, frame.start, order), _bound(frame, frame.end, order), frame.exclude)


def _bound(frame: Frame, bound: Bound, order: Sequence[Scalar]) -> Bound:
    if bound.kind not in ("preceding", "following"):
        return Bound(bound.kind)
    offset = bound.offset
    if offset is None or not offset.is_valid:
        raise InvalidArgumentError("the offset of a frame cannot be null")
    if frame.unit != "range":
        return Bound(bound.kind, _count(offset))
    if len(order) != 1:
        raise InvalidArgumentError(
            "a frame of RANGE with an offset needs an order of one key",
            hint="order by one key, or count ROWS or GROUPS",
        )
    (key,) = order
    assert isinstance(key, SortKey)
    distance(bound, key.dtype, is_end=False)
    return bound


def _count(offset: pa.Scalar) -> pa.Scalar:
    if not is_integer(offset.type):
        raise TypeMismatchError(f"the offset of a frame is a number of rows or groups, not {type_name(offset.type)}")
    _check_sign(offset.as_py(), offset)
    return arrow.scalar(min(offset.as_py(), _MOST), INT64)


def distance(bound: Bound, key: DataType, *, is_end: bool) -> Distance:
    """How far from a sort key a bound of a RANGE frame lies.

    Where the key has whole units only, an offset between two of them is moved to where it leaves the same values inside.

    Args:
        bound: of kind `preceding` or `following`.
        key: the type of the sort key.
        is_end: whether the bound ends the frame.
    """
    assert bound.offset is not None
    offset, kind = bound.offset, bound.offset.type
    round_up = (is_end == (bound.kind == "preceding")) != bound.is_open
    if is_numeric(key) and is_numeric(kind):
        return _number(offset, key, round_up=round_up)
    if is_temporal(key) and is_duration(kind):
        nanos = offset.cast(INT64).as_py() * _NANOS[kind.unit]
        _check_sign(nanos, offset)
        return _ticks(nanos, key, round_up=round_up)
    if is_temporal(key) and is_interval(kind):
        months, days, nanos = offset.as_py()
        _check_sign(min(months, days, nanos), offset)
        on_calendar = is_date(key) or is_timestamp(key)
        if not on_calendar and (months or days):
            raise TypeMismatchError(f"an order of {type_name(key)} has no days and months")
        if months or (days and is_timestamp(key) and key.tz is not None):
            return offset
        return _ticks(days * _DAY + nanos, key, round_up=round_up)
    raise TypeMismatchError(
        f"a frame over an order of {type_name(key)} has no offset of type {type_name(kind)}",
        hint="write an interval, such as INTERVAL 1 DAY" if is_temporal(key) else None,
    )


def _number(offset: pa.Scalar, key: DataType, *, round_up: bool) -> Distance:
    value = offset.as_py()
    if math.isnan(value):
        raise InvalidArgumentError("the offset of a frame cannot be NaN")
    _check_sign(value, offset)
    if is_float(key):
        return float(value)
    exact = Fraction(value) if math.isfinite(value) else Fraction(10**38)
    if is_decimal(key):
        exact *= 10**key.scale
    return math.ceil(exact) if round_up else math.floor(exact)


def _ticks(nanos: int, key: DataType, *, round_up: bool) -> int:
    tick = _DAY if is_date(key) else _NANOS[key.unit]
    return -(-nanos // tick) if round_up else nanos // tick


def _check_sign(value: object, offset: pa.Scalar) -> None:
    if value < 0:  # type: ignore[operator]
        raise InvalidArgumentError(f"the offset of a frame cannot be negative: {offset.as_py()}")
