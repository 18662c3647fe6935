"""A kernel that finds partners without end stops when the query does."""

import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

ROWS = 100_000


@pytest.fixture(scope="module")
def alike() -> lf.LazyFrame:
    return lf.from_arrow(pa.table({"key": np.zeros(ROWS, dtype=np.int64), "x": np.arange(ROWS)})).lazy()


@pytest.mark.parametrize("threads", [1, 2])
def test_timeouts_end_a_join_of_equal_keys(alike: lf.LazyFrame, threads: int) -> None:
    pairs = alike.join(alike.rename({"x": "y"}), on="key")
    for query in (pairs.select((col("x") * col("y") % 7).sum()), pairs.filter(col("x") + col("y") < -1)):
        with (
            lf.config(timeout=0.3, threads=threads),
            pytest.raises(lf.errors.QueryCancelledError, match="longer than its timeout"),
        ):
            query.collect()
    assert alike.filter(col("x") > 5).collect().count() == ROWS - 6
