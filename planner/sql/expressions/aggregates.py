"""Aggregate functions as SQL writes them, with DISTINCT, FILTER, ORDER BY and WITHIN GROUP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlglot import exp

from lazyframe.planner.bind import aggregate_call, call, sort_key
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.functions.aggregates import SQL_FORMS
from lazyframe.planner.scalars import OUTER, AggregateCall, Scalar, cast
from lazyframe.planner.sql.expressions.binder import Expressions, Handler, arguments_of
from lazyframe.planner.sql.expressions.composed import COMPOSED, also, of_several
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.outer import Outer, given
from lazyframe.planner.types import STRING


class Written(NamedTuple):
    """An aggregate or window function taken apart."""

    function: exp.Expr
    name: str
    args: list[exp.Expr]
    where: exp.Expr | None
    order: list[exp.Ordered]
    within: list[exp.Ordered]
    distinct: bool
    ignore_nulls: bool | None


Make = Callable[[str, Sequence[Scalar], Scalar | None, Mapping[str, Any]], Scalar]
"""Makes the call of an aggregate, over groups or over windows: function, arguments, condition, options."""


def taken_apart(tree: exp.Expr) -> Written:
    """The function in the wrappers that SQL puts around one."""
    where: exp.Expr | None = None
    within: list[exp.Ordered] = []
    ignore_nulls: bool | None = None
    while True:
        if isinstance(tree, exp.Filter):
            where = tree.expression.this
        elif isinstance(tree, exp.WithinGroup):
            within = tree.expression.expressions
        elif isinstance(tree, exp.IgnoreNulls):
            ignore_nulls = True
        elif isinstance(tree, exp.RespectNulls):
            ignore_nulls = False
        else:
            break
        tree = tree.this
    args: list[exp.Expr]
    if isinstance(tree, exp.Anonymous):
        args = list(tree.expressions)
    elif isinstance(tree, exp.Count):
        # It carries a flag that says how wide another engine's result is.
        args = [*([tree.this] if tree.this is not None else []), *tree.expressions]
    else:
        if not isinstance(tree, exp.Func):
            raise InvalidArgumentError("OVER, FILTER and WITHIN GROUP want a function before them")
        args = arguments_of(tree)
    order: list[exp.Ordered] = []
    distinct = False
    if args:
        first, *rest = args
        # Options of an argument are written around it, in any order.
        while isinstance(first, (exp.Order, exp.Distinct, exp.IgnoreNulls, exp.RespectNulls)):
            if isinstance(first, exp.Order):
                order = first.expressions
                first = first.this
            elif isinstance(first, exp.Distinct):
                distinct = True
                if not first.expressions:
                    raise InvalidArgumentError(f"{_name(tree)}(DISTINCT) lacks its argument")
                first, *more = first.expressions
                rest = [*more, *rest]
            else:
                ignore_nulls = isinstance(first, exp.IgnoreNulls)
                first = first.this
        # The order of an aggregate stands behind its last argument.
        for index, each in enumerate(rest):
            if isinstance(each, exp.Order):
                order = each.expressions
                rest[index] = each.this
        args = [first, *rest]
    return Written(tree, _name(tree), args, where, order, within, distinct, ignore_nulls)


def _name(tree: exp.Anonymous | exp.Func) -> str:
    if isinstance(tree, exp.Anonymous):
        return tree.name.lower()
    return _names().get(type(tree)) or tree.sql_name().lower()


@cache
def _names() -> dict[type, str]:
    """The name in our tables for each class of sqlglot's."""
    from sqlglot.expressions import ALL_FUNCTIONS

    found: dict[type, str] = {}
    for cls in ALL_FUNCTIONS:
        names = [name.lower() for name in cls.sql_names()]
        known = next((name for name in names if name in SQL_FORMS or name in _SPECIAL), None)
        if known is not None:
            found[cls] = known
    found |= {
        exp.LogicalOr: "bool_or",
        exp.LogicalAnd: "bool_and",
        exp.GroupConcat: "string_agg",
        exp.ApproxDistinct: "approx_count_distinct",
        exp.BitwiseAndAgg: "bit_and",
        exp.BitwiseOrAgg: "bit_or",
        exp.BitwiseXorAgg: "bit_xor",
    }
    return found


def is_aggregate(tree: exp.Expr) -> bool:
    """Whether a function is an aggregate, of those we have."""
    if isinstance(tree, exp.Anonymous):
        name = tree.name.lower()
        return name in SQL_FORMS or name in _SPECIAL
    return type(tree) in _names()


def _aggregate(e: Expressions, tree: exp.Expr) -> Scalar:
    written = taken_apart(tree)
    if not is_aggregate(written.function):
        raise UnsupportedError(f"{written.name}() is no aggregate function that is supported")
    noted = [(scope, set(scope.outers)) for scope in e.scope.and_around()]
    moved: set[str] = set()
    inner = Expressions(e.statement, e.scope, "an aggregate", aliases=e.aliases)

    def make(function: str, args: Sequence[Scalar], where: Scalar | None, options: Mapping[str, Any]) -> Scalar:
        order = tuple(bound_order(inner, written.order))
        made = aggregate_call(function, args, where, order, distinct=written.distinct, options=options)
        if _is_of_a_query_around(made):
            outer = _moved_out(made, e.scope, e.statement.fresh(function))
            moved.add(outer.name)
            return outer
        if not e.aggregates:
            raise misplaced(written.name, e.clause)
        return made

    found = bound_aggregate(inner, written, make)
    if moved:
        # The columns that it uses are no outer values here: it is one itself.
        for scope, before in noted:
            for name in set(scope.outers) - before - moved:
                del scope.outers[name]
    return found


def _is_of_a_query_around(aggregate: Scalar) -> bool:
    """Whether an aggregate uses columns of queries around it alone, in its arguments, its FILTER and its order."""
    parts = aggregate.children()
    return not any([part.columns for part in parts]) and any([part.holds & OUTER for part in parts])


def _moved_out(aggregate: Scalar, scope: Scope, name: str) -> Outer:
    """The value in a scope of an aggregate of the nearest query around whose columns it uses: a constant there."""
    around = given(aggregate, scope.outers)
    if _is_of_a_query_around(around):
        assert scope.parent is not None
        around = _moved_out(around, scope.parent, name)
    scope.outers[name] = around
    return Outer(name, around.dtype, around.nullable)


def misplaced(aggregate: str | AggregateCall, clause: str) -> InvalidArgumentError:
    """The error for an aggregate, or its SQL name, where there are no groups."""
    if isinstance(aggregate, AggregateCall):
        known = [name for name, (function, _) in SQL_FORMS.items() if function == aggregate.function]
        aggregate = "count" if aggregate.function == "len" else (known or [aggregate.function])[0]
    hints = {"WHERE": "write it in HAVING", "GROUP BY": "group by columns, and aggregate in SELECT"}
    return InvalidArgumentError(f"the aggregate {aggregate}() cannot stand in {clause}", hint=hints.get(clause))


def bound_order(e: Expressions, order: Sequence[exp.Ordered]) -> list[Scalar]:
    return [ordered(e, each) for each in order]


def ordered(e: Expressions, tree: exp.Ordered) -> Scalar:
    e.only(tree, "this", "desc", "nulls_first")
    return sort_key(e.bind(tree.this), bool(tree.args.get("desc")), bool(tree.args.get("nulls_first")))


def bound_aggregate(e: Expressions, written: Written, make: Make) -> Scalar:
    """An aggregate function of bound arguments."""
    where = None if written.where is None else e.predicate(written.where, "FILTER")
    for arg in written.args:
        if isinstance(arg, exp.Star) and not written.name.startswith("count"):
            raise e.error(arg, InvalidArgumentError, f"{written.name}() is of values: only count(*) is of rows")
    special = of_several(written) or _SPECIAL.get(written.name)
    if special is not None:
        _check_count(written)
        return special(e, written, where, make)
    function, options = SQL_FORMS[written.name]
    if written.within:
        raise UnsupportedError(f"{written.name}() takes no WITHIN GROUP")
    if written.ignore_nulls is not None and function in ("first", "last"):
        options = {**options, "ignore_nulls": written.ignore_nulls}
    elif written.ignore_nulls is False and function == "list":
        pass
    elif written.ignore_nulls:
        where = also(where, *[call("is_not_null", e.bind(arg)) for arg in written.args[:1]])
    return make(function, [e.bind(arg) for arg in written.args], where, options)


def _check_count(written: Written) -> None:
    """Refuse another number of arguments than the functions take that are made of others."""
    if written.name in ("count_if", "countif") and len(written.args) != 1:
        raise InvalidArgumentError(f"{written.name}() takes 1 argument, not {len(written.args)}")


def _count(e: Expressions, written: Written, where: Scalar | None, make: Make) -> Scalar:
    if not written.args or isinstance(written.args[0], exp.Star):
        if written.distinct:
            raise UnsupportedError("count(DISTINCT *) is not supported", hint="name the columns")
        return make("len", [], where, {})
    if len(written.args) == 1:
        arg = written.args[0]
        if isinstance(arg, exp.Column) and isinstance(arg.this, exp.Star):
            return make("len", [], where, {})
        return make("count", [e.bind(arg)], where, {})
    values = [e.bind(arg) for arg in written.args]
    row = call("make_struct", *values, names=tuple([f"f{i}" for i in range(len(values))]))
    return make("count", [row], also(where, *[call("is_not_null", v) for v in values]), {})


def _count_if(e: Expressions, written: Written, where: Scalar | None, make: Make) -> Scalar:
    (condition,) = written.args
    return make("len", [], also(where, e.predicate(condition, "count_if")), {})


def _quantile(interpolation: str) -> Callable[..., Scalar]:
    def bind(e: Expressions, written: Written, where: Scalar | None, make: Make) -> Scalar:
        args = list(written.args)
        descending = False
        if written.within:
            if len(written.within) != 1 or len(args) != 1:
                raise InvalidArgumentError(f"{written.name}(q) WITHIN GROUP (ORDER BY x) takes one q and one x")
            key = written.within[0]
            descending = bool(key.args.get("desc"))
            args.insert(0, key.this)
        if written.order:
            descending = bool(written.order[0].args.get("desc"))
            if len(args) == 1:
                # quantile_cont(q ORDER BY x) is quantile_cont(x, q).
                args.insert(0, written.order[0].this)
        if len(args) == 1 and written.name.startswith("percentile"):
            raise InvalidArgumentError(
                f"{written.name}() wants the values that it is of",
                hint="write percentile_cont(q) WITHIN GROUP (ORDER BY x)",
            )
        if len(args) == 1:
            args.append(exp.Literal.number("0.5"))
        if len(args) != 2:
            raise InvalidArgumentError(f"{written.name}() takes a value and the share that lies below")
        value, shares = e.bind(args[0]), args[1]
        if isinstance(shares, exp.Array):
            return call("make_list", *[one(e, value, q, where, make, descending) for q in shares.expressions])
        return one(e, value, shares, where, make, descending)

    def one(
        e: Expressions, value: Scalar, share: exp.Expr, where: Scalar | None, make: Make, descending: bool
    ) -> Scalar:
        q = e.constant(share, "the share", float)
        if not 0 <= q <= 1:
            raise e.error(share, InvalidArgumentError, f"a share lies between 0 and 1, not {q}")
        if descending and interpolation == "discrete":
            raise UnsupportedError("percentile_disc over a descending order is not supported")
        return make("quantile", [value], where, {"q": 1 - q if descending else q, "interpolation": interpolation})

    return bind


def _string_agg(e: Expressions, written: Written, where: Scalar | None, make: Make) -> Scalar:
    args = list(written.args)
    separator = e.constant(args[1], "the separator", str) if len(args) > 1 else ","
    text = e.bind(args[0])
    return make("string_agg", [cast(text, STRING)], where, {"separator": separator})


def _mode(e: Expressions, written: Written, where: Scalar | None, make: Make) -> Scalar:
    args = [key.this for key in written.within] or written.args
    return make("mode", [e.bind(arg) for arg in args], where, {})


_SPECIAL: dict[str, Callable[..., Scalar]] = {
    "count": _count,
    "count_star": _count,
    "count_if": _count_if,
    "countif": _count_if,
    "percentile_cont": _quantile("linear"),
    "quantile_cont": _quantile("linear"),
    "approx_percentile_cont": _quantile("linear"),
    "approx_quantile": _quantile("linear"),
    "percentile_disc": _quantile("discrete"),
    "quantile_disc": _quantile("discrete"),
    "quantile": _quantile("discrete"),
    "approx_median": _quantile("linear"),
    "string_agg": _string_agg,
    "group_concat": _string_agg,
    "listagg": _string_agg,
    "mode": _mode,
    **COMPOSED,
}


def _forms() -> dict[type | str, Handler]:
    found: dict[type | str, Handler] = dict.fromkeys([*SQL_FORMS, *_SPECIAL], _aggregate)
    found.update(dict.fromkeys(_names(), _aggregate))
    found.update(dict.fromkeys((exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls), _aggregate))
    return found


FORMS: dict[type | str, Handler] = _forms()

__all__ = ["FORMS", "Written", "bound_aggregate", "bound_order", "is_aggregate", "ordered", "taken_apart"]
