"""What the parts of a statement share: names, parameters, places, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.relations import Plan
from lazyframe.planner.scalars import Call, Column
from lazyframe.planner.site import ambient
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.names.scope import Scope, Table, Visible
from lazyframe.planner.sql.reading.parse import parse
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.sql.statement import Parameters, Statement
from lazyframe.planner.types import INT64


class NoTables:
    """A catalog that has nothing, and computes nothing."""

    def table(self, parts: tuple[str, ...], *, quoted: bool) -> Plan | None:
        return None

    def names(self) -> list[str]:
        return []

    def table_function(self, name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Plan | None:
        return None

    def table_functions(self) -> tuple[str, ...]:
        return ()

    def rows(self, plan: Plan) -> Any:
        raise AssertionError("nothing is computed here")


def statement(text: str = "select 1", parameters: Parameters = ()) -> Statement:
    made = Statement(text, NoTables(), parameters)
    (made.root,) = parse(text)
    return made


def item(of: Statement) -> exp.Expr:
    assert isinstance(of.root, exp.Select)
    return of.root.expressions[0]


def test_names_of_columns_are_given_once() -> None:
    made = statement()
    assert [made.fresh(name) for name in ("a", "b", "a", "a", "a:1")] == ["a", "b", "a:1", "a:2", "a:1:1"]


def test_uses_of_a_table_are_counted_without_regard_to_case() -> None:
    made = statement("with c as (select 1) select * from c, C as d where exists (select 1 from t)")
    assert [made.uses(name) for name in ("c", "t", "d")] == [2, 1, 0]


@pytest.mark.parametrize(
    ("text", "parameters", "expected"),
    [
        ("select $name", {"name": 5}, 5),
        ("select $name", {"name": None}, None),
        ("select $2", ["x", "y"], "y"),
        ("select $2", {"2": "y"}, "y"),
        ("select ?", [7], 7),
    ],
)
def test_value_of_a_parameter(text: str, parameters: Parameters, expected: object) -> None:
    made = statement(text, parameters)
    assert made.parameter(item(made)) == expected


@pytest.mark.parametrize(
    ("text", "parameters", "message"),
    [
        ("select $nmae", {"name": 5}, "no value was given for the parameter 'nmae'"),
        ("select $name", [5], "no value was given for the parameter 'name'"),
        ("select $3", [1, 2], r"no value was given for the parameter \$3 \(3 of 2 given\)"),
        ("select ?", {}, r"no value was given for the parameter \? \(1 of 0 given\)"),
    ],
)
def test_a_parameter_without_a_value(text: str, parameters: Parameters, message: str) -> None:
    made = statement(text, parameters)
    with pytest.raises(InvalidArgumentError, match=message):
        made.parameter(item(made))


def test_constants_are_evaluated_and_what_depends_on_rows_is_none() -> None:
    made = statement("select 1 + 2 * 3")
    scope = Scope()
    scope.add(Table("t", (Visible("x", Column("x", INT64, False)),)))
    e = Expressions(made, scope, "LIMIT")
    assert made.evaluated(e, item(made), "LIMIT") == 7
    with pytest.raises(InvalidArgumentError, match="LIMIT must be a constant"):
        made.evaluated(e, sqlglot.parse_one("x + 1"), "LIMIT")


def test_nothing_that_is_written_is_ignored() -> None:
    made = statement("select a from t limit 1")
    assert made.root is not None
    made.only(made.root, "expressions", "from_", "limit")
    with pytest.raises(UnsupportedError, match=r"LIMIT is not supported here\n(.|\n)*SQL line 1, column 23"):
        made.only(made.root, "expressions", "from_")


def test_what_is_made_meanwhile_is_at_a_place_and_before_and_after_it_is_not() -> None:
    made = statement("select 1 + 2")
    before = ambient.site

    def fail() -> None:
        with made.at(item(made)):
            assert isinstance(ambient.site, SqlSite)
            assert ambient.site.tree is item(made)
            raise InvalidArgumentError("wrong")

    with pytest.raises(InvalidArgumentError, match="wrong"):
        fail()
    assert ambient.site is before


def test_a_table_named_like_a_column_is_its_row() -> None:
    scope = Scope()
    scope.add(Table("t", (Visible("A", Column("a:1", INT64, False)), Visible("b", Column("b", INT64, False)))))
    row = statement().whole_row(scope, "T")
    assert isinstance(row, Call)
    assert [field.name for field in row.dtype] == ["A", "b"]
    assert statement().whole_row(scope, "u") is None
