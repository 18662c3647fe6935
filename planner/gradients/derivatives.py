"""The derivative of an expression by a column or a parameter, as an expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.gradients.expressions import Stop, cotangents
from lazyframe.planner.gradients.refusals import unreached
from lazyframe.planner.gradients.tangents import is_one_pass, tangent
from lazyframe.planner.gradients.terms import ONE, Term, filled, is_real, present, total
from lazyframe.planner.scalars import AggregateCall, Call, Case, Column, Parameter, Scalar, WindowCall, null_of
from lazyframe.planner.types import FLOAT64, is_numeric, type_name


def derivative(value: Scalar, by: Scalar) -> Scalar:
    """What `value` changes by, in each row, if `by` does: float64, null where the value is.

    Args:
        value: an expression; aggregates in it are differentiated by parameters.
        by: a column or a parameter.

    Raises:
        InvalidArgumentError: where `by` is neither, or the value does not move with it.
        TypeMismatchError: where one of them is no number that can move by as little as one likes.
        UnsupportedError: for an aggregate or window function that has no derivative here.
    """
    name = _checked(value, by)
    stops: list[Stop] = []
    found = _changes(value, ONE, _leaf(by), stops)
    if found is None:
        raise unreached(name, "the expression", stops)
    found = filled(found)
    if value.nullable and not value.holds_aggregate:
        return Case((Call("is_not_null", (value,)),), (found,), null_of(FLOAT64))
    return found


def _leaf(by: Scalar) -> Callable[[Scalar], bool]:
    if isinstance(by, Column):
        return lambda scalar: isinstance(scalar, Column) and scalar.name == by.name
    assert isinstance(by, Parameter)
    wanted = by.cell.identity(), by.index
    return lambda scalar: isinstance(scalar, Parameter) and (scalar.cell.identity(), scalar.index) == wanted


def _changes(value: Scalar, seed: Scalar, is_leaf: Callable[[Scalar], bool], stops: list[Stop]) -> Scalar | None:
    """What a value changes by; None where it does not move."""
    parts: list[Scalar] = []
    for leaf, reached in cotangents([(value, seed)], is_leaf, stops):
        if isinstance(leaf, AggregateCall):
            changes = [_changes(arg, present(arg), is_leaf, stops) for arg in leaf.args]
            if any(each is not None for each in changes):
                parts.append((Term(reached) * Term(_of_aggregate(leaf, changes))).scalar)
        elif isinstance(leaf, WindowCall):
            raise UnsupportedError(
                f"the derivative of a window function is not known in an expression: {leaf.function}()",
                hint="compute the window in with_columns(), and take the gradient of a loss of the frame",
                site=leaf.site,
            )
        else:
            parts.append(reached)
    return total(parts) if parts else None


def _of_aggregate(found: AggregateCall, changes: Sequence[Scalar | None]) -> Scalar:
    if not is_one_pass(found):
        raise UnsupportedError(
            f"the derivative of {found.function}() is not known in an expression",
            hint="take the gradient of a loss of the frame: lf.grad(frame.select(...), wrt=[...])",
            site=found.site,
        )
    return tangent(found, changes)


def _checked(value: Scalar, by: Scalar) -> str:
    """The name of what to differentiate by."""
    if isinstance(by, Column):
        name, kind = f"the column {by.name!r}", "column"
        if value.holds_aggregate or value.holds_window:
            raise UnsupportedError(
                "an aggregate has a derivative by each row of a column, which is no value of one row",
                hint="differentiate by a parameter: col('x') + w has at w = 0 the sum of all of them",
                site=value.site,
            )
    elif isinstance(by, Parameter):
        name, kind = f"the parameter {by.cell.name!r}", "parameter"
    else:
        raise InvalidArgumentError(
            f"a derivative is by a column or a parameter, not by {by!r}",
            hint="give lf.col('x') or a parameter; name an expression in with_columns() to use it as a column",
        )
    if not is_real(by.dtype):
        raise TypeMismatchError(
            f"{name} is {type_name(by.dtype)}, and only floats and decimals can move by as little as a derivative asks",
            hint=_as_float(kind, by),
        )
    if not is_real(value.dtype):
        raise TypeMismatchError(
            f"the expression is {type_name(value.dtype)}, and only floats and decimals have derivatives",
            hint="cast it: .cast('float64')" if is_numeric(value.dtype) else None,
            site=value.site,
        )
    return name


def _as_float(kind: str, by: Scalar) -> str:
    if isinstance(by, Column):
        return f"make it a float first: with_columns(lf.col({by.name!r}).cast('float64'))"
    assert isinstance(by, Parameter)
    return f"give it a float: lf.param({by.cell.name!r}, 1.0)"
