"""Training: one plan, planned once, that runs with new values of its parameters in each step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from lazyframe.boundary import public
from lazyframe.checks import whole_number
from lazyframe.planner.errors import EvaluationError, InvalidArgumentError

if TYPE_CHECKING:
    from lazyframe.optim import Optimizer
    from lazyframe.planner.relations import Plan


class History(NamedTuple):
    """What a training run went through.

    Args:
        losses: before each step.
    """

    losses: list[float]


@public
def fit(loss: Any, params: Iterable[Any], optimizer: Optimizer, steps: int) -> History:
    """Move parameters so that a loss becomes small.

    The loss and its gradients are one plan. It is planned once, and runs once a step.

    Args:
        loss: a frame of one row and one column, or an expression of parameters.
        params: what the gradients are taken by.
        optimizer: `lf.optim.SGD` or `lf.optim.Adam` over the same parameters.
        steps: how many.

    Returns:
        The losses before each step. The parameters have their last values.

    Raises:
        EvaluationError: where the loss becomes NaN, infinite or null: with the step, the parameters, and the column in which it
            began. The parameters keep the values for which it did.

    Example:
        >>> w, b = lf.param("w", 0.0), lf.param("b", 0.0)
        >>> df = lf.from_dict({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 7.0]})
        >>> loss = df.select(((w * lf.col("x") + b - lf.col("y")) ** 2).mean())
        >>> history = lf.fit(loss, [w, b], lf.optim.SGD([w, b], lr=0.1), steps=200)
        >>> round(history.losses[0], 3), round(w.value, 3), round(b.value, 3)
        (21.0, 2.0, 1.0)
    """
    from lazyframe.optim import Optimizer
    from lazyframe.walks_back import Stepper

    if not isinstance(optimizer, Optimizer):
        raise InvalidArgumentError(
            f"an optimizer is lf.optim.SGD or lf.optim.Adam, not {optimizer!r}",
            hint="write lf.optim.SGD(params, lr=0.1)",
        )
    stepper = Stepper(loss, params)
    losses: list[float] = []
    for number in range(whole_number("steps", steps)):
        value, gradients = stepper.run()
        if value is None or not math.isfinite(value):
            raise _diverged(stepper.plan, value, number, optimizer)
        losses.append(value)
        for each, gradient in zip(stepper.wanted, gradients, strict=True):
            each.cell.grad = gradient
        optimizer.step()
    return History(losses)


def _diverged(plan: Plan, value: float | None, number: int, optimizer: Optimizer) -> EvaluationError:
    named = ", ".join([f"{each.label} = {each.value!r}" for each in optimizer.params])
    found = _first_unusual(plan)
    began = f"; it began in {found[0]}" if found else ""
    shown = "null" if value is None else repr(value)
    return EvaluationError(
        f"the loss became {shown} in step {number + 1}, with {named}{began}",
        hint="take smaller steps (lr=), scale the columns, or keep logarithms, roots and quotients away from 0",
        site=found[1] if found else None,
    )


def _first_unusual(plan: Plan) -> tuple[str, Any] | None:
    """The first column, from the leaves up, that holds a NaN or an infinity, and where it was written."""
    from lazyframe import session
    from lazyframe.planner.bind import aggregate_call, call
    from lazyframe.planner.graph import postorder
    from lazyframe.planner.relations import Aggregate
    from lazyframe.planner.relations.project import column
    from lazyframe.planner.types import is_float

    for current in postorder(plan):
        floats = [field.name for field in current.schema if is_float(field.dtype)]
        if not floats:
            continue
        tests = [(name, call("not", call("is_finite", column(current.schema, name)))) for name in floats]
        asked = tuple([(name, aggregate_call("any", [test])) for name, test in tests])
        table = session.execute(Aggregate(current, (), asked))
        for name in floats:
            if table.column(name)[0].as_py():
                written = current.bindings.get(name)
                site = (written.site if written is not None else None) or current.site
                return f"the column {name!r}", site
    return None


__all__ = ["History", "fit"]
