"""Values of parameters as they are written on the command line."""

from __future__ import annotations

import datetime
import decimal
import re
from typing import Any

_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)")
_EXACT = re.compile(r"[+-]?(\d+\.\d*|\.\d+)")
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?")
_WORDS = {"null": None, "true": True, "false": False}


def value_of(text: str) -> Any:
    """A value as SQL would read it: whole and exact numbers, floats with an exponent, dates, timestamps, true, false, null.

    All else is text, and so is what stands in single quotes, and digits that begin with a zero.

    Example:
        >>> value_of("3"), value_of("2.50"), value_of("1e3"), value_of("'3'"), value_of("JFK"), value_of("01234")
        (3, Decimal('2.50'), 1000.0, '3', 'JFK', '01234')
    """
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _EXACT.fullmatch(text):
        return decimal.Decimal(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    try:
        if _DATE.fullmatch(text):
            return datetime.date.fromisoformat(text)
        if _TIMESTAMP.fullmatch(text):
            return datetime.datetime.fromisoformat(text)
    except ValueError:  # digits that are no day, such as 2013-02-30
        return text
    return text
