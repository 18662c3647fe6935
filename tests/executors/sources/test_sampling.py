"""Samples: near the truth for columns of all shapes, the same whatever was asked before, and silent about broken files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe.executors.sources.memory import MemorySource
from lazyframe.executors.sources.sampling import TableSample
from lazyframe.planner.scalars import Scalar

col = lf.col
ROWS = 400_000


@pytest.fixture(scope="module")
def table() -> pa.Table:
    random = np.random.default_rng(7)
    number = np.arange(ROWS)
    return pa.table(
        {
            "key": random.permutation(number),
            "sorted": number // 4,  # each value four times, in order
            "few": random.integers(12, size=ROWS),
            "many": random.integers(50_000, size=ROWS),
            "cycle": number % 100,  # in step with any even stride
            "text": pa.array(np.array(["a", "b", "c", "d"])[random.integers(4, size=ROWS)]),
            "sparse": pa.array(random.integers(10, size=ROWS), mask=random.random(ROWS) < 0.75),
            "nothing": pa.nulls(ROWS, pa.int64()),
        }
    )


@pytest.fixture(scope="module", params=["memory", "parquet"])
def sample(table: pa.Table, request, tmp_path_factory) -> TableSample:
    if request.param == "memory":
        return MemorySource(table).sample()
    path = tmp_path_factory.mktemp("sample") / "t.parquet"
    pq.write_table(table, path, row_group_size=50_000)
    return lf.scan_parquet(path)._plan.source.sample()


def bound(table: pa.Table, expression: lf.Expr) -> Scalar:
    return lf.from_arrow(table.slice(0, 1)).filter(expression)._plan.predicate


@pytest.mark.parametrize(
    ("column", "true"),
    [("key", 400_000), ("sorted", 100_000), ("few", 12), ("many", 50_000), ("cycle", 100), ("text", 4)],
)
def test_different_values(sample, column, true):
    assert sample.distinct(column) == pytest.approx(true, rel=0.25)


def test_nulls_are_no_values(sample):
    assert sample.distinct("sparse") == pytest.approx(10, rel=0.01)
    assert sample.distinct("nothing") is None


@pytest.mark.parametrize(
    ("expression", "true"),
    [
        (col("few") == 3, 1 / 12),
        (col("cycle") < 30, 0.3),
        (col("text").is_in(["a", "b"]) & (col("few") < 6), 0.25),
        (col("sparse").is_null(), 0.75),
        (col("sparse") >= 0, 0.25),
        (col("text") == "z", 0),
        # Two conditions that say the same keep as much together as each alone.
        ((col("key") < 100_000) & (col("key") < 100_001), 0.25),
    ],
)
def test_what_a_predicate_keeps(table, sample, expression, true):
    assert sample.share(bound(table, expression)) == pytest.approx(true, abs=0.02)


def test_the_same_whatever_was_asked_before(table):
    first, second = MemorySource(table).sample(), MemorySource(table).sample()
    predicate = bound(table, col("few") == 3)
    second.distinct("many")
    second.share(bound(table, col("key") > 3))
    assert first.share(predicate) == second.share(predicate)


def test_what_may_raise_is_not_measured(table, sample):
    assert sample.share(bound(table, col("key") // col("few") > 1)) is None


def test_a_table_sorted_by_a_column_is_clustered_by_it(sample):
    assert sample.is_clustered("sorted")
    assert not sample.is_clustered("few")
    assert not sample.is_clustered("text")


def test_an_empty_table_has_no_sample(table):
    assert MemorySource(table.slice(0, 0)).sample() is None


def test_a_small_table_is_its_own_sample(table):
    few = MemorySource(table.slice(0, 1000)).sample()
    assert few.distinct("key") == 1000
    assert few.share(bound(table, col("sorted") < 100)) == 0.4


def test_a_broken_file_is_only_read_by_the_query(table, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(table.select(["few", "key"]), path, compression=None)
    content = bytearray(path.read_bytes())
    content[1000:200_000] = bytes(199_000)
    path.write_bytes(content)
    source = lf.scan_parquet(path)._plan.source
    assert source.sample().distinct("few") is None
    assert source.sample().share(bound(table, col("few") == 3)) is None


def test_how_many_rows_refer_to_what_a_condition_keeps_of_a_small_table(table, sample):
    kinds = pa.table({"id": pa.array(range(3_000)), "name": pa.array([f"kind {n % 12}" for n in range(3_000)])})
    known = MemorySource(kinds).sample()
    # Of the values 0 to 11 just one is named so, and it is that of every twelfth row.
    condition = bound(kinds, col("name") == "kind 3")
    assert sample.share_with_partner("few", None, known, "id", condition) == pytest.approx(1 / 12, abs=0.02)
    among = bound(table, col("few") < 6)
    assert sample.share_with_partner("few", among, known, "id", condition) == pytest.approx(1 / 6, abs=0.03)
    assert known.share_with_partner("id", None, sample, "few", among) is None  # of a large table not all keys are known
