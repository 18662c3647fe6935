"""Groups of one side of a join, made before it is joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lazyframe.planner import arrow
from lazyframe.planner.graph import fold, postorder, replace
from lazyframe.planner.predicates import has_floats
from lazyframe.planner.relations import Aggregate, Join, Plan, Project
from lazyframe.planner.relations.project import column
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import (
    AggregateCall,
    Call,
    Column,
    Literal,
    Scalar,
    is_total,
    is_volatile,
    substitute,
)
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.site import ambient
from lazyframe.planner.statistics import estimate
from lazyframe.planner.types import INT64, integer_digits, is_decimal, is_integer, is_string

_FEWEST = 100_000
"""Of fewer rows it is not worth a thought."""

_FEWER = 3.0
"""So many rows must become one group, by the estimate."""

_ZERO = Literal(arrow.scalar(0, INT64))

_DIGITS = 20
"""Sums of numbers of no more digits cannot overflow, however many rows there are."""


@rule(Aggregate)
def push_aggregate_below_join(plan: Plan) -> Plan | None:
    """Aggregate sum(x) by g (Join a b on k = l)  =>  Aggregate sum(s) by g (Join (Aggregate sum(x) as s by k, a.g a) b on k = l).

    So with count, whose parts are added up, min and max; x is of a alone. Sound: rows of a that are equal in k and in what g
    uses have the same partners and fall into the same groups, so that they may be added up before. A group of several
    partners is added once for each of them, as its rows were.

    Not for floats, whose sums depend on the order; not for integers of 64 bits, whose sum over rows without a partner may
    overflow; not an average, or what counts each value once. Not where an argument may raise: it would be asked of rows
    without a partner. Not over a join that keeps an order, since groups come in the order in which they first appear. Only
    where a has many rows for each group, by the estimates, most of them have a partner, and b brings texts to group by.
    """
    order = postorder(plan)
    if not any([isinstance(current, Aggregate) and _join_below(current) is not None for current in order]):
        return None
    users = Counter([id(child) for current in order for child in current.children()])

    def over(current: Plan, children: list[Plan]) -> Plan:
        rebuilt = current.with_children(children)
        if isinstance(rebuilt, Aggregate) and isinstance(current, Aggregate) and users[id(current.input)] == 1:
            ambient.site = current.site
            return _early(rebuilt) or rebuilt
        return rebuilt

    result = fold(plan, over)
    return None if result is plan else result


def _join_below(plan: Aggregate) -> Join | None:
    """The join whose rows are grouped, perhaps with fewer columns."""
    below = plan.input
    if isinstance(below, Project) and all([isinstance(scalar, Column) for _, scalar in below.exprs]):
        below = below.input
    if isinstance(below, Join) and below.kind == "inner" and below.left_keys and not below.ordered:
        return below
    return None


def _early(plan: Aggregate) -> Plan | None:
    join = _join_below(plan)
    if join is None or join.condition is not None or join.validate != "m:m" or not plan.aggregates:
        return None
    if not any([is_string(key.dtype) for _, key in plan.keys]) or not any(
        [_is_large(side) for side in join.children()]
    ):
        return None
    bindings = plan.input.bindings if isinstance(plan.input, Project) else {}
    keys = [(name, substitute(key, bindings)) for name, key in plan.keys]
    calls = [(name, substitute(call, bindings)) for name, call in plan.aggregates]
    if any(map(is_volatile, (*join.scalars(), *plan.scalars()))):
        return None
    for side in ("left", "right"):
        grouped = _grouped(join, side, keys, calls)
        if grouped is not None:
            return grouped
    return None


def _is_large(side: Plan) -> bool:
    rows = estimate(side)
    return rows is not None and rows >= _FEWEST


def _grouped(
    join: Join, name: str, keys: Sequence[tuple[str, Scalar]], calls: Sequence[tuple[str, Scalar]]
) -> Plan | None:
    """The groups over a join whose side of this name is grouped before."""
    left = name == "left"
    side, other = (join.left, join.right) if left else (join.right, join.left)
    own_keys = join.left_keys if left else join.right_keys
    rows, pairs = estimate(side), estimate(join)
    if isinstance(side, Aggregate) or not _is_large(side) or rows is None or pairs is None or pairs * 2 < rows:
        return None
    if not any([key.columns and is_string(key.dtype) and other.schema.covers(key.columns) for _, key in keys]):
        return None
    kept = _columns(side, [*own_keys, *[key for _, key in keys]])
    if kept is None or not all([_is_partial(call, side) for _, call in calls]):
        return None
    taken = {*join.schema.names}
    parts: list[tuple[str, Scalar]] = []
    sums: list[tuple[str, Scalar]] = []
    outputs: list[tuple[str, Scalar]] = [(key, Column(key, scalar.dtype, scalar.nullable)) for key, scalar in keys]
    for output, call in calls:
        assert isinstance(call, AggregateCall)
        part = (fresh_name(call.function, taken), call)
        taken.add(part[0])
        parts.append(part)
        is_count = call.function in ("count", "len")
        added = AggregateCall("sum" if is_count else call.function, (Column(part[0], call.dtype, call.nullable),))
        if added.dtype != call.dtype:
            return None
        sums.append((output, added))
        value: Scalar = Column(output, added.dtype, added.nullable)
        outputs.append((output, Call("coalesce", (value, _ZERO)) if is_count else value))
    early = Aggregate(side, tuple([(each.name, each) for each in kept]), tuple(parts))
    groups = estimate(early)
    if groups is None or groups * _FEWER > rows:
        return None
    late = Aggregate(replace(join, **{name: early}), tuple(keys), tuple(sums))
    if all([isinstance(scalar, Column) for _, scalar in outputs]):
        return late
    return Project(late, tuple(outputs))


def _columns(side: Plan, scalars: Iterable[Scalar]) -> list[Column] | None:
    """The columns of a side that expressions use, each of which uses one side alone; None where that is not so."""
    names: dict[str, None] = {}
    for scalar in scalars:
        if side.schema.covers(scalar.columns):
            names.update(dict.fromkeys(sorted(scalar.columns)))
        elif any([name in side.schema for name in scalar.columns]):
            return None
    found = [column(side.schema, name) for name in names]
    return None if any([has_floats(each.dtype) for each in found]) else found


def _is_partial(call: Scalar, side: Plan) -> bool:
    """Whether values of parts of the rows of a side can be put together to that of all, exactly."""
    if not isinstance(call, AggregateCall) or call.distinct or call.order or call.options or call.where is not None:
        return False
    if not side.schema.covers(call.columns) or not all(map(is_total, call.args)):
        return False
    match call.function:
        case "len" | "count":
            return True
        case "min" | "max":
            return not has_floats(call.dtype)
        case "sum":
            dtype = call.args[0].dtype
            if is_decimal(dtype):
                return dtype.precision <= _DIGITS
            return is_integer(dtype) and integer_digits(dtype) < integer_digits(INT64)
    return False
