"""Casts from text. Space around a value does not matter.

Arrow's parsers read what is written plainly; where they refuse, each different text is looked at once more by the rules here:
underscores between digits, exponents, fractions that are whole (`1e3` is an integer, `1.5` is none), words for booleans,
dates with slashes or single digits, times without seconds, offsets from UTC.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.cast_numbers import Conversion
from lazyframe.executors.vectorized.functions.layout import INTERVAL_PARTS, arrow_array, joint_validity
from lazyframe.executors.vectorized.functions.unscaled import decimal_of
from lazyframe.executors.vectorized.local_time import TICKS, ticks_of_day, to_instant
from lazyframe.executors.vectorized.read_times import read_moment, read_span, read_time
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import (
    DataType,
    integer_bounds,
    is_binary,
    is_bool,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_interval,
    is_time,
    is_timestamp,
)

_WORDS = dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True) | dict.fromkeys(
    ("false", "f", "no", "n", "off", "0"), False
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?", re.ASCII)
_HEXADECIMAL = re.compile(r"([+-]?)0[xX]([0-9a-fA-F]+)")
_SPECIAL = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_ROUND = decimal.Context(prec=200, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, rounding=decimal.ROUND_HALF_UP)
_I64 = np.iinfo(np.int64)
_DIGITS = 38  # as many as any 128-bit integer holds


def read_text(array: pa.Array, target: DataType) -> Conversion:
    """Cast strings to any type that is not nested."""
    if is_binary(target):
        return array.cast(target), None
    trimmed = pc.utf8_trim_whitespace(array)
    if is_bool(target):
        return _each(trimmed, target, lambda text: _WORDS.get(text.lower()))
    if is_integer(target):
        # Arrow reads hexadecimal digits as the bits of a number, which makes 0xFF a negative int8.
        plain = not pc.any(pc.match_substring(trimmed, "x", ignore_case=True)).as_py()
        return _read(trimmed, target, lambda text: read_integer(text, target), plain=plain)
    if is_float(target):
        return _read(trimmed, target, read_float)
    if is_decimal(target):
        return _read(
            trimmed, target, lambda text: read_decimal(text, target), plain=arrow_reads_decimals(trimmed, target)
        )
    if is_date(target):
        return _read(trimmed, target, _read_days)
    if is_time(target):
        return _each(trimmed, target, lambda text: read_time(text, target.unit))
    if is_timestamp(target):
        return _read_timestamps(trimmed, target)
    if is_duration(target):
        return _each(trimmed, target, lambda text: read_duration(text, target.unit))
    assert is_interval(target)
    return _read_intervals(trimmed)


def _read(array: pa.Array, target: DataType, parse: Callable[[str], Any], *, plain: bool = True) -> Conversion:
    if plain:
        try:
            return array.cast(target), None
        except pa.ArrowInvalid:
            pass
    return _each(array, target, parse)


def _each(array: pa.Array, target: DataType, parse: Callable[[str], Any]) -> Conversion:
    """Each different text read by `parse`, which gives None for what it can't read."""
    encoded = pc.dictionary_encode(array)
    parsed = [parse(text) for text in encoded.dictionary.to_pylist()]
    entries = arrow.array(parsed, _storage(target)).cast(target)
    return pc.array_take(entries, encoded.indices), _unread(parsed, encoded)


def _unread(parsed: list[Any], encoded: pa.DictionaryArray) -> np.ndarray | None:
    unread = np.array([p is None for p in parsed], dtype=np.bool_)
    if not unread.any():
        return None
    return unread.take(arrow.numpy_of(pc.fill_null(encoded.indices, 0)))


def _storage(target: DataType) -> DataType:
    """The type from whose values Python's integers become the type's own."""
    if is_date(target) or is_time(target):
        return pa.int32() if target.bit_width == 32 else pa.int64()
    return pa.int64() if is_duration(target) else target


def read_integer(text: str, target: DataType) -> int | None:
    """An integer of the type, or None."""
    if m := _HEXADECIMAL.fullmatch(text):
        value = int(m[1] + m[2], 16) if len(m[2]) <= 40 else None
    else:
        number = _number(text)
        value = int(number) if number is not None and abs(number.adjusted()) < 40 and number == int(number) else None
        if number is not None and not number:
            value = 0
    least, greatest = integer_bounds(target)
    return value if value is not None and least <= value <= greatest else None


def _number(text: str) -> decimal.Decimal | None:
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return decimal.Decimal(text.replace("_", ""))
    except decimal.InvalidOperation:
        return None


def read_float(text: str) -> float | None:
    """The nearest float, or None."""
    if not _NUMBER.fullmatch(text) and not _SPECIAL.fullmatch(text):
        return None
    return float(text.replace("_", ""))


def arrow_reads_decimals(texts: pa.Array | pa.ChunkedArray, target: DataType) -> bool:
    """Whether no text can have more digits, once it is scaled, than Arrow's parser holds: those it would wrap around."""
    if target.bit_width != 128:
        return False
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    return longest + target.scale <= _DIGITS and not pc.any(pc.match_substring(texts, "e", ignore_case=True)).as_py()


def read_decimal(text: str, target: DataType) -> decimal.Decimal | None:
    """A decimal of the type, rounded half away from zero, or None."""
    number = _number(text)
    if number is None:
        return None
    if not number or number.adjusted() < -target.scale - 1:
        return decimal.Decimal(0)
    if number.adjusted() > 40:
        return None
    # Digits after the precision of the context would round twice.
    context = (
        _ROUND
        if len(number.as_tuple().digits) < 150
        else decimal.Context(prec=len(text) + 50, rounding=_ROUND.rounding)
    )
    unscaled = int(number.scaleb(target.scale, context).to_integral_value(decimal.ROUND_HALF_UP, context))
    return decimal_of(unscaled, target.scale) if abs(unscaled) < 10**target.precision else None


def _read_days(text: str) -> int | None:
    moment = read_moment(text, "s")
    return None if moment is None else moment.days


def read_duration(text: str, unit: str) -> int | None:
    """Ticks of a span that has no months, or None."""
    span = read_span(text)
    if span is None or span.months:
        return None
    nanos = span.days * ticks_of_day("ns") + span.nanos
    per_tick = 10**9 // TICKS[unit]
    ticks = abs(nanos) // per_tick * (-1 if nanos < 0 else 1)
    return ticks if _I64.min <= ticks <= _I64.max else None


def _read_timestamps(array: pa.Array, target: DataType) -> Conversion:
    """A written offset gives the instant where the type has a zone. Where it has none, it is not dropped: such a text is none."""
    try:
        return array.cast(target), None
    except pa.ArrowInvalid:
        pass
    encoded = pc.dictionary_encode(array)
    moments = [read_moment(text, target.unit) for text in encoded.dictionary.to_pylist()]
    day, second = ticks_of_day(target.unit), TICKS[target.unit]
    local: list[int | None] = []
    instants: list[int | None] = []
    for moment in moments:
        if moment is None or (moment.offset is not None and target.tz is None):
            local.append(None)
            instants.append(None)
            continue
        zoned = moment.offset is not None
        count = moment.days * day + moment.ticks - (moment.offset or 0) * second
        ticks = count if _I64.min <= count <= _I64.max else None
        local.append(None if zoned else ticks)
        instants.append(ticks if zoned else None)
    shown = to_instant(arrow.array(local, pa.int64()).cast(pa.timestamp(target.unit)), target.tz)
    entries = pc.coalesce(shown, arrow.array(instants, pa.int64()).cast(target))
    read = [None if null else True for null in entries.is_null().to_pylist()]
    return pc.array_take(entries, encoded.indices), _unread(read, encoded)


def _read_intervals(array: pa.Array) -> Conversion:
    encoded = pc.dictionary_encode(array)
    spans = [read_span(text) for text in encoded.dictionary.to_pylist()]
    records = np.zeros(len(spans), INTERVAL_PARTS)
    limits = [(name, np.iinfo(INTERVAL_PARTS[name])) for name in ("months", "days", "nanos")]
    for row, span in enumerate(spans):
        if span is None or any(
            not limit.min <= part <= limit.max for part, (_, limit) in zip(span, limits, strict=True)
        ):
            spans[row] = None
        else:
            records[row] = tuple(span)
    rows = arrow.numpy_of(pc.fill_null(encoded.indices, 0))
    taken = records.take(rows) if len(records) else np.zeros(len(array), INTERVAL_PARTS)
    return arrow_array(taken, pa.month_day_nano_interval(), joint_validity([array])), _unread(spans, encoded)
