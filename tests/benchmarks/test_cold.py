"""What runs in processes of its own says what was asked of it."""

from __future__ import annotations

import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.cold import ALONE, small
from benchmarks.fresh import timed
from benchmarks.peaks import SUITES


@pytest.fixture(name="folder")
def _folder(tmp_path):
    lineitem = {
        "l_quantity": [10, 24, 10, 10],
        "l_discount": [0.06, 0.06, 0.06, 0.01],
        "l_shipdate": pa.array(["1994-01-01", "1994-05-01", "1994-12-31", "1994-02-01"]).cast(pa.date32()),
        "l_extendedprice": [100.0, 100.0, 200.0, 300.0],
    }
    pq.write_table(pa.table(lineitem), tmp_path / "lineitem.parquet")
    nation = {"n_regionkey": [1, 1, 2, 3], "n_name": ["KENYA", "PERU", "CHINA", "FRANCE"]}
    pq.write_table(pa.table(nation), tmp_path / "nation.parquet")
    return tmp_path


@pytest.mark.parametrize("contender", ["lazyframe", "duckdb", "polars-streaming"])
def test_a_suite_alone_tells_rows_times_and_memory(folder, contender):
    seconds, said = timed([str(ALONE), contender, str(folder), "q06"])
    found = json.loads(said)
    assert found["queries"]["q06"]["rows"] == 1
    assert 0 < found["queries"]["q06"]["seconds"] < seconds
    assert found["peak"] == 0 or found["peak"] > 2**24


def test_every_contender_prints_the_small_query(folder):
    case = small(folder, 1)
    assert set(case.samples) == {"lazyframe", "lazyframe, SQL", "duckdb", "polars"}
    assert all(len(found) == 1 for found in case.samples.values())


def test_suites_in_memory_ask_all_their_questions(tmp_path, monkeypatch):
    assert {name: len(questions) for name, (_, questions) in SUITES.items()} == {"tpch": 22, "groups": 10, "joins": 5}
    monkeypatch.chdir(ALONE.parents[2])
    _, said = timed(["-m", "benchmarks.peaks", "groups", "lazyframe", str(tmp_path), "0.0001"])
    assert int(said) > 2**24


def test_settings_reach_the_process():
    _, said = timed(["-c", "import os; print(os.environ['SOME_SETTING'])"], {"SOME_SETTING": "here"})
    assert said == "here\n"


@pytest.mark.skipif(sys.platform == "win32", reason="the system does not tell")
def test_processor_time_of_a_process_does_not_count_waiting():
    waiting, _ = timed(["-c", "import time; time.sleep(3)"], cpu=True)
    assert 0 < waiting < 2
