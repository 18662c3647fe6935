# ruff: noqa: DTZ001 - timestamps without a zone are half of what is tested
"""Functions whose names are DataFusion's, and some that several dialects share. The values follow from their documentation."""

import datetime as dt
import hashlib
import math

import pytest

from lazyframe.planner.errors import EvaluationError
from tests.planner.sql.expressions import value_of

VALUES = [
    ("nanvl(1.5, 2.0)", 1.5),
    ("nanvl('nan'::double, 2.0)", 2.0),
    ("iszero(0.0)", True),
    ("iff(1 > 2, 'a', 'b')", "b"),
    ("nvl(null, 'a')", "a"),
    ("nvl2(null, 'a', 'b')", "b"),
    ("nvl2(1, 'a', 'b')", "a"),
    ("arrow_cast(1, 'Float64')", 1.0),
    ("arrow_typeof(1.5)", "decimal128(2, 1)"),
    ("log1p(0)", 0.0),
    ("lgamma(1)", 0.0),
    ("make_array(1, 2)", [1, 2]),
    ("array_union([1, 2], [2, 3])", [1, 2, 3]),
    ("array_except([1, 2, 2], [2])", [1]),
    ("array_positions([1, 2, 1], 1)", [1, 3]),
    ("array_remove([1, 2, 1], 1)", [2]),
    ("array_replace([1, 2, 1], 1, 9)", [9, 2, 9]),
    ("array_repeat(1, 3)", [1, 1, 1]),
    ("array_repeat('a', 0)", []),
    ("array_ndims([[1], [2]])", 2),
    ("empty([])", True),
    ("empty([1])", False),
    ("array_sort([3, null, 1], 'DESC', 'NULLS FIRST')", [None, 3, 1]),
    ("array_min([3, 1])", 1),
    ("find_in_set('b', 'a,b,c')", 2),
    ("find_in_set('x', 'a,b,c')", 0),
    ("find_in_set(null, 'a')", None),
    ("substr_index('www.apache.org', '.', 1)", "www"),
    ("substr_index('www.apache.org', '.', -2)", "apache.org"),
    ("named_struct('a', 1, 'b', 'x')", {"a": 1, "b": "x"}),
    ("initcap('hi THOMAS')", "Hi Thomas"),
    ("ends_with('foobar', 'bar')", True),
    ("btrim('  a ')", "a"),
    ("regexp_count('abcAbAbc', 'abc', 2, 'i')", 1),
    ("regexp_count('abcabc', 'b')", 2),
    ("regexp_instr('abc', 'c')", 3),
    ("regexp_instr('abc', 'x')", 0),
    ("regexp_instr(null, 'x')", None),
    ("regexp_match('foobarbequebaz', '(bar)(beque)')", ["bar", "beque"]),
    ("regexp_match('foobarbequebaz', 'barbeque')", ["barbeque"]),
    ("regexp_match('abc', 'x(y)')", None),
    ("regexp_match('aBc', '(b)', 'i')", ["B"]),
    ("get_field({'a': 1}, 'a')", 1),
    ("get_field(map {'a': 1}, 'a')", 1),
    ("even(2.1)", 4.0),
    ("even(-2.1)", -4.0),
    ("days_in_month(date '2024-02-03')", 29),
    ("url_encode('a b/é~')", "a%20b%2F%C3%A9~"),
    ("url_decode('a%20b%2F%C3%A9+')", "a b/é+"),
    ("hash(1) = hash(1)", True),
    ("ago(interval '1 day') < now()", True),
    ("sha224('a')", hashlib.sha224(b"a").hexdigest()),
    ("sha384('a')", hashlib.sha384(b"a").hexdigest()),
    ("sha512('a')", hashlib.sha512(b"a").hexdigest()),
    ("digest('a', 'md5')", hashlib.md5(b"a").digest()),
    ("to_char(date '2024-01-02', '%d.%m.%Y')", "02.01.2024"),
    ("date_format(timestamp '2024-01-02 03:04:05', '%H:%M')", "03:04"),
    ("to_date('2024-01-02')", dt.date(2024, 1, 2)),
    ("to_date('02/01/2024', '%d/%m/%Y')", dt.date(2024, 1, 2)),
    ("to_timestamp('2024-01-02 03:04:05')", dt.datetime(2024, 1, 2, 3, 4, 5)),
    ("to_timestamp_seconds(1)", dt.datetime(1970, 1, 1, 0, 0, 1)),
    ("to_timestamp_millis('1970-01-01 00:00:01')", dt.datetime(1970, 1, 1, 0, 0, 1)),
    ("to_unixtime(timestamp '1970-01-01 00:00:01')", 1.0),
    ("from_unixtime(1)", dt.datetime(1970, 1, 1, 0, 0, 1)),
    ("date_bin(interval '1 hour', timestamp '2024-01-02 03:04:05', timestamp '1970-01-01')", dt.datetime(2024, 1, 2, 3)),
    ("make_date(19724)", dt.date(2024, 1, 2)),
    ("random() between 0 and 1", True),
    ("random() = random()", False),
    ("uuid() = uuid()", False),
    ("length(uuid()::varchar)", 36),
    ("-3 << 2", -12),
    ("-9223372036854775808 << 0", -(2**63)),
    ("interval '1 month' = interval '30 days'", True),
    ("interval '1 day' < interval '25 hours'", True),
    ("timestamp '2024-01-03' - timestamp '2024-01-01' > interval '1 day'", True),
    ("encode('ab', 'hex')", "6162"),
    ("decode('YWI=', 'base64')", b"ab"),
    ("decode(null, 'base64')", None),
    (
        "date_trunc('day', timestamptz '2024-07-01 23:00:00+00', 'Europe/Paris')",
        dt.datetime(2024, 7, 1, 22, tzinfo=dt.UTC),
    ),
    ("pi()", math.pi),
    ("version() like 'lazyframe%'", True),
    ("extract(nanosecond from timestamp '2024-01-01 00:00:07.5')", 7_500_000_000),
    ("extract(day from timestamp '2024-01-03 12:00' - timestamp '2024-01-01')", 2),
    ("extract(hour from timestamp '2024-01-03 12:00' - timestamp '2024-01-01')", 12),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression, value):
    assert value_of(expression) == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("1 << 63", "do not fit in int64"), ("1 << -1", "negative number"), ("lcm(9223372036854775807, 2)", "integer overflow"),
        ("factorial(-1)", "factorial of -1"), ("factorial(34)", "factorial of 34"), ("hamming('a', 'ab')", "of one length"),
        ("map([1, 1], [2, 3])", "key 1 twice"), ("map([null], [2])", "cannot be null"), ("map([1], [2, 3])", "1 keys"),
        ("list_resize([1], -1)", "-1 items long"), ("list_reduce([]::int[], lambda x, y: x + y)", "empty list"),
        ("cast(300 as tinyint)", "300 does not fit in int8"), ("cast('x' as int)", "cannot read 'x'"),
        ("make_date(2024, 2, 30)", "no such date"), ("to_days(3000000000 + 0 * length('a'))", "interval out of range"),
        ("strptime('x', '%Y')", "cannot read"), ("url_decode('%FF')", "no text in UTF-8"), ("1 // 0", "division by zero"), ("chr(-1)", "no character"),
    ],
)  # fmt: skip
def test_values_without_an_answer(expression, message):
    with pytest.raises(EvaluationError, match=message):
        value_of(expression)
