"""What the names of tables stand for."""

import datetime
import os
import subprocess
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe.sql.caller import scopes_of
from lazyframe.sql.entries import Entries
from lazyframe.sql.objects import is_tabular
from lazyframe.sql.resolver import Resolver

TABLE = pa.table({"x": [1, 2, 3]})
Mixed = lf.from_dict({"x": [7]})


def rows(frame):
    return frame.to_dicts()


def one(values):
    return [{"x": value} for value in values]


def test_keyword_arguments_come_first():
    session = lf.Session()
    session.register("t", lf.from_dict({"x": [2]}))
    t = lf.from_dict({"x": [3]})
    assert rows(session.sql("from t", t=lf.from_dict({"x": [1]}))) == one([1])
    assert rows(session.sql("from t")) == one([2])
    assert rows(lf.Session().sql("from t")) == one([3])
    del t


def test_variables_come_before_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"x": [1]}), "data.parquet")
    assert rows(lf.Session().sql("from 'data.parquet'")) == one([1])
    assert rows(lf.Session().sql("from 'data.parquet'", **{"data.parquet": TABLE})) == one([1, 2, 3])


def test_local_then_enclosing_then_global():
    def outer():
        Mixed = lf.from_dict({"x": [8]})  # noqa: N806, F841 - the query reads it

        def inner():
            return rows(lf.sql("from Mixed"))

        return inner()

    assert outer() == one([8])
    assert rows(lf.sql("from Mixed")) == one([7])


def test_a_comprehension_sees_the_function_around_it():
    frame = lf.from_dict({"x": [5]})
    assert [rows(lf.sql("from frame")) for _ in range(2)] == [one([5])] * 2
    later = lambda: rows(lf.sql("from frame"))  # noqa: E731
    assert later() == one([5])
    del frame


def test_a_function_does_not_see_its_caller():
    def reads():
        return lf.sql("from hidden_from_it")

    def calls():
        hidden_from_it = TABLE  # noqa: F841
        return reads()

    # `calls` is around nothing: only what is written around a function is around it.
    with pytest.raises(lf.errors.TableNotFoundError):
        calls()


def test_what_is_around_is_told_by_code_and_not_by_calls():
    def frame_of():
        import sys

        return sys._getframe()

    assert len(list(scopes_of(frame_of()))) == 3  # its own, this test's, and the module's


def test_unquoted_names_match_in_any_case_and_quoted_exactly():
    session = lf.Session()
    session.register("Cities", lf.from_dict({"x": [1]}))
    assert rows(session.sql("from CITIES")) == one([1])
    assert rows(session.sql('from "Cities"')) == one([1])
    with pytest.raises(lf.errors.TableNotFoundError, match="Cities"):
        session.sql('from "cities"')
    assert rows(lf.sql("from MIXED")) == one([7])
    assert rows(lf.sql("from t", T=TABLE)) == one([1, 2, 3])


def test_the_very_spelling_wins_and_two_others_are_ambiguous():
    DF, df = lf.from_dict({"x": [1]}), lf.from_dict({"x": [2]})  # noqa: N806
    assert rows(lf.sql("from df")) == one([2])
    assert rows(lf.sql("from DF")) == one([1])
    with pytest.raises(lf.errors.InvalidArgumentError, match="'DF' or 'df'"):
        lf.sql("from Df")
    del DF, df


def test_what_is_no_table_is_passed_over():
    Mixed = 3  # noqa: N806, F841 - a number hides no table
    assert rows(lf.sql("from Mixed")) == one([7])


@pytest.mark.parametrize(
    "make",
    [
        lambda: lf.from_arrow(TABLE).lazy(),
        lambda: TABLE,
        lambda: TABLE.to_batches()[0],
        lambda: pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()),
        lambda: pyarrow.dataset.dataset(TABLE),
        lambda: pd.DataFrame({"x": [1, 2, 3]}),
        lambda: pl.DataFrame({"x": [1, 2, 3]}),
        lambda: duckdb.sql("select unnest([1, 2, 3])::bigint as x"),
    ],
    ids=["frame", "table", "batch", "reader", "dataset", "pandas", "polars", "duckdb"],
)
def test_objects_that_hold_rows(make):
    thing = make()
    assert rows(lf.sql("from thing")) == one([1, 2, 3])
    # A reader gives its rows once, and to every query nevertheless.
    assert rows(lf.sql("from thing")) == one([1, 2, 3])
    assert rows(lf.sql("select a.x from thing a join thing b on a.x = b.x + 1 order by a.x")) == one([2, 3])
    session = lf.Session()
    session.register("named", thing)
    assert rows(session.sql("from named")) == one([1, 2, 3])
    assert rows(session.table("Named")) == one([1, 2, 3])


@pytest.mark.parametrize(
    "thing",
    [
        3,
        "text",
        [1],
        {"x": [1]},
        pa.array([1]),
        pa.chunked_array([[1]]),
        pl.Series([1]),
        pd.Series([1]),
        pa.Table,
        None,
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_objects_that_hold_none(thing):
    assert not is_tabular(thing)
    with pytest.raises(lf.errors.TableNotFoundError):
        lf.sql("from thing")
    with pytest.raises(lf.errors.InvalidArgumentError, match="it holds no table"):
        lf.Session().register("thing", thing)


def test_a_lazy_polars_frame_is_not_run():
    lazy = pl.LazyFrame({"x": [1]})
    with pytest.raises(lf.errors.InvalidArgumentError, match=r"lazy = lazy\.collect\(\)"):
        lf.sql("from lazy")
    del lazy


def test_an_object_that_answers_to_everything_is_no_table():
    class Anything:
        def __getattr__(self, name):
            return lambda *_: None

    assert not is_tabular(Anything())


def test_a_proxy_that_fails_is_left_alone():
    class Proxy:
        @property
        def __class__(self):
            raise RuntimeError("outside of a request")

    request = Proxy()
    with pytest.raises(lf.errors.TableNotFoundError):
        lf.sql("from nothing")
    with pytest.raises(lf.errors.TableNotFoundError):
        lf.sql("from request")
    del request


def test_objects_that_are_not_named_are_not_read():
    class Loud:
        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError("read")

    loud = Loud()
    assert rows(lf.sql("from t", t=TABLE, unread=loud)) == one([1, 2, 3])
    assert is_tabular(loud)


def test_one_object_is_one_scan():
    found = Resolver(Entries(), {"t": TABLE}, lambda: iter(()))
    assert found.table(("t",), quoted=False) is found.table(("T",), quoted=False)


def test_self_is_the_frame():
    frame = lf.from_dict({"x": [1, 2]})
    other = lf.from_dict({"x": [2]})
    assert rows(frame.sql("select x from self where x > $least", least=1)) == one([2])
    assert rows(frame.sql("select s.x from self s join other o on s.x = o.x")) == one([2])
    with pytest.raises(lf.errors.InvalidArgumentError, match="self is the frame"):
        frame.sql("from self", self=other)


def test_files_by_suffix(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = lf.from_arrow(TABLE)
    frame.write_parquet("a.parquet")
    frame.write_csv("a.csv")
    frame.write_csv("a.tsv", separator="\t")
    frame.write_csv("a.csv.gz")
    frame.write_json("a.json")
    frame.write_json("a.ndjson.zst")
    frame.write_ipc("a.arrow")
    frame.write_ipc("a.feather")
    for name in ("a.parquet", "a.csv", "a.tsv", "a.csv.gz", "a.json", "a.ndjson.zst", "a.arrow", "a.feather"):
        assert rows(lf.sql(f"from '{name}'")) == one([1, 2, 3]), name
    (tmp_path / "bare").write_bytes((tmp_path / "a.parquet").read_bytes())
    assert rows(lf.sql("from 'bare'")) == one([1, 2, 3])
    assert rows(lf.sql(f"from '{tmp_path}/a.par*'")) == one([1, 2, 3])
    assert rows(lf.sql(f"from 'file://{tmp_path}/a.parquet'")) == one([1, 2, 3])


def test_hive_folders(tmp_path):
    frame = lf.from_dict({"year": [2012, 2013, 2013], "x": [1, 2, 3]})
    frame.sink_parquet(tmp_path / "all", partition_by=["year"])
    found = lf.sql(f"select year, sum(x) as x from '{tmp_path / 'all'}' group by year order by year")
    assert rows(found) == [{"year": 2012, "x": 1}, {"year": 2013, "x": 5}]


def test_functions_that_read_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("1;2013-01-05;-\n2;2013-01-06;b\n")
    found = lf.sql(
        "select * from read_csv('a.csv', header = false, delim = ';', nullstr = '-', types = {'column0': 'SMALLINT'})"
    )
    assert found.schema["column0"] == pa.int16()
    assert list(found.to_dict().values()) == [
        [1, 2], [datetime.date(2013, 1, 5), datetime.date(2013, 1, 6)], [None, "b"],
    ]  # fmt: skip
    pq.write_table(TABLE, "a.parquet")
    pq.write_table(TABLE, "b.parquet")
    found = lf.sql("select count(*) as n from read_parquet(['a.parquet', 'b.parquet'])")
    assert rows(found) == [{"n": 6}]
    with pytest.raises(lf.errors.UnsupportedError, match="no option 'delimeter'") as caught:
        lf.sql("from read_csv('a.csv', delimeter = ';')")
    assert "delimiter" in str(caught.value)
    with pytest.raises(lf.errors.InvalidArgumentError, match="takes a path"):
        lf.sql("from read_parquet(3)")
    with pytest.raises(lf.errors.InvalidArgumentError, match="is no type"):
        lf.sql("from read_csv('a.csv', types = {'column0': '3 5'})")


def test_what_is_not_found_offers_what_is_near(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "flights.parquet")
    session = lf.Session()
    session.register("flight_list", TABLE)
    flights_2013 = TABLE
    with pytest.raises(lf.errors.TableNotFoundError) as caught:
        session.sql("select 1\nfrom flightss")
    text = str(caught.value)
    assert all(name in text for name in ("flight_list", "flights_2013", "flights.parquet"))
    assert "SQL line 2, column 6" in text
    assert "^^^^^^^^" in text
    with pytest.raises(lf.errors.SourceNotFoundError, match=r"flights\.parquet"):
        session.sql("from 'flihgts.parquet'")
    del flights_2013


def test_files_stand_in_quotes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "flights.parquet")
    with pytest.raises(lf.errors.TableNotFoundError, match=r"write 'flights\.parquet'") as caught:
        lf.sql("from flights.parquet")
    assert "SQL line 1, column 6" in str(caught.value)


def test_importing_is_light():
    code = "import sys, lazyframe; print([m for m in ('sqlglot', 'IPython', 'prompt_toolkit') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_names_with_a_schema():
    session = lf.Session()
    session.register("t", TABLE)
    session.register("far.t", lf.from_dict({"x": [9]}))
    assert rows(session.sql("from main.t")) == one([1, 2, 3])
    assert rows(session.sql("from memory.main.t")) == one([1, 2, 3])
    assert rows(session.sql("from far.t")) == one([9])
    with pytest.raises(lf.errors.TableNotFoundError):
        session.sql("from other.t")


def test_sessions_know_their_names():
    session = lf.Session()
    assert (repr(session), session.tables()) == ("Session()", [])
    session.register("b", TABLE)
    session.register("A", TABLE)
    session.register("B", lf.from_dict({"x": [4]}))  # takes the place of b
    assert (repr(session), session.tables()) == ("Session(A, B)", ["A", "B"])
    assert rows(session.sql("from b")) == one([4])
    session.unregister("a")
    assert session.tables() == ["B"]
    with pytest.raises(lf.errors.TableNotFoundError, match="no table 'a'"):
        session.unregister("a")
    with pytest.raises(lf.errors.TableNotFoundError):
        session.table("a")
    with pytest.raises(lf.errors.InvalidArgumentError, match="is a string"):
        session.register(3, TABLE)


def test_a_query_is_a_text():
    with pytest.raises(lf.errors.InvalidArgumentError, match="a query is a text, not an int"):
        lf.sql(3)
    with pytest.raises(lf.errors.InvalidArgumentError, match="no SQL dialect 'duckbd'") as caught:
        lf.sql("select 1", dialect="duckbd")
    assert "duckdb" in str(caught.value)


def test_other_dialects():
    assert rows(lf.sql("select `x` from t where x > 2", dialect="mysql", t=TABLE)) == one([3])
    assert rows(lf.sql("select top 1 [x] from t", dialect="tsql", t=TABLE)) == one([1])


def test_a_folder_that_changes_place_is_another(tmp_path):
    for name, value in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"x": [value]}), tmp_path / name / "t.parquet")
    session = lf.Session()
    here = os.getcwd()  # noqa: PTH109
    try:
        os.chdir(tmp_path / "one")
        assert rows(session.sql("from 't.parquet'")) == one([1])
        os.chdir(tmp_path / "two")
        assert rows(session.sql("from 't.parquet'")) == one([2])
    finally:
        os.chdir(here)
