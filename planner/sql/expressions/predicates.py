"""Comparisons and other conditions, and choices by them."""

from __future__ import annotations

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner.bind import call, choice, member
from lazyframe.planner.errors import TypeMismatchError, UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import FALSE, Call, Literal, Parameter, Scalar, cast
from lazyframe.planner.sql.expressions.binder import Expressions, Handler, number
from lazyframe.planner.sql.expressions.quantified import compared_with_query, in_query, quantified, query_of
from lazyframe.planner.sql.expressions.temporal import by_length
from lazyframe.planner.types import NULL, STRING, is_integer, is_list, is_map, is_nested, is_null, type_name

COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "equal",
    exp.NEQ: "not_equal",
    exp.LT: "less",
    exp.LTE: "less_equal",
    exp.GT: "greater",
    exp.GTE: "greater_equal",
}


def compare(e: Expressions, function: str, left: exp.Expr | Scalar, right: exp.Expr | Scalar) -> Scalar:
    """A comparison of two values, or of two rows of as many values."""
    a, b = _items(left), _items(right)
    if a is None or b is None:
        return _compare_values(e, function, left, right)
    if len(a) != len(b) or not a:
        raise TypeMismatchError(f"rows of {len(a)} and {len(b)} values cannot be compared")
    return _compare_rows(e, function, list(zip(a, b, strict=True)))


def _compare_values(e: Expressions, function: str, left: exp.Expr | Scalar, right: exp.Expr | Scalar) -> Scalar:
    try:
        return e.apply(function, left, right)
    except TypeMismatchError:
        lengths = by_length(*[side if isinstance(side, Scalar) else e.bind(side) for side in (left, right)])
        if lengths is None:
            raise
        return call(function, *lengths)


def _items(side: exp.Expr | Scalar) -> list[exp.Expr] | None:
    inner = side if isinstance(side, Scalar) else side.unnest()
    return inner.expressions if isinstance(inner, exp.Tuple) else None


def _compare_rows(e: Expressions, function: str, pairs: list[tuple[exp.Expr, exp.Expr]]) -> Scalar:
    """SQL's comparison of rows: equal where all pairs are, else decided by the first pair that differs."""
    if function == "equal":
        found = [e.apply("equal", a, b) for a, b in pairs]
        return _all(found)
    if function == "not_equal":
        return call("not", _all([e.apply("equal", a, b) for a, b in pairs]))
    strict = "less" if function.startswith("less") else "greater"
    (a, b), *rest = pairs
    if not rest:
        return e.apply(function, a, b)
    return call("or", e.apply(strict, a, b), call("and", e.apply("equal", a, b), _compare_rows(e, function, rest)))


def _all(parts: list[Scalar]) -> Scalar:
    found = parts[0]
    for part in parts[1:]:
        found = Call("and", (found, part))
    return found


def _comparison(e: Expressions, tree: exp.Binary) -> Scalar:
    function = COMPARISONS[type(tree)]
    right = quantified(tree.expression)
    if right is not None:
        return compared_with_query(e, function, tree.this, right)
    left = quantified(tree.this)
    if left is not None:
        flipped = function.replace("less", "?").replace("greater", "less").replace("?", "greater")
        return compared_with_query(e, flipped, tree.expression, left)
    return compare(e, function, tree.this, tree.expression)


def _between(e: Expressions, tree: exp.Between) -> Scalar:
    e.only(tree, "this", "low", "high", "symmetric")
    low, high = tree.args["low"], tree.args["high"]
    found = call("and", e.apply("greater_equal", tree.this, low), e.apply("less_equal", tree.this, high))
    if not tree.args.get("symmetric"):
        return found
    other = call("and", e.apply("greater_equal", tree.this, high), e.apply("less_equal", tree.this, low))
    return call("or", found, other)


def _in(e: Expressions, tree: exp.In) -> Scalar:
    e.only(tree, "this", "expressions", "query", "unnest", "field")
    if query_of(tree) is not None:
        return in_query(e, tree)
    if tree.args.get("unnest") is not None:
        return _contained(e, tree.args["unnest"].expressions[0], tree.this)
    if tree.args.get("field") is not None:
        # x IN y: y is a list.
        items = e.bind(tree.args["field"])
        if isinstance(items, Parameter) and is_null(items.dtype):
            items = cast(items, pa.list_(e.bind(tree.this).dtype))
        if not is_list(items.dtype) and not is_map(items.dtype) and not is_null(items.dtype):
            raise e.error(
                tree,
                TypeMismatchError,
                f"IN wants a list, not {type_name(items.dtype)}",
                "write the values in parentheses",
            )
        return _contained(e, items, tree.this)
    if not tree.expressions:
        # Nothing is one of no values.
        e.bind(tree.this)
        return FALSE
    row = _items(tree.this)
    if row is None and (constants := _constants(e, tree.expressions)) is not None and not e.is_constant(tree.this):
        return member(e.bind(tree.this), constants)
    parts = [compare(e, "equal", tree.this, each) for each in tree.expressions]
    while len(parts) > 1:
        paired: list[Scalar] = [Call("or", (parts[i], parts[i + 1])) for i in range(0, len(parts) - 1, 2)]
        parts = [*paired, parts[-1]] if len(parts) % 2 else paired
    return parts[0]


def _contained(e: Expressions, items: exp.Expr | Scalar, value: exp.Expr) -> Scalar:
    """Whether a list holds a value. Of a constant list the values are written out, as if they stood in parentheses."""
    from lazyframe.planner.folding import folded

    found = folded(items if isinstance(items, Scalar) else e.bind(items))
    if isinstance(found, Literal) and found.value.is_valid and is_list(found.dtype):
        asked = e.bind(value)
        values = tuple([each for each in found.value.as_py() if each is not None])
        kind = found.dtype.value_type
        alike = kind == asked.dtype or (is_integer(kind) and is_integer(asked.dtype))
        if values and alike and not is_nested(kind):
            return member(asked, values)
    return e.apply("list_contains", items, value)


def _constants(e: Expressions, trees: list[exp.Expr]) -> tuple[object, ...] | None:
    """The values of a list of constants; None where something else is among them."""
    from lazyframe.planner.folding import folded

    values: list[object] = []
    for tree in trees:
        if isinstance(tree, exp.Literal):
            # Lists may be long, and mostly hold nothing else.
            values.append(tree.this if tree.is_string else number(tree.this))
            continue
        found = e.written_constant(tree)
        if found is not None:
            values.append(found.value)
            continue
        if isinstance(tree, (exp.Subquery, exp.Tuple, exp.Column)):
            return None
        bound = folded(e.bind(tree))
        if not isinstance(bound, Literal):
            return None
        values.append(bound.value if bound.dtype != NULL else None)
    return tuple(values)


def _is(e: Expressions, tree: exp.Is) -> Scalar:
    what = tree.expression
    negated = isinstance(what, exp.Not)
    if negated:
        what = what.this
    if isinstance(what, exp.Null):
        row = _items(tree.this)
        tests = [call("is_null", e.bind(each)) for each in (row if row is not None else [tree.this])]
        found = _all(tests)
    elif isinstance(what, exp.Boolean):
        condition = e.predicate(tree.this, "IS")
        found = call("coalesce", condition if what.this else call("not", condition), FALSE)
    elif isinstance(what, exp.Var) and what.name.upper() == "UNKNOWN":
        found = call("is_null", e.predicate(tree.this, "IS"))
    else:
        raise e.error(
            tree,
            UnsupportedError,
            "IS is followed by NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM",
            "write = to compare, or IS NOT DISTINCT FROM, for which NULL equals NULL",
        )
    return call("not", found) if negated else found


def _pattern(function: str) -> Handler:
    """LIKE and ILIKE; a pattern may be escaped, or be one of a list with ANY and ALL."""

    def bind(e: Expressions, tree: exp.Binary) -> Scalar:
        found = _like(e, function, tree.this, tree.expression)
        return call("not", found) if tree.args.get("negate") else found

    return bind


def _like(e: Expressions, function: str, text: exp.Expr, pattern: exp.Expr, escape: exp.Expr | None = None) -> Scalar:
    if isinstance(pattern, (exp.Any, exp.All)):
        inner = pattern.this
        items = _items(inner)
        if items is None:
            raise UnsupportedError("LIKE ANY wants a list of patterns")
        parts = [_like(e, function, text, each, escape) for each in items]
        found = parts[0]
        for part in parts[1:]:
            found = Call("or" if isinstance(pattern, exp.Any) else "and", (found, part))
        return found
    args: list[exp.Expr | Scalar] = [text, pattern] if escape is None else [text, pattern, escape]
    bound = [e.bind(arg) if isinstance(arg, exp.Expr) else arg for arg in args]
    bound = [cast(each, STRING) if each.dtype == NULL else each for each in bound]
    return e.apply(function, *bound)


def _escape(e: Expressions, tree: exp.Escape) -> Scalar:
    inner = tree.this
    negated = bool(inner.args.get("negate"))
    function = {exp.Like: "like", exp.ILike: "ilike"}.get(type(inner))
    if function is None:
        raise UnsupportedError("ESCAPE belongs to LIKE")
    found = _like(e, function, inner.this, inner.expression, tree.expression)
    return call("not", found) if negated else found


def _case(e: Expressions, tree: exp.Case) -> Scalar:
    e.only(tree, "this", "ifs", "default")
    conditions: list[Scalar] = []
    for branch in tree.args["ifs"]:
        with e.in_branch(bool(conditions)):
            if tree.this is None:
                conditions.append(e.predicate(branch.this, "WHEN"))
            else:
                conditions.append(compare(e, "equal", tree.this, branch.this))
    results = [branch.args["true"] for branch in tree.args["ifs"]]
    default = tree.args.get("default") or exp.Null()
    return _chosen(e, conditions, [*results, default])


def _if(e: Expressions, tree: exp.If) -> Scalar:
    results = [tree.args["true"], tree.args.get("false") or exp.Null()]
    return _chosen(e, [e.predicate(tree.this, "IF")], results)


def _chosen(e: Expressions, conditions: list[Scalar], results: list[exp.Expr]) -> Scalar:
    written = [e.written_constant(tree) for tree in results]
    with e.in_branch():
        values = [
            literal(found.value) if found is not None else e.bind(tree)
            for tree, found in zip(results, written, strict=True)
        ]
    return choice(conditions, written, values, read_text=True)


FORMS: dict[type | str, Handler] = {
    **dict.fromkeys(COMPARISONS, _comparison),
    exp.NullSafeEQ: lambda e, tree: e.apply("equal_missing", tree.this, tree.expression),
    exp.NullSafeNEQ: lambda e, tree: e.apply("not_equal_missing", tree.this, tree.expression),
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.Like: _pattern("like"),
    exp.ILike: _pattern("ilike"),
    exp.Escape: _escape,
    exp.Case: _case,
    exp.If: _if,
}

__all__ = ["COMPARISONS", "FORMS", "compare"]
