"""What `lf.grad`, `lf.value_and_grad` and `backward()` do with what they are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe import session
from lazyframe.expr import Expr
from lazyframe.frame import LazyFrame
from lazyframe.parameters import Param
from lazyframe.planner.bind import call
from lazyframe.planner.build.projection import select
from lazyframe.planner.cells import Cell
from lazyframe.planner.errors import EvaluationError, InvalidArgumentError, TypeMismatchError
from lazyframe.planner.gradients.losses import Element, Walked, check_loss, unreached, walked
from lazyframe.planner.gradients.terms import ZERO
from lazyframe.planner.graph import postorder
from lazyframe.planner.nouns import with_article
from lazyframe.planner.parameters import Parameters
from lazyframe.planner.relations import Plan, Project
from lazyframe.planner.relations.values import ONE_ROW
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.site import ambient
from lazyframe.planner.types import is_float, type_name
from lazyframe.planner.unbound import Differentiated, Named, Placeholder, Ref, Unbound


class _Wanted(NamedTuple):
    """What a gradient is asked by: a parameter, or a part of one that is an array."""

    cell: Cell
    place: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return self.cell.shape[len(self.place) :]

    @property
    def label(self) -> str:
        return self.cell.name + (f"[{', '.join(map(str, self.place))}]" if self.place else "")

    def elements(self) -> list[Element]:
        identity = self.cell.identity()
        return [Element(identity, (*self.place, *each)) for each in np.ndindex(*self.shape)]


def gradient(loss: Any, wrt: Any) -> Any:
    """See `lazyframe.gradients.grad`."""
    several = isinstance(wrt, Iterable) and not isinstance(wrt, (str, Expr, Param))
    if isinstance(loss, Expr) and not (several and _is_of_parameters(loss)):
        found = [_derivative(loss, each) for each in (wrt if several else [wrt])]
        return found if several else found[0]
    wanted = _wanted(wrt if several else [wrt], loss)
    plan = _loss(loss)
    backwards = walked(plan, _asked(wanted))
    columns = [(each.label, _nested(each, backwards, each.place)) for each in wanted]
    return LazyFrame(Project(backwards.rows, tuple(columns)))


def value_and_gradient(loss: Any, wrt: Iterable[Any], parameters: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """See `lazyframe.gradients.value_and_grad`."""
    one = isinstance(wrt, (Expr, Param))
    wanted = _wanted([wrt] if one else list(wrt), loss)
    value, found = _run(_loss(loss), wanted, parameters)
    return value, found


def backward(loss: Any, parameters: Mapping[str, Any]) -> None:
    """Add the gradients of a loss to `grad` of its parameters."""
    plan = _loss(loss)
    cells = [named[0].cell for named in Parameters([plan]).by_name.values()]
    backwards = walked(plan, lambda parameter: _is_smooth(parameter.cell))
    reached = {each.identity for each in backwards.gradients}
    wanted = [_Wanted(cell) for cell in cells if cell.identity() in reached]
    if not wanted:
        names = ", ".join([repr(cell.name) for cell in cells])
        raise InvalidArgumentError(
            "the loss does not move with any parameter" + (f": it only depends on {names} in steps" if names else ""),
            hint="make it from lf.param(...)s that are floats",
        )
    value, gradients = _computed(backwards, wanted, parameters)
    if value is None:
        raise EvaluationError(
            "the loss is null, so that there is nothing to walk back from",
            hint="a sum or mean of no rows is null: look at the frame that it is computed from",
        )
    for each, gradient in zip(wanted, gradients, strict=True):
        each.cell.grad = gradient if each.cell.grad is None else each.cell.grad + gradient


def _run(plan: Plan, wanted: Sequence[_Wanted], values: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    return _computed(walked(plan, _asked(wanted)), wanted, values)


def value_and_gradients(backwards: Walked, wanted: Sequence[_Wanted]) -> Plan:
    """The plan of a loss with its gradients: a row whose first column is the loss, and then one for each element."""
    columns: list[tuple[str, Scalar]] = [("loss", backwards.value)]
    for each in wanted:
        _check_reached(each, backwards)
        for element in each.elements():
            columns.append((f"gradient:{len(columns)}", backwards.gradients.get(element, ZERO)))
    return Project(backwards.rows, tuple(columns))


def _computed(backwards: Walked, wanted: Sequence[_Wanted], values: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    return _read(session.execute(value_and_gradients(backwards, wanted), values=values), wanted)


class Stepper:
    """A loss with its gradients that is planned once, and runs with the values that its parameters have at the time.

    Attributes:
        plan: of the loss.
        wanted: what the gradients are by.
    """

    def __init__(self, loss: Any, wrt: Iterable[Any]) -> None:
        self.wanted = _wanted([wrt] if isinstance(wrt, (Expr, Param)) else list(wrt), loss)
        self.plan = _loss(loss)

    def prepare(self) -> list[Plan]:
        """Plan the loss with its gradients; gives what will run."""
        from lazyframe.prepared import PreparedQuery

        backwards = walked(self.plan, _asked(self.wanted))
        self._prepared = PreparedQuery(LazyFrame(value_and_gradients(backwards, self.wanted)))
        return [self._prepared._optimized]

    def run(self) -> tuple[Any, list[Any]]:
        """The value, and the gradients."""
        return _read(self._prepared.collect().to_arrow(), self.wanted)


def _read(table: pa.Table, wanted: Sequence[_Wanted]) -> tuple[Any, list[Any]]:
    if table.num_rows == 0:
        return None, [None] * len(wanted)
    value, *flat = [column[0].as_py() for column in table.columns]
    if value is None:
        return None, [None] * len(wanted)
    found: list[Any] = []
    for each in wanted:
        count = len(each.elements())
        own, flat = flat[:count], flat[count:]
        found.append(np.array(own, dtype=np.float64).reshape(each.shape) if each.shape else own[0])
    return float(value), found


def _asked(wanted: Sequence[_Wanted]) -> Any:
    identities = {each.cell.identity() for each in wanted}
    return lambda parameter: parameter.cell.identity() in identities


def _check_reached(each: _Wanted, backwards: Walked) -> None:
    if not any([element in backwards.gradients for element in each.elements()]):
        raise unreached(f"the parameter {each.label!r}", "the loss", backwards.stops)


def _nested(each: _Wanted, backwards: Walked, place: tuple[int, ...]) -> Scalar:
    """The gradient by a parameter: a number, or lists of lists of them."""
    _check_reached(each, backwards)
    shape = each.cell.shape
    if len(place) == len(shape):
        return backwards.gradients.get(Element(each.cell.identity(), place), ZERO)
    return call("make_list", *[_nested(each, backwards, (*place, number)) for number in range(shape[len(place)])])


def _loss(loss: Any) -> Plan:
    """The plan of a loss."""
    if isinstance(loss, LazyFrame):
        plan = loss._plan
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


def _is_of_parameters(loss: Expr) -> bool:
    return not any([isinstance(part, Ref) or part.holds_many for part in postorder(loss._node)])


def _derivative(loss: Expr, by: Any) -> Expr:
    if isinstance(by, Param) and not isinstance(by, Expr):
        raise InvalidArgumentError(
            f"an expression has a derivative by each element of the array {by.label!r}",
            hint=f"write wrt=[{by.label}[0], {by.label}[1]], or take the gradient of a frame",
        )
    node = by._node if isinstance(by, Expr) else Ref(by) if isinstance(by, str) else None
    if node is None:
        raise _no_parameter(by)
    return Expr(Differentiated(loss._node, node))


def _wanted(given: Sequence[Any] | Iterable[Any], loss: Any) -> list[_Wanted]:
    found = []
    for each in given:
        if isinstance(each, Param) and not isinstance(each, Expr):
            wanted = _Wanted(each._cell, getattr(each, "_index", ()))
        elif isinstance(each, Expr) and isinstance(node := _unnamed(each._node), Placeholder):
            wanted = _Wanted(node.cell, node.index)
        elif isinstance(each, (str, Expr)) and isinstance(loss, LazyFrame):
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


__all__ = ["backward", "gradient", "value_and_gradient", "value_and_gradients"]
