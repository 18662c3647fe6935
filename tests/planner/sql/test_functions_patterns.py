"""SQL's patterns and regular expressions. The values are those of DuckDB 2."""

import pytest

from tests.planner.sql.expressions import value_of

VALUES = [
    ("'abc' like 'a%'", True),
    ("'abc' like 'a_c'", True),
    ("'abc' not like 'b%'", True),
    (r"'a%' like 'a\%' escape '\'", True),
    ("'abc' ilike 'A%'", True),
    ("'abc' not ilike 'A%'", False),
    ("null like 'a'", None),
    ("'abc' ~ 'b'", True),
    ("'abc' ~ '^b'", False),
    ("'abc' !~ 'b'", False),
    ("'abc' similar to 'a.c'", True),
    ("'abc' similar to 'b'", False),
    ("'abc' not similar to 'a.c'", False),
    ("'abc' glob 'a*'", True),
    ("'abc' glob 'A*'", False),
    ("'abc' glob '[ab]??'", True),
    ("regexp_matches('abc', 'B')", False),
    ("regexp_matches('abc', 'B', 'i')", True),
    ("regexp_matches(null, 'B', 'i')", None),
    ("regexp_full_match('abc', 'a.c')", True),
    ("regexp_full_match('abcd', 'a.c')", False),
    ("regexp_replace('aaa', 'a', 'b')", "baa"),
    ("regexp_replace('aaa', 'a', 'b', 'g')", "bbb"),
    ("regexp_replace('aXbX', 'x', '-', 'gi')", "a-b-"),
    (r"regexp_replace('abc', '(b)', '[\1]')", "a[b]c"),
    ("regexp_extract('abc', 'x')", ""),
    ("regexp_extract('abc', 'b(.)', 1)", "c"),
    ("regexp_extract('abc', 'B', 0, 'i')", "b"),
    ("regexp_extract_all('a1b2', '[0-9]')", ["1", "2"]),
    ("regexp_extract_all('a1b2', '([a-z])([0-9])', 2)", ["1", "2"]),
    ("regexp_split_to_array('a1b2c', '[0-9]')", ["a", "b", "c"]),
    ("string_split_regex('a1b2c', '[0-9]')", ["a", "b", "c"]),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression, value):
    assert value_of(expression) == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)
