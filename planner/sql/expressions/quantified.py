"""Subqueries in expressions: as a value, with EXISTS and IN, with ANY and ALL.

`x op ANY q` is true where a row y of q has x op y; else null where such a comparison is null; else false. IN is `= ANY`,
and `x op ALL q` is NOT (x (not op) ANY q). So all rest on whether a query has rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlglot import exp

from lazyframe.planner.bind import applied, call
from lazyframe.planner.errors import TypeMismatchError, UnsupportedError
from lazyframe.planner.folding import OPPOSITE
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Aggregate, Filter, Plan
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import FALSE, TRUE, AggregateCall, Call, Case, Literal, Scalar, null_of
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.outer import Outer, Subquery
from lazyframe.planner.sql.unnesting.dependent_join import gives_one_row
from lazyframe.planner.types import BOOL


class Rows(NamedTuple):
    """A subquery: its rows, the columns that it gives, and what the outer values in it are in the scope around."""

    plan: Plan
    columns: tuple[str, ...]
    args: tuple[tuple[str, Scalar], ...]


def scalar_query(e: Expressions, tree: exp.Expr) -> Scalar:
    """The only value of a query; null where it has no row."""
    rows = _rows(e, tree)
    if len(rows.columns) != 1:
        raise TypeMismatchError(
            f"a subquery of {len(rows.columns)} columns is no value", hint="select the one column that is meant"
        )
    if not e.guarded or gives_one_row(rows.plan):
        return Subquery("scalar", rows.plan, rows.columns[0], rows.args)
    # In a branch of CASE, rows are counted, and too many are an error only where the branch is taken.
    first, count = e.statement.fresh("first"), e.statement.fresh("rows")
    only = column(rows.plan.schema, rows.columns[0])
    calls = ((first, AggregateCall("first", (only,))), (count, AggregateCall("len", ())))
    counted = Aggregate(rows.plan, (), calls)
    return call("only_value", *[Subquery("scalar", counted, name, rows.args) for name in (first, count)])


def _rows(e: Expressions, tree: exp.Expr) -> Rows:
    """A subquery; aggregates in it that are those of the query around must be allowed here."""
    rows = e.statement.subquery(tree, e.scope)
    if not e.aggregates:
        for _, value in rows.args:
            if isinstance(value, AggregateCall):
                from lazyframe.planner.sql.expressions.aggregates import misplaced

                raise misplaced(value, e.clause)
    return rows


def _exists(e: Expressions, tree: exp.Exists) -> Scalar:
    query = tree.this
    if not isinstance(query, (exp.Query, exp.Subquery, exp.Values)):
        raise UnsupportedError("EXISTS wants a query")
    return _has_rows(_rows(e, query))


def _has_rows(rows: Rows) -> Subquery:
    return Subquery("exists", rows.plan, "", rows.args)


def _where(rows: Rows, predicate: Scalar, more: Sequence[tuple[str, Scalar]] = ()) -> Rows:
    return Rows(Filter(rows.plan, predicate), rows.columns, (*rows.args, *more))


class Membership(NamedTuple):
    """When a comparison with the rows of a query is true, and when it is null (None where it never is)."""

    true: Scalar
    null: Scalar | None

    def value(self) -> Scalar:
        if self.null is None:
            return self.true
        return Case((self.true, self.null), (TRUE, null_of(BOOL)), FALSE)

    def if_true(self) -> Scalar:
        return self.true

    def if_false(self) -> Scalar:
        untrue = call("not", self.true)
        return untrue if self.null is None else call("and", untrue, call("not", self.null))


def in_query(e: Expressions, tree: exp.In) -> Scalar:
    return membership_in(e, tree).value()


def query_of(tree: exp.In) -> exp.Expr | None:
    """The query that an IN looks in; None where it is a list."""
    query = tree.args.get("query")
    if query is None and len(tree.expressions) == 1 and isinstance(tree.expressions[0], exp.Values):
        return tree.expressions[0]
    return query


def membership_in(e: Expressions, tree: exp.In) -> Membership:
    """X IN (query), of one value or of a row."""
    query = query_of(tree)
    assert query is not None
    return _membership(e, "equal", tree.this, query)


class Quantified(NamedTuple):
    """ANY or ALL of the rows of a query, of some values, or of the items of a list."""

    every: bool
    inner: exp.Expr


def quantified(tree: exp.Expr) -> Quantified | None:
    """One side of a comparison as ANY (...) or ALL (...); None where it is a value."""
    if isinstance(tree, (exp.Any, exp.All)):
        inner, every = tree.this, isinstance(tree, exp.All)
    elif isinstance(tree, exp.Anonymous) and tree.name.lower() == "all" and len(tree.expressions) == 1:
        # sqlglot reads it as a function where no query follows.
        inner, every = tree.expressions[0], True
    else:
        return None
    return Quantified(every, inner.unnest())


def compared_with_query(e: Expressions, function: str, left: exp.Expr, right: Quantified) -> Scalar:
    """X op ANY (...), x op ALL (...)."""
    from lazyframe.planner.sql.expressions.predicates import compare

    every, inner = right
    if not isinstance(inner, (exp.Query, exp.Subquery, exp.Values)):
        items = inner.expressions if isinstance(inner, (exp.Tuple, exp.Array)) and not listed_query(inner) else []
        if items:
            found = compare(e, function, left, items[0])
            for item in items[1:]:
                found = Call("and" if every else "or", (found, compare(e, function, left, item)))
            return found
        if function == "equal" and not every:
            return _in_list(e, left, inner)
        inner = _items_of(inner)
    if every:
        return call("not", _membership(e, OPPOSITE[function], left, inner).value())
    return _membership(e, function, left, inner).value()


def _items_of(tree: exp.Expr) -> exp.Select:
    """SELECT unnest(list): what is written in the text stays where it is, with its parent."""
    items, select = exp.Explode(), exp.Select()
    items.args["this"] = tree
    select.args["expressions"] = [items]
    return select


def _in_list(e: Expressions, left: exp.Expr, items: exp.Expr) -> Scalar:
    """X = ANY (list): as with the rows of a query, null where the value or an item that could be it is null."""
    found = e.apply("list_contains", items, left)
    assert isinstance(found, Call)
    bound, value = found.args
    count = call("list_length", bound)
    if value.nullable:
        unknown = call("and", call("is_null", value), call("greater", count, literal(0)))
    else:
        unknown = FALSE
    unknown = call("or", unknown, call("less", call("list_length", call("list_drop_nulls", bound)), count))
    return Case((found, unknown), (TRUE, null_of(BOOL)), FALSE)


def _membership(e: Expressions, function: str, left: exp.Expr, query: exp.Expr) -> Membership:
    left = left.unnest()
    trees = left.expressions if isinstance(left, exp.Tuple) else [left]
    rows = _rows(e, query)
    if len(rows.columns) != len(trees):
        raise TypeMismatchError(f"{len(trees)} values are compared with the {len(rows.columns)} columns of a query")
    if len(trees) > 1 and function not in ("equal", "not_equal"):
        raise UnsupportedError("rows are compared with queries for equality only")
    given: list[tuple[str, Scalar]] = []
    tests: list[Scalar] = []
    nulls: list[Scalar] = []
    some_null: list[Scalar] = []
    for tree, name in zip(trees, rows.columns, strict=True):
        value = e.bind(tree)
        inner: Scalar = value
        if not isinstance(value, (Literal, Outer)):
            known = e.statement.fresh("operand")
            given.append((known, value))
            inner = Outer(known, value.dtype, value.nullable)
        elif isinstance(value, Outer):
            given.append((value.name, value))
        item = column(rows.plan.schema, name)
        tests.append(
            applied("equal" if len(trees) > 1 else function, [e.written_constant(tree), None], [inner, item], {})
        )
        if value.nullable:
            nulls.append(call("is_null", value))
        if item.nullable:
            some_null.append(call("is_null", item))
    if len(trees) == 1:
        true = _has_rows(_where(rows, tests[0], given))
        # Null where the value is null and there is a row, or where one of the rows is.
        parts: list[Scalar] = [call("and", test, _has_rows(rows)) for test in nulls]
        parts += [_has_rows(_where(rows, test)) for test in some_null]
    else:
        whole = tests[0]
        for test in tests[1:]:
            whole = Call("and", (whole, test))
        if function == "not_equal":
            whole = call("not", whole)
        true = _has_rows(_where(rows, whole, given))
        parts = [_has_rows(_where(rows, call("is_null", whole), given))] if nulls or some_null else []
    null = None
    for part in parts:
        null = part if null is None else call("or", null, part)
    return Membership(true, null)


def listed_query(tree: exp.Expr) -> exp.Expr | None:
    """The query of ARRAY(query): one that is the value of an item stands in parentheses of its own."""
    if isinstance(tree, exp.Array) and len(tree.expressions) == 1:
        (only,) = tree.expressions
        if isinstance(only, (exp.Select, exp.SetOperation, exp.Values)):
            return only
    return None


def list_query(e: Expressions, tree: exp.Expr) -> Scalar:
    """ARRAY(query): the values of its rows as a list, empty where it has none."""
    rows = _rows(e, tree)
    if len(rows.columns) != 1:
        raise TypeMismatchError(f"a list is made of one column, not of {len(rows.columns)}")
    items = AggregateCall("list", (column(rows.plan.schema, rows.columns[0]),))
    name = e.statement.fresh("list")
    listed = Subquery("scalar", Aggregate(rows.plan, (), ((name, items),)), name, rows.args)
    return call("coalesce", listed, call("make_list"))


FORMS: dict[type | str, Handler] = {
    exp.Subquery: scalar_query,
    exp.Select: scalar_query,
    exp.SetOperation: scalar_query,
    exp.Union: scalar_query,
    exp.Intersect: scalar_query,
    exp.Except: scalar_query,
    exp.Exists: _exists,
}

__all__ = [
    "FORMS",
    "Membership",
    "Rows",
    "compared_with_query",
    "in_query",
    "list_query",
    "listed_query",
    "membership_in",
    "quantified",
    "scalar_query",
]
