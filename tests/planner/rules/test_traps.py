"""Wrong answers that other engines gave when they moved a filter, a limit or a column: each with the plan that avoids it.

Their answers alone are in `tests/traps` and `tests/sql/traps.slt`, run as users run them.
"""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.errors import EvaluationError
from lazyframe.frame import LazyFrame, concat
from lazyframe.planner.graph import postorder
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Aggregate, Filter, Scan
from lazyframe.session import execute
from tests.planner.rules.harness import NAN, frame, parquet, t

col = lf.col
k = frame("k", {"k": pa.array([1, 2, 3, 4, 5])})
x = frame("x", {"x": pa.array([1, 2, 4])})
left = frame("l", {"a": pa.array([1, 2, 3]), "p": pa.array([5, 6, None])})
right = frame("r", {"b": pa.array([1, 2]), "y": pa.array([None, 7])})
nulls = frame("n", {"n": pa.array([3, None])})


def answer(query: LazyFrame) -> list[dict[str, object]]:
    """The rows, optimised with all checks; and they are those of the plan as it was written."""
    plan = query._plan
    found = execute(optimize(plan, check=True), optimize=False)
    assert repr(found.to_pylist()) == repr(execute(plan, optimize=False).to_pylist())
    return found.to_pylist()


def sql(text: str) -> LazyFrame:
    return lf.sql(text, k=k, x=x, l=left, r=right, n=nulls)


def asked(query: LazyFrame) -> list[tuple[str, str]]:
    """What is asked of each scan, in the order of their names."""
    scans = {id(node): node for node in postorder(optimize(query._plan, check=True)) if isinstance(node, Scan)}
    return sorted(
        [(scan.source.name, "" if scan.predicate is None else repr(scan.predicate)) for scan in scans.values()]
    )


def stand(query: LazyFrame, *nodes: str) -> bool:
    """Whether nodes whose text begins so stand in the optimised plan, each below the one before."""
    lines = [line.strip() for line in repr(optimize(query._plan, check=True)).splitlines()]
    rest = iter(lines)
    return all(any(line.startswith(node) for line in rest) for node in nodes)


def test_a_filter_does_not_pass_a_limit():
    assert answer(k.sort("k").head(3).filter(col("k") > 2)) == [{"k": 3}]
    assert answer(k.sort("k", descending=True).slice(1, 3).filter(col("k") > 3)) == [{"k": 4}]
    assert stand(k.sort("k").head(3).filter(col("k") > 2), "Filter k > 2", "TopK 3 by k", "Scan k [k]")
    assert stand(k.head(3).filter(col("k") > 2), "Filter k > 2", "Limit 3", "Scan k [k] limit 3")
    assert stand(k.tail(3).filter(col("k") < 5), "Filter k < 5", "Tail 3", "Scan k [k]")


def test_a_filter_does_not_pass_one_that_holds_an_aggregate():
    query = x.filter(col("x") > 1).filter(col("x") == col("x").min()).filter(col("x") > 3)
    assert answer(query) == []
    assert answer(x.filter(col("x") > 1).filter(col("x") == col("x").min())) == [{"x": 2}]
    # The least is of all rows for which x > 1, whatever comes later.
    (least,) = [node for node in postorder(optimize(query._plan)) if isinstance(node, Aggregate)]
    assert repr(least) == "Aggregate min(x) as agg\n  Scan x [x] where x > 1"


def test_a_name_that_both_sides_have_means_the_left_one():
    one = frame("one", {"a": pa.array([1, 2]), "p": pa.array(["l1", "l2"])})
    two = frame("two", {"b": pa.array([1, 2]), "a": pa.array([2, 1])})
    joined = one.join(two, left_on="a", right_on="b", coalesce=False, suffix="_r")
    assert answer(joined.filter(col("a") == 1).select("a", "a_r")) == [{"a": 1, "a_r": 2}]
    assert answer(joined.filter(col("a_r") == 1).select("a", "a_r")) == [{"a": 2, "a_r": 1}]
    assert ("one", "a == 1") in asked(joined.filter(col("a") == 1))
    assert ("two", "a == 1") not in asked(joined.filter(col("a") == 1))
    assert ("two", "a == 1") in asked(joined.filter(col("a_r") == 1))
    assert ("one", "a == 1") not in asked(joined.filter(col("a_r") == 1))


def test_a_name_given_anew_means_the_new_column():
    assert answer(k.select(k=10 - col("k")).filter(col("k") == 9)) == [{"k": 9}]


def test_a_filter_on_the_side_filled_with_nulls_stays_above():
    joined = left.join(right, left_on="a", right_on="b", how="left", coalesce=False)
    missing, either = joined.filter(col("y").is_null()), joined.filter((col("y") == 7) | col("b").is_null())
    assert answer(missing.select("a")) == [{"a": 1}, {"a": 3}]
    assert answer(either.select("a")) == [{"a": 2}, {"a": 3}]
    for query in (missing, either):
        assert stand(query, "Filter", "Join left on a == b")
        assert asked(query) == [("l", ""), ("r", "")]


def test_a_condition_on_the_preserved_side_does_not_filter_it():
    joined = left.join(right, on=(col("a") == col("b")) & (col("a") > 1), how="left").select("a", "b")
    assert answer(joined) == [{"a": 1, "b": None}, {"a": 2, "b": 2}, {"a": 3, "b": None}]
    assert ("l", "") in asked(joined)
    both = left.join(right, on=(col("a") == col("b")) & (col("a") > 1) & (col("b") < 2), how="full").select("a", "b")
    assert sorted(map(repr, answer(both))) == sorted(
        map(repr, [{"a": n, "b": None} for n in (1, 2, 3)] + [{"a": None, "b": n} for n in (1, 2)])
    )
    assert asked(both) == [("l", ""), ("r", "")]


def test_or_in_the_condition_of_a_left_join_is_of_both_sides():
    query = sql("select a, b from l left join r on a = b or p > 5 order by a, b")
    assert answer(query) == [{"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 2, "b": 2}, {"a": 3, "b": None}]
    assert stand(query, "Join left if a == b | p > 5")
    assert asked(query) == [("l", ""), ("r", "")]


def test_a_filter_passes_a_window_only_by_its_partitions():
    before = sql("select k, p from (select k, lag(k) over (order by k) as p from k) where k > 3")
    assert answer(before) == [{"k": 4, "p": 3}, {"k": 5, "p": 4}]
    assert stand(before, "Filter k > 3", "Window lag(k)")
    assert asked(before) == [("k", "")]
    two = sql(
        "select k from (select k, count(*) over (partition by k) a, sum(k) over () b from k) where k > 3 and b = 15"
    )
    assert answer(two) == [{"k": 4}, {"k": 5}]
    assert asked(two) == [("k", "")]
    assert asked(sql("select * from (select k, count(*) over (partition by k) as n from k) where k > 3")) == [
        ("k", "k > 3")
    ]


def test_random_conditions_stay_above_windows_and_groups():
    window = sql("select n from (select k, count(*) over (partition by k) as n from k) where random() < 0.5 and k > 2")
    assert stand(window, "Filter random() < 0.5 & k > 2", "Window len()")
    groups = sql("select n from (select k % 2 as g, count(*) as n from k group by g) where random() < 0.5")
    assert stand(groups, "Filter random() < 0.5", "Aggregate len()")
    for query, possible in ((window, {1}), (groups, {2, 3})):
        assert {row["n"] for _ in range(9) for row in execute(optimize(query._plan)).to_pylist()} <= possible
        assert asked(query) == [("k", "")]


def test_what_a_join_learns_of_a_side_is_all_of_it():
    """Wanted values at both ends of a range of many row groups, and in batches of their own."""
    many = parquet(lf.from_arrow(pa.table({"v": pa.array(range(1, 10_001))})).lazy(), "many", 100)
    wanted = parquet(lf.from_dict({"w": [10_000, 1]}).lazy(), "wanted", 1)
    joined = many.join(wanted, left_on="v", right_on="w", coalesce=False).select("v")
    assert execute(joined._plan).to_pylist() == [{"v": 1}, {"v": 10_000}]
    assert many.filter((col("v") == 1) | (col("v") == 10_000)).to_dict() == {"v": [1, 10_000]}
    in_sql = lf.sql("select v from many where v in (select w from wanted)", many=many, wanted=wanted)
    assert sorted(in_sql.to_dict()["v"]) == [1, 10_000]


def test_a_limit_does_not_pass_a_filter():
    assert answer(k.filter(col("k") > 3).head(1)) == [{"k": 4}]
    assert answer(k.sort("k").filter(col("k") > 3).head(1)) == [{"k": 4}]
    assert stand(k.filter(col("k") > 3).head(1), "Limit 1", "Scan k [k] where k > 3")
    assert "limit" not in repr(optimize(k.filter(col("k") > 3).head(1)._plan))
    kept = k.with_row_index().filter(col("index") > 2).head(1)
    assert answer(kept) == [{"index": 3, "k": 4}]
    assert stand(kept, "Limit 1", "Filter index > 2", "RowIndex", "Scan k [k]")


def test_comparisons_of_two_sides_in_any_order():
    one = frame("one", {"a": pa.array([1, None, 3, 5]), "b": pa.array([2, 2, None, 0])})
    two = frame("two", {"c": pa.array([2, None, 4]), "d": pa.array([1, 1, None])})
    conditions = [col("a") < col("c"), col("b") > col("d"), col("c") > 0]
    for order in itertools.permutations(conditions):
        joined = one.join(two, on=list(order))
        assert answer(joined) == [{"a": 1, "b": 2, "c": 2, "d": 1}]
        assert stand(joined, "Join inner if", "Scan one [a, b]")
        assert ("two", "c > 0") in asked(joined)


def test_volatile_columns_are_neither_merged_nor_copied():
    once = k.select(r=lf.random()).select(a=col("r"), b=col("r"))
    assert [row["a"] == row["b"] for row in execute(optimize(once._plan, check=True), optimize=False).to_pylist()] == [
        True
    ] * 5
    kept = k.select("k", r=lf.random()).filter(col("r") < 0.5)
    assert all(row["r"] < 0.5 for row in execute(optimize(kept._plan, check=True), optimize=False).to_pylist())


def test_two_random_columns_are_two_and_one_is_one():
    two = sql("select random() as a, random() as b from k")
    assert stand(two, "Project random() as a, random() as b")
    assert all([row["a"] != row["b"] for row in execute(optimize(two._plan)).to_pylist()])
    one = sql("select r as a, r as b from (select random() as r from k)")
    assert repr(optimize(one._plan)).count("random()") == 1
    assert all([row["a"] == row["b"] for row in execute(optimize(one._plan)).to_pylist()])


def test_branches_that_share_a_volatile_column_see_the_same_numbers():
    drawn = k.select("k", r=lf.random())
    both = drawn.filter(col("k") > 2).join(drawn.rename({"k": "k2", "r": "r2"}), left_on="k", right_on="k2")
    found = execute(optimize(both._plan, check=True), optimize=False).to_pylist()
    assert len(found) == 3
    assert all(row["r"] == row["r2"] for row in found)


def test_branches_of_one_scan_see_their_own_filters():
    scanned = k.filter(col("k") > 1)
    query = concat([scanned.filter(col("k") < 3), scanned.filter(col("k") > 4), scanned])
    assert [row["k"] for row in answer(query)] == [2, 5, 2, 3, 4, 5]
    predicates = [repr(n.predicate) for n in postorder(optimize(query._plan)) if isinstance(n, Scan)]
    assert sorted(predicates) == ["k > 1", "k > 1 & k < 3", "k > 4"]


def test_subqueries_that_differ_in_the_column_counted_are_two():
    query = sql("select (select count(a) from l) as a, (select count(p) from l) as p")
    assert answer(query) == [{"a": 3, "p": 2}]
    plan = optimize(query._plan, disable=["answer_from_metadata"])
    counts = [str(node.aggregates[0][1]) for node in postorder(plan) if isinstance(node, Aggregate)]
    assert len(set(counts)) == 2


def test_a_filter_does_not_take_a_costly_shared_plan_apart():
    grouped = t.group_by("c").agg(n=col("a").sum())
    query = concat([grouped.filter(col("c") == "x"), grouped.filter(col("n") > 1)])
    assert len(answer(query)) == 5
    plan = optimize(query._plan)
    assert repr(plan).count("Aggregate") == 1
    assert len([n for n in postorder(plan) if isinstance(n, Filter)]) == 2


def test_an_error_in_rows_nobody_asked_for():
    text = frame("text", {"s": pa.array(["1", "2", "3", "4", "x"])})
    query = text.select(n=col("s").cast("int64"))
    assert query.head(1).collect().to_dicts() == [{"n": 1}]
    assert query.slice(1, 2).collect().to_dicts() == [{"n": 2}, {"n": 3}]
    with pytest.raises(EvaluationError):
        query.tail(1).collect()


def test_a_filter_above_guards_a_filter_and_a_column():
    data = frame("data", {"n": pa.array([6, 7, 8]), "y": pa.array([2, 0, 4])})
    guarded = data.filter(col("y") != 0)
    assert answer(guarded.filter(col("n") // col("y") > 1).select("n")) == [{"n": 6}, {"n": 8}]
    assert answer(guarded.with_columns(q=col("n") // col("y")).filter(col("q") > 2).select("q")) == [{"q": 3}]
    assert answer(guarded.sort("n").filter(col("n") // col("y") > 2).select("n")) == [{"n": 6}]
    with pytest.raises(EvaluationError):
        data.filter(col("n") // col("y") > 1).collect()


def test_not_in_a_subquery_with_null_is_never_true():
    """What is known of the one side must not take the null from the other."""
    assert answer(sql("select k from k where 1 not in (select n from n)")) == []
    both = sql("select k from k where k <> 1 and k not in (select n from n)")
    assert answer(both) == []
    assert not {predicate for table, predicate in asked(both) if table == "n"} & {"n != 1", "n is not null"}
    assert answer(sql("select k from k where k <> 1 and k not in (select n from n where n is not null)")) == [
        {"k": 2}, {"k": 4}, {"k": 5},
    ]  # fmt: skip


def test_a_list_with_null_keeps_it():
    for text in ("k <> 1 and k not in (null)", "k not in (null) and k <> 1", "k <> 1 and k not in (1, null)"):
        assert answer(sql(f"select k from k where {text}")) == []
    assert answer(sql("select k from k where not (k = 1 or k in (2, null))")) == []


def test_the_first_of_a_sort_with_nulls_last():
    query = sql("select p from l order by p desc nulls last limit 1")
    assert answer(query) == [{"p": 6}]
    assert stand(query, "TopK 1 by p desc", "Scan l [p]")
    # A filter that leaves nulls out is not made of an order that has them last.
    assert answer(sql("select p from l order by p desc nulls last limit 3")) == [{"p": 6}, {"p": 5}, {"p": None}]
    assert answer(sql("select p from l order by p nulls first limit 1")) == [{"p": None}]


@pytest.mark.parametrize("group", [1, 2, 3])
def test_statistics_do_not_know_of_nan(group):
    """The least and the greatest value of a row group leave NaN out: 3 and NaN are not all 3."""
    values = parquet(frame("values", {"v": pa.array([3.0, NAN, 3.0])}), f"nan{group}", group)
    for predicate in (col("v") != 3, col("v") > 3, ~(col("v") <= 3), col("v") == NAN):
        assert [repr(row) for row in answer(values.filter(predicate))] == ["{'v': nan}"]
    assert repr(values.select(l=col("v").min(), m=col("v").max()).to_dicts()) == "[{'l': 3.0, 'm': nan}]"
