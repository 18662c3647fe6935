"""Texts of any depth and length: an answer or an error of ours, in a thread with a small stack too."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

import lazyframe as lf
from lazyframe.errors import InvalidArgumentError, LazyFrameError, SqlSyntaxError
from lazyframe.planner.sql.reading.parse import parse

DEEP = 20_000
ROWS = "from (values (1), (2), (3)) t(x)"


def in_a_small_stack(compute: Callable[[], object]) -> object:
    """What a computation gives, or the error it raises, in a thread of half a megabyte of stack."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(compute())
        except BaseException as error:  # noqa: BLE001 - the test says what it should have been
            found.append(error)

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return found[0]


def value(text: str) -> object:
    return in_a_small_stack(lambda: lf.sql(text).collect().to_arrow().column(0).to_pylist()[0])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("select " + "(" * 100_000 + "1" + ")" * 100_000, id="parentheses"),
        pytest.param("select " + "(" * DEEP, id="open parentheses"),
        pytest.param("select " + "not " * 100_000 + "true", id="not"),
        pytest.param("select " + "- " * DEEP + "1", id="signs"),
        pytest.param("select " + "case when true then " * DEEP + "1" + " end" * DEEP, id="case"),
        pytest.param("select " + "(select " * DEEP + "1" + ")" * DEEP, id="subqueries"),
        pytest.param("with a as (" * DEEP, id="with"),
        pytest.param("select " + "[" * DEEP + "1" + "]" * DEEP, id="lists"),
        pytest.param("select [1]" + "[1]" * DEEP, id="subscripts"),
        pytest.param("select 1" + "::int" * DEEP, id="casts"),
        pytest.param("select " + "2 ** " * DEEP + "1", id="powers"),
        pytest.param("select " + "interval " * DEEP + "1", id="intervals"),
        pytest.param("select list_transform([1], a -> " + "a -> " * DEEP + "1)", id="lambdas"),
    ],
)
def test_what_is_nested_too_deep_is_an_error_of_syntax_at_its_place(text: str) -> None:
    error = in_a_small_stack(lambda: parse(text))
    assert isinstance(error, SqlSyntaxError)
    assert "nested more than 200 levels deep" in str(error)
    assert "SQL line 1, column" in str(error)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"select x {'is null ' * 5_000} {ROWS}", id="is null"),
        pytest.param(f"select {' = '.join(['x'] * 5_000)} {ROWS}", id="comparisons"),
        pytest.param("select a" + ".b" * 5_000, id="dots"),
        pytest.param("select x " + "at time zone 'UTC' " * 3_000 + ROWS, id="zones"),
    ],
)
def test_what_hangs_on_each_other_too_deep_is_an_error_of_ours(text: str) -> None:
    assert isinstance(value(text), LazyFrameError)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select " + "(" * 190 + "7" + ")" * 190, 7),
        ("select " + "not " * 150 + "true", True),
        ("select " + "case when false then 1 else " * 190 + "2" + " end" * 190, 2),
        ("select * from " + "(select * from " * 100 + "(values (5)) t(x)" + ")" * 100, 5),
        ("select " + "abs(" * 190 + "-3" + ")" * 190, 3),
        (
            "with c0 as (select 1 as x)"
            + "".join([f", c{i} as (select x + 1 as x from c{i - 1})" for i in range(1, 300)])
            + " select x from c299",
            300,
        ),
        (f"select count(*) {ROWS} where {' and '.join(['x > 1'] * 3_000)}", 2),
        (f"select count(*) {ROWS} where {' or '.join([f'x = {i}' for i in range(2, 3_000)])}", 2),
        (f"select {' + '.join(['x'] * 3_000)} {ROWS} order by x", 3_000),
        (f"select {' || '.join(['x::text'] * 500)} {ROWS} order by x", "1" * 500),
        (f"select count(*) {ROWS} where x in ({', '.join(map(str, range(2, 20_000)))})", 2),
        (f"select sum(x) from (values {', '.join([f'({i})' for i in range(3_000)])}) t(x)", 4_498_500),
        (f"select count(*) from ({' union all '.join(['select 1 as x'] * 2_000)}) t", 2_000),
        (f"select count(*) from ({' union '.join([f'select {i % 7} as x' for i in range(300)])}) t", 7),
        (f"select case {' '.join([f'when x = {i} then {i * 2}' for i in range(2_000)])} end {ROWS} order by x desc", 6),
        ("select 1" + " + - 1" * 1_000, -999),
    ],
)
def test_what_is_long_or_deep_within_bounds_has_an_answer(text: str, expected: object) -> None:
    assert value(text) == expected


def test_operators_between_operands_are_no_chain() -> None:
    # 300 casts, subscripts and arrows that stand beside each other.
    parts = " + ".join(["x::bigint"] * 300)
    assert value(f"select {parts} {ROWS} order by x") == 300
    assert value(f"select list_sum([{', '.join(['[1][1]'] * 300)}])") == 300
    assert value(f"select case {' '.join(['when x::bool then x::int'] * 150)} end {ROWS} order by x") == 1


def test_a_text_without_a_statement_and_a_dialect_that_there_is_not() -> None:
    for text in ("", "  -- nothing", ";;"):
        with pytest.raises(SqlSyntaxError, match="there is no statement"):
            parse(text)
    with pytest.raises(InvalidArgumentError, match=r"'duckbd'.*\n.*duckdb"):
        parse("select 1", "duckbd")


def test_statements_come_in_order() -> None:
    assert [tree.sql() for tree in parse("select 1; select 2;")] == ["SELECT 1", "SELECT 2"]
