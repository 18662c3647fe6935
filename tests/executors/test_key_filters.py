"""Scans that leave out rows by the keys of joins above them: the same rows, order and bits as without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.context import Context
from lazyframe.executors.filtered_split import FilteredSplit
from lazyframe.executors.key_set import KeySet
from lazyframe.planner.sources import ColumnStatistics
from tests.differential.comparing import identical, rows, same_rows
from tests.differential.tables import TYPES, pool
from tests.executors.small_scans import run, stored, with_constants

KINDS = ["inner", "left", "right", "full", "semi", "anti"]
RULE = "push_join_filters"


@contextmanager
def eager(sampling: int = 10**9) -> Iterator[None]:
    """Filters for all joins however small, and splits of three rows."""
    with with_constants({
        "planner.rules.push_join_filters.FEWEST_ROWS": 0,
        "planner.rules.push_join_filters._KEPT": 2.0,
        "planner.rules.push_join_filters._MOST_KEPT_ROWS": 1e9,
        "planner.build_side._WORTH_SWAPPING": 1,
        "executors.filtered_scan._WORTH_SAMPLING": sampling,
        "executors.sources.parquet.MORSEL_ROWS": 3,
        "executors.sources.memory.MORSEL_ROWS": 3,
    }):  # fmt: skip
        yield


def check(frame: lf.LazyFrame) -> tuple[pa.Table, Context]:
    """The rows, which are those without filters, for any number of threads."""
    plain, _ = run(frame, disable=(RULE,))
    for threads in (1, 2, 7):
        found, context = run(frame, threads)
        assert identical(found, plain), f"{found.to_pydict()}\nwithout filters\n{plain.to_pydict()}"
    return found, context


@st.composite
def sides(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, list[str]]:
    kinds = draw(st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=2))

    def table(prefix: str) -> pa.Table:
        size = draw(st.sampled_from([0, 1, 4, 9, 14]))
        columns = {
            f"{prefix}{n}": pa.array(
                draw(st.lists(st.one_of(pool(TYPES[kind]), st.none()), min_size=size, max_size=size)), TYPES[kind]
            )
            for n, kind in enumerate(kinds)
        }
        return pa.table({**columns, f"{prefix}_row": pa.array(range(size), pa.int64())})

    return table("l"), table("r"), kinds


def above(frame: lf.LazyFrame, keys: list[str], row: str, what: str) -> lf.LazyFrame:
    """Something between a scan and the join, that filters pass."""
    match what:
        case "filter":
            return frame.filter(col(row) % 3 != 1)
        case "sort":
            return frame.sort(keys[0], descending=True)
        case "group":
            return frame.group_by(keys).agg(col(row).sum())
        case "distinct":
            return frame.unique(subset=keys)
        case "window":
            return frame.with_columns(col(row).cum_sum().over(keys[0]))
        case "twice":
            return lf.concat([frame, frame.filter(col(row) > 2)])
        case "limit":
            return frame.head(5)
        case "numbered":
            return frame.with_row_index("n").with_columns(col("n").cast("int64").alias(row)).drop("n")
    return frame


STEPS = ["scan", "filter", "sort", "group", "distinct", "window", "twice", "limit", "numbered"]


@settings(max_examples=150)
@given(data=st.data())
def test_any_join_gives_the_same_rows(data: st.DataObject) -> None:
    left, right, kinds = data.draw(sides())
    make = stored if data.draw(st.booleans()) else lambda table, group: lf.from_arrow(table)
    group = data.draw(st.sampled_from([1, 2, 5]))
    own, others = [f"l{n}" for n in range(len(kinds))], [f"r{n}" for n in range(len(kinds))]
    a = above(make(left, group), own, "l_row", data.draw(st.sampled_from(STEPS)))
    b = above(make(right, group), others, "r_row", data.draw(st.sampled_from(STEPS)))
    kind, nulls_equal = data.draw(st.sampled_from(KINDS)), data.draw(st.booleans())
    joined = a.join(b, left_on=own, right_on=others, how=kind, nulls_equal=nulls_equal, coalesce=False)
    with eager(sampling=data.draw(st.sampled_from([1, 10**9]))):
        check(joined)


@settings(max_examples=100)
@given(data=st.data())
def test_joins_over_joins_give_the_same_rows_as_another_engine(data: st.DataObject) -> None:
    tables = {}
    for name in "abc":
        size = data.draw(st.sampled_from([0, 1, 5, 12]))
        values = st.lists(
            st.one_of(st.sampled_from([0.0, -0.0, 1.0, 2.0, float("nan")]), st.none()), min_size=size, max_size=size
        )
        tables[name] = pa.table({
            "k": pa.array(data.draw(values), pa.float64()),
            "j": pa.array(data.draw(values), pa.float64()),
            "v": pa.array(range(size), pa.int64()),
        })  # fmt: skip
    first, second = (data.draw(st.sampled_from(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])) for _ in range(2))
    inner = data.draw(
        st.sampled_from(
            ["c", "(SELECT k, j, max(v) AS v FROM c GROUP BY k, j)", "(SELECT DISTINCT k, j, 1 AS v FROM c)"]
        )
    )
    where = data.draw(st.sampled_from(["", "WHERE a.v > 1", "WHERE a.k IN (SELECT k FROM b WHERE v > 2)", "WHERE NOT EXISTS (SELECT 1 FROM c AS d WHERE d.k = a.k AND d.v < 3)"]))  # fmt: skip
    sql = (
        f"SELECT a.v AS x, b.v AS y, c.v AS z FROM a {first} b ON a.k = b.k {second} {inner} AS c ON b.j = c.j {where}"
    )
    frames = {name: stored(table, data.draw(st.sampled_from([1, 3]))) for name, table in tables.items()}
    with eager(sampling=data.draw(st.sampled_from([1, 10**9]))):
        found, _ = check(lf.sql(sql, **frames))
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        theirs = rows(connection.sql(sql).to_arrow_table())
    assert same_rows(rows(found), theirs, ordered=False), sql


def test_a_filter_is_there_when_the_build_side_is_complete_and_not_before():
    """`v = 1 OR v = 10000000` on a build side of many splits finds both rows: datafusion#17188."""
    numbers = list(range(1, 200_001))
    big = stored(pa.table({"v": [*numbers, 10_000_000], "w": [*numbers, 0]}), 10_000)
    chosen = big.filter((col("v") == 1) | (col("v") == 10_000_000)).select(k="v")
    for joined in (
        big.join(chosen, left_on="v", right_on="k"),
        big.join(chosen, left_on="v", right_on="k", how="semi"),
    ):
        assert "among keys 1" in joined.explain()
        for threads in (1, 2, 7):
            with lf.config(threads=threads):
                assert joined.sort("v").to_dict()["v"] == [1, 10_000_000]


def test_row_groups_that_hold_no_key_are_not_read():
    big = stored(pa.table({"k": range(100_000), "w": range(100_000)}), 1_000)
    few = lf.from_dict({"j": [5_500, 5_501, 77_000, None], "v": [1, 2, 3, 4]}).filter(col("v") < 5)
    joined = big.join(few, left_on="k", right_on="j")
    with patch("lazyframe.planner.rules.push_join_filters._KEPT", 2.0):
        found, context = run(joined)
    assert found.column("w").to_pylist() == [5_500, 5_501, 77_000]
    assert context.metrics.groups_read <= 4  # two groups, and of both the keys and then the rest
    assert sum(context.measured.groups_left_out.values()) == 98


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="tells open files on Linux only")
def test_a_scan_of_many_files_keeps_few_of_them_open(tmp_path):
    for part in range(60):
        pq.write_table(
            pa.table({"k": [n * 60 + part for n in range(500)], "w": range(500)}), tmp_path / f"{part:02}.parquet"
        )
    opened: list[int] = []

    def watched(split, metrics):
        opened.append(len(list(Path("/proc/self/fd").iterdir())))
        return read(split, metrics)

    read = FilteredSplit.read
    few = lf.from_dict({"j": list(range(0, 30_000, 50)), "v": [n % 10 for n in range(600)]}).filter(col("v") == 3)
    joined = lf.scan_parquet(tmp_path).join(few, left_on="k", right_on="j")
    assert "among keys" in joined.explain()
    with patch.object(FilteredSplit, "read", watched):
        found, _ = run(joined, 2)
    assert sorted(found.column("k").to_pylist()) == [50 * n for n in range(600) if n % 10 == 3]
    assert max(opened) - min(opened) <= 6


def test_where_no_key_is_there_nothing_is_read():
    big = stored(pa.table({"k": range(100_000), "w": range(100_000)}), 1_000)
    none = lf.from_dict({"j": [1, 2, None]}).filter(col("j") > 2)
    found, context = run(big.join(none, left_on="k", right_on="j"))
    assert found.num_rows == 0
    assert context.metrics.rows == 3


def test_an_aggregate_below_a_left_join_reads_the_keys_of_the_left_side():
    size = 50_000
    big = stored(pa.table({"k": [n % 5_000 for n in range(size)], "x": [n / 7 for n in range(size)]}), 4_000)
    few = lf.from_dict({"j": list(range(100)), "v": list(range(100))}).filter(col("v") == 42)
    joined = few.join(big.group_by("k").agg(col("x").sum()), left_on="j", right_on="k", how="left", coalesce=False)
    assert "left first as keys 1" in joined.explain()
    found, context = check(joined)
    expected = 0.0
    for n in range(42, size, 5_000):
        expected += n / 7
    assert found.column("x").to_pylist() == [pytest.approx(expected)]
    assert context.metrics.rows - 100 - sum(context.measured.rows_left_out.values()) == 10


def test_plans_that_run_together_are_not_filtered_for_each_other():
    big = stored(pa.table({"k": range(50_000), "w": range(50_000)}), 5_000).filter(col("w") >= 0)
    few = lf.from_dict({"j": list(range(1_000)), "v": list(range(1_000))})
    frames = [big.join(few.filter(col("v") == n), left_on="k", right_on="j", how="semi") for n in (3, 4)]
    found = lf.collect_all([*frames, big.select(lf.len())])
    assert [table.to_dicts() for table in found] == [[{"k": 3, "w": 3}], [{"k": 4, "w": 4}], [{"len": 50_000}]]


def test_the_rule_can_be_switched_off():
    big = stored(pa.table({"k": range(50_000), "w": range(50_000)}), 5_000)
    few = lf.from_dict({"j": list(range(1_000)), "v": list(range(1_000))}).filter(col("v") == 3)
    joined = big.join(few, left_on="k", right_on="j", how="semi")
    assert "among keys" in joined.explain()
    with lf.config(disable=[RULE]):
        assert "among keys" not in joined.explain()


KEPT = "lazyframe.planner.rules.push_join_filters.share_kept"


def test_a_row_that_loses_its_partner_in_between_raises_no_error():
    """An anti join drops the rows that would divide by zero; their partners are no keys of the join above."""
    a = stored(pa.table({"k": range(100), "x": [1 - n % 2 for n in range(100)]}), 10)
    b = stored(pa.table({"k": range(1, 100, 2)}), 10)
    c = stored(pa.table({"k": [2, 4]}), 10)
    joins = {
        "not exists (select 1 from b where b.k = a.k)": "10 // x",
        "true": "case when exists (select 1 from b where b.k = a.k) then 0 else 10 // x end",
    }
    for condition, value in joins.items():
        inner = f"select k, {value} as v from (select * from a limit 90) a where {condition}"
        query = lf.sql(f"select g.k, g.v from ({inner}) g join c on g.k = c.k", a=a, b=b, c=c)
        with eager(), patch(KEPT, return_value=0.0):
            assert check(query)[0].to_pydict() == {"k": [2, 4], "v": [10, 10]}
    left = "select a.k, case when b.k is null then 10 // x else 5 end as v from (select * from a limit 90) a left join b on b.k = a.k"
    query = lf.sql(f"select g.k, g.v from ({left}) g join c on g.k = c.k", a=a, b=b, c=c)
    with eager(), patch(KEPT, return_value=0.0):
        assert check(query)[0].to_pydict() == {"k": [2, 4], "v": [10, 10]}


@pytest.mark.parametrize(
    "inner",
    [
        "select k, 10 // max(x) as v from a group by k",
        "select k, 10 // x as v from (select distinct on (k) k, x from a)",
        "select k, 10 // m as v from (select k, max(x) over (partition by k) as m from a)",
        "select k, sum(case when x = 0 then 9223372036854775807 else -9223372036854775807 end) as v from a group by k",
        "select k, 10 // max(x) as v from (select * from a union all select * from d) group by k",
    ],
)
def test_a_part_of_a_group_that_no_join_asks_for_raises_no_error(inner):
    """Of k = 50 the first row group, which holds no key, has the one row without which the others are an error."""
    a = pa.table({"k": [50] * 3 + [1, 50, 50] * 20, "x": [1] * 3 + [1, 0, 0] * 20})
    d = pa.table({"k": [50], "x": [0]})
    if "sum" in inner:
        a = pa.table({"k": [50] * 3 + [1, 50, 1] * 3, "x": [1] * 3 + [0, 0, 1] * 3})
    c = pa.table({"k": [1]})
    query = f"select distinct g.k, g.v from ({inner}) g join c on g.k = c.k"
    frames = {"a": stored(a, 3), "d": lf.from_arrow(d), "c": stored(c, 3)}
    for keeps in (0.0, 1.0):
        with (
            eager(sampling=1),
            patch(KEPT, return_value=0.0),
            patch("lazyframe.executors.filtered_scan._MOST_KEPT", keeps),
        ):
            found, _ = check(lf.sql(query, **frames))
            assert found.column("k").to_pylist() == [1]


@pytest.mark.parametrize(
    ("keys", "nulls_equal", "low", "high", "nulls", "expected"),
    [
        ([3, 9, None], False, 4, 8, 0, False),
        ([3, 9, None], False, 4, 9, 0, True),
        ([3, 9, None], False, 10, 12, 1, False),
        ([3, 9, None], True, 10, 12, 1, True),
        ([3, 9, None], True, 10, 12, 0, False),
        ([3, 9], True, 10, 12, 1, False),
        ([None], False, 1, 2, 1, False),
        ([], False, 1, 2, 0, False),
        ([3], False, None, None, 0, True),
        ([3], False, None, None, 5, False),
        (["a", "m"], False, "b", "l", 0, False),
        (["a", "m"], False, "b", "n", 0, True),
        ([1.5, -0.0], False, 0.0, 0.5, 0, True),
        ([1.5], False, 0.0, 0.5, 0, False),
        ([1.5, float("nan")], False, 0.0, 0.5, 0, True),
        ([True], False, False, False, 0, False),
    ],
)
def test_bounds_of_row_groups(keys, nulls_equal, low, high, nulls, expected):
    column = pa.array(keys, None if any(k is not None for k in keys) else pa.int64())
    known = KeySet()
    known.give(column, column.type, None, alone=False, nulls_equal=nulls_equal)
    assert known.may_hold(ColumnStatistics(low, high, nulls), column.type, 5) is expected
