"""What our own counts say of the rows that left the nodes of a plan."""

from __future__ import annotations

from collections import Counter

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
from lazyframe.planner.errors import QueryCancelledError
from lazyframe.planner.graph import postorder, unified
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
    return _operators(final, measured.rows), is_complete


def _operators(root: Plan, counted: dict[bytes, int]) -> Operator:
    order = postorder(root)
    readers = Counter([id(child) for current in order for child in current.children()])
    made: dict[int, Operator] = {}
    for current in order:
        inputs = []
        for child in current.children():
            inputs.append(made[id(child)])
            if readers[id(child)] > 1 and not isinstance(child, Scan):
                made[id(child)] = Operator(SHARED, 0)
        rows = counted.get(current.digest, 0)
        operator = Operator(_KINDS[type(current)], rows, tuple(inputs))
        if readers[id(current)] > 1:
            # A scan is read anew for each reader and counted each time, anything else is computed for whoever comes first.
            if isinstance(current, Scan):
                operator = Operator(SCAN, rows // readers[id(current)])
            else:
                operator = Operator(SHARED, 0, (operator,))
        made[id(current)] = operator
    return made[id(root)]
