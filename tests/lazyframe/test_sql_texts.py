"""What editors put into a text."""

import pytest

import lazyframe as lf
from lazyframe.cli import main


def test_a_byte_order_mark_is_nothing(tmp_path, capsys):
    assert lf.sql("\ufeffselect 1 as x").item() == 1
    path = tmp_path / "q.sql"
    path.write_text("select 1 as x", encoding="utf-8-sig")
    assert main(["-f", str(path), "--format", "csv"]) == 0
    assert main(["-f", str(path), "--explain"]) == 0
    assert capsys.readouterr().out.startswith("x\n1\n")


@pytest.mark.parametrize(("text", "column"), [("select ‘a’", 8), ("select 1 where 'a' = “a b”", 22)])  # noqa: RUF001
def test_quotes_of_word_processors(text, column):
    with pytest.raises(lf.errors.SqlSyntaxError, match="is no quote in SQL") as caught:
        lf.sql(text)
    assert f"SQL line 1, column {column}" in str(caught.value)
    assert lf.sql("select '‘a’' as \"“x”\"").to_dicts() == [{"“x”": "‘a’"}]  # noqa: RUF001
