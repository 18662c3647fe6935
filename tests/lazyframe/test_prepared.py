"""Prepared queries: planned once, run with other values."""

from __future__ import annotations

import datetime as dt
import re
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import InvalidArgumentError, TypeMismatchError

T = lf.from_dict({"a": [1, 2, 3], "b": [1.5, 2.5, None], "s": ["x", "yy", "zz"]})


def planned_nothing(monkeypatch):
    """From here on nothing may be planned."""

    def refuse(*_, **__):
        raise AssertionError("a prepared query was planned again")

    monkeypatch.setattr("lazyframe.planner.optimizer.optimize", refuse)


def test_a_frame_runs_with_other_values(monkeypatch):
    query = lf.prepare(T.filter(col("a") >= lf.param("n")).select(z=col("b") * lf.param("w", 2.0)))
    planned_nothing(monkeypatch)
    assert query.parameters == {"n": "int64", "w": "float64"}
    assert query.collect(n=2).to_dict() == {"z": [5.0, None]}
    assert query.collect(n=1, w=10).to_dict() == {"z": [15.0, 25.0, None]}
    assert query.to_dicts(n=3) == [{"z": None}]
    assert query.to_arrow(n=3).schema == query.schema.to_arrow()
    assert query.to_dict(n=9) == {"z": []}
    assert query.submit(n=2).result().to_dict() == {"z": [5.0, None]}
    with query.collect_batches(n=2) as batches:
        assert [batch.to_pylist() for batch in batches] == [[{"z": 5.0}, {"z": None}]]


def test_a_changed_value_is_seen():
    w = lf.param("w", 1.0)
    query = lf.prepare(T.select(s=(col("b") * w).sum()))
    assert query.item() == 4.0
    w.value = 2.0
    assert query.item() == 8.0
    assert query.item(w=0.5) == 2.0
    assert query.bind(w=3.0).item() == 12.0


def test_a_query_without_parameters():
    query = lf.prepare(T.select("a"))
    assert query.collect().to_dict() == {"a": [1, 2, 3]}
    with pytest.raises(InvalidArgumentError, match="no parameter 'x', nor any other"):
        query.collect(x=1)


SQL = [
    ("select a from t where a >= $n", {"n": 2}, {"a": [2, 3]}),
    ("select a from t where a >= :n", {"n": 2}, {"a": [2, 3]}),
    ("select a from t where s like $p", {"p": "z%"}, {"a": [3]}),
    ("select a from t where a in ($x, 3)", {"x": 1}, {"a": [1, 3]}),
    ("select a from t where a in $x", {"x": [1, 3]}, {"a": [1, 3]}),
    ("select a from t where a between $l and $h", {"l": 2, "h": 2}, {"a": [2]}),
    ("select a from t where $c and a < 3", {"c": True}, {"a": [1, 2]}),
    ("select a * $f as y from t where b < $f", {"f": 2.0}, {"y": [2.0]}),
    ("select case when a > $n then $yes else s end as k from t", {"n": 2, "yes": "!"}, {"k": ["x", "yy", "!"]}),
    ("select a // $n as k, count(*) as c from t group by a // $n", {"n": 2}, {"k": [0, 1], "c": [1, 2]}),
    ("with r as (select * from t where a >= $m) select sum(a) as s from r", {"m": 2}, {"s": [5]}),
    ("select (select max(i.b) from t i where i.a = t.a and i.a > $m) as m from t", {"m": 1}, {"m": [None, 2.5, None]}),
    ("select $x::int + 1 as y", {"x": 2}, {"y": [3]}),
    ("select coalesce(b, $d) as y from t", {"d": 0}, {"y": [1.5, 2.5, 0.0]}),
    ("select s || $x as y from t", {"x": "-"}, {"y": ["x-", "yy-", "zz-"]}),
    ("select cast('2024-01-31' as date) = $d as y", {"d": dt.date(2024, 1, 31)}, {"y": [True]}),
    ("select a from t order by a + $x limit 1", {"x": 2}, {"a": [1]}),
]


@pytest.mark.parametrize(("text", "values", "expected"), SQL)
def test_sql(text, values, expected, monkeypatch):
    query = lf.prepare(text, t=T)
    given = lf.sql(text, t=T, params=values)
    planned_nothing(monkeypatch)
    assert query.to_dict(**values) == expected
    monkeypatch.undo()
    assert given.to_dict() == expected
    # A parameter of the fluent API where the SQL has one.
    params = {
        name: lf.param(name, value, dtype="list<int64>" if isinstance(value, list) else None)
        for name, value in values.items()
    }
    assert lf.sql(text, t=T, params=params).to_dict() == expected


def test_sql_by_position():
    query = lf.prepare("select a from t where a > ? and s like ?", t=T)
    assert query.parameters == {"1": "int64", "2": "string"}
    assert query.collect(1, "z%").to_dict() == {"a": [3]}
    assert query.to_dicts(0, "x") == [{"a": 1}]
    with pytest.raises(InvalidArgumentError, match="2 parameters without a name, not 1"):
        query.collect(1)
    with pytest.raises(InvalidArgumentError, match="0 parameters without a name, not 1"):
        lf.prepare("select a from t where a > $n", t=T).collect(1)
    half = lf.prepare("select a from t where a > ? and s like ?", params=[1], t=T)
    assert half.parameters == {"2": "string"}


def test_sql_with_some_values_given():
    query = lf.prepare("select a from t where a >= $low and a <= $high", t=T, low=2)
    assert query.parameters == {"high": "int64"}
    assert query.to_dict(high=2) == {"a": [2]}


def test_one_type_for_all_places():
    query = lf.prepare("select a from t where a > $x and b > $x", t=T)
    assert query.parameters == {"x": "float64"}
    assert query.to_dict(x=1.25) == {"a": [2]}


def test_elements_of_an_array_in_sql():
    w = lf.param("W", [1.0, 2.0])
    assert lf.sql("select b * $w as y from t where a < 3", t=T, w=w[1]).collect(W=[0.0, 3.0]).to_dict() == {
        "y": [4.5, 7.5]
    }
    with pytest.raises(InvalidArgumentError, match="SQL takes one value for each"):
        lf.sql("select b * $w as y from t", t=T, w=w)


@pytest.mark.parametrize(
    ("text", "kind", "message", "column"),
    [
        ("select $x", InvalidArgumentError, "nothing says of what type the parameter 'x' is", 8),
        ("select -$x as y from t", InvalidArgumentError, r"CAST\(\$x AS DOUBLE\)", 9),
        ("select a from t limit $x", InvalidArgumentError, "LIMIT is part of the plan", 23),
        ("select round(b, $x) from t", InvalidArgumentError, "the number of digits is part of the plan", 17),
        ("select a from t where a > $x and s = $x", TypeMismatchError, "'x' is BIGINT in one place and VARCHAR", None),
        ("select date '2024-01-01' + $x as y", TypeMismatchError, r"CAST\(\$x AS DOUBLE\)", None),
        ("select a from $x", InvalidArgumentError, "never a table", 15),
    ],
)
def test_what_is_refused_in_sql(text, kind, message, column):
    with pytest.raises(kind, match=message) as caught:
        lf.prepare(text, t=T)
    if column is not None:
        assert re.search(rf"SQL line 1, column {column}\b", str(caught.value))


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: lf.prepare(3), "a frame or SQL, not an int"),
        (lambda: lf.prepare("create table u as select 1"), "one query, which is a SELECT"),
        (lambda: lf.prepare("select 1; select 2"), "one query, which is a SELECT"),
        (lambda: lf.prepare(T, x=1), "a frame is prepared as it is"),
        (lambda: lf.prepare(T.filter(col("a") > lf.param("x"))).collect(), "'x' has no value"),
        (lambda: lf.prepare(T.filter(col("a") > lf.param("x"))).collect(y=1), "no parameter 'y'"),
        (lambda: lf.prepare(T.select(lf.param("x", 1) + lf.param("x", 2))), "two parameters"),
    ],
)
def test_what_is_refused(use, message):
    with pytest.raises(InvalidArgumentError, match=message) as caught:
        use()
    assert f'test_prepared.py", line {use.__code__.co_firstlineno}' in str(caught.value)


def test_an_error_of_a_run_names_the_line_of_the_expression():
    query = lf.prepare(T.select(z=1 // (col("a") - lf.param("n"))))
    assert query.to_dict(n=0) == {"z": [1, 0, 0]}
    with pytest.raises(lf.errors.EvaluationError, match=r"1 // \(col\(\"a\"\)"):
        query.collect(n=2)


def test_pruning_and_keys_use_the_value_of_the_run(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"k": range(1000), "v": range(1000)}), path, row_group_size=100)
    keys = lf.from_dict({"k": list(range(0, 1000, 50)), "g": [n % 3 for n in range(20)]})
    few = keys.filter(col("g") == lf.param("g")).filter(col("k") < lf.param("m"))
    query = lf.prepare(lf.scan_parquet(str(path)).join(few, on="k").select(s=col("v").sum()))
    for g, m in ((0, 100), (1, 1000), (2, 300), (0, 1000)):
        expected = sum(k for n, k in enumerate(range(0, 1000, 50)) if n % 3 == g and k < m)
        assert query.item(g=g, m=m) == expected


def test_rows_that_several_readers_share():
    base = T.filter(col("a") >= lf.param("n")).group_by("s").agg(t=col("a").sum())
    query = lf.prepare(lf.concat([base, base.filter(col("t") > lf.param("m"))]))
    assert query.to_dict(n=2, m=2) == {"s": ["yy", "zz", "zz"], "t": [2, 3, 3]}
    assert query.to_dict(n=1, m=5) == {"s": ["x", "yy", "zz"], "t": [1, 2, 3]}


def test_several_threads():
    frame = lf.from_dict({"x": list(range(1000))})
    query = lf.prepare(frame.filter(col("x") < lf.param("n")).select(s=(col("x") * lf.param("w")).sum().fill_null(0)))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: query.item(n=n, w=n % 7), range(200)))
    assert found == [sum(range(n)) * (n % 7) for n in range(200)]


def test_explain_and_repr():
    query = lf.prepare(T.filter(col("a") > lf.param("n")))
    assert "a > $n" in query.explain()
    assert repr(query) == "PreparedQuery(n: int64) -> a, b, s"
