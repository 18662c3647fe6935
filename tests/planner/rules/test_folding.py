"""What is constant is computed once, and only where nothing is lost by it."""

from __future__ import annotations

import decimal

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.planner.algebra.law import simplified
from lazyframe.planner.algebra.negation import without_outer_negation
from lazyframe.planner.bind import bind, call
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.folding import folded
from lazyframe.planner.literals import literal
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.scalars import Literal, Scalar, cast
from lazyframe.planner.schema import Field, Schema
from tests.planner.rules.harness import NAN, rows, t

col, lit = lf.col, lf.lit
D = decimal.Decimal
SCHEMA = Schema(
    [
        Field("p", pa.bool_()),
        Field("q", pa.bool_()),
        Field("n", pa.int64()),
        Field("m", pa.int64(), False),
        Field("x", pa.float64()),
    ]
)


def fold_text(expression: lf.Expr) -> str:
    return repr(folded(bind(expression._node, SCHEMA)))


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        (col("p") & lit(True), "p"),
        (lit(False) | col("p"), "p"),
        (col("p") & lit(False), "False"),
        (col("p") | lit(True), "True"),
        (col("p") & lit(None, "bool"), "p & null"),
        (~(col("p") & lit(None, "bool")), "not (p & null)"),
        ((col("n") // col("m") > 1) & lit(False), "n // m > 1 & False"),
        ((col("n") // col("m") > 1) | lit(True), "n // m > 1 | True"),
        (col("p") & col("p"), "p"),
        (col("x") ** 2, "x * x"),
        ((col("x") + 1) ** 2, "(x + 1.0) * (x + 1.0)"),
        (col("x") ** 3, "x ** 3.0"),
        (col("n") ** 2, "n ** 2"),
        (lf.random() ** 2, "random() ** 2.0"),
        ((col("x") + 1).detach() * 2, "(x + 1.0) * 2.0"),
        (~~col("p"), "p"),
        (~(col("n") < 3), "n >= 3"),
        (~(col("n") == 3), "n != 3"),
        (~col("n").is_null(), "n is not null"),
        (col("m").is_null(), "False"),
        (col("m").is_not_null(), "True"),
        (col("n").is_null(), "n is null"),
        ((col("n") // col("m")).is_null(), "n // m is null"),
        (lit(None, "int64") + col("n"), "null"),
        (lit(None, "int64") + col("n") // col("m"), "null + n // m"),
        (lit(None, "bool") & lit(False), "False"),
        (lf.coalesce(lit(None, "int64"), col("n"), col("m"), col("n")), "coalesce(n, m)"),
        (lf.coalesce(col("m"), col("n")), "m"),
        (lf.when(lit(False)).then(1).when(col("p")).then(2).otherwise(3), "case when p then 2 else 3 end"),
        (lf.when(lit(None, "bool")).then(col("n")).otherwise(col("m")), "m"),
        (lf.when(col("p")).then(1).when(lit(True)).then(2).otherwise(col("n") // 0), "case when p then 1 else 2 end"),
    ],
)
def test_logic(expression, wanted):
    assert fold_text(expression) == wanted


@pytest.mark.parametrize(
    ("function", "a", "b", "wanted"),
    [
        ("equal", 1, 1, True),
        ("less", 2, 1, False),
        ("equal", NAN, NAN, True),
        ("greater", NAN, float("inf"), True),
        ("less_equal", NAN, 1.0, False),
        ("equal", 0.0, -0.0, True),
        ("equal", 2**53 + 1, 9007199254740992.0, False),
        ("less", "Z", "a", True),
        ("add", 2, 3, 5),
        ("subtract", 2, 3, -1),
        ("multiply", 4, -3, -12),
        ("add", 0.1, 0.2, 0.1 + 0.2),
        ("multiply", 1e308, 10.0, float("inf")),
        ("add", D("0.10"), D("0.205"), D("0.305")),
        ("multiply", D("1.5"), D("1.50"), D("2.250")),
    ],
)
def test_literals_are_computed(function, a, b, wanted):
    result = folded(call(function, literal(a), literal(b)))
    assert isinstance(result, Literal)
    assert result.value.as_py() == wanted


@pytest.mark.parametrize(
    ("function", "a", "b"),
    [
        ("add", 2**63 - 1, 1),
        ("multiply", 2**62, 2),
        ("subtract", -(2**63), 1),
        ("floor_divide", 1, 0),
        ("divide", 1.0, 0.0),
        ("multiply", D(10) ** 37, D(100)),
    ],
)
def test_what_may_raise_or_round_is_left_to_run(function, a, b):
    assert not isinstance(folded(call(function, literal(a), literal(b))), Literal)


def test_null_makes_null_where_nothing_else_can_be_noticed():
    missing = literal(None, pa.float64())
    total = call("add", missing, bind(col("p")._node, Schema([Field("p", pa.float64())])))
    assert repr(folded(total)) == "null"


@pytest.mark.parametrize(
    ("value", "to", "wanted"),
    [
        (literal(7, pa.int8()), pa.int64(), 7),
        (literal(7), pa.float64(), 7.0),
        (literal(7), pa.decimal128(21, 2), D("7.00")),
        (literal(True), pa.int32(), 1),
    ],
)
def test_casts_that_cannot_fail(value, to, wanted):
    result = folded(cast(value, to))
    assert isinstance(result, Literal)
    assert result.value == pa.scalar(wanted, to)


def test_a_cast_that_may_fail_is_left_to_run():
    assert not isinstance(folded(cast(literal(300), pa.int8())), Literal)


def test_an_overflow_of_literals_is_an_error_only_where_a_row_is_asked_for():
    query = t.select(x=lit(2**63 - 1) + lit(1))
    with pytest.raises(EvaluationError):
        query.collect()
    assert query.head(0).collect().to_dicts() == []


def test_a_condition_that_becomes_constant_on_its_way_is_folded():
    query = t.select("a", one=lit(1)).filter(col("one") > 1)
    plan = optimize(query._plan, check=True)
    assert repr(plan) == "Project a, 1 as one\n  Limit 0\n    Scan t [a] 1 of 4 columns limit 0"
    assert rows(plan) == []
    assert repr(optimize(t.select("a", one=lit(1)).filter(col("one") == 1)._plan, check=True)) == (
        "Project a, 1 as one\n  Scan t [a] 1 of 4 columns"
    )


def test_decimals_meet_floats_as_the_nearest_float():
    # 0.1 as a float is a little more than 0.1, but the nearest float to it, which is what a column would be compared with.
    tenth = lf.lit(decimal.Decimal("0.1"))
    frame = lf.from_dict({"x": [1]}).select((tenth == lf.lit(0.1)).alias("same"), (tenth < lf.lit(0.1)).alias("less"))
    assert frame.to_dicts() == [{"same": True, "less": False}]


def test_what_expressions_share_is_still_shared():
    part = bind((col("x") * (lit(2.0) + lit(3.0)))._node, SCHEMA)
    known: dict[int, Scalar] = {}
    first, second = (folded(call(name, part, literal(1.0)), known) for name in ("add", "subtract"))
    assert repr(first.children()[0]) == "x * 5.0"
    assert first.children()[0] is second.children()[0]
    assert folded(part, known) is first.children()[0]


def test_what_expressions_share_is_still_shared_under_a_law():
    part = bind((~((col("p") & (col("n") < 1)) | col("q")))._node, SCHEMA)
    known: dict[int, Scalar] = {}
    wanted = simplified(part, without_outer_negation)
    assert wanted != part
    again = [simplified(part, without_outer_negation, known) for _ in range(2)]
    assert again[0] == wanted
    assert again[0] is again[1]
