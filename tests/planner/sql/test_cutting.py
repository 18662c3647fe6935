"""Where statements end, against DuckDB's own reading."""

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.planner.errors import LazyFrameError, SqlSyntaxError
from lazyframe.planner.sql.reading.cutting import pieces
from lazyframe.planner.sql.reading.statements import ExplainStatement, SelectStatement, statements

PARTS = (
    "select 1", "select ';'", "select 'it''s;'", 'select 1 as "a;b"', "select $$;$$", "select 1 -- ; no\n", "/* ; */ select 1",
    "explain select 1", "EXPLAIN ANALYZE select ';'", "explain verbose select 1", "select 1 as explain_", "values (1)",
    "select /* explain */ 1", "-- explain\nselect 1", "explain -- ;\n select 1", "explain\n\tselect 1",
)  # fmt: skip


@given(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=5),
    st.sampled_from([";", " ; ", ";;", ";\n-- end;\n"]),
    st.booleans(),
)
def test_statements_end_where_duckdb_ends_them(parts, between, ended):
    # The words that only we know are others for DuckDB, with as many statements.
    text = between.join(parts) + (between if ended else "")
    theirs = duckdb.extract_statements(text.replace("verbose", ""))
    ours = statements(text, "duckdb")
    assert [isinstance(found, ExplainStatement) for found in ours] == [
        found.type == duckdb.StatementType.EXPLAIN for found in theirs
    ]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))
def test_each_piece_stands_in_the_text(parts):
    text = ";".join(parts)
    for piece in pieces(text, "duckdb"):
        there = text[piece.start : piece.start + len(piece.text)]
        assert piece.text.count("\n") == there.count("\n")
        assert all(mine in (" ", theirs) for mine, theirs in zip(piece.text, there, strict=True))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("select 1; select from", 1, 18),
        ("select 1;\nselect 2;\n  select from", 3, 10),
        ("explain select from", 1, 16),
        ("select 1;\nselect ?, ? from", 2, 13),
    ],
)
def test_places_of_wrong_syntax(text, line, column):
    with pytest.raises(SqlSyntaxError) as caught:
        statements(text, "duckdb")
    site = caught.value.site
    assert (site.line, site.source) == (line, text.split("\n")[line - 1])
    assert site.source[site.column - 1 :].startswith("from")
    assert site.column == column


def test_many_statements_take_a_time_that_grows_with_them():
    assert len(statements("select 1;\n" * 1_000, "duckdb")) == 1_000


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("explain select 1", (False, False)),
        ("explain analyze select 1", (True, False)),
        ("explain verbose analyse select 1", (True, True)),
        ("explain (analyze, verbose) select 1", (True, True)),
        ("explain (select 1) union all (select 2)", (False, False)),
        ("explain (values (1))", (False, False)),
    ],
)
def test_options_of_explain(text, flags):
    (found,) = statements(text, "duckdb")
    assert (found.analyze, found.verbose) == flags


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql", "bigquery", "snowflake", "tsql", "spark", "sqlite"])
def test_in_other_dialects(dialect):
    found = statements("select 1; explain select 2; select ';'", dialect)
    assert [type(each) for each in found] == [SelectStatement, ExplainStatement, SelectStatement]


def test_question_marks_get_numbers_over_all_statements():
    first, second = statements("select ?, '?'; select ? + ? -- ?", "duckdb")
    assert [mark.this for mark in first.tree.find_all(type(first.tree.expressions[0]))] == ["1"]
    assert sorted(mark.this for mark in second.tree.find_all(type(first.tree.expressions[0]))) == ["2", "3"]


def test_question_marks_beside_numbers():
    with pytest.raises(LazyFrameError, match=r"write \$1"):
        statements("select ?, $1", "duckdb")


@pytest.mark.parametrize("text", ["select 'a; select 1", "select 1; select 'a", "explain select 'a"])
def test_open_strings(text):
    with pytest.raises(SqlSyntaxError):
        statements(text, "duckdb")
