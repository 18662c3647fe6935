"""ORDER BY, LIMIT, OFFSET and FETCH."""

from __future__ import annotations

import decimal
from typing import NamedTuple

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.build.windows import window_call
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Filter, Limit, Plan, Window
from lazyframe.planner.relations.project import choose, column
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.schema import Fresh
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.types import FLOAT64


class Bounds(NamedTuple):
    """How many rows a query gives, after leaving out how many."""

    rows: int | None = None
    offset: int = 0
    percent: float | None = None
    ties: bool = False


def bounds(statement: Statement, tree: exp.Expr) -> Bounds:
    """LIMIT, FETCH and OFFSET of a query."""
    limit, offset = tree.args.get("limit"), tree.args.get("offset")
    skipped = 0
    if offset is not None:
        statement.only(offset, "expression")
        skipped = _whole(statement, offset.expression, "OFFSET")
    if limit is None:
        return Bounds(None, skipped)
    options = limit.args.get("limit_options")
    percent = bool(options and options.args.get("percent"))
    ties = bool(options and options.args.get("with_ties"))
    if isinstance(limit, exp.Fetch):
        statement.only(limit, "count", "direction", "limit_options")
        amount = limit.args.get("count") or exp.Literal.number(1)
    else:
        statement.only(limit, "expression", "limit_options", "offset")
        amount = limit.expression
        if limit.args.get("offset") is not None:
            # LIMIT offset, count
            skipped = _whole(statement, limit.args["offset"], "OFFSET")
    if percent:
        value = _number(statement, amount, "LIMIT")
        if not 0 <= value <= 100:
            raise _expressions(statement).error(amount, InvalidArgumentError, "a percentage lies between 0 and 100")
        return Bounds(None, skipped, float(value))
    if isinstance(amount, exp.Var) and amount.name.upper() == "ALL":
        return Bounds(None, skipped)
    if isinstance(amount, exp.Null):
        return Bounds(None, skipped)
    return Bounds(_whole(statement, amount, "LIMIT"), skipped, None, ties)


def _expressions(statement: Statement) -> Expressions:
    return Expressions(statement, Scope(), "LIMIT")


def _number(statement: Statement, tree: exp.Expr, what: str) -> int | float | decimal.Decimal:
    tree = tree.unnest()
    if isinstance(tree, (exp.Subquery, exp.Select)):
        raise UnsupportedError(f"a subquery in {what} is not supported", hint="run it first, and give a parameter")
    value: int | float | decimal.Decimal | None = _expressions(statement).constant(
        tree, what, (int, float, decimal.Decimal, type(None))
    )
    return 0 if value is None else value


def _whole(statement: Statement, tree: exp.Expr, what: str) -> int:
    value = _number(statement, tree, what)
    if isinstance(value, bool) or value != int(value) or value < 0:
        raise _expressions(statement).error(
            tree, InvalidArgumentError, f"{what} must be a whole number of 0 or more, not {value}"
        )
    return int(value)


def limited(plan: Plan, wanted: Bounds, order: list[Scalar], fresh: Fresh) -> Plan:
    """The rows that LIMIT and its like leave of a plan that is in the order given."""
    if wanted.percent is not None:
        return _percent(plan, wanted, fresh)
    if wanted.ties and wanted.rows is not None:
        if not order:
            raise InvalidArgumentError("WITH TIES wants ORDER BY")
        return _with_ties(plan, wanted, order, fresh)
    if wanted.rows is None and not wanted.offset:
        return plan
    return Limit(plan, wanted.rows, wanted.offset)


def _percent(plan: Plan, wanted: Bounds, fresh: Fresh) -> Plan:
    """The first share of all rows, rounded down."""
    number, total = fresh("number"), fresh("total")
    calls = ((number, window_call("row_number", [])), (total, window_call("len", [])))
    numbered = Window(plan, calls)
    assert wanted.percent is not None
    share = call("multiply", cast(column(numbered.schema, total), FLOAT64), literal(wanted.percent / 100))
    last = call("add", call("floor", share), literal(float(wanted.offset)))
    place = cast(column(numbered.schema, number), FLOAT64)
    kept = Filter(numbered, call("less_equal", place, last))
    return (
        Limit(choose(kept, plan.schema.names), None, wanted.offset)
        if wanted.offset
        else choose(kept, plan.schema.names)
    )


def _with_ties(plan: Plan, wanted: Bounds, order: list[Scalar], fresh: Fresh) -> Plan:
    """The first rows, and those that are equal in the order to the last of them."""
    assert wanted.rows is not None
    rank, number = fresh("rank"), fresh("number")
    ranked = Window(
        plan, ((rank, window_call("rank", [], (), order)), (number, window_call("row_number", [], (), order)))
    )
    inside = call("less_equal", column(ranked.schema, rank), literal(wanted.rows + wanted.offset))
    if wanted.offset:
        inside = call("and", inside, call("greater", column(ranked.schema, number), literal(wanted.offset)))
    return choose(Filter(ranked, inside), plan.schema.names)


__all__ = ["Bounds", "bounds", "limited"]
