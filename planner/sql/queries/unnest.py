"""UNNEST: rows made of the items of lists, in FROM and in the SELECT list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import TypeMismatchError, UnsupportedError
from lazyframe.planner.graph import _set, node, postorder, rewrite_top_down
from lazyframe.planner.relations import Explode, Plan, Project
from lazyframe.planner.relations.project import column, columns
from lazyframe.planner.relations.values import ONE_ROW
from lazyframe.planner.scalars import UNNEST, Column, Scalar, null_of
from lazyframe.planner.schema import Fresh
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.outer import has_subquery
from lazyframe.planner.sql.queries.query import Bound
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.sql.unnesting import placed
from lazyframe.planner.types import is_list, is_map, is_null, is_struct, type_name


@node
class Unnested(Scalar):
    """UNNEST in a SELECT list: the items of a list, for each of which there will be a row."""

    arg: Scalar
    bit: ClassVar[int] = UNNEST

    def _derive(self) -> None:
        _set(self, "dtype", self.arg.dtype.value_type)
        _set(self, "nullable", True)


def has_unnest(scalar: Scalar) -> bool:
    return scalar.holds & UNNEST != 0


def _in_list(e: Expressions, tree: exp.Explode) -> Scalar:
    if e.clause not in ("SELECT", "ORDER BY", "GROUP BY"):
        raise UnsupportedError(f"UNNEST cannot stand in {e.clause}", hint="write it in FROM")
    _without_options(tree)
    return Unnested(_list(e, tree.this))


def _list(e: Expressions, tree: exp.Expr) -> Scalar:
    if isinstance(tree, exp.ExplodingGenerateSeries):
        tree = exp.GenerateSeries(**tree.args)
    value = e.bind(tree)
    if is_null(value.dtype):
        from lazyframe.planner.functions.lists import list_of

        return null_of(list_of(value.dtype))
    if is_map(value.dtype):
        return call("map_entries", value)
    if not is_list(value.dtype):
        hint = "write s.* for the fields of a struct" if is_struct(value.dtype) else None
        raise e.error(tree, TypeMismatchError, f"UNNEST wants a list, not {type_name(value.dtype)}", hint)
    return value


def _without_options(tree: exp.Explode) -> None:
    if tree.expressions:
        raise UnsupportedError("UNNEST takes no options, such as recursive", hint="unnest once for each level")


def fields_of(e: Expressions, tree: exp.Expr) -> list[tuple[str, Scalar]] | None:
    """UNNEST of a struct in a SELECT list is its fields, side by side; None for any other expression."""
    if not isinstance(tree, exp.Explode):
        return None
    _without_options(tree)
    value = e.bind(tree.this)
    if not is_struct(value.dtype):
        return None
    return [(f.name, call("struct_field", value, name=f.name)) for f in value.dtype]


def exploded(plan: Plan, scalars: Sequence[Scalar], fresh: Fresh) -> tuple[Plan, list[Scalar]]:
    """A row for each item of the lists that are unnested in some expressions, shorter lists filled up with nulls."""
    names: dict[Scalar, str] = {}
    for scalar in scalars:
        for part in postorder(scalar):
            if isinstance(part, Unnested) and part.arg not in names:
                if has_unnest(part.arg):
                    raise UnsupportedError("UNNEST within UNNEST is not supported", hint="unnest in a subquery")
                names[part.arg] = fresh("unnest")
    kept = columns(plan)
    lists = [(name, scalar) for scalar, name in names.items()]
    rows = Explode(Project(plan, (*kept, *lists)), tuple(names.values()), keep_empty=False)

    def step(current: Scalar) -> Scalar | None:
        return column(rows.schema, names[current.arg]) if isinstance(current, Unnested) else None

    return rows, [rewrite_top_down(scalar, step) if has_unnest(scalar) else scalar for scalar in scalars]


def unnested(
    statement: Statement,
    scope: Scope,
    trees: Sequence[exp.Expr],
    *,
    ordinality: bool = False,
    name: str = "unnest",
) -> Bound:
    """UNNEST(list, ...) in FROM: the items side by side, over one row of nothing.

    Args:
        statement: the statement it is part of.
        scope: the tables further left, whose columns are outer values here.
        trees: the lists.
        ordinality: whether a column numbers the items from 1.
        name: what the columns are called.
    """
    inner = Scope(scope, scope.ctes)
    e = Expressions(statement, inner, "FROM")
    lists = [_list(e, tree) for tree in trees]
    plan: Plan = ONE_ROW
    if any([has_subquery(each) for each in lists]):
        plan, lists = placed(plan, lists, statement.fresh)
    names = [statement.fresh(name) for _ in lists]
    number = statement.fresh("ordinality") if ordinality else None
    rows = Explode(
        Project(plan, tuple(zip(names, lists, strict=True))), tuple(names), keep_empty=False, ordinality=number
    )
    columns: list[tuple[str, Column]] = [(name, column(rows.schema, each)) for each in names]
    if number is not None:
        columns.append(("ordinality", column(rows.schema, number)))
    return Bound(rows, tuple(columns), inner.outers)


def _series_of_rows(e: Expressions, tree: exp.ExplodingGenerateSeries) -> Scalar:
    """PostgreSQL's generate_series(): rows in a SELECT list, as in FROM, where its list is made rows of."""
    inner = exp.GenerateSeries(**tree.args)
    value = e.bind(inner)
    return Unnested(value) if e.clause == "SELECT" else value


FORMS: dict[type | str, Handler] = {
    exp.Explode: _in_list,
    exp.ExplodingGenerateSeries: _series_of_rows,
    exp.Unnest: _in_list,
    "unnest": _in_list,
}

__all__ = ["FORMS", "exploded", "has_unnest", "unnested"]
