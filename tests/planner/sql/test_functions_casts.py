# ruff: noqa: DTZ001 - timestamps without a zone are half of what is tested
"""SQL's casts, typed constants and choices. The values are those of DuckDB 2."""

import datetime as dt
import decimal

import pytest

from tests.planner.sql.expressions import value_of

D = decimal.Decimal

VALUES = [
    ("cast(2.5 as int)", 3),
    ("cast(-2.5 as int)", -3),
    ("cast(2.5::double as int)", 2),
    ("cast(3.5::double as int)", 4),
    ("cast('12' as bigint)", 12),
    ("'12'::smallint", 12),
    ("cast('yes' as boolean)", True),
    ("cast('f' as boolean)", False),
    ("cast(0 as boolean)", False),
    ("cast(true as int)", 1),
    ("cast(1.5 as decimal(10,3))", D("1.500")),
    ("cast(1.255 as decimal(10,2))", D("1.26")),
    ("1::double", 1.0),
    ("'1e3'::double", 1000.0),
    ("'nan'::float = 'nan'::float", True),
    ("try_cast('x' as int)", None),
    ("try_cast('300' as tinyint)", None),
    ("try_cast('2024-02-30' as date)", None),
    ("date '2024-01-31'", dt.date(2024, 1, 31)),
    ("'2024-01-31'::date", dt.date(2024, 1, 31)),
    ("cast('2024-01-01 10:00:00.5' as timestamp)", dt.datetime(2024, 1, 1, 10, 0, 0, 500000)),
    ("timestamp '2024-01-01T10:00:00'", dt.datetime(2024, 1, 1, 10, 0)),
    ("timestamp '2020-09-08T12:00:12.12345678+00:00'", dt.datetime(2020, 9, 8, 12, 0, 12, 123456)),
    ("timestamptz '2024-01-01 10:00:00+02'", dt.datetime(2024, 1, 1, 8, 0, tzinfo=dt.UTC)),
    ("time '10:11:12.5'", dt.time(10, 11, 12, 500000)),
    ("cast(timestamp '2024-01-01 10:00:00' as date)", dt.date(2024, 1, 1)),
    ("cast(timestamp '2024-01-01 10:00:00' as varchar)", "2024-01-01 10:00:00"),
    ("cast(date '2024-01-01' as timestamp)", dt.datetime(2024, 1, 1, 0, 0)),
    ("cast(1.0::double as varchar)", "1.0"),
    ("cast(1.50 as varchar)", "1.50"),
    ("cast(interval '1 day 2 hours' as varchar)", "1 day 02:00:00"),
    ("cast([1, null] as varchar)", "[1, NULL]"),
    ("cast(['1', '2'] as int[])", [1, 2]),
    ("cast([1, 2] as varchar[])", ["1", "2"]),
    ("cast({'a': 1, 'b': 2} as struct(b int, a int))", {"b": 2, "a": 1}),
    ("cast({'a': 1} as struct(a bigint, c int))", {"a": 1, "c": None}),
    ("cast('abc' as blob)", b"abc"),
    (r"'\xAA\x00a'::blob", b"\xaa\x00a"),
    ("cast(null as int)", None),
    ("cast(12 as varchar)", "12"),
    ("cast(1 as hugeint)", D("1")),
    ("typeof(1::int)", "INTEGER"),
    ("typeof(1::tinyint)", "TINYINT"),
    ("typeof(1.5)", "DECIMAL(2,1)"),
    ("typeof('a')", "VARCHAR"),
    ("typeof(null)", "\"NULL\""),
    ("typeof([1::int])", "INTEGER[]"),
    ("typeof({'a': 1::int})", "STRUCT(a INTEGER)"),
    ("typeof(map([1::int], ['x']))", "MAP(INTEGER, VARCHAR)"),
    ("typeof(date '2024-01-01')", "DATE"),
    ("typeof(timestamp '2024-01-01')", "TIMESTAMP"),
    ("typeof(timestamptz '2024-01-01')", "TIMESTAMP WITH TIME ZONE"),
    ("typeof(interval 1 day)", "INTERVAL"),
    ("typeof('a'::blob)", "BLOB"),
    ("coalesce(null, 1, 2.5)", D("1.0")),
    ("ifnull(null, 'a')", "a"),
    ("nullif(1, 1)", None),
    ("nullif(1, 2)", 1),
    ("if(true, 1, 2)", 1),
    ("case when true then 1 else 2.5 end", D("1.0")),
    ("case 3 when 1 then 'a' when 3 then 'c' end", "c"),
    ("constant_or_null(1, null)", None),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression, value):
    assert value_of(expression) == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)
