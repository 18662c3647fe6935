"""Data that comes through a pipe."""

import os
import subprocess
import sys
import threading

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.sql.pipes import Piped, is_pipe, read_pipe

CSV = b"a,b\n1,x\n2,y\n"


def run(query, content):
    command = [sys.executable, "-m", "lazyframe", query, "--format", "csv"]
    return subprocess.run(command, input=content, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_rows_from_the_standard_input(name):
    assert run(f"select b, a from '{name}' where a > 1", CSV).stdout == b"b,a\ny,2\n"
    assert run(f"from read_csv('{name}', all_varchar = true) where a = '1'", CSV).stdout == b"a,b\n1,x\n"


def test_it_is_read_once_for_several_uses():
    text = "select count(*) as n from '-' l join '-' r on l.a < r.a; from '-' limit 1"
    assert run(text, CSV).stdout == b"n\n1\na,b\n1,x\n"


def test_other_formats_are_told_by_their_beginning(tmp_path):
    frame = lf.from_dict({"a": [1, 2]})
    for write, name in ((frame.sink_parquet, "t.parquet"), (frame.sink_ipc, "t.arrow"), (frame.sink_json, "t.json")):
        write(tmp_path / name)
        assert run("select sum(a) as s from '-'", (tmp_path / name).read_bytes()).stdout == b"s\n3\n"


def test_nothing_comes():
    found = run("from '-'", b"")
    assert found.returncode == 1
    assert b"nothing came through -" in found.stderr


def test_a_named_pipe_is_read_anew_by_each_query(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for rows in ([1], [2, 3]):
        content = "a\n" + "\n".join(map(str, rows))
        writer = threading.Thread(target=path.write_text, args=(content,))
        writer.start()
        assert lf.sql(f"select p.a from '{path}' p, '{path}' q where p.a = q.a").to_dict() == {"a": rows}
        writer.join()


def test_what_is_a_pipe(tmp_path):
    assert is_pipe("-")
    assert not is_pipe(str(tmp_path))
    assert not is_pipe("no such file")
    kept = Piped("p", b"abc")
    assert read_pipe("p", {"p": kept}) is kept
    assert (kept.head, kept.read()) == (b"abc", pa.py_buffer(b"abc"))
