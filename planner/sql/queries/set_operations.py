"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from lazyframe.planner.bind import sort_key
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.relations import Distinct, Plan, Project, SetOperation, Sort, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Column, Scalar, cast, null_of
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.outer import has_subquery
from lazyframe.planner.sql.queries.ordering import bounds, limited
from lazyframe.planner.sql.queries.query import Bound, bound_query, has_clauses, output
from lazyframe.planner.sql.queries.with_clause import Cte
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.sql.unnesting import placed
from lazyframe.planner.types import common_type, type_name

Columns = Sequence[tuple[str, Column]]


def bound_set_operation(
    statement: Statement, tree: exp.SetOperation, parent: Scope | None, ctes: Mapping[str, Cte]
) -> Bound:
    """A chain of set operations, from its left end on, with the ORDER BY and LIMIT behind it."""
    chain: list[exp.SetOperation] = []
    current: exp.Expr = tree
    while isinstance(current, exp.SetOperation) and (current is tree or not has_clauses(current)):
        chain.append(current)
        current = current.this
    found = bound_query(statement, current, parent, ctes)
    outers: dict[str, Scalar] = dict(found.outers)
    for each in reversed(chain):
        statement.only(
            each, "this", "expression", "distinct", "by_name", "order", "limit", "offset", "with_", "side", "kind", "on"
        )
        for key in ("side", "kind", "on"):
            if each.args.get(key):
                raise InvalidArgumentError(f"{key.upper()} in a set operation is not supported")
        right = bound_query(statement, each.expression, parent, ctes)
        outers.update(right.outers)
        with statement.at(each.expression):
            found = _combined(statement, each, found, right)
    return _ordered(statement, tree, found, parent, ctes, outers)


def _combined(statement: Statement, tree: exp.SetOperation, left: Bound, right: Bound) -> Bound:
    names, sides = _by_name(left, right) if tree.args.get("by_name") else _by_place(tree, left, right)
    plans = [_aligned(statement, bound.plan, values) for bound, values in zip((left, right), sides, strict=True)]
    inner = [statement.fresh(name) for name in names]
    a, b = (_renamed(plan, inner) for plan in plans)
    distinct = tree.args.get("distinct", True)
    plan: Plan
    if isinstance(tree, exp.Union):
        inputs = (*a.inputs, b) if isinstance(a, Union) else (a, b)
        plan = Union(inputs)
        if distinct:
            plan = Distinct(plan, tuple(plan.schema.names))
    else:
        kind = "intersect" if isinstance(tree, exp.Intersect) else "except"
        plan = SetOperation(a, b, kind, not distinct)
    return Bound(plan, tuple([(n, column(plan.schema, i)) for n, i in zip(names, inner, strict=True)]), {})


Sides = tuple[list[Scalar], list[Scalar]]


def _by_place(tree: exp.SetOperation, left: Bound, right: Bound) -> tuple[list[str], Sides]:
    if len(left.columns) != len(right.columns):
        raise InvalidArgumentError(
            f"the sides of {type(tree).__name__.upper()} have {len(left.columns)} and {len(right.columns)} columns",
            hint="select as many on each side, or write BY NAME",
        )
    names = [name for name, _ in left.columns]
    pairs = [_unified(n, a, b) for n, (_, a), (_, b) in zip(names, left.columns, right.columns, strict=True)]
    return names, ([a for a, _ in pairs], [b for _, b in pairs])


def _by_name(left: Bound, right: Bound) -> tuple[list[str], Sides]:
    """Columns of one name, without regard to case, belong together; what a side lacks is null there."""
    sides: list[dict[str, Column]] = []
    for bound in (left, right):
        found: dict[str, Column] = {}
        for name, value in bound.columns:
            if name.casefold() in found:
                raise InvalidArgumentError(f"BY NAME: a side has two columns named {name!r}")
            found[name.casefold()] = value
        sides.append(found)
    a, b = sides
    names = [n for n, _ in left.columns] + [n for n, _ in right.columns if n.casefold() not in a]
    ours: list[Scalar] = []
    theirs: list[Scalar] = []
    for name in names:
        x, y = a.get(name.casefold()), b.get(name.casefold())
        known = x if x is not None else y
        assert known is not None
        first, second = _unified(name, x or null_of(known.dtype), y or null_of(known.dtype))
        ours.append(first)
        theirs.append(second)
    return names, (ours, theirs)


def _unified(name: str, a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    wanted = common_type(a.dtype, b.dtype)
    if wanted is None:
        raise TypeMismatchError(
            f"the column {name!r} is {type_name(a.dtype)} on one side and {type_name(b.dtype)} on the other",
            hint="cast one of them",
        )
    return cast(a, wanted), cast(b, wanted)


def _aligned(statement: Statement, plan: Plan, values: list[Scalar]) -> Plan:
    names = [value.name if isinstance(value, Column) else statement.fresh("column") for value in values]
    if len(set(names)) < len(names):
        names = [statement.fresh("column") for _ in values]
    if names == plan.schema.names and all([isinstance(value, Column) for value in values]):
        return plan
    return Project(plan, tuple(zip(names, values, strict=True)))


def _renamed(plan: Plan, names: list[str]) -> Plan:
    if isinstance(plan, Union):
        return Union(tuple([_renamed(part, names) for part in plan.inputs]))
    old = plan.schema.names
    return Project(plan, tuple([(new, column(plan.schema, name)) for name, new in zip(old, names, strict=True)]))


def _ordered(
    statement: Statement,
    tree: exp.SetOperation,
    found: Bound,
    parent: Scope | None,
    ctes: Mapping[str, Cte],
    outers: dict[str, Scalar],
) -> Bound:
    """ORDER BY over the columns of the result, and LIMIT."""
    plan = found.plan
    keys: list[Scalar] = []
    if clause := tree.args.get("order"):
        scope = Scope(parent, ctes, outers)
        scope.add(found.as_table("", qualified=False))
        e = Expressions(statement, scope, "ORDER BY")
        for each in clause.expressions:
            how = (bool(each.args.get("desc")), bool(each.args.get("nulls_first")))
            keys += [sort_key(value, *how) for value in _keys(e, each.this, found.columns)]
        if any([has_subquery(key) for key in keys]):
            plan, keys = placed(plan, keys, statement.fresh)
        plan = Sort(plan, tuple(keys))
    plan = limited(plan, bounds(statement, tree), keys, statement.fresh)
    return output(plan, tuple(found.columns), outers)


def _keys(e: Expressions, tree: exp.Expr, columns: Columns) -> list[Scalar]:
    if isinstance(tree, exp.Var) and tree.name.upper() == "ALL":
        return [value for _, value in columns]
    if isinstance(tree, exp.Literal) and not tree.is_string and tree.this.isdigit():
        place = int(tree.this)
        if not 1 <= place <= len(columns):
            raise e.error(tree, InvalidArgumentError, f"ORDER BY {place}: there are {len(columns)} columns")
        return [columns[place - 1][1]]
    return [e.bind(tree)]


__all__ = ["bound_set_operation"]
