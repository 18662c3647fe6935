"""Binding: names, types and overloads; the rules of constants."""

from __future__ import annotations

import datetime
import decimal

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.planner.bind import bind, bind_predicate
from lazyframe.planner.errors import ColumnNotFoundError, InvalidArgumentError, TypeMismatchError
from lazyframe.planner.scalars import Cast, Literal
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import parse_type

D = decimal.Decimal
SCHEMA = Schema(
    [Field(name, parse_type(name.replace("ts", "timestamp[us]").replace("zoned", "timestamp[us, Europe/Paris]")))
     for name in ("int8", "int16", "int32", "int64", "uint8", "uint64", "float32", "float64", "string", "bool", "date", "ts", "zoned")]
    + [Field("money", pa.decimal128(10, 2)), Field("sure", pa.int64(), False), Field("odd name", pa.int64())]
)  # fmt: skip


def bound(expr):
    return bind(expr._node, SCHEMA)


@pytest.mark.parametrize(
    ("expr", "dtype"),
    [
        # Literals take the column's type if they fit in it, else the arithmetic widens.
        (col("int8") + 1, "int8"), (col("int8") + 100, "int8"), (col("int8") * 1000, "int64"), (1 + col("uint8"), "uint8"),
        (col("uint8") + -1, "int64"), (col("uint64") + 1, "uint64"), (col("float32") * 2, "float32"), (col("float32") * 0.1, "float32"),
        (col("float64") + 1, "float64"), (col("int64") + 0.5, "float64"), (col("int8") + col("int16"), "int16"),
        (col("int32") + col("int64"), "int64"), (col("int8") + col("uint8"), "int16"), (col("int64") + col("float32"), "float64"),
        (col("int8") / 2, "float64"), (col("int64") // 2, "int64"), (col("int8") % 3, "int8"), (-col("int8"), "int8"),
        # Decimals: scale of a product s1 + s2; with floats, floats.
        (col("money") * col("money"), "decimal(20,4)"), (col("money") + col("money"), "decimal(11,2)"), (col("money") * 0.5, "float64"),
        (col("money") == 1, "bool"), (col("money") < D("1.234"), "bool"),
        # Comparisons never change a value: the literal may not fit.
        (col("int8") == 300, "bool"), (col("int8") < 0.5, "bool"), (col("uint64") > col("int64"), "bool"),
        (col("date") < "2024-01-01", "bool"), (col("ts") < "2024-01-01 12:00", "bool"), (col("int64") == "5", "bool"),
        # Dates.
        (col("date") + datetime.timedelta(days=1), "date"), (col("date") + lf.interval(months=1), "date"),
        (col("date") + lf.interval(hours=1), "timestamp[us]"), (col("date") + datetime.timedelta(hours=1), "timestamp[us]"),
        (col("ts") + datetime.timedelta(hours=1), "timestamp[us]"), (col("ts") - col("ts"), "duration[us]"), (col("date") - col("date"), "duration[us]"),
        (col("zoned") + lf.interval(days=1), "timestamp[us, Europe/Paris]"), (col("date") < col("ts"), "bool"),
        # Strings.
        (col("string") + "x", "string"), (lf.lit("x") + col("string"), "string"),
        # Choices and casts.
        (lf.when(col("bool")).then(col("int8")).otherwise(0), "int8"), (lf.when(col("bool")).then(col("int8")).otherwise(300), "int64"),
        (lf.when(col("bool")).then(1).otherwise(0.5), "float64"), (lf.when(col("bool")).then(None).otherwise(col("date")), "date"),
        (lf.coalesce("int8", "int64"), "int64"), (lf.coalesce("int8", 0), "int8"), (col("int8").fill_null(0.5), "float64"),
        (col("string").cast("int8"), "int8"), (col("int8").is_in([1, 2]), "bool"),
        # Aggregates.
        (col("int8").sum(), "int64"), (col("uint64").sum(), "uint64"), (col("bool").sum(), "int64"), (col("money").sum(), "decimal(38,2)"),
        (col("float32").sum(), "float64"), (col("int8").mean(), "float64"), (col("money").mean(), "decimal(38,12)"), (col("string").max(), "string"),
        (lf.len(), "int64"), (col("int8").implode(), "list<int8>"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value)[:60],
)  # fmt: skip
def test_types(expr, dtype):
    assert bound(expr).dtype == parse_type(dtype)


@pytest.mark.parametrize(
    ("expr", "nullable"),
    [
        (col("sure") + 1, False), (col("int64") + 1, True), (col("int64").is_null(), False), (col("int64").fill_null(0), False),
        (lf.coalesce("int64", "sure"), False), (lf.lit(None), True), (lf.lit(1), False), (col("sure").cast(str), False),
        (col("sure").try_cast("int8"), True), (lf.when(col("bool")).then(1).otherwise(2), False), (lf.when(col("bool")).then(1), True),
        (lf.len(), False), (col("int64").count(), False), (col("sure").sum(), True), (col("sure") > col("int64"), True),
        (col("int64").eq_missing(col("int64")), False),
    ],
    ids=lambda value: str(value) if isinstance(value, bool) else repr(value)[:60],
)  # fmt: skip
def test_nullability(expr, nullable):
    assert bound(expr).nullable == nullable


def test_casts_are_put_in_where_they_are_needed_alone():
    assert repr(bound(col("int8") + col("int64"))) == "cast(int8 as int64) + int64"
    assert repr(bound(col("int64") + 1)) == "int64 + 1"
    assert isinstance(bound(lf.lit(None).cast("int8")), Literal)
    assert bound(col("int8").cast("int8")) == bound(col("int8"))
    assert isinstance(bound(col("int64").cast("int8")), Cast)


def test_equal_expressions_have_equal_digests_wherever_they_are_written():
    first = bound(col("int64") + 1)
    second = bound(col("int64") + 1)
    assert first == second
    assert hash(first) == hash(second)
    assert first.site != second.site
    assert bound(col("int64") + 1) != bound(col("int64") + 1.0)
    assert bound(lf.lit(1)) != bound(lf.lit(True))
    assert bound(lf.lit(0.0)) != bound(lf.lit(-0.0))


@pytest.mark.parametrize(
    ("expr", "error", "message"),
    [
        (col("int6"), ColumnNotFoundError, "no column named 'int6'"),
        (col("INT64"), ColumnNotFoundError, "did you mean 'int64'"),
        (col("string") + 1, TypeMismatchError, "string"),
        (col("date") < "soon", TypeMismatchError, "cannot read 'soon' as date"),
        (col("int64") == "x", TypeMismatchError, "cannot read 'x' as int64"),
        (col("ts") < col("zoned"), TypeMismatchError, "timestamp"),
        (col("bool") + 1, TypeMismatchError, "bool"),
        (col("date").cast("bool"), TypeMismatchError, "date cannot be cast to bool"),
        (col("int64").filter(col("bool")), InvalidArgumentError, "followed by an aggregate"),
        (col("int64").sum().sum(), InvalidArgumentError, "stands inside the aggregate sum"),
        (lf.selectors.numeric(), InvalidArgumentError, "several columns"),
        (col("int64").is_in(["x"]), TypeMismatchError, "cannot read 'x'"),
        (col("bool").is_in([1]), TypeMismatchError, "can be no value of bool"),
    ],
    ids=lambda value: repr(value)[:50],
)  # fmt: skip
def test_errors_are_raised_at_the_part_that_is_wrong(expr, error, message):
    with pytest.raises(error, match=message) as caught:
        bound(expr)
    assert caught.value.site.file == __file__


def test_predicates():
    assert bind_predicate(lf.lit(None)._node, SCHEMA).dtype == pa.bool_()
    with pytest.raises(TypeMismatchError, match="a filter must be true or false, not int64: int64 \\+ 1\ncompare it"):
        bind_predicate((col("int64") + 1)._node, SCHEMA)


def test_deep_expressions_bind():
    expr = col("int64")
    for _ in range(3_000):
        expr = expr + 1
    assert bound(expr).dtype == pa.int64()


def test_a_decimal_of_too_many_digits_is_in_no_column():
    # With two digits after the point, 36 are left before it: Arrow's own cast would wrap this value around.
    big = decimal.Decimal("1" * 38)
    frame = lf.from_dict({"x": [decimal.Decimal("2.50"), None]}, {"x": "decimal(38,2)"})
    found = frame.select(
        lf.col("x").is_in([big]).alias("big"), lf.col("x").is_in([big, decimal.Decimal("2.5")]).alias("both")
    )
    assert found.to_dicts() == [{"big": False, "both": True}, {"big": None, "both": None}]


def test_a_decimal_among_floats_is_the_nearest_float():
    found = bind(col("float64").is_in([D("1.2"), D("0.1")])._node, SCHEMA)
    assert dict(found.options)["values"].to_pylist() == [1.2, 0.1]
