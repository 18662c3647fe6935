"""The prompt."""

import io
import stat
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lazyframe.prompt import run_prompt
from lazyframe.prompt.completion import suggestions
from lazyframe.prompt.history import history_file
from lazyframe.prompt.shell import Shell


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"carrier": ["AA"], "dep delay": [1]}), "flights.parquet")


@pytest.fixture
def shell():
    return Shell()


def completed(shell, before, after=""):
    return [found.text for found in suggestions(before, before + after, shell)]


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", True), ("  \n", True), (".tables", True), ("select 1", False), ("select 1;", True), ("select ';", False),
        ("select ';'", False), ("select ';';", True), ("select 1; -- and ;", True), ("select 1 -- ;", False),
        ("select 1 /* ;", False), ("select 1;\nselect 2", False), ("explain select 1;", True), ("explain select 1", False),
    ],
)  # fmt: skip
def test_a_text_is_complete_with_its_semicolon(shell, text, complete):
    assert shell.is_complete(text) is complete


def test_statements_and_meta_commands(shell, capsys):
    assert shell.run("create view v as select carrier from 'flights.parquet';")
    assert capsys.readouterr().out == "CREATE VIEW\n"
    assert shell.run("from v; select 2 as b;")
    out = capsys.readouterr().out
    assert "carrier" in out
    assert "AA" in out
    assert out.count("1 row × 1 column") == 2
    assert shell.run(".tables")
    assert capsys.readouterr().out == "v\n"
    assert shell.run(".schema V")
    assert "VARCHAR" in capsys.readouterr().out
    assert shell.run(".schema 'flights.parquet'")
    assert "dep delay" in capsys.readouterr().out
    assert shell.run(".timer on")
    assert shell.run("select 1;")
    assert " ms\n" in capsys.readouterr().out
    assert shell.run(".timer maybe")
    assert "it is on" in capsys.readouterr().out
    assert shell.run(".help")
    assert ".schema NAME" in capsys.readouterr().out
    assert shell.run(".tabels")
    assert "did you mean .tables" in capsys.readouterr().out
    assert not shell.run(".exit")
    assert not shell.run(".quit;")


def test_errors_leave_the_prompt_running(shell, capsys):
    assert shell.run("select wrong from 'flights.parquet';")
    out = capsys.readouterr().out
    assert "no column named 'wrong'" in out
    assert "^^^^^" in out
    assert shell.run(".schema nothing")
    assert "nothing" in capsys.readouterr().out


def test_ctrl_c_stops_the_query_alone(shell, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("lazyframe.prompt.shell.print_outcome", interrupted)
    assert shell.run("select 1;")
    assert capsys.readouterr().out == "stopped\n"


def test_without_a_terminal_it_reads_lines(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("select 1\nas one;\n.tables\nselect 2 as two"))
    assert run_prompt() == 0
    out = capsys.readouterr().out
    assert "one" in out
    assert "two" in out


def test_completion_of_keywords_and_functions(shell):
    assert completed(shell, "sel") == ["select"]
    assert completed(shell, "SEL") == ["SELECT"]
    assert "group by" in completed(shell, "select 1 gro")
    assert "count(" in completed(shell, "select cou")
    assert completed(shell, "select ") == []


def test_completion_of_names(shell, capsys):
    shell.run("create view warm as from 'flights.parquet';")
    assert completed(shell, "from w") == ["warm"]
    assert completed(shell, "from ") == ["warm"]
    assert completed(shell, "select c", " from warm")[0] == "carrier"
    assert '"dep delay"' in completed(shell, "select d", " from warm")
    assert completed(shell, "select warm.c", " from warm") == ["carrier"]
    assert completed(shell, ".schema w") == ["warm"]
    assert completed(shell, ".ti") == [".timer"]
    assert completed(shell, ".timer o") == ["on", "off"]


def test_completion_opens_no_files(shell, capsys):
    assert "carrier" not in completed(shell, "select c", " from 'flights.parquet'")
    shell.run("from 'flights.parquet';")
    assert completed(shell, "select c", " from 'flights.parquet'")[0] == "carrier"


def test_completion_of_paths(shell, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.csv").touch()
    (tmp_path / "folder" / "notes.docx").touch()
    assert completed(shell, "from 'fl") == ["flights.parquet"]
    assert completed(shell, "from 'fo") == ["folder/"]
    assert completed(shell, "from 'folder/") == ["folder/a.csv"]
    assert completed(shell, "from 'nowhere/") == []
    assert completed(shell, f"from '{tmp_path}/fl") == [f"{tmp_path}/flights.parquet"]


@pytest.mark.skipif(sys.platform == "win32", reason="no modes of that kind")
def test_history_is_the_users_own(tmp_path, monkeypatch):
    file = history_file()
    assert file == tmp_path / "data" / "lazyframe" / "history"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "flights.parquet"))
    assert history_file() is None


def test_the_line_editor_completes(shell):
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from lazyframe.prompt.editing import SqlCompleter

    (found,) = SqlCompleter(shell).get_completions(Document("from t;\n sele", 13), CompleteEvent())
    assert (found.text, found.start_position, found.display_meta_text) == ("select", -4, "keyword")


def test_the_line_editor(shell, tmp_path, capsys):
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    from lazyframe.prompt.editing import statements

    with create_pipe_input() as keys:
        # Enter continues what is not complete; Ctrl-C forgets it; Ctrl-D leaves.
        keys.send_text("select 1\rfrom 'x';\rselect oops\x03.tables\r.help\r\x04")
        typed = list(statements(shell, input=keys, output=DummyOutput()))
    assert typed == ["select 1\nfrom 'x';", ".tables", ".help"]
    assert "+.help" in (tmp_path / "data" / "lazyframe" / "history").read_text()
