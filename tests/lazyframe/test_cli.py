import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import lazyframe
from lazyframe.cli import main
from lazyframe.formats import format_of

FLIGHTS = str(Path(__file__).resolve().parents[2] / "datasets" / "flights.parquet")


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def table():
    return pa.table({"k": ["a", None, "b"], "x": [1, 2, 6]})


@pytest.fixture
def parquet(tmp_path, table):
    path = tmp_path / "small.parquet"
    pq.write_table(table, path, row_group_size=2)
    return path


def cells(line):
    return [cell.strip() for cell in line.strip("│ \n").split("│")]


def run(*args, **options):
    command = [sys.executable, "-m", "lazyframe", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)


def test_describe(parquet, capsys):
    assert main(["describe", str(parquet)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(parquet)
    assert lines[1] == f"Parquet, 3 rows, 2 columns, {parquet.stat().st_size / 1024:.1f} KiB, 2 row groups"
    rows = [cells(line) for line in lines if line.startswith("│")]
    assert ["column", "type", "nullable", "nulls", "unique"] in rows
    assert ["k", "string", "yes", "1", "2"] in rows
    assert ["x", "int64", "yes", "0", "3"] in rows
    # The mean of 1, 2, 6 is 3; their variance is (4 + 1 + 9) / 2 = 7, whose root is 2.64575.
    assert ["x", "3", "2.64575", "1", "6"] in rows
    # The quantiles of 1, 2, 6, with interpolation.
    assert ["x", "1.5", "2", "4"] in rows
    assert ["k", "a", "b"] in rows


def test_no_line_is_wider_than_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["describe", FLIGHTS, "--rows", "2"]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines() if line != FLIGHTS)
    assert "336,776 rows, 19 columns" in out
    assert "336,776 rows × 19 columns, showing 2 rows" in out
    headings = [cells(line) for line in out.splitlines() if line.startswith("│ column")]
    assert headings == [
        ["column", "type", "nullable", "nulls", "unique"], ["column", "mean", "std", "min", "max"],
        ["column", "25%", "50%", "75%"], ["column", "min", "max"],
    ]  # fmt: skip
    rows = [cells(line) for line in out.splitlines() if line.startswith("│")]
    assert ["year", "2013", "0", "2013", "2013"] in rows
    assert ["year", "2013", "2013", "2013"] in rows


def test_rows(parquet, capsys):
    main(["describe", str(parquet), "--rows", "1"])
    rows = [cells(line) for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    assert ["a", "1"] in rows
    assert ["b", "6"] not in rows


def test_each_format(tmp_path, table, capsys):
    (tmp_path / "t.csv").write_text("k,x\na,1\nb,2\n")
    (tmp_path / "t.tsv").write_text("k\tx\na\t1\n")
    (tmp_path / "t.ndjson").write_text('{"k": "a", "x": 1}\n')
    pyarrow.feather.write_feather(table, str(tmp_path / "t.arrow"))
    names = ["t.csv", "t.tsv", "t.ndjson", "t.arrow"]
    assert main(["describe", *[str(tmp_path / name) for name in names]]) == 0
    out = capsys.readouterr().out
    for start in (
        "CSV, 2 rows, 2 columns",
        "CSV, 1 row, 2 columns",
        "JSON, 1 row, 2 columns",
        "Arrow IPC, 3 rows, 2 columns",
    ):
        assert start in out


def test_csv_options(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes("é;1\nb\nc;3;4\n".encode("latin-1"))
    options = ["--separator", ";", "--encoding", "latin-1", "--no-header", "--ragged", "skip"]
    assert main(["describe", str(path), *options]) == 0
    out = capsys.readouterr().out
    assert "CSV, 1 row, 2 columns" in out
    assert ["column0", "é", "é"] in [cells(line) for line in out.splitlines()]
    path.write_text("a\tb\n1\n")
    assert main(["describe", str(path), "--separator", r"\t", "--ragged", "null"]) == 0
    assert "CSV, 1 row, 2 columns" in capsys.readouterr().out
    assert main(["describe", str(path), "--encoding", "latin-99"]) == 1
    assert "no encoding 'latin-99'" in capsys.readouterr().err
    assert main(["describe", str(path), "--ragged", "fill"]) == 2


def test_csv_options_leave_other_files_alone(parquet, capsys):
    assert main(["describe", str(parquet), "--separator", ";", "--no-header"]) == 0
    assert "Parquet, 3 rows" in capsys.readouterr().out


def test_format_by_content(tmp_path, parquet, table):
    bare = tmp_path / "bare"
    bare.write_bytes(parquet.read_bytes())
    assert format_of(str(bare)) == "Parquet"
    pyarrow.feather.write_feather(table, str(bare), compression="uncompressed")
    assert format_of(str(bare)) == "Arrow IPC"
    bare.write_text(' [{"x": 1}]')
    assert format_of(str(bare)) == "JSON"
    bare.write_text("x;y\n1;2\n")
    assert format_of(str(bare)) == "CSV"
    assert format_of("sales.CSV.gz") == "CSV"


def test_pattern_and_folder_are_one_table(tmp_path, parquet, capsys):
    parquet.with_name("more.parquet").write_bytes(parquet.read_bytes())
    for path in (f"{tmp_path}/*.parquet", str(tmp_path)):
        assert main(["describe", path]) == 0
        assert "Parquet, 6 rows, 2 columns, 2 files, 4 row groups" in capsys.readouterr().out


def test_empty_table(tmp_path, capsys):
    path = tmp_path / "empty.parquet"
    pq.write_table(pa.table({"x": pa.array([], pa.int64())}), path)
    assert main(["describe", str(path), "--rows", "3"]) == 0
    assert "Parquet, 0 rows, 1 column," in capsys.readouterr().out


def test_a_file_that_fails_does_not_hide_the_others(tmp_path, parquet, capsys):
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(parquet.read_bytes()[:40])
    too_long = "x" * 300 + ".csv"
    assert main(["describe", too_long, str(broken), str(tmp_path / "smal.parquet"), str(parquet)]) == 1
    out, err = capsys.readouterr()
    assert "Parquet, 3 rows" in out
    assert str(broken) in err
    assert "small.parquet" in err
    assert "Traceback" not in err


def test_process_says_what_is_wrong(tmp_path):
    done = run("describe", str(tmp_path / "nothing.csv"))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("lazyframe: no such file or folder")
    assert "Traceback" not in done.stderr


def test_wrong_arguments(capsys):
    assert main(["describe"]) == 2
    assert main(["describe", "x.csv", "--rows", "-1"]) == 2
    assert "a whole number of 0 or more" in capsys.readouterr().err


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lazyframe {lazyframe.__version__}\n"
    assert main(["--help"]) == 0
    assert "describe" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of that kind")
def test_closed_pipe_is_quiet(parquet):
    command = f"{sys.executable} -m lazyframe describe {' '.join([str(parquet)] * 300)} | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert done.returncode == 141
    assert done.stderr == ""
    assert done.stdout == f"{parquet}\n"


def test_interrupt(parquet, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("lazyframe.cli.describe.describe", interrupted)
    assert main(["describe", str(parquet)]) == 130
