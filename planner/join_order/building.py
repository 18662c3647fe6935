"""From a tree of sets of relations to a plan."""

from __future__ import annotations

from lazyframe.planner.graph import postorder
from lazyframe.planner.join_order.graph import Equality, JoinGraph, KeyClass, members
from lazyframe.planner.join_order.search import Tree
from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Call, Column, Scalar, conjunction, substitute
from lazyframe.planner.schema import Schema
from lazyframe.planner.site import ambient


def built(graph: JoinGraph, tree: Tree) -> Plan:
    """The plan that joins the relations as the tree says. Of an inner join the side of fewer rows is the right one."""
    made: dict[int, Plan] = {}
    order: list[Tree] = []
    stack = [tree]
    while stack:
        current = stack.pop()
        order.append(current)
        if current.left is not None and current.right is not None:
            stack += [current.left, current.right]
    for current in reversed(order):
        if current.left is None or current.right is None:
            made[current.of] = graph.relations[current.of.bit_length() - 1]
        elif current.step.operator >= 0:
            made[current.of] = _operation(graph, current, made)
        else:
            made[current.of] = _inner(graph, current, made)
    return made[tree.of]


def _inner(graph: JoinGraph, tree: Tree, made: dict[int, Plan]) -> Plan:
    assert tree.left is not None
    assert tree.right is not None
    a, b = tree.left, tree.right
    if a.rows < b.rows:
        a, b = b, a
    left, right = made[a.of], made[b.of]
    keys = [_key(each, a.of, b.of) for each in graph.classes if each.of & a.of and each.of & b.of]
    held, used = _held(graph, a.of, b.of)
    keys += used
    schema = left.schema.beside(right.schema)
    condition = conjunction([_fitted(graph, part, schema) for part in held])
    kind = "inner" if keys or condition is not None else "cross"
    left_keys = tuple([_fitted(graph, key, left.schema) for key, _ in keys])
    right_keys = tuple([_fitted(graph, key, right.schema) for _, key in keys])
    return Join(left, right, kind, left_keys, right_keys, condition, ordered=False)


def _operation(graph: JoinGraph, tree: Tree, made: dict[int, Plan]) -> Plan:
    assert tree.left is not None
    assert tree.right is not None
    a, b = (tree.right, tree.left) if tree.step.flipped else (tree.left, tree.right)
    operator = graph.operators[tree.step.operator]
    left, right = made[a.of], made[b.of]
    previous = ambient.site
    ambient.site = operator.join.site
    try:
        schema = left.schema.beside(right.schema)
        condition = None if operator.condition is None else _fitted(graph, operator.condition, schema)
        plan: Plan = Join(
            left,
            right,
            operator.kind,
            tuple([_fitted(graph, key, left.schema) for key in operator.left_keys]),
            tuple([_fitted(graph, key, right.schema) for key in operator.right_keys]),
            condition,
            mark=operator.join.mark,
            ordered=False,
        )
    finally:
        ambient.site = previous
    held, used = _held(graph, a.of, b.of)
    held += [Call("equal", pair) for pair in used]
    return filtered(plan, [_fitted(graph, part, plan.schema) for part in held])


def _key(each: KeyClass, a: int, b: int) -> tuple[Scalar, Scalar]:
    """Values of two sets that are equal; each set has joined those of its own by then."""
    return tuple([each.values[next(members(each.of & of))] for of in (a, b)])  # type: ignore[return-value]


def _held(graph: JoinGraph, a: int, b: int) -> tuple[list[Scalar], list[tuple[Scalar, Scalar]]]:
    """What can be asked of pairs of two sets and not of one of them alone: conditions, and pairs of keys."""
    both = a | b

    def is_due(needs: int) -> bool:
        return not needs & ~both and bool(needs & ~a) and bool(needs & ~b)

    held = [condition.predicate for condition in graph.conditions if is_due(condition.needs)]
    keys = []
    for equality in graph.equalities:
        if is_due(equality.needs):
            sides = equality.sides(a, b)
            if sides is None:
                # It lies across the two in such a way that it is no key.
                held.append(_compared(equality))
            else:
                keys.append(sides)
    return held, keys


def _compared(equality: Equality) -> Scalar:
    return Call("equal", (equality.left, equality.right))


def _fitted(graph: JoinGraph, scalar: Scalar, schema: Schema) -> Scalar:
    """The scalar over columns that may be null where those of the schema may: a join may have filled them by now."""
    if not graph.operators:
        return scalar
    if isinstance(scalar, Column):
        return column(schema, scalar.name)
    found = [each for each in postorder(scalar) if isinstance(each, Column)]
    changed = {
        each.name: column(schema, each.name) for each in found if each.nullable != schema.field(each.name).nullable
    }
    return substitute(scalar, changed) if changed else scalar


__all__ = ["built"]
