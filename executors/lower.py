"""From an optimised plan to pipelines, in the order in which they must run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.pipeline import AnyTransform, Computed, Concatenated, Pipeline, Source, Stream
from lazyframe.executors.sources.source import ReadableSource, Split
from lazyframe.executors.vectorized.distinct import DistinctRows
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation
from lazyframe.executors.vectorized.operators.collect import Collect
from lazyframe.executors.vectorized.operators.filter import FilterRows
from lazyframe.executors.vectorized.operators.join import (
    BuildTable,
    Probe,
    checked_unique,
    in_order_of,
    unmatched_build_rows,
)
from lazyframe.executors.vectorized.operators.limit import KeepLast, TakeRows
from lazyframe.executors.vectorized.operators.mapping import CallFunction, call_function
from lazyframe.executors.vectorized.operators.numbering import DrawRows, NumberRows, draw_rows
from lazyframe.executors.vectorized.operators.project import projection
from lazyframe.executors.vectorized.operators.reduce import Reduce
from lazyframe.executors.vectorized.operators.reshape import ExplodeLists, UnpivotColumns
from lazyframe.executors.vectorized.operators.sets import combined
from lazyframe.executors.vectorized.operators.sort import KeepFirstOfOrder, sort_rows
from lazyframe.executors.vectorized.operators.whole import beside, interpolate_rows, reverse_rows, shift_rows
from lazyframe.planner.graph import is_chain, postorder, unified
from lazyframe.planner.relations import (
    Aggregate,
    Cache,
    Distinct,
    Explode,
    Filter,
    HorizontalConcat,
    Interpolate,
    Join,
    Limit,
    MapBatches,
    Plan,
    Project,
    Reverse,
    RowIndex,
    Sample,
    Scan,
    SetOperation,
    Shift,
    Sort,
    Tail,
    TopK,
    Union,
    Unpivot,
)
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.statistics import estimate

_WORTH_SWAPPING = 100_000
"""Build sides with fewer rows are not worth a thought."""


class Lowered:
    """The pipelines of a query, and the streams that give the rows of its roots when they have run."""

    __slots__ = ("outputs", "pipelines")

    def __init__(self, pipelines: list[Pipeline], outputs: list[Stream]) -> None:
        self.pipelines = pipelines
        self.outputs = outputs


def lower(roots: Sequence[Plan], context: Context) -> Lowered:
    """The pipelines of some plans; what several nodes use is computed once."""
    if len(roots) != 1 or not is_chain(roots[0]):
        roots = unified(roots)
    lowering = _Lowering(context)
    order = [(plan, _inputs(plan)) for plan in _needed(roots)]
    read: set[int] = set()
    shared: set[int] = set()
    for plans in (roots, *[inputs for _, inputs in order]):
        for plan in plans:
            (shared if id(plan) in read else read).add(id(plan))
    streams = lowering.streams
    for plan, inputs in order:
        stream = lowering.lower(plan, [streams[id(child)] for child in inputs])
        if context.node_rows is not None:
            stream = stream.then(_CountRows(context, plan.digest))
        # What several nodes read is computed once. A scan is read again instead of being kept in memory.
        if id(plan) in shared and not isinstance(plan, Scan):
            stream = Stream(lowering.kept(stream, plan))
        streams[id(plan)] = stream
    return Lowered(lowering.pipelines, [streams[id(root)] for root in roots])


def _needed(roots: Sequence[Plan]) -> list[Plan]:
    """The nodes that have to be computed, children first: not those whose rows a cache above them has kept."""
    order = list({id(plan): plan for root in roots for plan in postorder(root)}.values())
    if not any([_is_kept(plan) for plan in order]):
        return order
    needed = set(map(id, roots))
    for plan in reversed(order):
        if id(plan) in needed:
            needed.update(map(id, _inputs(plan)))
    return [plan for plan in order if id(plan) in needed]


def _inputs(plan: Plan) -> tuple[Plan, ...]:
    """The children that have to be computed."""
    return () if _is_kept(plan) else plan.children()


def _is_kept(plan: Plan) -> bool:
    return isinstance(plan, Cache) and plan.slot.is_filled


class _Lowering:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.pipelines: list[Pipeline] = []
        self.streams: dict[int, Stream] = {}

    def sink(self, stream: Stream, sink: Any, plan: Plan) -> Pipeline:
        pipeline = Pipeline(stream.source, stream.transforms, sink, plan.schema)
        self.pipelines.append(pipeline)
        return pipeline

    def kept(self, stream: Stream, plan: Plan) -> Pipeline:
        """All rows of a stream, in memory when the pipeline has run."""
        return self.sink(stream, Collect(plan.schema), plan)

    def breaker(self, stream: Stream, sink: Any, plan: Plan) -> Stream:
        return Stream(self.sink(stream, sink, plan))

    def lower(self, plan: Plan, inputs: list[Stream]) -> Stream:
        first = inputs[0] if inputs else None
        match plan:
            case Scan():
                return self._scan(plan)
            case Cache(slot=slot) if not inputs:
                return Stream(Computed(slot.load))
            case Union():
                return Stream(
                    Concatenated([self._in_any_order(s, c) for s, c in zip(inputs, plan.inputs, strict=True)])
                )
            case Join():
                return self._join(plan, *inputs)
            case SetOperation():
                left, right = (self.kept(s, c) for s, c in zip(inputs, plan.children(), strict=True))
                return Stream(Computed(lambda: combined(plan, left, right)))
            case HorizontalConcat():
                parts = [self.kept(s, c) for s, c in zip(inputs, plan.inputs, strict=True)]
                return Stream(Computed(beside(parts, plan.schema)))
        assert first is not None
        transform = self._transform(plan)
        return first.then(transform) if transform is not None else self._breaker(plan, first)

    def _transform(self, plan: Plan) -> AnyTransform | None:
        match plan:
            case Filter(predicate=predicate):
                return FilterRows(predicate)
            case Project(exprs=exprs):
                return projection(exprs)
            case Limit(count=count, offset=offset):
                return TakeRows(count, offset)
            case RowIndex(name=name, start=start):
                return NumberRows(name, start)
            case Explode(columns=columns):
                return ExplodeLists(columns, plan.schema, plan.site)
            case Unpivot():
                return UnpivotColumns(plan.on, plan.index, (plan.variable_name, plan.value_name), plan.schema)
            case MapBatches(streaming=True):
                return CallFunction(plan)
            case Sample(fraction=float(fraction), with_replacement=False):
                return DrawRows(fraction, plan.seed)
        return None

    def _breaker(self, plan: Plan, stream: Stream) -> Stream:
        match plan:
            case Aggregate(keys=keys, aggregates=aggregates):
                grouped = GroupedAggregation(keys, aggregates)  # type: ignore[arg-type]
                return self.breaker(stream, Reduce(grouped, plan.schema), plan)
            case Distinct(subset=subset, keep=keep):
                distinct = DistinctRows(plan.schema, subset, keep)  # type: ignore[arg-type]
                return self.breaker(stream, Reduce(distinct, plan.schema), plan)
            case Sort(keys=keys):
                return self.breaker(stream, sort_rows(keys, plan.schema), plan)
            case TopK(keys=keys, count=count, offset=offset):
                return self.breaker(stream, KeepFirstOfOrder(keys, count, offset, plan.schema), plan)
            case Tail(count=count):
                return self.breaker(stream, KeepLast(count, plan.schema), plan)
            case Reverse():
                return self.breaker(stream, reverse_rows(plan), plan)
            case Shift():
                return self.breaker(stream, shift_rows(plan), plan)
            case Interpolate():
                return self.breaker(stream, interpolate_rows(plan), plan)
            case Sample():
                return self.breaker(stream, draw_rows(plan, plan.schema), plan)
            case MapBatches():
                return self.breaker(stream, call_function(plan), plan)
            case Cache():
                return self._fill(plan, stream)
        raise AssertionError(f"no operator for {type(plan).__name__}")

    def _fill(self, plan: Cache, stream: Stream) -> Stream:
        pipeline = self.kept(stream, plan)

        def compute() -> Source:
            plan.slot.fill(pipeline.batches())
            return plan.slot.load()

        return Stream(Computed(compute))

    def _scan(self, plan: Scan) -> Stream:
        source: ReadableSource = plan.source  # type: ignore[assignment]
        wanted = list(plan.columns)
        if plan.predicate is not None:
            wanted += sorted(plan.predicate.columns.difference(wanted))
        stream = Stream(_Scanned(source, wanted, plan, self.context))
        if plan.predicate is None:
            return stream
        return stream.then(FilterRows(plan.predicate, plan.columns if len(wanted) > len(plan.columns) else None))

    def _in_any_order(self, stream: Stream, plan: Plan) -> Stream:
        """A stream whose splits can be read in any order."""
        return Stream(self.kept(stream, plan)) if stream.is_ordered else stream

    def _join(self, plan: Join, left_stream: Stream, right_stream: Stream) -> Stream:
        left = _Side("left", left_stream, plan.left, plan.left_keys)
        right = _Side("right", right_stream, plan.right, plan.right_keys)
        if plan.kind == "right":
            return self._hash_join(plan, right, left, "left")
        kind = "inner" if plan.kind == "cross" else plan.kind
        if kind == "inner" and not plan.ordered and _is_smaller(plan.left, plan.right):
            return self._hash_join(plan, right, left, kind)
        if plan.kind == "inner" and plan.validate == "m:m" and _is_much_smaller(plan.left, plan.right):
            return self._build_left(plan, left, right)
        return self._hash_join(plan, left, right, kind)

    def _build_left(self, plan: Join, left: _Side, right: _Side) -> Stream:
        """An inner join whose left side is the build side; its rows are put back in the order of the left side."""
        number = fresh_name("left row", plan.schema)
        table = BuildTable(left.keys, left.plan.schema, nulls_equal=plan.nulls_equal)
        self.sink(left.stream, table, left.plan)
        probe = Probe(plan, right.keys, table, right.plan.schema, "inner", number)
        return self.breaker(right.stream.then(probe), in_order_of(number, plan.schema), plan)

    def _hash_join(self, plan: Join, probe: _Side, build: _Side, kind: str) -> Stream:
        """A join of `kind` as the probe side sees it."""
        allowed = dict(zip(("left", "right"), plan.validate.split(":"), strict=True))
        unique = plan if allowed[build.name] == "1" and build.keys else None
        table = BuildTable(
            build.keys, build.plan.schema, nulls_equal=plan.nulls_equal, unique_for=unique, side=build.name
        )
        self.sink(build.stream, table, build.plan)
        stream = probe.stream
        if allowed[probe.name] == "1" and probe.keys:
            stream = self.breaker(stream, checked_unique(probe.keys, probe.plan.schema, probe.name, plan), probe.plan)
        joined = stream.then(Probe(plan, probe.keys, table, probe.plan.schema, kind))
        if kind != "full":
            return joined
        rest = Computed(lambda: unmatched_build_rows(table, plan))
        return Stream(Concatenated([Stream(self.kept(joined, plan)), Stream(rest)]))


class _Side(NamedTuple):
    """A side of a join: whether it is the left or the right one, its rows, and its keys."""

    name: str
    stream: Stream
    plan: Plan
    keys: tuple[Scalar, ...]


def _is_smaller(left: Plan, right: Plan) -> bool:
    """Whether the left side is the better one to build on where the order of the rows does not matter."""
    rows, other = estimate(left), estimate(right)
    return rows is not None and (other is None or rows < other)


def _is_much_smaller(left: Plan, right: Plan) -> bool:
    """Whether it pays to build on the left side, though the result must then be sorted."""
    rows, other = estimate(left), estimate(right)
    return rows is not None and other is not None and other > _WORTH_SWAPPING and rows * 8 < other


class _Scanned:
    """A table source as the source of a pipeline."""

    __slots__ = ("_columns", "_context", "_plan", "_source")

    def __init__(self, source: ReadableSource, columns: Sequence[str], plan: Scan, context: Context) -> None:
        self._source = source
        self._columns = columns
        self._plan = plan
        self._context = context

    def splits(self) -> Sequence[Split]:
        return self._source.splits(self._columns, self._plan.predicate, self._context.metrics)


class _CountRows:
    def __init__(self, context: Context, digest: bytes) -> None:
        self._context = context
        self._digest = digest

    def process(self, batch: Batch) -> Batch:
        self._context.count_rows(self._digest, batch.length)
        return batch


__all__ = ["Lowered", "lower"]
