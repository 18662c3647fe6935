"""ASOF JOIN: each row with the one that comes next before or after it."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.build.asof import asof_join
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.scalars import Call, Scalar, conjuncts
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.queries.sides import Side, using_pair
from lazyframe.planner.sql.statement import Statement

_STRATEGIES = {
    "greater_equal": ("backward", False),
    "greater": ("backward", True),
    "less_equal": ("forward", False),
    "less": ("forward", True),
}
_FLIPPED = {"greater_equal": "less_equal", "greater": "less", "less_equal": "greater_equal", "less": "greater"}


def asof_joined(
    statement: Statement,
    left: Side,
    right: Side,
    join: exp.Join,
    using: list[str],
    kind: str,
) -> Side:
    """ASOF [LEFT] JOIN ... ON equalities AND left.t >= right.t, or USING (equal ones, and last the one that is compared)."""
    if kind not in ("inner", "left"):
        raise UnsupportedError(f"ASOF {kind.upper()} JOIN is not supported")
    both = left.scope.beside(right.scope)
    if using:
        parts = [call("equal", *using_pair(name, left.scope, right.scope)) for name in using[:-1]]
        parts.append(call("greater_equal", *using_pair(using[-1], left.scope, right.scope)))
    elif join.args.get("on") is not None:
        parts = conjuncts(Expressions(statement, both, "ON").predicate(join.args["on"], "ON"))
    else:
        raise InvalidArgumentError("an ASOF join wants a condition", hint="write ON a.k = b.k AND a.t >= b.t")
    by: list[tuple[Scalar, Scalar]] = []
    on: tuple[Scalar, Scalar] | None = None
    how = ("backward", False)
    ours, theirs = set(left.plan.schema.names), set(right.plan.schema.names)
    for part in parts:
        found = _sides(part, ours, theirs)
        if found is None:
            raise UnsupportedError(
                "an ASOF join compares values of its two sides", hint="filter either side before", site=part.site
            )
        function, a, b = found
        if function == "equal":
            by.append((a, b))
        elif on is not None:
            raise InvalidArgumentError("an ASOF join has one inequality", site=part.site)
        else:
            on, how = (a, b), _STRATEGIES[function]
    if on is None:
        raise InvalidArgumentError("an ASOF join wants one inequality", hint="write ON a.k = b.k AND a.t >= b.t")
    rows = asof_join(left.plan, right.plan, on, by, strategy=how[0], strict=how[1], kind=kind)
    both = both.over(rows.schema)
    for name in using:
        value = both.column_of_side(name, len(left.scope.tables))
        if value is not None:
            both.merge(name, value)
    return left._replace(plan=rows, scope=both)


def _sides(part: Scalar, ours: set[str], theirs: set[str]) -> tuple[str, Scalar, Scalar] | None:
    """A comparison with the value of the left side first."""
    if not isinstance(part, Call) or part.function not in ("equal", *_STRATEGIES):
        return None
    a, b = part.args
    if not a.columns or not b.columns:
        return None
    if a.columns <= ours and b.columns <= theirs:
        return part.function, a, b
    if a.columns <= theirs and b.columns <= ours:
        return _FLIPPED.get(part.function, part.function), b, a
    return None


__all__ = ["asof_joined"]
