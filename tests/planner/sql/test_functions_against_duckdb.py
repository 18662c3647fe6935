"""Functions over columns, nulls and all, beside DuckDB."""

from __future__ import annotations

import datetime as dt
import decimal
import random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf

ROWS = 120


def _table() -> pa.Table:
    draw = random.Random(7)

    def some(make: Any) -> list[Any]:
        return [None if draw.random() < 0.15 else make() for _ in range(ROWS)]

    def items(make: Any, longest: int = 5) -> Any:
        return lambda: [None if draw.random() < 0.1 else make() for _ in range(draw.randint(0, longest))]

    def word() -> str:
        return "".join(draw.choice("abcé,.X1 ") for _ in range(draw.randint(0, 7)))

    def small() -> int:
        return draw.randint(-4, 4)

    def moment() -> dt.datetime:
        first = dt.datetime(2019, 12, 28)  # noqa: DTZ001 - without a zone
        return first + dt.timedelta(seconds=draw.randint(0, 150_000_000), milliseconds=draw.randint(0, 999))

    ints = pa.list_(pa.int64())
    entries = pa.map_(pa.string(), pa.int64())
    return pa.table(
        {
            "i": pa.array(some(small), pa.int64()),
            "j": pa.array(some(lambda: draw.randint(0, 6)), pa.int32()),
            "f": pa.array(some(lambda: draw.choice([0.5, -1.25, 2.0, 3.75, -0.0])), pa.float64()),
            "d": pa.array(some(lambda: decimal.Decimal(draw.randint(-99999, 99999)) / 100), pa.decimal128(9, 2)),
            "s": pa.array(some(word), pa.string()),
            "t": pa.array(some(word), pa.string()),
            "a": pa.array(some(items(small)), ints),
            "b": pa.array(some(items(small)), ints),
            "w": pa.array(some(items(word)), pa.list_(pa.string())),
            "n": pa.array(some(items(items(small, 2), 3)), pa.list_(ints)),
            "m": pa.array(some(lambda: [(k, small()) for k in draw.sample("xyz", draw.randint(0, 3))]), entries),
            "r": pa.array(
                some(lambda: {"p": small(), "q": word()}), pa.struct([("p", pa.int64()), ("q", pa.string())])
            ),
            "day": pa.array(some(lambda: moment().date()), pa.date32()),
            "ts": pa.array(some(moment), pa.timestamp("us")),
            "ts2": pa.array(some(moment), pa.timestamp("us")),
        }
    )


TABLE = _table()

EXPRESSIONS = [
    "a[1]", "a[j]", "a[-1]", "a[i + 1]", "a[2:3]", "a[j:]", "a[1:i]", "a[i:j]", "n[1][2]", "w[1]", "list_slice(a, 1, j)",
    "list_append(a, i)", "list_prepend(i, a)", "list_concat(a, b)", "a || b", "list_contains(a, 2)",
    "list_has_any(a, b)", "list_has_all(a, b)", "list_sort(list_intersect(a, b))", "list_sort(list_intersect(a, [1, 2]))", "list_position(a, 2)", "list_sort(a)",
    "list_sort(a, 'DESC', 'NULLS FIRST')", "list_reverse(a)", "list_sort(list_distinct(a))", "list_unique(a)", "list_min(a)", "list_max(a)",
    "list_sum(a)", "list_avg(a)", "list_count(a)", "list_first(a)", "list_product(a)", "list_median(a)", "list_stddev_pop(a)", "list_stddev_samp(a)", "list_var_pop(a)",
    "list_var_samp(a)", "list_bit_xor(a)", "list_bit_or(a)", "list_aggregate(a, 'median')", "list_aggregate(w, 'max')", "list_last(a)", "len(a)", "flatten(n)",
    "list_resize(a, j)", "list_resize(a, j, i)", "list_select(a, [1, 3, -1])", "array_to_string(list_append(a, 1), '-')", "range(j)", "range(i, j)", "generate_series(i, j, 2)",
    "list_transform(a, lambda x: x + i)", "list_transform(a, lambda x, k: k * j)", "list_filter(a, lambda x: x > i)",
    "list_reduce(a, lambda x, y: x + y, j)", "list_transform(w, lambda x: upper(x) || coalesce(s, ''))",
    "list_transform(n, lambda x: list_transform(x, lambda y: y * i))", "[x + 1 for x in a if x <> i]",
    "m['x']", "map_extract(m, 'y')", "map_keys(m)", "map_values(m)", "cardinality(m)", "map_contains(m, 'z')", "map_entries(m)",
    "map_concat(m, map {'x': 9::BIGINT})",     "r.p + 1", "r['q']", "{'a': i, 'b': s}", "struct_insert(r, z := i)", "cast(r AS STRUCT(q VARCHAR, p INT))",
    "substr(s, i, 2)", "substr(s, j)", "left(s, i)", "right(s, i)", "s[2]", "s[2:3]", "lpad(s, j, 'xy')", "rpad(s, j, '*')", "repeat(s, i)",
    "replace(s, 'a', t)", "position(t in s)", "contains(s, t)", "starts_with(s, t)", "split_part(s, ',', i)", "string_split(s, ',')",
    "translate(s, 'abX', 'xy')", "trim(s)", "ltrim(s, 'a')", "reverse(s)", "length(s)", "strlen(s)", "upper(s)", "concat(s, i, t)",
    "concat_ws('-', s, t, i)", "s || t || i", "format('{}={}', s, i)", "levenshtein(s, t)", "damerau_levenshtein(s, t)",
    "jaro_similarity(s, t)", "jaro_winkler_similarity(s, t)", "md5(s)", "sha256(s)", "unicode(s)", "hex(s)", "s LIKE 'a%'", "s ILIKE '%x%'",
    "regexp_matches(s, '[a-c]+', 'i')", "regexp_replace(s, '[a-c]', '_', 'g')", "regexp_extract(s, '([a-c])(.)', 2)",
    "regexp_extract_all(s, '[a-c]')", "s GLOB '*a*'", "s SIMILAR TO '.*a.*'", "regexp_full_match(s, '[a-c,]*')", "starts_with(s, 'a')",
    "round(f)", "round(d, 1)", "round(i, -1)", "trunc(f)", "ceil(d)", "floor(f)", "sign(f)", "abs(i)", "i % 3", "i // nullif(j, 0)", "i ^ 2",
    "bit_count(i)", "i & j", "i | j", "xor(i, j)", "j << 2", "j >> 1", "greatest(i, j)", "least(i, j, 0)", "gcd(i, j)", "hex(j)", "bin(j)",
    "factorial(j)", "coalesce(i, j, 0)", "nullif(i, j)", "i IS DISTINCT FROM j", "CASE i WHEN 1 THEN 'a' WHEN 2 THEN s END", "if(i > 0, i, j)",
    "cast(f AS INT)", "cast(d AS INT)", "cast(i AS VARCHAR)", "cast(d AS DOUBLE)", "try_cast(s AS INT)", "cast(a AS VARCHAR[])", "i::DECIMAL(5,1)",
    "day + 1", "day - i::INT", "day - date '2020-01-01'", "ts + INTERVAL 1 MONTH", "ts - INTERVAL '1 day 2 hours'", "ts + INTERVAL (i) DAY",
    "ts + i * INTERVAL 1 HOUR", "day + TIME '10:00'",
    "year(ts)", "extract(week FROM day)", "extract(isodow FROM ts)", "extract(yearweek FROM day)", "extract(epoch FROM ts)",
    "extract(milliseconds FROM ts)", "extract(julian FROM ts)", "date_part('doy', day)", "dayname(day)", "monthname(ts)", "last_day(ts)",
    "date_trunc('month', ts)", "date_trunc('week', day)", "date_trunc('hour', ts)", "time_bucket(INTERVAL '5 hours', ts)",
    "time_bucket(INTERVAL '3 months', ts)", "time_bucket(INTERVAL '9 days', day)", "date_diff('month', ts, ts2)", "date_diff('week', ts, ts2)",
    "date_diff('hour', ts, ts2)", "date_sub('month', ts, ts2)", "date_sub('day', ts, ts2)", "age(ts, ts2)", "strftime(ts, '%Y-%m-%d %H:%M:%S')",
    "strptime(strftime(ts, '%d/%m/%Y'), '%d/%m/%Y')", "epoch_ms(ts)", "make_date(2020, j + 1, 3)", "to_days(i)", "to_timestamp(j)",
    "ts AT TIME ZONE 'America/New_York'", "generate_series(ts, ts + INTERVAL 2 DAY, INTERVAL 1 DAY)",
]  # fmt: skip


def _plain(value: Any) -> Any:
    """Values as both return them: months of 30 days, decimals as floats, maps as dicts."""
    if isinstance(value, pa.MonthDayNano):
        return dt.timedelta(days=value.months * 30 + value.days, microseconds=value.nanoseconds // 1000)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) for item in value):
            return {key: _plain(item) for key, item in value}
        return [_plain(item) for item in value]
    if isinstance(value, decimal.Decimal):
        return float(value)
    return pytest.approx(value, rel=1e-12) if isinstance(value, float) else value


@pytest.fixture(scope="module")
def connection():
    found = duckdb.connect()
    found.register("rows", TABLE)
    found.execute("SET TimeZone = 'UTC'")
    return found


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_columns(connection, expression):
    text = f"SELECT {expression} AS v FROM rows"
    wanted = [_plain(row[0]) for row in connection.execute(text).fetchall()]
    found = lf.sql(text, rows=TABLE).collect().to_arrow()["v"].to_pylist()
    found = [None if value is None else _plain(value) for value in found]
    if wanted and {} in wanted:
        found = [{} if value == [] else value for value in found]
    assert found == wanted
