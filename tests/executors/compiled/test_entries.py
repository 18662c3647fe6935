"""Expressions over dictionaries are computed once for each entry, and mean the same as row by row."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import lazyframe as lf
from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled import entries
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.segment import CompiledRows
from lazyframe.executors.compiled.stages import ProjectStage
from lazyframe.executors.sources import memory
from lazyframe.planner.scalars import Call, Case, Column, Literal
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import STRING
from tests.executors.compiled.functions.agreement import agrees, check

TEXT = Column("c", STRING, True)
CODED = pa.array(["b", None, "a", "", "b", "long text of many bytes", None, "a"]).dictionary_encode()


def literal(value: object) -> Literal:
    return Literal(pa.scalar(value))


def call(name: str, *args: object) -> Call:
    return Call(name, tuple(a if isinstance(a, (Column, Call, Case, Literal)) else literal(a) for a in args))


EXPRESSIONS = {
    "a test": call("equal", TEXT, "b"),
    "a test that nulls pass": call("or", call("equal", TEXT, "b"), call("is_null", TEXT)),
    "null or not": call("is_null", TEXT),
    "a number": call("length", TEXT),
    "a number for nulls": call("coalesce", call("length", TEXT), pa.scalar(-1).as_py()),
    "a text": call("substring", TEXT, 0, 1),
    "a text for nulls": call("coalesce", TEXT, "none"),
    "what may be null": Case((call("equal", TEXT, "b"),), (Literal(pa.scalar(None, STRING)),), TEXT),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_agreement(name):
    for array in (CODED, CODED.slice(2), CODED.slice(1, 1), CODED.slice(3, 0), CODED.drop_null()):
        check(EXPRESSIONS[name], {"c": array})


def test_entries_that_are_all_null():
    nothing = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int32()), pa.array([], pa.string()))
    for name in ("a test that nulls pass", "a text for nulls", "a number"):
        check(EXPRESSIONS[name], {"c": nothing})


def kernel(scalar) -> CompiledRows:
    def fallback(batch):
        raise AssertionError("it was left to the vectorized operators")

    given = Schema([Field("c", STRING)])
    result = Schema([Field("r", scalar.dtype)])
    return CompiledRows([ProjectStage([("r", scalar)])], {}, given, result, fallback, waits=True)


def answers(rows: CompiledRows, array: pa.Array) -> list[object]:
    (batch,) = rows.expand(Batch({"c": array}, len(array)))
    return batch.columns["r"].to_pylist()


def test_each_batch_has_its_own_dictionary():
    rows = kernel(EXPRESSIONS["a test that nulls pass"])
    assert answers(rows, CODED) == [True, True, False, False, True, False, True, False]
    other = pa.array(["x", "b", None, "y"]).dictionary_encode()
    assert answers(rows, other) == [False, True, True, False]
    assert answers(rows, pa.array(["b", "c"]).dictionary_encode()) == [True, False]
    assert answers(rows, CODED.slice(4)) == [True, False, True, False]


def test_an_entry_is_computed_once(monkeypatch):
    computed = []
    over = entries.EntryTable._over
    monkeypatch.setattr(entries.EntryTable, "_over", lambda self, e: computed.append(len(e)) or over(self, e))
    rows = kernel(EXPRESSIONS["a number"])
    for start in range(4):
        answers(rows, CODED.slice(start, 3))
    assert sorted(computed) == [1, 4]


def test_many_dictionaries_are_not_all_kept():
    rows = kernel(EXPRESSIONS["a number"])
    for number in range(3 * entries._KEPT):
        texts = ["x" * number, None, "yy"]
        assert answers(rows, pa.array(texts).dictionary_encode()) == [number, None, 2]


@pytest.mark.parametrize("name", ["a number", "a text", "a text for nulls"])
def test_answers_live_as_long_as_the_kernel_runs(name, monkeypatch):
    rows = kernel(EXPRESSIONS[name])
    expected = answers(rows, CODED)
    monkeypatch.setattr(entries, "_KEPT", 0)
    # What is freed is soon written by others: here, what the next frames are made of.
    for _ in range(200):
        fresh = pa.array(CODED.to_pylist()).dictionary_encode()
        assert answers(rows, fresh) == expected


def test_a_guarded_expression_over_another_column_stays_guarded():
    table = pa.table({"c": CODED, "n": pa.array([0, 1, 2, 3, 4, 5, 6, 7])})
    query = "select sum(case when c = 'a' then 10 // n else 0 end) s, sum(10 // (n + length(c))) t from t"
    with lf.config(compiled=False):
        expected = lf.sql(query, t=table).collect().to_arrow()
    assert lf.sql(query, t=table).collect().to_arrow() == expected
    assert expected.to_pydict() == {"s": [5 + 1], "t": [10 // 1 + 10 // 3 + 10 // 3 + 10 // 5 + 10 // 28 + 10 // 8]}


def test_through_projections(monkeypatch):
    looked_up = []
    original = Row._looked_up

    def noted(self, scalar):
        found = original(self, scalar)
        looked_up.append(found is not None)
        return found

    monkeypatch.setattr(Row, "_looked_up", noted)
    stages = [ProjectStage([("d", TEXT)]), ProjectStage([("r", call("length", Column("d", STRING, True)))])]
    rows = CompiledRows(
        stages, {}, Schema([Field("c", STRING)]), Schema([Field("r", pa.int64())]), lambda batch: iter(()), waits=True
    )
    assert answers(rows, CODED) == [1, None, 1, 0, 1, 23, None, 1]
    assert True in looked_up


def test_binary_dictionaries():
    agrees("length", pa.array([b"a", None, b"\xff\xff"], pa.binary()).dictionary_encode())


def test_dictionaries_with_offsets_in_common(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setattr(memory, "MORSEL_ROWS", 4)
    # Arrow's functions of texts whose lengths stay the same do not copy offsets.
    entries = pa.array(["a", "bb", "a text of more than twelve bytes"])
    upper = pc.ascii_upper(entries)
    assert entries.buffers()[1].address == upper.buffers()[1].address
    codes = pa.array([0, 1, 2, 1], pa.int32())
    chunks = [pa.DictionaryArray.from_arrays(codes, texts) for texts in (entries, upper)]
    table = pa.table({"c": pa.chunked_array(chunks), "n": list(range(8))})
    with lf.config(threads=1):
        groups = lf.sql("select c, sum(n) s from t group by c", t=table).collect().to_arrow().to_pydict()
        found = lf.sql("select n from t where upper(c) = c", t=table).collect().to_arrow().to_pydict()
        lengths = lf.sql("select substring(c, 1, 1) f, sum(n) s from t group by f", t=table).collect().to_arrow()
    assert groups == {"c": [*entries.to_pylist(), *upper.to_pylist()], "s": [0, 4, 2, 4, 12, 6]}
    assert found == {"n": [4, 5, 6, 7]}
    assert lengths.to_pydict() == {"f": ["a", "b", "A", "B"], "s": [2, 4, 10, 12]}
