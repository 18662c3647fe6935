"""`lazyframe "select ..."`."""

import datetime
import io
import json
import os
import signal
import subprocess
import sys
import time
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe.cli import main
from lazyframe.cli.parameters import value_of


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"k": ["a", "b", "a"], "x": [1, 2, 3]}), "t.parquet")


def cells(text):
    return [
        [cell.strip() for cell in line.strip("│ ").split("│")] for line in text.splitlines() if line.startswith("│")
    ]


def process(*args, **options):
    command = [sys.executable, "-m", "lazyframe", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)


def test_a_query_prints_a_table(capsys):
    assert main(["select k, sum(x) as x from 't.parquet' group by all order by k"]) == 0
    out, err = capsys.readouterr()
    assert cells(out) == [["k", "x"], ["string", "int64"], ["a", "4"], ["b", "2"]]
    assert "2 rows × 2 columns" in out
    assert err == ""


def test_long_results_show_their_beginning(capsys):
    pq.write_table(pa.table({"x": list(range(100))}), "long.parquet")
    assert main(["from 'long.parquet'"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("first 40 rows\n")
    assert [row[0] for row in cells(out)[2:]] == [str(number) for number in range(40)]
    assert main(["from 'long.parquet'", "--limit", "60"]) == 0
    out = capsys.readouterr().out
    assert [row[0] for row in cells(out)[2:]] == [str(number) for number in range(60)]


def test_csv_and_json(capsysbinary):
    assert main(["from 't.parquet' order by x", "--format", "csv", "--limit", "2"]) == 0
    assert capsysbinary.readouterr().out == b"k,x\na,1\nb,2\n"
    assert main(["from 't.parquet' order by x", "--format", "json"]) == 0
    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert [json.loads(line) for line in lines] == [{"k": "a", "x": 1}, {"k": "b", "x": 2}, {"k": "a", "x": 3}]
    assert main(["from 't.parquet' where x > 9", "--format", "csv"]) == 0
    assert capsysbinary.readouterr().out == b"k,x\n"


def test_long_csv_has_one_header(capsysbinary):
    pq.write_table(pa.table({"x": list(range(300_000))}), "long.parquet", row_group_size=100_000)
    assert main(["from 'long.parquet'", "--format", "csv"]) == 0
    assert capsysbinary.readouterr().out == b"x\n" + b"".join(b"%d\n" % number for number in range(300_000))


@pytest.mark.parametrize("name", ["o.parquet", "o.csv", "o.json", "o.arrow", "o.tsv", "o.csv.gz"])
def test_output(name, capsys):
    assert main(["select x from 't.parquet' where x > 1 order by x", "-o", name]) == 0
    assert capsys.readouterr().out == ""
    assert lf.sql(f"from '{name}'").to_dicts() == [{"x": 2}, {"x": 3}]


def test_output_of_the_only_query_among_statements():
    assert main(["create view v as from 't.parquet'; select max(x) as x from v", "-o", "o.csv"]) == 0
    assert lf.read_csv("o.csv").to_dicts() == [{"x": 3}]


def test_explain(capsys):
    assert main(["select x from 't.parquet' where x > 1", "--explain"]) == 0
    plan = lf.scan_parquet("t.parquet").filter(lf.col("x") > 1).select("x").explain()
    assert capsys.readouterr().out == plan + "\n"
    assert main(["select x from 't.parquet' where x > 1", "--analyze"]) == 0
    assert "[2 rows]" in capsys.readouterr().out
    assert main(["explain select x from 't.parquet' where x > 1"]) == 0
    assert capsys.readouterr().out == plan + "\n"


def test_parameters(capsysbinary):
    query = "select x from 't.parquet' where x >= $least and k = $k"
    assert main([query, "--param", "least=2", "--param", "k=a", "--format", "csv"]) == 0
    assert capsysbinary.readouterr().out == b"x\n3\n"
    assert (
        main(["select x from 't.parquet' where x = ? or x = ?", "--param", "1=3", "--param", "2=1", "--format", "csv"])
        == 0
    )
    assert capsysbinary.readouterr().out == b"x\n1\n3\n"
    assert main(["select $x", "--param", "y=2"]) == 1
    assert b"'x' has no value" in capsysbinary.readouterr().err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("-3", -3), ("0", 0), ("2.5", Decimal("2.5")), ("-.5", Decimal("-0.5")), ("1e3", 1000.0),
        ("2013-01-31", datetime.date(2013, 1, 31)), ("2013-02-30", "2013-02-30"),
        ("2013-01-31 10:20", datetime.datetime(2013, 1, 31, 10, 20)),  # noqa: DTZ001
        ("2013-01-31T10:20:30.5Z", datetime.datetime(2013, 1, 31, 10, 20, 30, 500_000, datetime.UTC)),
        ("true", True), ("FALSE", False), ("null", None), ("JFK", "JFK"), ("'3'", "3"), ("'it''s'", "it's"), ("", ""),
        ("007", "007"), ("1_000", "1_000"), ("nan", "nan"), ("--1", "--1"),
    ],
)  # fmt: skip
def test_values_are_read_as_sql_reads_them(text, value):
    found = value_of(text)
    assert (type(found), found) == (type(value), value)


def test_several_statements_print_what_each_gives(capsys):
    assert (
        main(["create table t as from 't.parquet'; select 1 as a; copy t to 'o.csv'; drop table t; select 2 as b"]) == 0
    )
    out = capsys.readouterr().out
    said = [line for line in out.splitlines() if line[0] not in "│┌├└"]
    assert said == ["CREATE TABLE: 3 rows", "1 row × 1 column", "COPY: 3 rows", "DROP TABLE", "1 row × 1 column"]
    assert cells(out) == [["a"], ["int64"], ["1"], ["b"], ["int64"], ["2"]]


def test_from_a_file_and_the_input(tmp_path, capsysbinary, monkeypatch):
    (tmp_path / "q.sql").write_text("-- ä\nselect max(x) as x\nfrom 't.parquet';\n", encoding="utf-8")
    assert main(["-f", "q.sql", "--format", "csv"]) == 0
    assert capsysbinary.readouterr().out == b"x\n3\n"
    for args in (["-f", "-"], []):
        monkeypatch.setattr("sys.stdin", io.StringIO("select min(x) as x from 't.parquet'"))
        assert main([*args, "--format", "csv"]) == 0
        assert capsysbinary.readouterr().out == b"x\n1\n"
    (tmp_path / "latin.sql").write_bytes("-- ä".encode("latin-1"))
    assert main(["-f", "latin.sql"]) == 2
    assert main(["-f", "nothing.sql"]) == 2
    assert b"cannot read nothing.sql" in capsysbinary.readouterr().err


def test_dialect(capsysbinary):
    assert main(["select `x` from `t.parquet` limit 1", "--dialect", "mysql", "--format", "csv"]) == 0
    assert capsysbinary.readouterr().out == b"x\n1\n"


def test_errors_underline_the_sql(capsys):
    assert main(["select k,\n  y\nfrom 't.parquet'"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "lazyframe: no column named 'y'",
        err.splitlines()[1],
        "  SQL line 2, column 3",
        "      y",
        "      ^",
    ]
    assert main(["select cast(k as int) from 't.parquet'"]) == 1
    assert "cannot read 'a' as int32" in (err := capsys.readouterr().err)
    assert "SQL line 1, column 8" in err
    assert main(["selec 1"]) == 1
    assert main(["insert into t values (1)"]) == 1
    assert "INSERT is not supported" in capsys.readouterr().err


def test_python_variables_are_no_tables(capsys):
    assert main(["from options"]) == 1
    assert "no table named 'options'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["select 1", "-f", "q.sql"], "not both"),
        (["select 1", "-o", "x.docx"], "end the name with"),
        (["select 1", "-o", "x.csv", "--explain"], "-o writes rows"),
        (["select 1", "-o", "x.csv", "--format", "csv"], "--format is for what is printed"),
        (["select 1; select 2", "-o", "x.csv"], "there are 2"),
        (["copy (select 1) to 'x.csv'", "--explain"], "COPY would write a file"),
        (["create table t as select 1", "--explain"], "write CREATE VIEW"),
        (["select $x", "--param", "x"], "NAME=VALUE"),
        (["select $x", "--param", "x=1", "--param", "x=2"], "given twice"),
        (["select ?", "--param", "2=1"], "1 to 1"),
        (["select 1", "--limit", "-1"], "0 or more"),
        (["select", "1"], "unrecognized"),
    ],
)
def test_wrong_arguments(args, message, capsys):
    assert main(args) == 2
    assert message in capsys.readouterr().err


def test_the_process():
    done = process("select wrong from 't.parquet'")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    done = process("select count(*) as n from 't.parquet'", "--format", "json")
    assert (done.returncode, done.stdout, done.stderr) == (0, '{"n":3}\n', "")


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of that kind")
def test_a_closed_pipe_is_quiet():
    pq.write_table(pa.table({"x": list(range(500_000))}), "long.parquet")
    command = f"{sys.executable} -m lazyframe \"from 'long.parquet'\" --format csv | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (141, "x\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of that kind")
def test_ctrl_c_stops_a_query():
    pq.write_table(pa.table({"x": list(range(200_000))}), "long.parquet")
    query = "select count(*) from 'long.parquet' a join 'long.parquet' b on a.x + b.x <> 1"
    running = subprocess.Popen([sys.executable, "-m", "lazyframe", query], stdout=-1, stderr=-1)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and running.poll() is None:
        # It has begun to work once it has used some time of a processor.
        with open(f"/proc/{running.pid}/stat") as file:  # noqa: PTH123
            used = int(file.read().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")
        if used > 1.5:
            break
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=10)
    assert (running.returncode, out, err) == (130, b"", b"")
