"""Dates and timestamps moved by durations and calendar intervals, and arithmetic of the spans themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions import integers
from lazyframe.executors.vectorized.functions.layout import (
    INTERVAL_PARTS,
    Mask,
    arrow_array,
    at,
    first_row,
    interval_values,
    joint_validity,
    number,
    numpy_values,
    one_row,
)
from lazyframe.executors.vectorized.kernel import Arguments, KernelError, Value
from lazyframe.executors.vectorized.local_time import TICKS, ticks_of_day, to_instant, to_local
from lazyframe.planner import arrow
from lazyframe.planner.types import DATE, DataType, is_date, is_duration, is_interval, type_name

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

_I32, _I64 = np.iinfo(np.int32), np.iinfo(np.int64)


def add(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    left, right = arguments.types
    if is_interval(left) and is_interval(right):
        return _combine_intervals(a, b, "+")
    if is_interval(right):
        return _move(a, b, arguments.result, 1)
    if is_interval(left):
        return _move(b, a, arguments.result, 1)
    return _on_ticks(integers.ADD, a, b, arguments.result)


def subtract(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    left, right = arguments.types
    if is_interval(left):
        return _combine_intervals(a, b, "-")
    if is_interval(right):
        return _move(a, b, arguments.result, -1)
    if is_date(left):
        days = integers.compute(integers.SUBTRACT, _as_int64(a), _as_int64(b), pa.int64())
        day = arrow.scalar(ticks_of_day("us"), pa.int64())
        return _timed(integers.MULTIPLY, days, day, arguments.result)
    return _on_ticks(integers.SUBTRACT, a, b, arguments.result)


def multiply(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    """A duration times an integer."""
    return _on_ticks(integers.MULTIPLY, a, b, arguments.result)


def divide(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    """A duration over an integer, rounded to the nearest tick, halves to even, as Python's timedelta does."""
    x, y = np.broadcast_arrays(integers.numpy_operand(_as_int64(a)), integers.numpy_operand(_as_int64(b)))
    zero = y == 0
    if zero.any():
        row = first_row(zero, [a, b])
        if row is not None:
            raise KernelError(f"division by zero: {at(a, row)} / 0", row)
    overflowing = (y == -1) & (x == _I64.min)
    if overflowing.any() and (row := first_row(overflowing, [a, b])) is not None:
        raise KernelError(f"duration out of range: {at(a, row)} / (-1)", row)
    with np.errstate(all="ignore"):
        quotient = x // y
        rest = x - quotient * y  # has the sign of the divisor, and is smaller
        left_over = y - rest
        up = (np.abs(rest) > np.abs(left_over)) | ((rest == left_over) & (rest != 0) & (quotient % 2 != 0))
        quotient = quotient + up
    return arrow_array(quotient, arguments.result, joint_validity([a, b]))


def negate(a: pa.Array, arguments: Arguments) -> pa.Array:
    if is_interval(arguments.result):
        zero = arrow_array(np.zeros(len(a), INTERVAL_PARTS), arguments.result, None)
        return _combine_intervals(zero, a, "-")
    return integers.negate(_as_int64(a), pa.int64(), "duration out of range").view(arguments.result)


def magnitude(a: pa.Array, arguments: Arguments) -> pa.Array:
    return integers.magnitude(_as_int64(a), pa.int64(), "duration out of range").view(arguments.result)


def _as_int64(value: Value) -> Value:
    """A value by its ticks or days."""
    if isinstance(value, pa.Scalar):
        return arrow.scalar(number(value), pa.int64())
    if value.type.bit_width == 64:
        return value.view(pa.int64())
    return arrow_array(numpy_values(value).astype(np.int64), pa.int64(), joint_validity([value]))


def _on_ticks(operation: integers.Operation, a: Value, b: Value, result: DataType) -> pa.Array:
    return _timed(operation, _as_int64(a), _as_int64(b), result)


def _timed(operation: integers.Operation, a: Value, b: Value, result: DataType) -> pa.Array:
    try:
        return integers.compute(operation, a, b, pa.int64()).view(result)
    except KernelError as error:
        row = error.row or 0
        kind = "duration" if is_duration(result) else "timestamp"
        shown = f"{_ticks_text(a, row)} {operation.symbol} {_ticks_text(b, row)} {result.unit}"
        raise KernelError(f"{kind} out of range: {shown} does not fit in {type_name(result)}", error.row) from None


def _ticks_text(value: Value, row: int) -> str:
    return str((value[row] if isinstance(value, pa.Array) else value).as_py())


def _parts(value: Value) -> npt.NDArray:
    return interval_values(value if isinstance(value, pa.Array) else one_row(value))


def _combine_intervals(a: Value, b: Value, symbol: str) -> pa.Array:
    x, y = np.broadcast_arrays(_parts(a), _parts(b))
    result = np.empty(len(x), INTERVAL_PARTS)
    for name in ("months", "days", "nanos"):
        mine, theirs = x[name], y[name]
        with np.errstate(over="ignore"):
            combined = mine + theirs if symbol == "+" else mine - theirs
        # It went over where the result differs in sign from both terms that were added.
        bad = ((mine ^ combined) & ((theirs if symbol == "+" else ~theirs) ^ combined)) < 0
        if bad.any() and (row := first_row(bad, [a, b])) is not None:
            raise KernelError(f"interval out of range: {mine[row]} {symbol} {theirs[row]} {name}", row)
        result[name] = combined
    return arrow_array(result, pa.month_day_nano_interval(), joint_validity([a, b]))


def _move(moment: Value, interval: Value, result: DataType, sign: int) -> pa.Array:
    """Dates or timestamps moved by calendar intervals."""
    column = moment if isinstance(moment, pa.Array) else one_row(moment)
    parts = _parts(interval)
    if is_date(result):
        return _move_dates(column, parts, moment, interval, sign)
    ticks_a_day, per_tick = ticks_of_day(result.unit), 10**9 // TICKS[result.unit]
    calendar = bool(parts["months"].any() or parts["days"].any())
    shown = to_local(column) if calendar else column
    ticks = numpy_values(shown)
    if calendar:
        days = ticks // ticks_a_day
        moved, bad = _move_days(days, parts, sign)
        ticks, wrong = _checked_sum(
            ticks - days * ticks_a_day, moved.astype(np.float64) * ticks_a_day, moved * ticks_a_day
        )
        _refuse(bad | wrong, moment, interval, sign)
        if result.tz is not None:
            local = arrow_array(ticks, pa.timestamp(result.unit), joint_validity([moment, interval]))
            ticks = numpy_values(to_instant(local, result.tz))
    nanos = parts["nanos"]
    if nanos.any():
        shift = nanos // per_tick if sign > 0 else -(nanos // per_tick) - (nanos % per_tick != 0)
        ticks, bad = _checked_sum(ticks, sign * (nanos / per_tick), shift)
        _refuse(bad, moment, interval, sign)
    ticks = np.broadcast_to(ticks, np.broadcast_shapes(ticks.shape, parts.shape))
    return arrow_array(ticks, result, joint_validity([moment, interval]))


def _move_dates(column: pa.Array, parts: npt.NDArray, moment: Value, interval: Value, sign: int) -> pa.Array:
    timed = parts["nanos"] != 0
    if timed.any():
        row = first_row(np.broadcast_to(timed, (max(len(column), len(parts)),)), [moment, interval])
        if row is not None:
            raise KernelError(
                f"a date has no time of day to move by {_interval_text(interval, row)}; cast it to a timestamp", row
            )
    moved, bad = _move_days(numpy_values(column).astype(np.int64), parts, sign)
    _refuse(bad | (moved < _I32.min) | (moved > _I32.max), moment, interval, sign)
    return arrow_array(moved.astype(np.int32), DATE, joint_validity([moment, interval]))


def _move_days(days: npt.NDArray, parts: npt.NDArray, sign: int) -> tuple[npt.NDArray, Mask]:
    """Days since 1970 moved by months, then days; the day of the month is cut to the month's last."""
    months = parts["months"].astype(np.int64)
    if months.any():
        # The calendar of numpy is right as far as 32 bits of days reach, and nothing moves further.
        bad = np.abs(days) > 4 * _I32.max
        days = np.where(bad, 0, days)
        dates = days.astype("M8[D]")
        month = dates.astype("M8[M]")
        day = days - month.astype("M8[D]").astype(np.int64)
        target = month.astype(np.int64) + sign * months
        first = target.astype("M8[M]").astype("M8[D]").astype(np.int64)
        length = (target + 1).astype("M8[M]").astype("M8[D]").astype(np.int64) - first
        days = first + np.minimum(day, length - 1)
    else:
        bad = np.zeros(np.broadcast_shapes(days.shape, parts.shape), dtype=np.bool_)
    return days + sign * parts["days"].astype(np.int64), bad


def _checked_sum(ticks: npt.NDArray, estimate: npt.NDArray, shift: npt.NDArray) -> tuple[npt.NDArray, Mask]:
    """Sums, and which are out of range; `estimate` is about `shift`, which itself may have wrapped."""
    with np.errstate(over="ignore"):
        total = ticks + shift
    # What wrapped is off by a multiple of 2**64.
    return total, np.abs(ticks + estimate - total.astype(np.float64)) > 2.0**62


def _refuse(bad: Mask, moment: Value, interval: Value, sign: int) -> None:
    if not bad.any():
        return
    row = first_row(bad, [moment, interval])
    if row is not None:
        symbol = "+" if sign > 0 else "-"
        kind = "date" if is_date(moment.type) else "timestamp"
        raise KernelError(f"{kind} out of range: {at(moment, row)} {symbol} {_interval_text(interval, row)}", row)


def _interval_text(interval: Value, row: int) -> str:
    parts = _parts(interval)
    months, days, nanos = parts[row if len(parts) > 1 else 0].item()
    shown = [f"{n} {name}" for n, name in ((months, "months"), (days, "days")) if n]
    if nanos:
        shown.append(f"{nanos / 10**9:g} seconds")
    return " ".join(shown) or "0 days"
