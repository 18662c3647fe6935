"""Joins as SQL: of tables in FROM, and of partners that are only asked for in EXISTS."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.relations import AsofJoin, Join
from lazyframe.planner.scalars import Call, Case, Column, Literal, Scalar, cast, conjuncts, null_of, substitute
from lazyframe.planner.sql.writing.select import Exists, Joined, Named, Select, Single, new_column
from lazyframe.planner.sql.writing.statement import Statement
from lazyframe.planner.types import BOOL


def joined(statement: Statement, node: Join, left: Select, right: Select) -> Select:
    """The join as one SELECT.

    Raises:
        UnsupportedError: where the join checks how many partners there are.
    """
    if node.validate != "m:m":
        raise UnsupportedError(
            f"a join with validate={node.validate!r} cannot be written as SQL, which does not count partners",
            hint="leave validate out",
        )
    if node.kind in ("semi", "anti", "mark", "single"):
        return _correlated(statement, node, left, right)
    left, right = _left_side(statement, node, left), _right_side(statement, node, right)
    outputs = {**left.outputs, **right.outputs}
    conditions = [condition for c in _conditions(node, outputs) for condition in conjuncts(c)]
    where = left.where
    if node.kind in ("inner", "cross"):
        where = (*left.where, *right.where)
    else:
        conditions = [*conditions, *right.where]
    assert right.reference is not None
    kind = "inner" if node.kind == "cross" else node.kind
    joins = (*left.joins, Joined(right.reference, kind, tuple(conditions)), *right.joins)
    order = left.order if node.kind in ("inner", "left", "cross") else right.order if node.kind == "right" else ()
    return replace(
        left,
        joins=joins,
        origins={**left.origins, **right.origins},
        outputs=_nullable(node, outputs),
        where=where,
        order=order,
        rounds=left.rounds | right.rounds,
        label="joined",
    )


def _left_side(statement: Statement, node: Join, select: Select) -> Select:
    if not select.is_plain or select.reference is None:
        return statement.wrapped(select)
    if node.kind in ("right", "full") and (select.where or not _only_columns(select)):
        return statement.wrapped(select)
    return select if _keys_are_simple(node.left_keys, node.condition, select) else statement.wrapped(select)


def _right_side(statement: Statement, node: Join, select: Select) -> Select:
    """Tables and conditions alone: FROM names the tables of both sides in one list."""
    if not select.is_plain or select.reference is None or not _only_columns(select):
        return statement.wrapped(select)
    if select.joins and not (node.kind == "inner" and _joins_first(node, select)):
        return statement.wrapped(select)
    if node.kind in ("right", "full") and select.where:
        return statement.wrapped(select)
    return select


def _joins_first(node: Join, select: Select) -> bool:
    """Whether the sides meet in the first table alone, and the others, all inner, may follow it."""
    names = {name for key in node.right_keys for name in key.columns}
    if node.condition is not None:
        names |= {name for name in node.condition.columns if name in select.outputs}
    origins = [select.origins[base] for name in names for base in select.outputs[name].columns]
    in_first = all([isinstance(o, Named) and o.reference is select.reference for o in origins])
    return bool(names) and in_first and all([joined.kind == "inner" for joined in select.joins])


def _only_columns(select: Select) -> bool:
    """Whether the outputs are columns of tables: anything else would not be null where a row has no partner."""
    return all(
        isinstance(scalar, Column) and isinstance(select.origins.get(scalar.name), Named)
        for scalar in select.outputs.values()
    )


def _keys_are_simple(keys: tuple[Scalar, ...], condition: Scalar | None, select: Select) -> bool:
    names = {name for scalar in (*keys, *((condition,) if condition is not None else ())) for name in scalar.columns}
    used = [Column(name, select.outputs[name].dtype, True) for name in names if name in select.outputs]
    return select.takes(used, bare=True)


def _nullable(node: Join, outputs: dict[str, Scalar]) -> dict[str, Scalar]:
    """The outputs, of which those of a side without a partner may be null."""
    schema = node.schema
    return {
        name: Column(s.name, s.dtype, True) if isinstance(s, Column) and schema.field(name).nullable else s
        for name, s in outputs.items()
    }


def _conditions(node: Join, outputs: dict[str, Scalar]) -> list[Scalar]:
    equal = "equal_missing" if node.nulls_equal else "equal"
    found = [_equal(equal, a, b) for a, b in zip(node.left_keys, node.right_keys, strict=True)]
    if node.condition is not None:
        found.append(node.condition)
    return [substitute(condition, outputs) for condition in found]


def _equal(name: str, a: Scalar, b: Scalar) -> Scalar:
    return Call(name, (a, b))


def _correlated(statement: Statement, node: Join, left: Select, right: Select) -> Select:
    if not left.is_plain or left.reference is None or not _keys_are_simple(node.left_keys, node.condition, left):
        left = statement.wrapped(left)
    right = replace(right, order=())
    if not right.is_plain or right.reference is None or not _keys_are_simple(node.right_keys, node.condition, right):
        right = statement.wrapped(right)
    conditions = _conditions(node, {**left.outputs, **right.outputs})
    inner = replace(
        right.with_where(*[part for condition in conditions for part in conjuncts(condition)]),
        origins={**left.origins, **right.origins},
    )
    rounds = left.rounds | right.rounds
    if node.kind == "single":
        outputs, origins = dict(left.outputs), dict(left.origins)
        for field in node.right.schema:
            value = new_column(field.name, field.dtype, nullable=True)
            origins[value.name] = Single(replace(inner, outputs={field.name: right.outputs[field.name]}))
            outputs[field.name] = value
        return replace(left, outputs=outputs, origins=origins, rounds=rounds, label="joined")
    partner = new_column("exists", BOOL, nullable=False)
    origins = {**left.origins, partner.name: Exists(inner)}
    if node.kind == "mark":
        return replace(
            left, outputs={**left.outputs, node.mark: partner}, origins=origins, rounds=rounds, label="marked"
        )
    condition: Scalar = partner if node.kind == "semi" else Call("not", (partner,))
    return replace(left.with_where(condition), origins=origins, rounds=rounds, label="matched")


_ASOF = {
    ("backward", False): "greater_equal", ("backward", True): "greater",
    ("forward", False): "less_equal", ("forward", True): "less",
}  # fmt: skip


def nearest_joined(statement: Statement, node: AsofJoin, left: Select, right: Select) -> Select:
    """A join with the next value, as DuckDB's ASOF JOIN.

    Raises:
        UnsupportedError: for what that does not do.
    """
    compared = _ASOF.get((node.strategy, node.strict))
    if compared is None:
        raise UnsupportedError("a join with the nearest value on either side cannot be written as SQL")
    if statement.strict_order:
        raise UnsupportedError("a join with the next value can be written for DuckDB alone")
    left, right = statement.plain(left), statement.plain(right)
    if not _only_columns(right) or right.joins or right.where:
        right = statement.wrapped(right)
    outputs = {**left.outputs, **right.outputs}
    on = (substitute(node.left_on, outputs), substitute(node.right_on, outputs))
    equal = [
        Call("equal", (substitute(a, outputs), substitute(b, outputs)))
        for a, b in zip(node.left_by, node.right_by, strict=True)
    ]
    assert right.reference is not None
    join = Joined(right.reference, f"asof {node.kind}", (*equal, Call(compared, on)))
    where = left.where
    if node.tolerance is not None:
        far = on if node.strategy == "backward" else on[::-1]
        close = _at_most(far, node.tolerance)
        if node.kind == "inner":
            where = (*where, close)
        else:
            outputs = {
                name: s if name in left.outputs else Case((close,), (s,), null_of(s.dtype))
                for name, s in outputs.items()
            }
    return replace(
        left,
        joins=(*left.joins, join),
        origins={**left.origins, **right.origins},
        outputs=outputs,
        where=where,
        rounds=left.rounds | right.rounds,
        label="joined",
    )


def _at_most(values: tuple[Scalar, Scalar], tolerance: pa.Scalar) -> Scalar:
    """Whether the first value is at most so far above the second."""
    distance = Call("subtract", values)
    return Call("less_equal", (distance, cast(Literal(tolerance), distance.dtype)))
