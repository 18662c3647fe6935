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


def test_quotes_and_words_of_other_dialects():
    with pytest.raises(lf.errors.SqlSyntaxError, match="dialect='mysql'") as caught:
        lf.sql("select `a` from t")
    assert "SQL line 1, column 8" in str(caught.value)
    assert lf.sql("select 1 as `a b`", dialect="mysql").to_dicts() == [{"a b": 1}]
    with pytest.raises(lf.errors.SqlSyntaxError, match="write LIMIT at the end"):
        lf.sql("select top 3 x from t")
    with pytest.raises(lf.errors.SqlSyntaxError, match=r"read_csv\(\) lacks"):
        lf.sql("from read_csv()")
