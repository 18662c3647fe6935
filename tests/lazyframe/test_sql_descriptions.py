"""DESCRIBE, SUMMARIZE and SHOW where a query stands, and EXPLAIN as a value."""

import pytest

import lazyframe as lf

T = lf.from_dict({"x": [1, 2, None], "k": ["a", "b", "a"]})


def test_describe_in_from():
    found = lf.sql("select column_name as c, column_type as t from (describe T) where column_type <> 'BIGINT'")
    assert found.to_dicts() == [{"c": "k", "t": "VARCHAR"}]
    found = lf.sql("select d.column_name as c, n from (describe select x + 1 as y from T) d, (select 5 as n)")
    assert found.to_dicts() == [{"c": "y", "n": 5}]


def test_summarize_in_from():
    found = lf.sql("select column_name as c, max, count from (summarize T) order by c desc")
    assert found.to_dicts() == [{"c": "x", "max": "2", "count": 3}, {"c": "k", "max": "b", "count": 3}]


def test_describe_within_with():
    found = lf.sql("""
        with a as (select x as first, $v as second from T), d as (describe a)
        select column_name as c, column_type as t from d
    """, v="text")  # fmt: skip
    assert found.to_dicts() == [{"c": "first", "t": "BIGINT"}, {"c": "second", "t": "VARCHAR"}]
    found = lf.sql("with a as (select 1 as z) select column_name as c from (describe from a)")
    assert found.to_dicts() == [{"c": "z"}]


def test_a_description_of_a_description():
    found = lf.sql("select column_name as c from (describe from (describe T)) limit 2")
    assert found.to_dicts() == [{"c": "column_name"}, {"c": "column_type"}]


def test_a_view_of_a_description_and_show_tables():
    session = lf.Session()
    session.register("t", T)
    session.sql("create view v as select column_name as c from (describe t)")
    assert session.sql("from v").to_dict() == {"c": ["x", "k"]}
    assert session.sql("select name from (show tables) where name <> 'v'").to_dicts() == [{"name": "t"}]


def test_the_same_text_sees_another_frame():
    text = "select column_name as c from (describe frame)"
    frame = lf.from_dict({"a": [1]})
    assert lf.sql(text).to_dict() == {"c": ["a"]}
    frame = lf.from_dict({"b": [1]})
    assert lf.sql(text).to_dict() == {"c": ["b"]}
    del frame


def test_errors_within_have_their_places():
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        lf.sql("from (describe select wrong from T)")
    assert "SQL line 1, column 23" in str(caught.value)


def test_show_a_table():
    assert lf.sql("show T").to_dicts() == lf.sql("describe T").to_dicts()
    with pytest.raises(lf.errors.TableNotFoundError) as caught:
        lf.sql("show Tt")
    assert "SQL line 1, column 6" in str(caught.value)
    with pytest.raises(lf.errors.UnsupportedError, match="write SHOW TABLES"):
        lf.sql("show all tables")


@pytest.mark.parametrize("text", ["describe", "summarize", "from (describe)"])
def test_what_is_incomplete_is_told_without_tokens(text):
    with pytest.raises(lf.errors.SqlSyntaxError) as caught:
        lf.sql(text)
    assert "Token" not in str(caught.value).replace("Unexpected token", "")


def test_explain_is_one_text():
    plan = T.filter(lf.col("x") > 1).select("x").explain()
    found = lf.sql("explain select x from T where x > 1")
    assert found.item() == plan
    assert str(found) == plan
    assert str(found.collect()) == plan
    assert found._repr_html_() == "<pre>" + plan.replace(">", "&gt;") + "</pre>"
