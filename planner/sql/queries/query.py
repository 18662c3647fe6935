"""Queries: SELECT, set operations, VALUES, and what WITH puts before them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlglot import exp

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.relations import Plan
from lazyframe.planner.relations.project import choose
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.sql.names.scope import Scope, Table, Visible
from lazyframe.planner.sql.queries.with_clause import Cte, with_ctes
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.sql.statement import Statement


class Bound(NamedTuple):
    """A query that is bound.

    Args:
        plan: its rows, with columns of names that no other query of the statement has.
        columns: the columns it gives, by the names the user knows; in order, and perhaps the same name twice.
        outers: what its outer values are in the scope around it.
    """

    plan: Plan
    columns: tuple[tuple[str, Column], ...]
    outers: Mapping[str, Scalar]

    def as_table(self, alias: str, qualified: bool = True) -> Table:
        return Table(alias, tuple([Visible(name, value) for name, value in self.columns]), qualified)


def bound_query(statement: Statement, tree: exp.Expr, parent: Scope | None, ctes: Mapping[str, Cte]) -> Bound:
    """A query over the tables of the catalog and the queries that WITH named.

    Args:
        statement: the statement it is part of.
        tree: the query.
        parent: the scope of the query around, if there is one.
        ctes: the queries that WITH named around it.

    Raises:
        LazyFrameError: with its place in the text.
    """
    from lazyframe.planner.sql.queries.select import bound_select
    from lazyframe.planner.sql.queries.set_operations import bound_set_operation
    from lazyframe.planner.sql.queries.values import bound_values

    while isinstance(tree, (exp.Subquery, exp.Paren)) and not has_clauses(tree):
        tree = tree.this
    if with_ := tree.args.get("with_"):
        ctes = with_ctes(statement, with_, parent, ctes)
    if isinstance(tree, exp.Select):
        return bound_select(statement, tree, parent, ctes)
    if isinstance(tree, exp.SetOperation):
        return bound_set_operation(statement, tree, parent, ctes)
    if isinstance(tree, exp.Values):
        return bound_values(statement, tree, parent, ctes)
    if isinstance(tree, exp.Subquery):
        # (query) ORDER BY ... LIMIT ..., and a table or join in parentheses.
        return bound_select(statement, _selected(tree), parent, ctes)
    if isinstance(tree, (exp.Table, exp.Pivot)):
        return bound_select(statement, exp.Select(expressions=[exp.Star()], from_=exp.From(this=tree)), parent, ctes)
    raise statement_error(statement, tree)


def statement_error(statement: Statement, tree: exp.Expr) -> UnsupportedError:
    words = type(tree).__name__.upper() if not isinstance(tree, exp.Command) else str(tree.this).upper()
    return UnsupportedError(f"{words} is no query", site=SqlSite(statement.text, tree))


def has_clauses(tree: exp.Expr) -> bool:
    """Whether a query in parentheses, or a chain of set operations, has clauses of its own around what it is made of."""
    return isinstance(tree.this, exp.Table) or any(
        [bool(tree.args.get(k)) for k in ("with_", "order", "limit", "offset", "joins", "where", "sample", "pivots")]
    )


def _selected(tree: exp.Subquery) -> exp.Select:
    """Parentheses with clauses behind them, as SELECT * FROM what stands in them."""
    clauses = {key: tree.args[key] for key in ("with_", "order", "limit", "offset") if tree.args.get(key)}
    inner = tree.this
    source = inner if isinstance(inner, exp.Table) else exp.Subquery(this=inner)
    from_ = exp.From(this=source)
    select = exp.Select(expressions=[exp.Star()], joins=tree.args.get("joins") or [], **clauses)
    # The parts stay where they stand in the text, and keep their parents.
    select.args["from_"] = from_
    return select


def output(plan: Plan, columns: tuple[tuple[str, Column], ...], outers: Mapping[str, Scalar]) -> Bound:
    """A bound query that gives just these columns."""
    names = list(dict.fromkeys(value.name for _, value in columns))
    return Bound(choose(plan, names), columns, outers)


__all__ = ["Bound", "bound_query", "has_clauses", "output", "statement_error"]
