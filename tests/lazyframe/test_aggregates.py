"""Every aggregate, against values worked out by hand; over groups, over all rows, over none, filtered and ordered."""

from __future__ import annotations

import datetime
import decimal
import math

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

D = decimal.Decimal
X, Y, S, B = col("x"), col("y"), col("s"), col("b")
# Two groups: x = 4, 1, null, 1 and x = 9.
FRAME = lf.from_dict(
    {
        "k": ["p", "p", "p", "p", "q"],
        "x": [4, 1, None, 1, 9],
        "y": [1.0, 2.0, 3.0, 4.0, 5.0],
        "s": ["d", "a", None, "b", "c"],
        "b": [True, None, False, True, None],
    }
)
# What has no spread has no correlation: 0 / 0.
NOTHING = pytest.approx(math.nan, nan_ok=True)

CASES = [
    (X.count(), [3, 1]),
    (X.len(), [4, 1]),
    (X.n_unique(), [3, 1]),
    (X.approx_n_unique(), [2, 1]),
    (X.null_count(), [1, 0]),
    (X.sum(), [6, 9]),
    (X.mean(), [2.0, 9.0]),
    (X.min(), [1, 9]),
    (X.max(), [4, 9]),
    (S.min(), ["a", "c"]),
    (S.max(), ["d", "c"]),
    (X.product(), [4, 9]),
    # Deviations 2, -1, -1: squares add up to 6.
    (X.var(), [3.0, None]),
    (X.var(ddof=0), [2.0, 0.0]),
    (X.std(), [math.sqrt(3), None]),
    (X.std(ddof=0), [math.sqrt(2), 0.0]),
    (X.median(), [1.0, 9.0]),
    (X.quantile(0.75), [2.5, 9.0]),
    (X.quantile(0.75, "lower"), [1, 9]),
    (X.quantile(0.75, "higher"), [4, 9]),
    (X.quantile(0.75, "midpoint"), [2.5, 9.0]),
    (X.quantile(0.0), [1.0, 9.0]),
    (X.quantile(1.0), [4.0, 9.0]),
    (X.mode(), [1, 9]),
    (X.first(), [4, 9]),
    (X.last(), [1, 9]),
    (S.first(order_by="y"), ["d", "c"]),
    (S.first(order_by=lf.desc("y")), ["b", "c"]),
    (S.last(order_by=["x", "y"]), [None, "c"]),
    (S.last(order_by=["x", "y"], ignore_nulls=True), ["d", "c"]),
    (B.first(), [True, None]),
    (X.min_by("y"), [4, 9]),
    (S.max_by("x"), ["d", "c"]),
    (S.min_by("x"), ["a", "c"]),
    (B.any(), [True, None]),
    (B.all(), [False, None]),
    (X.implode(), [[4, 1, None, 1], [9]]),
    (X.implode(order_by="y"), [[4, 1, None, 1], [9]]),
    (X.implode(order_by=lf.desc("y")), [[1, None, 1, 4], [9]]),
    (S.string_agg(), ["d,a,b", "c"]),
    (S.string_agg("; "), ["d; a; b", "c"]),
    (S.string_agg("", order_by="s"), ["abd", "c"]),
    # x: 4, 1, 1 (mean 2); y: 1, 2, 4 (mean 7/3): sum of products -2*4/3... = (2)(-4/3) + (-1)(-1/3) + (-1)(5/3) = -4.
    (X.cov(Y), [-2.0, None]),
    (X.cov("y", ddof=0), [pytest.approx(-4 / 3), 0.0]),
    (Y.corr("y"), [pytest.approx(1.0), NOTHING]),
    (lf.corr("x", "y"), [pytest.approx(-4 / math.sqrt(6 * (16 / 9 + 1 / 9 + 25 / 9))), NOTHING]),
    # Third moment 2 (8-1-1)/3, variance 2: 2 / 2^1.5. Fourth moment (16+1+1)/3 = 6: 6/4 - 3.
    (X.skew(), [pytest.approx(2 / 2**1.5), NOTHING]),
    (X.kurtosis(), [pytest.approx(-1.5), NOTHING]),
    # Frequencies 1/3 and 2/3.
    (X.entropy(), [pytest.approx(math.log2(3) - 2 / 3), 0.0]),
    (X.entropy(base=math.e), [pytest.approx(math.log(3) - 2 / 3 * math.log(2)), 0.0]),
    (lf.len(), [4, 1]),
    (lf.count(), [4, 1]),
    (lf.count("x"), [3, 1]),
    (lf.sum("x"), [6, 9]),
    (lf.mean("x"), [2.0, 9.0]),
    (lf.min("x"), [1, 9]),
    (lf.max("x"), [4, 9]),
    (lf.first("x"), [4, 9]),
    (lf.last("x"), [1, 9]),
    (lf.n_unique("x"), [3, 1]),
    # Restricted rows, before or after the aggregate.
    (X.sum().filter(Y > 1), [2, 9]),
    (X.filter(Y > 1).sum(), [2, 9]),
    (X.filter(Y > 1, Y < 4).sum(), [1, None]),
    (X.filter(Y > 1).filter(Y < 4).sum(), [1, None]),
    (X.count().filter(X > 100), [0, 0]),
    (lf.len().filter(X == 1), [2, 0]),
    (X.filter(X == 1).len(), [2, 0]),
    (X.sum().alias("t").filter(Y > 1), [2, 9]),
    (X.sum().distinct(), [5, 9]),
    (X.count().distinct(), [2, 1]),
    (X.implode().distinct(), [[4, 1, None], [9]]),
    (S.first().order_by("y", descending=True), ["b", "c"]),
    (S.first().order_by("x", "y", descending=[False, True]), ["b", "c"]),
    (S.implode().order_by("s", nulls_first=True), [[None, "a", "b", "d"], ["c"]]),
    (S.string_agg("").alias("t").order_by("s"), ["abd", "c"]),
    # Arithmetic of and in aggregates.
    ((X * 2).sum(), [12, 18]),
    (X.sum() / X.count(), [2.0, 9.0]),
    ((X > 1).sum(), [1, 1]),
    ((X > 3).sum() - (X < 3).sum(), [-1, 1]),
]


@pytest.mark.parametrize(("aggregate", "expected"), CASES, ids=[repr(case[0])[:70] for case in CASES])
def test_in_groups(answer, aggregate, expected):
    assert answer(FRAME.group_by("k").agg(aggregate.alias("r"))) == {"k": ["p", "q"], "r": expected}


@pytest.mark.parametrize(("aggregate", "expected"), CASES, ids=[repr(case[0])[:70] for case in CASES])
def test_over_all_rows(answer, aggregate, expected):
    assert answer(FRAME.filter(col("k") == "p").select(aggregate.alias("r"))) == {"r": expected[:1]}


@pytest.mark.parametrize(("aggregate", "expected"), CASES, ids=[repr(case[0])[:70] for case in CASES])
def test_over_rows_read_one_by_one(aggregate, expected, in_parts):
    frame = in_parts(FRAME.to_dict())
    assert frame.group_by("k").agg(aggregate.alias("r")).to_dict()["r"] == expected


@pytest.mark.parametrize(
    "aggregate",
    [X.sum(), X.mean(), X.min(), X.max(), X.product(), X.var(), X.std(), X.median(), X.quantile(0.5), X.mode(), X.first(),
     X.last(), X.min_by("y"), X.max_by("y"), B.any(), B.all(), S.string_agg(), X.corr("y"), X.cov("y"), X.skew(),
     X.kurtosis(), X.implode()],
    ids=repr,
)  # fmt: skip
def test_over_no_rows_is_null(answer, aggregate):
    assert answer(FRAME.head(0).select(aggregate.alias("r"))) == {"r": [None]}


@pytest.mark.parametrize(
    "aggregate", [X.count(), X.len(), lf.len(), X.n_unique(), X.approx_n_unique(), X.null_count()], ids=repr
)
def test_counts_over_no_rows_are_zero(answer, aggregate):
    frame = FRAME.head(0).select(aggregate.alias("r"))
    assert answer(frame) == {"r": [0]}
    assert not frame.schema.field("r").nullable


def test_sums_are_exact_and_wide(answer):
    ints = lf.from_dict({"x": [2**31 - 1, 2**31 - 1]}, {"x": "int32"})
    assert answer(ints.select(X.sum())) == {"x": [4294967294]}
    unsigned = lf.from_dict({"x": [2**63, 5]}, {"x": "uint64"})
    assert answer(unsigned.select(X.sum())) == {"x": [2**63 + 5]}
    assert unsigned.select(X.sum()).schema["x"] == pa.uint64()
    money = lf.from_dict({"x": [D("0.10"), D("0.20")]}, {"x": "decimal(5,2)"})
    assert answer(money.select(X.sum())) == {"x": [D("0.30")]}
    assert money.select(X.sum()).schema["x"] == pa.decimal128(38, 2)
    assert answer(money.select(X.mean())) == {"x": [D("0.150000000000")]}
    assert money.select(X.mean()).schema["x"] == pa.decimal128(38, 12)
    assert answer(lf.from_dict({"x": [True, True, False, None]}).select(X.sum())) == {"x": [2]}
    assert answer(lf.from_dict({"x": [1e16, 1.0, -1e16]}).select(X.sum())) in ({"x": [1.0]}, {"x": [0.0]})


def test_sum_that_does_not_fit_is_an_error():
    with pytest.raises(lf.errors.EvaluationError, match="overflow"):
        lf.from_dict({"x": [2**63 - 1, 1]}).select(X.sum()).collect()


def test_nan_is_the_greatest(answer):
    nan = float("nan")
    assert math.isnan(lf.from_dict({"x": [nan, 1.0]}).select(X.max()).item())
    assert lf.from_dict({"x": [nan, 1.0]}).select(X.min()).item() == 1.0
    assert math.isnan(lf.from_dict({"x": [nan, nan]}).select(X.min()).item())


def test_dates_have_extremes_and_order(answer):
    days = [datetime.date(2024, 1, 31), None, datetime.date(2024, 1, 1)]
    frame = lf.from_dict({"d": days})
    assert answer(frame.select(a=col("d").min(), b=col("d").max(), n=col("d").n_unique())) == {
        "a": [days[2]], "b": [days[0]], "n": [3],
    }  # fmt: skip


def test_histogram(answer):
    frame = lf.from_dict({"x": [0.0, 1.0, 2.0, 10.0]})
    (found,) = answer(frame.select(X.histogram(bins=2).alias("h")))["h"]
    assert [tuple(part.values())[-1] for part in found] == [3, 1]


def test_aggregates_of_several_columns():
    frame = lf.from_dict({"a": [1, 2], "b": [3, 5]})
    assert frame.select(lf.sum("a", "b")).to_dict() == {"a": [3], "b": [8]}
    assert frame.select(lf.max("a", "b")).to_dict() == {"a": [2], "b": [5]}


def test_aggregates_by_name():
    frame = lf.from_dict({"x": [1.0, 2.0, 4.0], "b": [True, True, False]})
    found = frame.select(
        m=lf.median("x"),
        p=lf.product("x"),
        s=lf.std("x", ddof=0),
        v=lf.var("x", ddof=0),
        q=lf.quantile("x", 0.25),
        a=lf.all("b"),
    ).to_dicts()
    variance = ((1 - 7 / 3) ** 2 + (2 - 7 / 3) ** 2 + (4 - 7 / 3) ** 2) / 3
    assert found == [
        {"m": 2.0, "p": 8.0, "s": pytest.approx(variance**0.5), "v": pytest.approx(variance), "q": 1.5, "a": False}
    ]
