"""The windows of time that values fall into, in local time: days across a change of the clocks are 23 or 25 hours long."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions import spans
from lazyframe.executors.vectorized.functions.calendar import (
    Moments,
    Numbers,
    days_of_months,
    localised,
    null_mask,
    numbers_of,
)
from lazyframe.executors.vectorized.kernel import Arguments, KernelError
from lazyframe.executors.vectorized.local_time import DAY_SECONDS, TICKS, to_local
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.functions.spans import NO_SPAN, Span
from lazyframe.planner.types import DATE, INTERVAL


def moved(values: pa.Array, span: Span) -> pa.Array:
    """Dates or timestamps moved by a span, as addition of an interval moves them."""
    if span == NO_SPAN:
        return values
    interval = arrow.scalar((span.months, span.days, span.nanos), INTERVAL)
    return spans.add(values, interval, Arguments((values.type, INTERVAL), values.type, {}))


def truncated(values: pa.Array, every: Span, offset: Span = NO_SPAN) -> pa.Array:
    """The start of the window that holds each value.

    Windows of months begin with January of the year 0, of weeks on Mondays, of days on 1970-01-01 and shorter ones at
    midnight of that day, all moved by `offset` on the local clock.
    """
    if values.type == DATE:
        days = numbers_of(moved(values, _reversed(offset)))
        start = arrow.array(_start_of_days(days, every).astype(np.int32), mask=null_mask(values)).cast(DATE)
        return moved(start, offset)
    local = to_local(values)
    start = moved(_start_of_local(moved(local, _reversed(offset)), every), offset)
    zone = values.type.tz
    if zone is None:
        return start
    # What lies so far back on the clock lies as far back in time, if the clocks have not changed in between. That also
    # tells which of two equal clock times is meant.
    elapsed = numbers_of(local) - numbers_of(start)
    back = (
        arrow.array(numbers_of(values) - elapsed, mask=null_mask(values))
        .cast(pa.timestamp(values.type.unit))
        .cast(values.type)
    )
    shown = to_local(back)
    unchanged = pc.fill_null(pc.equal(shown, start), True)
    if pc.all(unchanged, min_count=0).as_py():
        return back
    return pc.if_else(unchanged, back, localised(start, zone, ambiguous="earliest", non_existent="latest"))


def rounded(values: pa.Array, every: Span, offset: Span = NO_SPAN) -> pa.Array:
    """The nearest start of a window; the later one from halfway on."""
    start = truncated(values, every, offset)
    # A window after a change of the clocks may begin a little off the regular step.
    after = truncated(moved(start, every), every, offset)
    at, low, high = numbers_of(values), numbers_of(start), numbers_of(after)
    return pc.if_else(arrow.array(at - low < high - at), start, after)


def _reversed(span: Span) -> Span:
    return Span(-span.months, -span.days, -span.nanos)


def _start_of_local(local: pa.Array, every: Span) -> pa.Array:
    unit = local.type.unit
    if every.is_calendar:
        per_day = DAY_SECONDS * TICKS[unit]
        ticks = _start_of_days(Moments(local).days, every) * per_day
    else:
        per_tick = 10**9 // TICKS[unit]
        if every.nanos % per_tick:
            raise KernelError(f"windows of {every.nanos} ns cannot be told in timestamp[{unit}]")
        width = every.nanos // per_tick
        at = numbers_of(local)
        ticks = at - at % width
    return arrow.array(ticks, mask=null_mask(local)).cast(local.type)


def _start_of_days(days: Numbers, every: Span) -> Numbers:
    if every.months:
        months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12
        return days_of_months(months - months % every.months - 1970 * 12)
    if every.days % 7 == 0:
        # 1970-01-05 was a Monday.
        return days - (days - 4) % every.days
    return days - days % every.days
