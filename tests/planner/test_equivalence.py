"""Plans that are one but for names, and plans that are not."""

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.planner.equivalence import are_equivalent

A = lf.from_dict({"k": [1, 2, 2], "x": [1.0, 2.0, 3.0], "s": ["a", "b", "c"]})
B = lf.from_dict({"k": [2, 3], "y": [5, 6]})


@pytest.mark.parametrize(
    ("fluent", "text"),
    [
        (A.filter(col("x") > 1).select("s"), "select s from A where x > 1"),
        (A.select(y=col("x") + 1).filter(col("y") > 2), "select x + 1 as y from A where x + 1 > 2"),
        (A.group_by("k").agg(n=lf.len(), x=col("x").sum()), "select k, count(*) as n, sum(x) as x from A group by k"),
        (
            A.group_by("k").agg(x=col("x").mean().round(1)).sort("x", descending=True),
            "select k, round(avg(x), 1) as x from A group by k order by x desc",
        ),
        (A.join(B, on="k").select("s", "y"), "select s, y from A join B using (k)"),
        (A.join(B, on="k", how="left").select("y", "k"), "select b.y, a.k from A a left join B b on a.k = b.k"),
        (A.top_k(2, by="x").select("s"), "select s from A order by x desc limit 2"),
        (A.select("k").unique(), "select distinct k from A"),
        (A.rename({"k": "a"}).select("a", b="a"), "select k as a, k as b from A"),
    ],
)
def test_one_plan_in_both_languages(fluent, text):
    in_sql = lf.sql(text)
    assert fluent.same_plan(in_sql)
    assert in_sql.same_plan(fluent)
    assert fluent.to_dicts() == in_sql.to_dicts()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (A.filter(col("x") > 1), A.filter(col("x") > 2)),
        (A.filter(col("x") > 1), A.filter(col("k") > 1)),
        (A.select("k", "x"), A.select("x", "k")),
        (A.select("k"), A.select(a="k")),
        (A.select(a="k"), A.select(a="x")),
        (A.head(1), A.head(2)),
        (A.sort("k"), A.sort("x")),
        (A.sort("k"), A.sort("k", descending=True)),
        (A.head(2).filter(col("x") > 1), A.filter(col("x") > 1).head(2)),
        (A.select("k").unique(), A.select("k").unique(keep="last")),
        (A.group_by("k").agg(n=col("x").sum()), A.group_by("k").agg(n=col("x").mean())),
        (A.group_by("k").agg(n=col("x").sum()), A.group_by("s").agg(n=col("x").sum()).rename({"s": "k"})),
        (A.join(B, on="k"), A.join(B, on="k", how="left")),
        (A.join(B, on="k", how="semi"), A.join(B, on="k", how="anti")),
        # Both sides of a self join have the same columns, and are not the same.
        (A.join(A, on="k").select(a="x"), A.join(A, on="k").select(a="x_right")),
        (A.select(a=lf.random()), A.select(a=col("x"))),
        (A, A.lazy().collect()[:2]),
    ],
)  # fmt: skip
def test_what_is_not_the_same(a, b):
    assert not a.same_plan(b)
    assert a.same_plan(a)
    assert b.same_plan(b)


def test_two_random_columns_are_two():
    twice = A.select(a=lf.random(), b=lf.random())
    once = A.select(a=lf.random()).select("a", b="a")
    assert not twice.same_plan(once)


def test_a_deep_plan():
    frames = []
    for _ in range(2):
        frame = A
        for _ in range(500):
            frame = frame.with_columns(x=col("x") + 1).sort("x")
        frames.append(frame._plan)
    assert are_equivalent(*frames)
    assert not are_equivalent(frames[0], frames[1].input)
