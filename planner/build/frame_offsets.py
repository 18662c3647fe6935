"""The offsets of a window frame, read as distances of what they count."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from fractions import Fraction

import pyarrow as pa

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.frames import Bound, Frame, check_bounds
from lazyframe.planner.scalars import Scalar, SortKey
from lazyframe.planner.types import (
    FLOAT64,
    INT64,
    INTERVAL,
    DataType,
    decimal_type,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_interval,
    is_numeric,
    is_time,
    is_timestamp,
    type_name,
)

_MOST = (1 << 63) - 1


def checked(frame: Frame, order: Sequence[Scalar]) -> Frame:
    """The frame with its offsets in the type of what they count.

    * Of rows and groups: int64.
    * Of a key that is an integer: int64; a decimal: whole units of its scale, as decimal(38, 0); a float: float64. What lies
      between two values of the key is moved to where it includes the same of them.
    * Of a date, time or timestamp: the interval or duration, as it is.

    Raises:
        InvalidArgumentError: for bounds in the wrong order and offsets that are negative, null or no constants.
        TypeMismatchError: where the sort key has no such distance.
    """
    check_bounds(frame)
    if frame.unit == "groups" and not order:
        raise InvalidArgumentError("a frame of GROUPS needs an order", hint="say what the window is ordered by")
    start, end = _bound(frame, frame.start, order, is_end=False), _bound(frame, frame.end, order, is_end=True)
    return Frame(frame.unit, start, end, frame.exclude)


def _bound(frame: Frame, bound: Bound, order: Sequence[Scalar], *, is_end: bool) -> Bound:
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
    # Whether rows at a distance between two values of the key are in or out depends on the side that is bounded.
    inner = is_end == (bound.kind == "preceding")
    return Bound(bound.kind, _distance(offset, key.dtype, up=inner))


def _count(offset: pa.Scalar) -> pa.Scalar:
    if not is_integer(offset.type):
        raise TypeMismatchError(f"the offset of a frame is a number of rows or groups, not {type_name(offset.type)}")
    count = offset.as_py()
    if count < 0:
        raise InvalidArgumentError(f"the offset of a frame cannot be negative: {count}")
    return pa.scalar(min(count, _MOST), INT64)


def _distance(offset: pa.Scalar, key: DataType, *, up: bool) -> pa.Scalar:
    kind = offset.type
    if is_numeric(key) and is_numeric(kind):
        return _number(offset, key, up=up)
    span = is_interval(kind) or is_duration(kind)
    if span and (is_date(key) or is_timestamp(key) or (is_time(key) and not _has_days(offset))):
        _check_sign(_least_part(offset), offset)
        return offset
    if is_duration(key) and span and not _has_months(offset):
        _check_sign(_least_part(offset), offset)
        return offset
    hint = "write an interval, such as INTERVAL 1 DAY" if is_date(key) or is_timestamp(key) or is_time(key) else None
    raise TypeMismatchError(
        f"a frame over an order of {type_name(key)} has no offset of type {type_name(kind)}", hint=hint
    )


def _number(offset: pa.Scalar, key: DataType, *, up: bool) -> pa.Scalar:
    value = offset.as_py()
    if math.isnan(value):
        raise InvalidArgumentError("the offset of a frame cannot be NaN")
    _check_sign(value, offset)
    exact = Fraction(value) if math.isfinite(value) else Fraction(10**38)
    if is_float(key):
        return pa.scalar(float(value), FLOAT64)
    if is_decimal(key):
        exact *= 10**key.scale
    whole = math.ceil(exact) if up else math.floor(exact)
    if is_decimal(key):
        return pa.scalar(decimal.Decimal(min(whole, 10**38 - 1)), decimal_type(38, 0))
    return pa.scalar(min(whole, _MOST), INT64)


def _check_sign(value: object, offset: pa.Scalar) -> None:
    if value < 0:  # type: ignore[operator]
        raise InvalidArgumentError(f"the offset of a frame cannot be negative: {offset.as_py()}")


def _least_part(offset: pa.Scalar) -> int:
    if is_interval(offset.type):
        return min(offset.as_py())
    return offset.cast(pa.int64()).as_py()


def _has_days(offset: pa.Scalar) -> bool:
    return is_interval(offset.type) and any(offset.as_py()[:2])


def _has_months(offset: pa.Scalar) -> bool:
    return offset.type == INTERVAL and offset.as_py().months != 0
