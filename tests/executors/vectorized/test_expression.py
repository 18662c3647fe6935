"""Expressions over a batch: guarded branches, common parts, dictionaries, depth, errors."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized import steps as module
from lazyframe.executors.vectorized.expression import Expressions, Predicate
from lazyframe.executors.vectorized.kernel import Kernel
from lazyframe.planner.bind import bind
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.schema import Field, Schema

SCHEMA = Schema([Field("x", pa.int64()), Field("d", pa.int64()), Field("s", pa.string()), Field("b", pa.bool_())])
BATCH = Batch(
    {
        "x": pa.array([6, 7, 8, None]),
        "d": pa.array([0, 2, None, 1]),
        "s": pa.array(["a", "5", None, "a"]).dictionary_encode(),
        "b": pa.array([True, False, None, True]),
    },
    4,
)
X, DIVISOR, S, B = col("x"), col("d"), col("s"), col("b")


def bound(*exprs):
    return [bind(expr._node, SCHEMA) for expr in exprs]


def values(*exprs, batch=BATCH):
    return [column.to_pylist() for column in Expressions(bound(*exprs)).columns(batch)]


@pytest.fixture
def kernel_runs(monkeypatch):
    """How many rows each run of a kernel was given, by function."""
    runs: dict[str, list[int]] = {}
    original = module.kernel_of

    def counted(name):
        kernel = original(name)

        def run(given, arguments, rows):
            runs.setdefault(name, []).append(rows)
            return kernel.run(given, arguments, rows)

        return Kernel(run, kernel.encoded)

    monkeypatch.setattr(module, "kernel_of", counted)
    return runs


def test_columns_and_constants():
    assert values(X, lf.lit(1), lf.lit(None), X + 1) == [[6, 7, 8, None], [1] * 4, [None] * 4, [7, 8, 9, None]]
    assert values(X + 1, lf.lit("a"), batch=BATCH.slice(0, 0)) == [[], []]


def test_a_common_part_is_computed_once(kernel_runs):
    assert values((X + 1) * (X + 1), (X + 1) - DIVISOR) == [[49, 64, 81, None], [7, 6, None, None]]
    assert kernel_runs["add"] == [4]


def test_branches_are_evaluated_only_where_they_are_taken(kernel_runs):
    quotient = lf.when(DIVISOR != 0).then(X // DIVISOR).otherwise(-1)
    assert values(quotient) == [[-1, 3, -1, None]]
    assert kernel_runs["floor_divide"] == [2]


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        # The first condition that is true counts; those after it are not even tested.
        (lf.when(DIVISOR == 0).then(0).when(X // DIVISOR > 2).then(1).otherwise(2), [0, 1, 2, 2]),
        (
            lf.when(B).then(lf.when(DIVISOR != 0).then(X // DIVISOR).otherwise(0)).otherwise(X // DIVISOR),
            [0, 3, None, None],
        ),
        (lf.when(B).then(X // 1).when(~B).then(X // 2), [6, 3, None, None]),
        (lf.when(lf.lit(True)).then(X // 2).otherwise(X // DIVISOR), [3, 3, 4, None]),
        (lf.when(lf.lit(False)).then(X // DIVISOR).otherwise(X // 2), [3, 3, 4, None]),
        (lf.when(S != "a").then(S.cast(int)).otherwise(0), [0, 5, 0, 0]),
        (lf.when(B).then(X).otherwise(DIVISOR), [6, 2, None, None]),
        (lf.when(B).then(lf.lit("yes")).otherwise(S), ["yes", "5", None, "yes"]),
        (lf.when(lf.lit(None)).then(1).otherwise(2), [2] * 4),
        # So do AND, OR and COALESCE, where what comes before leaves nothing open.
        ((DIVISOR != 0) & (X // DIVISOR > 2), [False, True, None, None]),
        ((DIVISOR == 0) | (X // DIVISOR > 3), [True, False, None, None]),
        ((DIVISOR != 0) & (X // DIVISOR > 2) & (8 // (DIVISOR + 0) > 3), [False, True, None, None]),
        (lf.when((DIVISOR != 0) & (X // DIVISOR > 2)).then(1).otherwise(2), [2, 1, 2, 2]),
        (lf.coalesce(lf.when(DIVISOR == 0).then(-1), X // DIVISOR, X), [-1, 3, 8, None]),
        (lf.coalesce(X - X, X // DIVISOR, DIVISOR), [0, 0, 0, 1]),
        (lf.coalesce(lf.lit(None), lf.lit(5), X // DIVISOR), [5] * 4),
        (lf.lit(False) & (X // DIVISOR > 2), [False] * 4),
    ],
)
def test_choices(expr, expected):
    assert values(expr.alias("r")) == [expected]
    assert values(expr.alias("r"), batch=BATCH.slice(1, 2)) == [expected[1:3]]
    assert values(expr.alias("r"), batch=BATCH.slice(0, 0)) == [[]]


def test_what_decides_nothing_is_evaluated_in_all_rows():
    for expr in ((X > 0) & (X // DIVISOR > 2), (X < 0) | (X // DIVISOR > 2), lf.coalesce(X // DIVISOR, X)):
        with pytest.raises(EvaluationError, match="division by zero: 6 // 0"):
            values(expr)


def test_a_function_of_a_dictionary_runs_once_for_each_entry(kernel_runs):
    assert values(S.str.upper()) == [["A", "5", None, "A"]]
    assert kernel_runs["upper"] == [2]
    (column,) = Expressions(bound(S.str.upper())).columns(BATCH)
    assert isinstance(column, pa.DictionaryArray)
    assert values(S == "a", S.is_in(["5"]), S.str.len_chars()) == [
        [True, False, None, True], [False, True, None, False], [1, 1, None, 1],
    ]  # fmt: skip


def test_an_entry_of_a_dictionary_that_stands_in_no_row_does_not_raise():
    column = pa.DictionaryArray.from_arrays(pa.array([1, 1], pa.int32()), pa.array(["no number", "5"]))
    batch = Batch({"x": pa.array([1, 1]), "d": pa.array([1, 1]), "s": column, "b": pa.array([True, True])}, 2)
    assert values(S.cast(int), batch=batch) == [[5, 5]]


def test_dictionaries_with_nulls_and_equal_entries():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.int32()), pa.array(["a", None, "A"]))
    batch = Batch({**BATCH.columns, "s": column}, 4)
    assert values(S.str.upper(), S.is_null(), S.fill_null("z"), batch=batch) == [
        ["A", None, "A", None], [False, True, False, True], ["a", "z", "A", "z"],
    ]  # fmt: skip


@pytest.mark.parametrize("count", [5_000])
def test_deep_expressions(count):
    expr = X
    for _ in range(count):
        expr = expr + 1
    assert values(expr) == [[6 + count, 7 + count, 8 + count, None]]
    chain = lf.when(X == 0).then(0)
    for n in range(1, 200):
        chain = chain.when(n == X).then(n * 10)
    assert values(chain.otherwise(-1)) == [[60, 70, 80, -1]]
    nested = X
    for _ in range(200):
        nested = lf.when(B).then(nested).otherwise(DIVISOR)
    assert values(nested.alias("r")) == [[6, 2, None, None]]


def test_errors_are_of_the_part_that_has_no_answer():
    (good, bad) = bound(X + 1, X // DIVISOR)
    with pytest.raises(EvaluationError, match="division by zero: 6 // 0") as caught:
        Expressions([good, bad]).columns(BATCH)
    assert caught.value.site is bad.site
    with pytest.raises(EvaluationError, match="'a'"):
        values(S.cast(int))


def test_predicates_keep_what_is_true():
    (true, false, null, some) = bound(lf.lit(True), lf.lit(False), lf.lit(None).cast(bool), X > 6)
    assert Predicate(true).keep(BATCH).length == 4
    assert Predicate(false).keep(BATCH).length == 0
    assert Predicate(null).keep(BATCH).length == 0
    assert Predicate(some).keep(BATCH, ["d"]).columns["d"].to_pylist() == [2, None]
    assert Predicate(some).mask(BATCH).tolist() == [False, True, True, False]
    assert Predicate(true).mask(BATCH).tolist() == [True] * 4
    assert Predicate(null).mask(BATCH).tolist() == [False] * 4


def test_a_predicate_of_no_rows_raises_nothing():
    (bad,) = bound(X // 0 > 1)
    assert Predicate(bad).keep(BATCH.slice(0, 0)).length == 0


def test_kernels_see_slices_as_they_are():
    part = BATCH.slice(1, 2)
    assert values(X + DIVISOR, S + "!", B | True, batch=part) == [[9, None], ["5!", None], [True, True]]
    assert pc.sum(part["x"]).as_py() == 15


def test_conditions_over_conditions_do_not_multiply(kernel_runs):
    # Each level uses the one below three times: in its condition and in both branches.
    value = X
    for _ in range(30):
        value = lf.when(value > 2).then(value - 1).otherwise(value + 1)

    def model(x):
        for _ in range(30):
            x = x if x is None else x - 1 if x > 2 else x + 1
        return x

    assert values(value) == [[model(x) for x in BATCH["x"].to_pylist()]]
    assert len(kernel_runs["greater"]) == 30


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (S.str.len_chars(), [1, 1, None, 1]),
        (S.str.len_bytes(), [1, 1, None, 1]),
        (S.str.code_point(), [97, 53, None, 97]),
        (S.str.count_matches("a"), [1, 0, None, 1]),
        (S.str.contains("a"), [True, False, None, True]),
    ],
)
def test_values_of_a_dictionary_have_the_type_of_the_expression(expr, expected):
    (scalar,) = bound(expr)
    (column,) = Expressions([scalar]).columns(BATCH)
    assert column.type == scalar.dtype
    assert column.to_pylist() == expected
