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
from lazyframe.planner.types import DataType, common_type, type_name

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
    places: dict[str, int] = {}
    for run in _runs(list(reversed(chain))):
        sides = [found]
        for each in run:
            statement.only(each, "this", "expression", "distinct", "by_name", "order", "limit", "offset", "with_")
            right = bound_query(statement, each.expression, parent, ctes)
            outers.update(right.outers)
            sides.append(right)
            if not each.args.get("by_name"):
                for place, (name, _) in enumerate(right.columns):
                    places.setdefault(name.casefold(), place)
        found = _combined(statement, run, sides)
    return _ordered(statement, tree, found, parent, ctes, outers, places)


def _runs(chain: Sequence[exp.SetOperation]) -> list[list[exp.SetOperation]]:
    """The operations that are done at once: unions of any length, as long as none keeps duplicates after one that does not."""
    found: list[list[exp.SetOperation]] = []
    for each in chain:
        before = found[-1][-1] if found else None
        follows = (
            before is not None
            and all([isinstance(op, exp.Union) and not op.args.get("by_name") for op in (before, each)])
            and not (_is_distinct(before) and not _is_distinct(each))
        )
        if follows:
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _is_distinct(tree: exp.SetOperation) -> bool:
    return bool(tree.args.get("distinct", True))


def _combined(statement: Statement, run: Sequence[exp.SetOperation], sides: Sequence[Bound]) -> Bound:
    """The result of one operation, or of a run of unions: the columns of all sides by place, or by name."""
    tree = run[-1]
    if tree.args.get("by_name"):
        with statement.at(tree.expression):
            names, values = _by_name(*sides)
    else:
        names, values = _by_place(statement, run, sides)
    inner = [statement.fresh(name) for name in names]
    plans = [Project(side.plan, tuple(zip(inner, each, strict=True))) for side, each in zip(sides, values, strict=True)]
    plan: Plan
    if isinstance(tree, exp.Union):
        plan = Union(tuple(plans))
        if _is_distinct(tree):
            plan = Distinct(plan, tuple(plan.schema.names))
    else:
        kind = "intersect" if isinstance(tree, exp.Intersect) else "except"
        plan = SetOperation(plans[0], plans[1], kind, not _is_distinct(tree))
    return Bound(plan, tuple([(n, column(plan.schema, i)) for n, i in zip(names, inner, strict=True)]), {})


def _by_place(
    statement: Statement, run: Sequence[exp.SetOperation], sides: Sequence[Bound]
) -> tuple[list[str], list[list[Scalar]]]:
    """The columns of all sides with one type each, called as on the first side."""
    first = sides[0]
    names = [name for name, _ in first.columns]
    types = [value.dtype for _, value in first.columns]
    for tree, side in zip(run, sides[1:], strict=True):
        with statement.at(tree.expression):
            if len(side.columns) != len(names):
                raise InvalidArgumentError(
                    f"the sides of {type(tree).__name__.upper()} have {len(names)} and {len(side.columns)} columns",
                    hint="select as many on each side, or write BY NAME",
                )
            types = [_wider(n, t, v.dtype) for n, t, (_, v) in zip(names, types, side.columns, strict=True)]
    return names, [[cast(v, t) for (_, v), t in zip(side.columns, types, strict=True)] for side in sides]


def _by_name(left: Bound, right: Bound) -> tuple[list[str], list[list[Scalar]]]:
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
        wanted = _wider(name, (x or known).dtype, (y or known).dtype)
        ours.append(cast(x if x is not None else null_of(wanted), wanted))
        theirs.append(cast(y if y is not None else null_of(wanted), wanted))
    return names, [ours, theirs]


def _wider(name: str, a: DataType, b: DataType) -> DataType:
    wanted = common_type(a, b)
    if wanted is None:
        raise TypeMismatchError(
            f"the column {name!r} is {type_name(a)} on one side and {type_name(b)} on the other",
            hint="cast one of them",
        )
    return wanted


def _ordered(
    statement: Statement,
    tree: exp.SetOperation,
    found: Bound,
    parent: Scope | None,
    ctes: Mapping[str, Cte],
    outers: dict[str, Scalar],
    places: Mapping[str, int],
) -> Bound:
    """ORDER BY over the columns of the result, and LIMIT; `places` has the columns by the names that other sides give them."""
    plan = found.plan
    keys: list[Scalar] = []
    if clause := tree.args.get("order"):
        scope = Scope(parent, ctes, outers)
        scope.add(found.as_table("", qualified=False))
        e = Expressions(statement, scope, "ORDER BY")
        for each in clause.expressions:
            how = (bool(each.args.get("desc")), bool(each.args.get("nulls_first")))
            keys += [sort_key(value, *how) for value in _keys(e, each.this, found.columns, places)]
        if any([has_subquery(key) for key in keys]):
            plan, keys = placed(plan, keys, statement.fresh)
        plan = Sort(plan, tuple(keys))
    plan = limited(plan, bounds(statement, tree), keys, statement.fresh)
    return output(plan, tuple(found.columns), outers)


def _keys(e: Expressions, tree: exp.Expr, columns: Columns, places: Mapping[str, int]) -> list[Scalar]:
    if isinstance(tree, exp.Var) and tree.name.upper() == "ALL":
        return [value for _, value in columns]
    if isinstance(tree, exp.Literal) and not tree.is_string and tree.this.isdigit():
        place = int(tree.this)
        if not 1 <= place <= len(columns):
            raise e.error(tree, InvalidArgumentError, f"ORDER BY {place}: there are {len(columns)} columns")
        return [columns[place - 1][1]]
    if isinstance(tree, exp.Column) and not tree.table:
        name = tree.name.casefold()
        if name in places and name not in {known.casefold() for known, _ in columns}:
            return [columns[places[name]][1]]
    return [e.bind(tree)]


__all__ = ["bound_set_operation"]
