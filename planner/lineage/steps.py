"""What single nodes ask of their children: those that compute columns, and those that bring rows together by their order."""

from __future__ import annotations

from collections.abc import Iterable

from lazyframe.planner.lineage.calls import Parts, parts_of
from lazyframe.planner.lineage.feeds import FILTER, KEY, ORDER, Collector, Feeds, Uses, either, outputs_of, site_of
from lazyframe.planner.lineage.places import Place, places_in
from lazyframe.planner.relations import Aggregate, AsofJoin, Plan, Project
from lazyframe.planner.rules.forget_order import depends_on_order
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.site import AnySite, Site


def passed(fed: Feeds, names: Iterable[str]) -> Collector:
    into = Collector()
    into.passing(fed, names)
    into.rows, into.order = fed.rows, fed.order
    return into


def all_of(fed: Feeds, child: Plan) -> Collector:
    """What feeds on a child whose columns and rows come through."""
    return passed(fed, child.schema.names)


def use_parts(into: Collector, parts: Parts, uses: Uses | None, site: AnySite | None) -> None:
    """What a call of an aggregate or window function uses, where something uses its value."""
    if not uses:
        return
    into.value(parts.values, uses, site)
    outputs = outputs_of([uses])
    into.use(parts.filters, outputs, FILTER, site)
    into.use(parts.keys, outputs, KEY, site)
    into.use(parts.orders, outputs, ORDER, site)


def of_project(plan: Project, exprs: Iterable[tuple[str, Scalar]], fed: Feeds) -> Feeds:
    into = Collector()
    into.rows, into.order = fed.rows, fed.order
    by_name: dict[str, list[tuple[Place, Uses]]] = {}
    for place, uses in fed.columns.items():
        by_name.setdefault(place[0], []).append((place[1:], uses))
    into.passing(fed, [name for name, scalar in exprs if isinstance(scalar, Column) and scalar.name == name])
    for name, scalar in exprs:
        if isinstance(scalar, Column) and scalar.name == name:
            continue
        site = site_of(scalar, plan.site)
        if isinstance(scalar, Column) and scalar.site is None and not isinstance(plan.site, Site):
            # A name that a statement gives back: it stands nowhere in the text.
            site = None
        for path, uses in by_name.get(name, ()):
            into.value(places_in(scalar, path), uses, site)
    return into.collected()


def of_aggregate(plan: Aggregate, fed: Feeds) -> Feeds:
    into = Collector()
    by_column = fed.by_column()
    used = [(call, by_column[name]) for name, call in plan.aggregates if name in by_column]
    # Without keys there is one row, whatever the input has.
    into.rows = fed.rows if plan.keys else outputs_of([uses for _, uses in used], plan.site)
    # Groups come in the order of their first rows.
    into.order = fed.order if plan.keys else {}
    for name, key in plan.keys:
        site = site_of(key, plan.site)
        into.value(places_in(key), by_column.get(name), site)
        into.use(places_in(key), fed.rows, KEY, site)
    for call, uses in used:
        use_parts(into, parts_of(call), uses, site_of(call, plan.site))
        if depends_on_order(call):
            into.order = either(into.order, outputs_of([uses]))
    return into.collected()


def of_asof_join(plan: AsofJoin, fed: Feeds) -> list[Feeds]:
    left, right = passed(fed, plan.left.schema.names), passed(fed, plan.right.schema.names)
    theirs = fed.outputs_of(plan.right.schema.names)
    partnered = theirs if plan.kind == "left" else fed.rows
    # Of right rows with equal values the last one is taken.
    right.rows = right.order = partnered
    for side, keys in ((left, (plan.left_on, *plan.left_by)), (right, (plan.right_on, *plan.right_by))):
        for key in keys:
            side.use(places_in(key), partnered, KEY, site_of(key, plan.site))
    return [left.collected(), right.collected()]


__all__ = ["all_of", "of_aggregate", "of_asof_join", "of_project", "passed", "use_parts"]
