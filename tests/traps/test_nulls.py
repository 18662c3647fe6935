"""Wrong answers that engines gave where there are nulls."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe import col, lit


def test_not_in_a_list_that_holds_null():
    one = lf.from_dict({"x": [1, 3]})
    assert one.filter(~col("x").is_in([3, None])).to_dicts() == []
    assert one.filter(col("x").is_in([3, None])).to_dicts() == [{"x": 3}]
    assert one.filter(~lit(1).is_in([3, None])).to_dicts() == []
    assert one.select(col("x").is_in([3, None])).to_dict() == {"x": [None, True]}


def test_an_inequality_and_not_in_null():
    a = lf.from_dict({"a": [0, 1, 2, None]})
    assert a.filter((col("a") != 1) & ~col("a").is_in([None])).to_dicts() == []
    assert a.filter(col("a") != 1).filter(~col("a").is_in([None, 1])).to_dicts() == []
    assert a.filter((col("a") != 1) & ~col("a").is_in([2])).to_dicts() == [{"a": 0}]


def test_null_not_in_a_list():
    one = lf.from_dict({"x": [None]}, schema={"x": "int64"})
    assert one.filter(~col("x").is_in([1])).to_dicts() == []
    assert one.filter(~lit(None, "int64").is_in([1])).to_dicts() == []
    assert one.select(~col("x").is_in([1])).to_dict() == {"x": [None]}


def test_counts_without_a_partner_are_zero():
    a, b = lf.from_dict({"k": [1, 2]}), lf.from_dict({"k": [1, 1], "v": [5, None]})
    counted = a.join(b, on="k", how="left").group_by("k").agg(n=col("v").count(), m=col("v").max())
    assert counted.to_dicts() == [{"k": 1, "n": 1, "m": 5}, {"k": 2, "n": 0, "m": None}]
    chosen = counted.select(c=lf.when(col("m") > 0).then(lit("yes")).otherwise(lit("no")))
    assert chosen.to_dict() == {"c": ["yes", "no"]}


def test_aggregates_of_no_rows():
    none = lf.from_dict({"k": [1], "x": [1]}).filter(col("x") > 1)
    row = none.select(
        n=lf.len(),
        c=col("x").count(),
        s=col("x").sum(),
        m=col("x").max(),
        u=col("x").n_unique(),
        a=(col("x") > 0).any(),
    )
    assert row.to_dicts() == [{"n": 0, "c": 0, "s": None, "m": None, "u": 0, "a": None}]
    assert none.group_by("k").agg(lf.len()).to_dicts() == []
    nulls = lf.from_dict({"x": [None, None]}, schema={"x": "int64"})
    assert nulls.select(s=col("x").sum(), n=lf.len(), c=col("x").count()).to_dicts() == [{"s": None, "n": 2, "c": 0}]


@pytest.mark.parametrize(
    ("descending", "nulls_first", "expected"),
    [
        (True, False, [2, 1, None]),
        (True, True, [None, 2, 1]),
        (False, False, [1, 2, None]),
        (False, True, [None, 1, 2]),
    ],
)
def test_nulls_come_last_unless_asked_for(descending, nulls_first, expected):
    i = lf.from_dict({"i": [1, None, 2]})
    ordered = i.sort("i", descending=descending, nulls_first=nulls_first)
    assert ordered.to_dict()["i"] == expected
    assert ordered.head(1).to_dict()["i"] == expected[:1]
    k = i.top_k if descending else i.bottom_k
    assert k(2, by="i", nulls_first=nulls_first).to_dict()["i"] == expected[:2]


def test_three_valued_logic():
    p = lf.from_dict({"p": [True, False, None]})
    null = lit(None, "bool")
    assert p.select(a=col("p") & null, o=col("p") | null, n=~col("p"), x=col("p") ^ True).to_dict() == {
        "a": [None, False, None], "o": [True, None, None], "n": [False, True, None], "x": [False, True, None],
    }  # fmt: skip
    assert p.filter((col("p") & null).is_null()).to_dict() == {"p": [True, None]}
    assert p.filter(~(col("p") & null)).to_dict() == {"p": [False]}


def test_null_keys_match_nothing_in_joins_and_are_one_group():
    a = lf.from_dict({"k": [None, 1, None], "x": [1, 2, 3]})
    b = lf.from_dict({"k": [None, 1], "y": [4, 5]})
    assert a.join(b, on="k").to_dicts() == [{"k": 1, "x": 2, "y": 5}]
    assert a.join(b, on="k", how="anti").to_dict()["x"] == [1, 3]
    assert a.join(b, on="k", how="full", coalesce=False).select("x", "y").to_dicts() == [
        {"x": 1, "y": None}, {"x": 2, "y": 5}, {"x": 3, "y": None}, {"x": None, "y": 4},
    ]  # fmt: skip
    assert a.join(b, on="k", nulls_equal=True).to_dict()["y"] == [4, 5, 4]
    assert a.group_by("k").agg(col("x").sum()).to_dicts() == [{"k": None, "x": 4}, {"k": 1, "x": 2}]
    assert a.select("k").intersect(b.select("k")).to_dict() == {"k": [None, 1]}
    assert a.select("k").except_(b.select("k")).to_dict() == {"k": []}
    assert a.select("k").except_(b.select("k"), keep_duplicates=True).to_dict() == {"k": [None]}
    assert a.select("k").unique().to_dict() == {"k": [None, 1]}
