"""A part may be left out only where no row of it can match: checked by hand and against every small table."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lazyframe.executors.sources.parquet import ParquetSource
from lazyframe.executors.sources.pruning import may_match
from lazyframe.planner.scalars import FALSE, TRUE, Call, Cast, Column, Literal, null_of
from lazyframe.planner.sources import ColumnStatistics

X = Column("x", pa.int64(), True)
F = Column("x", pa.float64(), True)
S = Column("x", pa.string(), True)


def lit(value, dtype=None):
    return Literal(pa.scalar(value, dtype))


def call(function, *args, **options):
    return Call(function, args, tuple(options.items()))


def known(lower, upper, nulls=0):
    return {"x": ColumnStatistics(lower, upper, nulls)}


@pytest.mark.parametrize(("function", "value", "kept"), [
    ("equal", 9, False), ("equal", 10, True), ("equal", 20, True), ("equal", 21, False),
    ("not_equal", 9, True), ("less", 10, False), ("less", 11, True), ("less_equal", 10, True), ("less_equal", 9, False),
    ("greater", 20, False), ("greater", 19, True), ("greater_equal", 20, True), ("greater_equal", 21, False),
    ("equal", 9.5, False), ("equal", 10.5, True), ("less", Decimal("10.0"), False), ("less", Decimal("10.5"), True),
])  # fmt: skip
def test_comparisons_with_bounds(function, value, kept):
    assert may_match(call(function, X, lit(value)), known(10, 20), 5) is kept


def test_sides_may_be_swapped_and_columns_compared():
    assert not may_match(call("less", lit(20), X), known(10, 20), 5)
    other = Column("y", pa.int64(), True)
    both = {"x": ColumnStatistics(1, 5, 0), "y": ColumnStatistics(6, 9, 0)}
    assert not may_match(call("greater", X, other), both, 5)
    assert may_match(call("less", X, other), both, 5)


def test_one_value_differs_from_none_but_itself():
    assert not may_match(call("not_equal", X, lit(3)), known(3, 3), 5)
    assert may_match(call("not_equal", X, lit(4)), known(3, 3), 5)


@pytest.mark.parametrize("function", ["greater", "greater_equal", "not_equal"])
def test_nan_is_greater_than_what_the_bounds_tell(function):
    assert may_match(call(function, F, lit(3.0)), known(3.0, 3.0), 5)
    assert may_match(call(function, F, lit(100.0)), known(3.0, 3.0), 5)


def test_nan_itself():
    assert may_match(call("equal", F, lit(math.nan)), known(3.0, 3.0), 5)
    assert may_match(call("not", call("less", F, lit(100.0))), known(3.0, 3.0), 5)
    assert may_match(call("not", call("less_equal", F, lit(3.0))), known(3.0, 3.0), 5)
    assert not may_match(call("equal", F, lit(100.0)), known(3.0, 3.0), 5)
    assert not may_match(call("less", F, lit(3.0)), known(3.0, 3.0), 5)
    assert may_match(call("less", F, lit(3.0)), known(math.nan, math.nan), 5)
    assert may_match(call("greater", F, lit(3.0)), {}, 5)


def test_zero_is_zero_whatever_its_sign():
    assert may_match(call("equal", F, lit(-0.0)), known(0.0, 0.0), 5)
    assert may_match(call("equal", F, lit(0.0)), known(-0.0, -0.0), 5)
    assert not may_match(call("less", F, lit(0.0)), known(-0.0, 1.0), 5)


def test_a_decimal_and_a_float_may_be_compared_as_floats():
    x = Column("x", pa.decimal128(9, 2), True)
    assert may_match(call("equal", x, lit(0.1)), known(Decimal("0.10"), Decimal("0.10")), 5)
    assert not may_match(call("equal", x, lit(0.2)), known(Decimal("0.10"), Decimal("0.10")), 5)


def test_nulls():
    assert not may_match(call("equal", X, lit(1)), {"x": ColumnStatistics(nulls=5)}, 5)
    assert not may_match(call("not", call("equal", X, lit(1))), {"x": ColumnStatistics(nulls=5)}, 5)
    assert may_match(call("is_null", X), known(1, 2, 1), 5)
    assert not may_match(call("is_null", X), known(1, 2, 0), 5)
    assert may_match(call("is_null", X), known(1, 2, None), 5)
    assert not may_match(call("is_not_null", X), {"x": ColumnStatistics(nulls=5)}, 5)
    assert not may_match(call("is_null", Column("x", pa.int64(), False)), {}, 5)
    assert not may_match(call("equal", X, null_of(pa.int64())), {}, 5)
    assert may_match(call("equal_missing", X, null_of(pa.int64())), known(1, 2, 1), 5)
    assert not may_match(call("equal_missing", X, null_of(pa.int64())), known(1, 2, 0), 5)


def test_and_or_not():
    low, high = call("less", X, lit(0)), call("greater", X, lit(0))
    assert not may_match(call("and", low, high), known(1, 5), 5)
    assert may_match(call("or", low, high), known(1, 5), 5)
    assert may_match(call("not", low), known(1, 5), 5)
    assert not may_match(call("not", high), known(1, 5), 5)
    assert not may_match(FALSE, {}, 5)
    assert not may_match(TRUE, {}, 0)
    assert not may_match(null_of(pa.bool_()), {}, 5)


def test_is_in():
    assert not may_match(call("is_in", X, values=pa.array([1, 30])), known(10, 20), 5)
    assert may_match(call("is_in", X, values=pa.array([1, 15])), known(10, 20), 5)
    assert may_match(call("not", call("is_in", X, values=pa.array([1]))), known(1, 1, 0), 5) is True
    assert may_match(call("is_in", F, values=pa.array([math.nan])), known(1.0, 2.0), 5)


def test_strings_dates_and_instants():
    assert not may_match(call("equal", S, lit("b")), known("c", "d"), 5)
    assert may_match(call("greater", S, lit("é")), known("a", "🙂"), 5)
    day = Column("x", pa.date32(), True)
    assert not may_match(
        call("less", day, lit(dt.date(2024, 1, 1))), known(dt.date(2024, 1, 1), dt.date(2024, 2, 1)), 5
    )
    midnight = Cast(day, pa.timestamp("us"))
    noon = lit(dt.datetime(2024, 1, 1, 12), pa.timestamp("us"))  # noqa: DTZ001
    assert may_match(call("less", midnight, noon), known(dt.date(2024, 1, 1), dt.date(2024, 2, 1)), 5)
    assert not may_match(call("less", midnight, noon), known(dt.date(2024, 1, 2), dt.date(2024, 2, 1)), 5)
    paris = Column("x", pa.timestamp("ns", "Europe/Paris"), True)
    at = Literal(pa.scalar(dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)).cast(pa.timestamp("ns", "Europe/Paris")))
    hour = dt.timedelta(hours=1)
    noon_utc = dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)
    assert not may_match(call("greater", paris, at), known(noon_utc - hour, noon_utc), 5)
    assert may_match(call("greater_equal", paris, at), known(noon_utc - hour, noon_utc), 5)


@pytest.mark.parametrize(("lower", "upper", "start", "kept", "kept_by_not"), [
    ("aa", "az", "ab", True, True), ("aa", "az", "b", False, True), ("b", "c", "ab", False, True),
    ("aba", "abz", "ab", True, False), ("ab", "ab", "abc", False, True), ("abcd", "b", "abc", True, True),
    ("ab\uffff", "ab\U0001f600", "ab", True, False), ("a", "b", "", True, False), (None, "ab", "ac", False, True),
    ("ac", None, "ab", False, True), (None, None, "ab", True, True), ("a\U0010ffff", "b", "a\U0010ffff", True, True),
])  # fmt: skip
def test_texts_that_start_with_a_text(lower, upper, start, kept, kept_by_not):
    begins = call("starts_with", S, lit(start))
    assert may_match(begins, known(lower, upper), 5) is kept
    assert may_match(call("not", begins), known(lower, upper), 5) is kept_by_not
    assert may_match(call("like", S, lit(start + "_%")), known(lower, upper), 5) is kept
    assert may_match(call("not", call("like", S, lit(start + "_%"))), known(lower, upper), 5)


def test_starts_of_nulls():
    assert not may_match(call("starts_with", S, lit("a")), {"x": ColumnStatistics(nulls=5)}, 5)
    assert may_match(call("is_null", call("starts_with", S, lit("a"))), {"x": ColumnStatistics(nulls=5)}, 5)
    assert may_match(call("starts_with", S, S), known("a", "b"), 5)


def test_first_characters():
    first = call("substr", S, lit(1), lit(2))
    assert not may_match(call("equal", first, lit("zz")), known("aaa", "yyy"), 5)
    assert may_match(call("equal", first, lit("yy")), known("aaa", "yyy"), 5)
    assert not may_match(call("is_in", first, values=pa.array(["ab", "zz"])), known("aca", "yyy"), 5)
    assert may_match(call("equal", call("substr", S, lit(2), lit(2)), lit("zz")), known("aaa", "yyy"), 5)


def test_what_is_not_understood_may_match():
    assert may_match(call("equal", call("add", X, lit(1)), lit(0)), known(1, 1), 5)
    assert may_match(call("less", X, lit(0)), {"x": ColumnStatistics("text", "text", 0)}, 5)
    assert may_match(Column("b", pa.bool_(), True), {}, 5)
    assert not may_match(Column("b", pa.bool_(), True), {"b": ColumnStatistics(False, False, 0)}, 5)


def test_a_long_chain_does_not_recurse():
    chain = call("equal", X, lit(0))
    for value in range(1, 5000):
        chain = call("or", chain, call("equal", X, lit(value)))
    assert may_match(chain, known(4000, 4000), 5)
    assert not may_match(chain, known(6000, 6000), 5)


VALUES = [None, math.nan, -1.0, -0.0, 0.0, 2.0]
COMPARISONS = {
    "equal": lambda c: c == 0, "not_equal": lambda c: c != 0, "less": lambda c: c < 0,
    "less_equal": lambda c: c <= 0, "greater": lambda c: c > 0, "greater_equal": lambda c: c >= 0,
}  # fmt: skip


def order(a, b):
    """The engine's total order, written down apart from the code under test: NaN equals NaN and is the greatest."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) - math.isnan(b)
    return (a > b) - (a < b)


def compared(function, a, b):
    return None if a is None or b is None else COMPARISONS[function](order(a, b))


def test_no_row_of_any_small_file_is_lost(tmp_path):
    """Every column of up to two values, written to Parquet, under every comparison and its negation."""
    for number, column in enumerate(itertools.product(VALUES, repeat=2)):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table({"x": pa.array(column, pa.float64())}), path)
        source = ParquetSource(path)
        for function, value, negated in itertools.product(COMPARISONS, VALUES, (False, True)):
            predicate = call(function, F, lit(value, pa.float64()))
            truths = [compared(function, x, value) for x in column]
            if negated:
                predicate = call("not", predicate)
                truths = [None if t is None else not t for t in truths]
            if any(truths):
                assert source.splits(["x"], predicate), (column, function, value, negated)
