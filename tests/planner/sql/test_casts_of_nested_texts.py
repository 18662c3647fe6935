"""Texts of lists and structs read by a cast. The values are those of DuckDB 2."""

import datetime as dt

import pytest

from lazyframe.planner.errors import EvaluationError, InvalidArgumentError, TypeMismatchError
from tests.planner.sql.expressions import value_of

VALUES = [
    ("'[1, 2]'::int[]", [1, 2]),
    ("' [ 1 ,2 ] '::int[]", [1, 2]),
    ("'[]'::int[]", []),
    ("'[1, NULL]'::double[]", [1.0, None]),
    ("'[[1], [2, 3], []]'::int[][]", [[1], [2, 3], []]),
    ("'[2024-01-02]'::date[]", [dt.date(2024, 1, 2)]),
    ("'[10:30:00]'::time[]", [dt.time(10, 30)]),
    ("""'[a b, ''c, d'', "e"]'::varchar[]""", ["a b", "c, d", "e"]),
    ("""'{"a": 1}'::struct(a int)""", {"a": 1}),
    ("'{a: 1, b: x y}'::struct(a int, b varchar)", {"a": 1, "b": "x y"}),
    ("'{a: 1}'::struct(a int, b varchar)", {"a": 1, "b": None}),
    ("'[{a: 1}, {a: null}]'::struct(a int)[]", [{"a": 1}, {"a": None}]),
    ("null::varchar::int[]", None),
    ("try_cast('[1' as int[])", None),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_value(expression: str, value: object) -> None:
    assert value_of(expression) == value


@pytest.mark.parametrize("text", ["[1", "[1] 2", "1, 2", "[,]", "[1,]", "{a: 1}", "", "[[1]]"])
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises((InvalidArgumentError, EvaluationError), match="SQL line 1"):
        value_of(f"'{text}'::int[]")


@pytest.mark.parametrize("text", ["{a: 1", "{a 1}", "{b: 1}", "{a: 1, a: 2}", "[1]"])
def test_what_is_no_struct_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="no list or struct"):
        value_of(f"'{text}'::struct(a int)")


def test_an_item_that_is_no_number_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="cannot read 'x' as int32"):
        value_of("'[x]'::int[]")


def test_columns_of_text_are_not_read_so() -> None:
    with pytest.raises(TypeMismatchError, match="but for constants"):
        value_of("x::int[] from (select '[1]' as x)")
