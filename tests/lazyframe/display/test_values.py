"""Values of every Arrow type as text."""

from __future__ import annotations

import math
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.display.values import format_values


def shown(array: pa.Array, **options: int) -> list[str | None]:
    return format_values(list(array), array.type, **options)


def stored(integers: list[int | None], dtype: pa.DataType) -> pa.Array:
    return pa.array(integers, pa.int64()).view(dtype)


def test_floats_of_a_column_share_their_decimals():
    assert shown(pa.array([1.0, 2.0])) == ["1.0", "2.0"]
    assert shown(pa.array([1.5, -2.125, None])) == ["1.500", "-2.125", None]
    assert shown(pa.array([0.1 + 0.2, 1 / 3])) == ["0.300000", "0.333333"]
    assert shown(pa.array([0.00123456789, 0.05])) == ["0.0012346", "0.0500000"]


def test_floats_that_are_no_numbers_infinite_or_negative_zero():
    assert shown(pa.array([math.nan, math.inf, -math.inf, -0.0])) == ["NaN", "inf", "-inf", "-0.0"]


def test_large_and_small_floats():
    assert shown(pa.array([123456.789, 1234567890.0])) == ["123456.79", "1234567890.00"]
    assert shown(pa.array([9007199254740992.0])) == ["9007199254740992.0"]
    assert shown(pa.array([6.02214076e23, 1e16, 1e-5, 1.0])) == ["6.02214e+23", "1e+16", "1e-05", "1.0"]


def test_narrow_floats_show_no_digits_of_their_widening():
    assert shown(pa.array([0.1, 16777216.0], pa.float32())) == ["0.1", "16777216.0"]
    assert shown(pa.array([0.1, 65504.0], pa.float16())) == ["0.1", "65504.0"]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_shown_floats_are_close_and_of_the_same_sign(numbers):
    for number, text in zip(numbers, shown(pa.array(numbers, pa.float64())), strict=True):
        # A column with a value of 0.1 or more has six decimals: 0.0001 then keeps its first three digits.
        assert float(text) == pytest.approx(number, rel=6e-3, abs=0)
        assert math.copysign(1, float(text)) == math.copysign(1, number)


def test_integers_and_decimals_are_shown_in_full():
    assert shown(pa.array([2**64 - 1, 0], pa.uint64())) == ["18446744073709551615", "0"]
    assert shown(pa.array([Decimal("1.50"), Decimal("-123456789012.25")], pa.decimal128(15, 2))) == [
        "1.50",
        "-123456789012.25",
    ]
    assert shown(pa.array([Decimal("1E+3")], pa.decimal128(5, -2))) == ["1000"]
    assert shown(pa.array([Decimal("1" * 45)], pa.decimal256(50, 2))) == ["1" * 45 + ".00"]
    assert shown(pa.array([Decimal("0.0000001")], pa.decimal64(9, 7))) == ["0.0000001"]


def test_timestamps_share_their_fraction():
    assert shown(stored([0, 1_356_998_400_000, None], pa.timestamp("ms"))) == [
        "1970-01-01 00:00:00",
        "2013-01-01 00:00:00",
        None,
    ]
    assert shown(stored([0, 1_500], pa.timestamp("us"))) == ["1970-01-01 00:00:00.000000", "1970-01-01 00:00:00.001500"]
    assert shown(stored([-1], pa.timestamp("ns"))) == ["1969-12-31 23:59:59.999999999"]


def test_zoned_timestamps_are_local_with_their_offset_on_both_sides_of_a_change_of_clocks():
    # Paris left summer time on 2024-10-27 at 01:00 UTC: 02:30 was there twice.
    zoned = stored([1_729_989_000, 1_729_992_600], pa.timestamp("s", "Europe/Paris"))
    assert shown(zoned) == ["2024-10-27 02:30:00+02:00", "2024-10-27 02:30:00+01:00"]
    assert shown(stored([0], pa.timestamp("s", "UTC"))) == ["1970-01-01 00:00:00Z"]
    assert shown(stored([0], pa.timestamp("s", "-03:30"))) == ["1969-12-31 20:30:00-03:30"]
    assert shown(stored([0], pa.timestamp("s", "Nowhere/Land"))) == ["1970-01-01 00:00:00Z"]


def test_times_beyond_the_calendar_of_datetime():
    assert shown(stored([253_402_300_800], pa.timestamp("s", "Europe/Paris"))) == ["10000-01-01 00:00:00Z"]
    assert shown(stored([-(2**63)], pa.timestamp("s"))) == ["-9223372036854775808 s"]
    assert shown(pa.array([2**31 - 1], pa.int32()).view(pa.date32())) == ["5881580-07-11"]


def test_dates_times_durations_and_intervals():
    assert shown(pa.array([15706, None], pa.int32()).view(pa.date32())) == ["2013-01-01", None]
    assert shown(stored([86_400_000, 86_400_001], pa.date64())) == ["1970-01-02", "1970-01-02 00:00:00.001"]
    assert shown(pa.array([86_399], pa.int32()).view(pa.time32("s"))) == ["23:59:59"]
    assert shown(stored([1, None], pa.time64("ns"))) == ["00:00:00.000000001", None]
    assert shown(stored([93_784, -1], pa.duration("s"))) == ["1d 02:03:04", "-00:00:01"]
    intervals = pa.array([pa.MonthDayNano([14, 3, 0]), pa.MonthDayNano([-1, 0, 5_000_000_000]), None])
    assert shown(intervals) == ["1y 2mo 3d", "-1mo 00:00:05", None]


@pytest.mark.parametrize("dtype", [pa.string(), pa.large_string(), pa.string_view()])
def test_texts(dtype):
    assert shown(pa.array(["é", "null", None, ""], dtype)) == ["é", '"null"', None, '""']
    assert shown(pa.array(["abcdefgh"], dtype), limit=3) == ["abc…"]


def test_bytes_that_are_not_utf8_in_a_text_column():
    offsets, data = pa.array([0, 3], pa.int32()).buffers()[1], pa.py_buffer(b"a\xffb")
    assert shown(pa.Array.from_buffers(pa.string(), 1, [None, offsets, data])) == ['"a\\xffb"']


@pytest.mark.parametrize("dtype", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_binary_is_hexadecimal_and_capped(dtype):
    assert shown(pa.array([b"", b"ab", None, b"\0" * 2000], dtype)) == [
        "0x",
        "0x6162",
        None,
        "0x" + "00" * 16 + "… 2,000 bytes",
    ]


@pytest.mark.parametrize(
    "dtype",
    [pa.list_(pa.int64()), pa.large_list(pa.int64()), pa.list_view(pa.int64()), pa.large_list_view(pa.int64())],
)
def test_lists(dtype):
    assert shown(pa.array([[1, None], [], None, list(range(1000))], dtype)) == [
        "[1, null]",
        "[]",
        None,
        "[0, 1, 2, 3, 4, 5, 6, 7, … 992 more]",
    ]


def test_nested_values():
    assert shown(pa.array([[1.5, 2.25]], pa.list_(pa.float64(), 2))) == ["[1.50, 2.25]"]
    assert shown(pa.array([{"a": 1, "b": "null"}, {"a": None, "b": None}, None])) == [
        '{a: 1, b: "null"}',
        "{a: null, b: null}",
        None,
    ]
    assert shown(pa.array([[("k", 1)], [("l", None)]], pa.map_(pa.string(), pa.int64()))) == ['{"k": 1}', '{"l": null}']
    assert shown(pa.array([[[[[[1]]]]]])) == ["[[[[[…]]]]]"]


def test_encodings_and_extensions_show_the_values_below():
    assert shown(pa.array(["a", None]).dictionary_encode()) == ["a", None]
    assert shown(pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([0.5, None]))) == ["0.5", None]
    assert shown(pc.run_end_encode(pa.array([1, 1, None]))) == ["1", "1", None]
    uuid = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(range(16)), None], pa.binary(16)))
    assert shown(uuid) == ["00010203-0405-0607-0809-0a0b0c0d0e0f", None]
    assert shown(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None], pa.int8()))) == ["true", None]
    assert shown(pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a":1}']))) == ['{"a":1}']
    tensor = pa.fixed_shape_tensor(pa.int8(), [2])
    assert shown(pa.ExtensionArray.from_storage(tensor, pa.array([[1, 2]], pa.list_(pa.int8(), 2)))) == ["[1, 2]"]


def test_unions_nulls_and_booleans():
    tags = pa.array([0, 1], pa.int8())
    assert shown(pa.UnionArray.from_sparse(tags, [pa.array([1, 2]), pa.array(["a", "b"])])) == ["1", "b"]
    dense = pa.UnionArray.from_dense(
        tags, pa.array([0, 0], pa.int32()), [pa.array([None], pa.int64()), pa.array(["b"])]
    )
    assert shown(dense) == [None, "b"]
    assert shown(pa.nulls(2)) == [None, None]
    assert shown(pa.array([True, False, None])) == ["true", "false", None]
