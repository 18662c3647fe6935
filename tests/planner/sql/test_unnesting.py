"""Subqueries that depend on the rows around them, where a join in their place could go wrong."""

from __future__ import annotations

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.planner.optimizer import optimize

NEVER_NULL = pa.field("n", pa.int64(), nullable=False)

OUTER = lf.from_dict({"k": [1, 2, 3, None], "v": [10, 20, 30, 40], "s": ["a", "b", "a", "b"]})
INNER = lf.from_dict({"k": [1, 1, 2, 2, 4, None], "w": [1, 1, 5, 6, 7, 8], "s": ["a", "b", "a", "a", "b", "b"]})


def values(query: str) -> list[object]:
    """The only column."""
    return lf.sql(query, o=OUTER, i=INNER).collect().to_arrow().column(0).to_pylist()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        # What the subquery computes of outer values is read by a filter, a join, an IN above it.
        ("exists (select 1 from (select i.w + o.v as c from i) z where z.c > 37)", [30, 40]),
        ("exists (select 1 from (select i.w + o.v as c, i.k from i) z where z.c > 25 and z.k = o.k)", [20]),
        ("exists (select 1 from (select i.w + o.v as c from i) z join i as j on j.w + 20 = z.c and j.k = 4)", [20]),
        ("o.v + 8 in (select i.w + o.v from i)", [10, 20, 30, 40]),
        ("o.v + 8 in (select i.w + o.v from i where i.k = o.k)", []),
        ("o.v + 5 not in (select i.w + o.v from i where i.k = o.k)", [10, 30, 40]),
        ("exists (select 1 from (select y.c * 2 as d from (select i.w + o.k as c from i) y) z where z.d = 22)", [30]),
        # A limit counts the rows that are different.
        ("exists (select distinct i.w from i where i.k = o.k offset 1)", [20]),
        ("exists (select i.w from i where i.k = o.k offset 1)", [10, 20]),
        ("exists (select i.w from i where i.k = o.k limit 0)", []),
        ("not exists (select i.w from i where i.k = o.k order by i.w + o.v)", [30, 40]),
    ],
)
def test_only_the_existence_of_rows_matters(condition: str, expected: list[int]) -> None:
    assert values(f"select o.v from o where {condition} order by o.v") == expected


def test_a_having_that_leaves_one_group_fixes_the_keys_only_where_it_equals_them() -> None:
    assert values("select (select max(i.w) from i group by i.k having i.k = o.k) from o order by o.v") == [
        1,
        6,
        None,
        None,
    ]
    with pytest.raises(lf.errors.EvaluationError, match="more than one row"):
        values("select (select max(i.w) from i group by i.k having i.k > o.k) from o")
    with pytest.raises(lf.errors.EvaluationError, match="more than one row"):
        values("select (select max(i.w) from i group by i.k, i.s having i.k = o.k and i.s >= o.s) from o")


def test_a_count_of_a_lateral_is_never_null_as_its_schema_says() -> None:
    frame = lf.sql(
        "select o.v, l.n from o, lateral (select count(*) as n from i where i.k = o.k) l where l.n = 0",
        o=OUTER,
        i=INNER,
    )
    found = frame.collect()
    assert found.to_dicts() == [{"v": 30, "n": 0}, {"v": 40, "n": 0}]
    assert [field.nullable for field in frame.schema.to_arrow()] == [
        field.nullable for field in found.to_arrow().schema
    ]


@pytest.mark.parametrize(
    ("subquery", "expected"),
    [
        # The parts on both sides of the inner join depend on the outer row, and are read for a comparison with NULL too.
        ("select count(*) from i where i.w not in (select j.w from i j where j.k = o.k or j.w = i.k)", [4, 2, 4, 4]),
        (
            "select count(*) from i full join i j on i.w in (select x.w from i x where x.k = o.k and x.s = j.s)",
            [16, 13, 12, 12],
        ),
    ],
)
def test_subqueries_two_levels_deep(subquery: str, expected: list[int]) -> None:
    assert values(f"select ({subquery}) from o order by o.v") == expected


def test_array_of_a_query_is_the_list_of_its_rows() -> None:
    assert values("select array(select i.w from i where i.k = o.k order by i.w desc) from o order by o.v") == [
        [1, 1],
        [6, 5],
        [],
        [],
    ]
    assert values("select array(select 1 union all select 2)") == [[1, 2]]
    assert values("select [(select max(w) from i), 2]") == [[8, 2]]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        # The items of a list are compared as the rows of a query are: with null where one of them could decide.
        ("2 = any(l)", [None, False, False, True, None, False]),
        ("null = any(l)", [None, False, False, None, None, None]),
        ("2 <> all(l)", [None, True, True, False, None, True]),
        ("2 > all(l)", [None, True, True, False, None, True]),
        ("1 < any(l)", [None, False, False, True, None, False]),
        ("any(l) = 2", [None, False, False, True, None, False]),
        ("2 = any([1, null])", [None] * 6),
        ("2 > all([1])", [True] * 6),
        ("2 = any(array(select 1 union all select null))", [None] * 6),
    ],
)
def test_any_and_all_of_a_list(condition: str, expected: list[bool | None]) -> None:
    lists = lf.from_dict({"n": [1, 2, 3, 4, 5, 6], "l": [[1, None], [], None, [2], [None], [1]]})
    found = lf.sql(f"select {condition} as c from lists order by n", lists=lists)
    assert found.collect().to_arrow()["c"].to_pylist() == expected


def test_an_aggregate_belongs_to_the_query_whose_columns_it_uses_in_its_filter_too() -> None:
    assert values("select (select count(*) filter (where o.v > 10) from i limit 1) from o") == [3]
    assert values("select (select sum(1) filter (where o.k > 1) from i limit 1) from o group by o.s order by o.s") == [
        1,
        1,
    ]
    # It uses the subquery's columns as well, so that it is the subquery's.
    assert values("select (select count(*) filter (where i.w > o.k) from i) from o order by o.v") == [4, 4, 4, 0]
    with pytest.raises(lf.errors.InvalidArgumentError, match="cannot stand in WHERE"):
        values("select o.v from o where (select count(*) filter (where o.v > 10) from i) > 0")


def test_an_aggregate_may_be_of_a_query_several_levels_around() -> None:
    inner = "select count(*) from i where i.k in (select j.k from i j where j.w > max(o.v) / 10 + 3)"
    # For a those above 6, of the keys 4 and null, of which 4 alone is equal to one; for b those above 7, of the key null.
    assert values(f"select ({inner}) from o group by o.s order by o.s") == [1, 0]
    summed = "select count(*) from (select i.k from i group by i.k having sum(i.w) > max(o.k) + count(o.k)) z"
    assert values(f"select ({summed}) from o group by o.s order by o.s") == [3, 3]
    # Of one aggregate two are made, which both use the columns around.
    assert values("select (select covar_pop(o.v, o.k) + count(*) from i) from o group by o.s order by o.s") == [
        16.0,
        6.0,
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("with recursive c as (select 1 as n union all select n + 1 from c where n < o.k) select sum(n) from c", [1, 3, 6, 1]),
        ("with recursive c(n) as (select o.k union all select n - 1 from c where n > 0) select count(*) from c", [2, 3, 4, 1]),
        # An aggregate without keys gives a row for each outer value that still has rows, and no more for the others.
        (
            "with recursive c as (select o.k n union all select * from (select max(n) + 1 m from c) where m < 4) select sum(1) from c",
            [3, 2, 1, 1],
        ),
        ("with recursive c(n) as (select 1 union select i.k from c join i on i.w < o.k) select count(*) from c", [1, 1, 1, 1]),
        # The recursion itself depends on nothing around.
        ("with recursive c as (select 1 as n union all select n + 1 from c where n < 3) select sum(n + o.k) from c", [9, 12, 15, None]),
    ],
)  # fmt: skip
def test_recursions_for_each_row_around(query: str, expected: list[int | None]) -> None:
    assert values(f"select ({query}) from o order by o.v") == expected


def test_asof_joins_for_each_row_around() -> None:
    left = "select sum(j.w) from (select * from i where i.w > o.v / 10) a asof join i j on a.w > j.w"
    # Of the 6 rows the w are 1, 1, 5, 6, 7, 8: below those above 1 are 1, 5, 6, 7; below those above 4 are the same.
    assert values(f"select ({left}) from o order by o.v") == [19, 19, 19, 19]
    right = "select count(j.w) from i a asof left join (select * from i where i.k = o.k) j on a.w >= j.w"
    assert values(f"select ({right}) from o order by o.v") == [6, 4, 0, 0]


def test_an_aggregate_of_the_query_around_cannot_stand_in_its_from() -> None:
    for aggregate in ("avg(o.k)", "count(*) filter (where o.k > 1)"):
        with pytest.raises(lf.errors.InvalidArgumentError, match=r"aggregate (avg|count)\(\) cannot stand in FROM"):
            values(f"select l.c from o, lateral (select {aggregate} as c from i) l")


def test_outer_values_that_are_never_null_are_not_null_beside_a_full_join() -> None:
    rows = lf.from_arrow(
        pa.table({"n": [1, 2], "v": [1, 9]}, schema=pa.schema([NEVER_NULL, pa.field("v", pa.int64())]))
    )
    frame = lf.sql(
        """select n, (select sum(q.m) from (select o.n as m from a left join a as c on o.v = c.id full join b on a.id = b.w) q
                      where q.m is not null)
           from o""",
        o=rows, a=lf.from_dict({"id": [1, 2]}), b=lf.from_dict({"w": [2, 7]}),
    )  # fmt: skip
    optimize(frame._plan, check=True)
    # 1 and 2 of a, of which 2 has a partner in b, and the 7 of b: three rows for each n.
    assert [tuple(row.values()) for row in frame.collect().to_dicts()] == [(1, 3), (2, 6)]
