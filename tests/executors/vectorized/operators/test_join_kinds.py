"""Mark and single joins, and joins of any order: what they give by a plain loop over all pairs."""

from __future__ import annotations

from collections import Counter

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors import lower
from lazyframe.executors.vectorized.operators.join import told_build_rows
from lazyframe.frame import LazyFrame
from lazyframe.planner.bind import bind_predicate
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.relations import Join
from lazyframe.planner.relations.project import column
from lazyframe.planner.schema import Schema

LEFT = [(1, 5), (2, 1), (None, 3), (2, 9), (4, None)]
RIGHT = [(2, 3), (2, 7), (None, 8), (1, 4), (3, 0)]


def join(left, right, kind, *, keys=True, condition=None, ordered=True, in_parts=None) -> LazyFrame:
    make = in_parts or lf.from_dict
    a = make({"k": [k for k, _ in left], "v": [v for _, v in left]}, {"k": "int64", "v": "int64"})._plan
    b = make({"j": [k for k, _ in right], "w": [w for _, w in right]}, {"j": "int64", "w": "int64"})._plan
    bound = None
    if condition is not None:
        bound = bind_predicate(condition._node, Schema([*a.schema, *b.schema]), "a condition")
    on = ((column(a.schema, "k"),), (column(b.schema, "j"),)) if keys else ((), ())
    return LazyFrame(Join(a, b, kind, *on, bound, mark="m" if kind == "mark" else "", ordered=ordered))


def pairs(left, right, *, keys, condition):
    """For each left row its partners."""

    def fits(x, y):
        if keys and (x[0] is None or x[0] != y[0]):
            return False
        return not condition or (x[1] is not None and y[1] is not None and x[1] < y[1])

    return [[y for y in right if fits(x, y)] for x in left]


def rows(frame):
    return [tuple(row.values()) for row in frame.collect()]


@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize("condition", [None, col("v") < col("w")], ids=["any", "less"])
@pytest.mark.parametrize(("some_left", "some_right"), [(True, True), (True, False), (False, True), (False, False)])
def test_mark_joins(keys, condition, some_left, some_right):
    left, right = LEFT * some_left, RIGHT * some_right
    found = rows(join(left, right, "mark", keys=keys, condition=condition))
    partners = pairs(left, right, keys=keys, condition=condition is not None)
    assert found == [(*x, bool(ys)) for x, ys in zip(left, partners, strict=True)]


def test_a_mark_is_never_null():
    field = join(LEFT, RIGHT, "mark").schema.to_arrow().field("m")
    assert not field.nullable


@pytest.mark.parametrize("kind", ["semi", "anti", "mark"])
@pytest.mark.parametrize("condition", [None, col("v") < col("w")], ids=["any", "less"])
@pytest.mark.parametrize("left", [LEFT, LEFT[:1], LEFT[2:3], []])
def test_a_small_left_side_is_asked_which_rows_had_partners(kind, condition, left, in_parts, monkeypatch):
    monkeypatch.setattr("lazyframe.planner.build_side._WORTH_SWAPPING", 1)
    asked = []
    monkeypatch.setattr(lower, "told_build_rows", lambda *sides: asked.append(sides) or told_build_rows(*sides))
    right = RIGHT * 4
    partners = pairs(left, right, keys=True, condition=condition is not None)
    found = zip(left, map(bool, partners), strict=True)
    match kind:
        case "mark":
            expected = [(*x, some) for x, some in found]
        case _:
            expected = [x for x, some in found if some == (kind == "semi")]
    query = join(left, right, kind, condition=condition, in_parts=in_parts if left else None)
    for threads in (1, 2):
        with lf.config(threads=threads):
            assert rows(query) == expected
    assert len(asked) == 2


@pytest.mark.parametrize("condition", [None, col("v") < col("w")], ids=["any", "less"])
@pytest.mark.parametrize("left", [LEFT, LEFT[:1], LEFT[2:3], []])
def test_a_small_left_side_of_a_left_join_of_any_order(condition, left, in_parts, monkeypatch):
    monkeypatch.setattr("lazyframe.planner.build_side._WORTH_SWAPPING", 1)
    right = RIGHT * 4
    partners = pairs(left, right, keys=True, condition=condition is not None)
    expected = Counter([(*x, *y) for x, ys in zip(left, partners, strict=True) for y in (ys or [(None, None)])])
    query = join(left, right, "left", condition=condition, ordered=False, in_parts=in_parts if left else None)
    with lf.config(threads=1):
        found = rows(query)
    assert Counter(found) == expected
    with lf.config(threads=2):
        assert rows(query) == found


@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize("condition", [None, col("v") < col("w")], ids=["any", "less"])
@pytest.mark.parametrize("left", [LEFT, LEFT[:1], LEFT[2:], []])
@pytest.mark.parametrize("right", [RIGHT, RIGHT[:1], RIGHT[2:], []])
def test_single_joins(keys, condition, left, right):
    query = join(left, right, "single", keys=keys, condition=condition)
    partners = pairs(left, right, keys=keys, condition=condition is not None)
    if any(len(ys) > 1 for ys in partners):
        with pytest.raises(EvaluationError, match="a scalar subquery gives more than one row") as caught:
            query.collect()
        assert "LIMIT 1" in caught.value.hint
    else:
        expected = [(*x, *(ys[0] if ys else (None, None))) for x, ys in zip(left, partners, strict=True)]
        assert rows(query) == expected


@pytest.mark.parametrize(("kind", "keys"), [("inner", True), ("inner", False), ("cross", False)])
@pytest.mark.parametrize("condition", [None, col("v") < col("w")], ids=["any", "less"])
@pytest.mark.parametrize("build", ["left", "right"])
def test_joins_of_any_order_give_the_same_rows_in_every_run(kind, keys, condition, build, in_parts):
    left, right = (LEFT[:3], RIGHT) if build == "left" else (LEFT, RIGHT[:3])
    query = join(left, right, kind, keys=keys, condition=condition, ordered=False, in_parts=in_parts)
    partners = pairs(left, right, keys=keys, condition=condition is not None)
    with lf.config(threads=1):
        found = rows(query)
    assert Counter(found) == Counter([(*x, *y) for x, ys in zip(left, partners, strict=True) for y in ys])
    with lf.config(threads=2):
        assert rows(query) == found
