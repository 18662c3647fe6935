# ruff: noqa: DTZ001 - times without a zone are what is tried
"""Calls of every function, on values that show where engines differ."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa

from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Plan, Project
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Call, Scalar, cast

LISTS = pa.list_(pa.int64())

TABLE = pa.table(
    {
        "n": pa.array([1, 2, 3, 4, 5, 6], pa.int64()),
        "i": pa.array([7, -7, 0, None, -8, 100], pa.int64()),
        "j": pa.array([2, 2, -3, 3, 3, 7], pa.int64()),
        "small": pa.array([1, -5, 120, None, 0, 3], pa.int8()),
        "f": pa.array([1.5, -2.5, float("nan"), None, 0.25, 40.0], pa.float64()),
        "g": pa.array([0.5, 2.0, 1.0, 3.0, -1.5, 0.75], pa.float64()),
        "share": pa.array([0.5, -0.25, 0.0, None, 1.0, 0.1], pa.float64()),
        "d": pa.array([Decimal(x) if x else None for x in ("1.25", "-3.75", "0.05", None, "10.00", "2.50")], pa.decimal128(8, 2)),
        "e": pa.array([Decimal(x) for x in ("0.5", "2.0", "0.3", "1.0", "-4.0", "1.5")], pa.decimal128(4, 1)),
        "b": pa.array([True, False, None, True, False, None]),
        "c": pa.array([True, True, True, False, None, None]),
        "s": pa.array(["  Abc d ", "äÖü-12", "a,b,,c", None, "", "xx\tabcabc"]),
        "t": pa.array(["a", "ü", ",", "b", "", "abc"]),
        "word": pa.array(["12", "-7", "+5", None, "0", "123456"]),
        "day": pa.array([dt.date(2024, 1, 31), dt.date(1969, 12, 28), dt.date(2000, 2, 29), None, dt.date(2023, 12, 31), dt.date(2021, 1, 3)]),
        "later": pa.array([dt.date(2024, 3, 1), dt.date(1970, 1, 2), dt.date(2001, 2, 28), dt.date(2020, 1, 1), dt.date(2024, 1, 1), dt.date(2020, 12, 31)]),
        "ts": pa.array([dt.datetime(2024, 1, 31, 13, 14, 15, 123456), dt.datetime(1969, 12, 31, 23, 59, 59, 6), dt.datetime(2000, 2, 29), None, dt.datetime(2023, 7, 4, 12), dt.datetime(2020, 3, 1, 0, 45)], pa.timestamp("us")),
        "zoned": pa.array([dt.datetime(2024, 1, 31, 23, 14, 15, 123456), dt.datetime(2024, 7, 1, 22, 30), dt.datetime(2000, 2, 29), None, dt.datetime(2023, 7, 4, 12), dt.datetime(2020, 3, 1, 0, 45)], pa.timestamp("us", "UTC")).cast(pa.timestamp("us", "Europe/Paris")),
        "clock": pa.array([dt.time(1, 2, 3, 456789), dt.time(0), dt.time(23, 59, 59), None, dt.time(12, 30), dt.time(6)], pa.time64("us")),
        "span": pa.array([dt.timedelta(days=1, hours=2), dt.timedelta(seconds=-90), dt.timedelta(0), None, dt.timedelta(microseconds=30), dt.timedelta(days=-3)], pa.duration("us")),
        "l": pa.array([[3, 1, 2], [], [None, 5, 5], None, [-1], [2, 2, None, 7]], LISTS),
        "k": pa.array([[1], [9, 8], [], [4], [None], [0]], LISTS),
        "ls": pa.array([["x", "y"], [], [None, "z"], None, [""], ["a", "a"]], pa.list_(pa.string())),
        "lb": pa.array([[True, False], [], [None], None, [False], [True, None]], pa.list_(pa.bool_())),
        "ll": pa.array([[[1], [2, 3]], [], [[4], []], None, [[5]], [[6, 7]]], pa.list_(LISTS)),
        "r": pa.array([{"x": 1, "y": "p"}, {"x": 2, "y": None}, {"x": None, "y": "q"}, None, {"x": 0, "y": ""}, {"x": 9, "y": "z"}], pa.struct([("x", pa.int64()), ("y", pa.string())])),
        "raw": pa.array([b"abc", b"", b"\x41", None, b"zz", b"q"]),
        "coded": pa.array(["YWJj", "", "QQ==", None, "eno=", "cQ=="]),
        "digits": pa.array(["616263", "", "41", None, "7a7a", "71"]),
        "iso": pa.array(["2024-01-31", "1969-12-31", "2000-02-29", None, "2023-07-04", "2020-03-01"]),
        "moment": pa.array(["2024-01-31 01:02:03", "1969-12-31 23:59:59", "2000-02-29 00:00:00", None, "2023-07-04 12:00:00", "2020-03-01 00:45:00"]),
        "hours": pa.array(["01:02:03", "23:59:59", "00:00:00", None, "12:00:00", "00:45:00"]),
        "code": pa.array([65, 228, 8364, None, 97, 48], pa.int64()),
        "year": pa.array([2024, 1969, 2000, None, 2023, 2020], pa.int64()),
        "month": pa.array([1, 12, 2, 3, 7, 4], pa.int64()),
        "m": pa.array([[("a", 1), ("b", None)], [], [("c", 3)], None, [("a", 5)], [("b", 6)]], pa.map_(pa.string(), pa.int64())),
        "sec": pa.array([1.5, 0.0, 59.25, 3.0, 7.0, 4.0], pa.float64()),
    }
)  # fmt: skip

C = Any
SCALARS: dict[str, list[tuple[tuple[C, ...], dict[str, Any]]]] = {}


def of(name: str, /, *args: C, **options: Any) -> None:
    SCALARS.setdefault(name, []).append((args, options))


class Const:
    """A constant among the names of columns."""

    def __init__(self, value: Any, dtype: pa.DataType | None = None) -> None:
        self.value, self.dtype = value, dtype


def K(value: Any, dtype: pa.DataType | None = None) -> Const:  # noqa: N802
    return Const(value, dtype)


for name in ("add", "subtract", "multiply"):
    of(name, "i", "j")
    of(name, "f", K(0.1))
    of(name, "d", "e")
    of(name, "i", K(3))
of("add", "day", K(dt.timedelta(days=3)))
of("subtract", "day", "later")
of("subtract", "ts", "span")
of("subtract", "ts", "ts")
of("multiply", "span", K(3))
of("divide", "i", "j")
of("divide", "f", "g")
of("divide", "d", "e")
for name in ("floor_divide", "modulo"):
    of(name, "i", "j")
    of(name, "i", K(3))
    of(name, "i", K(-3))
    of(name, "small", K(100, pa.int8()))
    of(name, "f", "g")
    of(name, "d", "e")
of("truncated_divide", "i", "j")
of("truncated_modulo", "i", "j")
of("negate", "i")
of("abs", "f")
of("abs", "span")
of("sign", "i")
of("sign", "f")
of("power", "j", K(2))
of("power", "g", K(0.5))
of("power", "j", K(5))
for name in ("bit_and", "bit_or", "bit_xor"):
    of(name, "i", "j")
for name in (
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "equal_missing",
    "not_equal_missing",
):
    of(name, "i", "j")
    of(name, "f", K(float("nan")))
    of(name, "s", "t")
    of(name, "d", K(Decimal("0.05")))
    of(name, "b", "c")
of("is_in", "i", values=pa.array([7, 0, None], pa.int64()))
of("is_in", "s", values=pa.array(["", "a,b,,c"]))
of("is_in", "f", values=pa.array([float("nan"), 1.5]))
of("is_in", "i", values=pa.array([], pa.int64()))
for name in ("least", "greatest"):
    of(name, "i", "j")
    of(name, "f", "g")
for name in ("and", "or", "xor"):
    of(name, "b", "c")
of("not", "b")
of("is_null", "f")
of("is_not_null", "f")
of("coalesce", "f", "g")
of("coalesce", "i", K(5))
for name in (
    "sqrt",
    "cbrt",
    "exp",
    "expm1",
    "ln",
    "log10",
    "log2",
    "sin",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "degrees",
    "radians",
):
    of(name, "f")
for name in ("asin", "acos", "log1p"):
    of(name, "share")
of("atan2", "f", "g")
of("log", "g", K(2.0))
for name in ("floor", "ceil", "trunc"):
    of(name, "f")
    of(name, "d")
    of(name, "i")
of("round", "f")
of("round", "d", digits=1)
of("round", "i", digits=-1)
of("round", "f", digits=2)
for name in ("is_nan", "is_finite", "is_infinite"):
    of(name, "f")
of("is_finite", "i")
of("gcd", "i", "j")
for name in ("lower", "upper", "capitalize", "length", "byte_length", "bit_length", "reverse"):
    of(name, "s")
of("length", "l")
of("length", "raw")
of("reverse", "l")
for name in ("substring", "substr"):
    of(name, "s", K(2))
    of(name, "s", K(1), K(3))
of("substring", "s", K(-3))
of("substring", "s", K(-4), K(2))
of("substring", "s", "j", K(2))
for name in ("head_of_string", "tail_of_string"):
    of(name, "s", K(2))
    of(name, "s", K(-2))
for name in ("strip", "lstrip", "rstrip", "trim", "ltrim", "rtrim"):
    of(name, "s")
    of(name, "s", K("a "))
for name in ("strip_prefix", "strip_suffix", "contains", "starts_with", "ends_with", "find", "position"):
    of(name, "s", K("a"))
    of(name, "s", "t")
for name in ("like", "ilike"):
    of(name, "s", K("%B%"))
    of(name, "s", K("a$,_,%"), K("$"))
of("regexp_matches", "s", K("[0-9]+|abc"))
of("count_matches", "s", K("a"))
of("regexp_count", "s", K("[ab]"))
of("replace", "s", K("a"), K("zz"))
of("replace", "s", K("a"), K("zz"), n=1)
of("regexp_replace", "s", K("([ab])"), K(r"<\1>"))
of("regexp_replace", "s", K("([ab])"), K(r"<\1>"), n=None)
of("extract", "s", K("([0-9])([0-9])"), group=2)
of("regexp_extract", "s", K("b.c"))
of("extract_all", "s", K("[ab]"))
of("split", "s", K(","))
of("regexp_split", "s", K("[, ]"))
of("split_part", "s", K(","), K(2))
of("concat_strings", "s", "t")
of("concat", "s", "t")
of("concat_ws", K("-"), "s", "t")
for name in ("pad_start", "pad_end", "lpad", "rpad"):
    of(name, "t", K(3), K("*"))
    of(name, "s", K(4))
of("zfill", "word", K(4))
of("repeat", "t", K(2))
of("translate", "s", K("ab"), K("x"))
of("parse_date", "iso")
of("parse_date", "iso", K("%Y-%m-%d"), strict=False)
of("parse_date", "s", strict=False)
of("parse_datetime", "moment")
of("parse_datetime", "moment", K("%Y-%m-%d %H:%M:%S"))
of("parse_datetime", "moment", time_zone="Europe/Paris")
of("parse_time", "hours")
of("parse_integer", "word")
of("parse_integer", "s", strict=False)
of("hex_encode", "raw")
of("hex", "raw")
of("hex_decode", "digits")
of("base64_encode", "raw")
of("base64_decode", "coded")
of("encode_utf8", "s")
of("decode_utf8", "raw")
for name in ("md5", "sha1", "sha256", "normalize", "strip_accents", "ascii"):
    of(name, "s")
of("regexp_escape", K("a.b[c]"))
of("chr", "code")
of("levenshtein", "s", "t")
for name in (
    "year",
    "iso_year",
    "quarter",
    "month",
    "week",
    "weekday",
    "day_of_week",
    "day",
    "ordinal_day",
    "days_in_month",
    "decade",
    "century",
    "is_leap_year",
    "day_name",
    "month_name",
    "last_day",
    "month_start",
    "month_end",
):
    of(name, "day")
    of(name, "ts")
    of(name, "zoned")
for name in (
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "nanosecond",
    "milliseconds_of_minute",
    "microseconds_of_minute",
):
    of(name, "ts")
    of(name, "zoned")
    of(name, "clock")
for name in ("date", "time"):
    of(name, "ts")
    of(name, "zoned")
for every in ("1mo", "1q", "1y", "5mo", "1w", "2w", "1d", "3d"):
    of("truncate", "day", every=every)
    of("truncate", "ts", every=every)
for every in ("1h", "15m", "6h", "1d", "1mo"):
    of("truncate", "ts", every=every)
    of("truncate", "zoned", every=every)
of("truncate", "ts", every="1d", offset="6h")
for by in ("1mo", "-1mo", "1d12h", "3w", "-15m"):
    of("offset_by", "ts", by=by)
    of("offset_by", "zoned", by=by)
    of("offset_by", "day", by=by)
of("strftime", "ts", K("%Y/%m/%d %H-%M-%S"))
of("strftime", "day", K("%d.%m.%y"))
for unit in ("s", "ms", "us", "d"):
    of("epoch", "ts", unit=unit)
    of("epoch", "day", unit=unit)
    of("epoch", "zoned", unit=unit)
of("from_epoch", "i", unit="s")
of("from_epoch", "i", unit="ms", time_zone="UTC")
of("convert_time_zone", "ts", time_zone="Europe/Paris")
of("convert_time_zone", "zoned", time_zone="Asia/Tokyo")
of("replace_time_zone", "ts", time_zone="Asia/Tokyo")
of("replace_time_zone", "zoned", time_zone=None)
of("replace_time_zone", "zoned", time_zone="Asia/Tokyo")
of("utc_offset", "zoned")
of("combine", "day", "clock")
of("make_date", "year", "month", K(5))
of("make_time", "month", "month", "sec")
of("make_timestamp", "year", "month", K(5), K(6), K(7), "sec")
for unit in ("day", "week", "month", "quarter", "year"):
    of("date_diff", "day", "later", unit=unit)
    of("date_sub", "day", "later", unit=unit)
of("date_diff", "ts", "ts", unit="hour")
of("cast_time_unit", "ts", unit="s")
of("cast_time_unit", "ts", unit="ns")
of("is_business_day", "day")
for unit in ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"):
    of(f"total_{unit}", "span")
for name in ("asinh", "cot"):
    of(name, "g")
of("acosh", K(1.5))
of("atanh", "share")
of("gamma", K(5.0))
of("detach", "f")
of("log_gamma", K(2.5))
for name in ("trunc_digits", "round_even"):
    of(name, "f", digits=1)
    of(name, "d", digits=1)
    of(name, "f")
of("lcm", "i", "j")
of("factorial", "n")
of("bit_not", "i")
of("shift_left", "n", K(3))
of("shift_right", "i", K(1))
of("bit_count", "i")
of("digits", "n", base=2, least=4)
for name in ("sha224", "sha384", "sha512", "initcap"):
    of(name, "s")
of("substring_index", "s", K(","), K(2))
of("url_encode", "s")
of("url_decode", K("a%20b"))
of("hamming", K("abc"), K("abd"))
for name in ("damerau_levenshtein", "jaccard", "jaro", "jaro_winkler"):
    of(name, K("martha"), K("marhta"))
of("make_interval", "n", "n", K(5_000_000_000))
of("scale_interval", K(pa.scalar(pa.MonthDayNano([1, 2, 3_000_000_000]))), K(3))
of("interval_field", K(pa.scalar(pa.MonthDayNano([14, 2, 3_000_000_000]))), field="month")
of("interval_seconds", K(pa.scalar(pa.MonthDayNano([1, 2, 3_000_000_000]))))
of("age", "ts", K(dt.datetime(2000, 1, 1)))
for name in ("list_has_any", "list_has_all", "list_except"):
    of(name, "l", "k")
of("list_distinct", K([3], LISTS))
of("list_intersect", "l", K([5, 9], LISTS))
of("list_union", K([3], LISTS), K([3], LISTS))
for name in ("list_positions", "list_remove"):
    of(name, "l", K(2))
of("list_replace", "l", K(2), K(9))
for name in ("median", "product", "bit_xor"):
    of("list_aggregate", "l", aggregate=name)
for name in ("std", "var"):
    of("list_aggregate", "l", aggregate=name, **{"with": (("ddof", 0),)})
    of("list_aggregate", "l", aggregate=name)
for name, options in (("skew", (("bias", False),)), ("kurtosis", (("bias", False),)), ("kurtosis", ())):
    of("list_aggregate", K([1, 2, 3, 9], LISTS), aggregate=name, **{"with": options})
for name in ("entropy", "approx_n_unique"):
    of("list_aggregate", K([1, 2, 2], LISTS), aggregate=name)
of("list_grade_up", "l")
of("list_grade_up", "l", descending=True, nulls_first=True)
of("list_zip", "l", "k")
of("list_zip", "l", "k", truncate=True)
for name in ("list_inner_product", "list_cosine_similarity", "list_distance"):
    of(name, K([1.5, 2.0], pa.list_(pa.float64())), K([2.0, 1.0], pa.list_(pa.float64())))
of("format_bytes", "i")
of("format_bytes", K(16000), base=1000)
of("list_resize", "l", K(4), K(0))
of("list_select", "l", K([1, 2], LISTS))
of("list_where", K([1, 2], LISTS), K([True, False], pa.list_(pa.bool_())))
of("list_cut", "l", K(1), K(2))
of("list_range", K(1), "n", K(2), inclusive=True)
of("list_range", K(1), "n", K(2), inclusive=False)
of("make_map", K(["a", "b"], pa.list_(pa.string())), K([1, 2], LISTS))
for name in ("map_keys", "map_values", "map_entries", "map_length"):
    of(name, "m")
for name in ("map_get", "map_extract", "map_contains"):
    of(name, "m", K("a"))
of(
    "map_from_entries",
    K([{"key": "a", "value": 1}], pa.list_(pa.struct([("key", pa.string()), ("value", pa.int64())]))),
)
of("map_concat", "m", "m")
of("list_length", "l")
for position in (0, 1, -1):
    of("list_get", "l", K(position))
of("list_get", "l", "j")
of("list_extract", "l", K(2))
for name in (
    "list_first",
    "list_last",
    "list_sum",
    "list_mean",
    "list_min",
    "list_max",
    "list_n_unique",
    "list_reverse",
    "list_drop_nulls",
):
    of(name, "l")
for name in ("list_contains", "list_find", "list_position", "list_count_matches"):
    of(name, "l", K(5))
for name in ("list_any", "list_all"):
    of(name, "lb")
of("list_sort", "l")
of("list_sort", "l", descending=True, nulls_first=True)
for start, length in ((0, 2), (1, 2), (-2, 1)):
    of("list_slice", "l", K(start), K(length))
of("list_slice", "l", K(1))
for count in (2, -1, 0):
    of("list_head", "l", K(count))
    of("list_tail", "l", K(count))
of("list_join", "ls", K("-"))
of("list_concat", "l", "k")
of("list_flatten", "ll")
of("make_list", "i", "j")
of("struct_field", "r", name="x")
of("make_struct", "i", "s", names=("p", "q"))

NOT_IN_DUCKDB = frozenset((
    "sha224", "sha384", "sha512", "substring_index", "list_except", "list_union", "list_positions",
))  # fmt: skip
"""Functions of other dialects, written by their names: DuckDB does not know them."""

AGGREGATES: dict[str, list[tuple[tuple[C, ...], dict[str, Any]]]] = {
    "len": [((), {})],
    "count": [(("f",), {})],
    "n_unique": [(("f",), {}), (("b",), {})],
    "approx_n_unique": [(("t",), {})],
    "sum": [(("i",), {}), (("f",), {}), (("d",), {}), (("b",), {}), (("span",), {})],
    "mean": [(("i",), {}), (("d",), {}), (("c",), {}), (("g",), {}), (("span",), {})],
    "product": [(("j",), {}), (("g",), {})],
    "min": [(("f",), {}), (("s",), {})],
    "max": [(("f",), {}), (("ts",), {})],
    "min_by": [(("i", "g"), {}), (("i", "g"), {"ignore_nulls": True})],
    "max_by": [(("s", "g"), {})],
    "first": [(("i",), {}), (("f",), {"ignore_nulls": True})],
    "last": [(("i",), {}), (("b",), {"ignore_nulls": True})],
    "any": [(("b",), {})],
    "all": [(("b",), {})],
    "std": [(("g",), {}), (("g",), {"ddof": 0}), (("g",), {"ddof": 2})],
    "var": [(("g",), {}), (("g",), {"ddof": 0}), (("g",), {"ddof": 2})],
    "skew": [(("g",), {"bias": False})],
    "kurtosis": [(("g",), {}), (("g",), {"bias": False})],
    "cov": [(("g", "sec"), {}), (("g", "sec"), {"ddof": 0})],
    "corr": [(("g", "sec"), {})],
    "median": [(("g",), {}), (("i",), {}), (("d",), {}), (("ts",), {})],
    "quantile": [
        *[(("g",), {"q": 0.3, "interpolation": how}) for how in ("linear", "lower", "higher", "nearest", "midpoint", "discrete")],
        (("i",), {"q": 0.75, "interpolation": "lower"}),
        (("d",), {"q": 0.25, "interpolation": "midpoint"}),
    ],
    "mode": [(("j",), {})],
    "entropy": [(("j",), {}), (("j",), {"base": 10.0})],
    "list": [(("i",), {})],
    "string_agg": [(("t",), {"separator": "|"})],
    "bit_and": [(("j",), {})],
    "bit_or": [(("j",), {})],
    "bit_xor": [(("j",), {})],
}  # fmt: skip


def projected(scan: Plan, name: str, args: tuple[C, ...], options: dict[str, Any]) -> Project:
    """The numbers of the rows, and a call for each."""
    bound: tuple[Scalar, ...] = tuple([_argument(scan, arg) for arg in args])
    from lazyframe.planner.functions.definition import lookup

    wanted = lookup(name).resolve(tuple([a.dtype for a in bound]), options).arguments
    call = Call(name, tuple([cast(a, t) for a, t in zip(bound, wanted, strict=True)]), tuple(options.items()))
    return Project(scan, (("n", column(scan.schema, "n")), ("result", call)))


def aggregate_call(scan: Plan, name: str, args: tuple[C, ...], options: dict[str, Any], **more: Any) -> AggregateCall:
    from lazyframe.planner.functions.definition import lookup_aggregate

    bound = tuple([_argument(scan, arg) for arg in args])
    wanted = lookup_aggregate(name).resolve(tuple([a.dtype for a in bound]), options).arguments
    casted = tuple([cast(a, t) for a, t in zip(bound, wanted, strict=True)])
    return AggregateCall(name, casted, options=tuple(options.items()), **more)


def _argument(scan: Plan, arg: C) -> Scalar:
    return literal(arg.value, arg.dtype) if isinstance(arg, Const) else column(scan.schema, arg)
