"""Aggregation by kernels, beside the vectorized one (bits and order) and DuckDB (values)."""

from __future__ import annotations

import datetime as dt
import math
import warnings
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.executors.compiled import group_totals, reduce_records
from lazyframe.executors.compiled.aggregation import CompiledAggregation
from lazyframe.executors.compiled.reduce_records import ReduceRecords
from lazyframe.executors.sources import memory
from lazyframe.planner.errors import EvaluationError

ROWS = 300_000
NEW_YEAR = dt.datetime.fromisoformat("2000-01-01")


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_CHECKED", "1")
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")


def found(sql, threads=2, **tables):
    with lf.config(threads=threads):
        return lf.sql(sql, **tables).collect().to_arrow().combine_chunks()


def vectorized(monkeypatch, sql, **tables):
    with monkeypatch.context() as patch:
        patch.setenv("LAZYFRAME_COMPILED", "off")
        return found(sql, **tables)


def bits(table):
    """The values of a table, floats by their bits."""
    columns = []
    for column in table.columns:
        if pa.types.is_float64(column.type):
            column = column.combine_chunks()
            valid = column.is_valid()
            column = pa.array(
                column.fill_null(0.0).to_numpy(zero_copy_only=False).view(np.int64), mask=~np.asarray(valid)
            )
        columns.append(column.to_pylist())
    return columns


def drawn(groups, seed=1, rows=ROWS):
    random = np.random.default_rng(seed)
    k = random.integers(0, groups, rows)
    return pa.table(
        {
            "k": pa.array(k, mask=random.random(rows) < 0.01),
            "small": pa.array((k % 7).astype(np.int8)),
            "short": pa.array([None if i % 97 == 5 else str(i % 5003) for i in k.tolist()]),
            "long": pa.array([f"a string of many bytes, {i % 9001}" for i in k.tolist()]),
            "f": pa.array(
                random.normal(size=rows) * 10.0 ** random.integers(-8, 8, rows), mask=random.random(rows) < 0.1
            ),
            "i": pa.array(random.integers(-(10**6), 10**6, rows), mask=random.random(rows) < 0.1),
            "d": pa.array(random.integers(0, 10**9, rows)).cast(pa.decimal128(21, 2)),
            "flag": pa.array(random.random(rows) < 0.5),
        }
    )


QUESTIONS = (
    "SELECT k, count(*) AS n, sum(f) AS f, sum(i) AS i, min(i) AS least, max(f) AS most, avg(f) AS af, avg(i) AS ai FROM x GROUP BY k",
    "SELECT short, long, sum(i) AS i, count(f) AS c, sum(d) AS d FROM x WHERE i > 0 GROUP BY short, long",
    "SELECT short, k, small, sum(f) FILTER (WHERE i > 0) AS f, max(d) AS d, bool_and(flag) AS b FROM x GROUP BY short, k, small",
    "SELECT flag, sum(f) AS f, avg(d) AS d FROM x GROUP BY flag",
    "SELECT sum(f) AS f, sum(i) AS i, count(*) AS n, max(i) AS most FROM x WHERE i > 100",
)


@pytest.mark.parametrize("groups", [10, 20_000, 10**6])
@pytest.mark.parametrize("sql", QUESTIONS)
def test_order_and_bits_are_those_of_the_vectorized_path_for_any_number_of_threads(monkeypatch, groups, sql):
    x = drawn(groups)
    expected = bits(vectorized(monkeypatch, sql, x=x))
    for threads in (1, 2, 7):
        assert bits(found(sql, threads, x=x)) == expected


@pytest.mark.parametrize("sql", QUESTIONS)
def test_values_are_those_of_duckdb(sql):
    x = drawn(30_000)
    theirs = duckdb.connect()
    theirs.register("x", x)
    expected = theirs.sql(sql).fetchall()
    mine = list(zip(*[column.to_pylist() for column in found(sql, x=x).columns], strict=True))

    def key(row):
        return [str(value) for value in row if not isinstance(value, float | Decimal)]

    for a, b in zip(sorted(mine, key=key), sorted(expected, key=key), strict=True):
        for u, v in zip(a, b, strict=True):
            if isinstance(u, float | Decimal) and v is not None:
                assert math.isclose(u, v, rel_tol=1e-9, abs_tol=1e-6)
            else:
                assert u == v


DISTINCT_QUESTIONS = (
    "SELECT count(DISTINCT k) AS n FROM x",
    "SELECT small, count(DISTINCT short) AS n, sum(i) AS i, count(*) AS c, max(i) AS m, avg(i) AS a FROM x GROUP BY small",
    "SELECT short, count(DISTINCT f) AS n, sum(DISTINCT f) AS s FROM x WHERE i > 0 GROUP BY short",
    "SELECT flag, count(DISTINCT long) AS n, sum(i) FILTER (WHERE flag) AS i FROM x GROUP BY flag",
    "SELECT DISTINCT k, flag FROM x",
    "SELECT DISTINCT small FROM x WHERE i > 0",
    "SELECT DISTINCT short, long FROM x",
    "SELECT count(DISTINCT k) AS n, count(k) AS c FROM x WHERE i > 100000000",
    "SELECT k, count(DISTINCT short) AS n FROM x WHERE i > 100000000 GROUP BY k",
)


@pytest.mark.parametrize("groups", [10, 10**6])
@pytest.mark.parametrize("sql", DISTINCT_QUESTIONS)
def test_different_values_are_those_of_the_vectorized_path_and_of_duckdb(monkeypatch, groups, sql):
    x = drawn(groups)
    answer = vectorized(monkeypatch, sql, x=x)
    for threads in (1, 2, 7):
        assert bits(found(sql, threads, x=x)) == bits(answer)
    theirs = duckdb.connect()
    theirs.register("x", x)
    assert answer.num_rows == theirs.sql(sql).to_arrow_table().num_rows
    if "n" in answer.column_names:
        expected = theirs.sql(f"SELECT n FROM ({sql})").fetchall()
        assert sorted(answer["n"].to_pylist()) == sorted(n for (n,) in expected)


def test_of_the_zeros_the_one_that_came_first_stands_for_both():
    x = pa.table({"k": pa.array([-0.0, 0.0, 1.0] * 50_000)})
    for sql in ("SELECT DISTINCT k FROM x", "SELECT k FROM x GROUP BY k"):
        assert [math.copysign(1, k) for k in found(sql, x=x)["k"].to_pylist()] == [-1.0, 1.0]


def test_unique_values_count_null_as_one():
    x = pa.table({"k": [1, 1, 2, 2] * 50_000, "v": [None, 1, None, None] * 50_000})
    with lf.config(threads=2):
        answer = lf.from_arrow(x).lazy().group_by("k").agg(lf.col("v").n_unique().alias("n")).collect().to_arrow()
    assert answer.to_pydict() == {"k": [1, 2], "n": [2, 1]}


def test_groups_come_in_order_of_first_appearance_over_many_batches():
    random = np.random.default_rng(3)
    k = random.integers(0, 200_000, 400_000)
    answer = found("SELECT k, count(*) AS n FROM x GROUP BY k", x=pa.table({"k": k}))
    _, first = np.unique(k, return_index=True)
    assert answer["k"].to_pylist() == k[np.sort(first)].tolist()
    assert sum(answer["n"].to_pylist()) == len(k)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_groups_in_many_segments_come_in_order_while_the_first_are_let_go_of(monkeypatch, threads):
    monkeypatch.setattr(group_totals, "SEGMENT_BYTES", 1)
    monkeypatch.setattr(reduce_records, "MORSEL_ROWS", 20_000)
    monkeypatch.setattr(reduce_records, "_MOST_WAITING_WORDS", 1 << 20)
    monkeypatch.setattr(reduce_records, "_WAITING_WORDS", 1 << 19)
    random = np.random.default_rng(4)
    k = random.integers(0, 300_000, 600_000)
    texts = pa.array([f"a string of many bytes, {i}" for i in k.tolist()])
    x = pa.table(
        {"k": pa.array(k.astype(np.int32)), "t": texts, "b": pa.array((k % 5).astype(np.int8), mask=k % 7 == 0)}
    )
    answer = found("SELECT b, k, t, count(*) AS n FROM x GROUP BY b, k, t", threads, x=x)
    _, first = np.unique(k, return_index=True)
    expected = k[np.sort(first)]
    assert answer["k"].to_pylist() == expected.tolist()
    assert answer["t"].to_pylist() == [f"a string of many bytes, {i}" for i in expected.tolist()]
    assert answer["b"].to_pylist() == [None if i % 7 == 0 else i % 5 for i in expected.tolist()]
    assert answer["n"].to_pylist() == np.bincount(k)[expected].tolist()


@pytest.mark.parametrize("checked", ["0", "1"])
def test_keys_that_share_a_word(monkeypatch, checked):
    monkeypatch.setenv("LAZYFRAME_CHECKED", checked)
    n = 200_000
    i = np.arange(n)
    x = pa.table(
        {
            "a": pa.array((i % 3 - 1).astype(np.int32) * np.int32(2**31 - 1), mask=i % 11 == 0),
            "b": pa.array(i % 2 == 0),
            "c": pa.array(i * 7 % 10_000),
            "d": pa.array((i % 5).astype(np.uint32) * np.uint32(1_000_000_000), mask=i % 13 == 0),
            "e": pa.array((i % 4 - 2).astype(np.int8)),
        }
    )
    sql = "SELECT a, b, c, d, e, count(*) AS n FROM x GROUP BY a, b, c, d, e"
    theirs = duckdb.connect()
    theirs.register("x", x)
    mine = list(zip(*[column.to_pylist() for column in found(sql, x=x).columns], strict=True))
    assert sorted(mine, key=str) == sorted(theirs.sql(sql).fetchall(), key=str)


def test_nan_is_one_group_and_so_are_the_zeros_and_null_is_another():
    x = pa.table({"k": [0.0, math.nan, -0.0, None, math.nan, None, 1.0], "v": [1, 2, 3, 4, 5, 6, 7]})
    answer = found("SELECT k, sum(v) AS v FROM x GROUP BY k", x=x).to_pydict()
    assert answer["v"] == [4, 7, 10, 7]
    assert answer["k"][0] == 0.0
    assert math.isnan(answer["k"][1])
    assert answer["k"][2:] == [None, 1.0]


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (pa.int8(), [1, -1, None, 1]),
        (pa.uint8(), [1, 255, None, 1]),
        (pa.uint64(), [1, 2**64 - 1, None, 1]),
        (pa.int64(), [1, -(2**63), None, 1]),
        (pa.float32(), [1.5, -0.0, None, 1.5]),
        (pa.bool_(), [True, False, None, True]),
        (pa.date32(), [dt.date(1970, 1, 2), dt.date(1, 1, 1), None, dt.date(1970, 1, 2)]),
        (pa.timestamp("us"), [NEW_YEAR, NEW_YEAR - dt.timedelta(40_000), None, NEW_YEAR]),
        (pa.decimal128(9, 2), [Decimal("1.50"), Decimal("-7.25"), None, Decimal("1.50")]),
        (pa.decimal128(38, 2), [Decimal("1.50"), Decimal(f"-{'9' * 36}.25"), None, Decimal("1.50")]),
        (pa.string(), ["", "a", None, ""]),
        (pa.string(), ["é", "abcd", None, "é"]),
        (pa.string(), ["abcde", "abcdefgh", None, "abcde"]),
        (pa.string(), ["abcdefghijkl", "abcdefghijklm", None, "abcdefghijkl"]),
        (pa.string(), ["abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyZ", None, "abcdefghijklmnopqrstuvwxyz"]),
        (pa.binary(), [b"\x00", b"\x00\x00", None, b"\x00"]),
    ],
)
@pytest.mark.parametrize("many", [1, 40_000])
def test_keys_of_each_type(dtype, values, many):
    x = pa.table({"k": pa.array(values * many, dtype), "v": [1, 2, 3, 4] * many})
    answer = found("SELECT k, sum(v) AS v, min(k) AS k2 FROM x WHERE v < 9 GROUP BY k", x=x.slice(0))
    if pa.types.is_large_string(dtype) or dtype in (pa.string(), pa.binary()):
        answer = found("SELECT k, sum(v) AS v FROM x WHERE v < 9 GROUP BY k", x=x)
    assert answer["k"].to_pylist() == values[:3]
    assert answer["v"].to_pylist() == [5 * many, 2 * many, 3 * many]


def test_strings_of_all_lengths_are_told_apart():
    texts = ["x" * n + c + "y" * (n // 2) for n in range(40) for c in ("", "a", "b", "\x00")]
    different = list(dict.fromkeys(texts))
    x = pa.table({"k": texts * 3})
    answer = found("SELECT k, count(*) AS n FROM x GROUP BY k", x=x)
    assert answer["k"].to_pylist() == different
    assert answer["n"].to_pylist() == [3 * texts.count(t) for t in different]


def test_dictionaries_that_differ_from_chunk_to_chunk_and_have_entries_twice():
    long = "an entry of more than twelve bytes"
    a = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None, 3], pa.int32()), pa.array(["u", "v", "u", long]))
    b = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 2], pa.int32()), pa.array([long, "v", long]))
    x = pa.table({"k": pa.chunked_array([a, b] * 30_000), "v": pa.array([1] * 270_000)})
    answer = found("SELECT k, sum(v) AS n FROM x GROUP BY k", x=x)
    assert answer["k"].to_pylist() == ["u", "v", None, long]
    assert [n // 30_000 for n in answer["n"].to_pylist()] == [2, 3, 1, 3]


def test_a_dictionary_that_holds_null_is_read_by_no_kernel_but_counted_with_the_others():
    a = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0], pa.int32()), pa.array(["u", None, "v"]))
    answer = found("SELECT k, count(*) AS n, count(k) AS c FROM x GROUP BY k", x=pa.table({"k": a}))
    assert answer.to_pydict() == {"k": ["u", None, "v"], "n": [2, 1, 1], "c": [2, 0, 1]}


def test_sums_pass_64_bits_and_come_back():
    big = 2**63 - 1
    x = pa.table(
        {"k": [1, 2] * 100_000, "v": [big, -big - 1] * 100_000, "u": pa.array([2**64 - 1] * 200_000, pa.uint64())}
    )
    answer = found("SELECT sum(v) AS v FROM x", x=x)
    assert answer["v"].to_pylist() == [-100_000]
    with pytest.raises(EvaluationError, match="overflows"):
        found("SELECT k, sum(v) AS v FROM x GROUP BY k", x=x)


@pytest.mark.parametrize("refuses", [lambda n: False, lambda n: n == 1, lambda n: n == 2])
@pytest.mark.parametrize("keys", [1, 100_000])
def test_sums_of_long_decimals_pass_128_bits_and_come_back(monkeypatch, keys, refuses):
    big = Decimal("9" * 38)
    rows = 200_000
    # The first 131,072 rows are a batch, whose sum has more than 128 bits; the rest brings it back.
    signs = [1] * (rows // 2) + [-1] * (rows // 2)
    values = pa.array([big if sign > 0 else big.copy_negate() for sign in signs], pa.decimal128(38, 0))
    x = pa.table(
        {
            "k": [i % keys for i in range(rows // 2)] * 2,
            "v": values,
            "w": pa.array([Decimal(3)] * rows, pa.decimal128(30, 0)),
        }
    )
    reduced = CompiledAggregation._by_kernel
    asked = []

    def refusing(self, batch):
        asked.append(1)
        return None if refuses(len(asked)) else reduced(self, batch)

    monkeypatch.setattr(CompiledAggregation, "_by_kernel", refusing)
    answer = found("SELECT k, sum(v) AS v, sum(w) AS w FROM x GROUP BY k", 1, x=x)
    assert asked
    assert answer["v"].to_pylist() == [0] * keys
    assert answer["w"].to_pylist() == [3 * rows // keys] * keys
    with pytest.raises(EvaluationError, match="overflows"):
        found(
            "SELECT k, sum(v) AS v FROM x WHERE v > 0 GROUP BY k",
            1,
            x=x.slice(0, 10 * keys) if keys == 1 else pa.concat_tables([x, x]),
        )


def test_an_error_in_an_argument_names_its_expression():
    x = pa.table({"k": [1, 2, 3] * 50_000, "v": [1, 0, 2] * 50_000})
    with pytest.raises(EvaluationError, match="overflow"):
        found("SELECT k, sum(v * 9223372036854775807) AS v FROM x GROUP BY k", x=x)


@pytest.mark.parametrize("refuses", [lambda n: n % 2 == 0, lambda n: n % 2 == 1, lambda n: n < 3, lambda n: True])
@pytest.mark.parametrize("sql", QUESTIONS)
def test_batches_that_a_kernel_has_no_answer_for_come_to_the_same(monkeypatch, sql, refuses):
    x = drawn(30_000)
    expected = bits(vectorized(monkeypatch, sql, x=x))
    reduced = CompiledAggregation._by_kernel
    asked = []

    def refusing(self, batch):
        asked.append(1)
        return None if refuses(len(asked)) else reduced(self, batch)

    monkeypatch.setattr(CompiledAggregation, "_by_kernel", refusing)
    assert bits(found(sql, 1, x=x)) == expected
    assert len(asked) > 1


def test_no_rows_are_no_groups_but_one_where_there_is_no_key():
    x = pa.table({"k": pa.array([], pa.int64()), "s": pa.array([], pa.string())})
    assert found("SELECT k, s, count(*) AS n FROM x GROUP BY k, s", x=x).num_rows == 0
    assert found("SELECT count(*) AS n, sum(k) AS t FROM x", x=x).to_pydict() == {"n": [0], "t": [None]}
    full = pa.table({"k": [1] * 300_000, "s": ["a"] * 300_000})
    assert found("SELECT k, count(*) AS n FROM x WHERE k > 1 GROUP BY k", x=full).num_rows == 0
    assert found("SELECT count(*) AS n, max(k) AS t FROM x WHERE k > 1", x=full).to_pydict() == {"n": [0], "t": [None]}


def test_an_argument_that_is_negative_zero_sums_to_zero():
    x = pa.table({"k": [1, 1, 2], "v": [-0.0, -0.0, -0.0]})
    for sql in ("SELECT k, sum(v) AS v FROM x GROUP BY k", "SELECT sum(v) AS v FROM x"):
        assert {math.copysign(1, v) for v in found(sql, x=x)["v"].to_pylist()} == {1.0}


def test_the_sink_is_compiled(monkeypatch):
    pushed = []
    push = ReduceRecords.push
    monkeypatch.setattr(ReduceRecords, "push", lambda self, state, batch: (pushed.append(1), push(self, state, batch)))
    found("SELECT k, sum(v) AS v FROM x GROUP BY k", x=pa.table({"k": [1], "v": [1]}))
    assert pushed


def test_a_key_that_is_always_null_tells_no_groups_apart(monkeypatch):
    """Groups of batches that vectorized operators reduced, where nulls are in a bitmap, meet their equals of kernels."""
    n = 800_000
    rows = lf.from_arrow(pa.table({"k": np.arange(n) // 2 % 60_000, "x": np.ones(n, dtype=np.int64)}))
    none = lf.from_arrow(pa.table({"other": pa.array([], pa.int64()), "text": pa.array([], pa.string())}))
    sql = "select text, other, k, sum(x) as s from rows left join none on rows.k = none.other group by text, other, k"
    by_kernel, batches = CompiledAggregation._by_kernel, []

    def by_kernel_at_times(self, batch):
        batches.append(batch.length)
        return by_kernel(self, batch) if len(batches) % 2 else None

    monkeypatch.setattr(CompiledAggregation, "_by_kernel", by_kernel_at_times)
    answer = found(sql, 1, rows=rows, none=none)
    assert len(batches) > 3
    assert answer.column("text").null_count == answer.column("other").null_count == len(answer) == 60_000
    assert answer.column("k").to_pylist() == list(range(60_000))
    assert set(answer.column("s").to_pylist()) == {12, 14}


@pytest.mark.parametrize("groups", [200, 1_000, 6_000])
@pytest.mark.parametrize("more", ["count(*)", "min(v)", "median(v)", "stddev(v)"])
def test_floats_of_a_batch_are_added_up_first(monkeypatch, groups, more):
    monkeypatch.setattr(memory, "MORSEL_ROWS", groups)
    # After a batch in which no key comes twice, one in which each does: two halves that are lost if they are added one by one.
    half = 2.0**-53
    keys = np.concatenate([np.arange(groups), np.arange(groups) // 2])
    table = pa.table({"k": keys, "v": np.repeat([1.0, half], groups)})
    sums = found(f"select k, sum(v) s, {more} m from t group by k", threads=1, t=table).column("s").to_pylist()
    assert sums == [1.0 + 2 * half] * (groups // 2) + [1.0] * (groups // 2)


def test_sums_that_are_no_number_warn_of_nothing():
    table = pa.table({"v": [1e308] * 16, "w": [math.inf, -math.inf] * 8})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (row,) = found("select sum(v) v, sum(w) w, avg(v) a from t", t=table).to_pylist()
    assert (row["v"], row["a"]) == (math.inf, math.inf)
    assert math.isnan(row["w"])
