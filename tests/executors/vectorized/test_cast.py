# ruff: noqa: DTZ001 - timestamps without a zone are what this is about

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Context, Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyframe.executors.batch import decoded
from lazyframe.executors.vectorized.cast import cast_value
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.planner.functions.definition import cast_is_allowed, cast_is_total
from lazyframe.planner.types import integer_bounds, parse_type, type_name

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
PARIS = ZoneInfo("Europe/Paris")
ROOMY = Context(prec=100)
DUCKDB = duckdb.connect()


def cast(values, source, target, **options):
    source, target = parse_type(source), parse_type(target)
    assert cast_is_allowed(source, target)
    array = values if isinstance(values, pa.Array) else pa.array(values, source)
    result = decoded(cast_value(array, source, target, **options), target)
    result.validate(full=True)
    assert result.type == target
    return result.to_pylist()


def refused(values, source, target, message, row=0, **options):
    with pytest.raises(KernelError) as caught:
        cast(values, source, target, **options)
    assert caught.value.message == message
    assert caught.value.row == row
    assert not cast_is_total(parse_type(source), parse_type(target))


def half_away(value: Fraction) -> int:
    magnitude = math.floor(abs(value) + Fraction(1, 2))
    return -magnitude if value < 0 else magnitude


@given(st.sampled_from(INTEGERS), st.sampled_from(INTEGERS), st.data())
def test_integers_fit_or_not(source, target, data):
    low, high = integer_bounds(parse_type(source))
    least, greatest = integer_bounds(parse_type(target))
    edges = [e for e in (low, high, least, greatest, least - 1, greatest + 1, 0) if low <= e <= high]
    values = data.draw(st.lists(st.none() | st.sampled_from(edges) | st.integers(low, high), min_size=1, max_size=5))
    fitting = [v if v is not None and least <= v <= greatest else None for v in values]
    assert cast(values, source, target, lenient=True) == fitting
    bad = [row for row, v in enumerate(values) if v is not None and not least <= v <= greatest]
    if bad:
        refused(values, source, target, f"{values[bad[0]]} does not fit in {target}", bad[0])
    else:
        assert cast(values, source, target) == values


@given(st.sampled_from(INTEGERS), st.lists(st.none() | st.floats(), min_size=1, max_size=5), st.booleans())
def test_floats_become_integers(target, values, rounds):
    least, greatest = integer_bounds(parse_type(target))

    def whole(value):
        if value is None or not math.isfinite(value):
            return None
        number = round(value) if rounds else int(value)
        return number if least <= number <= greatest else None

    rounding = "half_even" if rounds else "truncate"
    assert cast(values, "float64", target, lenient=True, rounding=rounding) == [whole(v) for v in values]


def test_floats_at_the_edge_of_integers():
    refused([1.0, float(2**63)], "float64", "int64", "9.223372036854776e+18 does not fit in int64", 1)
    assert cast([-float(2**63)], "float64", "int64") == [-(2**63)]
    refused([math.nan], "float64", "int8", "nan does not fit in int8")
    refused([-math.inf], "float64", "int8", "-inf does not fit in int8")
    assert cast([-0.9, 127.9, -128.9], "float64", "int8") == [0, 127, -128]
    assert cast([0.5, 1.5, 2.5, -2.5], "float64", "int8", rounding="half_even") == [0, 2, 2, -2]
    refused([127.5], "float64", "int8", "127.5 does not fit in int8", rounding="half_even")
    assert cast([1e300, 0.1], "float64", "float32") == [math.inf, float(np.float32(0.1))]


@st.composite
def decimal_values(draw):
    precision = draw(st.integers(1, 38))
    scale = draw(st.integers(0, precision))
    limit = 10**precision - 1
    numbers = draw(
        st.lists(
            st.none() | st.integers(-limit, limit) | st.integers(-min(limit, 99), min(limit, 99)),
            min_size=1,
            max_size=4,
        )
    )
    return pa.decimal128(precision, scale), numbers


@given(decimal_values(), decimal_values(), st.booleans())
def test_decimals_change_scale_exactly(source, target, encoded):
    (kind, numbers), (to, _) = source, target
    if encoded and all(n is None or abs(n) < 2**63 for n in numbers):
        column = pa.array(numbers, pa.int64())
    else:
        column = pa.array([None if n is None else Decimal(n).scaleb(-kind.scale, ROOMY) for n in numbers], kind)

    def rescaled(number):
        if number is None:
            return None
        value = half_away(Fraction(number, 10**kind.scale) * 10**to.scale)
        return Decimal(value).scaleb(-to.scale, ROOMY) if abs(value) < 10**to.precision else None

    wanted = [rescaled(n) for n in numbers]
    assert cast(column, kind, to, lenient=True) == wanted
    if None not in [w for w, n in zip(wanted, numbers, strict=True) if n is not None]:
        assert cast(column, kind, to) == wanted
    else:
        with pytest.raises(KernelError, match="does not fit in decimal"):
            cast(column, kind, to)


@given(decimal_values(), st.sampled_from(INTEGERS), st.booleans())
def test_decimals_to_other_numbers(source, target, rounds):
    kind, numbers = source
    column = pa.array([None if n is None else Decimal(n).scaleb(-kind.scale, ROOMY) for n in numbers], kind)
    least, greatest = integer_bounds(parse_type(target))
    exact = [None if n is None else Fraction(n, 10**kind.scale) for n in numbers]
    whole = [None if e is None else half_away(e) if rounds else int(e) for e in exact]
    fitting = [w if w is not None and least <= w <= greatest else None for w in whole]
    assert cast(column, kind, target, lenient=True, rounding="half_even" if rounds else "truncate") == fitting
    assert cast(column, kind, "float64") == [None if n is None else n / 10**kind.scale for n in numbers]
    assert cast(column, kind, "bool") == [None if n is None else n != 0 for n in numbers]
    assert cast(cast_value(column, kind, pa.string()), "string", kind) == column.to_pylist()


@given(
    st.lists(st.floats(-1e15, 1e15) | st.integers(-(10**6), 10**6).map(lambda n: n / 1000), min_size=1),
    st.integers(0, 25),
)
def test_floats_become_decimals_by_their_exact_value(values, scale):
    kind = pa.decimal128(38, scale)
    fits = [abs(v) < 10 ** (38 - scale) for v in values]
    got = cast(values, "float64", kind, lenient=True)
    for value, fit, result in zip(values, fits, got, strict=True):
        whole = half_away(Fraction(value) * 10**scale)
        assert result == (Decimal(whole).scaleb(-scale, ROOMY) if fit and abs(whole) < 10**38 else None)


def test_numbers_to_decimals():
    assert cast([5, None], "int8", "decimal(3,1)") == [Decimal("5.0"), None]
    refused([5, 100], "int16", "decimal(3,1)", "100 does not fit in decimal(3,1)", 1)
    assert cast([2**64 - 1], "uint64", "decimal(20,0)") == [Decimal(2**64 - 1)]
    assert cast([1.255, 2.5, -2.5], "float64", "decimal(4,2)") == [Decimal("1.25"), Decimal("2.50"), Decimal("-2.50")]
    refused([math.nan], "float64", "decimal(4,2)", "nan does not fit in decimal(4,2)")
    assert cast([True, None], "bool", "decimal(2,1)") == [Decimal(1), None]
    assert cast([1e30], "float64", "decimal(38,0)") == [Decimal(1000000000000000019884624838656)]


def test_booleans():
    assert cast([True, False, None], "bool", "int8") == [1, 0, None]
    assert cast([True], "bool", "uint8") == [1]
    assert cast([True], "bool", "float64") == [1.0]
    assert cast([2, 0, None], "int64", "bool") == [True, False, None]
    assert cast([0.5, -0.0, math.nan], "float64", "bool") == [True, False, True]


@pytest.mark.parametrize(
    ("text", "target", "value"),
    [
        (" 12 ", "int64", 12), ("-5", "int8", -5), ("+5", "int8", 5), ("1e3", "int32", 1000), ("1_000", "int64", 1000),
        ("0x1F", "int64", 31), ("2.0", "int64", 2), ("0e99999", "int64", 0), ("18446744073709551615", "uint64", 2**64 - 1),
        ("1.5", "float64", 1.5), (" .5", "float64", 0.5), ("1.", "float64", 1.0), ("-inf", "float64", -math.inf),
        ("1_0.5", "float64", 10.5), ("1e400", "float64", math.inf), ("0.1", "float32", float(np.float32(0.1))),
        ("1.255", "decimal(4,2)", Decimal("1.26")), ("-1.255", "decimal(4,2)", Decimal("-1.26")),
        ("1e2", "decimal(5,2)", Decimal(100)), ("0.0049999999999999999999999999", "decimal(4,2)", Decimal("0.00")),
        ("9" * 38, "decimal(38,0)", Decimal("9" * 38)), ("1e-99999", "decimal(4,2)", Decimal(0)),
        ("t", "bool", True), ("TRUE", "bool", True), ("no", "bool", False), ("0", "bool", False), (" off ", "bool", False),
        ("2024-01-31", "date", dt.date(2024, 1, 31)), ("2024-1-3", "date", dt.date(2024, 1, 3)),
        ("2024/01/03", "date", dt.date(2024, 1, 3)), ("2024-01-03 10:00:00", "date", dt.date(2024, 1, 3)),
        ("2024-01-03", "timestamp", dt.datetime(2024, 1, 3)), ("2024-01-03 10:11", "timestamp", dt.datetime(2024, 1, 3, 10, 11)),
        ("2024-01-03T10:11:12.1234567", "timestamp", dt.datetime(2024, 1, 3, 10, 11, 12, 123456)),
        ("1969-12-31 23:59:59.5", "timestamp", dt.datetime(1969, 12, 31, 23, 59, 59, 500000)),
        ("2024-01-03 10:11:12Z", "timestamp[us, UTC]", dt.datetime(2024, 1, 3, 10, 11, 12, tzinfo=dt.UTC)),
        ("0" * 40 + "1" * 36, "decimal(38,2)", Decimal("1" * 36)), ("-" + "9" * 36 + ".99", "decimal(38,2)", Decimal("-" + "9" * 36 + ".99")),
        ("2024-01-03 10:11:12+02", "timestamp[us, Europe/Paris]", dt.datetime(2024, 1, 3, 9, 11, 12, tzinfo=PARIS)),
        ("2024-01-03 10:11:12", "timestamp[us, Europe/Paris]", dt.datetime(2024, 1, 3, 10, 11, 12, tzinfo=PARIS)),
        ("12:34", "time", dt.time(12, 34)), ("12:34:56.123456789", "time", dt.time(12, 34, 56, 123456)),
        ("1 day 03:00", "duration", dt.timedelta(days=1, hours=3)), ("-2 weeks", "duration", dt.timedelta(-14)),
        ("1.5 hours", "duration", dt.timedelta(hours=1.5)), ("1 month 2 days", "interval", pa.MonthDayNano([1, 2, 0])),
        ("é", "binary", "é".encode()),
    ],
)  # fmt: skip
def test_reading_text(text, target, value):
    assert cast([None, text], "string", target) == [None, value]
    assert cast([text, "?", text] if target != "binary" else [text], "string", target, lenient=True)[0] == value
    assert cast(pa.array([text, None]).dictionary_encode(), "string", target) == [value, None]
    assert cast_value(pa.scalar(text), pa.string(), parse_type(target)).as_py() == value


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("abc", "int64"), ("", "int64"), ("1.5", "int64"), ("300", "int8"), ("-1", "uint8"), ("0xFF", "int8"), ("1__0", "int64"),
        ("٣", "int64"), ("1e99999999", "int64"), ("nan", "int64"), ("1,5", "float64"), ("", "float64"), ("1e", "float64"),
        ("1000", "decimal(5,2)"), ("nan", "decimal(5,2)"), ("999.995", "decimal(5,2)"), ("1e999999", "decimal(5,2)"),
        ("1" * 39, "decimal(38,0)"), ("1" * 40, "decimal(38,0)"), ("9" * 38, "decimal(38,2)"), ("9" * 37 + ".99", "decimal(38,2)"),
        ("maybe", "bool"), ("2", "bool"), ("2024-02-30", "date"), ("20240103", "date"), ("2024-01/03", "date"), ("", "date"),
        ("2024-01-03 25:00", "timestamp"), ("2024-01-03 10:11+99", "timestamp[us, UTC]"), ("3000-01-01", "timestamp[ns]"),
        ("24:00", "time"), ("12:60", "time"), ("1 month", "duration"), ("3 parsecs", "duration"), ("", "interval"),
        ("0.5 months", "interval"),
    ],
)  # fmt: skip
def test_text_that_cannot_be_read(text, target):
    refused([None, text], "string", target, f"cannot read {text!r} as {type_name(parse_type(target))}", 1)
    assert cast([text, None], "string", target, lenient=True) == [None, None]


@given(st.floats(), st.floats(width=32))
def test_floats_survive_text(double, single):
    for value, kind in ((double, pa.float64()), (single, pa.float32())):
        back = cast(cast_value(pa.array([value], kind), kind, pa.string()), "string", kind)
        assert np.array_equal(np.array(back), np.array([value]), equal_nan=True)


@pytest.mark.parametrize(
    ("values", "source", "texts"),
    [
        ([1, -2, None], "int64", ["1", "-2", None]),
        ([1.0, 0.1, 1e20, 1e-7, 1e16, math.nan], "float64", ["1.0", "0.1", "1e+20", "1e-07", "1e+16", "nan"]),
        ([0.1, 16777216.0], "float32", ["0.1", "16777216.0"]),
        ([True, False, None], "bool", ["true", "false", None]),
        ([Decimal("0.05"), Decimal("-1.50"), None], "decimal(5,2)", ["0.05", "-1.50", None]),
        ([Decimal("1E-30")], "decimal(38,30)", ["0." + "0" * 29 + "1"]),
        ([Decimal(12)], "decimal(5,0)", ["12"]),
        ([dt.date(2024, 1, 3)], "date", ["2024-01-03"]),
        ([dt.datetime(2024, 1, 1, 10), dt.datetime(2024, 1, 1, 10, 0, 0, 500000)], "timestamp", ["2024-01-01 10:00:00", "2024-01-01 10:00:00.5"]),
        ([dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC)], "timestamp[us, Asia/Kolkata]", ["2024-07-01 15:30:00+05:30"]),
        ([dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC)], "timestamp[us, America/New_York]", ["2024-07-01 06:00:00-04"]),
        ([dt.time(10, 0, 1, 500000), dt.time(10)], "time", ["10:00:01.5", "10:00:00"]),
        ([dt.timedelta(days=1, hours=3), dt.timedelta(seconds=-1), dt.timedelta(0)], "duration", ["1 day 03:00:00", "-00:00:01", "00:00:00"]),
        ([pa.MonthDayNano([14, 0, 0]), pa.MonthDayNano([0, 2, 10**9])], "interval", ["1 year 2 months", "2 days 00:00:01"]),
        ([[1, None], [], None], "list<int64>", ["[1, NULL]", "[]", None]),
        ([{"a": 1, "b": "x"}, None], "struct<a: int64, b: string>", ["{'a': 1, 'b': x}", None]),
        ([[("k", [1])], None], "map<string, list<int64>>", ["{k=[1]}", None]),
        ([b"ab", None], "binary", ["ab", None]),
    ],
)  # fmt: skip
def test_writing_text(values, source, texts):
    assert cast(values, source, "string") == texts
    assert cast(pa.array(values, parse_type(source)).slice(1), source, "string") == texts[1:]


@settings(max_examples=30)
@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=20),
    st.lists(st.datetimes(dt.datetime(1900, 1, 1)), min_size=1, max_size=5),
)
def test_text_is_as_in_duckdb(floats, moments):
    for values, kind in ((floats, pa.float64()), (moments, pa.timestamp("us"))):
        DUCKDB.register("t", pa.table({"x": pa.array(values, kind)}))
        assert cast(values, kind, "string") == [row[0] for row in DUCKDB.execute("select x::varchar from t").fetchall()]


def test_bytes_that_are_no_text():
    refused([b"ab", b"\xff"], "binary", "string", "b'\\xff' is no text in UTF-8", 1)
    assert cast([b"ab", b"\xff"], "binary", "string", lenient=True) == ["ab", None]


def test_dates_and_timestamps():
    day = dt.date(2024, 1, 31)
    assert cast([day, None], "date", "timestamp") == [dt.datetime(2024, 1, 31), None]
    assert cast([day], "date", "timestamp[us, Europe/Paris]") == [dt.datetime(2024, 1, 31, tzinfo=PARIS)]
    refused([dt.date(2500, 1, 1)], "date", "timestamp[ns]", "2500-01-01 does not fit in timestamp[ns]")
    assert cast([dt.datetime(1969, 12, 31, 23)], "timestamp", "date") == [dt.date(1969, 12, 31)]
    late = [dt.datetime(2024, 1, 1, 23, 30, tzinfo=dt.UTC)]
    zone = "timestamp[us, Europe/Paris]"
    assert cast(late, zone, "date") == [dt.date(2024, 1, 2)]
    assert cast(late, zone, "timestamp") == [dt.datetime(2024, 1, 2, 0, 30)]
    assert cast(late, zone, "time") == [dt.time(0, 30)]
    assert cast(late, zone, "timestamp[ms, UTC]") == late
    assert cast([dt.datetime(2024, 3, 31, 2, 30)], "timestamp", zone) == [dt.datetime(2024, 3, 31, 3, 30, tzinfo=PARIS)]
    # An hour the clocks show twice is the first one.
    (twice,) = cast([dt.datetime(2024, 10, 27, 2, 30)], "timestamp", zone)
    assert twice.astimezone(dt.UTC).hour == 0


def test_the_ends_of_time():
    ends = pa.array([2**63 - 1, -(2**63), None], pa.int64())
    texts = ["294247-01-10 04:00:54.775807", "-290308-12-21 19:59:05.224192", None]
    assert cast(ends.view(pa.timestamp("us")), "timestamp[us]", "string") == texts
    # In Paris it is an hour later than int64 can tell.
    for target in ("timestamp[ns]", "string", "date"):
        with pytest.raises(KernelError, match="out of range"):
            cast(ends.view(pa.timestamp("ns", "Europe/Paris")), "timestamp[ns, Europe/Paris]", target)
    with pytest.raises(KernelError, match="out of range"):
        cast(ends.view(pa.timestamp("ns")), "timestamp[ns]", "timestamp[ns, Europe/Paris]")
    days = pa.array([2**31 - 1, -(2**31)], pa.int32()).view(pa.date32())
    assert cast(days, "date", "string") == ["5881580-07-11", "-5877641-06-23"]


def test_units_of_time():
    assert cast([dt.datetime(1969, 12, 31, 23, 59, 59, 500000)], "timestamp[us]", "timestamp[s]") == [
        dt.datetime(1969, 12, 31, 23, 59, 59)
    ]
    far = pa.array([0, 2**53], pa.int64()).view(pa.timestamp("s"))
    with pytest.raises(KernelError, match=re.escape("does not fit in timestamp[ns]")) as caught:
        cast_value(far, pa.timestamp("s"), pa.timestamp("ns"))
    assert caught.value.row == 1
    assert cast(far, "timestamp[s]", "timestamp[ns]", lenient=True)[1] is None
    assert cast([dt.timedelta(seconds=-1.5)], "duration[us]", "duration[s]") == [dt.timedelta(seconds=-2)]
    assert cast([dt.time(1, 2, 3)], "time32[s]", "time64[us]") == [dt.time(1, 2, 3)]
    assert cast([dt.time(1, 2, 3, 999999)], "time64[us]", "time32[s]") == [dt.time(1, 2, 3)]


def test_integers_that_count_time():
    assert cast([1, None], "int64", "date") == [dt.date(1970, 1, 2), None]
    assert cast([1_500_000], "int32", "timestamp[us]") == [dt.datetime(1970, 1, 1, 0, 0, 1, 500000)]
    assert cast([5], "uint8", "duration[s]") == [dt.timedelta(seconds=5)]
    assert cast([90], "int64", "time32[s]") == [dt.time(0, 1, 30)]
    refused([0, 86_400], "int64", "time32[s]", "86400 does not fit in time[s]", 1)
    refused([2**31], "int64", "date", f"{2**31} does not fit in date")
    refused([2**63], "uint64", "timestamp[us]", f"{2**63} does not fit in timestamp[us]")
    assert cast([dt.date(1970, 1, 2)], "date", "int8") == [1]
    assert cast([dt.datetime(1970, 1, 1, 0, 0, 1)], "timestamp[us]", "int64") == [1_000_000]
    refused([dt.date(2024, 1, 1)], "date", "int8", "2024-01-01 does not fit in int8")


def test_an_offset_is_never_dropped():
    texts = ["2024-01-03 10:11:12", None, "2024-01-03 10:11:12+05:30"]
    with pytest.raises(KernelError, match="it has an offset from UTC") as caught:
        cast(texts, "string", "timestamp[us]")
    assert caught.value.row == 2
    assert "'timestamp[us, UTC]'" in caught.value.hint
    assert cast(texts, "string", "timestamp[us]", lenient=True) == [dt.datetime(2024, 1, 3, 10, 11, 12), None, None]
    assert cast(texts[2:], "string", "timestamp[us, UTC]") == [dt.datetime(2024, 1, 3, 4, 41, 12, tzinfo=dt.UTC)]


def test_what_does_not_fit_is_told_of_try_cast():
    with pytest.raises(KernelError) as caught:
        cast(["1", "Alice"], "string", "int64")
    assert caught.value.hint == "try_cast gives null for such a value"


def test_nested_values_element_by_element():
    lists = [[1, 2], None, [], [3, 300]]
    assert cast(lists[:3], "list<int64>", "list<int8>") == lists[:3]
    refused(lists, "list<int64>", "list<int8>", "300 does not fit in int8", 3)
    assert cast(lists, "list<int64>", "list<int8>", lenient=True) == [[1, 2], None, [], [3, None]]
    sliced = pa.array([[999], *lists[:3]], parse_type("list<int64>")).slice(1)
    assert cast(sliced, "list<int64>", "list<decimal(5,2)>")[0] == [Decimal(1), Decimal(2)]
    structs = [{"a": 1, "b": "2"}, None]
    assert cast(structs, "struct<a: int64, b: string>", "struct<a: string, b: int8>") == [{"a": "1", "b": 2}, None]
    assert cast([[("k", 1)], None], "map<string, int64>", "map<string, int8>") == [[("k", 1)], None]
    deep = [[[1], None], [[300]]]
    refused(deep, "list<list<int64>>", "list<list<int8>>", "300 does not fit in int8", 1)


def test_dictionaries_by_entry():
    words = pa.array(["1", "x", "2", None]).dictionary_encode()
    assert cast(words, "string", "int64", lenient=True) == [1, None, 2, None]
    refused(words, "string", "int64", "cannot read 'x' as int64", 1)
    # An entry that no row has does not matter.
    assert cast(words.take(pa.array([0, 2, 3])), "string", "int64") == [1, 2, None]


def test_null_casts_to_anything():
    assert cast_value(pa.nulls(2), pa.null(), pa.int64()).as_py() is None
    assert cast_value(pa.scalar(None, pa.string()), pa.string(), pa.int64()).as_py() is None
    assert cast([[None], None], pa.list_(pa.null()), "list<int64>") == [[None], None]
    assert cast([], "string", "int64") == []
    assert cast([], "string", "interval") == []
    assert cast([None, None], "string", "timestamp[us, Europe/Paris]") == [None, None]


def test_garbage_under_nulls_never_raises():
    numbers = pa.array([300, 5], pa.int64())
    hidden = pa.Array.from_buffers(pa.int64(), 2, [pa.py_buffer(b"\x02"), numbers.buffers()[1]])
    assert cast(hidden, "int64", "int8") == [None, 5]
    assert cast(hidden, "int64", "decimal(2,1)") == [None, Decimal(5)]
    nan = pa.Array.from_buffers(pa.float64(), 2, [pa.py_buffer(b"\x02"), pa.array([math.nan, 1.0]).buffers()[1]])
    assert cast(nan, "float64", "int8") == [None, 1]
    assert cast(nan, "float64", "decimal(2,1)") == [None, Decimal(1)]
    days = pa.Array.from_buffers(
        pa.date32(), 2, [pa.py_buffer(b"\x02"), pa.array([2**31 - 1, 1], pa.int32()).buffers()[1]]
    )
    assert cast(days, "date", "timestamp[ns]")[0] is None


def test_long_texts_are_cut_in_messages():
    with pytest.raises(KernelError) as caught:
        cast(["x" * 1000], "string", "int64")
    assert len(caught.value.message) < 120


def test_what_is_allowed():
    allowed = [
        ("list<int64>", "string"),
        ("timestamp", "time"),
        ("int64", "date"),
        ("struct<a: int64>", "struct<a: int8>"),
    ]
    not_allowed = [
        ("string", "list<int64>"), ("string", "struct<a: int64>"), ("float64", "date"), ("bool", "date"), ("time", "timestamp"),
        ("struct<a: int64>", "struct<b: int64>"), ("int64", "interval"), ("list<int64>", "int64"), ("binary", "int64"),
        ("duration", "timestamp"), ("date", "float64"), ("interval", "duration"),
    ]  # fmt: skip
    assert all(cast_is_allowed(parse_type(a), parse_type(b)) for a, b in allowed)
    assert not any(cast_is_allowed(parse_type(a), parse_type(b)) for a, b in not_allowed)


def test_total_casts_are_those_that_always_succeed():
    total = [
        ("int8", "int64"),
        ("int64", "string"),
        ("timestamp[us]", "date"),
        ("int64", "decimal(19,0)"),
        ("bool", "int8"),
    ]
    partial = [
        ("binary", "string"),
        ("list<binary>", "string"),
        ("timestamp[s]", "date"),
        ("int64", "int8"),
        ("float64", "int64"),
    ]
    assert all(cast_is_total(parse_type(a), parse_type(b)) for a, b in total)
    assert not any(cast_is_total(parse_type(a), parse_type(b)) for a, b in partial)
    far = pa.array([2**62], pa.int64()).view(pa.timestamp("s"))
    with pytest.raises(KernelError, match="does not fit in date"):
        cast_value(far, pa.timestamp("s"), pa.date32())


def test_fields_of_structs_are_cast_by_name():
    source = pa.struct([("a", pa.int64()), ("b", pa.string())])
    target = pa.struct([("b", pa.string()), ("a", pa.int8())])
    column = pa.array([{"a": 1, "b": "x"}, None], source)
    assert cast_value(column, source, target).to_pylist() == [{"b": "x", "a": 1}, None]
