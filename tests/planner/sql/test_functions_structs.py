"""SQL's structs and maps. The values are those of DuckDB 2."""

import pytest

from tests.planner.sql.expressions import value_of

VALUES = [
    ("{'a': 1, 'b': 'x'}", {"a": 1, "b": "x"}),
    ("struct_pack(a := 1, b := 'x')", {"a": 1, "b": "x"}),
    ("{'a': 1}.a", 1),
    ("{'a': 1}['a']", 1),
    ("struct_extract({'a': 1}, 'A')", 1),
    ("{'a': {'b': [1, 2]}}.a.b[2]", 2),
    ("row(1, 'x')", {"c0": 1, "c1": "x"}),
    ("(1, 'x')", {"c0": 1, "c1": "x"}),
    ("row(1, 'x')[2]", "x"),
    ("struct_insert({'a': 1}, b := 2)", {"a": 1, "b": 2}),
    ("struct_keys({'a': 1})", ["a"]),
    ("struct_concat({'a': 1}, {'b': 2})", {"a": 1, "b": 2}),
    ("map([1, 2], [3, 4])", [(1, 3), (2, 4)]),
    ("map {'a': 1, 'b': 2}", [("a", 1), ("b", 2)]),
    ("map {'a': 1, 'b': 2}['b']", 2),
    ("map([1, 2], [3, 4])[1]", 3),
    ("map([1, 2], [3, 4])[5]", None),
    ("map_extract(map([1, 2], [3, 4]), 1)", [3]),
    ("element_at(map([1, 2], [3, 4]), 9)", []),
    ("map_keys(map([1, 2], [3, 4]))", [1, 2]),
    ("map_values(map([1, 2], [3, 4]))", [3, 4]),
    ("map_entries(map([1], [3]))", [{"key": 1, "value": 3}]),
    ("map_contains(map([1], [2]), 1)", True),
    ("map_from_entries([{'k': 1, 'v': 2}])", [(1, 2)]),
    ("map_concat(map([1], [3]), map([1, 2], [5, 6]))", [(1, 5), (2, 6)]),
    ("cardinality(map([1, 2], [3, 4]))", 2),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression, value):
    assert value_of(expression) == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)


def test_branches_meet_by_the_names_of_their_fields():
    text = "CASE WHEN {} THEN {{'a': 1, 'b': 'x'}} ELSE {{'b': 'y', 'a': 2}} END"
    assert list(value_of(text.format("true")).items()) == [("b", "x"), ("a", 1)]
    assert list(value_of(text.format("false")).items()) == [("b", "y"), ("a", 2)]
