"""What each node of a plan asks of its children: for which columns of the root it uses which of theirs, and how."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TypeVar

from lazyframe.planner.graph import postorder, pullback
from lazyframe.planner.lineage.calls import Parts, parts_of
from lazyframe.planner.lineage.equalities import is_join_key, over_joins, relations
from lazyframe.planner.lineage.feeds import (
    FILTER,
    KEY,
    ORDER,
    VALUE,
    Collector,
    Feeds,
    Outputs,
    Trail,
    Uses,
    either,
    joined,
    outputs_of,
    site_of,
)
from lazyframe.planner.lineage.places import Place, columns_as_places, places_in
from lazyframe.planner.properties import is_unique_on
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Cache,
    Distinct,
    Explode,
    Filter,
    HorizontalConcat,
    Interpolate,
    Join,
    Limit,
    MapBatches,
    PartitionTopK,
    Plan,
    Project,
    Recursion,
    RecursionInput,
    Reverse,
    RowIndex,
    Sample,
    Scan,
    SetOperation,
    Shared,
    Shift,
    Sort,
    Tail,
    TopK,
    Union,
    Unpivot,
    Values,
    Window,
)
from lazyframe.planner.rules.forget_order import depends_on_order
from lazyframe.planner.scalars import Column, Scalar, conjuncts
from lazyframe.planner.site import AnySite, Site

K = TypeVar("K")


def at_source(node: Plan, fed: Feeds) -> Feeds:
    """What a scan feeds, the columns that it filters by among it."""
    if not isinstance(node, Scan) or node.predicate is None:
        return fed
    collector = Collector()
    collector.passing(fed, node.schema.names)
    collector.use(places_in(node.predicate), fed.rows, FILTER, node.site)
    return collector.collected()


class Walk:
    """The rule of the pullback, which looks at parts of the plan besides the node it is at."""

    def __init__(self, nodes: list[Plan]) -> None:
        self._joins: dict[int, bool] = {}
        for node in nodes:
            self._joins[id(node)] = over_joins(node, [self._joins[id(child)] for child in node.children()])

    def asks(self, plan: Plan, fed: Feeds) -> list[Feeds]:
        """What the children of a node feed."""
        match plan:
            case Scan() | Values() | RecursionInput():
                return []
            case Project(exprs=exprs):
                return [_of_project(plan, exprs, fed)]
            case Filter(input=child, predicate=predicate):
                into = _all_of(fed, child)
                self._conditions(into, conjuncts(predicate), relations(child, self._joins), fed.rows, plan.site)
                return [into.collected()]
            case Aggregate():
                return [_of_aggregate(plan, fed)]
            case Window(input=child, calls=calls):
                into = _all_of(fed, child)
                used = fed.by_column()
                for name, call in calls:
                    uses = used.get(name, {})
                    _use_parts(into, parts_of(call), uses, site_of(call, plan.site))
                    into.order = either(into.order, outputs_of([uses]))
                return [into.collected()]
            case PartitionTopK(input=child, call=call):
                into = _all_of(fed, child)
                everything: Uses = {(output, VALUE): trail for output, trail in fed.rows.items()}
                _use_parts(into, parts_of(call), everything, site_of(call, plan.site))
                into.order = fed.rows
                return [into.collected()]
            case Join():
                return self._of_join(plan, fed)
            case AsofJoin():
                return _of_asof_join(plan, fed)
            case Sort(input=child, keys=keys) | TopK(input=child, keys=keys):
                into = _all_of(fed, child)
                outputs = fed.rows if isinstance(plan, TopK) else fed.order
                for key in keys:
                    into.use(places_in(key), outputs, ORDER, site_of(key, plan.site))
                into.order = outputs
                return [into.collected()]
            case Distinct(input=child, subset=subset, keep=keep):
                into = _all_of(fed, child)
                into.use(columns_as_places(subset), fed.rows, KEY, plan.site)
                if keep != "none" and len(subset) < len(plan.schema):
                    into.order = fed.rows
                return [into.collected()]
            case SetOperation(left=left, right=right):
                sides = [_all_of(fed, left), Collector()]
                sides[1].rows = fed.rows
                for into, side in zip(sides, (left, right), strict=True):
                    into.use(columns_as_places(side.schema.names), fed.rows, KEY, plan.site)
                return [into.collected() for into in sides]
            case Explode(input=child, columns=columns, ordinality=ordinality):
                into = _all_of(fed, child)
                into.use(columns_as_places(columns), fed.rows, FILTER, plan.site)
                if ordinality is not None:
                    into.value(columns_as_places(columns), fed.by_column().get(ordinality), plan.site)
                return [into.collected()]
            case Unpivot(on=on, index=index, value_name=value, keep_nulls=keep_nulls):
                into = _passed(fed, index)
                into.value(columns_as_places(on), fed.by_column().get(value), plan.site)
                if not keep_nulls:
                    into.use(columns_as_places(on), fed.rows, FILTER, plan.site)
                return [into.collected()]
            case RowIndex(input=child, name=name):
                into = _all_of(fed, child)
                into.order = either(fed.order, fed.outputs_of([name]))
                return [into.collected()]
            case Interpolate(input=child, columns=columns):
                into = _all_of(fed, child)
                into.order = either(fed.order, fed.outputs_of(columns))
                return [into.collected()]
            case Limit(input=child, count=count, offset=offset):
                into = _all_of(fed, child)
                into.order = fed.order if count is None and not offset else fed.rows
                return [into.collected()]
            case Tail() | Shift() | Sample() | HorizontalConcat():
                found = [_all_of(fed, child) for child in plan.children()]
                for into in found:
                    into.order = fed.rows
                return [into.collected() for into in found]
            case MapBatches(input=child):
                into = Collector()
                into.rows = into.order = fed.rows
                # The function is not known: any value and any row may come of any column.
                into.use(columns_as_places(child.schema.names), fed.rows, VALUE, plan.site)
                return [into.collected()]
            case Cache() | Shared() | Reverse() | Union():
                return [fed] * len(plan.children())
            case Recursion():
                return self._of_recursion(plan, fed)
        raise AssertionError(f"no lineage for {type(plan).__name__}")

    def _conditions(
        self,
        into: Collector,
        parts: Iterable[Scalar],
        of: Mapping[str, int],
        outputs: Outputs,
        site: AnySite | None,
        within: Container[str] | None = None,
    ) -> None:
        """Conditions on rows: those that join relations use keys, the others filter."""
        for part in parts:
            role = KEY if is_join_key(part, of) else FILTER
            places = [place for place in places_in(part) if within is None or place[0] in within]
            into.use(places, outputs, role, site_of(part, site))

    def _of_join(self, plan: Join, fed: Feeds) -> list[Feeds]:
        left, right = plan.left, plan.right
        into = [_passed(fed, left.schema.names), _passed(fed, right.schema.names)]
        theirs = fed.outputs_of([*right.schema.names, plan.mark])
        partnered = fed.rows
        if plan.kind in ("mark", "single") or (plan.kind == "left" and is_unique_on(right, plan.right_keys)):
            # Each left row is there once, whatever the right side has.
            partnered = theirs
        into[0].rows, into[1].rows = fed.rows, partnered
        into[0].order = fed.order if plan.ordered else {}
        if plan.kind in ("semi", "anti", "mark"):
            into[1].order = {}
        else:
            into[1].order = {output: trail for output, trail in into[0].order.items() if output in partnered}
        for side, keys in zip(into, (plan.left_keys, plan.right_keys), strict=True):
            for key in keys:
                side.use(places_in(key), partnered, KEY, site_of(key, plan.site))
        if plan.condition is not None:
            # Both sides are relations of their own here, also for kinds that keep one of them.
            of = {**dict.fromkeys(left.schema.names, 0), **dict.fromkeys(right.schema.names, 1)}
            for side, schema in zip(into, (left.schema, right.schema), strict=True):
                self._conditions(side, conjuncts(plan.condition), of, partnered, plan.site, schema.names)
        return [side.collected() for side in into]

    def _of_recursion(self, plan: Recursion, fed: Feeds) -> list[Feeds]:
        """The rows of a round feed what the recursion feeds, and by the step whatever they feed in the next round."""
        if plan.distinct:
            into = _all_of(fed, plan)
            into.use(columns_as_places(plan.schema.names), fed.rows, KEY, plan.site)
            fed = into.collected()
        inputs = [n for n in postorder(plan.step) if isinstance(n, RecursionInput) and n.name == plan.name]
        while True:
            values = pullback(plan.step, fed, self.asks, joined)
            grown = fed
            for node in inputs:
                again = values.get(id(node))
                grown = grown if again is None else _grown(grown, again)
            if grown is fed:
                return [fed, fed]
            fed = grown


def _grown(fed: Feeds, more: Feeds) -> Feeds:
    """`fed` with what else `more` feeds; itself where that is nothing."""
    columns = {
        name: new for name, uses in more.columns.items() if (new := _new(fed.columns.get(name, {}), uses))
    }  # fmt: skip
    rows, order = _new(fed.rows, more.rows), _new(fed.order, more.order)
    return joined(fed, Feeds(columns, rows, order)) if columns or rows or order else fed


def _new(held: Mapping[K, Trail], more: Mapping[K, Trail]) -> dict[K, Trail]:
    return {key: trail for key, trail in more.items() if key not in held}


def _passed(fed: Feeds, names: Iterable[str]) -> Collector:
    into = Collector()
    into.passing(fed, names)
    into.rows, into.order = fed.rows, fed.order
    return into


def _all_of(fed: Feeds, child: Plan) -> Collector:
    """What feeds on a child whose columns and rows come through."""
    return _passed(fed, child.schema.names)


def _use_parts(into: Collector, parts: Parts, uses: Uses | None, site: AnySite | None) -> None:
    """What a call of an aggregate or window function uses, where something uses its value."""
    if not uses:
        return
    into.value(parts.values, uses, site)
    outputs = outputs_of([uses])
    into.use(parts.filters, outputs, FILTER, site)
    into.use(parts.keys, outputs, KEY, site)
    into.use(parts.orders, outputs, ORDER, site)


def _of_project(plan: Project, exprs: Iterable[tuple[str, Scalar]], fed: Feeds) -> Feeds:
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


def _of_aggregate(plan: Aggregate, fed: Feeds) -> Feeds:
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
        _use_parts(into, parts_of(call), uses, site_of(call, plan.site))
        if depends_on_order(call):
            into.order = either(into.order, outputs_of([uses]))
    return into.collected()


def _of_asof_join(plan: AsofJoin, fed: Feeds) -> list[Feeds]:
    left, right = _passed(fed, plan.left.schema.names), _passed(fed, plan.right.schema.names)
    theirs = fed.outputs_of(plan.right.schema.names)
    partnered = theirs if plan.kind == "left" else fed.rows
    # Of right rows with equal values the last one is taken.
    right.rows = right.order = partnered
    for side, keys in ((left, (plan.left_on, *plan.left_by)), (right, (plan.right_on, *plan.right_by))):
        for key in keys:
            side.use(places_in(key), partnered, KEY, site_of(key, plan.site))
    return [left.collected(), right.collected()]


__all__ = ["Walk", "at_source"]
