"""A join whose right side depends on the rows of its left side, as a join of sides that do not."""

from __future__ import annotations

from collections.abc import Mapping

from lazyframe.planner.bind import call
from lazyframe.planner.build.joins import null_safe_keys, split_equalities, unordered_join
from lazyframe.planner.relations import Aggregate, Distinct, Explode, Filter, Plan, Project, RowIndex, Shared, Values
from lazyframe.planner.relations.project import choose, column, columns
from lazyframe.planner.relations.shared import holds_volatile
from lazyframe.planner.relations.values import ONE_ROW
from lazyframe.planner.scalars import TRUE, Call, Case, Column, Literal, Scalar, conjunction, conjuncts, null_of
from lazyframe.planner.schema import Fresh
from lazyframe.planner.sql.outer import free_names, given
from lazyframe.planner.sql.unnesting.domain import Reached, for_each
from lazyframe.planner.sql.unnesting.pull_up import Pulled, pulled_up


def dependent_join(
    left: Plan,
    right: Plan,
    kind: str,
    outers: Mapping[str, str],
    fresh: Fresh,
    condition: Scalar | None = None,
    mark: str = "",
) -> Plan:
    """The join of `left` with what `right` is for each of its rows.

    Args:
        left: a plan.
        right: a plan in which outer values stand; it shares no column name with `left`.
        kind: `inner`, `left`, `single`, `semi`, `anti` or `mark`.
        outers: the outer values that `left` gives: names, and the columns of `left`.
        fresh: makes names for columns.
        condition: what else pairs must meet, over the columns of both and the outer values.
        mark: the name of the mark of a `mark` join.

    Returns:
        A plan with the columns of `left` and, but for `semi`, `anti` and `mark`, those of `right`.
    """
    names = frozenset(outers)
    values: dict[str, Scalar] = {name: column(left.schema, known) for name, known in outers.items()}
    parts = [] if condition is None else conjuncts(given(condition, values))
    if free_names(right).isdisjoint(names):
        return _joined(left, right, kind, parts, mark)
    exists = kind in ("semi", "anti", "mark")
    if kind == "inner" and not parts and _is_row_wise(right):
        return _over(left, right, values)
    pulled = pulled_up(right, names, fresh, exists=exists)
    if pulled is not None and (pulled.defaults is None or kind in ("single", "inner", "left")):
        return _of_pulled(left, right, pulled, kind, values, parts, fresh, mark)
    return _of_domain(left, right, kind, outers, parts, fresh, mark)


def _joined(left: Plan, right: Plan, kind: str, parts: list[Scalar], mark: str) -> Plan:
    if kind == "single" and not parts:
        # It depends on nothing, and is a table of one row: its value, or null. That it has two is an error of the query.
        right = right if gives_one_row(right) else unordered_join(ONE_ROW, right, "single")
        kind = "cross"
    keys, rest = split_equalities(parts, left.schema, right.schema)
    if kind == "inner" and not keys and not rest:
        kind = "cross"
    return unordered_join(left, right, kind, keys, conjunction(rest), mark=mark)


def gives_one_row(plan: Plan) -> bool:
    """Whether there is just one row, whatever the data."""
    while isinstance(plan, (Project, Shared)):
        plan = plan.input
    return (isinstance(plan, Aggregate) and not plan.keys) or (isinstance(plan, Values) and plan.count == 1)


def _gives_at_most_one(plan: Plan, conditions: tuple[Scalar, ...]) -> bool:
    """Whether at most one row meets the conditions for any outer values: they equal all keys of a group-by to such."""
    fixed: set[str] = set()
    for part in conditions:
        match part:
            case Call(function="equal" | "equal_missing", args=(Column(name=name), other)) if not other.columns:
                fixed.add(name)
            case Call(function="equal" | "equal_missing", args=(other, Column(name=name))) if not other.columns:
                fixed.add(name)
    while isinstance(plan, Project):
        fixed = {s.name for name, s in plan.exprs if name in fixed and isinstance(s, Column)}
        plan = plan.input
    if isinstance(plan, Aggregate):
        return {name for name, _ in plan.keys} <= fixed
    return False


def _is_row_wise(plan: Plan) -> bool:
    """Whether the plan makes its rows of one row of nothing, one by one: of outer values alone."""
    while isinstance(plan, (Project, Filter, Explode)):
        plan = plan.input
    return isinstance(plan, Values) and not plan.columns and plan.count == 1


def _over(left: Plan, right: Plan, values: Mapping[str, Scalar]) -> Plan:
    """The rows that `right` makes of one row, made of each row of `left` and put beside it."""
    steps: list[Plan] = []
    while not isinstance(right, Values):
        steps.append(right)
        (right,) = right.children()
    kept = columns(left)
    current = left
    for step in reversed(steps):
        if isinstance(step, Project):
            current = Project(current, (*kept, *[(name, given(s, values)) for name, s in step.exprs]))
        elif isinstance(step, Filter):
            current = Filter(current, given(step.predicate, values))
        else:
            current = step.with_children([current])
    return current


def _of_pulled(
    left: Plan,
    right: Plan,
    pulled: Pulled,
    kind: str,
    values: Mapping[str, Scalar],
    parts: list[Scalar],
    fresh: Fresh,
    mark: str,
) -> Plan:
    conditions = [given(part, values) for part in pulled.conditions]
    below = pulled.plan
    if pulled.defaults is not None:
        if kind == "left" and parts:
            return _filled_left(left, right, pulled, conditions, fresh, parts)
        return _with_defaults(left, right, pulled, conditions, fresh, parts)
    if kind == "single" and _gives_at_most_one(below, pulled.conditions):
        kind = "left"
    joined = _joined(left, below, kind, [*conditions, *parts], mark)
    if kind in ("semi", "anti", "mark"):
        return joined
    return choose(joined, [*left.schema.names, *right.schema.names])


def _with_defaults(
    left: Plan, right: Plan, pulled: Pulled, conditions: list[Scalar], fresh: Fresh, parts: list[Scalar]
) -> Plan:
    """A subquery that has a row for every row of `left`: where nothing meets the conditions, that of its defaults."""
    assert pulled.defaults is not None
    needed = [name for name, value in pulled.defaults.items() if not _is_null(value)]
    below = pulled.plan
    found = fresh("found")
    # What is never null is null only where nothing was found.
    telling = [name for name in needed if right.schema.field(name).nullable]
    if telling:
        below = Project(below, (*columns(below), (found, TRUE)))
    joined = _joined(left, below, "left", conditions, "")
    exprs: list[tuple[str, Scalar]] = [(name, column(joined.schema, name)) for name in left.schema.names]
    for name in right.schema.names:
        value: Scalar = column(joined.schema, name)
        if name in needed and name not in telling:
            value = call("coalesce", value, pulled.defaults[name])
        elif name in telling:
            present = call("is_not_null", column(joined.schema, found))
            value = Case((present,), (value,), pulled.defaults[name])
        exprs.append((name, value))
    whole = Project(joined, tuple(exprs))
    predicate = conjunction(parts)
    return whole if predicate is None else Filter(whole, predicate)


def _filled_left(
    left: Plan, right: Plan, pulled: Pulled, conditions: list[Scalar], fresh: Fresh, parts: list[Scalar]
) -> Plan:
    """As `_with_defaults`, for a left join on a condition: the row of `right` is nulls where it is not met."""
    whole = _with_defaults(left, right, pulled, conditions, fresh, [])
    met = conjunction(parts)
    assert met is not None
    exprs: list[tuple[str, Scalar]] = [(name, column(whole.schema, name)) for name in left.schema.names]
    for name in right.schema.names:
        value = column(whole.schema, name)
        exprs.append((name, Case((met,), (value,), null_of(value.dtype))))
    return Project(whole, tuple(exprs))


def _is_null(value: Scalar) -> bool:
    return isinstance(value, Literal) and not value.value.is_valid


def _of_domain(
    left: Plan, right: Plan, kind: str, outers: Mapping[str, str], parts: list[Scalar], fresh: Fresh, mark: str
) -> Plan:
    used = free_names(right)
    wanted = {name: known for name, known in outers.items() if name in used}
    wide = list(left.schema.names)
    if holds_volatile(right):
        # Rows of equal values draw for themselves.
        number = fresh("left row")
        left, wanted = RowIndex(left, number), {**wanted, number: number}
    # The left side is read twice, and must be the same both times.
    rows = left if isinstance(left, Shared) else Shared(left)
    names = {name: fresh(known) for name, known in wanted.items()}
    exprs = tuple([(names[name], column(rows.schema, known)) for name, known in wanted.items()])
    domain = Distinct(Project(rows, exprs), tuple(names.values()))
    reached = for_each(right, Reached(domain, names), fresh)
    pairs = [
        pair
        for name, known in wanted.items()
        for pair in null_safe_keys(column(rows.schema, known), reached.value(name))
    ]
    keys, rest = split_equalities(parts, rows.schema, reached.plan.schema)
    pairs += keys
    joined = unordered_join(rows, reached.plan, kind, pairs, conjunction(rest), mark=mark)
    if kind in ("semi", "anti", "mark"):
        return joined if len(rows.schema) == len(wide) else choose(joined, [*wide, *([mark] if kind == "mark" else [])])
    return choose(joined, [*wide, *right.schema.names])


__all__ = ["dependent_join", "gives_one_row"]
