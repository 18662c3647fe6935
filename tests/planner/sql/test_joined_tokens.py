"""Constants that are one token, and numbers that run into names."""

import pytest

import lazyframe as lf
from lazyframe.planner.errors import SqlSyntaxError
from tests.planner.sql.expressions import value_of


@pytest.mark.parametrize(
    ("expression", "dialect", "value"),
    [
        ("x'6162'", "duckdb", b"ab"), ("X'FF'", "duckdb", b"\xff"), ("1_000", "duckdb", 1000), ("1_000_000", "postgres", 1_000_000),
        ("CASE 'b'::BLOB WHEN x'62' THEN 1 END", "duckdb", 1), ("1 x", "duckdb", 1), ("0x1F", "postgres", 31),
        ("1e3+1e3*2", "duckdb", 3000.0), ("1E5-2E5", "duckdb", -100000.0), ("1e3+1.5e1-.5e1", "postgres", 1010.0),
        ("1e-3", "duckdb", 0.001), ("1e3+1_000", "duckdb", 2000.0), ("1e3+0.5", "duckdb", 1000.5),
    ],
)  # fmt: skip
def test_values(expression, dialect, value):
    assert value_of(expression, dialect) == value


@pytest.mark.parametrize("text", ["SELECT 1abc", "SELECT 0x1F", "SELECT 2, 1.5x", "SELECT 1e3+1a"])
def test_a_number_that_runs_into_a_name(text):
    with pytest.raises(SqlSyntaxError, match="runs into the name") as caught:
        lf.sql(text)
    assert "SQL line 1" in str(caught.value)
