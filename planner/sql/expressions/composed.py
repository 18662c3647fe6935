"""Aggregates that SQL has and that are made of others: regressions, weighted means, the greatest few values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Case, Column, Scalar, cast, conjunction, null_of
from lazyframe.planner.types import FLOAT64, is_null, is_numeric, type_name

if TYPE_CHECKING:
    from lazyframe.planner.sql.expressions.aggregates import Make, Written
    from lazyframe.planner.sql.expressions.binder import Expressions

Of = Callable[..., Scalar]
"""Makes an aggregate of arguments that have names: `of("mean", "x")`."""

_MOST = 1_000_000


def also(where: Scalar | None, *conditions: Scalar) -> Scalar | None:
    """The condition of a FILTER and further ones."""
    return conjunction([*([where] if where is not None else []), *conditions])


def _number(e: Expressions, written: Written, tree: exp.Expr) -> Scalar:
    value = e.bind(tree)
    if not is_numeric(value.dtype) and not is_null(value.dtype):
        raise e.error(tree, TypeMismatchError, f"{written.name}() is of numbers, not of {type_name(value.dtype)}")
    return cast(value, FLOAT64)


def _of_numbers(names: str, compute: Callable[[Of], Scalar]) -> Callable[..., Scalar]:
    """An aggregate over the rows in which none of its arguments is null.

    Args:
        names: a letter for each argument, by which `compute` knows it.
        compute: from what makes aggregates of them to the value.
    """

    def bind(e: Expressions, written: Written, where: Scalar | None, make: Make) -> Scalar:
        if len(written.args) != len(names):
            plural = "" if len(names) == 1 else "s"
            raise InvalidArgumentError(f"{written.name}() takes {len(names)} argument{plural}, not {len(written.args)}")
        if written.distinct and (len(names) > 1 or written.name == "sem"):
            # The aggregates that it is made of would each leave out other rows.
            raise UnsupportedError(
                f"{written.name}(DISTINCT ...) is not supported", hint="SELECT DISTINCT in a subquery"
            )
        named = {name: _number(e, written, arg) for name, arg in zip(names, written.args, strict=True)}
        known = also(where, *[call("is_not_null", value) for value in named.values()])

        def of(function: str, *args: str | Callable[[Mapping[str, Scalar]], Scalar], **options: Any) -> Scalar:
            values = [named[arg] if isinstance(arg, str) else arg(named) for arg in args]
            return make(function, values, known, options)

        return compute(of)

    return bind


def _slope(of: Of) -> Scalar:
    return call("divide", of("cov", "y", "x", ddof=0), _not_zero(of("var", "x", ddof=0)))


def _not_zero(value: Scalar) -> Scalar:
    return Case((call("equal", value, literal(0.0)),), (null_of(FLOAT64),), value)


def _intercept(of: Of) -> Scalar:
    return call("subtract", of("mean", "y"), call("multiply", _slope(of), of("mean", "x")))


def _r2(of: Of) -> Scalar:
    correlation = of("corr", "y", "x")
    flat = call("equal", of("var", "y", ddof=0), literal(0.0))
    one = Case((flat,), (literal(1.0),), call("multiply", correlation, correlation))
    return Case((call("equal", of("var", "x", ddof=0), literal(0.0)),), (null_of(FLOAT64),), one)


def _times_count(value: Scalar, of: Of) -> Scalar:
    return call("multiply", value, cast(of("len"), FLOAT64))


def _geometric_mean(of: Of) -> Scalar:
    return call("exp", of("mean", lambda named: call("ln", named["x"])))


def _standard_error(of: Of) -> Scalar:
    """The deviation of the values as a population by the root of their count, as DuckDB has it."""
    return call("divide", of("std", "x", ddof=0), call("sqrt", cast(of("len"), FLOAT64)))


def _weighted_mean(of: Of) -> Scalar:
    return call("divide", of("sum", lambda named: call("multiply", named["x"], named["w"])), of("sum", "w"))


def _absolute_deviation(of: Of) -> Scalar:
    """The median of the distances from the median."""
    values = of("list", "x")
    middle = call("list_aggregate", values, **_MEDIAN)
    distance = call("abs", call("subtract", Column("item", FLOAT64, True), Column("middle", FLOAT64, True)))
    distances = call("list_transform", values, middle, body=distance, parameters=("item",), captured=("middle",))
    return call("list_aggregate", distances, **_MEDIAN)


_MEDIAN: dict[str, Any] = {"aggregate": "median", "with": ()}


def _how_many(e: Expressions, written: Written, tree: exp.Expr) -> Scalar:
    count = e.constant(tree, "the number of values", int)
    if not 1 <= count <= _MOST:
        raise e.error(tree, InvalidArgumentError, f"{written.name}() gives from 1 to {_MOST} values, not {count}")
    return literal(count)


def _extremes(e: Expressions, written: Written, where: Scalar | None, make: Make) -> Scalar:
    """`max(x, n)`: the list of the n greatest values."""
    tree, count = written.args
    number, value = _how_many(e, written, count), e.bind(tree)
    values = make("list", [value], also(where, call("is_not_null", value)), {})
    return call("list_head", call("list_sort", values, descending=written.name == "max"), number)


def _values_by(e: Expressions, written: Written, where: Scalar | None, make: Make) -> Scalar:
    """`arg_max(x, y, n)`: the x of the n rows with the greatest y, of equal ones the first."""
    if written.distinct:
        raise UnsupportedError(f"{written.name}(DISTINCT ...) of several values is not supported")
    first, second, count = written.args
    number, value, by = _how_many(e, written, count), e.bind(first), e.bind(second)
    known = also(where, call("is_not_null", value), call("is_not_null", by))
    values, keys = make("list", [value], known, {}), make("list", [by], known, {})
    places = call("list_grade_up", keys, descending=written.name in ("arg_max", "max_by"))
    return call("list_select", values, call("list_head", places, number))


def of_several(written: Written) -> Callable[..., Scalar] | None:
    """What binds an aggregate that gives a list of the first few values, where a number of them is written."""
    if written.name in ("min", "max") and len(written.args) == 2:
        return _extremes
    if written.name in ("arg_min", "arg_max", "min_by", "max_by") and len(written.args) == 3:
        return _values_by
    return None


COMPOSED: dict[str, Callable[..., Scalar]] = {
    "favg": _of_numbers("x", lambda of: of("mean", "x")),
    **dict.fromkeys(("fsum", "kahan_sum", "sumkahan"), _of_numbers("x", lambda of: of("sum", "x"))),
    **dict.fromkeys(("geomean", "geometric_mean"), _of_numbers("x", _geometric_mean)),
    "mad": _of_numbers("x", _absolute_deviation),
    "regr_avgx": _of_numbers("yx", lambda of: of("mean", "x")),
    "regr_avgy": _of_numbers("yx", lambda of: of("mean", "y")),
    "regr_count": _of_numbers("yx", lambda of: of("len")),
    "regr_intercept": _of_numbers("yx", _intercept),
    "regr_r2": _of_numbers("yx", _r2),
    "regr_slope": _of_numbers("yx", _slope),
    "regr_sxx": _of_numbers("yx", lambda of: _times_count(of("var", "x", ddof=0), of)),
    "regr_sxy": _of_numbers("yx", lambda of: _times_count(of("cov", "y", "x", ddof=0), of)),
    "regr_syy": _of_numbers("yx", lambda of: _times_count(of("var", "y", ddof=0), of)),
    "sem": _of_numbers("x", _standard_error),
    "weighted_avg": _of_numbers("xw", _weighted_mean),
}
"""Aggregates by the name that SQL calls them by, each from the binder, what is written, a condition and what makes aggregates."""

__all__ = ["COMPOSED", "also", "of_several"]
