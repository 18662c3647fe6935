"""ASOF JOIN: each row with the one that comes next before or after it."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.build.asof import asof_join
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.relations import Plan
from lazyframe.planner.scalars import Call, Scalar, conjuncts
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.names.scope import Scope
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
    left: tuple[Plan, Scope],
    right: tuple[Plan, Scope],
    join: exp.Join,
    using: list[str],
    kind: str,
) -> tuple[Plan, Scope]:
    """ASOF [LEFT] JOIN ... ON equalities AND left.t >= right.t, or USING (equal ones, and last the one that is compared)."""
    if kind not in ("inner", "left"):
        raise UnsupportedError(f"ASOF {kind.upper()} JOIN is not supported")
    (plan, scope), (other, other_scope) = left, right
    both = scope.beside(other_scope)
    if using:
        parts = [call("equal", *_pair(name, scope, other_scope)) for name in using[:-1]]
        parts.append(call("greater_equal", *_pair(using[-1], scope, other_scope)))
    elif join.args.get("on") is not None:
        parts = conjuncts(Expressions(statement, both, "ON").predicate(join.args["on"], "ON"))
    else:
        raise InvalidArgumentError("an ASOF join wants a condition", hint="write ON a.k = b.k AND a.t >= b.t")
    by: list[tuple[Scalar, Scalar]] = []
    on: tuple[Scalar, Scalar] | None = None
    how = ("backward", False)
    ours, theirs = set(plan.schema.names), set(other.schema.names)
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
    joined = asof_join(plan, other, on, by, strategy=how[0], strict=how[1], kind=kind)
    both = both.over(joined.schema)
    for name in using:
        value = both.column_of_side(name, len(scope.tables))
        if value is not None:
            both.merge(name, value)
    return joined, both


def _pair(name: str, left: Scope, right: Scope) -> tuple[Scalar, Scalar]:
    found = [side.own_column(name) for side in (left, right)]
    if found[0] is None or found[1] is None:
        raise InvalidArgumentError(f"USING ({name}) wants a column of that name on both sides")
    return found[0], found[1]


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
