"""The fields of the calendar and the clock, of columns of dates, times and timestamps."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.executors.vectorized.local_time import DAY_SECONDS, TICKS, to_instant, to_local
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

DAY_NANOS = DAY_SECONDS * 10**9


def numbers_of(values: pa.Array) -> Numbers:
    """The ticks or days of temporal values, 0 where they are null."""
    width = pa.int32() if values.type.bit_width == 32 else pa.int64()
    numbers = pc.cast(values, width)
    if numbers.null_count:
        numbers = pc.fill_null(numbers, 0)
    return arrow.numpy_of(numbers).astype(np.int64, copy=False)


def null_mask(values: pa.Array) -> Mask | None:
    """Where values are null, or None where none is."""
    return arrow.numpy_of(values.is_null()) if values.null_count else None


class Moments:
    """Points in time as local days and nanoseconds of the day, with their fields as int64 numbers; nulls have any value.

    Args:
        values: dates, times or timestamps.
    """

    def __init__(self, values: pa.Array) -> None:
        self.values = values
        dtype = values.type
        self.zone: str | None = None
        if pa.types.is_date(dtype):
            self.days = numbers_of(values)
            self.nanos = np.zeros(len(values), dtype=np.int64)
            return
        per_tick = 10**9 // TICKS[dtype.unit]
        if pa.types.is_time(dtype):
            self.days = np.zeros(len(values), dtype=np.int64)
            self.nanos = numbers_of(values) * per_tick
            return
        self.zone = dtype.tz
        local = numbers_of(to_local(values))
        self.days, ticks = np.divmod(local, DAY_SECONDS * TICKS[dtype.unit])
        self.nanos = ticks * per_tick

    def utc_offset(self) -> Numbers:
        """How many seconds the local time is ahead of UTC."""
        if self.zone is None:
            return np.zeros(len(self.days), dtype=np.int64)
        return (numbers_of(to_local(self.values)) - numbers_of(self.values)) // TICKS[self.values.type.unit]

    @cached_property
    def _dates(self) -> npt.NDArray:
        return self.days.astype("datetime64[D]")

    @cached_property
    def months_since_epoch(self) -> Numbers:
        return self._dates.astype("datetime64[M]").astype(np.int64)

    @cached_property
    def year(self) -> Numbers:
        return self.months_since_epoch // 12 + 1970

    @cached_property
    def month(self) -> Numbers:
        return self.months_since_epoch % 12 + 1

    @cached_property
    def month_start(self) -> Numbers:
        """The days of the firsts of the months."""
        return days_of_months(self.months_since_epoch)

    @cached_property
    def month_length(self) -> Numbers:
        return days_of_months(self.months_since_epoch + 1) - self.month_start

    @cached_property
    def day(self) -> Numbers:
        return self.days - self.month_start + 1

    @cached_property
    def weekday(self) -> Numbers:
        """Monday is 1; 1970-01-01 was a Thursday."""
        return (self.days + 3) % 7 + 1

    @cached_property
    def ordinal_day(self) -> Numbers:
        return self.days - days_of_months((self.year - 1970) * 12) + 1

    @cached_property
    def iso_year(self) -> Numbers:
        """An ISO week belongs to the year of its Thursday."""
        thursday = (self.days - self.weekday + 4).astype("datetime64[D]")
        return thursday.astype("datetime64[Y]").astype(np.int64) + 1970

    @cached_property
    def iso_week(self) -> Numbers:
        thursday = self.days - self.weekday + 4
        return (thursday - days_of_months((self.iso_year - 1970) * 12)) // 7 + 1

    @cached_property
    def hour(self) -> Numbers:
        return self.nanos // (3600 * 10**9)

    @cached_property
    def minute(self) -> Numbers:
        return self.nanos // (60 * 10**9) % 60

    @cached_property
    def second(self) -> Numbers:
        return self.nanos // 10**9 % 60

    @cached_property
    def subsecond(self) -> Numbers:
        """Nanoseconds since the last second."""
        return self.nanos % 10**9


def days_of_months(months: Numbers) -> Numbers:
    """The days since 1970-01-01 of the firsts of months, counted from January 1970."""
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def is_leap(year: Numbers) -> Mask:
    return (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))


def ticks_of(days: Numbers, nanos: Numbers, unit: str, good: Mask) -> Numbers:
    """Ticks since 1970 of local days and nanoseconds of the day, checked where `good`."""
    per_day = DAY_SECONDS * TICKS[unit]
    bound = (2**63 - 1) // per_day
    bad = good & ((days >= bound) | (days < -bound))
    if bad.any():
        row = int(np.argmax(bad))
        raise KernelError(f"timestamp out of range: {days[row]} days from 1970 do not fit in timestamp[{unit}]", row)
    return np.where(bad | ~good, 0, days) * per_day + nanos // (10**9 // TICKS[unit])


def localised(local: pa.Array, zone: str | None, *, ambiguous: str = "raise", non_existent: str = "raise") -> pa.Array:
    """The instants at which the clocks of a zone show naive timestamps.

    Args:
        local: what the clocks show.
        zone: its IANA name; None leaves the timestamps naive.
        ambiguous: for a time that they show twice: `earliest`, `latest`, `null` or `raise`.
        non_existent: for a time that they skip: the last tick before the gap (`earliest`), the first after it (`latest`),
            `null` or `raise`.

    Raises:
        KernelError: where the choice is `raise`.
    """
    if zone is None:
        return local
    early = pc.assume_timezone(local, zone, ambiguous="earliest", nonexistent="earliest")
    late = pc.assume_timezone(local, zone, ambiguous="latest", nonexistent="latest")
    differ = pc.fill_null(pc.not_equal(early, late), False)
    if not pc.any(differ, min_count=0).as_py():
        return early
    skipped = pc.and_(differ, pc.fill_null(pc.not_equal(pc.local_timestamp(early), local), False))
    twice = pc.and_not(differ, skipped)
    result = early
    for rows, choice, what in ((twice, ambiguous, "twice"), (skipped, non_existent, "never")):
        if choice == "latest":
            result = pc.if_else(rows, late, result)
        elif choice == "null":
            result = pc.if_else(rows, arrow.scalar(None, result.type), result)
        elif choice == "raise" and pc.any(rows, min_count=0).as_py():
            row = int(np.argmax(np.asarray(rows)))
            shown = pc.cast(local.slice(row, 1), pa.string())[0].as_py()
            raise KernelError(f"the clocks of {zone} show {shown} {what}", row)
    return result


__all__ = [
    "DAY_NANOS", "Mask", "Moments", "Numbers", "days_of_months", "is_leap", "localised", "null_mask", "numbers_of",
    "ticks_of", "to_instant", "to_local",
]  # fmt: skip
