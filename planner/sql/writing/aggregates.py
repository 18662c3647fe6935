"""Aggregate functions as SQL: templates in which each aggregate takes the call's FILTER, DISTINCT and order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.scalars import AggregateCall, Scalar, SortKey, WindowCall
from lazyframe.planner.sql.writing.templates import Sized, fill_around, placed, quoted
from lazyframe.planner.sql.writing.types import type_text
from lazyframe.planner.types import is_bool, is_decimal, is_duration, is_integer

AnyAggregate = AggregateCall | WindowCall
Form = str | Callable[[AnyAggregate], str]


def _option(call: AnyAggregate, name: str, default: Any = None) -> Any:
    return dict(call.options).get(name, default)


def _sum(call: AnyAggregate) -> str:
    dtype = call.args[0].dtype
    if is_duration(dtype):
        # SQL adds up no intervals.
        return "TO_MICROSECONDS(CAST(SUM(EPOCH_US(a)) AS BIGINT))"
    return "SUM(CAST(a AS BIGINT))" if is_bool(dtype) else "SUM(a)"


def _mean(call: AnyAggregate) -> str:
    if is_bool(call.args[0].dtype):
        return "AVG(CAST(a AS BIGINT))"
    return f"CAST(AVG(a) AS {type_text(call.dtype)})" if is_decimal(call.dtype) else "AVG(a)"


def _product(call: AnyAggregate) -> str:
    return f"CAST(PRODUCT(a) AS {type_text(call.dtype)})" if is_integer(call.dtype) else "PRODUCT(a)"


def _moment(sample: str, population: str, squared: bool = False) -> Form:
    def form(call: AnyAggregate) -> str:
        ddof = _option(call, "ddof", 1)
        if ddof == 1:
            return sample
        if ddof == 0:
            return population
        if len(call.args) == 2:
            raise _refusal(call, f"with ddof={ddof}")
        variance = f"VAR_POP(a) * COUNT(a) / (COUNT(a) - {ddof})"
        return f"CASE WHEN COUNT(a) > {ddof} THEN {variance if squared else f'SQRT({variance})'} END"

    return form


def _skew(call: AnyAggregate) -> str:
    if _option(call, "bias", True):
        raise _refusal(call, "of the values themselves (bias=True)")
    return "SKEWNESS(a)"


def _kurtosis(call: AnyAggregate) -> str:
    return "KURTOSIS_POP(a)" if _option(call, "bias", True) else "KURTOSIS(a)"


def _quantile(call: AnyAggregate) -> str:
    q = float(_option(call, "q", 0.5))
    interpolation = _option(call, "interpolation", "linear")
    value = "CAST(a AS DOUBLE)" if is_decimal(call.args[0].dtype) else "a"
    place = f"{q!r} * (COUNT(a) - 1)"
    match interpolation:
        case "linear":
            return f"MEDIAN({value})" if q == 0.5 else f"QUANTILE_CONT({value}, {q!r})"
        case "discrete":
            return f"QUANTILE_DISC(a, {q!r})"
        case "lower":
            return _item("a", f"FLOOR({place})")
        case "higher":
            return _item("a", f"CEIL({place})")
        case "nearest":
            return _item("a", f"FLOOR({place} + 0.5)")
    assert interpolation == "midpoint"
    return f"({_item(value, f'FLOOR({place})')} + {_item(value, f'CEIL({place})')}) / 2"


def _item(value: str, place: str) -> str:
    """The value at a place in the order of all that are not null."""
    return f"LIST_EXTRACT(LIST_SORT(ARRAY_AGG({value})), CAST({place} AS BIGINT) + 1)"


def _string_agg(call: AnyAggregate) -> str:
    return f"STRING_AGG(a, {quoted(_option(call, 'separator', ','))})"


def _entropy(call: AnyAggregate) -> str:
    base = float(_option(call, "base", 2.0))
    return "ENTROPY(a)" if base == 2.0 else f"ENTROPY(a) / LOG(2, CAST({base!r} AS DOUBLE))"


def _n_unique(call: AnyAggregate) -> str:
    return "COUNT(DISTINCT a) + CASE WHEN COUNT(*) > COUNT(a) THEN 1 ELSE 0 END"


def _refusal(call: AnyAggregate, what: str) -> UnsupportedError:
    return UnsupportedError(f"{call.function}() {what} cannot be written as SQL", site=call.site)


FORMS: dict[str, Form] = {
    "len": "COUNT(*)",
    "count": "COUNT(a)",
    "n_unique": _n_unique,
    "approx_n_unique": "APPROX_COUNT_DISTINCT(a)",
    "sum": _sum,
    "mean": _mean,
    "product": _product,
    "min": "MIN(a)",
    "max": "MAX(a)",
    "min_by": "FIRST(a)",
    "max_by": "FIRST(a)",
    "first": "FIRST(a)",
    "last": "LAST(a)",
    "any": "BOOL_OR(a)",
    "all": "BOOL_AND(a)",
    "std": _moment("STDDEV_SAMP(a)", "STDDEV_POP(a)"),
    "var": _moment("VAR_SAMP(a)", "VAR_POP(a)", squared=True),
    "skew": _skew,
    "kurtosis": _kurtosis,
    "cov": _moment("COVAR_SAMP(a, b)", "COVAR_POP(a, b)"),
    "corr": "CORR(a, b)",
    "median": _quantile,
    "quantile": _quantile,
    "mode": "MODE(a)",
    "entropy": _entropy,
    "list": "ARRAY_AGG(a)",
    "string_agg": _string_agg,
    "bit_and": "BIT_AND(a)",
    "bit_or": "BIT_OR(a)",
    "bit_xor": "BIT_XOR(a)",
}

REFUSED: dict[str, str] = {"histogram": "has no counterpart"}

ORDERED = ("first", "last", "list", "string_agg", "min_by", "max_by")
"""Those whose value depends on the order of the rows, and that take it from an ORDER BY among their arguments."""


def aggregate(
    call: AnyAggregate,
    args: Sequence[exp.Expression],
    where: exp.Expression | None,
    order: Sequence[exp.Ordered],
    sizes: Sized,
    over: Callable[[exp.Expression], exp.Expression] = lambda aggregated: aggregated,
) -> exp.Expression:
    """The call as SQL; `over` makes each aggregate in it a window function.

    Raises:
        UnsupportedError: where SQL has no such aggregate.
    """
    if call.function in REFUSED:
        reason = REFUSED[call.function]
        raise UnsupportedError(f"{call.function}() cannot be written as SQL: it {reason}", site=call.site)
    form = FORMS[call.function]
    template = form if isinstance(form, str) else form(call)
    conditions = [] if where is None else [where]
    if call.function in ("min_by", "max_by"):
        conditions.append(exp.Not(this=exp.Is(this=placed(args[1]), expression=exp.Null())))
    quantile_items = call.function in ("quantile", "median") and "ARRAY_AGG" in template
    if _option(call, "ignore_nulls", False) or quantile_items:
        conditions.append(exp.Not(this=exp.Is(this=placed(args[0]), expression=exp.Null())))
    if call.distinct and len(args) > 1:
        raise _refusal(call, "with distinct")

    def wrap(aggregated: exp.Expression) -> exp.Expression:
        if call.distinct and not isinstance(aggregated.this, (exp.Distinct, exp.Star)):
            aggregated.set("this", exp.Distinct(expressions=[aggregated.this]))
        if order and call.function in ORDERED:
            aggregated.set("this", exp.Order(this=aggregated.this, expressions=[o.copy() for o in order]))
        if conditions:
            condition = exp.and_(*[c.copy() for c in conditions], copy=False)
            aggregated = exp.Filter(this=aggregated, expression=exp.Where(this=condition))
        return over(aggregated)

    made = fill_around(template, args, sizes, _is_aggregate, wrap)
    return sizes.remember(made, sizes.size(made) + sum([sizes.size(c) for c in conditions]))


_UNTYPED = frozenset(("ENTROPY", "KURTOSIS", "KURTOSIS_POP", "SKEWNESS", "PRODUCT", "BIT_XOR", "MODE", "FIRST", "LAST"))


def _is_aggregate(node: exp.Expression) -> bool:
    return isinstance(node, exp.AggFunc) or (isinstance(node, exp.Anonymous) and node.name.upper() in _UNTYPED)


def order_of(call: AggregateCall, rows: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """The order in which the call takes its rows, where `rows` is the order they come in."""
    order = call.order or rows
    if call.function in ("min_by", "max_by"):
        return (SortKey(call.args[1], call.function == "max_by", False), *order)
    return order if call.function in ORDERED else ()
