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
from lazyframe.planner.relations import Aggregate, Filter, Plan
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import FALSE, TRUE, AggregateCall, Call, Case, Literal, Scalar, null_of
from lazyframe.planner.sql.expressions import Expressions, Handler, _constant
from lazyframe.planner.sql.outer import Outer, Subquery
from lazyframe.planner.types import BOOL

_OPPOSITE = {
    "equal": "not_equal",
    "not_equal": "equal",
    "less": "greater_equal",
    "less_equal": "greater",
    "greater": "less_equal",
    "greater_equal": "less",
}


class Rows(NamedTuple):
    """A subquery: its rows, the columns that it gives, and what the outer values in it are in the scope around."""

    plan: Plan
    columns: tuple[str, ...]
    args: tuple[tuple[str, Scalar], ...]


def scalar_query(e: Expressions, tree: exp.Expression) -> Scalar:
    """The only value of a query; null where it has no row."""
    rows = e.statement.subquery(tree, e.scope)
    if len(rows.columns) != 1:
        raise TypeMismatchError(
            f"a subquery of {len(rows.columns)} columns is no value", hint="select the one column that is meant"
        )
    return Subquery("scalar", rows.plan, rows.columns[0], rows.args)


def _exists(e: Expressions, tree: exp.Exists) -> Scalar:
    query = tree.this
    if not isinstance(query, (exp.Query, exp.Subquery)):
        raise UnsupportedError("EXISTS wants a query")
    return _has_rows(e.statement.subquery(query, e.scope))


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


def membership_in(e: Expressions, tree: exp.In) -> Membership:
    """X IN (query), of one value or of a row."""
    return _membership(e, "equal", tree.this, tree.args["query"])


def compared_with_query(e: Expressions, tree: exp.Binary, function: str) -> Scalar:
    """X op ANY (...), x op ALL (...), the other way round too."""
    from lazyframe.planner.sql.predicates import compare

    left, right = tree.this, tree.expression
    if isinstance(left, (exp.Any, exp.All)):
        flipped = function.replace("less", "?").replace("greater", "less").replace("?", "greater")
        left, right, function = right, left, flipped
    inner = right.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    query = isinstance(inner, (exp.Query, exp.Subquery))
    if isinstance(inner, exp.Tuple) or not query:
        items = inner.expressions if isinstance(inner, (exp.Tuple, exp.Array)) else None
        if items is None and function == "equal" and isinstance(right, exp.Any):
            return e.apply("list_contains", inner, left)
        if not items:
            raise UnsupportedError("a comparison with ANY or ALL wants a query or a list of values")
        found = compare(e, function, left, items[0])
        for item in items[1:]:
            found = Call("or" if isinstance(right, exp.Any) else "and", (found, compare(e, function, left, item)))
        return found
    if isinstance(right, exp.Any):
        return _membership(e, function, left, inner).value()
    return call("not", _membership(e, _OPPOSITE[function], left, inner).value())


def _membership(e: Expressions, function: str, left: exp.Expression, query: exp.Expression) -> Membership:
    while isinstance(left, exp.Paren):
        left = left.this
    trees = left.expressions if isinstance(left, exp.Tuple) else [left]
    rows = e.statement.subquery(query, e.scope)
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
        tests.append(applied("equal" if len(trees) > 1 else function, [_constant(e, tree), None], [inner, item], {}))
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


def list_query(e: Expressions, tree: exp.Expression) -> Scalar:
    """ARRAY(query): the values of its rows as a list, empty where it has none."""
    rows = e.statement.subquery(tree, e.scope)
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

__all__ = ["FORMS", "Membership", "Rows", "in_query", "list_query", "membership_in", "scalar_query"]
