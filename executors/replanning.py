"""Planning anew what is left of a plan, when it has turned out how many rows a part of it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.lower import Lowered, lower
from lazyframe.executors.pipeline import Stream
from lazyframe.executors.scheduler import run
from lazyframe.executors.sources.source import ScanMetrics
from lazyframe.planner.build_side import build_side
from lazyframe.planner.graph import postorder, replace, rewrite, rewrite_top_down
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Cache, Join, Plan, Recursion, Scan, TopK
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Schema
from lazyframe.planner.sources import ScanReport, Statistics
from lazyframe.planner.statistics import estimate

_FAR_OFF = 10
"""Estimates that are wrong by less than this factor do not change the plan."""

_WORTH_IT = 20_000
"""Nor do those of fewer rows than this."""

_MOST_TIMES = 3
"""So often is another plan looked for."""

_numbers = count()


class FinishedRows:
    """Rows of a node of the plan that have been computed, as a table source.

    Args:
        made_of: the node, by which more is known of where the rows come from.
        batches: its rows.
    """

    def __init__(self, made_of: Plan, batches: Sequence[Batch]) -> None:
        self.made_of = made_of
        self.name = f"rows of {type(made_of).__name__}"
        self.schema: Schema = made_of.schema
        self._batches = [batch for batch in batches if batch.length]
        self._rows = sum(batch.length for batch in self._batches)
        self._number = next(_numbers)

    def identity(self) -> tuple[object, ...]:
        return ("finished", self._number)

    def statistics(self) -> Statistics:
        return Statistics(rows=self._rows, exact=True)

    def report(self, columns: tuple[str, ...], predicate: Scalar | None) -> ScanReport:
        return ScanReport(columns_read=len(columns), columns_total=len(self.schema))

    def splits(
        self, columns: Sequence[str], predicate: Scalar | None, metrics: ScanMetrics | None = None
    ) -> list[_FinishedSplit]:
        return [_FinishedSplit(batch, columns) for batch in self._batches]


class _FinishedSplit:
    __slots__ = ("_batch", "_columns")

    def __init__(self, batch: Batch, columns: Sequence[str]) -> None:
        self._batch = batch
        self._columns = columns

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        yield self._batch.select(self._columns)


def replanning_of(lowered: Lowered, context: Context) -> Replanning | None:
    """What runs a plan step by step, where there is one plan, and it has joins that may be planned anew."""
    without = context.replans_without
    if without is None or "replan_joins" in without or len(lowered.roots) != 1 or len(lowered.pipelines) < 2:
        return None
    nodes = postorder(lowered.roots[0])
    if not any([isinstance(node, Join) for node in nodes]):
        return None
    if any([isinstance(node, Recursion | Cache) for node in nodes]):
        return None
    return Replanning(lowered, context)


class Replanning:
    """A run of a plan that looks, after each of its pipelines, whether the estimate of its rows was far off.

    Then all that has been computed so far is a table of so many rows, and the joins above are ordered anew, by the rules that
    did it before. Only where that changes something is the rest lowered again; what has run is not run again. It depends on
    the numbers of rows alone, so that every run of a query over the same data does the same.

    Rows that were left out because they have no partner further up stay left out: the join that drops them is still there.
    """

    def __init__(self, lowered: Lowered, context: Context) -> None:
        self._lowered = lowered
        self._context = context
        self._times = 0

    def run(self) -> list[Stream]:
        """Run all pipelines; gives the streams of the rows of the root."""
        while not self._run_to_the_end():
            pass
        return self._lowered.outputs

    def _run_to_the_end(self) -> bool:
        """Run the pipelines until what is left is planned anew; whether all of them ran."""
        (root,) = self._lowered.roots
        finished: dict[int, FinishedRows] = {}
        filtered = _with_filters(root)
        complete = True
        last = len(self._lowered.pipelines)
        for number, pipeline in enumerate(self._lowered.take_pipelines(), 1):
            self._context.check()
            run(pipeline, self._context)
            node = pipeline.gives
            rows = None if node is None else pipeline.rows_given()
            # What ran without its rows being at hand would have to run again.
            complete = complete and rows is not None
            if not complete or number == last or self._times == _MOST_TIMES:
                # No other plan is looked for any more.
                finished.clear()
                complete = False
            if not complete or node is None or rows is None:
                continue
            finished[id(node)] = FinishedRows(node, rows)
            _let_go_below(root, finished)
            found = sum(batch.length for batch in rows)
            expected = estimate(node)
            if expected is None or (id(node) in filtered and found < expected):
                continue
            if _is_far_off(expected, found) and self._has_changed(root, finished):
                self._note(node, expected, found)
                return False
        return True

    def _has_changed(self, root: Plan, finished: dict[int, FinishedRows]) -> bool:
        """Plan what is left anew; whether that is another plan, which has then been lowered."""
        left = _without_filters(
            rewrite_top_down(root, lambda node: scan(finished[id(node)]) if id(node) in finished else None)
        )
        without = self._context.replans_without
        assert without is not None
        self._times += 1
        planned = optimize(left, disable=without, since="order joins")
        if _without_filters(planned) == left and _build_sides(left) == _build_sides_left(root, finished):
            return False
        self._lowered = lower([planned], self._context)
        return True

    def _note(self, node: Plan, expected: float, found: int) -> None:
        if self._context.measured is not None:
            why = f"{type(node).__name__} gave {found:,} rows, not ~{expected:,.0f}: what was left was planned anew"
            self._context.measured.replanned.append((why, self._lowered.roots[0]))


def _is_far_off(expected: float, found: int) -> bool:
    low, high = sorted((max(expected, 1.0), max(float(found), 1.0)))
    return high >= _WORTH_IT and high > _FAR_OFF * low


def _with_filters(root: Plan) -> set[int]:
    """The nodes of which fewer rows come than they have, as scans below them leave some out: few rows mean nothing."""
    found: set[int] = set()
    for node in postorder(root):
        if (isinstance(node, Scan) and (node.filters or node.thresholds)) or any(
            [id(child) in found for child in node.children()]
        ):
            found.add(id(node))
    return found


def _without_filters(root: Plan) -> Plan:
    """The plan without what joins and sorts tell scans, which is found anew."""

    def step(node: Plan) -> Plan:
        match node:
            case Join() if node.first:
                return replace(node, first="", gives=())
            case TopK() if node.gives:
                return replace(node, gives="")
            case Scan() if node.filters or node.thresholds:
                return replace(node, filters=(), thresholds=(), whole=())
        return node

    return rewrite(root, step)


def _let_go_below(root: Plan, finished: dict[int, FinishedRows]) -> None:
    """Forget rows that are read by nothing that is still to be computed."""
    reached: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) not in reached:
            reached.add(id(node))
            if id(node) not in finished:
                stack.extend(node.children())
    for number in finished.keys() - reached:
        del finished[number]


def _build_sides(root: Plan) -> list[str]:
    return [build_side(node) for node in postorder(root) if isinstance(node, Join)]


def _build_sides_left(root: Plan, finished: dict[int, FinishedRows]) -> list[str]:
    """Those of the joins that have not been computed, as the plan had them."""
    sides: list[str] = []
    stack: list[tuple[Plan, bool]] = [(root, False)]
    seen: set[int] = set()
    while stack:
        node, expanded = stack.pop()
        if expanded:
            if isinstance(node, Join):
                sides.append(build_side(node))
        elif id(node) not in seen and id(node) not in finished:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend([(child, False) for child in node.children()[::-1]])
    return sides
