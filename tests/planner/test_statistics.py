"""Row estimates: rough, but of the right kind, and never from data."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.frame import LazyFrame, concat
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Filter, Plan
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sources import ColumnStatistics, ScanReport, Statistics
from lazyframe.planner.statistics import EQUALITY, OTHER, RANGE, estimate

col = lf.col


class Table:
    """A source that knows its statistics and has no rows to read."""

    def __init__(self, name: str, statistics: Statistics) -> None:
        self.name = name
        self.schema = Schema([Field("a", pa.int64()), Field("c", pa.string()), Field("xs", pa.list_(pa.int64()))])
        self._statistics = statistics

    def identity(self) -> tuple[object, ...]:
        return ("table", self.name)

    def statistics(self) -> Statistics:
        return self._statistics

    def report(self, columns, predicate) -> ScanReport:
        return ScanReport()


COLUMNS = {"a": ColumnStatistics(minimum=0, maximum=100, nulls=50, distinct=20)}
known = LazyFrame(scan(Table("known", Statistics(rows=1000, columns=COLUMNS))))
small = LazyFrame(scan(Table("small", Statistics(rows=10)))).rename({"a": "k", "c": "v", "xs": "ys"})
unknown = LazyFrame(scan(Table("unknown", Statistics())))


def rows(query: LazyFrame, *, optimized: bool = True) -> float | None:
    return estimate(optimize(query._plan) if optimized else query._plan)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (known, 1000),
        (known.filter(col("a") < 25), 250),
        (known.filter(lf.lit(25) > col("a")), 250),
        (known.filter(col("a") >= 25), 750),
        (known.filter(col("a") > 200), 0),
        (known.filter(col("a") == 3), 50),
        (known.filter(col("a") != 3), 950),
        (known.filter(col("a").is_in([1, 2, 3])), 150),
        (known.filter(col("a").is_null()), 50),
        (known.filter(col("a").is_not_null()), 950),
        (known.filter(col("c") == "x"), 1000 * EQUALITY),
        (known.filter(col("c") > "x"), 1000 * RANGE),
        (known.filter(col("c").str.starts_with("x")), 1000 * OTHER),
        (known.filter(col("a") < 50, col("c") == "x"), 500 * EQUALITY),
        (known.filter((col("a") < 50) | (col("c") == "x")), 500 + 1000 * EQUALITY),
        (known.head(7), 7),
        (known.slice(995, 10), 5),
        (known.tail(3), 3),
        (known.sort("a").head(4), 4),
        (known.sample(n=20, seed=1), 20),
        (known.sample(fraction=0.5, seed=1), 500),
        (known.select(n=lf.len()), 1),
        (concat([known, known.head(5)]), 1005),
        (known.join(small, how="cross"), 10_000),
        (known.join(small, left_on="a", right_on="k"), 475),
        (known.join(small, left_on="a", right_on="k", how="full"), 1000),
        (unknown, None),
        (unknown.filter(col("a") > 1), None),
        (unknown.head(9), 9),
        (unknown.select(n=lf.len()), 1),
    ],
)
def test_estimates(query, wanted):
    assert rows(query) == (wanted if wanted is None else pytest.approx(wanted))


def test_groups_are_fewer_than_rows():
    assert 1 < rows(known.group_by("c").agg(n=lf.len())) < 1000


def test_a_chain_is_estimated_once_a_node():
    plan: Plan = known._plan
    predicate = known.filter(col("c") == "x")._plan.predicate
    started = time.process_time()
    for _ in range(20_000):
        plan = Filter(plan, predicate)
        assert estimate(plan) is not None
    assert time.process_time() - started < 10


class TestJoinsByKeys:
    """Each row of one side has `rows of the other / different keys` partners."""

    products = LazyFrame(scan(Table("products", Statistics(rows=200)))).rename({"a": "p", "c": "kind", "xs": "tags"})
    sales = LazyFrame(
        scan(Table("sales", Statistics(rows=10_000, columns={"a": ColumnStatistics(minimum=1, maximum=50)})))
    )

    def test_every_reference_finds_its_row(self):
        assert rows(self.sales.join(small, left_on="a", right_on="k")) == 10_000

    def test_a_filter_of_the_referenced_side_leaves_its_share(self):
        few = self.products.filter(col("kind") == "x")
        assert rows(few) == 200 * EQUALITY
        assert rows(
            few.join(self.products.rename({"p": "q", "kind": "l", "tags": "r"}), left_on="p", right_on="q")
        ) == (200 * EQUALITY)

    def test_the_bounds_of_integers_bound_how_many_they_are(self):
        # 50 different values at most, so that each product of 200 has 200 partners.
        assert rows(self.products.join(self.sales, left_on="p", right_on="a")) == 200 * 10_000 / 50

    def test_columns_of_one_table_have_no_more_values_together_than_rows(self):
        two = {"left_on": ["p", "kind"], "right_on": ["a", "c"]}
        assert rows(self.products.join(self.sales, **two)) == 200 * 10_000 / 200

    def test_a_key_that_is_computed_is_any_value(self):
        other = self.products.rename({"p": "q", "kind": "l", "tags": "r"})
        assert rows(self.products.join(other, left_on=col("p") + 1, right_on="q")) == 200
