"""Statements that are no queries."""

import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf

T = lf.from_dict({"x": [1, 2, 3], "k": ["a", "b", "a"]})


@pytest.fixture
def session():
    return lf.Session()


def status(done):
    return [{"status": done}]


def test_views(session):
    assert session.sql("create view v as select x + 1 as y from T").to_dicts() == status("CREATE VIEW")
    assert session.sql("select sum(y) as y from V").to_dicts() == [{"y": 9}]
    with pytest.raises(lf.errors.InvalidArgumentError, match="'v' exists already") as caught:
        session.sql("create view V as select 1 as y")
    assert "CREATE OR REPLACE VIEW" in str(caught.value)
    assert "SQL line 1, column 13" in str(caught.value)
    session.sql("create or replace temp view V as select 1 as y")
    assert session.sql("from v").to_dicts() == [{"y": 1}]
    session.sql("create view if not exists v as select 2 as y")
    assert session.sql("from v").to_dicts() == [{"y": 1}]
    assert session.tables() == ["v"]


def test_a_view_is_bound_when_it_is_made(session):
    source = lf.from_dict({"x": [1]})
    session.sql("create view v as from source")
    source = lf.from_dict({"x": [2]})
    assert session.sql("from v").to_dicts() == [{"x": 1}]
    del source


def test_a_view_over_itself_is_the_one_before(session):
    session.sql("create view v as select 1 as x")
    session.sql("create or replace view v as select x + 1 as x from v")
    assert session.sql("from v").to_dicts() == [{"x": 2}]


def test_names_of_columns(session):
    session.sql("create view v(a, b) as select 1, 2; create table t(c) as select 3")
    assert session.sql("from v, t").to_dicts() == [{"a": 1, "b": 2, "c": 3}]
    with pytest.raises(lf.errors.InvalidArgumentError, match="1 names are given for 2 columns"):
        session.sql("create view w(a) as select 1, 2")


def test_tables_hold_rows(session, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [1, 2]}), path)
    assert session.sql(f"create table t as from '{path}'").to_dicts() == [{"count": 2}]
    path.unlink()
    assert session.sql("select sum(x) as x from t").to_dicts() == [{"x": 3}]
    assert session.sql("create or replace table t as values (7)").to_dicts() == [{"count": 1}]
    assert session.table("t").to_dict().popitem()[1] == [7]
    session.sql("create temporary table if not exists t as select 8")
    assert session.table("t").to_dict().popitem()[1] == [7]


def test_random_rows_of_a_table_stay(session):
    session.sql("create table t as select random() as r")
    assert session.sql("from t").to_dicts() == session.sql("from t").to_dicts()


def test_drop(session):
    session.register("o", T)
    session.sql("create view v as select 1 as x; create table t as select 1 as x; create table u as select 2 as x")
    with pytest.raises(lf.errors.InvalidArgumentError, match="'v' is no table") as caught:
        session.sql("drop table v")
    assert "DROP VIEW v" in str(caught.value)
    with pytest.raises(lf.errors.InvalidArgumentError, match="'o' is no table") as caught:
        session.sql("drop table o")
    assert "unregister('o')" in str(caught.value)
    assert session.sql("drop view V").to_dicts() == status("DROP VIEW")
    assert session.sql("drop table if exists nothing").to_dicts() == status("DROP TABLE")
    with pytest.raises(lf.errors.TableNotFoundError, match="there is no table 'tt'") as caught:
        session.sql("drop table tt")
    assert "'t'" in str(caught.value)
    session.sql("drop table t, u")
    assert session.tables() == ["o"]


def test_kinds_do_not_take_the_place_of_each_other(session):
    session.sql("create view v as select 1 as x")
    session.register("o", T)
    with pytest.raises(lf.errors.InvalidArgumentError, match="'v' is a view already"):
        session.sql("create or replace table v as select 2 as x")
    with pytest.raises(lf.errors.InvalidArgumentError, match="'o' is an object that was registered already"):
        session.sql("create or replace view o as select 2 as x")


def test_a_statement_that_fails_changes_nothing(session):
    session.sql("create view v as select 1 as x")
    with pytest.raises(lf.errors.ColumnNotFoundError):
        session.sql("create or replace view v as select wrong from T")
    with pytest.raises(lf.errors.SqlSyntaxError):
        session.sql("drop view v; select from from")
    assert session.tables() == ["v"]


def test_several_statements(session):
    found = session.sql("""
        create view a as select 1 as x; -- ; not here
        create view b as select x + 1 as x, ';' as y from a;
        select x, y from b;
    """)
    assert found.to_dicts() == [{"x": 2, "y": ";"}]


def test_show_tables(session):
    session.register("B", T)
    session.sql("create table a as select 1")
    assert session.sql("show tables").to_dicts() == [{"name": "a"}, {"name": "B"}]


def test_describe(session):
    frame = lf.from_dict({"a": [1], "b": [None], "c": [Decimal("1.50")], "d": [[1]]}, schema={"b": "string"})
    found = session.sql("describe frame")
    assert found.columns == ["column_name", "column_type", "null", "key", "default", "extra"]
    assert [(row["column_name"], row["column_type"], row["null"]) for row in found.to_dicts()] == [
        ("a", "BIGINT", "YES"), ("b", "VARCHAR", "YES"), ("c", "DECIMAL(3,2)", "YES"), ("d", "BIGINT[]", "YES"),
    ]  # fmt: skip
    assert session.sql("describe select count(*) as n from T").to_dicts()[0]["null"] == "NO"
    del frame


def test_describe_runs_nothing(session):
    def fail(table):
        raise AssertionError("run")

    frame = T.map_batches(fail, schema={"x": "int64"})
    assert session.sql("describe select x + 1 as y from frame").to_dicts()[0]["column_name"] == "y"
    del frame


def test_summarize(session):
    frame = lf.from_dict({
        "i": [1, 2, 3, 4, None], "s": ["b", "a", "b", None, None], "b": [True, False, True, True, True],
        "d": [datetime.date(2013, 1, day) for day in (1, 2, 3, 4, 5)],
    })  # fmt: skip
    found = {row["column_name"]: row for row in session.sql("summarize frame").to_dicts()}
    # 1, 2, 3, 4: the mean is 2.5, the variance 5/3, the quartiles 1.75, 2.5 and 3.25; one of five is null.
    assert found["i"] == {
        "column_name": "i", "column_type": "BIGINT", "min": "1", "max": "4", "approx_unique": 4, "avg": "2.5",
        "std": str((5 / 3) ** 0.5), "q25": "1.75", "q50": "2.5", "q75": "3.25", "count": 5,
        "null_percentage": Decimal("20.00"),
    }  # fmt: skip
    assert found["s"] == {
        "column_name": "s", "column_type": "VARCHAR", "min": "a", "max": "b", "approx_unique": 2, "avg": None, "std": None,
        "q25": None, "q50": None, "q75": None, "count": 5, "null_percentage": Decimal("40.00"),
    }  # fmt: skip
    assert (found["b"]["min"], found["b"]["max"]) == ("false", "true")
    assert (found["d"]["min"], found["d"]["q50"], found["d"]["max"]) == ("2013-01-01", "2013-01-03", "2013-01-05")
    empty = session.sql("summarize select x from T where x > 9").to_dicts()
    assert (empty[0]["count"], empty[0]["min"], empty[0]["null_percentage"]) == (0, None, Decimal("0.00"))
    del frame


def test_summarize_a_file(session, tmp_path):
    path = tmp_path / "t.parquet"
    T.sink_parquet(path)
    assert [row["max"] for row in session.sql(f"summarize '{path}'").to_dicts()] == ["3", "b"]
    assert [row["column_name"] for row in session.sql(f"describe '{path}'").to_dicts()] == ["x", "k"]


def test_explain(session):
    frame = T.filter(lf.col("x") > 1).select("x")
    found = session.sql("explain select x from T where x > 1")
    assert found.columns == ["plan"]
    assert "\n".join(found.to_dict()["plan"]) == frame.explain()
    analyzed = "\n".join(session.sql("explain analyze select x from T where x > 1").to_dict()["plan"])
    assert "[2 rows]" in analyzed
    verbose = "\n".join(session.sql("EXPLAIN (VERBOSE) select x from T where x > 1").to_dict()["plan"])
    assert "before" in verbose


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.tsv", "t.json", "t.arrow", "t.csv.gz"])
def test_copy_by_suffix(session, tmp_path, name):
    path = tmp_path / name
    assert session.sql(f"copy (select x, k from T where x > 1) to '{path}'").to_dicts() == [{"count": 2}]
    assert session.sql(f"from '{path}'").to_dicts() == [{"x": 2, "k": "b"}, {"x": 3, "k": "a"}]


def test_copy_a_table_and_some_columns(session, tmp_path):
    path = tmp_path / "t.csv"
    session.sql(f"copy T to '{path}'")
    assert path.read_text() == "x,k\n1,a\n2,b\n3,a\n"
    session.sql("copy T (k) to $path with (header false)", path=str(path))
    assert path.read_text() == "a\nb\na\n"


def test_copy_options(session, tmp_path):
    path = tmp_path / "t"
    session.sql(f"copy (select 1 as a, null::int as b) to '{path}' (format csv, header, delimiter ';', nullstr 'NA')")
    assert path.read_text() == "a;b\n1;NA\n"
    session.sql(f"copy T to '{path}' (format 'parquet', compression 'gzip', row_group_size 2)")
    found = pq.ParquetFile(path).metadata
    assert (found.num_row_groups, found.row_group(0).column(0).compression) == (2, "GZIP")
    session.sql(f"copy T to '{path}' (format arrow, compression zstd)")
    assert lf.read_ipc(path).to_dicts() == T.to_dicts()
    session.sql(f"copy (select 'a' as k) to '{path}' (format csv, force_quote *)")
    assert path.read_text() == '"k"\n"a"\n'


def test_copy_into_folders(session, tmp_path):
    path = tmp_path / "out"
    session.sql(f"copy T to '{path}' (format parquet, partition_by (k))")
    assert sorted(folder.name for folder in path.iterdir()) == ["k=a", "k=b"]
    with pytest.raises(lf.errors.SinkError):
        session.sql(f"copy T to '{path}' (format parquet, partition_by k)")
    session.sql(f"copy (select 'c' as k, 1 as x) to '{path}' (format parquet, partition_by k, overwrite)")
    assert sorted(folder.name for folder in path.iterdir()) == ["k=c"]


def test_what_cannot_be_written_is_named_with_its_place(session, tmp_path):
    with pytest.raises(lf.errors.SinkError, match="does not exist") as caught:
        session.sql(f"copy T\nto '{tmp_path}/nowhere/t.csv'")
    assert "SQL line 2, column 4" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ("(format parqet)", "no format 'parqet'", "parquet"),
        ("(delimeter ';')", "COPY to csv has no option DELIMETER", "DELIMITER"),
        ("(format json, array true)", "ARRAY: JSON is written as one object a line", ""),
        ("(header 3)", "HEADER: true or false", ""),
        ("(quote '''')", "QUOTE", ""),
        ("(compression gzip)", "does not go with the name", ".gz"),
        ("(header, header false)", "HEADER is given twice", ""),
        ("(header (select 1))", "takes a plain value", ""),
    ],
)
def test_copy_refuses_what_it_does_not_know(session, tmp_path, options, message, hint):
    path = tmp_path / "t.csv"
    with pytest.raises(lf.errors.LazyFrameError) as caught:
        session.sql(f"copy T to '{path}' {options}")
    assert message in str(caught.value)
    assert hint in str(caught.value)
    assert "SQL line 1" in str(caught.value)
    assert not path.exists()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("insert into T values (1)", "INSERT"), ("with a as (select 1) insert into T from a", "INSERT"),
        ("update T set x = 1", "UPDATE"), ("delete from T", "DELETE"), ("truncate T", "TRUNCATE"),
        ("merge into T using T s on T.x = s.x when matched then delete", "MERGE"), ("attach 'x' as y", "ATTACH"),
        ("pragma threads = 1", "PRAGMA"), ("set threads = 1", "SET"), ("reset threads", "RESET"), ("use x", "USE"),
        ("vacuum", "VACUUM"), ("checkpoint", "CHECKPOINT"), ("begin", "BEGIN"), ("commit", "COMMIT"), ("rollback", "ROLLBACK"),
        ("alter table T add column y int", "ALTER TABLE"), ("create schema s", "CREATE SCHEMA"),
        ("create macro f(a) as a", "CREATE MACRO"), ("create table t (x int)", "CREATE TABLE without AS"),
        ("create index i on T (x)", "CREATE INDEX"), ("drop schema s", "DROP SCHEMA"), ("drop view v cascade", "DROP VIEW"),
        ("copy T from 'x.csv'", "COPY ... FROM"), ("load x", "LOAD"), ("install x", "INSTALL"), ("call f()", "CALL"),
        ("prepare p as select 1", "PREPARE"), ("execute p", "EXECUTE"), ("show databases", "SHOW DATABASES"),
        ("show all tables", "SHOW ALL"), ("grant select on T to u", "GRANT"), ("comment on table T is 'x'", "COMMENT"),
        ("analyze T", "ANALYZE"), ("select 1 into t", "SELECT INTO"), ("explain insert into T values (1)", "INSERT"),
        ("create materialized view v as select 1", "CREATE VIEW with MATERIALIZED"), ("kill 3", "KILL"),
        ("create view s.v as select 1", "no schema 's'"), ("explain (format json) select 1", "EXPLAIN (format json)"),
    ],
)  # fmt: skip
def test_all_others_are_refused_by_name(session, text, name, caplog, capsys):
    with pytest.raises(lf.errors.UnsupportedError) as caught:
        session.sql(f"select 1;\n  {text}")
    assert name in caught.value.message
    assert "SQL line 2, column" in str(caught.value)
    # The parser says nothing beside.
    assert caplog.records == []
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["", "  ", ";", "-- nothing", "explain", "explain explain select 1", "1 + 1"])
def test_no_statement(session, text):
    with pytest.raises(lf.errors.SqlSyntaxError):
        session.sql(text)


def test_errors_in_explain_show_what_was_written(session):
    with pytest.raises(lf.errors.LazyFrameError) as caught:
        session.sql("explain analyze\n  select wrong from T")
    assert "SQL line 2, column 10\n      select wrong from T" in str(caught.value)
    with pytest.raises(lf.errors.SqlSyntaxError) as caught:
        session.sql("explain select 1 where")
    assert "explain select 1 where" in str(caught.value)
