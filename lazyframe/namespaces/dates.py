"""The methods of dates, times, timestamps and durations: `col("x").dt`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class DateNamespace:
    """Methods of dates, times, timestamps and durations. Of a timestamp with a zone they speak of the local time there.

    Args:
        expr: gives values in time.
    """

    __slots__ = ("_expr",)

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    def year(self) -> Expr:
        """The year."""
        return self._expr._apply("year")

    def iso_year(self) -> Expr:
        """The year to which the ISO week belongs."""
        return self._expr._apply("iso_year")

    def quarter(self) -> Expr:
        """The quarter, 1 to 4."""
        return self._expr._apply("quarter")

    def month(self) -> Expr:
        """The month, 1 to 12."""
        return self._expr._apply("month")

    def week(self) -> Expr:
        """The ISO week, 1 to 53."""
        return self._expr._apply("week")

    def weekday(self) -> Expr:
        """The day of the week, Monday 1 to Sunday 7."""
        return self._expr._apply("weekday")

    def day(self) -> Expr:
        """The day of the month, 1 to 31."""
        return self._expr._apply("day")

    def ordinal_day(self) -> Expr:
        """The day of the year, 1 to 366."""
        return self._expr._apply("ordinal_day")

    def days_in_month(self) -> Expr:
        """How many days the month has."""
        return self._expr._apply("days_in_month")

    def is_leap_year(self) -> Expr:
        """Whether the year has 366 days."""
        return self._expr._apply("is_leap_year")

    def century(self) -> Expr:
        """The century: the years 2001 to 2100 are the 21st."""
        return self._expr._apply("century")

    def day_name(self) -> Expr:
        """The English name of the day of the week."""
        return self._expr._apply("day_name")

    def month_name(self) -> Expr:
        """The English name of the month."""
        return self._expr._apply("month_name")

    def hour(self) -> Expr:
        """The hour, 0 to 23."""
        return self._expr._apply("hour")

    def minute(self) -> Expr:
        """The minute, 0 to 59."""
        return self._expr._apply("minute")

    def second(self) -> Expr:
        """The second, 0 to 59."""
        return self._expr._apply("second")

    def millisecond(self) -> Expr:
        """The milliseconds since the last second."""
        return self._expr._apply("millisecond")

    def microsecond(self) -> Expr:
        """The microseconds since the last second."""
        return self._expr._apply("microsecond")

    def nanosecond(self) -> Expr:
        """The nanoseconds since the last second."""
        return self._expr._apply("nanosecond")

    def date(self) -> Expr:
        """The date, without the time of day."""
        return self._expr._apply("date")

    def time(self) -> Expr:
        """The time of day, without the date."""
        return self._expr._apply("time")

    def month_start(self) -> Expr:
        """The first day of the month, at the same time of day."""
        return self._expr._apply("month_start")

    def month_end(self) -> Expr:
        """The last day of the month, at the same time of day."""
        return self._expr._apply("month_end")

    def truncate(self, every: str | dt.timedelta, *, offset: str | dt.timedelta = "0ns") -> Expr:
        """The start of the window that holds the value, on the local clock.

        Args:
            every: the width of a window, such as `15m`, `1d`, `1w` or `3mo`.
            offset: how far all windows are moved, such as `6h`.

        Examples:
            >>> import datetime, lazyframe as lf
            >>> lf.from_dict({"d": [datetime.date(2024, 5, 17)]}).select(lf.col("d").dt.truncate("1mo")).to_dicts()
            [{'d': datetime.date(2024, 5, 1)}]
        """
        return self._expr._apply("truncate", every=every, offset=offset)

    def round(self, every: str | dt.timedelta, *, offset: str | dt.timedelta = "0ns") -> Expr:
        """The nearest start of a window; the later one halfway.

        Args:
            every: the width of a window, such as `15m`, `1d`, `1w` or `3mo`.
            offset: how far all windows are moved, such as `6h`.
        """
        return self._expr._apply("round_time", every=every, offset=offset)

    def offset_by(self, by: str | dt.timedelta) -> Expr:
        """Moved by a span of the calendar: a month keeps the day, or takes the last the month has.

        Args:
            by: such as `1mo`, `-3d` or `2h30m`. Days and months keep the time of day; hours and less make a timestamp of a date.

        Examples:
            >>> import datetime, lazyframe as lf
            >>> lf.from_dict({"d": [datetime.date(2024, 1, 31)]}).select(lf.col("d").dt.offset_by("1mo")).to_dicts()
            [{'d': datetime.date(2024, 2, 29)}]
        """
        return self._expr._apply("offset_by", by=by)

    def strftime(self, format: str | Expr) -> Expr:  # noqa: A002
        """Written in a format.

        Args:
            format: of C's directives; `%f` is microseconds and `%3f` milliseconds.
        """
        return self._expr._apply("strftime", format)

    def epoch(self, unit: str = "us") -> Expr:
        """How much time has passed since 1970 began in UTC.

        Args:
            unit: `s`, `ms`, `us`, `ns` or `d`.
        """
        return self._expr._apply("epoch", unit=unit)

    def convert_time_zone(self, time_zone: str) -> Expr:
        """The same instant in another zone; a timestamp without a zone is taken as UTC.

        Args:
            time_zone: an IANA name, such as `Europe/Paris`.
        """
        return self._expr._apply("convert_time_zone", time_zone=time_zone)

    def replace_time_zone(
        self, time_zone: str | None, *, ambiguous: str = "raise", non_existent: str = "raise"
    ) -> Expr:
        """The same local time in another zone.

        Args:
            time_zone: an IANA name; None makes a timestamp without a zone.
            ambiguous: for a time that the clocks show twice: `raise`, `earliest`, `latest` or `null`.
            non_existent: for a time that they skip: `raise`, `null`, or the last tick before the gap (`earliest`) or the first after it
                (`latest`).
        """
        return self._expr._apply(
            "replace_time_zone", time_zone=time_zone, ambiguous=ambiguous, non_existent=non_existent
        )

    def utc_offset(self) -> Expr:
        """How far the local time is ahead of UTC, as a duration."""
        return self._expr._apply("utc_offset")

    def combine(self, time: dt.time | Expr, *, time_zone: str | None = None) -> Expr:
        """The timestamp of the date and a time of day.

        Args:
            time: the time of day.
            time_zone: of the result.
        """
        return self._expr._apply("combine", time, time_zone=time_zone)

    def diff(self, other: dt.date | Expr, unit: str) -> Expr:
        """How many starts of a unit lie after the value and up to another: from 31 December to 1 January it is one year.

        Args:
            other: a date or timestamp.
            unit: such as `day`, `month` or `hour`.
        """
        return self._expr._apply("date_diff", other, unit=unit)

    def whole_diff(self, other: dt.date | Expr, unit: str) -> Expr:
        """How many whole spans of a unit lie between the value and another.

        Args:
            other: a date or timestamp.
            unit: such as `day`, `month` or `hour`.
        """
        return self._expr._apply("date_sub", other, unit=unit)

    def cast_time_unit(self, unit: str) -> Expr:
        """In another time unit; what is finer is cut off.

        Args:
            unit: `s`, `ms`, `us` or `ns`.
        """
        return self._expr._apply("cast_time_unit", unit=unit)

    def add_business_days(
        self,
        n: int | Expr,
        *,
        week_mask: tuple[bool, ...] = (True,) * 5 + (False,) * 2,
        holidays: Iterable[dt.date] = (),
        roll: str = "raise",
    ) -> Expr:
        """The date so many business days later.

        Args:
            n: how many; negative goes back.
            week_mask: which days are business days, Monday first; by default the first five.
            holidays: dates that are none.
            roll: what to do with a value that is no business day: `raise`, or go `forward` or `backward` to one first.
        """
        return self._expr._apply(
            "add_business_days", n, week_mask=tuple(week_mask), holidays=tuple(holidays), roll=roll
        )

    def is_business_day(
        self,
        *,
        week_mask: tuple[bool, ...] = (True,) * 5 + (False,) * 2,
        holidays: Iterable[dt.date] = (),
    ) -> Expr:
        """Whether the date is a business day.

        Args:
            week_mask: which days are business days, Monday first; by default the first five.
            holidays: dates that are none.
        """
        return self._expr._apply("is_business_day", week_mask=tuple(week_mask), holidays=tuple(holidays))

    def business_day_count(
        self,
        end: dt.date | Expr,
        *,
        week_mask: tuple[bool, ...] = (True,) * 5 + (False,) * 2,
        holidays: Iterable[dt.date] = (),
    ) -> Expr:
        """How many business days lie from the date up to before another.

        Args:
            end: the other date.
            week_mask: which days are business days, Monday first; by default the first five.
            holidays: dates that are none.
        """
        return self._expr._apply("business_day_count", end, week_mask=tuple(week_mask), holidays=tuple(holidays))

    def total_days(self) -> Expr:
        """The duration in whole days, without what is left over."""
        return self._expr._apply("total_days")

    def total_hours(self) -> Expr:
        """The duration in whole hours, without what is left over."""
        return self._expr._apply("total_hours")

    def total_minutes(self) -> Expr:
        """The duration in whole minutes, without what is left over."""
        return self._expr._apply("total_minutes")

    def total_seconds(self) -> Expr:
        """The duration in whole seconds, without what is left over."""
        return self._expr._apply("total_seconds")

    def total_milliseconds(self) -> Expr:
        """The duration in whole milliseconds, without what is left over."""
        return self._expr._apply("total_milliseconds")

    def total_microseconds(self) -> Expr:
        """The duration in whole microseconds, without what is left over."""
        return self._expr._apply("total_microseconds")

    def total_nanoseconds(self) -> Expr:
        """The duration in whole nanoseconds, without what is left over."""
        return self._expr._apply("total_nanoseconds")

    to_string = strftime
    timestamp = epoch
