"""Random expressions, each written for this engine, for DuckDB and, where they agree, for Polars."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import polars as pl
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe.planner.graph import postorder
from lazyframe.planner.schema import Schema
from lazyframe.planner.unbound import Ref
from tests.differential.tables import family

LITERALS: dict[str, list[Any]] = {
    "int": [0, 1, 2, 3, -1, 100],
    "float": [0.0, 1.0, -1.5, 2.25, 1000.0],
    "dec": [decimal.Decimal("0.05"), decimal.Decimal("1.50"), decimal.Decimal(-3)],
    "str": ["", "a", "ab", "é", "zz"],
    "bool": [True, False],
    "date": [datetime.date(2024, 1, 31), datetime.date(1970, 1, 1)],
    "ts": [datetime.datetime(2024, 1, 31, 12), datetime.datetime(1970, 1, 1)],  # noqa: DTZ001
    "tz": [datetime.datetime(2023, 3, 26, 1, 30, tzinfo=datetime.UTC)],
}


@dataclass(frozen=True)
class E:
    """An expression in three languages; None where a peer means something else by it."""

    ours: lf.Expr
    sql: str | None
    polars: pl.Expr | None


def sql_literal(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case int():
            return f"({value})"
        case float():
            return f"('{value}'::DOUBLE)"
        case decimal.Decimal():
            return f"({value})"
        case datetime.datetime() if value.tzinfo is not None:
            return f"TIMESTAMPTZ '{value.isoformat()}'"
        case datetime.datetime():
            return f"TIMESTAMP '{value.isoformat()}'"
        case datetime.date():
            return f"DATE '{value.isoformat()}'"
    return "'" + str(value).replace("'", "''") + "'"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def column(name: str) -> E:
    return E(lf.col(name), quoted(name), pl.col(name))


def constant(value: Any) -> E:
    return E(lf.lit(value), sql_literal(value), pl.lit(value))


def combine(ours: Callable[..., lf.Expr], sql: str | None, polars: Callable[..., pl.Expr] | None, *args: E) -> E:
    """A call; `sql` is a format of the arguments."""
    known = sql is not None and all(a.sql is not None for a in args)
    same = polars is not None and all(a.polars is not None for a in args)
    return E(
        ours(*[a.ours for a in args]),
        sql.format(*[a.sql for a in args]) if known and sql is not None else None,
        polars(*[a.polars for a in args]) if same and polars is not None else None,
    )


def columns_of(schema: Schema, kind: str) -> list[str]:
    return [f.name for f in schema if family(f.dtype) == kind]


@st.composite
def values(draw: st.DrawFn, schema: Schema, kind: str, depth: int = 2) -> E:
    """An expression of a family of types over the columns of the schema."""
    here = columns_of(schema, kind)
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        if here and draw(st.integers(0, 4)):
            return column(draw(st.sampled_from(here)))
        return constant(draw(st.sampled_from(LITERALS[kind])))

    def sub(wanted: str = kind, less: int = 1) -> E:
        return draw(values(schema, wanted, max(0, depth - less)))

    chosen = draw(st.sampled_from([*_GENERAL, *_MAKERS[kind], *_MAKERS[kind]]))
    return chosen(draw, sub, kind)


Sub = Callable[..., E]


def _when(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return combine(
        lambda c, a, b: lf.when(c).then(a).otherwise(b),
        "CASE WHEN {0} THEN {1} ELSE {2} END",
        lambda c, a, b: pl.when(c).then(a).otherwise(b),
        sub("bool"), sub(), sub(),
    )  # fmt: skip


def _when_open(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return combine(
        lambda c, a: lf.when(c).then(a),
        "CASE WHEN {0} THEN {1} END",
        lambda c, a: pl.when(c).then(a),
        sub("bool"),
        sub(),
    )


def _coalesce(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return combine(lf.coalesce, "coalesce({0}, {1})", pl.coalesce, sub(), sub())


def _extreme(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    least = draw(st.booleans())
    return combine(
        lf.min_horizontal if least else lf.max_horizontal, "least({0}, {1})" if least else "greatest({0}, {1})", None,
        sub(), sub(),
    )  # fmt: skip


_GENERAL = [_when, _when_open, _coalesce, _extreme]

_OPERATORS: list[tuple[str, str]] = [("==", "="), ("!=", "<>"), ("<", "<"), ("<=", "<="), (">", ">"), (">=", ">=")]


def _operator(symbol: str) -> Callable[[Any, Any], Any]:
    return {
        "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "+": lambda a, b: a + b, "-": lambda a, b: a - b,
        "*": lambda a, b: a * b, "/": lambda a, b: a / b, "//": lambda a, b: a // b, "%": lambda a, b: a % b,
        "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    }[symbol]  # fmt: skip


def _compare(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    what = draw(st.sampled_from(list(LITERALS)))
    python, sql = draw(st.sampled_from(_OPERATORS))
    apply = _operator(python)
    # Polars compares int64 with uint64, and integers with decimals, after rounding them to floats.
    return combine(apply, f"({{0}} {sql} {{1}})", apply if what not in ("int", "dec") else None, sub(what), sub(what))


def _compare_numbers(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    python, _ = draw(st.sampled_from(_OPERATORS))
    first, second = draw(st.permutations(["int", "float", "dec"]))[:2]
    return combine(_operator(python), None, None, sub(first), sub(second))


def _missing(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    what = draw(st.sampled_from(list(LITERALS)))
    return combine(
        lambda a, b: a.eq_missing(b), "({0} IS NOT DISTINCT FROM {1})",
        (lambda a, b: a.eq_missing(b)) if what not in ("int", "dec") else None, sub(what), sub(what),
    )  # fmt: skip


def _logic(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    python, sql = draw(st.sampled_from([("&", "AND"), ("|", "OR"), ("^", "<>")]))
    apply = _operator(python)
    return combine(apply, f"({{0}} {sql} {{1}})", apply, sub("bool"), sub("bool"))


def _not(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return combine(lambda a: ~a, "(NOT {0})", lambda a: ~a, sub("bool"))


def _is_null(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    what = draw(st.sampled_from(list(LITERALS)))
    if draw(st.booleans()):
        return combine(lambda a: a.is_null(), "({0} IS NULL)", lambda a: a.is_null(), sub(what))
    return combine(lambda a: a.is_not_null(), "({0} IS NOT NULL)", lambda a: a.is_not_null(), sub(what))


def _is_in(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    what = draw(st.sampled_from(list(LITERALS)))
    options = draw(st.lists(st.one_of(st.sampled_from(LITERALS[what]), st.none()), min_size=1, max_size=3))
    listed = ", ".join(sql_literal(o) for o in options)
    return combine(lambda a: a.is_in(options), f"({{0}} IN ({listed}))", None, sub(what))


def _between(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    what = draw(st.sampled_from(["int", "float", "str", "date"]))
    return combine(
        lambda a, b, c: a.is_between(b, c), "({0} BETWEEN {1} AND {2})",
        (lambda a, b, c: a.is_between(b, c)) if what != "int" else None, sub(what), sub(what), sub(what),
    )  # fmt: skip


def _like(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    pattern = draw(st.sampled_from(["a%", "%b", "_", "%", "", "a_%", "%é%"]))
    return combine(lambda a: a.str.like(pattern), f"({{0}} LIKE '{pattern}')", None, sub("str"))


def _text_test(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    part = draw(st.sampled_from(["a", "", "b", "é", "_"]))
    return draw(
        st.sampled_from(
            [
                combine(
                    lambda a: a.str.starts_with(part), f"starts_with({{0}}, '{part}')",
                    lambda a: a.str.starts_with(part), sub("str"),
                ),
                combine(
                    lambda a: a.str.contains(part, literal=True), f"contains({{0}}, '{part}')",
                    lambda a: a.str.contains(part, literal=True), sub("str"),
                ),
            ]
        )
    )  # fmt: skip


def _is_nan(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return combine(lambda a: a.is_nan(), "isnan({0})", lambda a: a.is_nan(), sub("float"))


def _arithmetic(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    symbol = draw(st.sampled_from(["+", "-", "*"]))
    apply = _operator(symbol)
    return combine(apply, f"({{0}} {symbol} {{1}})", apply if kind == "float" else None, sub(), sub())


def _floor_division(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    symbol = draw(st.sampled_from(["//", "%"]))
    return combine(_operator(symbol), None, None, sub(), constant(draw(st.sampled_from([2, 3, -3, 7]))))


def _guarded_division(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    divisor = sub()
    return combine(lambda a, b: lf.when(b != 0).then(a // b).otherwise(b), None, None, sub(), divisor)


def _negate(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    if draw(st.booleans()):
        return combine(lambda a: -a, "(- {0})", None, sub())
    return combine(lambda a: a.abs(), "abs({0})", None if kind != "float" else lambda a: a.abs(), sub())


def _length(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return combine(lambda a: a.str.len_chars(), "length({0})", lambda a: a.str.len_chars().cast(pl.Int64), sub("str"))


def _date_part(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    part = draw(st.sampled_from(["year", "month", "day", "quarter", "week"]))
    what = draw(st.sampled_from(["date", "ts"]))
    return combine(
        lambda a: getattr(a.dt, part)(), f"{part}({{0}})", lambda a: getattr(a.dt, part)().cast(pl.Int64), sub(what)
    )


def _divide(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    what = draw(st.sampled_from(["int", "float"]))
    return combine(lambda a, b: a / b, "({0}::DOUBLE / {1}::DOUBLE)", None, sub(what), sub(what))


def _to_float(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    what = draw(st.sampled_from(["int", "dec", "bool"]))
    return combine(lambda a: a.cast("float64"), "({0}::DOUBLE)", None, sub(what))


def _rounded(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    name = draw(st.sampled_from(["floor", "ceil", "trunc"]))
    return combine(lambda a: getattr(a, name)(), f"{name}({{0}})", None, sub())


def _to_int(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    what = draw(st.sampled_from(["int", "bool"]))
    return combine(lambda a: a.cast("int64"), "({0}::BIGINT)", None, sub(what))


def _try_int(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return combine(lambda a: a.try_cast("int8"), "TRY_CAST({0} AS TINYINT)", None, sub("int"))


def _text(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return draw(
        st.sampled_from(
            [
                combine(lambda a, b: a + b, "({0} || {1})", lambda a, b: a + b, sub(), sub()),
                combine(lambda a: a.str.upper(), "upper({0})", lambda a: a.str.to_uppercase(), sub()),
                combine(lambda a: a.str.lower(), "lower({0})", lambda a: a.str.to_lowercase(), sub()),
                combine(lambda a: a.str.slice(1, 2), "substr({0}, 2, 2)", lambda a: a.str.slice(1, 2), sub()),
                combine(lambda a: a.str.replace_all("a", "é", literal=True), "replace({0}, 'a', 'é')",
                        lambda a: a.str.replace_all("a", "é", literal=True), sub()),
                combine(lambda a: a.cast("string"), "({0}::VARCHAR)", None, sub(draw(st.sampled_from(["int", "bool", "date"])))),
            ]
        )
    )  # fmt: skip


def _date(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return draw(
        st.sampled_from(
            [
                combine(lambda a: a + lf.interval(months=1), "(({0} + INTERVAL 1 MONTH)::DATE)", None, sub()),
                combine(lambda a: a + lf.interval(days=-3), "(({0} - INTERVAL 3 DAY)::DATE)", None, sub()),
                combine(lambda a: a.dt.date(), "({0}::DATE)", lambda a: a.dt.date(), sub("ts")),
                combine(lambda a: a.dt.truncate("1mo"), "(date_trunc('month', {0})::DATE)", lambda a: a.dt.truncate("1mo"), sub()),
            ]
        )
    )  # fmt: skip


def _moment(draw: st.DrawFn, sub: Sub, kind: str) -> E:
    return draw(
        st.sampled_from(
            [
                combine(lambda a: a + lf.duration(hours=5), "({0} + INTERVAL 5 HOUR)", None, sub()),
                combine(lambda a: a.dt.truncate("1h"), "date_trunc('hour', {0})", None, sub()),
                combine(lambda a: a.cast("timestamp[us]"), "({0}::TIMESTAMP)", None, sub("date"))
                if kind == "ts"
                else sub(),
            ]
        )
    )


_MAKERS: dict[str, list[Callable[[st.DrawFn, Sub, str], E]]] = {
    "bool": [_compare, _compare, _compare_numbers, _missing, _logic, _logic, _not, _is_null, _is_in, _between, _like,
             _text_test, _is_nan],
    "int": [_arithmetic, _floor_division, _guarded_division, _negate, _length, _date_part, _to_int, _try_int],
    "float": [_arithmetic, _divide, _to_float, _rounded, _negate],
    "dec": [_arithmetic, _negate],
    "str": [_text],
    "date": [_date],
    "ts": [_moment],
    "tz": [_moment],
}  # fmt: skip


@st.composite
def any_value(draw: st.DrawFn, schema: Schema, depth: int = 2) -> E:
    return draw(values(schema, draw(st.sampled_from(list(LITERALS))), depth))


@st.composite
def aggregates(draw: st.DrawFn, schema: Schema, *, ordered: bool) -> E:
    """An aggregate over the rows of a group; one that looks at their order only where peers keep the same."""
    name = draw(st.sampled_from(_AGGREGATES))
    if name == "len":
        return E(lf.len(), "count(*)", pl.len().cast(pl.Int64))
    kind = draw(st.sampled_from(_AGGREGATES_OF[name]))
    arg = draw(values(schema, kind, 1))
    if not any(isinstance(node, Ref) for node in postorder(arg.ours._node)):
        arg = replace(arg, polars=None)  # there a constant has one value, however many rows there are
    found = _aggregate(name, kind, arg, ordered)
    if draw(st.integers(0, 3)) == 0 and not (name == "mean" and kind == "int"):
        where = draw(values(schema, "bool", 1))
        return combine(lambda a, w: a.filter(w), "{0} FILTER (WHERE {1})", None, found, where)
    return found


_AGGREGATES = [
    "len",
    "count",
    "sum",
    "mean",
    "min",
    "max",
    "n_unique",
    "any",
    "all",
    "std",
    "var",
    "median",
    "first",
    "last",
]
_ALL = list(LITERALS)
_AGGREGATES_OF = {
    "count": _ALL, "sum": ["int", "float", "dec"], "mean": ["int", "float", "dec"], "min": _ALL, "max": _ALL, "n_unique": _ALL,
    "any": ["bool"], "all": ["bool"], "std": ["int"], "var": ["int"], "median": ["int"], "first": _ALL, "last": _ALL,
}  # fmt: skip


def _aggregate(name: str, kind: str, arg: E, ordered: bool) -> E:
    floats = kind == "float"
    match name:
        case "count":
            return combine(lambda a: a.count(), "count({0})", lambda a: a.count().cast(pl.Int64), arg)
        case "sum":
            cast = pl.Float64 if floats else pl.Int64
            return combine(
                lambda a: a.sum(), "sum({0}::DOUBLE)" if floats else "sum({0})",
                None if kind != "float" else lambda a: pl.when(a.count() > 0).then(a.cast(cast).sum()), arg,
            )  # fmt: skip
        case "mean":
            exact = "(sum({0}::HUGEINT)::DOUBLE / count({0}))" if kind == "int" else None
            sql = "avg({0}::DOUBLE)" if kind == "float" else exact
            return combine(lambda a: a.mean(), sql, None, arg)
        case "min" | "max":
            method = (lambda a: a.min()) if name == "min" else (lambda a: a.max())
            # DuckDB has NaN as the greatest too; Polars leaves it out.
            return combine(method, f"{name}({{0}})", None if floats else method, arg)
        case "n_unique":
            return combine(lambda a: a.n_unique(), None, lambda a: a.n_unique().cast(pl.Int64), arg)
        case "any" | "all":
            sql = "bool_or({0})" if name == "any" else "bool_and({0})"
            return combine(lambda a: getattr(a, name)(), sql, None, arg)
        case "std" | "var":
            sql = "stddev_samp({0})" if name == "std" else "var_samp({0})"
            return combine(lambda a: getattr(a, name)(), sql, None, arg)
        case "median":
            return combine(lambda a: a.median(), "median({0}::DOUBLE)", None, arg)
    polars = (lambda a: getattr(a, name)()) if ordered else None
    return combine(lambda a: getattr(a, name)(), None, polars, arg)
