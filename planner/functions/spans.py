"""Spans of calendar time, written as `1mo`, `15m` or `1d12h`."""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache
from typing import NamedTuple

from lazyframe.planner.errors import InvalidArgumentError

_NANOS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_DAYS = {"d": 1, "w": 7}
_MONTHS = {"mo": 1, "q": 3, "y": 12}
_PART = re.compile(r"(\d+)(ns|us|ms|s|mo|m|h|d|w|q|y)")

# Words for the same units, as SQL and people write them.
UNITS = {
    "nanosecond": "ns", "microsecond": "us", "millisecond": "ms", "second": "s", "minute": "m", "hour": "h", "day": "d",
    "week": "w", "month": "mo", "quarter": "q", "year": "y",
}  # fmt: skip


class Span(NamedTuple):
    """A span in three measures that have no fixed ratio: months have unlike days, and days unlike hours."""

    months: int = 0
    days: int = 0
    nanos: int = 0

    @property
    def is_calendar(self) -> bool:
        """Whether it is of whole days and months, so that a date moved by it stays a date."""
        return self.nanos == 0


NO_SPAN = Span()


@lru_cache(maxsize=1024)
def parse_span(text: str | dt.timedelta) -> Span:
    """Read a span such as `1mo`, `-3d` or `1h30m`.

    The units are ns, us, ms, s, m (minutes), h, d, w, mo, q and y.

    Raises:
        InvalidArgumentError: where `text` is no span.

    >>> parse_span("-1mo3d")
    Span(months=-1, days=-3, nanos=0)
    """
    if isinstance(text, dt.timedelta):
        return Span(0, 0, (text.days * 86_400 + text.seconds) * 10**9 + text.microseconds * 1000)
    bare = text.strip().replace(" ", "")
    sign = -1 if bare.startswith("-") else 1
    bare = bare[1:] if bare[:1] in ("+", "-") else bare
    parts = _PART.findall(bare)
    if not parts or "".join(number + unit for number, unit in parts) != bare:
        raise InvalidArgumentError(f"not a span of time: {text!r}", hint="write it as '1mo', '15m', '1d12h' or '-2w'")
    months = sum(int(number) * _MONTHS[unit] for number, unit in parts if unit in _MONTHS)
    days = sum(int(number) * _DAYS[unit] for number, unit in parts if unit in _DAYS)
    nanos = sum(int(number) * _NANOS[unit] for number, unit in parts if unit in _NANOS)
    return Span(sign * months, sign * days, sign * nanos)


def span_text(months: int, days: int, nanos: int) -> str:
    """A span as `parse_span` reads it; measures of different sign one after the other.

    >>> span_text(1, 0, 5_400_000_000_000)
    '1mo1h30m'
    """
    parts = [(months, "mo"), (days, "d")]
    left = abs(nanos)
    for unit in ("h", "m", "s", "ms", "us", "ns"):
        count, left = divmod(left, _NANOS[unit])
        parts.append((count if nanos > 0 else -count, unit))
    parts = [(count, unit) for count, unit in parts if count]
    negative = bool(parts) and all(count < 0 for count, _ in parts)
    text = "".join([f"{-count if negative else count}{unit}" for count, unit in parts])
    return ("-" if negative else "") + (text or "0d")


@lru_cache(maxsize=256)
def parse_window(text: str | dt.timedelta) -> Span:
    """Read the width of a window: a positive span of one measure.

    Raises:
        InvalidArgumentError: where `text` is none.
    """
    span = parse_span(text)
    if sum(part != 0 for part in span) != 1 or min(span) < 0:
        raise InvalidArgumentError(
            f"not the width of a window: {text!r}",
            hint="a window is of months, of days or of hours and less, and not empty",
        )
    return span


def parse_unit(word: str) -> str:
    """The short name of a unit from its name, short, singular or plural.

    Raises:
        InvalidArgumentError: where there is no such unit.

    >>> parse_unit("Months")
    'mo'
    """
    lowered = word.lower()
    if lowered in _NANOS or lowered in _DAYS or lowered in _MONTHS:
        return lowered
    found = UNITS.get(lowered.removesuffix("s"))
    if found is None:
        raise InvalidArgumentError(f"no unit of time named {word!r}", hint="there are: " + ", ".join(UNITS))
    return found
