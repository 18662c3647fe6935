"""Key columns of every type, drawn by hypothesis, and what they mean in plain Python."""

from __future__ import annotations

import datetime as dt
import functools
import math
import struct
from decimal import Decimal

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

OTHER_NAN = struct.unpack("<d", struct.pack("<Q", 0xFFF8000000000123))[0]

FLOATS = st.sampled_from([0.0, -0.0, math.nan, OTHER_NAN, math.inf, -math.inf, 1.5, -1.5, 5e-324, -5e-324, 1e300])
SMALL_FLOATS = st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 1.5, -1.5, 0.25])
WORDS = [
    "",
    "a",
    "a\0",
    "a\0\0",
    "b",
    "aa",
    "é",
    "ü€",
    "\U0001f600",
    "\uffff",
    "1234567",
    "12345678",
    "12345678\0",
    "123456789",
    "abcdefghijklmnop",
    "abcdefghijklmnoq",
    "x" * 32,
    "x" * 33,
    "x" * 40 + "y",
    "z" * 130,
    "z" * 131,
]
STRINGS = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
BINARIES = STRINGS.map(str.encode) | st.binary(max_size=10)


def integers(bits: int, signed: bool) -> st.SearchStrategy[int]:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.integers(0, 5) | st.sampled_from([low, low + 1, high, high - 1]) | st.integers(low, high)


def decimals(digits: int, scale: int) -> st.SearchStrategy[Decimal]:
    limit = 10**digits - 1
    unscaled = st.integers(-3, 3) | st.sampled_from([limit, -limit]) | st.integers(-limit, limit)
    return unscaled.map(lambda value: Decimal((value < 0, tuple(map(int, str(abs(value)))), -scale)))


def _flat() -> list[tuple[pa.DataType, st.SearchStrategy]]:
    kinds: list[tuple[pa.DataType, st.SearchStrategy]] = [(pa.bool_(), st.booleans())]
    for bits in (8, 16, 32, 64):
        kinds.append((getattr(pa, f"int{bits}")(), integers(bits, True)))
        kinds.append((getattr(pa, f"uint{bits}")(), integers(bits, False)))
    kinds += [(pa.float64(), FLOATS), (pa.float32(), SMALL_FLOATS), (pa.float16(), SMALL_FLOATS)]
    kinds += [
        (pa.decimal32(7, 2), decimals(7, 2)),
        (pa.decimal64(15, 3), decimals(15, 3)),
        (pa.decimal128(38, 4), decimals(38, 4)),
        (pa.decimal128(12, 2), decimals(12, 2)),
        (pa.decimal256(70, 5), decimals(70, 5)),
    ]
    kinds += [(kind, STRINGS) for kind in (pa.string(), pa.large_string(), pa.string_view())]
    kinds += [(kind, BINARIES) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())]
    kinds += [(pa.binary(3), st.binary(min_size=3, max_size=3)), (pa.binary(9), st.binary(min_size=9, max_size=9))]
    kinds += [
        (pa.date32(), st.dates()),
        (pa.date64(), st.dates()),
        (pa.time32("s"), st.times().map(lambda time: time.replace(microsecond=0))),
        (pa.time64("us"), st.times()),
        (pa.timestamp("us"), st.datetimes()),
        (pa.timestamp("us", "Europe/Paris"), st.datetimes(timezones=st.just(dt.UTC))),
        (pa.duration("us"), st.timedeltas(dt.timedelta(-9999), dt.timedelta(9999))),
        (pa.null(), st.none()),
    ]
    return kinds


FLAT = _flat()


@st.composite
def kinds(draw: st.DrawFn, depth: int = 1) -> tuple[pa.DataType, st.SearchStrategy]:
    """A type and a strategy for its values."""
    choice = draw(st.integers(0, 9)) if depth else 0
    if choice < 7:
        return draw(st.sampled_from(FLAT))
    kind, values = draw(kinds(depth - 1))
    items = st.none() | values
    if choice == 7:
        other, other_values = draw(kinds(0))
        fields = pa.struct([("a", kind), ("b", other)])
        pairs = st.tuples(items, st.none() | other_values)
        return fields, pairs.map(lambda pair: {"a": pair[0], "b": pair[1]})
    if choice == 8:
        return pa.map_(pa.int8(), kind), st.lists(st.tuples(st.integers(0, 1), items), max_size=2)
    lists = st.lists(items, max_size=3)
    form = draw(st.sampled_from(["list", "large", "fixed"]))
    if form == "fixed":
        return pa.list_(kind, 2), st.lists(items, min_size=2, max_size=2)
    return (pa.list_ if form == "list" else pa.large_list)(kind), lists


@st.composite
def column_values(draw: st.DrawFn, kind_and_values: tuple, n: int) -> list:
    """Values of one column: often few distinct ones, often nulls."""
    _, values = kind_and_values
    pool = draw(st.lists(values, min_size=1, max_size=6))
    nulls = draw(st.booleans())
    item = st.sampled_from([*pool, None] if nulls else pool)
    return draw(st.lists(item, min_size=n, max_size=n))


@st.composite
def arrays(draw: st.DrawFn, kind: pa.DataType, values: list) -> pa.Array:
    """An array of these values in some physical form, often a slice."""
    before, after = draw(st.integers(0, 9)), draw(st.integers(0, 2))
    padding = values[:1] or [None]
    padded = padding * before + values + padding * after
    array = build(kind, padded)
    if dictionary_fits(kind) and draw(st.integers(0, 2)) == 0:
        array = as_dictionary(draw, kind, padded)
    return array.slice(before, len(values))


def dictionary_fits(kind: pa.DataType) -> bool:
    return not (pa.types.is_nested(kind) or pa.types.is_null(kind))


def as_dictionary(draw: st.DrawFn, kind: pa.DataType, values: list) -> pa.Array:
    """A dictionary whose values are repeated, in any order, with nulls among them and beside them."""
    entries = draw(st.permutations(values + values[: draw(st.integers(0, 3))] + [None]))
    places = [
        None if value is None and draw(st.booleans()) else draw(st.sampled_from(_places(entries, value)))
        for value in values
    ]
    return pa.DictionaryArray.from_arrays(
        pa.array(places, draw(st.sampled_from([pa.int16(), pa.uint32()]))), build(kind, entries)
    )


def _places(entries: list, value: object) -> list[int]:
    return [place for place, entry in enumerate(entries) if entry is value]


def build(kind: pa.DataType, values: list) -> pa.Array:
    if pa.types.is_floating(kind):
        # Through numpy, which keeps the bits of a NaN.
        floats = np.array([0.0 if value is None else value for value in values], dtype=f"f{kind.bit_width // 8}")
        return pa.array(floats, kind, mask=np.array([value is None for value in values], dtype=bool))
    return pa.array(values, kind)


def same(value: object) -> object:
    """A hashable stand-in that is equal exactly where the engine says that values are."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, list | tuple):
        return tuple(same(item) for item in value)
    if isinstance(value, dict):
        return tuple(same(item) for item in value.values())
    return value


def compare(left: object, right: object) -> int:
    """The engine's ascending order of values in which a null, only ever inside another value, is the greatest."""
    if left is None or right is None:
        return (left is None) - (right is None)
    if isinstance(left, dict):
        return compare(list(left.values()), list(right.values()))
    if isinstance(left, list | tuple):
        for a, b in zip(left, right, strict=False):
            if order := compare(a, b):
                return order
        return (len(left) > len(right)) - (len(left) < len(right))
    if isinstance(left, float):
        left, right = (
            (math.isnan(left), 0.0 if math.isnan(left) else left),
            (math.isnan(right), 0.0 if math.isnan(right) else right),
        )
    if isinstance(left, str):
        left, right = list(map(ord, left)), list(map(ord, right))
    return (left > right) - (left < right)


def compare_rows(left: tuple, right: tuple, descending: list[bool], nulls_first: list[bool]) -> int:
    for a, b, down, first in zip(left, right, descending, nulls_first, strict=True):
        if a is None or b is None:
            order = ((a is None) - (b is None)) * (-1 if first else 1)
        else:
            order = compare(a, b) * (-1 if down else 1)
        if order:
            return order
    return 0


def sorted_rows(columns: list[list], descending: list[bool], nulls_first: list[bool]) -> list[int]:
    rows = list(zip(*columns, strict=True))
    key = functools.cmp_to_key(lambda a, b: compare_rows(rows[a], rows[b], descending, nulls_first))
    return sorted(range(len(rows)), key=key)
