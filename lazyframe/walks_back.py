"""What `lf.grad`, `lf.value_and_grad` and `backward()` do with what they are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lazyframe import session
from lazyframe.eager import made, seen
from lazyframe.expr import Expr
from lazyframe.frame import LazyFrame
from lazyframe.gradient_results import Wanted, asked_by, check_reached, read, value_and_gradients
from lazyframe.parameter_tables import ParamTable
from lazyframe.parameters import ArrayParam, Param
from lazyframe.planner.bind import call
from lazyframe.planner.build.projection import select
from lazyframe.planner.cells import Cell
from lazyframe.planner.errors import EvaluationError, InvalidArgumentError, TypeMismatchError, did_you_mean
from lazyframe.planner.gradients.losses import Element, Walked, check_loss, walked
from lazyframe.planner.gradients.terms import ZERO
from lazyframe.planner.graph import postorder
from lazyframe.planner.nouns import with_article
from lazyframe.planner.parameters import Parameters, learned_tables
from lazyframe.planner.relations import Plan, Project
from lazyframe.planner.relations.values import ONE_ROW
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.site import ambient
from lazyframe.planner.types import is_float, type_name
from lazyframe.planner.unbound import Differentiated, Named, Placeholder, Ref, Unbound


def gradient(loss: Any, wrt: Any) -> Any:
    """See `lazyframe.gradients.grad`."""
    loss = _unprepared(loss)
    several = _is_several(wrt)
    if isinstance(loss, Expr) and not (several and _is_of_parameters(loss)):
        return [_derivative(loss, each) for each in wrt] if several else _derivative(loss, wrt)
    wanted = _wanted(wrt, loss)
    plan = _loss(loss)
    backwards = walked(plan, asked_by(wanted))
    if any([each.learned is not None for each in wanted]):
        return _gradient_of_table(wanted, backwards)
    for each in wanted:
        check_reached(each, backwards)
    columns = [(each.label, _nested(each, backwards, each.place)) for each in wanted]
    return made(Project(backwards.rows, tuple(columns)))


def _gradient_of_table(wanted: Sequence[Wanted], backwards: Walked) -> LazyFrame:
    if len(wanted) > 1:
        raise InvalidArgumentError(
            "the gradient by a table is a frame of its own",
            hint="write lf.grad(loss, table) for it, or lf.value_and_grad(loss, [...]) for all at once",
        )
    (each,) = wanted
    check_reached(each, backwards)
    return made(each.owner._gradient_plan(backwards.tables[each.cell.identity()]))


def value_and_gradient(loss: Any, wrt: Iterable[Any], parameters: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """See `lazyframe.gradients.value_and_grad`."""
    plan, wanted = asked(loss, wrt)
    value, found = _computed(walked(plan, asked_by(wanted)), wanted, parameters)
    return value, [
        gradient if each.learned is None or gradient is None else each.owner._frame_of(gradient)
        for each, gradient in zip(wanted, found, strict=True)
    ]


def asked(loss: Any, wrt: Any) -> tuple[Plan, list[Wanted]]:
    """The plan of a loss, and what its gradients are by."""
    loss = _unprepared(loss)
    wanted = _wanted(wrt, loss)
    return _loss(loss), wanted


def backward(loss: Any, parameters: Mapping[str, Any]) -> None:
    """Add the gradients of a loss to `grad` of its parameters."""
    backwards, wanted = _by_all(_loss(loss))
    value, gradients = _computed(backwards, wanted, parameters)
    if value is None:
        raise EvaluationError(
            "the loss is null, so that there is nothing to walk back from",
            hint="a sum or mean of no rows is null: look at the frame that it is computed from",
        )
    for each, gradient in zip(wanted, gradients, strict=True):
        each.cell.grad = gradient if each.cell.grad is None else each.cell.grad + gradient


def plan_with_gradients(loss: Any) -> Plan:
    """The plan that `backward()` runs."""
    return value_and_gradients(*_by_all(_loss(loss)))


def _by_all(plan: Plan) -> tuple[Walked, list[Wanted]]:
    """A loss with its gradients by all parameters that it moves with."""
    cells = [named[0].cell for named in Parameters([plan]).by_name.values()]
    tables = {known.cell.identity(): known for known in learned_tables(plan)}
    backwards = walked(plan, lambda parameter: _is_smooth(parameter.cell))
    reached = {each.identity for each in backwards.gradients}
    wanted = [Wanted(cell) for cell in cells if cell.identity() in reached]
    wanted += [Wanted(known.cell, learned=known) for identity, known in tables.items() if identity in backwards.tables]
    if not wanted:
        names = ", ".join([repr(cell.name) for cell in cells])
        raise InvalidArgumentError(
            "the loss does not move with any parameter" + (f": it only depends on {names} in steps" if names else ""),
            hint="make it from lf.param(...)s that are floats",
        )
    return backwards, wanted


def _computed(backwards: Walked, wanted: Sequence[Wanted], values: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    return read(session.execute(value_and_gradients(backwards, wanted), values=values), wanted)


def _nested(each: Wanted, backwards: Walked, place: tuple[int, ...]) -> Scalar:
    """The gradient by a parameter: a number, or lists of lists of them."""
    shape = each.cell.shape
    if len(place) == len(shape):
        return backwards.gradients.get(Element(each.cell.identity(), place), ZERO)
    return call("make_list", *[_nested(each, backwards, (*place, number)) for number in range(shape[len(place)])])


def _loss(loss: Any) -> Plan:
    """The plan of a loss."""
    if isinstance(loss, LazyFrame):
        plan = seen(loss._written)
        site = ambient.site
    elif isinstance(loss, Expr):
        names = sorted({part.name for part in postorder(loss._node) if isinstance(part, Ref)})
        if names:
            raise InvalidArgumentError(
                f"the loss is an expression over columns ({', '.join(names[:5])}), and of no frame",
                hint="write frame.select(loss) for the frame that it is computed over",
            )
        plan, site = select(ONE_ROW, [loss._node]), loss._node.site
    else:
        raise InvalidArgumentError(
            f"a loss is a frame of one row and one column, or an expression of parameters, not {with_article(type(loss).__name__)}"
        )
    check_loss(plan, site)
    return plan


def _is_several(wrt: Any) -> bool:
    """Whether a list is given to differentiate by, and not one thing."""
    return isinstance(wrt, Iterable) and not isinstance(wrt, (str, Expr, Param))


def _is_of_parameters(loss: Expr) -> bool:
    return not any([isinstance(part, Ref) or part.holds_many for part in postorder(loss._node)])


def _derivative(loss: Expr, by: Any) -> Expr:
    if isinstance(by, ParamTable):
        raise InvalidArgumentError(
            "a table is a parameter of a frame that joins it, not of an expression",
            hint="take the gradient of a loss of the frame: lf.grad(frame.select(...), table)",
        )
    if isinstance(by, ArrayParam):
        raise InvalidArgumentError(
            f"an expression has a derivative by each element of the array {by.label!r}",
            hint=f"write wrt=[{by.label}[0], {by.label}[1]], or take the gradient of a frame",
        )
    node = by._node if isinstance(by, Expr) else Ref(by) if isinstance(by, str) else None
    if node is None:
        raise _no_parameter(by)
    return Expr(Differentiated(loss._node, node))


def _wanted(wrt: Any, loss: Any) -> list[Wanted]:
    found = []
    for each in wrt if _is_several(wrt) else [wrt]:
        if isinstance(each, ParamTable):
            wanted = Wanted(each._cell, learned=each._learned, owner=each)
        elif isinstance(each, ArrayParam):
            wanted = Wanted(each._cell, each._index)
        elif isinstance(each, Expr) and isinstance(node := _unnamed(each._node), Placeholder):
            wanted = Wanted(node.cell, node.index)
        elif isinstance(each, str) and isinstance(loss, LazyFrame):
            wanted = Wanted(_named(each, loss))
        elif isinstance(each, Expr) and isinstance(loss, LazyFrame):
            raise InvalidArgumentError(
                f"the gradient of a frame is by parameters, not by {each!r}",
                hint="for the derivative of an expression in each row write lf.grad(expression, wrt=lf.col(...)); "
                "for a column that is to be learned make its values a parameter",
            )
        else:
            raise _no_parameter(each)
        if not _is_smooth(wanted.cell):
            raise TypeMismatchError(
                f"the parameter {wanted.cell.name!r} is {type_name(wanted.cell.dtype)}, "
                "and only a float can move by as little as a gradient asks",
                hint=f"give it a float: lf.param({wanted.cell.name!r}, 1.0)",
            )
        found.append(wanted)
    if not found:
        raise InvalidArgumentError("a gradient is by at least one parameter", hint="write wrt=[w]")
    return found


def _unprepared(loss: Any) -> Any:
    from lazyframe.prepared import PreparedQuery

    return loss._frame if isinstance(loss, PreparedQuery) else loss


def _named(name: str, loss: LazyFrame) -> Cell:
    """The parameter of that name, such as `$name` in SQL."""
    known = Parameters([loss._plan]).by_name
    if name not in known:
        raise InvalidArgumentError(
            f"the loss has no parameter {name!r}",
            hint=did_you_mean(name, known)
            if known
            else "for the derivative of an expression in each row write lf.grad(expression, wrt=lf.col(...)); "
            "for a column that is to be learned make its values a parameter",
        )
    if not any([is_float(each.dtype) for each in known[name]]):
        raise TypeMismatchError(
            f"the parameter {name!r} is {type_name(known[name][0].dtype)} by what it meets, "
            "and only a float can move by as little as a gradient asks",
            hint=f"say that it is a float: ${name}::DOUBLE",
        )
    return known[name][0].cell


def _unnamed(node: Unbound) -> Unbound:
    while isinstance(node, Named):
        node = node.arg
    return node


def _is_smooth(cell: Cell) -> bool:
    return cell.dtype is None or is_float(cell.dtype)


def _no_parameter(given: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"a gradient is by parameters, and {given!r} is none", hint="make it one: w = lf.param('w', 0.0)"
    )


__all__ = ["asked", "backward", "gradient", "plan_with_gradients", "value_and_gradient"]
