"""Floats in projections and aggregates of prepared plans: operators are told their values, and are used again with others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.compiled.program import Writing
from lazyframe.executors.vectorized.program import Program

ROWS = 1000
RANDOM = np.random.default_rng(3)
DATA = pa.table(
    {
        "x": pa.array(RANDOM.normal(size=ROWS), mask=RANDOM.random(ROWS) < 0.1),
        "y": RANDOM.normal(size=ROWS),
        "k": RANDOM.integers(0, 5, ROWS),
        "s": RANDOM.choice(["a", "bb", "ccc"], ROWS),
    }
)
P, Q = lf.param("p", 0.5), lf.param("q", 1.5)
X, Y = col("x"), col("y")


@pytest.fixture(params=["0", "off"], ids=["compiled", "vectorized"])
def executor(request, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", request.param)


def frame():
    return lf.from_arrow(DATA).lazy()


QUERIES = {
    "a projection": lambda: frame().select(a=X * P + Q, b=X.clip(P - 1, Q), c=X.fill_null(P), d=(Y.abs() + 0.1) ** P),
    "a constant": lambda: frame().select(a=P + lf.lit(0.0), b=X),
    "conditions": lambda: frame().select(a=lf.when(X > P).then(Q).when(Y > Q).then(X / P).otherwise(None), b=X.is_in([P, Q])),
    "a branch that may fail": lambda: frame().select(a=lf.when(P > 10.0).then((Y * 1e300).cast(int)).otherwise(1)),
    "sums": lambda: frame().select(a=(X * P).sum(), b=(Y * Q).mean(), c=X.filter(Y > P).count(), d=(X * P).max()),
    "groups": lambda: frame().group_by((Y * P).floor().alias("g")).agg(t=(X * Q).sum(), v=X.var() * P).sort("g"),
    "beside a filter": lambda: frame().filter(X > P).select(a=(Y - Q).sum(), b=lf.len()),
    "over a dictionary": lambda: frame().select(a=col("s").str.len_chars() * P, b=lf.when(col("s") == "bb").then(P).otherwise(Q)),
    "above a join": lambda: frame().join(frame().group_by("k").agg(m=(Y * P).mean()), on="k").select(a=(X * col("m")).sum()),
    "windows": lambda: frame().with_columns(r=(Y * P).sum().over("k")).select(a=(col("r") * Q).sum()),
    "an order": lambda: frame().sort((Y - P).abs()).head(5).select(a=Y * Q),
    "distinct values": lambda: frame().select(a=(Y * P).round(1).n_unique(), b=(col("k") * P).sum().distinct()),
}  # fmt: skip


@pytest.mark.parametrize("name", QUERIES)
def test_the_rows_are_those_of_the_values_themselves(executor, name):
    query = QUERIES[name]()
    prepared = lf.prepare(query)
    for p, q in ((0.5, 1.5), (-2.0, 0.0), (0.5, -1.0), (3.0, 3.0)):
        given = {each: value for each, value in (("p", p), ("q", q)) if each in prepared.parameters}
        expected = query.bind(**given).collect().to_arrow()
        assert prepared.to_arrow(**given).equals(expected)


def test_several_threads_have_values_of_their_own(executor):
    prepared = lf.prepare(frame().select(a=(Y * P).sum(), b=lf.len() * Q))
    total = prepared.collect(p=1.0, q=1.0).to_dicts()[0]["a"]

    def run(number):
        row = prepared.collect(p=2.0**number, q=float(number)).to_dicts()[0]
        return row == {"a": total * 2.0**number, "b": 1000.0 * number}

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, [number % 20 for number in range(200)]))


def test_nothing_is_compiled_again_for_other_values(executor, monkeypatch):
    prepared = lf.prepare(frame().select(a=((X * P - Y) ** 2).mean(), b=(Y * Q).sum() * P))
    prepared.collect(p=1.0)
    made = []
    for kind in (Program, Writing):
        init = kind.__init__

        def counted(self, *given, init=init, kind=kind):
            made.append(kind)
            init(self, *given)

        monkeypatch.setattr(kind, "__init__", counted)
    first, second = prepared.collect(p=2.0, q=3.0).to_dicts(), prepared.collect(p=-1.0).to_dicts()
    assert made == []
    x, y = DATA["x"].to_pylist(), DATA["y"].to_pylist()
    for found, p, q in ((first, 2.0, 3.0), (second, -1.0, 1.5)):
        squares = [(a * p - b) ** 2 for a, b in zip(x, y, strict=True) if a is not None]
        assert found[0]["a"] == pytest.approx(sum(squares) / len(squares), rel=1e-12)
        assert found[0]["b"] == pytest.approx(sum(y) * q * p, rel=1e-9)
