"""Dates, times and durations as ISO 8601 text, from the stored integers.

`datetime` covers the years 1 to 9999 and has no nanoseconds, Arrow holds far more; so the integers are formatted
here, and a value that is out of everybody's range is still shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache

_UNITS_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_NAT = -(2**63)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A day within the years 1 to 9999, so that a zone's offset never leaves datetime's range.
_FIRST_ZONED, _LAST_ZONED = -62_135_510_400, 253_402_214_400
_UTC_NAMES = frozenset({"UTC", "Etc/UTC", "Z", "Etc/Zulu", "Zulu"})


def format_timestamps(values: Sequence[int | None], unit: str, zone: str | None) -> list[str | None]:
    """Format timestamps of a column: local time with its offset where there is a zone, `Z` for UTC.

    >>> format_timestamps([1372672800000, None], "ms", "Europe/Paris")
    ['2013-07-01 12:00:00+02:00', None]
    """
    digits = _shared_fraction_digits(values, unit)
    return [None if value is None else _format_timestamp(value, unit, zone, digits) for value in values]


def format_times(values: Sequence[int | None], unit: str) -> list[str | None]:
    """Format times of day of a column."""
    digits = _shared_fraction_digits(values, unit)
    return [None if value is None else _clock(*_split(value, unit), digits) for value in values]


def format_durations(values: Sequence[int | None], unit: str) -> list[str | None]:
    """Format durations of a column as days and a clock.

    >>> format_durations([93_784, -1], "s")
    ['1d 02:03:04', '-00:00:01']
    """
    digits = _shared_fraction_digits(values, unit)
    return [None if value is None else _format_duration(value, unit, digits) for value in values]


def format_date(days: int) -> str:
    """Format a count of days since 1970-01-01.

    >>> format_date(15706)
    '2013-01-01'
    """
    import numpy as np

    return str(np.datetime64(days, "D"))


def format_interval(months: int, days: int, nanoseconds: int) -> str:
    """Format a calendar interval.

    >>> format_interval(14, 3, 0)
    '1y 2mo 3d'
    """
    years, rest = divmod(abs(months), 12)
    sign = "-" if months < 0 else ""
    parts = [f"{sign}{years}y"] if years else []
    if rest:
        parts.append(f"{sign}{rest}mo")
    if days:
        parts.append(f"{days}d")
    if nanoseconds or not parts:
        parts.append(_format_duration(nanoseconds, "ns", _shared_fraction_digits([nanoseconds], "ns")))
    return " ".join(parts)


def _split(value: int, unit: str) -> tuple[int, int]:
    """Whole seconds and the nanoseconds after them."""
    per_second = _UNITS_PER_SECOND[unit]
    seconds, rest = divmod(value, per_second)
    return seconds, rest * (1_000_000_000 // per_second)


def _shared_fraction_digits(values: Sequence[int | None], unit: str) -> int:
    nanoseconds = [_split(value, unit)[1] for value in values if value is not None]
    for digits, step in ((0, 1_000_000_000), (3, 1_000_000), (6, 1_000)):
        if all(value % step == 0 for value in nanoseconds):
            return digits
    return 9


def _fraction(nanoseconds: int, digits: int) -> str:
    return f".{nanoseconds:09d}"[: digits + 1] if digits else ""


def _clock(seconds: int, nanoseconds: int, digits: int) -> str:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02d}:{minute:02d}:{second:02d}{_fraction(nanoseconds, digits)}"


def _format_duration(value: int, unit: str, digits: int) -> str:
    seconds, nanoseconds = _split(abs(value), unit)
    days, seconds = divmod(seconds, 86_400)
    sign = "-" if value < 0 else ""
    clock = _clock(seconds, nanoseconds, digits)
    return f"{sign}{days}d {clock}" if days else f"{sign}{clock}"


def _format_timestamp(value: int, unit: str, zone: str | None, digits: int) -> str:
    import numpy as np

    seconds, nanoseconds = _split(value, unit)
    if seconds == _NAT:
        return f"{value} {unit}"
    offset, suffix = _offset(seconds, zone) if zone is not None else (0, "")
    local = str(np.datetime64(seconds + offset, "s")).replace("T", " ")
    return f"{local}{_fraction(nanoseconds, digits)}{suffix}"


def _offset(seconds: int, zone: str) -> tuple[int, str]:
    """Seconds to add to UTC and the suffix that says so; an unknown zone or a far year is shown in UTC."""
    rules = _zone_rules(zone)
    if rules is None or not _FIRST_ZONED <= seconds <= _LAST_ZONED:
        return 0, "Z"
    offset = (_EPOCH + timedelta(seconds=seconds)).astimezone(rules).utcoffset()
    if offset is None:
        return 0, "Z"
    total = int(offset.total_seconds())
    hours, rest = divmod(abs(total), 3600)
    minutes, rest = divmod(rest, 60)
    sign = "-" if total < 0 else "+"
    return total, f"{sign}{hours:02d}:{minutes:02d}" + (f":{rest:02d}" if rest else "")


@lru_cache(maxsize=64)
def _zone_rules(zone: str) -> tzinfo | None:
    if zone in _UTC_NAMES:
        return None
    fixed = re.fullmatch(r"([+-])(\d{2}):?(\d{2})", zone)
    if fixed:
        offset = timedelta(hours=int(fixed[2]), minutes=int(fixed[3]))
        return timezone(-offset if fixed[1] == "-" else offset)
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
