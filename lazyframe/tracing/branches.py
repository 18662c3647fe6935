"""Values that depend on which way a row has taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lazyframe.expr import Expr, _choose, call
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.nouns import with_article

Condition = bool | Expr
"""True or False for all rows, or an expression. Null counts as false, as it does in a choice."""


class Missing:
    """Stands for the value of a variable that some rows have not got.

    Args:
        name: of the variable; None where no row can ask for the value.
    """

    def __init__(self, name: str | None = None) -> None:
        self.name = name


NOTHING = Missing()
"""What is never asked for."""


def negated(condition: Condition) -> Condition:
    """Where a condition is not true."""
    return not condition if isinstance(condition, bool) else call("not", call("coalesce", condition, False))


def either(first: Condition, second: Condition) -> Condition:
    """Where one of two conditions is true; the second is looked at only where the first is not."""
    return pick(first, True, second)


def pick(condition: Condition, then: Condition, otherwise: Condition) -> Condition:
    """One condition where another is true, else a third."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    if then is condition:
        then = True
    if otherwise is condition:
        otherwise = False
    if isinstance(then, bool) and isinstance(otherwise, bool):
        if then == otherwise:
            return then
        return condition if then else negated(condition)
    return _choose([condition], [then], otherwise)


def chosen(condition: Condition, then: Any, otherwise: Any) -> Any:
    """One value where a condition is true, else another.

    Raises:
        UnsupportedError: for values of which no column can hold one or the other.
    """
    if isinstance(condition, bool):
        return then if condition else otherwise
    if then is otherwise or then is NOTHING:
        return otherwise
    if otherwise is NOTHING:
        return then
    for each in (then, otherwise):
        if isinstance(each, Missing):
            return each
    if isinstance(then, (tuple, list)) and type(then) is type(otherwise) and len(then) == len(otherwise):
        return type(then)([chosen(condition, a, b) for a, b in zip(then, otherwise, strict=True)])
    if isinstance(then, dict) and isinstance(otherwise, dict) and list(then) == list(otherwise):
        return {key: chosen(condition, then[key], otherwise[key]) for key in then}
    if (
        not isinstance(then, Expr)
        and not isinstance(otherwise, Expr)
        and type(then) is type(otherwise)
        and then == otherwise
    ):
        return then
    for each in (then, otherwise):
        if isinstance(each, (tuple, list, dict, set)) or callable(each):
            raise UnsupportedError(
                f"{with_article(type(each).__name__)} in some rows and something else in others has no place in a column",
                hint="choose between single values",
            )
    return _choose([condition], [then], otherwise)


def merged(condition: Condition, then: Mapping[str, Any], otherwise: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of two branches."""
    if isinstance(condition, bool):
        return dict(then if condition else otherwise)
    found: dict[str, Any] = {}
    for name in dict.fromkeys([*then, *otherwise]):
        a, b = then.get(name, NOTHING), otherwise.get(name, NOTHING)
        if a is NOTHING or b is NOTHING:
            found[name] = Missing(name)
            continue
        try:
            found[name] = chosen(condition, a, b)
        except UnsupportedError as error:
            found[name] = _Unmixed(name, error)
    return found


class _Unmixed(Missing):
    """A variable that holds what cannot be chosen between, which matters where it is used."""

    def __init__(self, name: str, error: UnsupportedError) -> None:
        super().__init__(name)
        self.error = error


__all__ = ["NOTHING", "Condition", "Missing", "chosen", "either", "merged", "negated", "pick"]
