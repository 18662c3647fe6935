"""Code that is used again must give what code that is written anew gives, whatever it is given."""

import decimal
import gc
import weakref

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.executors.compiled import known_code


@pytest.fixture
def written(monkeypatch):
    """Kernels of everything, of which none is known at first; gives the keys that code was written for."""
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setattr(known_code, "_code", known_code.Known(256))
    return known_code._code._known


def rows(sql, **tables):
    with lf.config(threads=2):
        return lf.sql(sql, **tables).to_arrow().to_pylist()


SIDES = {
    "direct": [1, 2, 3],
    "direct, repeated": [1, 2, 2],
    "ranked": [1, 100_000, 300_000],
    "ranked, in order of rows": [300_000, 100_000, 1],
    "ranked, repeated": [1, 300_000, 300_000],
    "hashed": [1, 1 << 40, 1 << 50],
    "hashed, narrow": [1, 1 << 25, 1 << 31],
    "hashed, repeated": [1, 1 << 50, 1 << 50],
    "with a null": [1, None, 2],
    "of no rows": [],
}


@pytest.mark.parametrize("join", ["join", "left join", "full join", "semi join", "anti join"])
def test_a_join_over_one_table_after_another(written, join):
    left = [1, 2, 3, 100_000, 300_000, 1 << 40, 1 << 50, 1 << 25, 1 << 31, None]
    a = pa.table({"k": pa.array(left, pa.int64())})
    columns = "k" if join in ("semi join", "anti join") else "k, w, s"
    for _ in range(2):
        for name, keys in SIDES.items():
            texts = [None if key is None else f"s{key}" for key in keys]
            b = pa.table({"j": pa.array(keys, pa.int64()), "w": pa.array(range(len(keys)), pa.int32()), "s": texts})
            if not keys:
                b = b.cast(pa.schema([("j", pa.int64()), ("w", pa.int32()), ("s", pa.string())]))
            found = rows(f"select {columns} from a {join} b on k = j", a=a, b=b)
            there = {key for key in keys if key is not None}
            if join == "semi join":
                expected = [{"k": k} for k in left if k in there]
            elif join == "anti join":
                expected = [{"k": k} for k in left if k not in there]
            else:
                expected = []
                for k in left:
                    partners = [n for n, key in enumerate(keys) if key == k and k is not None]
                    expected += [{"k": k, "w": n, "s": texts[n]} for n in partners]
                    if not partners and join != "join":
                        expected.append({"k": k, "w": None, "s": None})
                if join == "full join":
                    alone = [n for n, key in enumerate(keys) if key is None or key not in left]
                    expected += [{"k": None, "w": n, "s": texts[n]} for n in alone]
            assert sorted(found, key=repr) == sorted(expected, key=repr), name


LAYOUTS = {
    "string": lambda texts: pa.array(texts, pa.string()),
    "large": lambda texts: pa.array(texts, pa.large_string()),
    "view": lambda texts: pa.array(texts, pa.string_view()),
    "dictionary": lambda texts: pa.array(texts, pa.string()).dictionary_encode(),
}


def test_columns_in_one_layout_after_another(written):
    texts = ["a", "b", "b", "a longer text than fits a view", None, "b"]
    for _ in range(2):
        for values in (texts, [text for text in texts if text], ["b", "c"]):
            for name, make in LAYOUTS.items():
                t = pa.table({"s": make(values), "n": range(len(values))})
                found = rows("select s, sum(n) n, count(*) c from t where s <> 'c' group by s", t=t)
                expected = {}
                for n, text in enumerate(values):
                    if text is not None and text != "c":
                        total, count = expected.get(text, (0, 0))
                        expected[text] = total + n, count + 1
                assert {row["s"]: (row["n"], row["c"]) for row in found} == expected, name


def test_literals_are_those_of_the_query(written):
    t = pa.table({"x": [1, 2, 3, 4], "s": ["one", "two", "three", "four"]})
    for _ in range(2):
        for bound in (1, 3, 2):
            assert rows(f"select x from t where x > {bound}", t=t) == [{"x": x} for x in range(bound + 1, 5)]
        for text in ("one", "four", "no"):
            kept = [{"x": x} for x, s in zip([1, 2, 3, 4], ["one", "two", "three", "four"], strict=True) if s == text]
            assert rows(f"select x from t where s = '{text}'", t=t) == kept
        assert rows("select sum(x * 0.5) filter (where x > 2) y from t", t=t) == [{"y": decimal.Decimal("3.5")}]
        assert rows("select sum(x * 0.5) filter (where x > 3) y from t", t=t) == [{"y": decimal.Decimal("2.0")}]


def test_a_query_asked_again_is_not_written_again(written):
    t = pa.table({"x": [1, 2, 3, 4]})
    u = pa.table({"x": [5, 6]})
    for table, expected in ((t, 7), (u, 11), (t, 7)):
        assert rows("select sum(x) s from t where x > 2", t=table) == [{"s": expected}]
    assert len(written) == 1


def test_tables_of_a_query_are_not_held_by_its_code(written):
    a = pa.table({"k": [1, 2, 3]})
    source = {"b": pa.table({"j": [2, 3], "w": [20, 30]})}
    frame = lf.from_arrow(source["b"])
    assert rows("select sum(w) w from a join b on k = j", a=a, b=frame) == [{"w": 50}]
    gone = weakref.ref(source.pop("b"))
    del frame
    gc.collect()
    assert gone() is None
