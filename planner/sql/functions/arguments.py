"""Handlers of functions whose arguments go to a function of ours one by one."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.scalars import Call, Literal, Scalar, cast
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.types import INT64, UINT64, is_integer


def plain(function: str, *keys: str, flags: tuple[str, ...] = (), **options: Any) -> Handler:
    """A class of sqlglot's whose arguments `keys` are those of the function; `flags` do not matter."""

    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        e.only(tree, *keys, *flags)
        args: list[exp.Expression] = []
        for key in keys:
            value = tree.args.get(key)
            args += value if isinstance(value, list) else [] if value is None else [value]
        return e.apply(function, *args, **options)

    return bind


def named(function: str, *counts: int, **options: Any) -> Handler:
    """A function that sqlglot does not know, with so many arguments."""
    return lambda e, tree: e.apply(function, *arguments(tree, *counts), **options)


def wide(handler: Handler) -> Handler:
    """Small integers as BIGINT: they are counted on with, where 8 bits would overflow."""
    return lambda e, tree: widened(handler(e, tree))


def widened(value: Scalar) -> Scalar:
    return cast(value, INT64) if is_integer(value.dtype) and value.dtype != UINT64 else value


def arguments(tree: exp.Expression, *counts: int) -> list[exp.Expression]:
    """The arguments of a function that sqlglot does not know.

    Raises:
        InvalidArgumentError: where there is another number of them.
    """
    found: list[exp.Expression] = tree.expressions
    if len(found) not in counts:
        wanted = " or ".join(str(count) for count in counts)
        name = tree.name if isinstance(tree, exp.Anonymous) else tree.sql_name().lower()  # type: ignore[attr-defined]
        raise InvalidArgumentError(f"{name}() takes {wanted} arguments, not {len(found)}")
    return found


def constant_of(value: Scalar) -> Any:
    """The Python value of a constant that is not null; None of other expressions."""
    if isinstance(value, Literal):
        return value.value.as_py()
    if isinstance(value, Call):
        from lazyframe.planner.folding import folded

        simpler = folded(value)
        return simpler.value.as_py() if isinstance(simpler, Literal) else None
    return None


__all__ = ["arguments", "constant_of", "named", "plain", "wide", "widened"]
