"""Whether two plans are one but for names: those of columns inside, and where projections stand.

The fluent API and SQL call what they compute in between by different names, and give columns their names at different places.
Here a column is what it is computed from: a projection adds nothing but names to its input. Plans of one form give the same
rows; plans of different forms may do so, too.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from lazyframe.planner.graph import Node, fold, token
from lazyframe.planner.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    PartitionTopK,
    Plan,
    Project,
    Reverse,
    Scan,
    Sort,
    Tail,
    TopK,
    Window,
)
from lazyframe.planner.scalars import Column, Scalar, is_volatile


class _Form(NamedTuple):
    """A relation without its names: which rows in which order, and what each column is computed from."""

    rows: bytes
    columns: Mapping[str, bytes]


def are_equivalent(a: Plan, b: Plan) -> bool:
    """Whether two plans have the same columns by name, and are the same but for the names within.

    Whether a join promises to keep the order of its left side is no difference.
    """
    return _of(a) == _of(b)


def _of(plan: Plan) -> tuple[bytes, list[tuple[str, bytes]]]:
    form = fold(plan, _form)
    return form.rows, [(name, form.columns[name]) for name in plan.schema.names]


def _form(plan: Plan, children: list[_Form]) -> _Form:
    match plan:
        case Scan():
            return _scan(plan)
        case Filter():
            return _filter(children[0], plan.predicate)
        case Project():
            return _project(plan, children[0])
        case Aggregate():
            return _aggregate(plan, children[0])
        case Window():
            (below,) = children
            calls = {name: _hash("window", below.rows, _value(call, below.columns)) for name, call in plan.calls}
            return below._replace(columns={**below.columns, **calls})
        case Join():
            return _join(plan, *children)
        case Sort() | TopK() | PartitionTopK() | Limit() | Tail() | Reverse():
            (below,) = children
            values = [_value(scalar, below.columns) for scalar in plan.scalars()]
            return below._replace(rows=_hash(type(plan).__name__, below.rows, _data(plan), values))
        case Distinct():
            (below,) = children
            subset = sorted([below.columns[name] for name in plan.subset])
            return below._replace(rows=_hash("Distinct", below.rows, subset, plan.keep))
    # Of all others the names count: what is not known to be the same is not the same.
    inner = [(form.rows, list(form.columns.items())) for form in children]
    rows = _hash(type(plan).__name__, inner, _data(plan), [scalar.digest for scalar in plan.scalars()])
    return _Form(rows, {name: _hash(rows, name) for name in plan.schema.names})


def _scan(plan: Scan) -> _Form:
    source = _hash("Scan", token(plan.source))
    form = _Form(source, {name: _hash(source, name) for name in plan.source.schema.names})
    if plan.predicate is not None:
        form = _filter(form, plan.predicate)
    return form if plan.limit is None else form._replace(rows=_hash("limited", form.rows, plan.limit))


def _filter(below: _Form, predicate: Scalar) -> _Form:
    return below._replace(rows=_hash("Filter", below.rows, _value(predicate, below.columns)))


def _project(plan: Project, below: _Form) -> _Form:
    columns = {}
    for name, scalar in plan.exprs:
        columns[name] = _value(scalar, below.columns)
        if is_volatile(scalar):
            # Two draws of a random number are two columns, though they are written alike.
            columns[name] = _hash("drawn", below.rows, name, columns[name])
    return below._replace(columns=columns)


def _aggregate(plan: Aggregate, below: _Form) -> _Form:
    keys = {name: _value(key, below.columns) for name, key in plan.keys}
    rows = _hash("Aggregate", below.rows, list(keys.values()))
    found = {name: _hash("key", rows, key) for name, key in keys.items()}
    for name, call in plan.aggregates:
        found[name] = _hash("aggregate", rows, _value(call, below.columns))
    return _Form(rows, found)


def _join(plan: Join, left: _Form, right: _Form) -> _Form:
    sides = {name: _hash("left", column) for name, column in left.columns.items()}
    sides.update({name: _hash("right", column) for name, column in right.columns.items()})
    conditions = () if plan.condition is None else (plan.condition,)
    values = [[_value(key, sides) for key in keys] for keys in (plan.left_keys, plan.right_keys, conditions)]
    rows = _hash("Join", left.rows, right.rows, plan.kind, values, plan.nulls_equal, plan.validate)
    return _Form(rows, {name: _hash(rows, sides.get(name, b"mark")) for name in plan.schema.names})


def _value(scalar: Scalar, columns: Mapping[str, bytes]) -> bytes:
    """What an expression is over columns of which only that counts what they are computed from."""

    def step(current: Scalar, parts: list[bytes]) -> bytes:
        if isinstance(current, Column):
            return columns[current.name]
        held = [
            len(slot) if isinstance(slot := getattr(current, s.name), tuple) else slot is None
            for s in current.scalar_fields
        ]
        return _hash(type(current).__name__, _data(current), held, parts)

    return fold(scalar, step)


def _data(of: Node) -> list[object]:
    """The fields that hold no nodes."""
    held = {slot.name for slot in (*of.plan_fields, *of.scalar_fields)}
    return [token(getattr(of, name)) for name in of.field_names if name not in held]


def _hash(*parts: Any) -> bytes:
    return blake2b(marshal.dumps(parts, 0), digest_size=16).digest()


__all__ = ["are_equivalent"]
