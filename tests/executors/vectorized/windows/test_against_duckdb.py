"""Where DuckDB means the same, it gives the same: every function over random partitions, orders, frames and exclusions."""

import datetime as dt
import math
import random
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest

from lazyframe.executors.sources.memory import MemorySource
from lazyframe.frame import LazyFrame
from lazyframe.planner.build.windows import window_call
from lazyframe.planner.frames import Bound, Frame
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Window
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import Column, SortKey

NAN, INF = float("nan"), float("inf")
ROWS = 60

CHOICES = {
    "p": [1, 2, 3, None],
    "q": ["a", "b"],
    "i": [*range(-4, 5), None],
    "f": [-2.5, -1.0, -0.0, 0.0, 0.5, 0.5, 1e300, INF, NAN, None],
    "d": [Decimal("-1.50"), Decimal("0.00"), Decimal("0.25"), Decimal("99999999.99"), None],
    "s": ["x", "yy", "a much longer text", "", None],
    "b": [True, False, None],
    "t": [dt.date(2024, 1, 1) + dt.timedelta(days=9 * n) for n in range(9)] + [None],
    "u": [dt.datetime(2024, 1, 31) + dt.timedelta(hours=7 * n) for n in range(12)] + [None],  # noqa: DTZ001
}
TYPES = {
    "p": pa.int32(), "q": pa.string(), "i": pa.int64(), "f": pa.float64(), "d": pa.decimal128(12, 2), "s": pa.string(),
    "b": pa.bool_(), "t": pa.date32(), "u": pa.timestamp("us"), "n": pa.int64(),
}  # fmt: skip


def table(seed):
    chance = random.Random(seed)
    columns = {name: pa.array([chance.choice(c) for _ in range(ROWS)], TYPES[name]) for name, c in CHOICES.items()}
    return pa.table({**columns, "n": pa.array(chance.sample(range(ROWS), ROWS), pa.int64())})


FUNCTIONS = [
    ("row_number()", "row_number", (), {}),
    ("rank()", "rank", (), {}),
    ("dense_rank()", "dense_rank", (), {}),
    ("percent_rank()", "percent_rank", (), {}),
    ("cume_dist()", "cume_dist", (), {}),
    ("ntile(4)", "ntile", (4,), {}),
    ("lag(s)", "lag", ("s",), {}),
    ("lead(i, 2)", "lead", ("i", 2), {}),
    ("lag(f, -1, 7.5)", "lag", ("f", -1, 7.5), {}),
    ("lead(d ignore nulls)", "lead", ("d",), {"options": {"ignore_nulls": True}}),
    ("lag(i, 2, 0 ignore nulls)", "lag", ("i", 2, 0), {"options": {"ignore_nulls": True}}),
    ("first_value(s)", "first_value", ("s",), {}),
    ("last_value(i)", "last_value", ("i",), {}),
    ("nth_value(t, 2)", "nth_value", ("t", 2), {}),
    ("first_value(f ignore nulls)", "first_value", ("f",), {"options": {"ignore_nulls": True}}),
    ("last_value(d ignore nulls)", "last_value", ("d",), {"options": {"ignore_nulls": True}}),
    ("nth_value(s, 3 ignore nulls)", "nth_value", ("s", 3), {"options": {"ignore_nulls": True}}),
    ("count(*)", "len", (), {}),
    ("count(i)", "count", ("i",), {}),
    ("count(*) filter (where b)", "len", (), {"where": "b"}),
    ("count(distinct s)", "count", ("s",), {"distinct": True}),
    ("sum(i)", "sum", ("i",), {}),
    ("sum(i) filter (where b)", "sum", ("i",), {"where": "b"}),
    ("sum(distinct i)", "sum", ("i",), {"distinct": True}),
    ("count(distinct i) filter (where b)", "count", ("i",), {"distinct": True, "where": "b"}),
    ("count(distinct coalesce(i, -9))", "n_unique", ("i",), {}),
    ("sum(d)", "sum", ("d",), {}),
    ("sum(f)", "sum", ("f",), {}),
    ("avg(f)", "mean", ("f",), {}),
    ("avg(i)", "mean", ("i",), {}),
    ("min(i)", "min", ("i",), {}),
    ("max(f)", "max", ("f",), {}),
    ("min(s)", "min", ("s",), {}),
    ("max(d)", "max", ("d",), {}),
    ("bool_and(b)", "all", ("b",), {}),
    ("bool_or(b)", "any", ("b",), {}),
    ("bit_xor(i)", "bit_xor", ("i",), {}),
    ("product(i)", "product", ("i",), {}),
    ("stddev(i)", "std", ("i",), {}),
    ("var_pop(i)", "var", ("i",), {"options": {"ddof": 0}}),
    ("covar_pop(i, n)", "cov", ("i", "n"), {"options": {"ddof": 0}}),
    ("arg_min(s, n)", "min_by", ("s", "n"), {"options": {"ignore_nulls": True}}),
    ("arg_max(i, n)", "max_by", ("i", "n"), {"options": {"ignore_nulls": True}}),
    ("median(i)", "median", ("i",), {}),
    ("median(t)", "median", ("t",), {}),
    ("quantile_cont(n, 0.3)", "quantile", ("n",), {"options": {"q": 0.3}}),
    ("avg(distinct i)", "mean", ("i",), {"distinct": True}),
    ("quantile_disc(s, 0.4)", "quantile", ("s",), {"options": {"q": 0.4, "interpolation": "discrete"}}),
    ("list(i order by n)", "list", ("i",), {"argument_order": "n"}),
    ("string_agg(s, '+' order by n desc)", "string_agg", ("s",), {"options": {"separator": "+"}, "argument_order": "-n"}),
]  # fmt: skip

UNORDERED = ("lag", "lead", "first_value", "last_value", "nth_value", "ntile", "row_number")
BOUNDS = ["unbounded_preceding", "preceding", "current_row", "following", "unbounded_following"]
EXCLUSIONS = ["no_others", "current_row", "group", "ties"]
ORDERS = [["i"], ["f"], ["s", "i"], ["t"], ["u"], ["d"], ["n"], ["q", "b"]]
OFFSETS = {
    "i": ["2", "0", "1.5"],
    "f": ["0.5", "3.0"],
    "d": ["0.25", "1.75"],
    "t": ["interval 10 day", "interval 1 month", "interval 36 hour"],
    "u": ["interval 10 hour", "interval 1 month", "interval 1 day"],
    "n": ["5", "17"],
}

VALUES = {
    "interval 10 day": (0, 10, 0),
    "interval 1 month": (1, 0, 0),
    "interval 36 hour": (0, 0, 36 * 3600 * 10**9),
    "interval 10 hour": (0, 0, 10 * 3600 * 10**9),
    "interval 1 day": (0, 1, 0),
}


def offset_value(text):
    if text in VALUES:
        return pa.scalar(VALUES[text], pa.month_day_nano_interval())
    return pa.scalar(Decimal(text)) if "." in text else pa.scalar(int(text))


def random_frame(chance, order):
    """A frame as SQL and as ours; None for the default."""
    if chance.random() < 0.25:
        return "", None
    unit = chance.choice(["rows", "groups", "range"] if order else ["rows", "range"])
    kinds = BOUNDS
    measured = len(order) == 1 and order[0] in OFFSETS
    if unit == "range" and not measured:
        kinds = ["unbounded_preceding", "current_row", "unbounded_following"]
    start, end = sorted((chance.choice(kinds), chance.choice(kinds)), key=BOUNDS.index)
    if start == "unbounded_following":
        start = "current_row"
    if end == "unbounded_preceding":
        end = "current_row"
    bounds, texts = [], []
    for kind in (start, end):
        if kind in ("preceding", "following"):
            text = chance.choice(OFFSETS[order[0]]) if unit == "range" else chance.choice(["0", "1", "3"])
            bounds.append(Bound(kind, offset_value(text)))
            texts.append(f"{text} {kind}")
        else:
            bounds.append(Bound(kind))
            texts.append(kind.replace("_", " "))
    exclude = chance.choice(EXCLUSIONS) if chance.random() < 0.5 else "no_others"
    text = f"{unit} between {texts[0]} and {texts[1]} exclude {exclude.replace('_', ' ')}"
    return text, Frame(unit, *bounds, exclude)


def column(name):
    return Column(name, TYPES[name], True)


def random_window(seed):
    """One window in both languages."""
    chance = random.Random(seed)
    sql, function, args, more = FUNCTIONS[seed % len(FUNCTIONS)]
    partition = chance.choice([[], ["p"], ["q"], ["p", "q"], ["f"]])
    order = list(chance.choice(ORDERS)) if function in UNORDERED or chance.random() < 0.85 else []
    if function in UNORDERED:
        # A last key that decides: engines differ in which of equal rows comes first.
        order = [*[name for name in order if name != "n" and chance.random() < 0.6], "n"]
    frame_text, frame = (
        random_frame(chance, order) if "rank" not in function and function != "cume_dist" else ("", None)
    )
    if function in ("row_number", "ntile", "lag", "lead"):
        frame_text, frame = "", None
    flags = [(chance.random() < 0.4, chance.random() < 0.4) for _ in order]
    if frame is not None and frame.unit == "rows" and "n" not in order:
        order, flags = [*order, "n"], [*flags, (False, False)]
    keys = [SortKey(column(name), *flag) for name, flag in zip(order, flags, strict=True)]
    over = ["partition by " + ", ".join(partition)] if partition else []
    if order:
        parts = [
            f"{name}{' desc' if down else ' asc'} nulls {'first' if first else 'last'}"
            for name, (down, first) in zip(order, flags, strict=True)
        ]
        over.append("order by " + ", ".join(parts))
    over.append(frame_text)
    own = more.get("argument_order")
    call = window_call(
        function,
        [column(a) if isinstance(a, str) else literal(a) for a in args],
        [column(name) for name in partition],
        keys,
        frame,
        column(more["where"]) if "where" in more else None,
        distinct=more.get("distinct", False),
        options=more.get("options"),
        argument_order=[SortKey(column(own[-1]), own.startswith("-"))] if own else [],
    )
    return f"{sql} over ({' '.join(over)})", call


def comparable(value):
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value
    if isinstance(value, Decimal):
        return float(value)
    return value


def same(ours, theirs):
    if isinstance(ours, float) and isinstance(theirs, float | int):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    return ours == theirs


@pytest.mark.parametrize("seed", range(24))
def test_random_windows(seed, monkeypatch):
    # Whether frames are written out depends on how many rows they hold: here on the seed.
    monkeypatch.setattr("lazyframe.executors.vectorized.windows.aggregates._FEW_ROWS", 0 if seed % 2 else 1_000)
    source = table(seed)
    windows = [random_window(seed * 1000 + n) for n in range(25)]
    plan = Window(scan(MemorySource(source, "t")), tuple((f"w{n}", call) for n, (_, call) in enumerate(windows)))
    ours = LazyFrame(plan).collect().to_dict()
    t = source.append_column("row", pa.array(range(ROWS)))
    connection = duckdb.connect()
    connection.register("t", t)
    theirs = connection.sql(f"select {', '.join(sql for sql, _ in windows)} from t order by row").fetchall()
    for n, (sql, _) in enumerate(windows):
        for row, (a, b) in enumerate(zip(ours[f"w{n}"], [values[n] for values in theirs], strict=True)):
            assert same(comparable(a), comparable(b)), (
                f"row {row} of {sql}: {a!r}, not {b!r}\n{t.slice(row, 1).to_pylist()}"
            )
