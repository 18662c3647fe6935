"""From an optimised plan to pipelines, in the order in which they must run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.filtered_scan import CollectKeys, FilteredScan
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.measurements import CountRows, TimedSink, TimedSource
from lazyframe.executors.needed import Needed
from lazyframe.executors.pipeline import AnyTransform, Batches, Computed, Concatenated, Pipeline, Source, Stream
from lazyframe.executors.recursion import CollectSome, Rounds
from lazyframe.executors.sources.source import ReadableSource, Split
from lazyframe.executors.threshold import Threshold
from lazyframe.executors.vectorized.distinct import DistinctRows
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation
from lazyframe.executors.vectorized.operators.asof import AsofProbe, AsofTable
from lazyframe.executors.vectorized.operators.collect import Collect, evened
from lazyframe.executors.vectorized.operators.filter import FilterRows
from lazyframe.executors.vectorized.operators.join import (
    BuildTable,
    Probe,
    checked_unique,
    in_order_of,
    told_build_rows,
    unmatched_build_rows,
)
from lazyframe.executors.vectorized.operators.limit import KeepLast, TakeRows
from lazyframe.executors.vectorized.operators.mapping import CallFunction, call_function
from lazyframe.executors.vectorized.operators.numbering import DrawRows, NumberRows, draw_rows
from lazyframe.executors.vectorized.operators.partition_top_k import KeepFirstOfPartitions
from lazyframe.executors.vectorized.operators.project import projection
from lazyframe.executors.vectorized.operators.ranges import Range, range_of
from lazyframe.executors.vectorized.operators.reduce import Reduce
from lazyframe.executors.vectorized.operators.reshape import ExplodeLists, UnpivotColumns
from lazyframe.executors.vectorized.operators.sets import combined
from lazyframe.executors.vectorized.operators.sort import KeepFirstOfOrder, SortRows
from lazyframe.executors.vectorized.operators.whole import beside, interpolate_rows, reverse_rows, shift_rows
from lazyframe.planner.build_side import build_side
from lazyframe.planner.graph import is_chain, unified
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
from lazyframe.planner.relations.recursion import fixed_inputs
from lazyframe.planner.scalars import PARAMETER, Scalar, SortKey, WindowCall
from lazyframe.planner.schema import Field, Schema, fresh_name
from lazyframe.planner.types import INT64

_READ_AGAIN = (Scan, Values, RecursionInput)
_STATELESS = (Filter, Project, Explode, Unpivot)


def _is_read_again(plan: Plan) -> bool:
    while isinstance(plan, Shared) and not plan.kept:
        plan = plan.input
    return isinstance(plan, _READ_AGAIN)


class Lowered:
    """The pipelines of some plans, and the streams that give the rows of their roots when they have run."""

    __slots__ = ("outputs", "pipelines", "roots")

    def __init__(self, roots: Sequence[Plan], pipelines: list[Pipeline], outputs: list[Stream]) -> None:
        self.roots = roots
        self.pipelines = pipelines
        self.outputs = outputs

    def take_pipelines(self) -> Iterator[Pipeline]:
        """The pipelines in order, none of which is held here any more: what is read once is gone when it has been read."""
        waiting = self.pipelines[::-1]
        self.pipelines = []
        while waiting:
            yield waiting.pop()


def lower(roots: Sequence[Plan], context: Context) -> Lowered:
    """The pipelines of some plans; what several nodes use is computed once. A prepared plan has one node for each already."""
    if context.known is None and (len(roots) != 1 or not is_chain(roots[0])):
        roots = unified(roots)
    lowering = _Lowering(context)
    lowering.add(Needed(roots))
    return Lowered(roots, lowering.pipelines, [lowering.streams[id(root)] for root in roots])


_MOST_KNOWN = 64


class _Repeated:
    """What the rounds of a recursion have in common: made in the first of them and used again in the others."""

    __slots__ = ("fixed", "joins", "transforms")

    def __init__(self, fixed: Collection[int]) -> None:
        self.fixed = fixed
        self.transforms: dict[int, AnyTransform] = {}
        self.joins: dict[int, tuple[BuildTable, Probe]] = {}


class _Lowering:
    """The pipelines of some nodes.

    Args:
        context: of the run.
        rounds: the rows of the last round of each recursion in whose step the nodes stand.
        repeated: what their rounds have in common.
    """

    def __init__(
        self,
        context: Context,
        rounds: Mapping[str, Source] = MappingProxyType({}),
        repeated: _Repeated | None = None,
    ) -> None:
        self.context = context
        self.pipelines: list[Pipeline] = []
        self.streams: dict[int, Stream] = {}
        self.rounds = rounds
        self.repeated = repeated or _Repeated(())
        self.keys: dict[str, KeySet] = {}
        self.thresholds: dict[str, Threshold] = {}
        self.made: dict[int, BuildTable] = {}
        self.looked_up: dict[int, Stream] = {}

    def add(self, order: Needed) -> None:
        context, streams = self.context, self.streams
        for top, _ in order.nodes:
            if isinstance(top, TopK) and top.gives:
                self.thresholds[top.gives] = _threshold(top)
        for plan, inputs in order.nodes:
            stream = self.lower(plan, [streams[id(child)] for child in inputs])
            stream.schema = plan.schema
            if context.measured is not None:
                stream = stream.then(CountRows(context.measured, plan.digest), plan.schema)
            # What several nodes read is computed once. A scan is read again instead of being kept in memory.
            if id(plan) in order.shared and not _is_read_again(plan):
                stream = Stream(self.kept(stream, plan, gives=plan), schema=plan.schema)
            streams[id(plan)] = stream
            for join in order.firsts.get(id(plan), ()):
                self._give_keys(join, stream)

    def sink(self, stream: Stream, sink: Any, plan: Plan, gives: Plan | None = None) -> Pipeline:
        held = None
        if isinstance(sink, BuildTable):
            gives, held = plan, sink
        source, measured = stream.source, self.context.measured
        if measured is not None:
            source, sink = TimedSource(source, measured), TimedSink(sink, measured, plan.digest)
        pipeline = Pipeline(source, stream.transforms, sink, plan.schema, gives, held, stream.schemas, plan)
        self.pipelines.append(pipeline)
        return pipeline

    def kept(self, stream: Stream, plan: Plan, gives: Plan | None = None) -> Pipeline:
        """All rows of a stream, in memory when the pipeline has run."""
        return self.sink(stream, Collect(plan.schema), plan, gives)

    def breaker(self, stream: Stream, sink: Any, plan: Plan) -> Stream:
        return Stream(self.sink(stream, sink, plan, gives=plan))

    def lower(self, plan: Plan, inputs: list[Stream]) -> Stream:
        first = inputs[0] if inputs else None
        match plan:
            case Scan():
                return self._scan(plan)
            case Cache(slot=slot) if not inputs:
                return Stream(Computed(slot.load))
            case Values(columns=columns, count=count):
                rows = [Batch(dict(columns), count)] if count else []
                return Stream(Batches(evened(rows, plan.schema)))
            case Limit(count=0):
                return Stream(Batches(evened([], plan.schema)))
            case RecursionInput(name=name):
                return Stream(self.rounds[name])
            case Recursion():
                return self._recursion(plan, *inputs)
            case Union():
                return Stream(
                    Concatenated(
                        [self._in_any_order(s, c) for s, c in zip(inputs, plan.inputs, strict=True)], self.context
                    )
                )
            case Join():
                return self._join(plan, *inputs)
            case AsofJoin():
                return self._asof_join(plan, *inputs)
            case SetOperation():
                left, right = (self.kept(s, c) for s, c in zip(inputs, plan.children(), strict=True))
                return Stream(Computed(lambda: combined(plan, left, right)))
            case HorizontalConcat():
                parts = [self.kept(s, c) for s, c in zip(inputs, plan.inputs, strict=True)]
                return Stream(Computed(beside(parts, plan.schema)))
        assert first is not None
        if isinstance(plan, Shared):
            return first
        transform = self.repeated.transforms.get(id(plan)) or self._transform(plan)
        if isinstance(plan, _STATELESS) and transform is not None:
            self.repeated.transforms[id(plan)] = transform
        return first.then(transform) if transform is not None else self._breaker(plan, first)

    def _transform(self, plan: Plan) -> AnyTransform | None:
        match plan:
            case Filter(predicate=predicate):
                return FilterRows(predicate)
            case Project(exprs=exprs):
                return self._placed(plan, lambda: projection(exprs))
            case Limit(count=count, offset=offset):
                return TakeRows(count, offset)
            case RowIndex(name=name, start=start):
                return NumberRows(name, start)
            case Explode():
                return ExplodeLists(plan)
            case Unpivot():
                return UnpivotColumns(plan)
            case MapBatches(streaming=True):
                return CallFunction(plan)
            case Sample(fraction=float(fraction), with_replacement=False):
                return DrawRows(fraction, plan.seed)
        return None

    def _placed(self, plan: Plan, make: Callable[[], Any]) -> Any:
        """An operator that keeps nothing of a run: made once for a prepared plan, and told the values of placeholders in each run."""
        known = self.context.known
        if known is None:
            return make()
        key = type(plan), tuple(plan.schema.names), tuple([scalar.digest for scalar in plan.scalars()])
        found = known.get(key)
        if found is None:
            if len(known) >= _MOST_KNOWN:
                # Expressions that differ from run to run, as those with now() do.
                known.clear()
            found = known[key] = make()
        return found.with_parameters(self.context.parameters) if plan.holds & PARAMETER else found

    def _breaker(self, plan: Plan, stream: Stream) -> Stream:
        match plan:
            case Aggregate(keys=keys, aggregates=aggregates):
                grouped = self._placed(plan, lambda: GroupedAggregation(keys, aggregates))  # type: ignore[arg-type]
                return self.breaker(stream, Reduce(grouped, plan.schema), plan)
            case Distinct(subset=subset, keep=keep):
                distinct = DistinctRows(plan.schema, subset, keep)  # type: ignore[arg-type]
                return self.breaker(stream, Reduce(distinct, plan.schema), plan)
            case Sort(keys=keys):
                return self.breaker(stream, SortRows(keys, plan.schema), plan)
            case TopK(keys=keys, count=count, offset=offset):
                threshold = self.thresholds.get(plan.gives)
                return self.breaker(stream, KeepFirstOfOrder(keys, count, offset, plan.schema, threshold), plan)
            case Window():
                from lazyframe.executors.vectorized.operators.window import window_rows

                return self.breaker(stream, window_rows(plan, self.context.check), plan)
            case PartitionTopK(call=WindowCall() as call, count=count):
                return self.breaker(stream, KeepFirstOfPartitions(call, count, plan.schema), plan)
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

    def _recursion(self, plan: Recursion, base: Stream, *fixed: Stream) -> Stream:
        first = self.kept(base, plan.base)
        parts = zip(fixed_inputs(plan), fixed, strict=True)
        given = {id(child): Stream(self.kept(stream, child), schema=child.schema) for child, stream in parts}
        order = Needed([plan.step], given)
        repeated = _Repeated(given)

        def step(rows: Batches, most: int) -> list[Pipeline]:
            lowering = _Lowering(self.context, {**self.rounds, plan.name: rows}, repeated)
            lowering.streams.update(given)
            lowering.add(order)
            found = lowering.streams[id(plan.step)]
            lowering.sink(found, CollectSome(plan.step.schema, most, plan, self.context), plan.step)
            return lowering.pipelines

        return Stream(Rounds(plan, first, step, self.context))

    def _scan(self, plan: Scan) -> Stream:
        source: ReadableSource = plan.source  # type: ignore[assignment]
        wanted = list(plan.columns)
        if plan.predicate is not None:
            wanted += sorted(plan.predicate.columns.difference(wanted))
        if plan.filters or plan.thresholds:
            keys = [(self._keys(name), value) for name, value in plan.filters]
            lasts = [(self.thresholds[name], value) for name, value in plan.thresholds]
            stream = Stream(FilteredScan(source, wanted, plan, keys, lasts, self.context))
        else:
            stream = Stream(ScannedTable(source, wanted, plan, self.context))
        stream.schema = Schema([source.schema.field(name) for name in wanted])
        if plan.predicate is None:
            return stream
        return stream.then(FilterRows(plan.predicate, plan.columns if len(wanted) > len(plan.columns) else None))

    def _keys(self, name: str) -> KeySet:
        """The keys of that name, which a join gives when its first side is complete."""
        return self.keys.setdefault(name, KeySet())

    def _give_keys(self, join: Join, stream: Stream) -> None:
        """What computes the first side of a join, before anything of its other side is lowered."""
        keys = [self._keys(name) if name else None for name in join.gives]
        if build_side(join) == join.first:
            first, other = _sides(join, stream, stream)
            if first.name != join.first:
                first, other = other, first
            table = self._table(join, first, other)
            table.gives = keys
            self.sink(stream, table, first.plan)
            self.made[id(join)] = table
            return
        plan, own = (join.left, join.left_keys) if join.first == "left" else (join.right, join.right_keys)
        looked_up = CollectKeys(plan.schema, own, keys, nulls_equal=join.nulls_equal)
        self.looked_up[id(join)] = Stream(self.sink(stream, looked_up, plan, gives=plan), schema=plan.schema)

    def _in_any_order(self, stream: Stream, plan: Plan) -> Stream:
        """A stream whose splits can be read in any order."""
        return Stream(self.kept(stream, plan), schema=plan.schema) if stream.is_ordered else stream

    def _join(self, plan: Join, left_stream: Stream, right_stream: Stream) -> Stream:
        left, right = _sides(plan, left_stream, right_stream)
        looked_up = self.looked_up.get(id(plan))
        if looked_up is not None:
            left, right = (
                side._replace(stream=looked_up) if side.name == plan.first else side for side in (left, right)
            )
        if build_side(plan) == "right":
            return self._hash_join(plan, left, right, "inner" if plan.kind == "cross" else plan.kind)
        match plan.kind:
            case "right":
                return self._hash_join(plan, right, left, "left")
            case "semi" | "anti" | "mark":
                return self._note_left(plan, left, right)
            case "left":
                return self._keep_left(plan, left, right)
            case _ if plan.ordered:
                return self._build_left(plan, left, right)
        return self._hash_join(plan, right, left, "inner")

    def _table(self, plan: Join, build: _Side, probe: _Side) -> BuildTable:
        """The table of one side, which somebody fills."""
        allowed = dict(zip(("left", "right"), plan.validate.split(":"), strict=True))
        return BuildTable(
            build.keys,
            build.plan.schema,
            nulls_equal=plan.nulls_equal,
            unique_for=plan if allowed[build.name] == "1" and build.keys else None,
            side=build.name,
            range_=_compared(plan, probe, build),
            stop=self.context.stop,
        )

    def _filled(self, plan: Join, build: _Side, probe: _Side) -> BuildTable:
        """The table of one side, filled by a pipeline."""
        table = self.made.get(id(plan))
        if table is None:
            table = self._table(plan, build, probe)
            self.sink(build.stream, table, build.plan)
        return table

    def _asof_join(self, plan: AsofJoin, left: Stream, right: Stream) -> Stream:
        table = AsofTable(plan)
        self.sink(right, table, plan.right)
        return left.then(AsofProbe(plan, table))

    def _note_left(self, plan: Join, left: _Side, right: _Side) -> Stream:
        """A join that asks whether left rows have partners, whose left side is the build side.

        The right side is read without being kept, and the left rows come in their order.
        """
        table = self._filled(plan, left, right)
        probe = Probe(plan, right.keys, table, right.plan.schema, "note")
        self.kept(right.stream.then(probe, right.plan.schema), right.plan)
        return Stream(Computed(lambda: told_build_rows(table, plan)))

    def _keep_left(self, plan: Join, left: _Side, right: _Side) -> Stream:
        """A left join of any order whose left side is the build side; its rows without a partner come last."""
        table = self._filled(plan, left, right)
        pairs = right.stream.then(Probe(plan, right.keys, table, right.plan.schema, "pairs"), plan.schema)
        rest = Computed(lambda: unmatched_build_rows(table, plan))
        return Stream(Concatenated([Stream(self.kept(pairs, plan)), Stream(rest)], self.context))

    def _build_left(self, plan: Join, left: _Side, right: _Side) -> Stream:
        """An inner join whose left side is the build side; its rows are put back in the order of the left side."""
        number = fresh_name("left row", plan.schema)
        made = self.repeated.joins.get(id(plan))
        if made is None:
            table = self._filled(plan, left, right)
            made = self._built(plan, left, table, Probe(plan, right.keys, table, right.plan.schema, "inner", number))
        _, probe = made
        numbered = Schema([*plan.schema, Field(number, INT64, False)])
        return self.breaker(right.stream.then(probe, numbered), in_order_of(number, plan.schema), plan)

    def _hash_join(self, plan: Join, probe: _Side, build: _Side, kind: str) -> Stream:
        """A join of `kind` as the probe side sees it."""
        allowed = dict(zip(("left", "right"), plan.validate.split(":"), strict=True))
        made = self.repeated.joins.get(id(plan)) if kind != "full" else None
        if made is None:
            table = self._filled(plan, build, probe)
            made = self._built(plan, build, table, Probe(plan, probe.keys, table, probe.plan.schema, kind))
        table, matching = made
        stream = probe.stream
        if allowed[probe.name] == "1" and probe.keys:
            stream = self.breaker(stream, checked_unique(probe.keys, probe.plan.schema, probe.name, plan), probe.plan)
        joined = stream.then(matching, plan.schema)
        if kind != "full":
            return joined
        rest = Computed(lambda: unmatched_build_rows(table, plan))
        return Stream(Concatenated([Stream(self.kept(joined, plan)), Stream(rest)], self.context))

    def _built(self, plan: Join, build: _Side, table: BuildTable, probe: Probe) -> tuple[BuildTable, Probe]:
        """A table and who looks into it, kept for other rounds where these have the same build side."""
        if id(build.plan) in self.repeated.fixed:
            self.repeated.joins[id(plan)] = (table, probe)
        return table, probe


class _Side(NamedTuple):
    """A side of a join: whether it is the left or the right one, its rows, and its keys."""

    name: str
    stream: Stream
    plan: Plan
    keys: tuple[Scalar, ...]


def _sides(plan: Join, left: Stream, right: Stream) -> tuple[_Side, _Side]:
    return _Side("left", left, plan.left, plan.left_keys), _Side("right", right, plan.right, plan.right_keys)


def _compared(plan: Join, probe: _Side, build: _Side) -> Range | None:
    """The comparison by which a join without keys finds its pairs, where it has one."""
    if plan.condition is None or build.keys:
        return None
    return range_of(plan.condition, probe.plan.schema, build.plan.schema)


def _threshold(top: TopK) -> Threshold:
    """What scans below the first rows of a sort are told of it."""
    first: SortKey = top.keys[0]  # type: ignore[assignment]
    below = top.input
    while isinstance(below, Project):
        below = below.input
    comes_whole = isinstance(below, Scan) and below.predicate is None and not below.filters
    return Threshold(
        first.dtype,
        descending=first.descending,
        nulls_first=first.nulls_first,
        rows=top.count + top.offset if comes_whole else 0,
    )


class ScannedTable:
    """A table source as the source of a pipeline."""

    __slots__ = ("_columns", "_context", "_plan", "_source")

    def __init__(self, source: ReadableSource, columns: Sequence[str], plan: Scan, context: Context) -> None:
        self._source = source
        self._columns = columns
        self._plan = plan
        self._context = context

    def splits(self) -> Sequence[Split]:
        return self._source.splits(self._columns, self._plan.predicate, self._context.metrics)

    @property
    def name(self) -> str:
        return self._source.name

    def known_rows(self) -> float | None:
        return self._source.statistics().rows


__all__ = ["Lowered", "ScannedTable", "lower"]
