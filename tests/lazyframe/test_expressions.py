"""Operators and methods of expressions, functions that make them, and their names."""

from __future__ import annotations

import datetime
import decimal
import math
import random

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

NAN = float("nan")
X, Y, S, B, F = col("x"), col("y"), col("s"), col("b"), col("f")
FRAME = lf.from_dict(
    {"x": [7, -7, None], "y": [2, 2, 2], "s": ["b", "a", None], "b": [True, False, None], "f": [0.5, NAN, None]}
)


@pytest.mark.parametrize(
    ("expr", "values"),
    [
        (X + Y, [9, -5, None]),
        (X + 1, [8, -6, None]),
        (1 + X, [8, -6, None]),
        (X - Y, [5, -9, None]),
        (1 - X, [-6, 8, None]),
        (X * Y, [14, -14, None]),
        (2 * X, [14, -14, None]),
        (X / Y, [3.5, -3.5, None]),
        (14 / X, [2.0, -2.0, None]),
        # Floor division and its remainder.
        (X // Y, [3, -4, None]),
        (X % Y, [1, 1, None]),
        (15 // X, [2, -3, None]),
        (15 % X, [1, -6, None]),
        (X**Y, [49, 49, None]),
        (2 ** Y, [4, 4, 4]),
        (-X, [-7, 7, None]),
        (+X, [7, -7, None]),
        (abs(X), [7, 7, None]),
        (X == 7, [True, False, None]),
        (X != 7, [False, True, None]),
        (X < Y, [False, True, None]),
        (X <= 7, [True, True, None]),
        (X > Y, [True, False, None]),
        (X >= 7, [True, False, None]),
        (X > 3, [True, False, None]),
        (B & True, [True, False, None]),
        (B & False, [False, False, False]),
        (B | True, [True, True, True]),
        (False | B, [True, False, None]),
        (B ^ True, [False, True, None]),
        (True & B, [True, False, None]),
        (~B, [False, True, None]),
        (S + "!", ["b!", "a!", None]),
        ("<" + S, ["<b", "<a", None]),
        (S < "b", [False, True, None]),
        (X.is_null(), [False, False, True]),
        (X.is_not_null(), [True, True, False]),
        (X.eq_missing(None), [False, False, True]),
        (X.eq_missing(7), [True, False, False]),
        (X.ne_missing(7), [False, True, True]),
        (X.is_in([7, 8]), [True, False, None]),
        (X.is_in([8, None]), [None, None, None]),
        (X.is_in([7, None]), [True, None, None]),
        (X.is_in([]), [False, False, False]),
        (X.is_in({7}), [True, False, None]),
        (X.is_in(range(7, 8)), [True, False, None]),
        (X.is_in(pa.array([7])), [True, False, None]),
        (S.is_in(["a"]), [False, True, None]),
        (X.is_in([7.0, 0.5]), [True, False, None]),
        (X.is_between(-7, 7), [True, True, None]),
        (X.is_between(-7, 7, "left"), [False, True, None]),
        (X.is_between(-7, 7, "right"), [True, False, None]),
        (X.is_between(-7, 7, closed="none"), [False, False, None]),
        (X.fill_null(0), [7, -7, 0]),
        (X.fill_null(Y), [7, -7, 2]),
        (F.fill_nan(0), [0.5, 0.0, None]),
        (X.null_if(7), [None, -7, None]),
        (X.clip(0), [7, 0, None]),
        (X.clip(upper=0), [0, -7, None]),
        (X.clip(-1, 1), [1, -1, None]),
        (X.clip(), [7, -7, None]),
        (X.cast(float), [7.0, -7.0, None]),
        (X.cast(str), ["7", "-7", None]),
        (S.try_cast(int), [None, None, None]),
        (S.cast(int, strict=False), [None, None, None]),
        (F.is_nan(), [False, True, None]),
        (F.is_not_nan(), [True, False, None]),
        (F.is_finite(), [True, False, None]),
        (F.is_infinite(), [False, False, None]),
        (X.abs(), [7, 7, None]),
        (X.sign(), [1, -1, None]),
        (X.pow(2), [49, 49, None]),
        (Y.sqrt(), [math.sqrt(2)] * 3),
        ((Y * 4).cbrt(), [2.0] * 3),
        (Y.log(2), [1.0] * 3),
        (Y.log2(), [1.0] * 3),
        ((Y * 50).log10(), [2.0] * 3),
        (lf.lit(2.5).round().alias("r"), [3.0] * 3),
        (lf.lit(-2.5).round().alias("r"), [-3.0] * 3),
        (lf.lit(2.345).round(1).alias("r"), [2.3] * 3),
        (lf.lit(1250).round(-2).alias("r"), [1300] * 3),
        (lf.lit(-1.5).floor().alias("r"), [-2.0] * 3),
        (lf.lit(-1.5).ceil().alias("r"), [-1.0] * 3),
        (lf.lit(-1.5).trunc().alias("r"), [-1.0] * 3),
        # Choices.
        (lf.when(X > 0).then(lf.lit("p")).otherwise(lf.lit("n")), ["p", "n", "n"]),
        (lf.when(X > 0).then(X), [7, None, None]),
        (lf.when(X > 0).then(1).when(X < 0).then(-1).otherwise(0), [1, -1, 0]),
        (lf.when(X > 0, Y == 2).then(Y).otherwise(X), [2, -7, None]),
        (lf.when(B).then(1).otherwise(2.5), [1.0, 2.5, 2.5]),
        (lf.when("b").then(S), ["b", None, None]),
        (lf.when(X != 0).then(14 // X).otherwise(None), [2, -2, None]),
        (lf.coalesce("x", Y, 0), [7, -7, 2]),
        (lf.min_horizontal("x", "y"), [2, -7, 2]),
        (lf.max_horizontal("x", "y", 5), [7, 5, 5]),
        (lf.all_horizontal("b", X > 0), [True, False, None]),
        (lf.any_horizontal("b", X > 0), [True, False, None]),
        (lf.any_horizontal(X > 0, X < 0, X.is_null()), [True, True, True]),
        (lf.concat_str("s", "s"), ["bb", "aa", None]),
        (lf.concat_str("s", X.cast(str), separator="-"), ["b-7", "a--7", None]),
        (lf.struct("x", z="s"), [{"x": 7, "z": "b"}, {"x": -7, "z": "a"}, {"x": None, "z": None}]),
        (lf.date(2024, Y, 29), [datetime.date(2024, 2, 29)] * 3),
        (lf.lit(datetime.date(2024, 1, 31)) + lf.interval(months=1), [datetime.date(2024, 2, 29)] * 3),
        (lf.lit(datetime.datetime(2024, 1, 1)) + lf.duration(hours=36), [datetime.datetime(2024, 1, 2, 12)] * 3),  # noqa: DTZ001
        (lf.lit(1, "int8"), [1] * 3),
        (lf.lit(pa.scalar(5, pa.int16())), [5] * 3),
        (lf.lit(None), [None] * 3),
        (lf.lit([1, 2]), [[1, 2]] * 3),
        (lf.lit(lf.lit(3)), [3] * 3),
    ],
    ids=lambda value: repr(value)[:60],
)  # fmt: skip
def test_values(answer, expr, values):
    (found,) = answer(FRAME.select(expr.alias("r"))).values()
    assert found == [pytest.approx(v) if isinstance(v, float) else v for v in values]


@pytest.mark.parametrize(
    ("expr", "name"),
    [
        (X, "x"),
        (X + Y, "x"),
        (1 - X, "x"),
        (lf.lit(3), "literal"),
        (lf.len(), "len"),
        (X.sum(), "x"),
        (X.len(), "x"),
        (lf.when(X > 0).then(Y), "y"),
        (lf.when(X > 0).then(1), "literal"),
        (X.is_in([1]), "x"),
        (X.cast(str), "x"),
        (lf.coalesce("y", "x"), "y"),
        (X.alias("q"), "q"),
        (X.alias("q") + 1, "q"),
        (X.name.prefix("p_"), "p_x"),
        (X.name.suffix("_s"), "x_s"),
        (X.name.prefix("p_").name.suffix("_s"), "p_x_s"),
        (X.alias("q").name.suffix("_s"), "q_s"),
        (lf.random(), "random"),
    ],
    ids=repr,
)
def test_names(expr, name):
    assert FRAME.select(expr).columns == [name]


def test_what_an_expression_looks_like():
    assert (
        repr((col("distance") / col("air_time") * 60).alias("speed"))
        == "(col('distance') / col('air_time') * 60).alias('speed')"
    )
    assert repr(X * (Y + 1)) == "col('x') * (col('y') + 1)"
    assert repr(~(Y == 2)) == "not col('y') == 2"
    assert repr(X.sum().filter(Y > 1)) == "sum(col('x')) where col('y') > 1"
    assert repr(lf.when(X > 0).then(1).otherwise(2)) == "case when col('x') > 0 then 1 else 2 end"


def test_volatile_calls_are_never_merged(answer):
    frame = lf.from_dict({"x": list(range(100))})
    found = frame.select(a=lf.random(), b=lf.random()).to_dict()
    assert all(0 <= v < 1 for v in found["a"] + found["b"])
    assert found["a"] != found["b"]
    assert len(set(found["a"])) == 100
    assert frame.select(a=lf.random()).select(col("a"), b="a").filter(col("a") != col("b")).count() == 0


def test_now_is_one_moment():
    before = datetime.datetime.now(datetime.UTC)
    (moment, *others) = lf.from_dict({"x": [1, 2]}).select(n=lf.now()).to_dict()["n"]
    assert others == [moment]
    assert before <= moment <= datetime.datetime.now(datetime.UTC)
    assert str(lf.from_dict({"x": [1]}).select(n=lf.now()).schema["n"].tz) == "UTC"


def test_hash_is_the_same_for_equal_values(answer):
    frame = lf.from_dict({"a": [1, 2, 1]})
    one, two, again = answer(frame.select(col("a").hash()))["a"]
    assert one == again != two


def test_literals_take_the_type_of_what_they_meet():
    small = lf.from_dict({"i": [1], "f": [0.5]}, {"i": "int8", "f": "float32"})
    types = small.select(
        a=col("i") + 1, b=col("i") + 1000, c=col("f") * 0.1, d=col("i") * 0.5, e=col("i") == 300
    ).schema.types
    assert types == [pa.int8(), pa.int64(), pa.float32(), pa.float64(), pa.bool_()]
    assert small.filter(col("i") < 300).count() == 1


def test_money_stays_exact(answer):
    price = lf.from_dict({"p": [decimal.Decimal("0.10")]})
    assert answer(price.select(col("p") * 3)) == {"p": [decimal.Decimal("0.30")]}
    assert answer(price.filter(col("p") == decimal.Decimal("0.1"))) == {"p": [decimal.Decimal("0.10")]}


def test_expressions_can_be_deep(answer):
    expr = X
    for _ in range(2_000):
        expr = expr + 1
    assert answer(FRAME.select(expr)) == {"x": [2007, 1993, None]}
    either = lf.lit(False)
    for n in range(1_000):
        either = either | (n == X)
    assert answer(FRAME.filter(either).select("x")) == {"x": [7]}
    assert len(repr(expr)) < 20_000


def test_an_expression_serves_many_frames():
    doubled = (X * 2).alias("d")
    assert lf.from_dict({"x": [1]}).select(doubled).to_dict() == {"d": [2]}
    assert lf.from_dict({"x": [0.5]}).select(doubled).to_dict() == {"d": [1.0]}
    with pytest.raises(lf.errors.ColumnNotFoundError):
        lf.from_dict({"y": [1]}).select(doubled)


def test_conditions_by_the_thousand(answer):
    numbers = random.Random(1).sample(range(10_000), 1_000)
    frame = lf.from_dict({"n": list(range(10_000))})
    assert frame.filter(lf.any_horizontal(*[col("n") == n for n in numbers])).count() == 1_000
    assert frame.filter(col("n").is_in(numbers)).count() == 1_000
