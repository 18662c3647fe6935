"""What our own counts say of the rows that left the nodes of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.plans.operators import (
    AGGREGATE,
    CONSTANTS,
    DISTINCT,
    FILTER,
    JOIN,
    LIMIT,
    PASS,
    SCAN,
    SETS,
    SHARED,
    SORT,
    UNNEST,
    WINDOW,
    Operator,
)
from lazyframe import session
from lazyframe.executors.measurements import Measurements
from lazyframe.executors.replanning import FinishedRows
from lazyframe.planner.errors import QueryCancelledError
from lazyframe.planner.graph import unified
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

_KINDS: dict[type[Plan], str] = {
    Scan: SCAN,
    Filter: FILTER,
    Join: JOIN,
    AsofJoin: JOIN,
    Aggregate: AGGREGATE,
    Window: WINDOW,
    PartitionTopK: WINDOW,
    Distinct: DISTINCT,
    SetOperation: SETS,
    Recursion: SETS,
    Sort: SORT,
    TopK: SORT,
    Limit: LIMIT,
    Tail: LIMIT,
    Sample: LIMIT,
    Explode: UNNEST,
    Unpivot: UNNEST,
    MapBatches: UNNEST,
    Project: PASS,
    Union: PASS,
    HorizontalConcat: PASS,
    RowIndex: PASS,
    Reverse: PASS,
    Shift: PASS,
    Interpolate: PASS,
    Values: CONSTANTS,
    Shared: SHARED,
    Cache: SHARED,
    RecursionInput: SHARED,
}


def our_operators(plan: Plan) -> tuple[Operator, bool]:
    """Run a plan, and return what ran of it, and whether it came to an end before the timeout in force."""
    context = session.new_context()
    context.measured = measured = Measurements()
    (final,) = unified([session.planned(plan)])
    is_complete = True
    try:
        session.execute(final, optimize=False, context=context)
    except QueryCancelledError:
        is_complete = False
    if measured.replanned:
        _, final = measured.replanned[-1]
    return _operators(final, measured.rows), is_complete


def _operators(root: Plan, counted: Mapping[bytes, int]) -> Operator:
    order = _ran(root)
    readers = Counter([child.digest for current in order for child in _inputs(current)])
    made: dict[bytes, Operator] = {}
    for current in order:
        inputs = []
        for child in _inputs(current):
            inputs.append(made[child.digest])
            if readers[child.digest] > 1 and not _is_table(child):
                made[child.digest] = Operator(SHARED, 0)
        key = current.digest
        # A table is read anew for each reader and counted each time, anything else is computed for whoever comes first.
        if _is_table(current):
            made[key] = Operator(SCAN, counted.get(key, 0) // max(readers[key], 1))
            continue
        operator = Operator(_kind(current), counted.get(key, 0), tuple(inputs))
        made[key] = Operator(SHARED, 0, (operator,)) if readers[key] > 1 else operator
    return made[root.digest]


def _ran(root: Plan) -> list[Plan]:
    """All nodes that ran, inputs first, each once: those of the last plan, and those of earlier ones whose rows it reads."""
    order: dict[bytes, Plan] = {}
    stack = [root]
    while stack:
        current = stack[-1]
        pending = [child for child in _inputs(current) if child.digest not in order]
        stack += pending
        if not pending:
            order.setdefault(stack.pop().digest, current)
    return list(order.values())


def _inputs(plan: Plan) -> Sequence[Plan]:
    if isinstance(plan, Scan) and isinstance(plan.source, FinishedRows):
        return (plan.source.made_of,)
    return plan.children()


def _is_table(plan: Plan) -> bool:
    return isinstance(plan, Scan) and not isinstance(plan.source, FinishedRows)


def _kind(plan: Plan) -> str:
    """Of a node that is no table. Finished rows were counted when they were computed, whatever is then left out of them."""
    return SHARED if isinstance(plan, Scan) else _KINDS[type(plan)]
