"""Where a value of a relation comes from, as far down as rows may be left out by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from lazyframe.planner.build_side import build_side
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Distinct,
    Explode,
    Filter,
    Join,
    Plan,
    Project,
    Scan,
    Shared,
    Sort,
    Union,
    Unpivot,
    Window,
)
from lazyframe.planner.scalars import AggregateCall, Cast, Column, Scalar, WindowCall, is_total, is_volatile, substitute
from lazyframe.planner.statistics import estimate
from lazyframe.planner.types import is_decimal, is_float, is_integer

_FAR = 100
"""So many nodes down a value is followed."""

_GATHERED = 2
"""What `Origin.early` is where rows are gathered in between."""


class Origin(NamedTuple):
    """A scan that a value comes from, as the input `child` of `parent`, and what the value is there.

    `early` is how much earlier than where the value is asked for a row is left out there: 0 where there is next to nothing in
    between, 1 where rows pass a filter or the probe of a join, 2 where they are gathered in between. Where it is to be `whole`,
    all of the rows that lack a value must be left out, if any is.
    """

    parent: Plan
    child: int
    scan: Scan
    value: Scalar
    early: int
    whole: bool = False


def origins(parent: Plan, index: int, value: Scalar, is_shared: Callable[[Plan], bool]) -> list[Origin]:
    """The scans from which the rows that lack a value can be left out.

    Rows whose `value` is none of some may be left out of the input `index` of `parent`. So they may be left out of each of
    the scans that are returned, in all or in some of them: what comes of the other rows is the same, in the same order.

    What comes of the rows that lack a value may become something else where some of them are left out, as the sum of a group,
    or the row without a partner in an anti join. It does not show, but may be an error on the way: then all of them must be
    left out, or none.

    Args:
        parent: a node.
        index: which of its inputs.
        value: over the columns of that input.
        is_shared: whether others read a node too, who may want all of its rows.
    """
    found: list[Origin] = []
    stack = [(parent, index, value, 0, 0, _may_raise(parent), False)]
    while stack:
        parent, index, value, early, far, raises, whole = stack.pop()
        node = parent.children()[index]
        if isinstance(node, Scan):
            found.append(Origin(parent, index, node, value, max(early, int(node.predicate is not None)), whole))
        elif not is_shared(node) and far < _FAR and not (whole and isinstance(node, Union)):
            raises_here = raises or _may_raise(node)
            whole_below = whole or (raises_here and isinstance(node, _GATHERS))
            for below, origin, passed in _below(node, value):
                if not (raises and isinstance(node, Join) and _changes(node, below, value)):
                    stack.append((node, below, origin, max(early, passed), far + 1, raises_here, whole_below))
    return found


_GATHERS = (Aggregate, Distinct, Window)
"""What makes other rows of some of the rows of one value than of all of them."""

_NEVER_OVERFLOW = frozenset(
    ["len", "count", "n_unique", "min", "max", "any", "all", "first", "last", "row_number", "rank", "dense_rank"]
)
"""Functions of several rows that raise no error whatever the rows are."""

_SAFE_DIGITS = 28
"""Sums of decimals of so many digits fit into 38 digits for any number of rows that there can be."""


def _may_raise(node: Plan) -> bool:
    """Whether a row that the plan as it was written does not have may be an error at a node."""
    if isinstance(node, Join) and node.kind == "single":
        return True
    match node:
        case Aggregate(aggregates=calls) | Window(calls=calls):
            if any([_may_overflow(call) for _, call in calls]):
                return True
    return not all([is_total(scalar) for scalar in node.scalars()])


def _may_overflow(call: Scalar) -> bool:
    assert isinstance(call, AggregateCall | WindowCall)
    if call.function in _NEVER_OVERFLOW:
        return False
    if call.function not in ("sum", "mean"):
        return True
    dtype = call.args[0].dtype
    if is_decimal(dtype):
        return bool(dtype.precision > _SAFE_DIGITS)
    return not is_float(dtype) and not (is_integer(dtype) and (call.function == "mean" or dtype.bit_width < 64))


def _changes(join: Join, side: int, value: Scalar) -> bool:
    """Whether a join without some rows of a side gives rows that it did not give with them."""
    (name,) = value.columns
    own = 0 if name in join.left.schema else 1
    return side != own and join.kind not in ("inner", "semi")


def streamed_origins(parent: Plan, value: Scalar, is_shared: Callable[[Plan], bool]) -> list[Origin]:
    """As `origins`, of the only input of a node: those scans whose rows reach it while they are read.

    Which rows are left out may then depend on how far the node is with others, as nothing on the way can raise an error.
    """
    found: list[Origin] = []
    stack = [(parent, 0, value, 0)]
    while stack:
        parent, index, value, far = stack.pop()
        node = parent.children()[index]
        if _may_raise(node):
            continue
        if isinstance(node, Scan):
            found.append(Origin(parent, index, node, value, 0))
        elif not is_shared(node) and far < _FAR:
            for below, origin, early in _below(node, value):
                if early < _GATHERED and (not isinstance(node, Join) or below == _streaming_side(node)):
                    stack.append((node, below, origin, far + 1))
    return found


def _streaming_side(join: Join) -> int | None:
    """The side whose rows are looked up as they come, and give rows at once."""
    if build_side(join) == "right":
        return 0
    return 1 if join.kind == "right" or (join.kind in ("inner", "cross") and not join.ordered) else None


def most_values(plan: Plan, value: Scalar) -> float | None:
    """An estimate of how many different values a column of a plan has at most; None where nothing is known."""
    most = estimate(plan)
    for _ in range(_FAR):
        if most is None or isinstance(plan, Scan):
            break
        if isinstance(plan, Join) and plan.kind in ("inner", "semi"):
            for others, partner in ((plan.right, plan.left_keys), (plan.left, plan.right_keys)):
                rows = estimate(others)
                if rows is not None and any([_is_same(key, value) for key in partner]):
                    most = min(most, rows)
        step = next(_below(plan, value), None)
        if step is None:
            break
        index, value, _ = step
        plan = plan.children()[index]
        rows = estimate(plan)
        most = most if rows is None else min(most, rows)
    return most


def is_plain(value: Scalar) -> bool:
    """Whether it is a column, or one that is converted without fail: cheap to compute, and its bounds are known."""
    return isinstance(value, Column) or (isinstance(value, Cast) and isinstance(value.arg, Column) and is_total(value))


def _below(node: Plan, value: Scalar) -> Iterator[tuple[int, Scalar, int]]:
    """Of which inputs a row can be left out by a value instead of leaving out what comes of it, and what it is there.

    Not where a row that goes may change what comes of others: limits, row numbers, windows and groups over all rows. Not
    where something is drawn at random for each row: the others would draw something else.
    """
    (name,) = value.columns
    if any([is_volatile(scalar) for scalar in node.scalars()]):
        return
    match node:
        case Filter():
            yield 0, value, 1
        case Sort():
            yield 0, value, _GATHERED
        case Shared():
            yield 0, value, _GATHERED
        case Project():
            origin = _substituted(value, node.bindings[name])
            if origin is not None:
                yield 0, origin, 0
        case Aggregate(keys=keys):
            key = dict(keys).get(name)
            origin = None if key is None else _substituted(value, key)
            if origin is not None:
                yield 0, origin, _GATHERED
        case Distinct(subset=subset) if name in subset:
            yield 0, value, _GATHERED
        case Window(calls=calls) if name in node.input.schema and all([_is_within(call, name) for _, call in calls]):
            yield 0, value, _GATHERED
        case Explode(columns=columns, ordinality=ordinality) if name not in columns and name != ordinality:
            yield 0, value, 1
        case Unpivot(index=index) if name in index:
            yield 0, value, 1
        case Union(inputs=inputs):
            for number in range(len(inputs)):
                yield number, value, 0
        case AsofJoin(left=left) if name in left.schema:
            yield 0, value, 1
        case Join() if node.validate == "m:m":
            yield from _below_join(node, name, value)


def _below_join(join: Join, name: str, value: Scalar) -> Iterator[tuple[int, Scalar, int]]:
    """Of an inner join either side; of another one that whose rows it keeps, and the rows that its other side is asked for."""
    side = 0 if name in join.left.schema else 1
    if side == 0 and join.kind in ("right", "full"):
        return
    if side == 1 and join.kind not in ("inner", "cross", "right"):
        return
    yield side, value, 1
    own, others = (join.left_keys, join.right_keys) if side == 0 else (join.right_keys, join.left_keys)
    for key, other in zip(own, others, strict=True):
        if _is_same(key, value) and is_plain(other):
            yield 1 - side, other, _GATHERED


def _is_same(key: Scalar, value: Scalar) -> bool:
    return isinstance(key, Column) and isinstance(value, Column) and key.name == value.name


def _is_within(call: Scalar, name: str) -> bool:
    """Whether a window function looks at rows of one value of a column only."""
    assert isinstance(call, WindowCall)
    return any([isinstance(key, Column) and key.name == name for key in call.partition])


def _substituted(value: Scalar, column: Scalar) -> Scalar | None:
    if isinstance(value, Column):
        return column if is_plain(column) else None
    (name,) = value.columns
    origin = substitute(value, {name: column})
    return origin if is_plain(origin) else None
