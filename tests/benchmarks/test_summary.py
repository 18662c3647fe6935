"""What queries come to together, by hand."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from benchmarks.contenders import Question, suite
from benchmarks.contenders.memory import ENGINES
from benchmarks.options import Options
from benchmarks.runner import OURS, Case
from benchmarks.summary import summary


def test_sum_mean_and_lost_queries():
    cases = [
        Case("a", samples={OURS: [1.0, 2.0, 9.0], "them": [4.0], "now and then": [1.0]}),
        Case("b", samples={OURS: [8.0], "them": [1.0]}),
    ]
    total, mean, lost = summary("both", cases)
    assert total.samples == {OURS: [10.0], "them": [5.0]}
    assert mean.median(OURS) == pytest.approx(4.0)
    assert mean.median("them") == pytest.approx(2.0)
    assert mean.ratio("them") == pytest.approx((2 / 4 * 8 / 1) ** 0.5)  # of ratios, which is the ratio of means
    assert lost.samples == {"them": [1]}


def test_only_questions_that_are_asked_for_and_peers_that_are_named():
    tables = {"t": pa.table({"x": [1, 2, 3]})}
    questions = [Question(name, f"SELECT {name}(x) AS y FROM t") for name in ("min", "max", "sum")]
    found = list(
        suite(
            "three", ENGINES, tables, questions, Options(Path(), rounds=1, only="m[ia]", peers=("duckdb",)), ("polars",)
        )
    )
    assert [case.name for case in found[:3]] == ["min", "max", "2 of three: sum"]
    assert [set(case.samples) for case in found[:2]] == [{OURS, "duckdb"}] * 2
    (one,) = suite("three", ENGINES, tables, questions, Options(Path(), rounds=1, only="sum"), ("polars",))
    assert set(one.samples) == {OURS, "polars"}
    with pytest.raises(ValueError, match="no peer named 'ducks'; there are duckdb-arrow, duckdb, polars"):
        list(suite("three", ENGINES, tables, questions, Options(Path(), peers=("ducks",)), ()))


def test_processor_time_does_not_count_waiting():
    questions = [Question("a", "SELECT 1 AS y FROM t"), Question("b", "SELECT 2 AS y FROM t")]

    @contextmanager
    def sleepy(tables):
        yield lambda question: lambda: (time.sleep(0.05), pa.table({"y": [1]}))[1]

    def seconds(cpu):
        options = Options(Path(), rounds=1, cpu=cpu)
        return next(suite("two", {OURS: sleepy}, {}, questions, options, ())).median(OURS)

    assert seconds(cpu=True) < 0.04 < 0.05 <= seconds(cpu=False)
