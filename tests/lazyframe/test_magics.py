"""`%sql` and `%%sql`."""

import pytest

import lazyframe as lf

pytest.importorskip("IPython")

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "lazyframe")
    made.user_ns["frame"] = lf.from_dict({"x": [1, 2, 3]})
    yield made
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def run(shell, source):
    result = shell.run_cell(source, store_history=False)
    result.raise_error()
    return result.result


def test_a_line_gives_rows(shell):
    found = run(shell, "%sql select x + 1 as y from frame where x > 1")
    assert isinstance(found, lf.DataFrame)
    assert found.to_dicts() == [{"y": 3}, {"y": 4}]
    run(shell, "a = %sql select max(x) as x from frame")
    assert shell.user_ns["a"].to_dicts() == [{"x": 3}]


def test_a_cell_gives_rows(shell):
    assert run(shell, "%%sql\nselect sum(x) as x\nfrom frame").to_dicts() == [{"x": 6}]


@pytest.mark.parametrize(
    "source",
    ["%%sql big\nselect x from frame\nwhere x > 2", "%%sql\nbig << select x from frame where x > 2",
     "%sql big << select x from frame where x > 2", "%%sql big <<\nselect x from frame where x > 2"],
)  # fmt: skip
def test_a_query_can_be_stored(shell, source):
    assert run(shell, source) is None
    assert type(shell.user_ns["big"]) is lf.LazyFrame
    assert shell.user_ns["big"].to_dicts() == [{"x": 3}]
    assert run(shell, "%sql select x + 1 as x from big").to_dicts() == [{"x": 4}]


def test_variables_are_parameters(shell):
    shell.user_ns.update(least=2, name="it's {least}")
    found = run(shell, "%sql select x, $name as name from frame where x > $least")
    assert found.to_dicts() == [{"x": 3, "name": "it's {least}"}]
    with pytest.raises(UsageError, match="'most' has no value"):
        run(shell, "%sql select x from frame where x < $most")


def test_dialect(shell):
    assert run(shell, "%sql --dialect mysql select `x` from frame limit 1").to_dicts() == [{"x": 1}]
    assert run(shell, "%%sql --dialect=tsql top\nselect top 1 [x] from frame") is None
    assert shell.user_ns["top"].to_dicts() == [{"x": 1}]
    with pytest.raises(UsageError, match="dialect"):
        run(shell, "%sql --dialect nonsense select 1")
    with pytest.raises(UsageError, match="unrecognized"):
        run(shell, "%sql --dialekt x select 1")


def test_views_stay(shell):
    run(shell, "%sql create or replace view magic_view as select 7 as x")
    assert run(shell, "%sql from magic_view").to_dicts() == [{"x": 7}]
    run(shell, "%sql drop view magic_view")


def test_errors_speak_of_the_cell(shell, capsys):
    with pytest.raises(UsageError) as caught:
        run(shell, "%%sql\nselect x\nfrom frame\nwhere y = 1")
    # The magic is line 1 of the cell.
    assert "SQL line 4, column 7\n    where y = 1\n          ^" in str(caught.value)
    assert "ColumnNotFoundError" in str(caught.value)
    with pytest.raises(UsageError) as caught:
        run(shell, "%%sql\nbig << select y from frame")
    assert "SQL line 2, column 15" in str(caught.value)
    with pytest.raises(UsageError, match="EvaluationError"):
        run(shell, "%sql select 1 // (x - x) as y from frame")
    with pytest.raises(UsageError, match="there is no SQL"):
        run(shell, "%sql")
    shown = capsys.readouterr()
    assert "Traceback" not in shown.out + shown.err
