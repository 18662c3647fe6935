"""Joins in kernels: beside the vectorized probe (rows and their order) and DuckDB (rows)."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.executors.compiled import join_table, segment
from lazyframe.executors.compiled.join_table import DirectTable, EveryRow, HashedTable, RankedTable
from lazyframe.executors.compiled.probe import KeyFilterStage, ProbeStage
from lazyframe.planner.errors import EvaluationError

ROWS, OTHERS = 3000, 400


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_CHECKED", "1")
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setattr("lazyframe.executors.sources.memory.MORSEL_ROWS", 700)
    monkeypatch.setattr(segment, "ROOM", 64)


@pytest.fixture
def probes(monkeypatch):
    """The probes that kernels do."""
    bound = []
    original = ProbeStage.bind

    def bind(self, constants):
        bound.append(self)
        original(self, constants)

    monkeypatch.setattr(ProbeStage, "bind", bind)
    return bound


def rows_of(sql, threads=2, **tables):
    with lf.config(threads=threads):
        table = lf.sql(sql, **tables).collect().to_arrow()
    return list(zip(*[column.to_pylist() for column in table.columns], strict=True)) if table.num_rows else []


def vectorized(monkeypatch, sql, **tables):
    with monkeypatch.context() as patch:
        patch.setenv("LAZYFRAME_COMPILED", "off")
        return rows_of(sql, **tables)


def duckdb_rows(sql, **tables):
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        return connection.sql(sql).fetchall()


def in_order(rows):
    # Texts tell NaN from NaN as little as the join does.
    return sorted([tuple(map(str, row)) for row in rows])


def texts(rows):
    return [tuple(map(str, row)) for row in rows]


def check(monkeypatch, sql, ordered=True, **tables):
    found = rows_of(sql, **tables)
    plain = vectorized(monkeypatch, sql, **tables)
    assert texts(found) == texts(plain) if ordered else in_order(found) == in_order(plain)
    assert in_order(found) == in_order(duckdb_rows(sql, **tables))
    for threads in (1, 7):
        assert texts(rows_of(sql, threads, **tables)) == texts(found)
    return found


def sliced(table, start=5):
    """The same rows as a slice whose buffers begin elsewhere."""
    return pa.concat_tables([table.slice(0, start), table]).combine_chunks().slice(start)


def keys(kind, numbers):
    """Keys of some type, one for each number."""
    epoch = dt.date.fromisoformat("2000-01-01")
    match kind:
        case "int8":
            return pa.array(numbers % 100 - 50, pa.int8())
        case "dense":
            return pa.array(numbers - 17)
        case "apart":
            return pa.array(numbers * 61 - 999)
        case "far":
            return pa.array(numbers * 10_000_019 - (1 << 62))
        case "uint64":
            return pa.array([int(n) * 3 + (1 << 63) for n in numbers], pa.uint64())
        case "float":
            specials = {0: 0.0, 1: -0.0, 2: float("nan"), 3: -float("nan"), 4: float("inf")}
            return pa.array([specials.get(int(n) % 40, float(n) / 4) for n in numbers])
        case "single":
            return pa.array((numbers / 4).astype(np.float32))
        case "text":
            return pa.array([f"{'a long key of more than twelve bytes ' * (n % 2)}{n}" for n in numbers.tolist()])
        case "coded":
            return pa.array([f"key {n}" for n in numbers.tolist()]).dictionary_encode()
        case "large":
            return pa.array([f"key {n}" for n in numbers.tolist()], pa.large_string())
        case "money":
            return pa.array([Decimal(n) / 4 for n in numbers.tolist()], pa.decimal128(12, 2))
        case "wide":
            return pa.array([Decimal(n) * 10**24 for n in numbers.tolist()], pa.decimal128(38, 2))
        case "date":
            return pa.array([epoch + dt.timedelta(days=n) for n in numbers.tolist()])
        case "instant":
            return pa.array(numbers * 1_000_003, pa.timestamp("us"))
        case "truth":
            return pa.array(numbers % 3 == 0)
    raise AssertionError(kind)


KINDS = ["int8", "dense", "apart", "far", "uint64", "float", "single", "text", "coded", "large", "money", "wide", "date",
         "instant", "truth"]  # fmt: skip


def with_nulls(array, random):
    mask = pa.array(random.random(len(array)) < 0.1)
    return pa.compute.if_else(mask, pa.scalar(None, array.type), array)


def sides(kind, *, nulls, unique, seed=3):
    random = np.random.default_rng(seed)
    ours = random.integers(0, OTHERS + 100, ROWS)
    few = kind in ("truth", "int8")
    theirs = random.permutation(OTHERS) if unique else random.integers(0, OTHERS // 3, 60 if few else OTHERS)
    if unique and few:
        theirs = np.arange(2 if kind == "truth" else 70)
    k, j = keys(kind, ours), keys(kind, theirs)
    if nulls:
        k, j = with_nulls(k, random), with_nulls(j, random)
    a = pa.table({"k": k, "v": np.arange(ROWS)})
    n = len(theirs)
    b = pa.table(
        {
            "j": j,
            "w": with_nulls(pa.array(np.arange(n) * 7 % 1000), random),
            "s": pa.array([f"text {i}" for i in range(n)]),
            "c": pa.array([None if i % 11 == 0 else f"code {i % 5}" for i in range(n)]).dictionary_encode(),
            "l": pa.array([[i, None] for i in range(n)]),
        }
    )
    return {"a": sliced(a), "b": sliced(b)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unique", [True, False], ids=["unique", "repeated"])
@pytest.mark.parametrize("nulls", [False, True], ids=["whole", "nulls"])
def test_keys_of_all_types(monkeypatch, probes, kind, unique, nulls):
    tables = sides(kind, nulls=nulls, unique=unique)
    for join in ("join", "left join"):
        check(monkeypatch, f"select k, v, w, s, c, l from a {join} b on k = j", **tables)
    assert {type(probe._probe).__name__ for probe in probes} == {"Probe"}
    check(monkeypatch, "select v from a semi join b on k = j", **tables)
    check(monkeypatch, "select v from a anti join b on k = j", **tables)


@pytest.mark.parametrize("unique", [True, False], ids=["unique", "repeated"])
@pytest.mark.parametrize("join", ["join", "left join", "semi join", "anti join", "full join", "right join"])
def test_the_rest_of_a_condition(monkeypatch, probes, join, unique):
    tables = sides("apart", nulls=True, unique=unique)
    columns = "v" if join in ("semi join", "anti join") else "v, w, s"
    found = check(monkeypatch, f"select {columns} from a {join} b on k = j and v < 3 * w", **tables)
    assert found
    assert probes


@pytest.mark.parametrize(
    "on", ["k = j", "k is not distinct from j", "k = j and v < w", "k is not distinct from j and v > w"]
)
@pytest.mark.parametrize("kind", ["dense", "far", "text"])
def test_nulls_equal_nothing_or_each_other(monkeypatch, kind, on):
    random = np.random.default_rng(0)
    tables = sides(kind, nulls=True, unique=False)
    few = tables["a"].take(random.integers(0, ROWS, 400))
    for join in ("join", "left join", "semi join", "anti join"):
        columns = "k, v" if join in ("semi join", "anti join") else "k, v, j, w"
        check(monkeypatch, f"select {columns} from a {join} b on {on}", a=few, b=tables["b"])


@pytest.mark.parametrize(
    "kinds", [("dense", "dense"), ("apart", "date"), ("far", "far"), ("dense", "text"), ("float", "wide")]
)
@pytest.mark.parametrize("nulls", [False, True], ids=["whole", "nulls"])
def test_two_keys(monkeypatch, probes, kinds, nulls):
    random = np.random.default_rng(7)

    def side(rows, prefix):
        columns = {}
        for number, kind in enumerate(kinds):
            column = keys(kind, random.integers(0, 40, rows))
            columns[f"{prefix}{number}"] = with_nulls(column, random) if nulls else column
        return pa.table({**columns, f"{prefix}v": np.arange(rows)})

    a, b = side(ROWS, "a"), side(OTHERS, "b")
    for on in ("a0 = b0 and a1 = b1", "a0 is not distinct from b0 and a1 = b1"):
        check(monkeypatch, f"select * from a join b on {on}", a=a, b=b)
        check(monkeypatch, f"select * from a left join b on {on}", a=a, b=b)
    assert probes


def test_marks_and_single_values(monkeypatch, probes):
    tables = sides("apart", nulls=True, unique=True)
    check(monkeypatch, "select v, k in (select j from b where j is not null) m from a where k is not null", **tables)
    check(monkeypatch, "select v, exists (select 1 from b where j = k and w > v) m from a", **tables)
    found = check(monkeypatch, "select v, (select s from b where j = k) one from a", **tables)
    assert any(one is None for _, one in found)
    repeated = sides("apart", nulls=False, unique=False)
    with pytest.raises(EvaluationError, match="more than one row"):
        rows_of("select v, (select s from b where j = k) one from a", **repeated)


@pytest.mark.parametrize("join", ["join", "left join", "semi join", "anti join", "full join"])
@pytest.mark.parametrize(("ours", "theirs"), [(0, 9), (9, 0), (0, 0), (9, 9)])
def test_empty_sides(monkeypatch, join, ours, theirs):
    tables = sides("far", nulls=True, unique=False)
    a, b = tables["a"].slice(0, ours), tables["b"].slice(0, theirs)
    columns = "v" if join in ("semi join", "anti join") else "v, w, s, c, l"
    check(monkeypatch, f"select {columns} from a {join} b on k = j", a=a, b=b)


@pytest.mark.parametrize("theirs", [0, 1, 30])
def test_joins_without_keys(monkeypatch, probes, theirs):
    tables = sides("dense", nulls=False, unique=True)
    a, b = tables["a"].slice(0, 900), tables["b"].slice(0, theirs)
    check(monkeypatch, "select v, s from a cross join b", a=a, b=b)
    check(monkeypatch, "select v, s from a left join b on v + w between 40 and 60 or v = w", a=a, b=b)
    assert any(isinstance(probe._table, EveryRow) for probe in probes)


def test_a_row_with_more_partners_than_there_is_room_for(monkeypatch, probes):
    a = pa.table({"k": [1, 2, 3, 2, None], "v": [10, 20, 30, 40, 50]})
    b = pa.table({"j": [2] * 5000 + [3, 1] * 200, "w": np.arange(5400)})
    for join in ("join", "left join"):
        found = check(monkeypatch, f"select v, w from a {join} b on k = j", a=a, b=b)
        assert len(found) == 200 + 5000 + 200 + 5000 + (join == "left join")
    assert any(probe.expands for probe in probes)


def test_several_probes_that_multiply_rows(monkeypatch, probes):
    random = np.random.default_rng(2)
    a = pa.table({"k": random.integers(0, 30, 900), "v": np.arange(900)})
    b = pa.table({"j": random.integers(0, 30, 90), "w": np.arange(90)})
    c = pa.table({"i": random.integers(0, 120, 80), "x": np.arange(80)})
    for second in ("join", "left join"):
        check(
            monkeypatch,
            f"select v, w, x from a left join b on k = j and w > v - 850 {second} c on w = i and x <> 3",
            a=a,
            b=b,
            c=c,
        )
    assert sum(probe.expands for probe in probes)


def test_groups_behind_probes_that_multiply_rows(monkeypatch, probes):
    random = np.random.default_rng(2)
    a = pa.table({"k": random.integers(0, 300, 9000), "v": np.arange(9000)})
    b = pa.table({"j": random.integers(0, 300, 2000), "w": np.arange(2000)})
    sql = "select w, count(*) n, sum(v) s, min(v + w) m from a join b on k = j group by w"
    check(monkeypatch, sql, a=a, b=b)
    check(monkeypatch, "select count(*) n, sum(v * w) s from a left join b on k = j", a=a, b=b)
    assert probes


def test_errors_behind_rows_that_were_handed_out():
    a = pa.table({"k": np.arange(900) % 3, "v": np.arange(900)})
    b = pa.table({"j": np.arange(300) % 3, "w": np.arange(300)})
    with pytest.raises(EvaluationError, match="division by zero"):
        rows_of("select v // (v + w - 1100) q from a join b on k = j", a=a, b=b)


def test_tables_by_the_range_of_keys():
    def table(*columns):
        arrays = [pa.array(c) for c in columns]
        return join_table.join_table(arrays, [a.type for a in arrays], len(arrays[0]), nulls_equal=False)

    many = np.arange(5000)
    assert isinstance(table(many + 10**12), DirectTable)
    assert isinstance(table(many * 40), RankedTable)
    assert isinstance(table(many * 4000), HashedTable)
    assert isinstance(table([str(n) for n in many]), HashedTable)
    # One key of which few values are there stands in front of the hashes.
    two = table(many * 100, many % 1000)
    assert isinstance(two, HashedTable)
    assert two._rarest is not None
    assert two._rarest[0] == 0
    assert table(many * 40).unique
    assert not table(many // 2 * 40).unique


def test_a_table_of_one_row_and_of_nulls_alone(monkeypatch):
    a = pa.table({"k": pa.array([None, 5, 6], pa.int64()), "v": [1, 2, 3]})
    for j in ([5], [None], [None, None]):
        b = pa.table({"j": pa.array(j, pa.int64()), "w": np.arange(len(j))})
        for on in ("k = j", "k is not distinct from j"):
            check(monkeypatch, f"select v, w from a left join b on {on}", a=a, b=b)
            check(monkeypatch, f"select v from a anti join b on {on}", a=a, b=b)


def test_scans_in_memory_leave_keys_to_kernels(monkeypatch):
    written = []
    original = KeyFilterStage.bind
    monkeypatch.setattr(
        KeyFilterStage, "bind", lambda self, constants: written.append(self) or original(self, constants)
    )
    random = np.random.default_rng(5)
    a = pa.table({"k": random.integers(0, 2000, 30_000), "g": random.integers(0, 9, 30_000), "v": np.arange(30_000)})
    b = pa.table({"j": np.arange(0, 2000, 50), "w": np.arange(40)})
    c = pa.table({"i": np.arange(9), "x": np.arange(9)})
    sql = "select k, s, w from (select k, sum(v) s from a where v % 7 <> 1 group by k) join b on k = j where w < 30"
    check(monkeypatch, sql, a=a, b=b)
    assert written
    check(monkeypatch, "select v, w, x from a join c on g = i join b on k = j where w < 9", a=a, b=b, c=c)


def test_full_joins_note_who_had_partners(monkeypatch, probes):
    tables = sides("apart", nulls=True, unique=False)
    check(monkeypatch, "select v, w, s from a full join b on k = j", **tables)
    check(monkeypatch, "select s, l from b where exists (select 1 from a where k = j and v % 3 = 1)", **tables)
    assert {probe._kind for probe in probes} >= {"full"}
