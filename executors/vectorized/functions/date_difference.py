"""How far apart two dates or timestamps are, in units of the calendar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.calendar import Moments, Numbers, numbers_of
from lazyframe.executors.vectorized.kernel import Arguments, KernelError
from lazyframe.executors.vectorized.local_time import TICKS
from lazyframe.planner import arrow
from lazyframe.planner.functions.spans import parse_unit

_MONTHS = {"mo": 1, "q": 3, "y": 12}
_DAYS = {"d": 1, "w": 7}
_NANOS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def boundaries_between(start: pa.Array, end: pa.Array, *, arguments: Arguments) -> pa.Array:
    """How many starts of the unit lie after `start` and up to `end`, by the local calendar."""
    unit = _unit(arguments)
    a, b = Moments(start), Moments(end)
    if unit in _MONTHS:
        count = b.months_since_epoch // _MONTHS[unit] - a.months_since_epoch // _MONTHS[unit]
    elif unit in _DAYS:
        # A week begins on Monday: 1970-01-01 was a Thursday.
        shift = 3 if unit == "w" else 0
        count = (b.days + shift) // _DAYS[unit] - (a.days + shift) // _DAYS[unit]
    else:
        count = _clock_boundaries(a, b, unit)
    return _masked(count, start, end)


def whole_spans_between(start: pa.Array, end: pa.Array, *, arguments: Arguments) -> pa.Array:
    """How many whole spans of the unit have passed from `start` to `end`, cut towards zero."""
    unit = _unit(arguments)
    if unit in _MONTHS:
        a, b = Moments(start), Moments(end)
        months = b.months_since_epoch - a.months_since_epoch
        # Months clamp to the last day: from 31 January to 29 February 2024 one month has passed.
        day = np.minimum(a.day, b.month_length)
        late = (b.day < day) | ((b.day == day) & (b.nanos < a.nanos))
        back_day = np.minimum(b.day, a.month_length)
        early = (a.day < back_day) | ((a.day == back_day) & (a.nanos < b.nanos))
        months = np.where(months > 0, months - late, np.where(months < 0, months + early, 0))
        return _masked(_towards_zero(months, _MONTHS[unit]), start, end)
    if pa.types.is_date(start.type):
        elapsed = numbers_of(end) - numbers_of(start)
        if unit in _DAYS:
            return _masked(_towards_zero(elapsed, _DAYS[unit]), start, end)
        return _masked(_times(elapsed, 86_400 * 10**9 // _NANOS[unit], unit), start, end)
    per_second = TICKS[start.type.unit]
    elapsed = numbers_of(end) - numbers_of(start)
    nanos = _DAYS[unit] * 86_400 * 10**9 if unit in _DAYS else _NANOS[unit]
    per_tick = 10**9 // per_second
    if nanos >= per_tick:
        return _masked(_towards_zero(elapsed, nanos // per_tick), start, end)
    return _masked(_times(elapsed, per_tick // nanos, unit), start, end)


def _unit(arguments: Arguments) -> str:
    unit: Any = arguments.options["unit"]
    return parse_unit(unit)


def _clock_boundaries(a: Moments, b: Moments, unit: str) -> Numbers:
    """Time that passes counts, not what the clocks jump; but where hours begin is told by the clock."""
    size = _NANOS[unit]
    per_day = 86_400 * 10**9 // size
    jump = b.utc_offset() - a.utc_offset()
    whole = b.days - a.days
    too_far = np.abs(whole) >= 2**63 // per_day - 2
    too_far &= arrow.numpy_of(a.values.is_valid()) & arrow.numpy_of(b.values.is_valid())
    if too_far.any():
        raise KernelError(f"difference out of range: it does not fit in 64 bits of {unit}", int(np.argmax(too_far)))
    return whole * per_day + b.nanos // size - a.nanos // size - _towards_zero(jump * 10**9, size)


def _towards_zero(numbers: Numbers, size: int) -> Numbers:
    return np.sign(numbers) * (np.abs(numbers) // size)


def _times(numbers: Numbers, factor: int, unit: str) -> Numbers:
    too_far = np.abs(numbers) > (2**63 - 1) // factor
    if too_far.any():
        raise KernelError(f"difference out of range: it does not fit in 64 bits of {unit}", int(np.argmax(too_far)))
    return numbers * factor


def _masked(numbers: Numbers, start: pa.Array, end: pa.Array) -> pa.Array:
    null = arrow.numpy_of(start.is_null()) | arrow.numpy_of(end.is_null())
    return arrow.array(numbers, mask=null if null.any() else None)
