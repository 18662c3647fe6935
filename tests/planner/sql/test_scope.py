"""What a name means: case, quotes, tables, USING, and the scopes around."""

from __future__ import annotations

import pytest
from sqlglot import exp

from lazyframe.planner.errors import (
    AmbiguousColumnError,
    ColumnNotFoundError,
    DuplicateColumnError,
    TableNotFoundError,
)
from lazyframe.planner.scalars import Call, Column
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sql.names.scope import Scope, Table, Visible, unknown_column
from lazyframe.planner.sql.outer import Outer
from lazyframe.planner.types import INT64


def of(name: str) -> Column:
    return Column(name, INT64, False)


def table(alias: str, *names: str, qualified: bool = True) -> Table:
    """A table whose columns have the name of the table before theirs."""
    return Table(alias, tuple([Visible(name, of(f"{alias}.{name}")) for name in names]), qualified)


def scope(*tables: Table, parent: Scope | None = None) -> Scope:
    made = Scope(parent)
    for each in tables:
        made.add(each)
    return made


def test_a_name_is_found_without_regard_to_case() -> None:
    a = scope(table("t", "Id", "x"))
    assert a.column("ID") == a.column("id") == of("t.Id")
    assert a.column_of("T", "iD") == of("t.Id")
    assert a.spelling("ID") == "Id"


def test_quotes_ask_for_the_very_name() -> None:
    a = scope(table("t", "Id", "id", "x"))
    assert a.column("Id", quoted=True) == of("t.Id")
    assert a.column("id", quoted=True) == of("t.id")
    assert a.column("X", quoted=True) is None
    # Without them the one that is written so wins, and else nothing does.
    assert a.column("id") == of("t.id")
    with pytest.raises(AmbiguousColumnError, match=r"'ID' may be t\.Id or t\.id"):
        a.column("ID")


def test_a_name_of_two_tables_wants_its_table() -> None:
    a = scope(table("t", "id"), table("u", "id", "w"))
    assert a.column("w") == of("u.w")
    assert a.column_of("u", "id") == of("u.id")
    with pytest.raises(AmbiguousColumnError, match=r"'id' may be t\.id or u\.id"):
        a.column("id")


def test_a_table_without_the_column_is_an_error_and_no_table_is_none() -> None:
    a = scope(table("t", "amount"))
    with pytest.raises(ColumnNotFoundError, match="'t' has no column 'amuont'") as caught:
        a.column_of("t", "amuont")
    assert "amount" in str(caught.value.hint)
    assert a.column_of("z", "amount") is None
    assert a.column("z") is None


def test_a_column_of_a_scope_around_is_an_outer_value_that_is_noted() -> None:
    around = scope(table("t", "x", "y"))
    inner = scope(table("u", "x"), parent=around)
    assert inner.column("x") == of("u.x")
    found = inner.column("y")
    assert isinstance(found, Outer)
    assert found.name == "t.y"
    assert inner.outers == {"t.y": of("t.y")}
    assert around.outers == {}


def test_a_column_two_scopes_around_is_noted_by_both() -> None:
    first = scope(table("t", "y"))
    second = scope(table("u", "x"), parent=first)
    third = scope(table("v", "z"), parent=second)
    assert isinstance(third.column_of("t", "y"), Outer)
    assert isinstance(third.outers["t.y"], Outer)
    assert second.outers == {"t.y": of("t.y")}


def test_using_makes_one_column_of_two() -> None:
    both = scope(table("t", "k", "a")).beside(scope(table("u", "k", "b")))
    both.merge("k", of("t.k"))
    assert both.column("k") == of("t.k")
    assert both.column_of("u", "k") == of("u.k")
    assert [v.name for v in both.star()] == ["k", "a", "b"]


def test_what_using_made_stays_one_beside_another_table() -> None:
    both = scope(table("t", "k")).beside(scope(table("u", "k")))
    both.merge("k", of("t.k"))
    three = scope(table("s", "z")).beside(both)
    assert [v.name for v in three.star()] == ["z", "k"]
    assert three.column("k") == of("t.k")


def test_two_tables_of_one_name_are_refused_unless_nobody_named_them() -> None:
    with pytest.raises(DuplicateColumnError, match="'T'"):
        scope(table("t", "a")).beside(scope(table("T", "b")))
    unnamed = scope(table("", "a", qualified=False)).beside(scope(table("", "b", qualified=False)))
    assert [v.name for v in unnamed.star()] == ["a", "b"]


def test_over_a_join_that_fills_up_columns_may_be_null() -> None:
    both = scope(table("t", "k")).beside(scope(table("u", "k")))
    both.merge("k", Call("coalesce", (of("t.k"), of("u.k"))))
    over = both.over(Schema([Field("t.k", INT64, False), Field("u.k", INT64, True)]))
    assert over.column_of("t", "k").nullable is False
    assert over.column_of("u", "k").nullable is True
    assert len(over.star()) == 1


def test_errors_name_what_could_have_been_meant() -> None:
    a = scope(table("sales", "amount"))
    error = unknown_column(a, exp.column("amuont"))
    assert isinstance(error, ColumnNotFoundError)
    assert "amount" in str(error.hint)
    error = unknown_column(a, exp.column("amount", table="sale"))
    assert isinstance(error, TableNotFoundError)
    assert "sales" in str(error.hint)
