"""What each node of a plan asks of its children: for which columns of the root it uses which of theirs, and how."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TypeVar

from lazyframe.planner.graph import postorder, pullback
from lazyframe.planner.lineage.calls import parts_of
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
from lazyframe.planner.lineage.places import columns_as_places, places_in
from lazyframe.planner.lineage.steps import (
    all_of,
    of_aggregate,
    of_asof_join,
    of_project,
    passed,
    use_parts,
)
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
from lazyframe.planner.scalars import Scalar, conjuncts
from lazyframe.planner.site import AnySite

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
                return [of_project(plan, exprs, fed)]
            case Filter(input=child, predicate=predicate):
                into = all_of(fed, child)
                self._conditions(into, conjuncts(predicate), relations(child, self._joins), fed.rows, plan.site)
                return [into.collected()]
            case Aggregate():
                return [of_aggregate(plan, fed)]
            case Window(input=child, calls=calls):
                into = all_of(fed, child)
                used = fed.by_column()
                for name, call in calls:
                    uses = used.get(name, {})
                    use_parts(into, parts_of(call), uses, site_of(call, plan.site))
                    into.order = either(into.order, outputs_of([uses]))
                return [into.collected()]
            case PartitionTopK(input=child, call=call):
                into = all_of(fed, child)
                everything: Uses = {(output, VALUE): trail for output, trail in fed.rows.items()}
                use_parts(into, parts_of(call), everything, site_of(call, plan.site))
                into.order = fed.rows
                return [into.collected()]
            case Join():
                return self._of_join(plan, fed)
            case AsofJoin():
                return of_asof_join(plan, fed)
            case Sort(input=child, keys=keys) | TopK(input=child, keys=keys):
                into = all_of(fed, child)
                outputs = fed.rows if isinstance(plan, TopK) else fed.order
                for key in keys:
                    into.use(places_in(key), outputs, ORDER, site_of(key, plan.site))
                into.order = outputs
                return [into.collected()]
            case Distinct(input=child, subset=subset, keep=keep):
                into = all_of(fed, child)
                into.use(columns_as_places(subset), fed.rows, KEY, plan.site)
                if keep != "none" and len(subset) < len(plan.schema):
                    into.order = fed.rows
                return [into.collected()]
            case SetOperation(left=left, right=right):
                sides = [all_of(fed, left), Collector()]
                sides[1].rows = fed.rows
                for into, side in zip(sides, (left, right), strict=True):
                    into.use(columns_as_places(side.schema.names), fed.rows, KEY, plan.site)
                return [into.collected() for into in sides]
            case Explode(input=child, columns=columns, ordinality=ordinality):
                into = all_of(fed, child)
                into.use(columns_as_places(columns), fed.rows, FILTER, plan.site)
                if ordinality is not None:
                    into.value(columns_as_places(columns), fed.by_column().get(ordinality), plan.site)
                return [into.collected()]
            case Unpivot(on=on, index=index, value_name=value, keep_nulls=keep_nulls):
                into = passed(fed, index)
                into.value(columns_as_places(on), fed.by_column().get(value), plan.site)
                if not keep_nulls:
                    into.use(columns_as_places(on), fed.rows, FILTER, plan.site)
                return [into.collected()]
            case RowIndex(input=child, name=name):
                into = all_of(fed, child)
                into.order = either(fed.order, fed.outputs_of([name]))
                return [into.collected()]
            case Interpolate(input=child, columns=columns):
                into = all_of(fed, child)
                into.order = either(fed.order, fed.outputs_of(columns))
                return [into.collected()]
            case Limit(input=child, count=count, offset=offset):
                into = all_of(fed, child)
                into.order = fed.order if count is None and not offset else fed.rows
                return [into.collected()]
            case Tail() | Shift() | Sample() | HorizontalConcat():
                found = [all_of(fed, child) for child in plan.children()]
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
        into = [passed(fed, left.schema.names), passed(fed, right.schema.names)]
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
            into = all_of(fed, plan)
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


__all__ = ["Walk", "at_source"]
