# ruff: noqa: DTZ001 - timestamps without a zone are half of what is tested
"""Functions as PostgreSQL has them. The values are those of its documentation."""

import datetime as dt
import decimal
import hashlib

import pytest

import lazyframe as lf
from tests.planner.sql.expressions import interval, value_of

D = decimal.Decimal

VALUES = [
    ("7 / 2", 3),
    ("-7 / 2", -3),
    ("7.0 / 2", D("3.5")),
    ("div(7, 2)", 3),
    ("17 # 5", 20),
    ("initcap('hi THOMAS')", "Hi Thomas"),
    ("initcap('the 1st o''clock')", "The 1st O'Clock"),
    ("btrim('xyxtrimyyx', 'xyz')", "trim"),
    ("substring('Thomas' from '...$')", "mas"),
    ("substring('foobar' from 'o(.)b')", "o"),
    ("substring('foobar' from 'z')", None),
    ("string_to_array('xx~^~yy~^~zz', '~^~', 'yy')", ["xx", None, "zz"]),
    ("string_to_array('', ',')", []),
    ("string_to_array('abc', '')", ["abc"]),
    ("array_to_string(ARRAY[1, 2, 3, NULL, 5], ',', '*')", "1,2,3,*,5"),
    ("array_positions(ARRAY['A', 'A', 'B', 'A'], 'A')", [1, 2, 4]),
    ("array_remove(ARRAY[1, 2, 3, 2], 2)", [1, 3]),
    ("array_replace(ARRAY[1, 2, 5, 4], 5, 3)", [1, 2, 3, 4]),
    ("(ARRAY[5, 6, 7])[2]", 6),
    ("to_char(timestamp '2002-04-20 17:31:12', 'HH12:MI:SS')", "05:31:12"),
    ("to_char(date '2024-01-02', 'YYYY-MM-DD')", "2024-01-02"),
    ("to_char(timestamp '2024-01-02 03:04:05.678', 'FMDD Mon YYYY, HH24:MI \"h\" Dy')", '2 Jan 2024, 03:04 h Tue'),
    ("to_date('05 Dec 2000', 'DD Mon YYYY')", dt.date(2000, 12, 5)),
    ("date_bin('15 minutes', timestamp '2020-02-11 15:44:17', timestamp '2001-01-01')", dt.datetime(2020, 2, 11, 15, 30)),
    (
        "date_bin('15 minutes', timestamp '2020-02-11 15:44:17', timestamp '2001-01-01 00:02:30')",
        dt.datetime(2020, 2, 11, 15, 32, 30),
    ),
    ("date_trunc('hour', timestamp '2001-02-16 20:38:40')", dt.datetime(2001, 2, 16, 20)),
    ("age(timestamp '2001-04-10', timestamp '1957-06-13')", interval(43 * 12 + 9, 27, 0)),
    ("make_interval(days => 10)", interval(0, 10, 0)),
    ("make_date(2013, 7, 15)", dt.date(2013, 7, 15)),
    ("interval '1-2' year to month", interval(14, 0, 0)),
    ("interval '1 02:03:04' day to second", interval(0, 1, (2 * 3600 + 3 * 60 + 4) * 10**9)),
    ("interval '2:3' minute to second", interval(0, 0, 123 * 10**9)),
    ("interval 'P1Y2M3DT4H5M6S'", interval(14, 3, (4 * 3600 + 5 * 60 + 6) * 10**9)),
    ("interval '1 year 2 days ago'", interval(-12, -2, 0)),
    ("extract(isodow from timestamp '2001-02-18 20:38:40')", 7),
    ("date_part('year', date '2001-02-18')", 2001),
    ("date '2001-09-28' + 7", dt.date(2001, 10, 5)),
    ("date '2001-10-01' - date '2001-09-28'", 3),
    ("timestamp '2001-02-16 20:38:40' at time zone 'America/Denver'", dt.datetime(2001, 2, 17, 3, 38, 40, tzinfo=dt.UTC)),
    ("regexp_replace('Thomas', '.[mN]a.', 'M')", "ThM"),
    ("regexp_count('123456789012', '...')", 4),
    ("regexp_like('Hello World', 'world$', 'i')", True),
    ("regexp_substr('ABCDEF', 'c(.)')", None),
    ("overlay('Txxxxas' placing 'hom' from 2 for 4)", "Thomas"),
    ("split_part('abc~@~def~@~ghi', '~@~', 2)", "def"),
    ("'abcdef'::varchar(3)", "abc"),
    ("'1.50'::numeric", D("1.50")),
    ("12::numeric", D(12)),
    ("encode('ab'::bytea, 'hex')", "6162"),
    ("decode('6162', 'hex')", b"ab"),
    ("sha256('abc'::bytea)", hashlib.sha256(b"abc").digest()),
    ("'thomas' ~* 'T.*ma'", True),
    ("nullif(1, 2)", 1),
    ("atan2(1, 0)", 1.5707963267948966),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression, value):
    assert value_of(expression, "postgres") == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)


def test_series_are_rows_in_from_and_in_select():
    def rows(text):
        return lf.sql(text, dialect="postgres").to_dicts()

    assert rows("select * from generate_series(1, 3) g") == [{"g": 1}, {"g": 2}, {"g": 3}]
    assert rows("select generate_series(1, 2) as x, 'a' as y") == [{"x": 1, "y": "a"}, {"x": 2, "y": "a"}]
    query = lf.sql("select g from generate_series(1, 2) t(g)")
    assert rows(query.to_sql("postgres")) == [{"g": 1}, {"g": 2}]
