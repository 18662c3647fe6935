"""Frames at their edges: keys that have no distance, distances beyond all numbers, layouts, and values joined over runs."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.sources.memory import MemorySource
from lazyframe.executors.vectorized.windows.frames import Pieces
from lazyframe.executors.vectorized.windows.monoids import FLOAT_SUM, MOMENTS, Join
from lazyframe.executors.vectorized.windows.partitions import Partitions
from lazyframe.executors.vectorized.windows.scan import running
from lazyframe.executors.vectorized.windows.tree import joined
from lazyframe.executors.vectorized.windows.wavelet import count_below, nth_smallest
from lazyframe.frame import LazyFrame
from lazyframe.planner.build.windows import window_call
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.frames import CURRENT, FIRST, LAST, Bound, Frame
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Window
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import Column, SortKey

NAN, INF = float("nan"), float("inf")


def computed(data, function, *args, **more):
    """The values of one window function over a table."""
    source = MemorySource(pa.table(data), "t")
    columns = {f.name: Column(f.name, f.dtype, f.nullable) for f in source.schema}
    order = [SortKey(columns[k.lstrip("-")], k.startswith("-")) for k in more.pop("order", ())]
    given = [columns[a] if isinstance(a, str) else literal(a) for a in args]
    call = window_call(function, given, [columns[p] for p in more.pop("partition", ())], order, **more)
    plan = Window(scan(source), (("w", call),))
    return LazyFrame(plan).collect().to_dict()["w"]


def around(kind, before, behind, exclude="no_others"):
    def bound(offset, direction):
        return Bound(direction, offset if isinstance(offset, pa.Scalar) else literal(offset).value)

    return Frame(kind, bound(before, "preceding"), bound(behind, "following"), exclude)


def test_nulls_and_nan_are_near_their_equals_alone():
    data = {"x": pa.array([1.0, None, NAN, INF, 2.0, NAN, None, -INF])}
    assert computed(data, "len", order=["x"], frame=around("range", 1.0, 1.0)) == [2, 2, 2, 1, 2, 2, 2, 1]
    assert computed(data, "len", order=["-x"], frame=around("range", 1.0, 1.0)) == [2, 2, 2, 1, 2, 2, 2, 1]
    # Where a side is unbounded, they are on it: the order is -inf 1 2 inf nan nan null null.
    to_the_end = Frame("range", Bound("preceding", pa.scalar(1.0)), LAST)
    assert computed(data, "len", order=["x"], frame=to_the_end) == [7, 2, 4, 5, 7, 4, 2, 8]
    assert computed(data, "len", order=["x"], frame=around("range", INF, 0.0)) == [2, 2, 2, 4, 3, 2, 2, 1]


def test_distances_that_overflow():
    low, high = -(2**63), 2**63 - 1
    data = {"x": pa.array([low, 0, high])}
    for frame, expected in (
        (around("range", 1, 1), [1, 1, 1]),
        (around("range", 2**63 - 1, 2**63 - 1), [1, 2, 2]),
        (around("range", 2**63, 2**63), [2, 3, 2]),
        (Frame("range", Bound("following", pa.scalar(1)), Bound("following", literal(2**70).value)), [2, 1, 0]),
    ):
        assert computed(data, "len", order=["x"], frame=frame) == expected
        assert computed(data, "len", order=["-x"], frame=frame)[1] == expected[1]
    unsigned = {"x": pa.array([0, 1, 2**63, 2**64 - 1], pa.uint64())}
    assert computed(unsigned, "len", order=["x"], frame=around("range", 1, 0)) == [1, 2, 1, 1]
    assert computed(unsigned, "len", order=["x"], frame=around("range", 2**63, 0)) == [1, 2, 3, 2]


def test_decimals_of_many_digits():
    wide = [Decimal("12345678901234567890123.10"), Decimal("12345678901234567890123.35"), None, Decimal("-1.00")]
    data = {"x": pa.array(wide, pa.decimal128(38, 2))}
    assert computed(data, "len", order=["x"], frame=around("range", Decimal("0.25"), 0)) == [1, 2, 1, 1]
    assert computed(data, "len", order=["x"], frame=around("range", Decimal("0.249"), 0)) == [1, 1, 1, 1]
    assert computed(data, "sum", "x", frame=around("rows", 1, 0)) == [
        wide[0], Decimal("24691357802469135780246.45"), wide[1], Decimal("-1.00"),
    ]  # fmt: skip
    assert computed(data, "mean", "x", frame=around("rows", 0, 3, "current_row"))[2] == Decimal("-1.00")


def test_times_of_day_and_durations():
    times = {"x": pa.array([datetime.time(0, 30), datetime.time(1), datetime.time(23, 59)], pa.time64("us"))}
    hour = pa.scalar((0, 0, 3600 * 10**9), pa.month_day_nano_interval())
    assert computed(times, "len", order=["x"], frame=around("range", hour, hour)) == [2, 2, 1]
    spans = {"x": pa.array([1, 2, 5], pa.duration("s"))}
    second = pa.scalar(datetime.timedelta(seconds=1))
    assert computed(spans, "len", order=["x"], frame=around("range", second, second)) == [2, 2, 1]


def test_offsets_beyond_the_partition():
    data = {"k": pa.array([1, 2, 1, 2, 1]), "x": pa.array([1, 2, 3, 4, 5])}
    huge = 2**63 - 1
    for unit in ("rows", "groups"):
        frame = around(unit, huge, huge)
        assert computed(data, "sum", "x", partition=["k"], order=["x"], frame=frame) == [9, 6, 9, 6, 9]
        before = Frame(unit, Bound("preceding", pa.scalar(huge)), Bound("preceding", pa.scalar(2)))
        assert computed(data, "sum", "x", partition=["k"], order=["x"], frame=before) == [None, None, None, None, 1]
        behind = Frame(unit, Bound("following", pa.scalar(2)), Bound("following", pa.scalar(huge)))
        assert computed(data, "sum", "x", partition=["k"], order=["x"], frame=behind) == [5, None, None, None, None]


def test_dictionaries_go_by_value_and_may_hold_null():
    words = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, 3, None]), pa.array(["b", None, "a", "b"]))
    data = {"x": words}
    assert computed(data, "row_number", order=["x"]) == [1, 2, 4, 3, 5]
    assert computed(data, "rank", order=["x"]) == [1, 2, 4, 2, 4]
    assert computed(data, "count", "x", frame=around("rows", 4, 4)) == [3] * 5
    assert computed(data, "max", "x", frame=around("rows", 1, 0)) == ["a", "b", "b", "b", "b"]
    assert computed(data, "lag", "x", options={"ignore_nulls": True}) == [None, "a", "b", "b", "b"]
    assert computed(data, "last_value", "x", options={"ignore_nulls": True}) == ["b"] * 5
    assert computed(data, "fill", "x") == ["a", "b", "b", "b", "b"]
    assert computed(data, "lead", "x", 1, pa.scalar("none")) == ["b", None, "b", None, "none"]


def test_zeros_and_nan_are_one_partition_each():
    data = {"x": pa.array([0.0, NAN, -0.0, float("-nan"), None, None])}
    assert computed(data, "len", partition=["x"]) == [2] * 6
    assert computed(data, "row_number", partition=["x"]) == [1, 1, 2, 2, 1, 2]


def test_a_bad_number_of_buckets_or_row_is_an_error():
    data = {"n": pa.array([1, 0])}
    with pytest.raises(EvaluationError, match="at least one bucket, not 0"):
        computed(data, "ntile", "n")
    with pytest.raises(EvaluationError, match="counts from 1, not 0"):
        computed(data, "nth_value", "n", "n")
    assert computed({"n": pa.array([2, None])}, "ntile", "n") == [1, None]
    assert computed({"n": pa.array([2, None])}, "nth_value", "n", "n") == [None, None]
    assert computed({"n": pa.array([7, 8]), "o": pa.array([None, -1])}, "lag", "n", "o", 9) == [None, 9]


def test_sums_of_frames_overflow_only_where_they_do():
    data = {"x": pa.array([2**62, 2**62, -(2**62), 5])}
    with pytest.raises(EvaluationError, match="sum overflows int64: 9223372036854775808"):
        computed(data, "sum", "x", frame=around("rows", 1, 0))
    assert computed(data, "sum", "x", frame=around("rows", 1, 1, "current_row"))[1:] == [0, 2**62 + 5, -(2**62)]


def test_values_joined_over_any_runs():
    """Texts show the order: each run is what stands there, whatever its ends."""
    letters = np.array(list("abcdefghijklm"), dtype=object)
    texts = Join(lambda a, b: (a[0] + b[0],), ((object, ""),))
    runs = [(lo, hi) for lo in range(14) for hi in range(lo, 14)]
    lo, hi = (np.array(side) for side in zip(*runs, strict=True))
    (found,) = joined(texts, (letters,), 13, Pieces([(lo, hi)], is_running=False))
    assert found.tolist() == ["abcdefghijklm"[a:b] for a, b in runs]
    twice = Pieces([(lo, hi), (np.zeros_like(lo), np.minimum(hi, 2))], is_running=False)
    (found,) = joined(texts, (letters,), 13, twice)
    assert found.tolist() == ["abcdefghijklm"[a:b] + "ab"[:b] for a, b in runs]


@pytest.mark.parametrize("count", [1, 2, 3, 10, 99, 100])
def test_values_joined_so_far(count):
    letters = np.array([chr(97 + n % 26) for n in range(count)], dtype=object)
    restarts = np.array([n == 0 or n % 7 == 3 or n in (40, 41) for n in range(count)])

    def combine(a, b):
        # Where there is no row there is no text either.
        return (np.where(a[0] == 0, "", a[0]) + np.where(b[0] == 0, "", b[0]),)

    (found,) = running((letters,), restarts, combine)
    expected, text = [], ""
    for letter, new in zip(letters, restarts, strict=True):
        text = letter if new else text + letter
        expected.append(text)
    assert found.tolist() == expected


def test_moments_joined_are_those_of_all():
    values = np.array([1e9 + 1, 1e9 + 2, 1e9 + 4, 1e9 + 8])
    leaves = (np.ones(4), values, np.zeros(4), np.zeros(4))
    (size,), (mean,), (rest,), (squares,) = joined(
        MOMENTS, leaves, 4, Pieces([(np.array([0]), np.array([4]))], is_running=False)
    )
    assert (size, mean, rest, squares) == (4.0, 1e9 + 3.75, 0.0, 28.75)


def test_variances_far_from_zero():
    """Of 10**15 and 10**15 + 1 in turn: each window of four has the variance 1/3, each of three 1/3 too."""
    data = {"x": pa.array([1e15, 1e15 + 1] * 50)}
    for before in (2, 3):
        found = computed(data, "var", "x", frame=around("rows", before, 0))
        assert found[before:] == pytest.approx([1 / 3] * (100 - before), rel=1e-12)
    running_ones = computed(data, "var", "x", frame=Frame("rows", FIRST, CURRENT))
    assert running_ones[-1] == pytest.approx(25 / 99, rel=1e-12)


def test_float_sums_lose_little():
    values = np.full(10_000, 0.1)
    lo, hi = np.array([0, 1]), np.array([10_000, 9_999])
    (found,) = joined(FLOAT_SUM, (values,), 10_000, Pieces([(lo, hi)], is_running=False))
    assert found.tolist() == pytest.approx([math.fsum(values), math.fsum(values[1:-1])], rel=1e-15)


def test_partitions_keep_the_order_of_equal_rows():
    keys, order = pa.array([2, 1, 2, 1, 2]), pa.array([5, 1, 4, 1, 5])
    rows = Partitions([keys], [order], [True], [False], 5)
    assert rows.order.tolist() == [0, 4, 2, 1, 3]
    assert rows.first.tolist() == [0, 0, 0, 3, 3]
    assert rows.stop.tolist() == [3, 3, 3, 5, 5]
    assert rows.peers_first.tolist() == [0, 0, 2, 3, 3]
    assert rows.peers_stop.tolist() == [2, 2, 3, 5, 5]


def test_the_current_row_is_its_peers():
    data = {"x": pa.array([1, 1, 2])}
    assert computed(data, "len", order=["x"], frame=Frame("range", CURRENT, CURRENT)) == [2, 2, 1]
    assert computed(data, "len", order=["x"], frame=Frame("rows", CURRENT, CURRENT)) == [1, 1, 1]
    assert computed(data, "len", order=["x"], frame=Frame("range", FIRST, CURRENT, "ties")) == [1, 1, 3]


def test_order_statistics_of_any_runs():
    chance = np.random.default_rng(1)
    numbers = chance.integers(0, 9, 40)
    lo = chance.integers(0, 41, 60)
    hi = np.minimum(lo + chance.integers(1, 12, 60), 40)
    lo = np.minimum(lo, hi - 1)
    again = (np.zeros_like(lo), np.minimum(lo, 3))
    for runs in ([(lo, hi)], [again, (lo, hi)]):
        frames = Pieces(runs, is_running=False)
        wanted = chance.integers(0, 1 << 30, 60) % frames.sizes
        last = frames.sizes - 1
        (found, greatest) = nth_smallest(numbers, 9, frames, [wanted, last])
        for row in range(60):
            held = sorted(int(n) for a, b in runs for n in numbers[a[row] : b[row]])
            assert (found[row], greatest[row]) == (held[wanted[row]], held[-1])
    bounds = chance.integers(0, 12, 60)
    below = count_below(numbers, lo, hi, bounds)
    assert below.tolist() == [int((numbers[a:b] < c).sum()) for a, b, c in zip(lo, hi, bounds, strict=True)]


@pytest.mark.parametrize("few", [0, 1_000])
def test_medians_with_nan_and_of_nothing(few, monkeypatch):
    monkeypatch.setattr("lazyframe.executors.vectorized.windows.aggregates._FEW_ROWS", few)
    data = {"x": pa.array([NAN, 1.0, None, 3.0, -INF])}
    assert str(computed(data, "median", "x", frame=around("rows", 1, 0))) == "[nan, nan, 1.0, 3.0, -inf]"
    assert computed({"x": pa.array([None, None], pa.int64())}, "median", "x", frame=around("rows", 1, 0)) == [None] * 2
    words = {"x": pa.array(["b", "a", None, "c"]).dictionary_encode()}
    lower = {"q": 0.5, "interpolation": "lower"}
    assert computed(words, "quantile", "x", frame=around("rows", 2, 0), options=lower) == ["b", "a", "a", "a"]
    assert computed(words, "n_unique", "x", frame=around("rows", 2, 0)) == [1, 2, 3, 3]
