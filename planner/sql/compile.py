"""From the tree of a query to its plan."""

from __future__ import annotations

import re

from sqlglot import exp

from lazyframe.planner.errors import LazyFrameError, TypeMismatchError
from lazyframe.planner.relations import Plan, Project
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.site import ambient
from lazyframe.planner.sql.expressions.types import sql_name
from lazyframe.planner.sql.names.catalog import Catalog
from lazyframe.planner.sql.placeholders import types_asked_for
from lazyframe.planner.sql.queries.query import bound_query
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.sql.statement import Parameters, Statement
from lazyframe.planner.types import parse_type


def bind_query(
    tree: exp.Expr, text: str, catalog: Catalog, parameters: Parameters = (), dialect: str = "duckdb"
) -> Plan:
    """The plan of a query, whose columns have the names that the query gives them.

    Where it gives a name twice, the second column gets a number behind it: a relation has no two columns of one name.

    Args:
        tree: the query, as sqlglot read it from the text.
        text: the whole text, for the places of errors.
        catalog: where the names of tables lead.
        parameters: values of `$name` and `:name` by name, or of `?` and `$1` in order.
        dialect: the dialect of the text.

    Raises:
        LazyFrameError: for whatever is wrong in it, at its place in the text.
    """
    statement = Statement(text, catalog, parameters, dialect)
    outer = ambient.site
    ambient.site = SqlSite(text, tree)
    try:
        found = _bound(statement, tree)
        if not statement.untyped:
            return found
        # A parameter has one type in all of the statement, which what it meets in any place may ask for.
        typed = Statement(text, catalog, parameters, dialect)
        typed.types = types_asked_for(statement, found)
        return _bound(typed, tree)
    except LazyFrameError as error:
        if isinstance(error, TypeMismatchError) and error.hint is None and statement.untyped:
            name = next(iter(statement.untyped)).cell.name
            error.hint = f"say of what type a parameter is: CAST(${name} AS DOUBLE), or as another type"
        error.hint = _in_sql(error.hint)
        error.message = _SYMBOL.sub(lambda found: f"'{_SYMBOLS[found[1]]}' is not", error.message)
        error.args = (error.message,)
        raise
    except RecursionError:
        raise LazyFrameError("the SQL is nested too deep", hint="name inner queries in WITH") from None
    finally:
        ambient.site = outer


def _bound(statement: Statement, tree: exp.Expr) -> Plan:
    statement.root = tree
    bound = bound_query(statement, tree, None, {})
    exprs: dict[str, Scalar] = {}
    for name, value in bound.columns:
        exprs[fresh_name(name, exprs)] = value
    if [*exprs] == bound.plan.schema.names == [value.name for _, value in bound.columns]:
        return bound.plan
    return Project(bound.plan, tuple(exprs.items()))


_CAST = re.compile(r"\.cast\('([^']*)'\)")


_PARAM = re.compile(r"lf\.param\('(\w+)', dtype='float64'\), or of another type")


_SYMBOLS = {"==": "=", "!=": "<>", "&": "AND", "|": "OR", "^": "XOR", "**": "^"}
_SYMBOL = re.compile(r"'(==|!=|&|\||\^|\*\*)' is not")


def _in_sql(hint: str | None) -> str | None:
    """A hint that is written for the fluent API, as SQL."""
    if hint is None:
        return None
    hint = hint.replace(".dt.replace_time_zone('UTC')", "x AT TIME ZONE 'UTC'")
    hint = _PARAM.sub(r"CAST($\1 AS DOUBLE), or as another type", hint)
    return _CAST.sub(lambda found: f"CAST(... AS {sql_name(parse_type(found[1]))})", hint)


__all__ = ["bind_query"]
