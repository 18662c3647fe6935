"""Subqueries in expressions: each becomes a column that a join puts beside the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lazyframe.planner.bind import call
from lazyframe.planner.build.joins import unordered_join
from lazyframe.planner.graph import postorder, rewrite_top_down
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Aggregate, Filter, Limit, Plan, Project
from lazyframe.planner.relations.project import choose, column, columns
from lazyframe.planner.scalars import AggregateCall, Call, Column, Scalar, conjunction
from lazyframe.planner.schema import Fresh
from lazyframe.planner.sql.outer import Outer, Subquery, free_names, has_subquery
from lazyframe.planner.sql.unnesting.dependent_join import dependent_join


def placed(plan: Plan, scalars: Sequence[Scalar], fresh: Fresh) -> tuple[Plan, list[Scalar]]:
    """`plan` with the values of the subqueries in some expressions beside every row, and the expressions over those."""
    found = list(scalars)
    while True:
        inner = _innermost(found)
        if not inner:
            return plan, found
        columns: dict[Scalar, Column] = {}
        for subquery in inner:
            plan, columns[subquery] = _beside(plan, subquery, fresh)

        def step(current: Scalar, columns: dict[Scalar, Column] = columns) -> Scalar | None:
            return columns.get(current) if isinstance(current, Subquery) else None

        found = [rewrite_top_down(scalar, step) if has_subquery(scalar) else scalar for scalar in found]


def _innermost(scalars: Sequence[Scalar]) -> list[Subquery]:
    """The subqueries whose arguments hold none, each once."""
    found: dict[Subquery, None] = {}
    for scalar in scalars:
        for part in postorder(scalar):
            if isinstance(part, Subquery) and not any([has_subquery(arg) for arg in part.children()]):
                found[part] = None
    return list(found)


def _beside(plan: Plan, subquery: Subquery, fresh: Fresh) -> tuple[Plan, Column]:
    """The rows with the value of one subquery beside them."""
    names = plan.schema.names
    source, outers = with_arguments(plan, subquery.args, fresh)
    if subquery.kind == "exists":
        if free_names(subquery.plan).isdisjoint(outers):
            return _with_answer(plan, subquery.plan, fresh)
        mark = fresh("exists")
        joined = dependent_join(source, _apart(subquery.plan, source), "mark", outers, fresh, mark=mark)
        return choose(joined, [*names, mark]), column(joined.schema, mark)
    value = fresh("subquery")
    right = Project(subquery.plan, ((value, column(subquery.plan.schema, subquery.column)),))
    joined = dependent_join(source, right, "single", outers, fresh)
    return choose(joined, [*names, value]), column(joined.schema, value)


def _with_answer(plan: Plan, query: Plan, fresh: Fresh) -> tuple[Plan, Column]:
    """Whether a query that depends on nothing has rows, asked once."""
    count, answer = fresh("rows"), fresh("exists")
    counted = Aggregate(Limit(query, 1), (), ((count, AggregateCall("len", ())),))
    single = Project(counted, ((answer, call("greater", column(counted.schema, count), literal(0))),))
    return unordered_join(plan, single, "cross"), column(single.schema, answer)


def _apart(right: Plan, left: Plan) -> Plan:
    """The right side of a mark join, whose columns nobody reads, without names that the left has too."""
    if not any([name in left.schema for name in right.schema.names]):
        return right
    return choose(right, [name for name in right.schema.names if name not in left.schema])


def with_arguments(plan: Plan, args: Iterable[tuple[str, Scalar]], fresh: Fresh) -> tuple[Plan, dict[str, str]]:
    """`plan` with the arguments of a subquery among its columns, and which column is which outer value."""
    outers: dict[str, str] = {}
    computed: list[tuple[str, Scalar]] = []
    for name, value in args:
        if isinstance(value, Column):
            outers[name] = value.name
        elif not (isinstance(value, Outer) and value.name == name):
            outers[name] = fresh(name)
            computed.append((outers[name], value))
    if computed:
        plan = Project(plan, (*columns(plan), *computed))
    return plan, outers


def filtered_by(plan: Plan, parts: Sequence[Scalar], fresh: Fresh) -> Plan:
    """The rows that meet all of some conditions, which may hold subqueries. EXISTS and NOT EXISTS become joins that keep or
    leave out rows.
    """
    plain = [part for part in parts if not has_subquery(part)]
    predicate = conjunction(plain)
    if predicate is not None:
        plan = Filter(plan, predicate)
    names = plan.schema.names
    rest: list[Scalar] = []
    for part in parts:
        if not has_subquery(part):
            continue
        kind, subquery = _as_exists(part)
        if subquery is None or any([has_subquery(arg) for arg in subquery.children()]):
            rest.append(part)
            continue
        source, outers = with_arguments(plan, subquery.args, fresh)
        if free_names(subquery.plan).isdisjoint(outers):
            rest.append(part)
            continue
        plan = choose(dependent_join(source, _apart(subquery.plan, source), kind, outers, fresh), names)
    if rest:
        plan, found = placed(plan, rest, fresh)
        predicate = conjunction(found)
        assert predicate is not None
        plan = choose(Filter(plan, predicate), names)
    return plan


def _as_exists(part: Scalar) -> tuple[str, Subquery | None]:
    match part:
        case Subquery(kind="exists"):
            return "semi", part
        case Call(function="not", args=(Subquery(kind="exists") as inner,)):
            return "anti", inner
    return "", None


__all__ = ["filtered_by", "placed", "with_arguments"]
