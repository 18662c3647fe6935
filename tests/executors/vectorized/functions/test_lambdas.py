"""Functions of lists that take an expression: over slices, nulls, empty lists and what is around them."""

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.planner.errors import EvaluationError

INTS = pa.list_(pa.int64())
ROWS = pa.table(
    {
        "a": pa.array([[0], [1, 2], None, [3], [], [None, 4], [9]], INTS).slice(1, 5),
        "b": pa.array([10, 20, 30, None, 50]),
    }
)


def values(expression):
    return lf.sql(f"SELECT {expression} AS v FROM rows", rows=ROWS).collect().to_arrow()["v"].to_pylist()


def test_what_stands_around_is_seen():
    assert values("list_transform(a, lambda x: x + b)") == [[11, 12], None, [33], [], [None, 54]]
    assert values("list_filter(a, lambda x: x * 10 < b)") == [[], None, [], [], [4]]
    assert values("list_reduce(a, lambda x, y: x + y, b)") == [13, None, 33, None, None]


def test_positions():
    assert values("list_transform(a, lambda x, i: i)") == [[1, 2], None, [1], [], [1, 2]]
    assert values("list_filter(a, lambda x, i: i = 1)") == [[1], None, [3], [], [None]]


def test_lambdas_in_lambdas():
    assert values("list_transform(a, lambda x: list_transform([b], lambda y: x + y + b))") == [
        [[21], [22]], None, [[63]], [], [[None], [104]],
    ]  # fmt: skip
    assert values("list_transform(a, lambda x: list_sum(list_transform([1, 2], lambda x: x)))") == [
        [3, 3], None, [3], [], [3, 3],
    ]  # fmt: skip


def test_inside_aggregates_and_filters():
    found = lf.sql(
        "SELECT sum(len(list_filter(a, lambda x: x > 1))) AS n FROM rows WHERE list_sum(list_transform(a, x -> x)) > 2",
        rows=ROWS,
    )
    assert found.collect().to_arrow().to_pylist() == [{"n": 3}]


def test_branches_that_are_not_taken_are_not_computed():
    assert values("list_transform(a, lambda x: CASE WHEN x <> 3 THEN 6 // (x - 3) END)") == [
        [-3, -6],
        None,
        [None],
        [],
        [None, 6],
    ]


def test_errors_stand_at_the_part_that_is_wrong():
    with pytest.raises(EvaluationError) as caught:
        values("list_transform(a, lambda x: 6 // (x - 3))")
    assert "division by zero: 6 // 0" in str(caught.value)
    assert str(caught.value).splitlines()[-2].endswith("6 // (x - 3)) AS v FROM rows")


def test_the_type_widens_as_it_is_reduced():
    assert values("list_reduce(a, lambda x, y: x / y, 1)") == [0.5, None, 1 / 3, 1.0, None]
    assert values("list_reduce([1, 2], lambda x, y: x + y + 0.5)")[0] == pytest.approx(3.5)
