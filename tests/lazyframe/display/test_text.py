"""Tables in a terminal: exact text worked out by hand, and what holds for every table."""

from __future__ import annotations

import io
import os
import string
import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from lazyframe.display.text import render_text


def lines(text: str) -> list[str]:
    return text.split("\n")


def test_numbers_stand_right_and_texts_left():
    table = pa.table({"origin": ["JFK", "LaGuardia"], "delay": [2.5, 11.25], "n": pa.array([7, 1000], pa.int32())})
    assert lines(render_text(table, width=80)) == [
        "┌───────────┬─────────┬───────┐",
        "│ origin    │   delay │     n │",
        "│ string    │ float64 │ int32 │",
        "├───────────┼─────────┼───────┤",
        "│ JFK       │    2.50 │     7 │",
        "│ LaGuardia │   11.25 │  1000 │",
        "└───────────┴─────────┴───────┘",
        "2 rows × 3 columns",
    ]


def test_head_and_tail_with_a_gap_between():
    assert lines(render_text(pa.table({"n": range(1, 1001)}), width=80, max_rows=3)) == [
        "┌───────┐",
        "│     n │",
        "│ int64 │",
        "├───────┤",
        "│     1 │",
        "│     2 │",
        "│     … │",
        "│  1000 │",
        "└───────┘",
        "1,000 rows × 1 column, showing 3 rows",
    ]


def test_beginning_of_a_longer_result_has_no_tail():
    assert lines(render_text(pa.table({"n": [1, 2]}), total_rows=336776, width=80, title="flights")) == [
        "flights",
        "┌───────┐",
        "│     n │",
        "│ int64 │",
        "├───────┤",
        "│     1 │",
        "│     2 │",
        "│     … │",
        "└───────┘",
        "336,776 rows × 1 column, showing 2 rows",
    ]


def test_columns_are_left_out_of_the_middle_and_named():
    # Each column takes 5 + 3 cells, the gap 1 + 3, the border 1: two columns beside a gap take 21 of 28, and the names take all 28.
    table = pa.table({name: [1] for name in "abcdefg"})
    assert lines(render_text(table, width=28)) == [
        "┌───────┬───┬───────┐",
        "│     a │ … │     g │",
        "│ int64 │ … │ int64 │",
        "├───────┼───┼───────┤",
        "│     1 │ … │     1 │",
        "└───────┴───┴───────┘",
        "… 5 more columns: b, c, d, …",
        "1 row × 7 columns",
    ]


def test_columns_that_just_fit_are_all_shown():
    table = pa.table({name: [1] for name in "abc"})
    assert lines(render_text(table, width=25))[1] == "│     a │     b │     c │"
    assert lines(render_text(table, width=24))[1] == "│     a │ … │     c │"


def test_null_differs_from_the_text_null():
    assert lines(render_text(pa.table({"s": ["null", None, "", " x", '"', "NULL"]}), width=40))[4:-2] == [
        '│ "null" │',
        "│ null   │",
        '│ ""     │',
        '│ " x"   │',
        '│ "\\""   │',
        "│ NULL   │",
    ]


def test_wide_and_combining_characters_keep_the_box_straight():
    assert lines(render_text(pa.table({"s": ["日本", "e\u0301t", "abcdef"]}), width=40))[4:-2] == [
        "│ 日本   │",
        "│ e\u0301t     │",
        "│ abcdef │",
    ]


def test_texts_are_cut_by_cells_where_the_terminal_is_narrow():
    table = pa.table({"s": ["日" * 30, "x" * 30]})
    assert lines(render_text(table, width=20))[4:-2] == [
        "│ 日日日日日日日…  │",
        "│ xxxxxxxxxxxxxxx… │",
    ]


def test_control_characters_never_reach_the_terminal():
    table = pa.table({"a\nb": ["x\ty", "\x1b[31mred", "\u202eabc", "C:\\new"]})
    text = render_text(table, width=40)
    assert not any(ord(character) < 32 and character != "\n" for character in text)
    assert "\u202e" not in text
    assert lines(text)[1].strip("│ ") == '"a\\nb"'
    assert [line.strip("│ ") for line in lines(text)[4:-2]] == ['"x\\ty"', '"\\x1b[31mred"', '"\\u202eabc"', "C:\\new"]


def test_no_columns_no_rows_and_duplicate_names():
    assert render_text(pa.table({})) == "0 rows × 0 columns"
    assert render_text(pa.table({"a": [1, 2]}).select([])) == "2 rows × 0 columns"
    assert lines(render_text(pa.table({"a": pa.array([], pa.int8())}))) == [
        "┌──────┐",
        "│    a │",
        "│ int8 │",
        "├──────┤",
        "└──────┘",
        "0 rows × 1 column",
    ]
    twice = pa.table([pa.array([1]), pa.array(["x"])], names=["a", "a"])
    assert lines(render_text(twice))[1:5:3] == ["│     a │ a      │", "│     1 │ x      │"]


def test_given_names_and_types_stand_in_the_header():
    table = pa.table({"id:right": [1]})
    assert lines(render_text(table, names_types=[("id", "bigint")]))[1:3] == ["│     id │", "│ bigint │"]
    with pytest.raises(ValueError, match="2 names for a table of 1 columns"):
        render_text(table, names_types=[("a", "int64"), ("b", "int64")])


def test_ascii_where_the_output_has_no_box_characters(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert lines(render_text(pa.table({"name": ["é", "b", "c"]}), width=40, max_rows=2)) == [
        "+--------+",
        "| name   |",
        "| string |",
        "+--------+",
        "| \\xe9   |",
        "| ...    |",
        "| c      |",
        "+--------+",
        "3 rows x 1 column, showing 2 rows",
    ]


def test_width_is_the_terminals(monkeypatch):
    table = pa.table({f"c{i}": [1] for i in range(40)})
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback: os.terminal_size((50, 24)))
    assert max(map(cell_len, lines(render_text(table)))) in range(42, 51)
    monkeypatch.undo()
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "__stdout__", io.StringIO())
    assert max(map(cell_len, lines(render_text(table)))) in range(72, 81)


def test_many_columns():
    # With their bars the first columns take 11 cells and the last 14: two of each, the gap and the border make 55.
    table = pa.table({f"column_{i}": [i] for i in range(5000)})
    assert lines(render_text(table, width=60))[-2] == "… 4,996 more columns: column_2, column_3, column_4, …"


texts = st.text(max_size=40) | st.text('日本語한ｶﾞ👩\u200d\ufe0f\u0301❤1🇫 \n"', max_size=20) | st.text(string.printable)
values = st.one_of(
    st.tuples(st.just(pa.string()), texts),
    st.tuples(st.just(pa.float64()), st.floats()),
    st.tuples(st.just(pa.int64()), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.just(pa.list_(pa.string())), st.lists(texts, max_size=12)),
    st.tuples(st.just(pa.binary()), st.binary(max_size=30)),
)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(0, 4))
    columns, names = [], []
    for _ in range(draw(st.integers(1, 6))):
        dtype, value = draw(values)
        columns.append(pa.array([value if draw(st.booleans()) else None for _ in range(rows)], dtype))
        names.append(draw(texts))
    return pa.table(columns, names=names)


@given(tables(), st.integers(20, 120), st.integers(0, 5), texts)
def test_never_wider_than_asked_and_every_line_of_the_box_as_wide(table, width, max_rows, title):
    drawn = lines(render_text(table, width=width, max_rows=max_rows, title=title))
    assert max(map(cell_len, drawn)) <= width
    top = next(i for i, line in enumerate(drawn) if line.startswith("┌─") and i == 1)
    bottom = max(i for i, line in enumerate(drawn) if line.startswith("└─"))
    assert len({cell_len(line) for line in drawn[top : bottom + 1]}) == 1
    shown = min(table.num_rows, max_rows)
    assert bottom - top == 4 + shown + (table.num_rows > shown)
