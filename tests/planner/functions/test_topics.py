"""What the definitions of strings, dates, lists and structs take and refuse."""

import datetime as dt

import pyarrow as pa
import pytest

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.functions.spans import Span, parse_span, parse_unit, parse_window
from lazyframe.planner.functions.table import FUNCTIONS
from lazyframe.planner.scalars import Call, Column, Literal

ZONED = pa.timestamp("us", "Europe/Paris")


def result(name, /, *types, **options):
    return FUNCTIONS[name].resolve(types, options).result


@pytest.mark.parametrize(
    ("name", "types", "options", "wanted"),
    [
        ("length", (pa.string(),), {}, pa.int64()),
        ("length", (pa.list_(pa.int8()),), {}, pa.int64()),
        ("year", (pa.date32(),), {}, pa.int32()),
        ("month", (ZONED,), {}, pa.int8()),
        ("hour", (pa.time64("us"),), {}, pa.int8()),
        ("truncate", (ZONED,), {"every": "1d"}, ZONED),
        ("offset_by", (pa.date32(),), {"by": "1mo"}, pa.date32()),
        ("offset_by", (pa.date32(),), {"by": "1h"}, pa.timestamp("us")),
        ("convert_time_zone", (pa.timestamp("ms"),), {"time_zone": "UTC"}, pa.timestamp("ms", "UTC")),
        ("list_get", (pa.list_(pa.string()), pa.int8()), {}, pa.string()),
        ("list_sum", (pa.list_(pa.int8()),), {}, pa.int64()),
        ("list_sum", (pa.list_(pa.decimal128(5, 2)),), {}, pa.decimal128(38, 2)),
        ("list_mean", (pa.list_(pa.decimal128(5, 2)),), {}, pa.decimal128(38, 12)),
        ("make_list", (pa.int8(), pa.int16()), {}, pa.list_(pa.field("item", pa.int16()))),
        ("struct_field", (pa.struct([("x", pa.int8())]),), {"name": "x"}, pa.int8()),
        ("concat", (pa.string(), pa.int64(), pa.date32()), {}, pa.string()),
        ("concat_strings", (pa.binary(), pa.null()), {}, pa.binary()),
    ],
)
def test_result_types(name, types, options, wanted):
    assert result(name, *types, **options) == wanted


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("upper", (pa.int64(),)), ("contains", (pa.string(), pa.binary())), ("year", (pa.time64("us"),)),
        ("hour", (pa.date32(),)), ("list_sum", (pa.list_(pa.string()),)), ("list_any", (pa.list_(pa.int64()),)),
        ("concat_strings", (pa.string(), pa.int64())), ("list_contains", (pa.list_(pa.string()), pa.int64())),
        ("total_days", (pa.date32(),)), ("list_join", (pa.list_(pa.int64()), pa.string())),
    ],
)  # fmt: skip
def test_types_that_are_refused(name, types):
    with pytest.raises(TypeMismatchError, match=r"not defined"):
        FUNCTIONS[name].resolve(types, {})


@pytest.mark.parametrize(
    ("name", "types", "options", "message"),
    [
        ("truncate", (pa.date32(),), {"every": "1x"}, "not a span of time"),
        ("truncate", (pa.date32(),), {"every": "1h"}, "dates have no windows"),
        ("truncate", (ZONED,), {"every": "1mo1d"}, "not the width of a window"),
        ("truncate", (ZONED,), {"every": "-1d"}, "not the width of a window"),
        ("convert_time_zone", (ZONED,), {"time_zone": "Europe/Pariss"}, "no time zone named 'Europe/Pariss'"),
        ("replace_time_zone", (ZONED,), {"time_zone": None, "ambiguous": "x"}, "ambiguous is one of"),
        ("struct_field", (pa.struct([("price", pa.int8())]),), {"name": "prise"}, "no field named 'prise'"),
        ("make_struct", (pa.int8(), pa.int8()), {"names": ("x", "x")}, "two fields named 'x'"),
        ("normalize", (pa.string(),), {"form": "NFX"}, "a normal form is one of"),
        ("date_diff", (pa.date32(), pa.date32()), {"unit": "fortnight"}, "no unit of time named 'fortnight'"),
        ("is_business_day", (pa.date32(),), {"week_mask": (False,) * 7}, "seven truth values"),
    ],
)
def test_options_that_are_refused(name, types, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        FUNCTIONS[name].resolve(types, options)


def test_a_wrong_name_gets_the_nearest():
    with pytest.raises(InvalidArgumentError) as error:
        result("convert_time_zone", ZONED, time_zone="Europe/Pariss")
    assert "'Europe/Paris'" in error.value.hint


def test_a_call_with_a_sound_constant_pattern_cannot_fail():
    text = Column("s", pa.string(), True)
    pattern = Column("p", pa.string(), True)

    def total(name, *args):
        call = Call(name, tuple(a if isinstance(a, (Column, Literal)) else Literal(pa.scalar(a)) for a in args))
        return call.definition.is_total(call.args)

    assert total("regexp_matches", text, "a+")
    assert not total("regexp_matches", text, "(")
    assert not total("regexp_matches", text, pattern)
    assert total("regexp_replace", text, "(a)", r"\1")
    assert not total("regexp_replace", text, "a", r"\1")
    assert total("substring", text, 1, 2)
    assert not total("substring", text, 1, -2)
    assert total("pad_start", text, 3, "0")
    assert not total("pad_start", text, 3, "00")


def test_spans():
    assert parse_span("1y2mo") == Span(months=14)
    assert parse_span("-1w1d") == Span(days=-8)
    assert parse_span("1h30m5s") == Span(nanos=5405 * 10**9)
    assert parse_span(dt.timedelta(days=-1)) == Span(nanos=-86_400 * 10**9)
    assert parse_window("2q") == Span(months=6)
    assert [parse_unit(u) for u in ("Years", "quarter", "h", "DAY")] == ["y", "q", "h", "d"]
    for bad in ("", "1", "d", "1.5h", "1d-1h", "--1d"):
        with pytest.raises(InvalidArgumentError):
            parse_span(bad)


def test_every_definition_has_a_summary_and_its_own_sql_names():
    taken: dict[str, str] = {}
    for function in FUNCTIONS.values():
        assert function.summary.endswith(".")
        for name in function.sql:
            assert name not in taken, (name, taken[name], function.name)
            taken[name] = function.name
