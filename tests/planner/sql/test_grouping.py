"""GROUP BY: which keys and sets of keys it means, and what may be selected."""

from __future__ import annotations

import pytest
from sqlglot import exp

import lazyframe as lf
from lazyframe.errors import InvalidArgumentError, LazyFrameError, UnsupportedError
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.sql.queries.grouping import Keys, bound_keys
from lazyframe.planner.sql.reading.parse import parse
from lazyframe.planner.types import INT64

A, B, C = (Column(name, INT64, True) for name in "abc")


def keys_of(clause: str) -> Keys:
    (tree,) = parse(f"select 1 from t group by {clause}")
    assert isinstance(tree, exp.Select)
    bound: dict[str, Scalar] = {"a": A, "b": B, "c": C}
    return bound_keys(tree.args["group"], lambda key: bound[key.name], [B, C])


@pytest.mark.parametrize(
    ("clause", "keys", "sets"),
    [
        ("a, b", [A, B], None),
        ("a, (b), a", [A, B], None),
        ("(a, b), c", [A, B, C], None),
        ("all", [B, C], None),
        ("rollup (a, b)", [A, B], [(0, 1), (0,), ()]),
        ("rollup ((a, b), c)", [A, B, C], [(0, 1, 2), (0, 1), ()]),
        ("cube (a, b)", [A, B], [(0, 1), (0,), (1,), ()]),
        ("grouping sets ((a, b), b, ())", [A, B], [(0, 1), (1,), ()]),
        # Every set of one with every set of the other.
        ("rollup (a), rollup (b)", [A, B], [(0, 1), (0,), (1,), ()]),
        ("a, rollup (b)", [A, B], [(0, 1), (0,)]),
        ("grouping sets (rollup (a, b), c)", [A, B, C], [(0, 1), (0,), (), (2,)]),
        # A key that is meant twice is one.
        ("a, cube (a)", [A], [(0,), (0,)]),
    ],
)
def test_keys_and_sets(clause: str, keys: list[Scalar], sets: list[tuple[int, ...]] | None) -> None:
    found = keys_of(clause)
    assert found.scalars == keys
    assert found.sets == sets


def test_sets_that_multiply_are_bounded_before_they_are_made() -> None:
    many = ", ".join(["cube (a, b, c, a, b, c, a, b, c, a, b, c)"] * 3)
    with pytest.raises(InvalidArgumentError, match="68,719,476,736 sets of keys, and 4,096 are allowed"):
        keys_of(many)


def test_totals_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="TOTALS"):
        lf.sql("select a from t group by a with totals", t=lf.from_dict({"a": [1]}), dialect="clickhouse").collect()


T = lf.from_dict({"a": ["x", "x", "y", None], "b": [1, 2, 3, 4]})


def rows(query: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in lf.sql(query, t=T).collect().to_dicts()]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select a, sum(b) from t group by a order by a nulls last", [("x", 3), ("y", 3), (None, 4)]),
        ("select sum(b) from t", [(10,)]),
        ("select sum(b), count(*) from t where b > 9", [(None, 0)]),
        ("select count(*) from t where b > 9 group by a", []),
        ("select a, sum(b) from t group by all order by 2 desc, 1", [(None, 4), ("x", 3), ("y", 3)]),
        ("select b % 2 as odd, count(*) from t group by odd order by odd", [(0, 2), (1, 2)]),
        ("select b % 2 + 10 as k, count(*) from t group by b % 2 order by k", [(10, 2), (11, 2)]),
        ("select a, count(*) from t group by 1 having count(*) > 1", [("x", 2)]),
        (
            "select a, sum(b), grouping(a) from t group by rollup (a) order by 3, 1 nulls last",
            [("x", 3, 0), ("y", 3, 0), (None, 4, 0), (None, 10, 1)],
        ),
    ],
)
def test_rows(query: str, expected: list[tuple[object, ...]]) -> None:
    assert rows(query) == expected


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select a, b from t group by a", "the column 'b' is neither in GROUP BY nor inside an aggregate"),
        ("select a, sum(b) from t", "the column 'a' is neither in GROUP BY nor inside an aggregate"),
        ("select sum(b) from t group by sum(b)", "cannot stand in GROUP BY"),
        ("select sum(b) from t group by 1", "cannot group by what is computed from groups"),
        ("select a from t group by 2", "GROUP BY 2"),
        ("select a, grouping(b) from t group by rollup (a)", "must be keys of GROUP BY"),
    ],
)
def test_errors(query: str, message: str) -> None:
    with pytest.raises(LazyFrameError, match=message):
        rows(query)
