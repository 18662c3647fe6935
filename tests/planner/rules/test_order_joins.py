"""The order of joins: few rows first, no products where there are equalities, and the same rows as in any order."""

from __future__ import annotations

import time
from collections import Counter
from textwrap import dedent

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe.executors.sources.memory import MemorySource
from lazyframe.frame import LazyFrame
from lazyframe.planner.formatting import format_plan
from lazyframe.planner.graph import postorder
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Join, Plan, Project
from lazyframe.planner.relations.project import column
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sources import ColumnStatistics, ScanReport, Statistics
from lazyframe.session import execute
from tests.planner.rules.harness import NAN, alone

col = lf.col


class Table:
    """A source that knows how many rows it has and which values its columns may have, and has none to read."""

    def __init__(self, name: str, rows: int | None, columns: dict[str, int | None]) -> None:
        self.name = name
        self.schema = Schema([Field(n, pa.int64()) for n in columns])
        known = {n: ColumnStatistics(minimum=1, maximum=most) for n, most in columns.items() if most is not None}
        self._statistics = Statistics(rows=rows, columns=known)

    def identity(self) -> tuple[object, ...]:
        return ("table", self.name)

    def statistics(self) -> Statistics:
        return self._statistics

    def report(self, columns, predicate) -> ScanReport:
        return ScanReport()


def table(name: str, rows: int | None, *names: str, **columns: int | None) -> LazyFrame:
    return LazyFrame(scan(Table(name, rows, {**dict.fromkeys(names), **columns})))


def comma(*frames: LazyFrame, ordered: bool = False, **options) -> LazyFrame:
    """All combinations of rows, as `FROM a, b, c` has them."""
    plan = frames[0]._plan
    for frame in frames[1:]:
        plan = Join(plan, frame._plan, "cross", ordered=ordered, **options)
    return LazyFrame(plan)


def equal(*pairs: tuple[str, str]) -> lf.Expr:
    found = col(pairs[0][0]) == col(pairs[0][1])
    for a, b in pairs[1:]:
        found = found & (col(a) == col(b))
    return found


def joins(plan: Plan) -> list[Join]:
    return [node for node in postorder(plan) if isinstance(node, Join)]


customer = table("customer", 150_000, "c_custkey", c_nationkey=25)
orders = table("orders", 1_500_000, "o_orderkey", "o_custkey", o_orderdate=2400)
lineitem = table("lineitem", 6_000_000, "l_orderkey", l_partkey=200_000, l_suppkey=10_000, l_price=None)
supplier = table("supplier", 10_000, "s_suppkey", s_nationkey=25)
part = table("part", 200_000, "p_partkey", p_type=150)
partsupp = table("partsupp", 800_000, ps_partkey=200_000, ps_suppkey=10_000)
region = table("region", 5, "r_regionkey", r_name=5)


def nation(prefix: str) -> LazyFrame:
    frame = table("nation", 25, "n_nationkey", n_regionkey=5, n_name=25)
    return frame.rename({name: prefix + name[1:] for name in frame.columns})


QUESTIONS = {
    "local supplier volume": comma(customer, orders, lineitem, supplier, nation("n"), region).filter(
        equal(
            ("c_custkey", "o_custkey"), ("l_orderkey", "o_orderkey"), ("l_suppkey", "s_suppkey"),
            ("c_nationkey", "s_nationkey"), ("s_nationkey", "n_nationkey"), ("n_regionkey", "r_regionkey"),
        )
        & (col("r_name") == 3) & (col("o_orderdate") >= 800) & (col("o_orderdate") < 1100)
    ),
    "national market share": comma(
        part, supplier, lineitem, orders, customer, nation("n1"), nation("n2"), region
    ).filter(
        equal(
            ("p_partkey", "l_partkey"), ("s_suppkey", "l_suppkey"), ("l_orderkey", "o_orderkey"),
            ("o_custkey", "c_custkey"), ("c_nationkey", "n1_nationkey"), ("n1_regionkey", "r_regionkey"),
            ("s_nationkey", "n2_nationkey"),
        )
        & (col("r_name") == 1) & col("o_orderdate").is_between(1100, 1800) & (col("p_type") == 77)
    ),
    "product type profit": comma(part, supplier, lineitem, partsupp, orders, nation("n")).filter(
        equal(
            ("s_suppkey", "l_suppkey"), ("ps_suppkey", "l_suppkey"), ("ps_partkey", "l_partkey"),
            ("p_partkey", "l_partkey"), ("o_orderkey", "l_orderkey"), ("s_nationkey", "n_nationkey"),
        )
        & (col("p_type") < 20)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_products_of_tables_become_joins_by_keys(name):
    query = QUESTIONS[name]
    plan = optimize(query._plan, check=True)
    found = joins(plan)
    assert len(found) == len(joins(query._plan))
    assert all(join.kind == "inner" and join.left_keys and join.condition is None for join in found)
    pairs = [pair for join in found for pair in zip(join.left_keys, join.right_keys, strict=True)]
    assert len(pairs) == {"local supplier volume": 6, "national market share": 7, "product type profit": 6}[name]
    assert plan.schema == query.schema


def test_few_rows_come_first():
    plan = optimize(QUESTIONS["local supplier volume"].select("l_price", "n_name")._plan, check=True)
    # Suppliers of the region before the line items, and these before the customers, of whom each nation has many.
    assert [sorted(join.right.schema.names) for join in joins(plan)][:2] == [["r_regionkey"], ["n_name", "n_nationkey"]]


def test_a_chain_from_its_smallest_end():
    a, b, c = table("a", 1_000_000, "a1", a2=1000), table("b", 1000, "b1", "b2"), table("c", 10, "c1", c2=10)
    query = comma(a, b, c).filter(equal(("a2", "b1"), ("b2", "c1")))
    result, _ = alone("order_joins", optimize(query._plan, disable=["order_joins"]))
    assert format_plan(result) == dedent(
        """\
        Join inner on a2 == b1
          Scan a [a1, a2]
          Join inner on b2 == c1
            Scan b [b1, b2]
            Scan c [c1, c2]"""
    )


def test_a_product_only_where_nothing_is_equal():
    a, b, c = table("a", 1000, "a1"), table("b", 10, "b1"), table("c", 20, "c1")
    plan = optimize(comma(a, b, c).filter((col("a1") == col("c1")) & (col("b1") < col("c1")))._plan, check=True)
    assert format_plan(plan) == dedent(
        """\
        Project a1, b1, c1
          Join inner if b1 < c1
            Join inner on a1 == c1
              Scan a [a1]
              Scan c [c1]
            Scan b [b1]"""
    )
    assert [join.kind for join in joins(optimize(comma(a, b, c)._plan, check=True))] == ["cross", "cross"]


def test_an_equality_of_three_relations_is_a_key_once_two_are_joined():
    a, b, c = table("a", 50, "a1", "a2"), table("b", 20, "b1", "b2"), table("c", 100_000, "c1")
    total = col("a2").cast("float64") + col("b2").cast("float64")
    query = comma(c, a, b).filter((col("a1") == col("b1")) & (total == col("c1").cast("float64")))
    assert format_plan(optimize(query._plan, disable=["push_join_filters"], check=True)) == dedent(
        """\
        Join inner on cast(c1 as float64) == cast(a2 as float64) + cast(b2 as float64)
          Scan c [c1]
          Join inner on a1 == b1
            Scan a [a1, a2]
            Scan b [b1, b2]"""
    )


def chain(size: int, *, star: bool) -> LazyFrame:
    frames = [table(f"t{n}", 10 ** (2 + n % 5), f"t{n}_key", f"t{n}_other") for n in range(size)]
    pairs = [(f"t{0 if star else n - 1}_other", f"t{n}_key") for n in range(1, size)]
    return comma(*frames).filter(equal(*pairs))


@pytest.mark.parametrize("star", [False, True])
def test_many_relations_take_milliseconds(star):
    plan = optimize(chain(17, star=star)._plan, disable=["order_joins"])
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        result = optimize(plan)
        best = min(best, time.process_time() - start)
    assert all(join.left_keys for join in joins(result))
    assert best < 0.05


@pytest.mark.parametrize(
    "query",
    [
        comma(orders, customer, lineitem, ordered=True).filter(equal(("o_custkey", "c_custkey"))),
        comma(orders, customer),
    ],
    ids=["the order of rows is promised", "two relations"],
)
def test_stays_as_it_is(query):
    _, trace = alone("order_joins", query._plan)
    assert trace == []


def chained(*kinds: str, **options) -> LazyFrame:
    """(orders join customer) join nation, of those kinds."""
    first = Join(
        orders._plan, customer._plan, kinds[0],
        (column(orders._plan.schema, "o_custkey"),), (column(customer._plan.schema, "c_custkey"),), ordered=False, **options,
    )  # fmt: skip
    names = nation("n")._plan
    return LazyFrame(
        Join(
            first, names, kinds[1], (column(first.schema, "c_nationkey"),), (column(names.schema, "n_nationkey"),),
            ordered=False,
        )
    )  # fmt: skip


def test_joins_of_any_order_are_taken_apart_but_for_full_ones():
    for kinds in (("inner", "inner"), ("inner", "left"), ("inner", "semi")):
        assert [firing.rule for firing in alone("order_joins", chained(*kinds)._plan)[1]] == ["order_joins"], kinds
    for query in (chained("full", "inner"), chained("inner", "full"), chained("inner", "inner", validate="m:1")):
        assert alone("order_joins", query._plan)[1] == []


def test_a_join_that_uses_what_a_left_join_fills_comes_after_it():
    # Customers of a nation are few, but orders without a customer must not be lost.
    query = chained("left", "inner")
    assert [join.kind for join in joins(alone("order_joins", query._plan)[0])] == ["left", "inner"]
    assert alone("order_joins", chained("inner", "inner", nulls_equal=True)._plan)[1] == []


def test_what_may_raise_or_is_volatile_stays_where_it_is():
    for predicate in (col("o_orderkey") // col("c_custkey") > 1, (lf.random() < 0.5) & (col("c_custkey") > 1)):
        query = LazyFrame(comma(orders, customer).filter(predicate)._plan)
        plan = Join(query._plan, region._plan, "cross", ordered=False)
        assert alone("order_joins", plan)[1] == []


def test_a_join_that_is_used_twice_is_computed_once():
    both = comma(orders, customer).filter(equal(("o_custkey", "c_custkey")))._plan
    renamed = Project(both, tuple((f"{f.name}2", column(both.schema, f.name)) for f in both.schema))
    plan = Join(Join(both, renamed, "cross", ordered=False), region._plan, "cross", ordered=False)
    result = optimize(LazyFrame(plan).filter(equal(("o_orderkey", "o_orderkey2")))._plan, check=True)
    assert [join.schema.names for join in joins(result)].count(both.schema.names) == 1


VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, NAN, None])
NUMBERS = st.sampled_from([0, 1, 2, 2**53, 2**53 + 1, None])


@st.composite
def questions(draw) -> LazyFrame:
    """Some small tables, and equalities and comparisons between any of their columns."""
    count = draw(st.integers(3, 5))
    frames, floats, integers = [], [], []
    for n in range(count):
        size = draw(st.integers(0, 4))
        data = {
            f"x{n}": pa.array(draw(st.lists(VALUES, min_size=size, max_size=size)), pa.float64()),
            f"i{n}": pa.array(draw(st.lists(NUMBERS, min_size=size, max_size=size)), pa.int64()),
            f"j{n}": pa.array(range(size), pa.int64()),
        }
        frames.append(LazyFrame(scan(MemorySource(pa.table(data), f"t{n}"))))
        floats.append(f"x{n}")
        integers += [f"i{n}", f"j{n}"]
    query = comma(*frames)
    conditions = []
    for _ in range(draw(st.integers(1, 6))):
        names = draw(st.sampled_from([floats, integers, [*floats, *integers]]))
        a, b = (col(draw(st.sampled_from(names))) for _ in range(2))
        shape = draw(st.sampled_from(["equal", "equal", "equal", "less", "least", "or"]))
        c = col(draw(st.sampled_from(integers)))
        conditions.append(
            {
                "equal": lambda a=a, b=b: a == b,
                "less": lambda a=a, b=b: a <= b,
                "least": lambda a=a, b=b, c=c: lf.coalesce(a, b).cast("float64") == c.cast("float64"),
                "or": lambda a=a, b=b, c=c: (a == b) | (c == 1),
            }[shape]()
        )
    cut = draw(st.integers(0, len(conditions)))
    for condition in conditions[:cut]:
        query = query.filter(condition)
    return query.filter(*conditions[cut:]) if conditions[cut:] else query


@given(questions())
def test_any_order_gives_the_same_rows(query):
    def rows(plan: Plan, optimized: bool) -> Counter[str]:
        return Counter(repr(row) for row in execute(plan, optimize=optimized).to_pylist())

    wanted = rows(query._plan, False)
    assert rows(query._plan, True) == wanted
    plan = optimize(query._plan, check=True)
    assert plan.schema == query.schema
    assert Counter(map(repr, execute(plan, optimize=False).to_pylist())) == wanted
