"""The tables of db-benchmark have the published shape, and all engines give the same answers to its questions."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pyarrow.compute as pc
import pytest

from benchmarks.contenders import ask
from benchmarks.contenders.memory import ENGINES
from benchmarks.h2o.data import grouping_table, join_tables
from benchmarks.h2o.questions import GROUPINGS, JOINS

_ROWS = 20_000
_ENGINES = {name: engine for name, engine in ENGINES.items() if name != "datafusion" or find_spec("datafusion")}


@pytest.fixture(name="groups", scope="module")
def _groups(tmp_path_factory):
    return grouping_table(tmp_path_factory.mktemp("groups"), _ROWS)


@pytest.fixture(name="joins", scope="module")
def _joins(tmp_path_factory):
    return join_tables(tmp_path_factory.mktemp("joins"), _ROWS)


def test_keys_and_values_of_the_grouping_table(groups):
    x = groups["x"]
    assert x.schema.names == ["id1", "id2", "id3", "id4", "id5", "id6", "v1", "v2", "v3"]
    assert x.num_rows == _ROWS
    assert pc.min_max(x["id1"]).as_py() == {"min": "id001", "max": "id100"}
    assert pc.min_max(x["id3"]).as_py() == {"min": "id0000000001", "max": "id0000000200"}
    assert [len(x[name].unique()) for name in ("id1", "id2", "id3", "id4", "id5", "id6")] == [
        100,
        100,
        200,
        100,
        100,
        200,
    ]
    assert pc.min_max(x["v1"]).as_py() == {"min": 1, "max": 5}
    assert pc.min_max(x["v2"]).as_py() == {"min": 1, "max": 15}
    assert x["v3"].to_numpy().round(6).tolist() == x["v3"].to_pylist()


def test_nine_of_ten_keys_have_a_partner(joins):
    x, large, medium = joins["x"], joins["large"], joins["medium"]
    assert [joins[name].num_rows for name in ("x", "small", "medium", "large")] == [_ROWS, 10, 20, _ROWS]
    assert len(large["id3"].unique()) == len(x["id3"].unique()) == _ROWS
    assert len(np.intersect1d(large["id3"].to_numpy(), x["id3"].to_numpy())) == _ROWS * 9 // 10
    assert len(np.intersect1d(medium["id2"].to_numpy(), x["id2"].to_numpy())) == 18
    assert large["id6"].to_pylist()[:5] == [f"id{key}" for key in large["id3"].to_pylist()[:5]]


def test_a_kept_table_is_read_again(tmp_path):
    assert grouping_table(tmp_path, 1000)["x"].equals(grouping_table(tmp_path, 1000)["x"])


def test_all_engines_give_the_same_groups(groups):
    assert len(list(ask(_ENGINES, groups, GROUPINGS, rounds=1))) == 10


def test_all_engines_give_the_same_joins(joins):
    cases = list(ask(_ENGINES, joins, JOINS, rounds=1))
    assert [set(case.samples) for case in cases] == [set(_ENGINES)] * 5
