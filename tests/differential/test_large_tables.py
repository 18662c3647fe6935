"""Tables of many morsels and many groups, where operators change their ways: equal to DuckDB, to the bit with any threads."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from unittest import mock

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.sources import memory
from tests.differential.questions import Questions, check

ROWS = 60_000

questions = Questions()
ask = questions.ask


def made() -> dict[str, pa.Table]:
    rng = np.random.default_rng(7)

    def some_nulls(values: np.ndarray, share: float, dtype: pa.DataType) -> pa.Array:
        return pa.array(values, mask=rng.random(len(values)) < share).cast(dtype)

    floats = rng.normal(0, 1e6, ROWS).round(3)
    floats[rng.random(ROWS) < 0.01] = np.nan
    floats[rng.random(ROWS) < 0.01] = -0.0
    facts = pa.table(
        {
            "id": np.arange(ROWS),
            "many": rng.integers(0, 45_000, ROWS),
            "few": some_nulls(rng.integers(0, 7, ROWS), 0.05, pa.int8()),
            "far": rng.integers(-(2**62), 2**62, ROWS) // 2**40 * 2**40,
            "f": some_nulls(floats, 0.02, pa.float64()),
            "d": some_nulls(rng.integers(-(10**6), 10**6, ROWS), 0.02, pa.decimal128(24, 2)),
            "s": pa.array([f"name {n}" if n % 11 else None for n in rng.integers(0, 18_000, ROWS)]),
            "day": pa.array(rng.integers(0, 20_000, ROWS).astype("M8[D]")),
            "b": some_nulls(rng.random(ROWS) < 0.5, 0.1, pa.bool_()),
        }
    )
    keys = rng.permutation(54_000)[:15_000]
    dims = pa.table(
        {
            "k": np.concatenate([keys, keys[:1_500]]),
            "w": rng.integers(0, 100, 16_500),
            "t": [f"name {n}" for n in range(16_500)],
        }
    )
    return {"facts": facts, "dims": dims}


@pytest.fixture(scope="module")
def arrow():
    return made()


@pytest.fixture(scope="module", params=["memory", "parquet"])
def tables(request, arrow, tmp_path_factory):
    with mock.patch.object(memory, "MORSEL_ROWS", 7_000):
        if request.param == "memory":
            yield SimpleNamespace(**{name: lf.from_arrow(table).lazy() for name, table in arrow.items()})
            return
        folder = tmp_path_factory.mktemp("large")
        for name, table in arrow.items():
            pq.write_table(table, folder / f"{name}.parquet", row_group_size=5_000)
        yield SimpleNamespace(**{name: lf.scan_parquet(folder / f"{name}.parquet") for name in arrow})


@pytest.fixture(scope="module")
def connection(arrow) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as found:
        for name, table in arrow.items():
            found.register(name, table)
        yield found


@ask(
    "SELECT many, count(*) AS n, sum(f) AS f, sum(d) AS d, min(s) AS low, max(day) AS last FROM facts WHERE many % 3 = 0 GROUP BY many ORDER BY many"
)
def many_groups(t):
    f = t.facts.filter(col("many") % 3 == 0).group_by("many")
    return f.agg(n=lf.len(), f=col("f").sum(), d=col("d").sum(), low=col("s").min(), last=col("day").max()).sort("many")


@ask(
    "SELECT few, count(f) AS n, min(f) AS low, max(id) AS m, count(DISTINCT s) AS names, median(id) AS mid, bool_or(b) AS b FROM facts GROUP BY few ORDER BY few"
)
def few_groups(t):
    return (
        t.facts.group_by("few")
        .agg(n=col("f").count(), low=col("f").min(), m=col("id").max(), names=col("s").count().distinct(),
             mid=col("id").median(), b=col("b").any())
        .sort("few")
    )  # fmt: skip


@ask("SELECT s, few, count(*) AS n, arg_min(id, id) AS first FROM facts GROUP BY s, few ORDER BY s, few")
def groups_of_strings(t):
    return t.facts.group_by("s", "few").agg(n=lf.len(), first=col("id").first()).sort("s", "few")


@ask("SELECT f, count(*) AS n, min(id) AS first FROM facts GROUP BY f HAVING count(*) > 1 ORDER BY first")
def groups_of_floats(t):
    return t.facts.group_by("f").agg(n=lf.len(), first=col("id").min()).filter(col("n") > 1)


@ask(
    "SELECT far, d, count(*) AS n FROM facts GROUP BY far, d HAVING count(*) >= 1 ORDER BY far DESC, d NULLS FIRST LIMIT 1000"
)
def groups_of_wide_keys(t):
    return t.facts.group_by("far", "d").agg(n=lf.len()).sort(lf.desc("far"), lf.asc("d", nulls_first=True)).head(1000)


@ask("SELECT id, w, t FROM facts JOIN dims ON many = k ORDER BY id, w, t")
def inner_join(t):
    return t.facts.join(t.dims, left_on="many", right_on="k").select("id", "w", "t").sort("id", "w", "t")


@ask(
    "SELECT few, w, count(*) AS n FROM facts LEFT JOIN dims ON many = k AND w > 10 * few GROUP BY few, w ORDER BY few, w"
)
def left_join_with_condition(t):
    on = (col("many") == col("k")) & (col("w") > col("few").cast("int64") * 10)
    return t.facts.join(t.dims, on=on, how="left").group_by("few", "w").agg(n=lf.len()).sort("few", "w")


@ask("SELECT id, k FROM facts FULL JOIN dims ON s = t AND day > DATE '2000-01-01' ORDER BY id NULLS LAST, k")
def full_join_of_strings(t):
    on = (col("s") == col("t")) & (col("day") > "2000-01-01")
    return t.facts.join(t.dims, on=on, how="full").select("id", "k").sort("id", "k")


@ask("SELECT id FROM facts WHERE many NOT IN (SELECT k FROM dims) ORDER BY id")
def anti_join(t):
    return t.facts.join(t.dims, left_on="many", right_on="k", how="anti").select("id")


@ask("SELECT id, few, f, s FROM facts ORDER BY few DESC NULLS LAST, f NULLS FIRST, s DESC NULLS LAST, id")
def sort_by_four_keys(t):
    return t.facts.select("id", "few", "f", "s").sort(lf.desc("few"), lf.asc("f", nulls_first=True), lf.desc("s"), "id")


@ask("SELECT id FROM facts ORDER BY day, id LIMIT 15000 OFFSET 1000")
def slice_of_a_sort(t):
    return t.facts.sort("day").slice(1000, 15_000).select("id")


@ask("SELECT id, s FROM facts ORDER BY s DESC NULLS LAST, id LIMIT 77")
def top_of_strings(t):
    return t.facts.top_k(77, by="s").select("id", "s")


@ask("SELECT min(id) AS id, s FROM facts GROUP BY s ORDER BY id")
def first_of_each(t):
    return t.facts.unique("s").select("id", "s")


@ask("SELECT many AS k FROM facts INTERSECT ALL SELECT k FROM dims ORDER BY k")
def common_bag(t):
    return t.facts.select(k="many").intersect(t.dims.select("k"), keep_duplicates=True).sort("k")


@ask("SELECT k FROM dims EXCEPT SELECT many FROM facts ORDER BY k")
def surplus(t):
    return t.dims.select("k").except_(t.facts.select(k="many")).sort("k")


@ask(
    "SELECT sum(id) AS i, count(f) AS n, sum(f) FILTER (WHERE NOT isnan(f)) AS f, avg(f) FILTER (WHERE f < 1e9) AS m, stddev_samp(id) AS sd FROM facts"
)
def totals(t):
    f = col("f")
    return t.facts.select(
        i=col("id").sum(), n=f.count(), f=f.sum().filter(f.is_not_nan()), m=f.mean().filter(f < 1e9), sd=col("id").std()
    )


@ask(
    "SELECT id, id - (SELECT min(id) FROM facts WHERE few = 3) AS r FROM facts WHERE few = 3 AND b ORDER BY id LIMIT 10 OFFSET 100"
)
def aggregates_beside_rows(t):
    return (
        t.facts.filter(few=3).with_columns(r=col("id") - col("id").min()).filter("b").select("id", "r").slice(100, 10)
    )


@pytest.mark.parametrize("name", questions)
def test_question(name, tables, connection):
    check(questions[name], tables, connection, None)
