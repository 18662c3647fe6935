"""JOIN in FROM: its kinds, its conditions, and what names mean behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.build.joins import split_equalities, unordered_join
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.relations import Filter, HorizontalConcat, Plan, RowIndex, Shared
from lazyframe.planner.relations.project import choose, column, renamed
from lazyframe.planner.scalars import Scalar, conjunction, conjuncts, is_total, substitute
from lazyframe.planner.schema import Fresh
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.outer import has_subquery
from lazyframe.planner.sql.queries.asof import asof_joined
from lazyframe.planner.sql.queries.sides import Side, using_pair
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.sql.unnesting import dependent_join, filtered_by, placed, with_arguments
from lazyframe.planner.types import common_type, type_name


def joined(statement: Statement, left: Side, right: Side, join: exp.Join) -> Side:
    """Two sides joined as `join` says. What of `right` depends on `left` is resolved; the result depends on what `left` does.

    Raises:
        LazyFrameError: with its place in the text.
    """
    kind, method = _kind_of(join)
    both = left.scope.beside(right.scope)
    if method in ("POSITIONAL", "ASOF") and right.lateral:
        raise UnsupportedError(f"{method} JOIN with a right side that depends on the left is not supported")
    if method == "POSITIONAL":
        return left._replace(plan=HorizontalConcat((left.plan, right.plan)), scope=both)
    using = [identifier.name for identifier in join.args.get("using") or []]
    if method == "NATURAL":
        using = _shared_names(left.scope, right.scope)
        if not using:
            raise InvalidArgumentError("a NATURAL join has no column that both sides have", hint="write CROSS JOIN")
    if method == "ASOF":
        return asof_joined(statement, left, right, join, using, kind)
    pairs = [using_pair(name, left.scope, right.scope) for name in using]
    parts: list[Scalar] = [call("equal", a, b) for a, b in pairs]
    if on := join.args.get("on"):
        parts += conjuncts(Expressions(statement, both, "ON").predicate(on, "ON"))
    elif not using and kind not in ("cross", "inner") and method != "NATURAL":
        raise InvalidArgumentError(f"a {kind} join wants a condition", hint="write ON ..., or USING (...)")
    rows = _pairs_of_rows(left.plan, right.plan, kind, parts, right.lateral, statement.fresh)
    if kind in ("semi", "anti"):
        return left._replace(plan=rows)
    if kind in ("left", "right", "full"):
        both = both.over(rows.schema)
    for name, (a, b) in zip(using, pairs, strict=True):
        known = {n: column(rows.schema, n) for n in (a.columns | b.columns)}
        both.merge(name, _merged(kind, substitute(a, known), substitute(b, known)))
    return left._replace(plan=rows, scope=both)


def _kind_of(join: exp.Join) -> tuple[str, str]:
    """The kind of a join, and its method: NATURAL, ASOF, POSITIONAL."""
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    method = (join.args.get("method") or "").upper()
    if kind in ("SEMI", "ANTI"):
        if side == "RIGHT":
            raise UnsupportedError(f"RIGHT {kind} JOIN is not supported", hint="exchange the two sides")
        return kind.lower(), method
    if kind not in ("", "INNER", "OUTER", "CROSS"):
        raise UnsupportedError(f"{kind} JOIN is not supported")
    if method not in ("", "NATURAL", "ASOF", "POSITIONAL"):
        raise UnsupportedError(f"{method} JOIN is not supported")
    if side in ("LEFT", "RIGHT", "FULL"):
        return side.lower(), method
    return ("cross" if kind == "CROSS" else "inner"), method


def _shared_names(left: Scope, right: Scope) -> list[str]:
    theirs = {visible.name.casefold() for visible in right.star()}
    return list(dict.fromkeys(visible.name for visible in left.star() if visible.name.casefold() in theirs))


def _merged(kind: str, left: Scalar, right: Scalar) -> Scalar:
    """The one column that USING makes of two."""
    if kind == "right":
        return right
    if kind != "full":
        return left
    wanted = common_type(left.dtype, right.dtype)
    if wanted is None:
        raise InvalidArgumentError(f"USING a {type_name(left.dtype)} and a {type_name(right.dtype)} makes no column")
    return call("coalesce", left, right)


def _pairs_of_rows(
    left: Plan, right: Plan, kind: str, parts: Sequence[Scalar], lateral: Mapping[str, Scalar], fresh: Fresh
) -> Plan:
    """The join of two sides on conditions that may hold subqueries, of a right side that may depend on the left."""
    if lateral:
        if kind not in ("inner", "cross", "left"):
            raise UnsupportedError(f"a {kind} join with a right side that depends on the left is not supported")
        wanted = [*left.schema.names, *right.schema.names]
        left, outers = with_arguments(left, lateral.items(), fresh)
        if kind != "left":
            rows = filtered_by(dependent_join(left, right, "inner", outers, fresh), parts, fresh)
        elif any([has_subquery(part) for part in parts]):
            rows = _left_lateral(left, right, outers, parts, fresh)
        else:
            rows = dependent_join(left, right, "left", outers, fresh, conjunction(parts))
        return choose(rows, wanted)
    queries = [part for part in parts if has_subquery(part)]
    if not queries:
        return _plain_join(left, right, kind, parts)
    plain = [part for part in parts if not has_subquery(part)]
    if kind in ("inner", "cross"):
        return filtered_by(_plain_join(left, right, "inner", plain), queries, fresh)
    # Where a condition uses one side only, its subqueries are computed there.
    rest: list[Scalar] = []
    for part in queries:
        if part.columns <= set(right.schema.names):
            right, (bound,) = placed(right, [part], fresh)
        elif part.columns <= set(left.schema.names):
            left, (bound,) = placed(left, [part], fresh)
        else:
            rest.append(part)
            continue
        plain.append(bound)
    if not rest:
        return _plain_join(left, right, kind, plain)
    return _by_numbers(left, right, kind, [*plain, *rest], fresh)


def _plain_join(left: Plan, right: Plan, kind: str, parts: Sequence[Scalar]) -> Plan:
    keys, rest = split_equalities(parts, left.schema, right.schema)
    if kind in ("inner", "cross"):
        kind = "inner" if keys or rest else "cross"
        predicate = conjunction(rest)
        if predicate is not None and not all([is_total(part) for part in rest]):
            # What may fail is evaluated for the pairs that the rest of the condition leaves.
            return Filter(unordered_join(left, right, kind if keys else "cross", keys), predicate)
    return unordered_join(left, right, kind, keys, conjunction(rest))


def _left_lateral(left: Plan, right: Plan, outers: Mapping[str, str], parts: Sequence[Scalar], fresh: Fresh) -> Plan:
    """A left join with a right side that depends on the left, on a condition that holds subqueries: the pairs that meet it
    are joined back to the rows by their numbers.
    """
    number = fresh("left row")
    # The left side is read twice, and must be the same both times; so in `_by_numbers` are both.
    rows = Shared(RowIndex(left, number))
    met = filtered_by(dependent_join(rows, right, "inner", outers, fresh), parts, fresh)
    again = fresh(number)
    met = renamed(choose(met, [number, *right.schema.names]), {number: again})
    rows_with_met = unordered_join(rows, met, "left", [(column(rows.schema, number), column(met.schema, again))])
    return choose(rows_with_met, [*left.schema.names, *right.schema.names])


def _by_numbers(left: Plan, right: Plan, kind: str, parts: Sequence[Scalar], fresh: Fresh) -> Plan:
    """A join on a condition whose subqueries use both sides: the pairs that meet it are found by the numbers of their rows,
    and joined back.
    """
    a, b = fresh("left row"), fresh("right row")
    numbered_left, numbered_right = Shared(RowIndex(left, a)), Shared(RowIndex(right, b))
    met = choose(filtered_by(unordered_join(numbered_left, numbered_right, "cross"), parts, fresh), [a, b])
    names = {a: fresh(a), b: fresh(b)}
    met = renamed(met, names)
    of_left = (column(numbered_left.schema, a), column(met.schema, names[a]))
    if kind in ("semi", "anti"):
        return choose(unordered_join(numbered_left, met, kind, [of_left]), left.schema.names)
    first = unordered_join(numbered_left, met, "left" if kind in ("left", "full") else "inner", [of_left])
    of_right = (column(first.schema, names[b]), column(numbered_right.schema, b))
    second = unordered_join(first, numbered_right, kind, [of_right])
    return choose(second, [*left.schema.names, *right.schema.names])


__all__ = ["joined"]
