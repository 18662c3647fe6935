"""Training: one plan, planned once, that runs with new values of its parameters in each step."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lazyframe.boundary import public
from lazyframe.checks import whole_number
from lazyframe.planner.errors import EvaluationError, InvalidArgumentError

if TYPE_CHECKING:
    from lazyframe.batching import MiniBatches
    from lazyframe.gradient_results import Wanted
    from lazyframe.optim import Optimizer
    from lazyframe.planner.relations import Plan
    from lazyframe.prepared_losses import PreparedLoss


_SHOWN = 8
"""So many elements of an array are shown in a message."""


class History(NamedTuple):
    """What a training run went through: a number for each step.

    Args:
        losses: before the step; with mini-batches of the rows of its batch.
        norms: the lengths of the gradients, of all parameters as one vector.
        seconds: how long the step took.
    """

    losses: list[float]
    norms: list[float]
    seconds: list[float]


@public
def fit(
    loss: Any,
    params: Iterable[Any],
    optimizer: Optimizer,
    steps: int | None = None,
    *,
    epochs: int | None = None,
    batch_size: int | None = None,
    over: Any = None,
    seed: int = 0,
    progress: bool | None = None,
) -> History:
    """Move parameters so that a loss becomes small.

    The loss and its gradients are one plan. It is planned once, and runs once a step.

    With `batch_size` each step computes the loss of some rows of a frame, wherever the loss reads this frame. An epoch visits
    each row once, in an order that follows from the seed; the same seed gives the same bits. The columns that are read of the frame are kept in
    memory.

    Args:
        loss: a frame of one row and one column, or an expression of parameters.
        params: what the gradients are taken by.
        optimizer: `lf.optim.SGD` or `lf.optim.Adam` over the same parameters.
        steps: how many.
        epochs: in the place of steps: how often all rows are visited.
        batch_size: how many rows a batch has; the last of an epoch may have fewer. None: all rows in each step.
        over: the frame that batches are taken from; by default the one table that the loss reads.
        seed: of the order in which rows are visited.
        progress: whether a bar is shown; by default on a terminal only.

    Returns:
        The losses before each step, and more. The parameters have their last values.

    Raises:
        EvaluationError: where the loss becomes NaN, infinite or null: with the step, the parameters, and the column in which it
            began. The parameters keep the values for which it did.
        InvalidArgumentError: where batches are asked for, and the loss does not say or read what they are taken from; where the
            optimizer has other parameters.
        KeyboardInterrupt: on Ctrl-C. The parameters have the values of the last full step, and `history` of the exception is
            what would have been returned.

    Example:
        >>> w, b = lf.param("w", 0.0), lf.param("b", 0.0)
        >>> df = lf.from_dict({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 7.0]})
        >>> loss = df.select(((w * lf.col("x") + b - lf.col("y")) ** 2).mean())
        >>> history = lf.fit(loss, [w, b], lf.optim.SGD([w, b], lr=0.1), steps=200)
        >>> round(history.losses[0], 3), round(w.value, 3), round(b.value, 3)
        (21.0, 2.0, 1.0)
        >>> w.value = b.value = 0.0
        >>> history = lf.fit(loss, [w, b], lf.optim.SGD([w, b], lr=0.1), epochs=100, batch_size=2, seed=1)
        >>> len(history.losses), round(w.value, 3), round(b.value, 3)
        (200, 2.0, 1.0)
    """
    from lazyframe.fit_progress import bar
    from lazyframe.optim import Optimizer
    from lazyframe.prepared_losses import PreparedLoss
    from lazyframe.walks_back import asked

    if not isinstance(optimizer, Optimizer):
        raise InvalidArgumentError(
            f"an optimizer is lf.optim.SGD or lf.optim.Adam, not {optimizer!r}",
            hint="write lf.optim.SGD(params, lr=0.1)",
        )
    if (steps is None) == (epochs is None):
        raise InvalidArgumentError("fit() takes either steps or epochs", hint="write steps=100")
    plan, wanted = asked(loss, params)
    _check_same(wanted, optimizer)
    batches = _batches(plan, batch_size, over, seed)
    prepared = PreparedLoss(plan if batches is None else batches.loss, wanted)
    if batches is not None:
        batches.read(prepared.optimized)
    count = whole_number("steps" if epochs is None else "epochs", steps if epochs is None else epochs)
    if epochs is not None and batches is not None:
        count *= batches.in_epoch
    history = History([], [], [])
    try:
        with bar(count, progress) as show:
            for number in range(count):
                _step(prepared, batches, optimizer, number, history)
                show(history.losses[-1])
    except KeyboardInterrupt as error:
        done = len(history.losses)
        error.add_note(f"fit() stopped: the parameters have their values after step {done} of {count}")
        error.history = history  # type: ignore[attr-defined]
        raise
    return history


def _check_same(wanted: Sequence[Wanted], optimizer: Optimizer) -> None:
    """An optimizer without a parameter would leave it; one with others would move them by gradients of another time."""
    held = {each._cell.identity(): each.label for each in optimizer.params}
    by = {each.cell.identity(): each.label for each in wanted}
    missing = [repr(label) for identity, label in by.items() if identity not in held]
    others = [repr(label) for identity, label in held.items() if identity not in by]
    if missing or others:
        found = f"has not {', '.join(missing[:5])}" if missing else f"has {', '.join(others[:5])} as well"
        raise InvalidArgumentError(
            f"fit() and its optimizer have other parameters: the optimizer {found}",
            hint="give the same parameters to both: lf.fit(loss, params, lf.optim.SGD(params), steps=100)",
        )


def _batches(plan: Plan, size: int | None, over: Any, seed: int) -> MiniBatches | None:
    if size is None:
        if over is not None:
            raise InvalidArgumentError("over= says what batches are taken from", hint="write batch_size= beside it")
        return None
    from lazyframe.batching import MiniBatches

    return MiniBatches(plan, over, size, seed)


def _step(
    prepared: PreparedLoss, batches: MiniBatches | None, optimizer: Optimizer, number: int, history: History
) -> None:
    started = time.perf_counter()
    if batches is not None:
        batches.take()
    value, gradients = prepared.run()
    if value is None or not math.isfinite(value):
        if batches is not None:
            batches.take_again()
        raise _diverged(prepared.plan, value, number, optimizer, of_batch=batches is not None)
    for each, gradient in zip(prepared.wanted, gradients, strict=True):
        each.cell.grad = gradient
    optimizer.step()
    history.norms.append(math.sqrt(sum([_square(gradient) for gradient in gradients])))
    history.seconds.append(time.perf_counter() - started)
    history.losses.append(value)


def _square(gradient: Any) -> float:
    return float(gradient**2 if isinstance(gradient, float) else (gradient**2).sum())


def _shown(value: Any) -> str:
    """A value of a parameter; of a large array how large it is, and between which numbers."""
    if getattr(value, "size", 1) <= _SHOWN:
        return f"= {value!r}"
    shape = " x ".join(map(str, value.shape))
    return f"({shape} numbers from {float(value.min()):.6g} to {float(value.max()):.6g})"


def _diverged(plan: Plan, value: float | None, number: int, optimizer: Optimizer, *, of_batch: bool) -> EvaluationError:
    named = ", ".join([f"{each.label} {_shown(each._cell.value)}" for each in optimizer.params])
    found = _first_unusual(plan)
    began = f"; it began in the column {found.name!r}" if found else ""
    shown = "null" if value is None else repr(value)
    hint = "take smaller steps (lr=), scale the columns, or keep logarithms, roots and quotients away from 0"
    if found is not None and found.is_given:
        hint = f"leave out the rows in which it is no number: .filter(lf.col({found.name!r}).is_finite())"
    if value is None:
        hint = "a sum or mean of no rows is null: look at the filters and joins of the loss"
        hint += ", and take the batches behind them: over=frame.filter(...)" if of_batch else ""
    return EvaluationError(
        f"the loss became {shown} in step {number + 1}, with {named}{began}",
        hint=hint,
        site=found.site if found else None,
    )


class _Unusual(NamedTuple):
    """A column that holds a NaN or an infinity.

    Args:
        name: of the column.
        site: where it was written.
        is_given: whether it is one of a table, and not computed.
    """

    name: str
    site: Any
    is_given: bool


def _first_unusual(plan: Plan) -> _Unusual | None:
    """The first such column, from the leaves up."""
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
                return _Unusual(name, site, is_given=not current.children())
    return None


__all__ = ["History", "fit"]
