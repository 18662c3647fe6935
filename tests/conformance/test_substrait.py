"""Substrait's table of what scalar functions give at the edges, through SQL.

Each line `function(arguments) [options] = result` becomes a SELECT. What we deliberately answer otherwise stands in DIFFERENCES
with its reason, and a line that starts or stops to differ fails. Aggregates of columns have corpora of their own.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.planner.errors import LazyFrameError
from tests.conformance.corpora import FOLDER

_CASES = FOLDER / "substrait" / "tests" / "cases"
if not _CASES.is_dir():
    pytest.skip("the corpora are not beside this checkout", allow_module_level=True)

_TYPES = {
    "i8": "TINYINT", "i16": "SMALLINT", "i32": "INTEGER", "i64": "BIGINT", "u8": "UTINYINT", "u16": "USMALLINT",
    "u32": "UINTEGER", "u64": "UBIGINT", "fp32": "REAL", "fp64": "DOUBLE", "str": "VARCHAR", "string": "VARCHAR",
    "bool": "BOOLEAN", "date": "DATE", "pts": "TIMESTAMP", "ptstz": "TIMESTAMPTZ", "pt": "TIME", "iday": "INTERVAL",
    "iyear": "INTERVAL",
}  # fmt: skip

_FUNCTIONS = {
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} * {1}", "divide": "{0} / {1}", "modulus": "{0} % {1}",
    "negate": "-{0}", "power": "power({0}, {1})", "bitwise_and": "{0} & {1}", "bitwise_or": "{0} | {1}",
    "bitwise_xor": "xor({0}, {1})", "xor": "{0} <> {1}", "bitwise_not": "~{0}", "shift_left": "{0} << {1}", "shift_right": "{0} >> {1}",
    "logb": "log({0}, {1})", "gt": "{0} > {1}", "gte": "{0} >= {1}", "lt": "{0} < {1}", "lte": "{0} <= {1}", "equal": "{0} = {1}",
    "not_equal": "{0} <> {1}", "between": "{0} BETWEEN {1} AND {2}", "is_null": "{0} IS NULL", "is_not_null": "{0} IS NOT NULL",
    "is_nan": "isnan({0})", "is_finite": "isfinite({0})", "is_infinite": "isinf({0})", "is_true": "{0} IS TRUE",
    "is_not_true": "{0} IS NOT TRUE", "is_false": "{0} IS FALSE", "is_not_false": "{0} IS NOT FALSE",
    "is_not_distinct_from": "{0} IS NOT DISTINCT FROM {1}", "and_not": "{0} AND NOT {1}", "not": "NOT {0}",
    "add_intervals": "{0} + {1}", "extract": "extract({0} FROM {1})", "like": "{0} LIKE {1}",
    "regexp_replace": "regexp_replace({0}, {1}, {2})", "regexp_match_substring": "regexp_substr({0}, {1})",
    "regexp_count_substring": "regexp_count({0}, {1})", "regexp_string_split": "regexp_split_to_array({0}, {1})",
    "transform": "list_transform({0}, {1})", "filter": "list_filter({0}, {1})",
    "all_match": "list_bool_and(list_transform({0}, {1}))", "any_match": "list_bool_or(list_transform({0}, {1}))",
}  # fmt: skip
_VARIADIC = {"and": " AND ", "or": " OR "}
_SAME = {
    "abs", "sqrt", "exp", "ln", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "asinh", "acosh", "atanh", "factorial", "round", "floor", "ceil", "coalesce", "nullif", "concat", "concat_ws", "contains",
    "starts_with", "ends_with", "substring", "upper", "lower", "reverse", "repeat", "replace", "lpad", "rpad", "ltrim", "rtrim",
    "trim", "left", "right", "bit_length", "octet_length", "string_split", "cardinality",
}  # fmt: skip
_RENAMED = {"char_length": "length"}
_FIELDS = {"ISO_YEAR": "isoyear", "ISO_WEEK": "week", "DAY_OF_YEAR": "doy", "UNIX_TIME": "epoch"}

_OTHER_CHOICES = {
    ("overflow", "SATURATE"), ("overflow", "SILENT"), ("on_domain_error", "ERROR"), ("on_domain_error", "NONE"),
    ("on_domain_error", "NULL"), ("on_log_zero", "ERROR"), ("on_log_zero", "NAN"), ("negative_start", "LEFT_OF_BEGINNING"),
    ("case_sensitivity", "CASE_INSENSITIVE"), ("null_handling", "ACCEPT_NULLS"), ("on_division_by_zero", "NULL"),
    ("on_division_by_zero", "NAN"), ("complex_number_result", "ERROR"), ("spaces_only", "FALSE"), ("spaces_only", "False"),
    ("lookaround", "TRUE"), ("rounding", "TRUNCATE"), ("division_type", "FLOOR"), ("full_unicode", "TRUE"),
}  # fmt: skip
"""Options that ask for what another engine does."""

_LEFT_OUT = {
    "sum", "min", "max", "count", "bool_and", "bool_or", "approx_count_distinct", "shift_right_unsigned", "sort",
}  # fmt: skip
"""Aggregates, and what SQL has no function for."""


_NOT_SAID = re.compile(r"null::func|SUNDAY_DAY_OF_WEEK|MONDAY_DAY_OF_WEEK|bitwise.*dec\??<|factorial.*dec\??<")
"""What SQL cannot say: no lambda at all, weeks counted so, bits and factorials of decimals."""


class Case(NamedTuple):
    """A line of the table: a name, arguments and the result as values with types, and options."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]
    result: tuple[str, str]


def _typed(text: str, start: int, ends: str) -> tuple[str, str, int]:
    """A value, its type, and where they end."""
    position, depth, quoted = start, 0, False
    while quoted or depth or not text.startswith("::", position):
        character = text[position]
        if character == "'":
            quoted = not quoted
        elif not quoted:
            depth += (character in "([") - (character in ")]")
        position += 1
    value = text[start:position].strip()
    position += 2
    begin, depth = position, 0
    while position < len(text) and (depth or text[position] not in ends):
        # The > of -> closes nothing.
        depth += (text[position] == "<") - (text[position] == ">" and text[position - 1] != "-")
        position += 1
    return value, text[begin:position].strip(), position


def _read(line: str) -> Case:
    name, _, _ = line.partition("(")
    position = len(name) + 1
    arguments = []
    while line[position] != ")":
        value, kind, position = _typed(line, position, ",)")
        arguments.append((value, kind))
        position += line[position] == ","
        while line[position] == " ":
            position += 1
    options, _, rest = line[position + 1 :].partition("=")
    found = tuple(re.findall(r"(\w+): ?(\w+)", options))
    rest = rest.strip()
    result = (rest, "") if rest.startswith("<!") else _typed(rest, 0, "")[:2]
    return Case(name, tuple(arguments), found, result)


def _sql_type(kind: str) -> str:
    bare = kind.replace("?", "").removeprefix("u!")
    name, _, inner = bare.partition("<")
    if name == "dec":
        return f"DECIMAL({inner.rstrip('>')})"
    return f"{_sql_type(inner[:-1])}[]" if name == "list" else _TYPES[name]


def _split(text: str) -> list[str]:
    """The items of `[a, 'b, c']`."""
    return re.findall(r"'[^']*'|[^,\[\]\s]+", text)


def _constant(value: str, kind: str) -> str:
    name = kind.replace("?", "").partition("<")[0]
    if name == "enum":
        return _FIELDS.get(value, value)
    if name == "func":
        return _lambda(value)
    target = _sql_type(kind)
    if value.lower() == "null":
        return f"CAST(NULL AS {target})"
    if name == "list":
        items = ", ".join(item if item.startswith("'") else item.upper() for item in _split(value))
        return f"CAST([{items}] AS {target})"
    if name in ("str", "string"):
        return "'" + value[1:-1].replace("'", "''") + "'"
    value = value.strip("()")
    text = value if value.startswith("'") else f"'{value}'"
    return f"CAST({text} AS {target})"


def _lambda(value: str) -> str:
    """`(x -> gt(x, 0::i32))`."""
    parameter, _, body = value.strip("()").partition(" -> ")
    m = re.fullmatch(r"(\w+)\((.*)\)?", body)
    assert m
    args = [part.strip() for part in m[2].split(",")]
    written = [_constant(*part.split("::")) if "::" in part else part for part in args]
    return f"{parameter} -> {_call(m[1], written)}"


def _call(name: str, args: list[str]) -> str:
    if name in _VARIADIC:
        return _VARIADIC[name].join(args) if len(args) > 1 else args[0]
    if name in _SAME or name in _RENAMED:
        return f"{_RENAMED.get(name, name)}({', '.join(args)})"
    return _FUNCTIONS[name].format(*args)


def _answer(case: Case) -> Any:
    args = [_constant(value, kind) for value, kind in case.arguments]
    (found,) = lf.sql(f"SELECT {_call(case.name, args)}").collect().to_arrow().column(0).to_pylist()
    return found


_ISO_SPAN = re.compile(r"P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?)?")


def _wanted(value: str, kind: str) -> Any:
    """The result as a Python value."""
    name = kind.replace("?", "").removeprefix("u!").partition("<")[0]
    if value.lower() == "null":
        return None
    if name == "list":
        inner = kind.replace("?", "").partition("<")[2][:-1]
        return [_wanted(item, inner) for item in _split(value)]
    if name in ("str", "string"):
        return value[1:-1]
    value = value.strip("()'")
    if name == "bool":
        return value == "true"
    if name in ("fp32", "fp64"):
        return float(value)
    if name == "dec":
        return decimal.Decimal(value)
    if name in ("iday", "iyear"):
        m = _ISO_SPAN.fullmatch(value)
        assert m
        years, months, days, hours, minutes = (int(part or 0) for part in m.groups()[:5])
        nanos = round((hours * 3600 + minutes * 60 + float(m[6] or 0)) * 1e9)
        return pa.MonthDayNano([years * 12 + months, days, nanos])
    if name in ("pts", "ptstz"):
        return dt.datetime.fromisoformat(value)
    return dt.date.fromisoformat(value) if name == "date" else int(value)


def _is_same(found: Any, wanted: Any) -> bool:
    if found is None or wanted is None:
        return found is wanted
    if isinstance(wanted, float) and isinstance(found, (int, float, decimal.Decimal)):
        if math.isnan(wanted):
            return math.isnan(found)
        return float(found) == pytest.approx(wanted, rel=1e-6)
    if isinstance(found, float) and isinstance(wanted, (int, decimal.Decimal)):
        return found == pytest.approx(float(wanted), rel=1e-9)
    if isinstance(found, dt.timedelta) and isinstance(wanted, pa.MonthDayNano):
        return found == dt.timedelta(days=wanted.days, microseconds=wanted.nanoseconds // 1000)
    return bool(found == wanted)


def _problem(case: Case) -> str | None:
    """What is not as the line has it."""
    try:
        found = _answer(case)
    except LazyFrameError as error:
        return None if case.result[0] == "<!ERROR>" else f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if case.result[0] == "<!ERROR>":
        return f"{found!r}, not an error"
    return None if _is_same(found, _wanted(*case.result)) else repr(found)


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    found = [line.strip() for line in text.splitlines() if re.match(r"\w+\(", line.strip())]
    return list(dict.fromkeys(found))


_TRUE_DIVISION = "/ is true division in floats: infinite at zero, and no overflow"
_NAN = "a root of a negative number is NaN"
_DATES = "a date moved by days stays a date"
_NULLS = "the aggregates of a list leave nulls out"
_EMPTY = "an empty match right behind a match is none, as RE2 replaces them"
_SEPARATOR = "a null argument gives null"
_TABLE = "the table is wrong: 301989888 * 256 is 77309411328"

DIFFERENCES: dict[str, str] = {
    "divide(-9223372036854775808::i64, -1::i64) [overflow:ERROR] = <!ERROR>": _TRUE_DIVISION,
    "divide(5::i8, 0::i8) [on_division_by_zero:ERROR] = <!ERROR>": _TRUE_DIVISION,
    "divide(('5')::u!u8, ('0')::u!u8) [on_division_by_zero:ERROR] = <!ERROR>": _TRUE_DIVISION,
    "shift_left(301989888::i64, 8::i32) = 19791209299968::i64": _TABLE,
    "sqrt(-1::i64) [on_domain_error:NAN] = null::fp64?": _NAN,
    "sqrt(-9223372036854775800::i64) [on_domain_error:NAN] = null::fp64?": _NAN,
    "sqrt(-2.5::dec<2, 1>) = <!ERROR>": _NAN,
    "sqrt(-9223372036854775800::dec<19, 0>) = <!ERROR>": _NAN,
    "add(2020-12-31::date, P5D::iday<6>) = 2021-01-05T00:00:00::pts<6>": _DATES,
    "subtract(2020-12-31::date, P5D::iday<0>) = 2020-12-26T00:00:00::pts<0>": _DATES,
    "all_match([1, Null, 2]::list<i32?>, (x -> gt(x, 0::i32))::func<i32? -> bool?>) = Null::bool?": _NULLS,
    "any_match([1, Null, 2]::list<i32?>, (x -> gt(x, 5::i32))::func<i32? -> bool?>) = Null::bool?": _NULLS,
    "regexp_count_substring('abcdefc'::str, '(.*)c?'::str) = 2::i64": _EMPTY,
    "regexp_count_substring('abcdefc'::str, '(.*)c?'::str, 1::i64) = 2::i64": _EMPTY,
    "string_split('a b c d'::str, null::str?) = ['a b c d']::list?<str>": _SEPARATOR,
}  # fmt: skip
"""Lines that we answer otherwise, and why."""


@pytest.mark.parametrize("path", sorted(_CASES.rglob("*.test")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_lines(path):
    problems = {}
    for line in _lines(path):
        if line.partition("(")[0] in _LEFT_OUT or _NOT_SAID.search(line):
            continue
        case = _read(line)
        if case.result[0] == "<!UNDEFINED>" or any(option in _OTHER_CHOICES for option in case.options):
            continue
        found = _problem(case)
        if found is not None:
            problems[line] = found
    listed = {line for line in _lines(path) if line in DIFFERENCES}
    assert {line: found for line, found in problems.items() if line not in listed} == {}
    assert listed <= set(problems)
