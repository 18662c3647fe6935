"""The derivative of an aggregate, as aggregates over the same rows.

What the arguments of an aggregate change by is a number in each row, and what the aggregate changes by is an aggregate of
those: so the gradients of a loss that is made of aggregates need no second look at the rows.

| aggregate of e | changes by |
|---|---|
| sum | sum de |
| mean | sum de / count e |
| var, std | 2 cov(e, de), cov(e, de) / std |
| cov(a, b) | cov(da, b) + cov(a, db) |
| corr(a, b) | (cov(da, b) + cov(a, db)) / (std a std b) - corr (cov(a, da) / var a + cov(b, db) / var b) |
| product | the product of the others times de, summed |

Covariances are computed around the means, so that nothing is lost where a variance is small beside the values.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.bind import aggregate_call, call
from lazyframe.planner.gradients.terms import ONE, ZERO, Term, compared, filled, where
from lazyframe.planner.scalars import AggregateCall, Call, Scalar, cast
from lazyframe.planner.types import FLOAT64

ONE_PASS = frozenset({"sum", "mean", "var", "std", "cov", "corr", "product"})
"""The aggregates whose derivative is made of aggregates over the same rows."""


def is_one_pass(found: AggregateCall) -> bool:
    """Whether `tangent` knows it."""
    return found.function in ONE_PASS and not found.distinct


def tangent(found: AggregateCall, changes: Sequence[Scalar | None]) -> Scalar:
    """What an aggregate changes by.

    Args:
        found: an aggregate for which `is_one_pass` holds.
        changes: what each of its arguments changes by in a row; None where it does not.

    Returns:
        An expression of aggregates.
    """
    rows = _Rows(found)
    args = [cast(arg, FLOAT64) for arg in found.args]
    match found.function:
        case "sum":
            return rows.sum(changes[0]).scalar
        case "mean":
            return (rows.sum(changes[0]) / rows.aggregate("count", args[0])).scalar
        case "var":
            return (2.0 * rows.cov(args[0], changes[0])).scalar
        case "std":
            spread = Term(found)
            # Where all values are equal the root has no slope: as in PyTorch, nothing goes on.
            return where(compared("equal", spread, 0.0), 0.0, rows.cov(args[0], changes[0]) / spread).scalar
        case "cov":
            return rows.cov_of_both(args, changes).scalar
        case "corr":
            return _of_correlation(found, rows, args, changes).scalar
        case "product":
            assert changes[0] is not None
            return _of_product(rows, args[0], changes[0]).scalar
    raise AssertionError(f"{found.function} is not of one pass")


class _Rows:
    """Aggregates over the rows that an aggregate counts."""

    def __init__(self, found: AggregateCall) -> None:
        self.options = dict(found.options)
        self.where = found.where
        if len(found.args) > 1:
            # A pair counts where both are known; of what is computed from one alone that must be said.
            for arg in found.args:
                if arg.nullable:
                    self.where = _both(self.where, Call("is_not_null", (arg,)))

    def aggregate(self, function: str, *args: Scalar, only: Scalar | None = None, **options: int) -> Term:
        return Term(aggregate_call(function, args, _both(self.where, only), options=options))

    def sum(self, change: Scalar | None, only: Scalar | None = None) -> Term:
        assert change is not None
        found = self.aggregate("sum", change, only=only)
        # Of rows that give nothing at all the sum is null.
        return Term(call("coalesce", found.scalar, ZERO))

    def cov(self, value: Scalar, change: Scalar | None) -> Term:
        return self.aggregate("cov", value, ZERO if change is None else filled(change), **self.options)

    def cov_of_both(self, args: Sequence[Scalar], changes: Sequence[Scalar | None]) -> Term:
        (a, b), (da, db) = args, changes
        parts = [self.cov(other, change) for other, change in ((b, da), (a, db)) if change is not None]
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def _both(a: Scalar | None, b: Scalar | None) -> Scalar | None:
    if a is None or b is None:
        return b if a is None else a
    return Call("and", (a, b))


def _of_correlation(
    found: AggregateCall, rows: _Rows, args: Sequence[Scalar], changes: Sequence[Scalar | None]
) -> Term:
    variances = [rows.aggregate("var", arg) for arg in args]
    spread = Term(call("sqrt", variances[0].scalar)) * Term(call("sqrt", variances[1].scalar))
    result = rows.cov_of_both(args, changes) / spread
    for arg, change, variance in zip(args, changes, variances, strict=True):
        if change is not None:
            result = result - Term(found) * rows.cov(arg, change) / variance
    return result


def _of_product(rows: _Rows, value: Scalar, change: Scalar) -> Term:
    """Without a zero it is P sum(de / e). With one zero only that row counts, with two none does.

    The parts that are 0 in the last two cases stand there for what they change by: with them the derivative of this is the
    second derivative.
    """
    is_zero = compared("equal", Term(value), 0.0)
    other = Call("not", (is_zero,))
    rest = Term(call("coalesce", rows.aggregate("product", value, only=other).scalar, ONE))
    ratio = rows.sum((Term(change) / Term(value)).scalar, other)
    zeros = rows.aggregate("count", value, only=is_zero)
    of_zeros, change_of_zeros = rows.sum(value, is_zero), rows.sum(change, is_zero)
    crossed = rows.sum((Term(value) * Term(change)).scalar, is_zero)
    two = where(compared("equal", zeros, 2.0), rest * (of_zeros * change_of_zeros - crossed), 0.0)
    one = where(compared("equal", zeros, 1.0), rest * (change_of_zeros + of_zeros * ratio), two)
    return where(compared("equal", zeros, 0.0), rest * ratio, one)
