"""Wrong answers that engines gave by moving a filter or a limit too far, or by sharing what was not the same."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col


def column(frame: lf.LazyFrame, name: str) -> list:
    return frame.to_dict()[name]


def test_a_filter_does_not_pass_a_limit():
    k = lf.from_dict({"k": [4, 2, 5, 1, 3]})
    assert column(k.sort("k").head(3).filter(col("k") > 2), "k") == [3]
    assert column(k.head(3).filter(col("k") > 2), "k") == [4, 5]
    assert column(k.tail(2).filter(col("k") > 2), "k") == [3]
    assert column(k.slice(1, 3).filter(col("k") > 2), "k") == [5]
    assert column(k.top_k(3, by="k").filter(col("k") < 5), "k") == [4, 3]
    assert column(k.with_row_index().filter(col("k") > 3), "index") == [0, 2]
    assert column(k.sample(n=3, seed=1).filter(col("k") > 0), "k") == column(k.sample(n=3, seed=1), "k")


def test_a_filter_does_not_pass_one_that_holds_an_aggregate():
    x = lf.from_dict({"x": [1, 2, 4]})
    chain = x.filter(col("x") > 1).filter(col("x") == col("x").min()).filter(col("x") > 3)
    assert column(chain, "x") == []
    assert column(x.with_columns(m=col("x").min()).filter(col("x") > 1), "m") == [1, 1]


def test_a_filter_does_not_pass_shift_and_interpolation():
    x = lf.from_dict({"x": [1, None, 3, 4]})
    assert column(x.shift(1).filter(col("x") == 3), "x") == [3]
    assert column(x.interpolate().filter(col("x") == 2), "x") == [2.0]
    assert column(x.reverse().head(1).filter(col("x") < 4), "x") == []


def test_a_filter_after_a_join_means_the_left_column():
    left = lf.from_dict({"a": [1, 2], "x": ["l1", "l2"]})
    right = lf.from_dict({"b": [1, 2], "a": [2, 1]})
    joined = left.join(right, left_on="a", right_on="b")
    assert joined.filter(col("a") == 1).to_dicts() == [{"a": 1, "x": "l1", "a_right": 2}]
    assert joined.filter(col("a_right") == 1).to_dicts() == [{"a": 2, "x": "l2", "a_right": 1}]
    assert joined.rename({"a": "c", "a_right": "a"}).filter(col("a") == 1).to_dicts() == [{"c": 2, "x": "l2", "a": 1}]
    renamed = left.rename({"a": "x", "x": "a"}).filter(col("x") == 1)
    assert renamed.to_dicts() == [{"x": 1, "a": "l1"}]


@pytest.fixture
def people():
    return lf.from_dict({"id": [1, 2, 3], "age": [10, 20, 30]})


@pytest.fixture
def pets():
    return lf.from_dict({"owner": [1, 1, 2], "pet": ["cat", "dog", None]})


def test_a_filter_on_the_side_of_an_outer_join_that_may_be_null(people, pets):
    joined = people.join(pets, left_on="id", right_on="owner", how="left")
    assert column(joined.filter(col("pet").is_null()), "id") == [2, 3]
    assert column(joined.filter((col("pet") == "cat") | col("pet").is_null()), "id") == [1, 2, 3]
    assert column(joined.filter(col("pet") == "cat"), "id") == [1]
    full = people.join(pets, left_on="id", right_on="owner", how="full")
    assert column(full.filter(col("pet").is_null()), "id") == [2, 3]
    right = pets.join(people, left_on="owner", right_on="id", how="right")
    assert column(right.filter(col("pet").is_null()).sort("age"), "age") == [20, 30]


def test_a_join_condition_on_the_preserved_side_filters_nothing(people, pets):
    on = (col("id") == col("owner")) & (col("age") > 15)
    assert people.join(pets, on=on, how="left").select("id", "pet").to_dicts() == [
        {"id": 1, "pet": None}, {"id": 2, "pet": None}, {"id": 3, "pet": None},
    ]  # fmt: skip
    assert column(people.join(pets, on=on, how="anti"), "id") == [1, 3]
    assert column(people.join(pets, on=on, how="semi"), "id") == [2]
    false = (col("id") == col("owner")) & (col("age") > 100)
    full = people.join(pets, on=false, how="full").select("id", "owner").to_dicts()
    assert full == [{"id": n, "owner": None} for n in (1, 2, 3)] + [{"id": None, "owner": n} for n in (1, 1, 2)]


def test_or_in_the_condition_of_a_left_join(people, pets):
    on = (col("id") == col("owner")) | (col("age") == 30)
    assert people.join(pets, on=on, how="left").select("id", "pet").to_dicts() == [
        {"id": 1, "pet": "cat"}, {"id": 1, "pet": "dog"}, {"id": 2, "pet": None},
        {"id": 3, "pet": "cat"}, {"id": 3, "pet": "dog"}, {"id": 3, "pet": None},
    ]  # fmt: skip


def test_random_conditions_stay_where_they_are():
    many = lf.from_dict({"k": [0] * 1000})
    grouped = many.group_by("k").agg(n=lf.len()).filter(lf.random() < 0.5)
    assert {row["n"] for _ in range(20) for row in grouped.to_dicts()} <= {1000}
    doubled = many.head(10).join(lf.from_dict({"k": [0], "v": [1]}), on="k").with_columns(r=lf.random())
    assert doubled.filter(col("r") >= 0).count() == 10


def test_both_ends_of_a_wide_range_are_found_by_a_join():
    wanted = lf.from_dict({"v": [10_000_000, 1]})
    values = lf.from_arrow(pa.table({"v": pa.array(range(1, 10_000_001), pa.int64())}))
    assert column(values.join(wanted, on="v", how="semi"), "v") == [1, 10_000_000]
    assert values.filter((col("v") == 1) | (col("v") == 10_000_000)).count() == 2


def test_a_limit_does_not_pass_a_filter(tmp_path):
    pq.write_table(pa.table({"x": list(range(100))}), tmp_path / "x.parquet", row_group_size=10)
    x = lf.scan_parquet(tmp_path / "x.parquet")
    assert column(x.filter(col("x") % 30 == 29).head(2), "x") == [29, 59]
    assert column(x.with_columns(y=col("x") % 30).filter(col("y") == 29).head(2), "x") == [29, 59]


def test_inequality_joins_with_nulls_in_any_order_of_conditions():
    left = lf.from_dict({"a": [1, None, 3, 5], "b": [2, 2, None, 0]})
    right = lf.from_dict({"c": [2, None, 4], "d": [1, 1, None]})
    conditions = [col("a") < col("c"), col("b") > col("d"), col("c") > 0]
    expected = [(1, 2, 2, 1)]
    for chosen in itertools.permutations(conditions):
        found = left.join(right, on=list(chosen)).to_dicts()
        assert [tuple(row.values()) for row in found] == expected


def test_volatile_expressions_are_neither_merged_nor_copied():
    one = lf.from_dict({"x": [1]})
    row = one.select(a=lf.random(), b=lf.random()).to_dicts()[0]
    assert row["a"] != row["b"]
    row = one.select(r=lf.random()).select(a="r", b="r").to_dicts()[0]
    assert row["a"] == row["b"]
    row = one.with_columns(r=lf.random()).with_columns(s=col("r") + 0, t=col("r") * 1).to_dicts()[0]
    assert row["r"] == row["s"] == row["t"]
    drawn = lf.from_dict({"x": list(range(200))}).with_columns(r=lf.random())
    kept = drawn.filter(col("r") < 0.5).to_dict()["r"]
    assert all(r < 0.5 for r in kept)
    assert len(set(drawn.to_dict()["r"])) == 200
    twice = lf.concat([one.select(r=lf.random())] * 2)
    assert twice.count() == 2


def test_branches_of_one_scan_each_see_their_filter(tmp_path):
    table = pa.table({"k": [1, 2, 3, 4], "v": [10, 20, 30, 40]})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=1)
    for frame in (lf.from_arrow(table), lf.scan_parquet(tmp_path / "t.parquet")):
        small, large = frame.filter(col("k") <= 2), frame.filter(col("k") >= 2)
        assert column(lf.concat([small, large]), "k") == [1, 2, 2, 3, 4]
        assert small.join(large, on="k").to_dicts() == [{"k": 2, "v": 20, "v_right": 20}]
        first, second = lf.collect_all([small.select("v"), large.select("k")])
        assert (column(first, "v"), column(second, "k")) == ([10, 20], [2, 3, 4])
        sliced = lf.concat([frame.head(1), frame.tail(1), frame.slice(1, 2)])
        assert column(sliced, "k") == [1, 4, 2, 3]


def test_queries_that_differ_in_the_column_counted_only():
    frame = lf.from_dict(
        {"b": [n if n % 2 else None for n in range(100)], "c": [n if n % 3 == 0 else None for n in range(100)]}
    )
    b, c = frame.select(n=col("b").count()), frame.select(n=col("c").count())
    assert column(lf.concat([b, c]), "n") == [50, 34]
    assert frame.select(b=col("b").count(), c=col("c").count()).to_dicts() == [{"b": 50, "c": 34}]
    with_where = frame.select(
        b=lf.len().filter(col("b").is_not_null()), c=lf.len().filter(col("c").is_not_null()), all=lf.len()
    )
    assert with_where.to_dicts() == [{"b": 50, "c": 34, "all": 100}]


def test_an_error_in_rows_that_nobody_asked_for(tmp_path):
    table = pa.table({"s": ["1", "2", "3", "4", "oops"]})
    pq.write_table(table, tmp_path / "s.parquet", row_group_size=1)
    frame = lf.scan_parquet(tmp_path / "s.parquet").select(col("s").cast("int64"))
    assert column(frame.head(1), "s") == [1]
    with pytest.raises(lf.errors.EvaluationError):
        frame.to_arrow()
    guarded = lf.from_arrow(table).filter(col("s") != "oops").filter(col("s").cast("int64") > 2)
    assert column(guarded, "s") == ["3", "4"]


def test_a_guard_is_evaluated_before_what_it_guards():
    frame = lf.from_dict({"x": [6, 7, 8], "y": [2, 0, 4]})
    assert column(frame.filter(col("y") != 0).filter(col("x") // col("y") > 2), "x") == [6]
    assert column(frame.filter((col("y") != 0) & (col("x") // col("y") > 2)), "x") == [6]
    assert column(frame.select(q=lf.when(col("y") != 0).then(col("x") // col("y"))), "q") == [3, None, 2]
    joined = frame.filter(col("y") != 0).join(lf.from_dict({"x": [6, 7, 8]}), on="x").filter(col("x") // col("y") == 3)
    assert column(joined, "x") == [6]
    assert column(frame.filter(col("y") != 0).with_columns(q=col("x") // col("y")).filter(col("q") == 2), "x") == [8]
