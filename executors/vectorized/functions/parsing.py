"""Kernels that read dates, times and numbers from strings."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions import strptime
from lazyframe.executors.vectorized.functions.calendar import localised, ticks_of
from lazyframe.executors.vectorized.functions.strptime import NANOS, Parsed
from lazyframe.executors.vectorized.functions.subject import mapped, of_columns, of_subject
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import INT64, integer_bounds

_MICROSECOND = 1000


def _read(strings: pa.Array, text: str | None, iso: str, what: str, arguments: Arguments) -> Parsed:
    parsed = strptime.parse(strings, iso if text is None else strptime.regex_of(text))
    if arguments.options.get("strict", True):
        strptime.refuse_bad(strings, parsed.good, what if text is None else f"{what} in the format {text!r}")
    return parsed


def _date(strings: pa.Array, text: str | None = None, *, arguments: Arguments) -> pa.Array:
    parsed = _read(strings, text, strptime.ISO_DATE, "a date", arguments)
    return arrow.array(parsed.days.astype(np.int32), pa.int32(), mask=~parsed.good).cast(pa.date32())


def _time(strings: pa.Array, text: str | None = None, *, arguments: Arguments) -> pa.Array:
    parsed = _read(strings, text, strptime.ISO_TIME, "a time", arguments)
    return arrow.array(parsed.nanos // _MICROSECOND, mask=~parsed.good).cast(arguments.result)


def _datetime(strings: pa.Array, text: str | None = None, *, arguments: Arguments) -> pa.Array:
    """A written offset says the instant; without one the text is local time in the result's zone.

    In a result without a zone an offset has no place. Only a format that asks for it gets it reckoned to UTC.
    """
    parsed = _read(strings, text, strptime.ISO_DATETIME, "a timestamp", arguments)
    dtype = arguments.result
    if dtype.tz is None and text is None and parsed.zoned.any():
        row = int(np.argmax(parsed.zoned))
        if arguments.options.get("strict", True):
            raise KernelError(
                f"cannot read {strings[row].as_py()!r} as a timestamp without a zone: it has an offset from UTC",
                row,
                "time_zone='UTC' (or another) keeps the instant",
            )
        parsed.good[:] &= ~parsed.zoned
    ticks = ticks_of(parsed.days, parsed.nanos, dtype.unit, parsed.good)
    ticks = ticks - parsed.offset * NANOS[dtype.unit]
    naive = arrow.array(ticks, mask=~parsed.good).cast(pa.timestamp(dtype.unit))
    if dtype.tz is None:
        return naive
    if parsed.zoned.all():
        return naive.cast(dtype)
    local = localised(pc.if_else(arrow.array(parsed.zoned), arrow.scalar(None, naive.type), naive), dtype.tz)
    return pc.if_else(arrow.array(parsed.zoned), naive.cast(dtype), local)


def _integer(strings: pa.Array, *, arguments: Arguments) -> pa.Array:
    base = arguments.options.get("base", 10)
    strict = arguments.options.get("strict", True)
    assert isinstance(base, int)
    low, high = integer_bounds(INT64)

    def of_one(text: str) -> int | None:
        # Python also takes underscores and digits of other scripts.
        plain = re.fullmatch(r"\s*[+-]?[0-9A-Za-z]+\s*", text)
        try:
            number = int(text, base) if plain else None
        except ValueError:
            number = None
        if number is not None and low <= number <= high:
            return number
        if not strict:
            return None
        raise KernelError(f"cannot read {text!r} as a 64-bit integer in base {base}")

    return mapped(strings, of_one, pa.int64())


KERNELS: dict[str, Kernel] = {
    "parse_date": of_subject(_date),
    "parse_time": of_subject(_time),
    "parse_datetime": of_subject(_datetime),
    "parse_integer": of_columns(_integer),
}
