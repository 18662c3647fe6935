"""Types by name, the type that a layout means, and the least type that holds two."""

from __future__ import annotations

import datetime
import decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.planner.types import (
    canonical,
    common_type,
    decimal_type,
    integer_bounds,
    integer_digits,
    is_decimal,
    is_numeric,
    is_orderable,
    parse_type,
    token,
    type_name,
)


def item(dtype):
    return pa.list_(pa.field("item", dtype))


NAMES = [
    ("int64", pa.int64()), ("int", pa.int64()), ("INTEGER", pa.int32()), ("bigint", pa.int64()), ("smallint", pa.int16()),
    ("uint8", pa.uint8()), ("float", pa.float64()), ("double", pa.float64()), ("real", pa.float32()), (" str ", pa.string()),
    ("varchar", pa.string()), ("bytes", pa.binary()), ("bool", pa.bool_()), ("date", pa.date32()), ("null", pa.null()),
    ("datetime", pa.timestamp("us")), ("timestamp[ns]", pa.timestamp("ns")), ("datetime[ms]", pa.timestamp("ms")),
    ("timestamp[us, Europe/Paris]", pa.timestamp("us", "Europe/Paris")), ("timestamp[us, tz=UTC]", pa.timestamp("us", "UTC")),
    ("time", pa.time64("us")), ("time[s]", pa.time32("s")), ("time[ns]", pa.time64("ns")), ("duration", pa.duration("us")),
    ("duration[s]", pa.duration("s")), ("interval", pa.month_day_nano_interval()),
    ("decimal(15,2)", pa.decimal128(15, 2)), ("decimal( 15 , 2 )", pa.decimal128(15, 2)), ("numeric(5)", pa.decimal128(5, 0)),
    ("decimal128(38, 38)", pa.decimal128(38, 38)), ("list<int64>", item(pa.int64())), ("list[list<str>]", item(item(pa.string()))),
    ("map<str, int64>", pa.map_(pa.string(), pa.int64())),
    ("struct<a: int64, b: list<decimal(3,1)>>", pa.struct([("a", pa.int64()), ("b", item(pa.decimal128(3, 1)))])),
]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), NAMES)
def test_types_by_name(name, dtype):
    assert parse_type(name) == dtype


@pytest.mark.parametrize("dtype", list(dict.fromkeys(dtype for _, dtype in NAMES)))
def test_a_type_is_parsed_from_the_name_it_is_shown_by(dtype):
    assert parse_type(type_name(dtype)) == dtype


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        (int, pa.int64()), (float, pa.float64()), (str, pa.string()), (bytes, pa.binary()), (bool, pa.bool_()),
        (datetime.date, pa.date32()), (datetime.datetime, pa.timestamp("us")), (datetime.time, pa.time64("us")),
        (datetime.timedelta, pa.duration("us")), (decimal.Decimal, pa.decimal128(38, 9)), (type(None), pa.null()),
        (pa.large_string(), pa.string()), (pa.int8(), pa.int8()),
    ],
)  # fmt: skip
def test_types_by_python_and_arrow_types(kind, dtype):
    assert parse_type(kind) == dtype


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("intt64", "no type named 'intt64'; did you mean 'int64'"),
        ("decimal(39,2)", "1 to 38 digits"),
        ("decimal(0)", "1 to 38 digits"),
        ("decimal(3,4)", "1 to 38 digits"),
        ("decimal(3,-1)", "1 to 38 digits"),
        ("timestamp[xs]", "no type named"),
        ("map<str>", "no type named"),
        ("struct<a>", "no type named"),
        ("list<what>", "no type named 'what'"),
        (3, "not a type: 3"),
        (list, "not a type"),
        (pa.decimal256(60, 2), "more than 38 digits"),
    ],
)
def test_what_names_no_type(spec, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        parse_type(spec)


@pytest.mark.parametrize(
    ("physical", "meant"),
    [
        (pa.large_string(), pa.string()),
        (pa.string_view(), pa.string()),
        (pa.dictionary(pa.int8(), pa.large_string()), pa.string()),
        (pa.dictionary(pa.int32(), pa.int64()), pa.int64()),
        (pa.run_end_encoded(pa.int32(), pa.string_view()), pa.string()),
        (pa.large_binary(), pa.binary()),
        (pa.binary_view(), pa.binary()),
        (pa.binary(16), pa.binary()),
        (pa.uuid(), pa.binary()),
        (pa.float16(), pa.float32()),
        (pa.date64(), pa.date32()),
        (pa.decimal256(20, 3), pa.decimal128(20, 3)),
        (pa.decimal32(5, 2), pa.decimal128(5, 2)),
        (pa.large_list(pa.large_string()), item(pa.string())),
        (pa.list_(pa.int8(), 3), item(pa.int8())),
        (pa.list_view(pa.int8()), item(pa.int8())),
        (pa.list_(pa.field("element", pa.int8(), nullable=False)), item(pa.int8())),
        (pa.struct([pa.field("a", pa.string_view(), nullable=False)]), pa.struct([pa.field("a", pa.string())])),
        (pa.map_(pa.large_string(), pa.date64()), pa.map_(pa.string(), pa.date32())),
    ],
)
def test_one_meaning_has_one_type(physical, meant):
    assert canonical(physical) == meant
    assert canonical(meant) == meant
    assert token(canonical(physical)) == token(meant)


@pytest.mark.parametrize("strange", [pa.sparse_union([pa.field("a", pa.int8())]), pa.decimal256(60, 2)])
def test_types_that_are_not_ours(strange):
    with pytest.raises(ValueError, match="not supported"):
        canonical(strange)


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        ("int8", "int16", "int16"), ("int8", "uint8", "int16"), ("uint8", "uint32", "uint32"), ("int64", "uint32", "int64"),
        ("int32", "uint32", "int64"), ("int64", "uint64", "decimal(20,0)"), ("int8", "uint64", "decimal(20,0)"),
        ("int8", "float32", "float32"), ("uint16", "float32", "float32"), ("int32", "float32", "float64"),
        ("int64", "float64", "float64"), ("float32", "float64", "float64"),
        ("decimal(10,2)", "decimal(5,4)", "decimal(12,4)"), ("decimal(5,2)", "int8", "decimal(5,2)"),
        ("decimal(5,2)", "int64", "decimal(21,2)"), ("decimal(5,2)", "uint64", "decimal(22,2)"), ("decimal(5,2)", "float32", "float64"),
        ("null", "string", "string"), ("date", "timestamp[ns]", "timestamp[ns]"), ("date", "timestamp[s, UTC]", "timestamp[s, UTC]"),
        ("timestamp[s]", "timestamp[ms]", "timestamp[ms]"),
        ("timestamp[s, Europe/Paris]", "timestamp[us, Asia/Tokyo]", "timestamp[us, UTC]"), ("timestamp[us]", "timestamp[us, UTC]", None),
        ("duration[s]", "duration[ns]", "duration[ns]"), ("time[s]", "time[us]", "time[us]"), ("time[s]", "time[ms]", "time[ms]"),
        ("list<int8>", "list<int16>", "list<int16>"), ("list<int8>", "list<string>", None),
        ("struct<a: int8>", "struct<a: float64>", "struct<a: float64>"), ("struct<a: int8>", "struct<b: int8>", None),
        ("map<str, int8>", "map<str, int16>", "map<str, int16>"), ("string", "int64", None), ("bool", "int8", None),
        ("string", "bytes", None), ("date", "time", None),
    ],
)  # fmt: skip
def test_the_least_type_that_holds_both(a, b, both):
    expected = None if both is None else parse_type(both)
    assert common_type(parse_type(a), parse_type(b)) == expected
    assert common_type(parse_type(b), parse_type(a)) == expected


SIMPLE = [parse_type(n) for n in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bool", "string", "date", "null", "time[s]", "time[ns]", "timestamp[s]", "timestamp[ns]", "timestamp[us,UTC]", "duration[ms]", "duration[us]", "interval", "bytes"]]  # fmt: skip
DECIMALS = st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: decimal_type(p, s)))
TYPES = st.recursive(
    st.one_of(st.sampled_from(SIMPLE), DECIMALS),
    lambda inner: st.one_of(inner.map(item), inner.map(lambda t: pa.struct([pa.field("a", t)]))),
    max_leaves=3,
)


@given(TYPES, TYPES)
def test_common_types_do_not_depend_on_the_order(a, b):
    assert common_type(a, b) == common_type(b, a)
    assert common_type(a, a) == a


@given(TYPES, TYPES)
def test_a_common_type_absorbs_what_it_was_made_of(a, b):
    both = common_type(a, b)
    if both is not None and not (is_decimal(both) and both.precision == 38):
        assert common_type(a, both) == both
        assert common_type(both, both) == both


INTEGERS = [t for t in SIMPLE if pa.types.is_integer(t)]
EXACT = st.one_of(
    st.sampled_from(INTEGERS), st.integers(1, 12).flatmap(lambda p: st.integers(0, p).map(lambda s: decimal_type(p, s)))
)


@given(st.sampled_from(INTEGERS), st.sampled_from(INTEGERS), st.sampled_from(INTEGERS))
def test_common_types_of_integers_hold_their_values(a, b, c):
    def bounds(t):
        if is_decimal(t):
            return -(10**t.precision) + 1, 10**t.precision - 1
        return integer_bounds(t)

    both = common_type(a, b)
    low, high = bounds(both)
    for t in (a, b):
        assert low <= bounds(t)[0]
        assert bounds(t)[1] <= high
    # In whatever order three meet, the result holds them all.
    whole = bounds(common_type(common_type(a, b), c))
    assert whole[0] <= min(bounds(t)[0] for t in (a, b, c))
    assert whole[1] >= max(bounds(t)[1] for t in (a, b, c))


@given(TYPES)
def test_names_and_tokens_tell_types_apart(t):
    assert parse_type(type_name(t)) == t
    assert canonical(t) == t


@given(TYPES, TYPES)
def test_tokens_are_equal_only_for_equal_types(a, b):
    assert (token(a) == token(b)) == (a == b)


def test_tokens_of_structs_cannot_be_forged_by_names():
    forged = pa.struct([pa.field("a=int64,1:b", pa.int64())])
    assert token(forged) != token(pa.struct([pa.field("a", pa.int64()), pa.field("b", pa.int64())]))


def test_digits_and_bounds():
    assert integer_bounds(pa.int8()) == (-128, 127)
    assert integer_bounds(pa.uint64()) == (0, 2**64 - 1)
    for t in INTEGERS:
        assert len(str(integer_bounds(t)[1])) == integer_digits(t)
    assert is_numeric(pa.decimal128(3, 1))
    assert not is_numeric(pa.bool_())
    assert is_orderable(pa.string())
    assert not is_orderable(pa.month_day_nano_interval())


def test_structs_meet_by_the_names_of_their_fields():
    a = pa.struct([("x", pa.int8()), ("y", pa.string())])
    b = pa.struct([("y", pa.string()), ("x", pa.int64())])
    assert common_type(a, b) == pa.struct([("x", pa.int64()), ("y", pa.string())])
    assert common_type(a, pa.struct([("x", pa.int8())])) is None
