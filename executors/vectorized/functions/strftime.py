"""Writing dates and times by a format: each directive is a column of texts, and the columns are joined."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.calendar import Moments
from lazyframe.executors.vectorized.functions.strptime import MONTHS, WEEKDAYS, Numbers
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

_SHORTHANDS = {
    "%F": "%Y-%m-%d",
    "%T": "%H:%M:%S",
    "%R": "%H:%M",
    "%D": "%m/%d/%y",
    "%c": "%a %b %e %H:%M:%S %Y",
    "%x": "%m/%d/%y",
    "%X": "%H:%M:%S",
}
_SMALL = {width: arrow.array([str(n).zfill(width) for n in range(1000)]) for width in (1, 2, 3)}


def _padded(numbers: Numbers, width: int) -> pa.Array:
    if width <= 3 and len(numbers) and numbers.min() >= 0 and numbers.max() < 1000:
        return pc.take(_SMALL[width], arrow.array(numbers))
    sign = pc.if_else(arrow.array(numbers < 0), "-", "")
    digits = pc.utf8_lpad(arrow.array(np.abs(numbers)).cast(pa.string()), width, "0")
    return pc.binary_join_element_wise(sign, digits, "")


def _named(labels: tuple[str, ...], indices: Numbers) -> pa.Array:
    return pc.take(arrow.array(labels), arrow.array(indices))


def _offset(moments: Moments, colon: str) -> pa.Array:
    seconds = moments.utc_offset()
    size = np.abs(seconds)
    sign = pc.if_else(arrow.array(seconds < 0), "-", "+")
    return pc.binary_join_element_wise(sign, _padded(size // 3600, 2), colon, _padded(size // 60 % 60, 2), "")


_DIRECTIVES: dict[str, Callable[[Moments], pa.Array]] = {
    "Y": lambda m: _padded(m.year, 4),
    "y": lambda m: _padded(m.year % 100, 2),
    "C": lambda m: _padded(m.year // 100, 2),
    "G": lambda m: _padded(m.iso_year, 4),
    "m": lambda m: _padded(m.month, 2),
    "d": lambda m: _padded(m.day, 2),
    "e": lambda m: pc.utf8_lpad(_padded(m.day, 1), 2, " "),
    "j": lambda m: _padded(m.ordinal_day, 3),
    "q": lambda m: _padded((m.month + 2) // 3, 1),
    "b": lambda m: _named(tuple(name[:3] for name in MONTHS), m.month - 1),
    "h": lambda m: _named(tuple(name[:3] for name in MONTHS), m.month - 1),
    "B": lambda m: _named(MONTHS, m.month - 1),
    "a": lambda m: _named(tuple(name[:3] for name in WEEKDAYS), m.weekday - 1),
    "A": lambda m: _named(WEEKDAYS, m.weekday - 1),
    "u": lambda m: _padded(m.weekday, 1),
    "w": lambda m: _padded(m.weekday % 7, 1),
    "V": lambda m: _padded(m.iso_week, 2),
    "U": lambda m: _padded((m.ordinal_day + 6 - m.weekday % 7) // 7, 2),
    "W": lambda m: _padded((m.ordinal_day + 6 - (m.weekday - 1)) // 7, 2),
    "H": lambda m: _padded(m.hour, 2),
    "I": lambda m: _padded((m.hour + 11) % 12 + 1, 2),
    "p": lambda m: _named(("AM", "PM"), m.hour // 12),
    "M": lambda m: _padded(m.minute, 2),
    "S": lambda m: _padded(m.second, 2),
    "f": lambda m: _padded(m.subsecond // 1000, 6),
    "g": lambda m: _padded(m.subsecond // 10**6, 3),
    "n": lambda m: _padded(m.subsecond, 9),
    "s": lambda m: _padded(m.days * 86_400 + m.nanos // 10**9 - m.utc_offset(), 1),
    "z": lambda m: _offset(m, ""),
    "Z": lambda m: arrow.array([m.zone or ""] * len(m.days)),
}
_UNPADDED = {"d": "day", "m": "month", "H": "hour", "M": "minute", "S": "second", "j": "ordinal_day"}


def format_moments(moments: Moments, text: str) -> pa.Array:
    """Each moment as the format writes it. The directives are C's, with %f for microseconds, %3f, %6f and %9f for fractions.

    Raises:
        KernelError: at a directive that is not known.
    """
    for short, long in _SHORTHANDS.items():
        text = text.replace(short, long)
    pieces: list[pa.Array | str] = []
    at = 0
    while at < len(text):
        if text[at] != "%":
            end = text.find("%", at)
            end = len(text) if end < 0 else end
            pieces.append(text[at:end])
            at = end
            continue
        directive = text[at + 1 : at + 2]
        at += 2
        if directive == "%":
            pieces.append("%")
            continue
        if directive == ".":
            pieces.append(".")
            directive, at = text[at : at + 1], at + 1
        if directive in ("3", "6", "9") and text[at : at + 1] == "f":
            places = int(directive)
            pieces.append(_padded(moments.subsecond // 10 ** (9 - places), places))
            at += 1
        elif directive == "-" and text[at : at + 1] in _UNPADDED:
            pieces.append(_padded(getattr(moments, _UNPADDED[text[at : at + 1]]), 1))
            at += 1
        elif directive == "-" and text[at : at + 1] == "I":
            pieces.append(_padded((moments.hour + 11) % 12 + 1, 1))
            at += 1
        elif directive == ":" and text[at : at + 1] == "z":
            pieces.append(_offset(moments, ":"))
            at += 1
        elif directive in _DIRECTIVES:
            pieces.append(_DIRECTIVES[directive](moments))
        else:
            raise KernelError(f"the format {text!r} has a directive that is not known: '%{directive}'")
    rows = len(moments.days)
    columns = [pa.repeat(arrow.scalar(p), rows) if isinstance(p, str) else p for p in pieces]
    if not columns:
        return pa.repeat(arrow.scalar(""), rows)
    return pc.binary_join_element_wise(*columns, "")
