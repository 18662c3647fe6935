"""Every window function has its code, and every aggregate gives of a frame what it gives of a group of the same rows."""

from __future__ import annotations

import math
from decimal import Decimal

import pyarrow as pa
import pytest

from lazyframe.executors.sources.memory import MemorySource
from lazyframe.frame import LazyFrame
from lazyframe.planner.bind import aggregate_call
from lazyframe.planner.build.windows import window_call
from lazyframe.planner.frames import CURRENT, FIRST, LAST, Bound, Frame
from lazyframe.planner.functions.aggregates import AGGREGATES
from lazyframe.planner.functions.windows import WINDOWS
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Aggregate, Window
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import Column, SortKey

DATA = pa.table(
    {
        "i": pa.array([3, None, 1, 1, -4, 7, None, 2, 2]),
        "f": pa.array([0.5, 2.0, None, float("inf"), -1.5, 2.0, float("nan"), 0.0, -0.0]),
        "d": pa.array([Decimal("1.10"), None, *[Decimal(n) for n in (-2, 0, 5, 5, 7, 9, 1)]], pa.decimal128(10, 2)),
        "s": pa.array(["b", "a", None, "b", "c", "", "a", "a", "zz"]),
        "b": pa.array([True, None, False, True, True, None, None, False, True]),
        "o": pa.array([5, 3, 8, 1, 9, 2, 7, 4, 6]),
    }
)
ROWS = DATA.num_rows
COLUMNS = {f.name: Column(f.name, f.type, True) for f in DATA.schema}

ARGUMENTS = {
    "len": [""], "count": ["i", "f", "d", "s"], "n_unique": ["i", "f", "d", "s"], "approx_n_unique": ["i", "f", "s"],
    "sum": ["i", "f", "d"], "mean": ["i", "f", "d"], "product": ["i", "f"], "min": ["i", "f", "d", "s", "b"],
    "max": ["i", "f", "d", "s", "b"], "min_by": ["s i", "i f"], "max_by": ["s i", "i f"], "first": ["i", "f", "s"],
    "last": ["i", "d", "s"], "any": ["b"], "all": ["b"], "std": ["i", "d"], "var": ["i", "d"], "skew": ["i", "d"],
    "kurtosis": ["i", "d"], "cov": ["i o"], "corr": ["i o"], "median": ["i", "f", "d"], "quantile": ["i", "f", "d"],
    "mode": ["i", "s"], "entropy": ["i", "s"], "histogram": ["o"], "list": ["i", "s"], "string_agg": ["s", "s"],
    "bit_and": ["i"], "bit_or": ["i"], "bit_xor": ["i"],
}  # fmt: skip

FRAMES = {
    "around": Frame("rows", Bound("preceding", pa.scalar(2)), Bound("following", pa.scalar(1))),
    "others": Frame("rows", Bound("preceding", pa.scalar(3)), Bound("following", pa.scalar(3)), "current_row"),
    "so far": Frame("rows", FIRST, CURRENT),
    "from here": Frame("rows", CURRENT, LAST),
    "behind": Frame("rows", Bound("following", pa.scalar(2)), Bound("following", pa.scalar(4))),
}


def held(frame, row):
    """The rows of a frame around one."""
    ends = []
    for bound in (frame.start, frame.end):
        offset = 0 if bound.offset is None else bound.offset.as_py()
        ends.append({
            "unbounded_preceding": 0, "preceding": row - offset, "current_row": row, "following": row + offset,
            "unbounded_following": ROWS - 1,
        }[bound.kind])  # fmt: skip
    rows = range(max(ends[0], 0), min(ends[1], ROWS - 1) + 1)
    return [r for r in rows if frame.exclude == "no_others" or r != row]


def test_every_aggregate_is_tried():
    assert set(ARGUMENTS) == set(AGGREGATES)


@pytest.mark.parametrize(
    ("frame", "distinct"),
    [*[(frame, False) for frame in FRAMES if frame != "others"], ("others", True), ("so far", True)],
)
@pytest.mark.parametrize("function", AGGREGATES)
def test_aggregates_of_frames_are_those_of_groups(function, distinct, frame):
    order = [SortKey(COLUMNS["o"], descending=True)] if AGGREGATES[function].ordered else []
    calls, groups = [], []
    for number, names in enumerate(ARGUMENTS[function]):
        args = [COLUMNS[name] for name in names.split()]
        more = {"distinct": distinct and bool(args), "argument_order": order if number % 2 else []}
        calls.append((f"w{number}", window_call(function, args, frame=FRAMES[frame], where=None, **more)))
        groups.append(
            (
                f"w{number}",
                aggregate_call(function, args, None, tuple(more["argument_order"]), distinct=more["distinct"]),
            )
        )
    ours = LazyFrame(Window(scan(MemorySource(DATA, "t")), tuple(calls))).collect().to_dict()
    places = [(row, place) for row in range(ROWS) for place in held(FRAMES[frame], row)]
    written_out = DATA.take([place for _, place in places]).append_column("row", pa.array([row for row, _ in places]))
    row = Column("row", pa.int64(), True)
    groups_of_rows = Aggregate(scan(MemorySource(written_out, "frames")), (("row", row),), tuple(groups))
    of_nothing = Aggregate(scan(MemorySource(written_out.slice(0, 0), "nothing")), (), tuple(groups))
    found = {values["row"]: values for values in LazyFrame(groups_of_rows).collect().to_dicts()}
    (nothing,) = LazyFrame(of_nothing).collect().to_dicts()
    for number in range(ROWS):
        for name, value in {**nothing, **found.get(number, {})}.items():
            assert name == "row" or same(ours[name][number], value), (name, number, ours[name][number], value)


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))
    return a == b or (isinstance(a, list) and len(a) == len(b) and all(map(same, a, b)))


@pytest.mark.parametrize("function", WINDOWS)
def test_every_window_function_gives_what_it_promises(function):
    args = {
        "ntile": [literal(2)], "nth_value": [COLUMNS["s"], literal(2)], "ewm_mean": [COLUMNS["f"]],
        "ewm_var": [COLUMNS["f"]], "ewm_std": [COLUMNS["f"]],
    }.get(function, [COLUMNS["s"]] if WINDOWS[function].arity[0] else [])  # fmt: skip
    options = {"alpha": 0.5} if function.startswith("ewm") else {}
    call = window_call(function, args, [COLUMNS["b"]], [SortKey(COLUMNS["i"])], options=options)
    for rows in (DATA, DATA.slice(0, 0)):
        found = LazyFrame(Window(scan(MemorySource(rows, "t")), (("w", call),))).collect().to_arrow()["w"]
        assert (found.type, len(found)) == (call.dtype, rows.num_rows)
        assert call.nullable or not found.null_count
