"""What a query held goes with its last reference: nothing waits for the garbage collector."""

import gc
from collections import Counter
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.batch import Batch

ROWS = 150_000


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> lf.LazyFrame:
    path = tmp_path_factory.mktemp("facts") / "facts.parquet"
    numbers = np.arange(ROWS)
    table = pa.table({"key": numbers % 5000, "many": numbers // 2, "name": np.char.add("n", (numbers % 7).astype(str))})
    pq.write_table(table, path, row_group_size=30_000)
    return lf.scan_parquet(path)


@pytest.fixture(scope="module")
def names() -> lf.LazyFrame:
    keys = np.arange(0, 5000, 2)
    return lf.from_arrow(
        pa.table({"key": keys, "title": np.char.add("title of some length ", keys.astype(str))})
    ).lazy()


QUERIES: dict[str, Callable[[lf.LazyFrame, lf.LazyFrame], lf.LazyFrame]] = {
    "join": lambda facts, names: facts.join(names, on="key").filter(col("many") > 40_000),
    "join of few keys": lambda facts, names: facts.join(names.filter(col("key") < 30), on="key"),
    "many groups": lambda facts, names: facts.group_by("many").agg(lf.len().alias("n"), col("key").sum()),
    "groups of a join by text": lambda facts, names: facts.join(names, on="key").group_by("title").agg(lf.len()),
    "test of a dictionary": lambda facts, names: facts.filter(col("name").str.starts_with("n3")),
    "sort": lambda facts, names: facts.sort("many", descending=True),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", QUERIES)
def test_no_batch_outlives_its_query(facts: lf.LazyFrame, names: lf.LazyFrame, name: str, compiled: bool) -> None:
    def held() -> Counter[str]:
        return Counter(
            type(o).__name__ for o in gc.get_objects() if isinstance(o, Batch) or "Table" in type(o).__name__
        )

    with lf.config(compiled=compiled, threads=2):
        QUERIES[name](facts, names).collect()
        gc.collect()
        before = held()
        gc.disable()
        try:
            answer = QUERIES[name](facts, names).collect()
            assert len(answer)
            del answer
            left = held() - before
        finally:
            gc.enable()
    assert not left
