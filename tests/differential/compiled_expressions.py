"""Random expressions of any types: functions are tried on what there is until one fits."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import lazyframe as lf
from lazyframe.planner.types import is_decimal, is_float, is_integer
from tests.differential.compiled_columns import literals
from tests.differential.expressions import LITERALS
from tests.differential.queries import Draw
from tests.differential.tables import family

_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bool", "string",
          "date", "timestamp[us]", "timestamp[s]", "decimal(5, 2)", "decimal(18, 4)", "decimal(38, 10)", "decimal(12, 0)"]  # fmt: skip
_PATTERNS = ["a%", "%b", "_", "%", "", "a_%", "%é%", "ab%", "%ab%ab%", "prefix%!", "%\\%%", "__", "a%b%"]
_PARTS = ["a", "", "ab", "é", "prefix of many ", "abababab", "\0", "%"]

Unary = Callable[[Draw, lf.Expr, Any], Any]
Binary = Callable[[lf.Expr, lf.Expr], Any]


def _values_like(draw: Draw, dtype: Any) -> list[Any]:
    """Values to compare those of a type with."""
    known: list[Any] = literals(dtype) or LITERALS.get(family(dtype), [])
    if is_integer(dtype):
        known = [*known, 5, 7, -2, 127, 255, 2**31 - 1, 2**63 - 1]
    elif is_float(dtype):
        known = [*known, float("nan"), float("inf"), -0.0, 0.1]
    elif is_decimal(dtype):
        known = [*known, decimal.Decimal("99.99"), decimal.Decimal("0.0001")]
    elif str(dtype) == "string":
        known = [*known, *_PARTS]
    elif str(dtype) == "date32[day]":
        known = [*known, datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)]
    return known


def _member(draw: Draw, x: lf.Expr, dtype: Any) -> Any:
    known = [*_values_like(draw, dtype), None]
    return x.is_in(draw(st.lists(st.sampled_from(known), min_size=1, max_size=len(known))))


def _against_literal(draw: Draw, x: lf.Expr, dtype: Any) -> Any:
    value = draw(st.sampled_from(_values_like(draw, dtype)))
    return draw(st.sampled_from(_BINARY))(x, lf.lit(value))


def _of_text(draw: Draw, x: lf.Expr, dtype: Any) -> Any:
    n, m = draw(st.integers(-4, 9)), draw(st.integers(0, 9))
    pattern, part = draw(st.sampled_from(_PATTERNS)), draw(st.sampled_from(_PARTS))
    s = x.str
    return draw(
        st.sampled_from(
            [
                lambda: s.slice(n, m), lambda: s.slice(n), lambda: s.head(n), lambda: s.tail(n), s.len_chars,
                s.len_bytes, lambda: s.like(pattern), lambda: s.ilike(pattern), lambda: s.starts_with(part),
                lambda: s.ends_with(part), lambda: s.contains(part, literal=True), lambda: s.find(part, literal=True),
                lambda: s.strip_prefix(part), lambda: s.strip_suffix(part), s.upper, s.strip,
                lambda: s.replace_all("a", "bb", literal=True), lambda: s.like(pattern.replace("a", "\\a"), escape="\\"),
            ]
        )
    )()  # fmt: skip


def _of_bytes(draw: Draw, x: lf.Expr, dtype: Any) -> Any:
    n, m = draw(st.integers(-3, 5)), draw(st.integers(0, 5))
    part = draw(st.sampled_from([b"", b"a", b"ab", b"\xff"]))
    b = x.bin
    return draw(
        st.sampled_from(
            [b.len_bytes, lambda: b.slice(n, m), lambda: b.contains(part), lambda: b.starts_with(part),
             lambda: b.ends_with(part)]
        )
    )()  # fmt: skip


_DATE_PARTS = ["year", "iso_year", "quarter", "month", "week", "weekday", "day", "ordinal_day", "days_in_month",
               "is_leap_year", "century", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond", "date",
               "time", "month_start", "month_end", "epoch"]  # fmt: skip


def _of_instant(draw: Draw, x: lf.Expr, dtype: Any) -> Any:
    form = draw(st.sampled_from(["part", "part", "part", "truncate", "offset", "plus"]))
    match form:
        case "part":
            return getattr(x.dt, draw(st.sampled_from(_DATE_PARTS)))()
        case "truncate":
            return x.dt.truncate(draw(st.sampled_from(["1s", "15m", "1h", "1d", "1w", "1mo", "1q", "1y"])))
        case "offset":
            return x.dt.offset_by(draw(st.sampled_from(["1mo", "-1mo", "1d", "-13mo", "2h", "1y"])))
    return x + draw(st.sampled_from([lf.duration(hours=5), lf.duration(days=-1), lf.interval(months=1)]))


def _cast(draw: Draw, x: lf.Expr, dtype: Any) -> Any:
    to = draw(st.sampled_from(_TYPES))
    return x.try_cast(to) if draw(st.booleans()) else x.cast(to)


def _number(draw: Draw, x: lf.Expr, dtype: Any) -> Any:
    return draw(
        st.sampled_from(
            [
                lambda: -x, x.abs, x.floor, x.ceil, x.trunc, lambda: x.round(1),
                x.round, x.sign, x.sqrt, x.is_nan, x.is_finite, x.exp, x.log, x.log1p, x.log2, x.log10, x.tanh, x.cbrt,
                x.sinh, x.cosh, x.sin, x.cos, x.tan, x.arcsin, x.arctan, lambda: x.log(3.0), lambda: x.cast("float64") ** 0.75,
                lambda: x.fill_nan(0.5), x.is_infinite, lambda: x // 3, lambda: x % 7, lambda: x * 2,
                lambda: x + 1, lambda: 100 - x, lambda: x / 3, lambda: x % -3, lambda: x * decimal.Decimal("1.05"),
            ]
        )
    )()  # fmt: skip


def _null(draw: Draw, x: lf.Expr, dtype: Any) -> Any:
    return draw(
        st.sampled_from(
            [
                x.is_null,
                x.is_not_null,
                lambda: x.fill_null(_values_like(draw, dtype)[0]),
                lambda: ~x,
            ]
        )
    )()


_BINARY: list[Binary] = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b, lambda a, b: a // b, lambda a, b: a % b,
    lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b,
    lambda a, b: a >= b, lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b, lambda a, b: a.eq_missing(b),
    lambda a, b: a.ne_missing(b), lf.coalesce, lambda a, b: a.null_if(b),
    lf.max_horizontal, lf.min_horizontal, lambda a, b: a.cast("float64") ** b, lambda a, b: a.str.starts_with(b),
    lambda a, b: a.str.contains(b, literal=True), lf.concat_str,
]  # fmt: skip


def _unary_of(dtype: Any) -> list[Unary]:
    general = [_null, _member, _cast, _against_literal, _against_literal]
    kind = family(dtype)
    own: list[Unary] = {
        "int": [_number], "float": [_number], "dec": [_number], "str": [_of_text], "date": [_of_instant], "ts": [_of_instant],
        "tz": [_of_instant],
    }.get(kind, [_of_bytes] if str(dtype) == "binary" else [_of_instant] if kind == "other" else [])  # fmt: skip
    return [*general, *own * 4]


def grown(draw: Draw, frame: lf.LazyFrame, steps: int) -> list[tuple[lf.Expr, Any]]:
    """Expressions over the columns of a frame, each with its type: the columns, then one a step made of those before."""
    found = [(lf.col(field.name), field.dtype) for field in frame.schema]
    for _ in range(steps):
        for _ in range(4):
            try:
                made = _step(draw, found)
                found.append((made, frame.select(made.alias("x")).schema["x"]))
                break
            except (lf.errors.LazyFrameError, TypeError, IndexError, AttributeError):
                continue  # it does not fit the types
    return found


def _step(draw: Draw, found: list[tuple[lf.Expr, Any]]) -> lf.Expr:
    # What was made last is used most.
    recent = found[-2:] if len(found) > 3 and draw(st.booleans()) else found
    x, dtype = draw(st.sampled_from(recent))
    form = draw(st.sampled_from(["unary", "unary", "binary", "binary", "choice", "between"]))
    if form == "unary":
        return _expression(draw(st.sampled_from(_unary_of(dtype)))(draw, x, dtype))
    alike = [e for e, t in found if t == dtype]
    y = draw(st.sampled_from(alike))
    if form == "binary":
        other = y if draw(st.integers(0, 3)) else draw(st.sampled_from(found))[0]
        return _expression(draw(st.sampled_from(_BINARY))(x, other))
    if form == "between":
        return x.is_between(y, draw(st.sampled_from(alike)))
    conditions = [e for e, t in found if str(t) == "bool"] or [x.is_null()]
    return lf.when(draw(st.sampled_from(conditions))).then(x).otherwise(y)


def _expression(made: Any) -> lf.Expr:
    return made if isinstance(made, lf.Expr) else lf.lit(made)
