"""Lineage of fields of structs, by hand; and what other values in fields outside it change: nothing."""

from __future__ import annotations

import random

import pytest

import lazyframe as lf
from lazyframe import col


def rows(rng: random.Random, fixed: dict[str, object]) -> lf.LazyFrame:
    """A table of 20 rows, of which some leaves are drawn by another chance than the others."""
    own = random.Random(7)

    def leaf(place: str) -> int:
        return own.randrange(5) if place in fixed else rng.randrange(100)

    data = {
        "k": [leaf("k") for _ in range(20)],
        "s": [{"a": leaf("s.a"), "b": {"c": leaf("s.b.c"), "d": leaf("s.b.d")}} for _ in range(20)],
        "l": [[{"p": leaf("l.p"), "q": leaf("l.q")}] * (number % 3) for number in range(20)],
    }
    return lf.from_dict(data).lazy()


def field(name: str, *path: str) -> lf.Expr:
    found = col(name)
    for part in path:
        found = found.struct.field(part)
    return found


# For each query, and its column x: value, filter, key and order, and what is not used at all.
CASES = {
    "a field": (lambda t: t.select(x=field("s", "a")), "s.a", "", "", "", "k s.b l"),
    "a field of a field": (lambda t: t.select(x=field("s", "b", "c") + col("k")), "k s.b.c", "", "", "", "s.a s.b.d l"),
    "a filter": (lambda t: t.filter(field("s", "b", "c") > 2).select(x="k"), "k", "s.b.c", "", "", "s.a s.b.d l"),
    "step by step": (
        lambda t: t.select(y="s").with_columns(z=field("y", "b")).select("z").select(x=field("z", "d")),
        "s.b.d", "", "", "", "k s.a s.b.c l"),
    "of a struct that was made": (
        lambda t: t.select(m=lf.struct(one="k", two=field("s", "a"))).select(x=field("m", "two")),
        "s.a", "", "", "", "k s.b l"),
    "of a struct in the same expression": (lambda t: t.select(x=lf.struct(one="k", two="s").struct.field("one")), "k", "", "", "", "s l"),
    "all of it": (lambda t: t.select(x="s"), "s", "", "", "", "k l"),
    "all of it and a field": (lambda t: t.filter(field("s", "a") > 1).select(x="s"), "s", "s.a", "", "", "k l"),
    "unnested": (lambda t: t.select("s").unnest("s").select(x="a"), "s.a", "", "", "", "k s.b l"),
    "a sum of a field by another": (
        lambda t: t.group_by(g=field("s", "a")).agg(x=field("s", "b", "d").sum()), "s.b.d", "", "s.a", "", "k s.b.c l"),
    "the first struct of a group": (
        lambda t: t.group_by("k").agg(f=col("s").first()).select(x=field("f", "a")), "s", "", "k", "", "l"),
    "a window": (
        lambda t: t.select(x=field("s", "a").sum().over(field("s", "b", "c"))), "s.a", "", "s.b.c", "", "k s.b.d l"),
    "sorted by a field": (lambda t: t.sort(field("s", "b", "c")).select(x="k"), "k", "", "", "s.b.c", "s.a s.b.d l"),
    "joined by a field": (
        lambda t: t.join(t.select(j=field("s", "a"), y=field("s", "b", "c")), left_on="k", right_on="j").select(x="y"),
        "s.b.c", "", "k s.a", "", "s.b.d l"),
    "a union": (
        lambda t: lf.concat([t.select("s"), t.select(s=lf.struct(a="k", b=lf.struct(c="k", d=field("s", "a"))))]).select(
            x=field("s", "b", "d")),
        "s.a s.b.d", "", "", "", "k s.b.c l"),
    "items of a list": (lambda t: t.explode("l").select(x=field("l", "p")), "l.p", "l", "", "", "k s"),
    "beside a list": (lambda t: t.explode("l").select(x=field("s", "a")), "s.a", "l", "", "", "k s.b"),
    "SQL": (lambda t: lf.sql("select s.b.c x from t where s.a > 1 order by s.b.d", t=t), "s.b.c", "s.a", "", "s.b.d", "k l"),
    "UNNEST": (lambda t: lf.sql("select u.p x from t, unnest(l) as v(u)", t=t), "l.p", "l", "", "", "k s"),
    "a value of a recursion": (
        lambda t: lf.sql("with recursive r(v, n) as (select s, 0 from t union all select v, n + 1 from r where n < 2) "
                         "select v.a x from r", t=t), "s.a", "", "", "", "k s.b l"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_fields_by_hand(name):
    query, *roles, unused = CASES[name]
    table = rows(random.Random(1), {})
    found = query(table).lineage(t=table)
    column = found["x"]
    got = [" ".join(sorted(each.removeprefix("t.") for each in role)) for role in (column.value, column.filter, column.key, column.order)]  # fmt: skip
    assert got == roles
    assert found.unused() == {"t": unused.split()}


@pytest.mark.parametrize("name", CASES)
def test_other_values_in_other_fields_change_nothing(name):
    query = CASES[name][0]
    table = rows(random.Random(1), {})
    used = query(table).lineage(t=table).used()["t"]
    leaves = ["k", "s.a", "s.b.c", "s.b.d", "l.p", "l.q"]
    inside = dict.fromkeys([leaf for leaf in leaves if any(f"{leaf}.".startswith(f"{place}.") for place in used)])
    one, other = [query(rows(random.Random(seed), inside)).collect() for seed in (1, 2)]
    assert one.equals(other)


def test_names_that_could_be_others():
    data = {"s": [{"a": 1, "c.d": {"e": 2}}], "s.a": [3], "t": [{"x": 4}]}
    df = lf.from_dict(data)
    query = df.select(x=field("s", "a"), y=col("s.a"), z=field("s", "c.d", "e"), w=field("t", "x"))
    found = query.lineage(df=df)
    assert [found[name].value for name in "xyzw"] == [["df.s['a']"], ["df.s.a"], ["df.s['c.d']['e']"], ["df.t.x"]]
    assert found.to_svg().count("<rect") > 8
