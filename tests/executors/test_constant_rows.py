"""Rows written in the query."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.frame import LazyFrame, concat
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Limit, Values
from lazyframe.planner.relations.values import ONE_ROW, values
from lazyframe.planner.schema import Field
from lazyframe.planner.types import INT64, STRING

ONE = LazyFrame(ONE_ROW)
ABC = values([("x", pa.array([1, 2, 3])), ("y", pa.array(["a", None, "b"]))], 3)


def test_one_row_of_nothing():
    assert ONE.count() == 1
    assert ONE.select(a=lf.lit(1), b=lf.lit("x")).to_dicts() == [{"a": 1, "b": "x"}]
    assert ONE.filter(lf.lit(True)).select(a=lf.lit(1)).to_dicts() == [{"a": 1}]
    assert ONE.filter(lf.lit(False)).select(a=lf.lit(1)).to_dicts() == []
    assert ONE.select(lf.len()).to_dicts() == [{"len": 1}]
    assert ONE.head(0).count() == 0
    assert ONE.head(3).select(a=lf.lit(None)).to_dicts() == [{"a": None}]
    assert concat([ONE, ONE]).count() == 2
    assert ONE.join(LazyFrame(ABC), how="cross").select("x").to_dict() == {"x": [1, 2, 3]}
    assert LazyFrame(ABC).join(ONE, how="cross").filter(col("x") > 1).to_dict() == {"x": [2, 3], "y": [None, "b"]}


def test_a_random_number_over_one_row():
    (row,) = ONE.select(a=lf.random(), b=lf.random()).to_dicts()
    assert 0 <= row["a"] < 1
    assert row["a"] != row["b"]


def test_no_rows():
    nothing = LazyFrame(Values((), 0))
    assert nothing.count() == 0
    assert nothing.select(a=lf.lit(1)).to_dicts() == []
    assert LazyFrame(values([("x", pa.array([], pa.int8()))], 0)).select(col("x").sum()).to_dicts() == [{"x": None}]


def test_constants_beside_no_rows():
    nothing = lf.from_dict({"x": [1]}).filter(col("x") > 1)
    assert nothing.select(a=lf.lit([1, 2]), b=lf.lit(1)).to_dict() == {"a": [], "b": []}
    constants = lf.sql("SELECT [[1]] AS l, {'a': [1]} AS s, map {'a': 1} AS m, 'b' AS t, NULL AS n FROM f", f=nothing)
    assert constants.to_dict() == {"l": [], "s": [], "m": [], "t": [], "n": []}


def test_schema_and_rows():
    assert list(ABC.schema) == [Field("x", INT64, False), Field("y", STRING, True)]
    table = LazyFrame(ABC).to_arrow()
    assert table.to_pydict() == {"x": [1, 2, 3], "y": ["a", None, "b"]}
    assert [field.nullable for field in table.schema] == [False, True]


def test_layouts_become_plain_types():
    plan = values(
        [("d", pa.array(["u", "v", "u"]).dictionary_encode()), ("l", pa.array(["x"] * 3, pa.large_string()))], 3
    )
    assert plan.schema.types == [STRING, STRING]
    assert LazyFrame(plan).to_dict() == {"d": ["u", "v", "u"], "l": ["x", "x", "x"]}


def test_columns_that_nobody_uses_go():
    plan = optimize(LazyFrame(ABC).filter(col("x") > 1).select("x")._plan, check=True)
    assert "Values [x] (3 rows)" in repr(plan)
    counted = optimize(LazyFrame(ABC).select(lf.len())._plan, check=True)
    assert "Values (3 rows)" in repr(counted)
    assert LazyFrame(ABC).select(lf.len()).to_dict() == {"len": [3]}
    twice = concat([LazyFrame(ABC).select("x"), LazyFrame(ABC).select(x=col("y").is_null().cast("int64"))])
    assert twice.to_dict() == {"x": [1, 2, 3, 0, 1, 0]}


def test_equal_values_are_one_node():
    again = values([("x", pa.array([1, 2, 3])), ("y", pa.array(["a", None, "b"]))], 3)
    assert again.digest == ABC.digest
    assert values([("x", pa.array([1, 2, 4])), ("y", pa.array(["a", None, "b"]))], 3).digest != ABC.digest
    assert Values((), 2).digest != ONE_ROW.digest
    assert pickle.loads(pickle.dumps(ABC)).digest == ABC.digest


def test_more_rows_than_a_morsel():
    many = LazyFrame(values([("x", pa.array(range(300_000)))], 300_000))
    assert many.select(col("x").sum()).to_dict() == {"x": [300_000 * 299_999 // 2]}
    assert many.filter(col("x") % 100_000 == 99_999).to_dict() == {"x": [99_999, 199_999, 299_999]}


def test_explained():
    assert LazyFrame(ABC).explain().splitlines()[0] == "Values [x, y] (3 rows)  ~3 rows"
    assert ONE.explain().splitlines()[0] == "Values (1 row)  ~1 rows"


def test_a_wrong_number_of_rows_is_a_mistake_of_ours():
    with pytest.raises(AssertionError, match="has 1 of 2 rows"):
        Values((("x", pa.array([1])),), 2)


def test_limits_of_unions():
    union = concat([LazyFrame(ABC), LazyFrame(ABC)]).head(4)
    assert union.to_dict()["x"] == [1, 2, 3, 1]
    # Three rows are no more than four as it is.
    assert not any(isinstance(child, Limit) for child in optimize(union._plan).input.inputs)
