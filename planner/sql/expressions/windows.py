"""Window functions as SQL writes them: OVER, named windows, frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from lazyframe.planner.build.windows import window_call
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError, did_you_mean
from lazyframe.planner.folding import folded
from lazyframe.planner.frames import CURRENT, Bound, Frame
from lazyframe.planner.functions.windows import WINDOWS
from lazyframe.planner.scalars import Literal, Scalar
from lazyframe.planner.sql.expressions.aggregates import (
    Written,
    bound_aggregate,
    bound_order,
    is_aggregate,
    taken_apart,
)
from lazyframe.planner.sql.expressions.binder import Expressions, Handler, function_name

_NAMES = {name: function.name for function in WINDOWS.values() for name in function.sql if name != "fill"}
"""Window functions by their names in SQL. Not `fill`, which interpolates where others have it, and here repeats."""


def _window(e: Expressions, tree: exp.Window) -> Scalar:
    e.only(tree, "this", "partition_by", "order", "spec", "alias", "over", "first")
    if e.windows is None:
        raise InvalidArgumentError(
            f"a window function cannot stand in {e.clause}",
            hint="filter on it with QUALIFY, or compute it in a subquery",
        )
    written = taken_apart(tree.this)
    partition, ordering, spec = _specification(e, tree)
    inner = Expressions(
        e.statement, e.scope, "a window function", aggregates=e.aggregates, windows=None, aliases=e.aliases
    )
    keys = [inner.bind(part) for part in partition]
    order = bound_order(inner, ordering)
    frame = None if spec is None else _frame(inner, spec)

    def make(function: str, args: Sequence[Scalar], where: Scalar | None, options: Mapping[str, Any]) -> Scalar:
        return window_call(
            function,
            args,
            keys,
            order,
            frame,
            where,
            distinct=written.distinct,
            options=options,
            argument_order=bound_order(inner, written.order),
        )

    name = written.name
    if name in _NAMES:
        return _ranked(inner, written, make)
    if not is_aggregate(written.function):
        raise UnsupportedError(
            f"{name}() is no window function that is supported", hint=did_you_mean(name, sorted(_NAMES))
        )
    return bound_aggregate(inner, written, make)


def _ranked(e: Expressions, written: Written, make: Any) -> Scalar:
    function = _NAMES[written.name]
    options: dict[str, Any] = {}
    if written.ignore_nulls:
        options["ignore_nulls"] = True
    if written.within:
        raise UnsupportedError(f"{written.name}() takes no WITHIN GROUP")
    where = None if written.where is None else e.predicate(written.where, "FILTER")
    return make(function, [e.bind(arg) for arg in written.args], where, options)


def _specification(e: Expressions, tree: exp.Window) -> tuple[list[exp.Expr], list[exp.Ordered], exp.WindowSpec | None]:
    """The partition, order and frame of a window, with what it takes over from the named window it is built on."""
    partition = list(tree.args.get("partition_by") or [])
    order = tree.args["order"].expressions if tree.args.get("order") else []
    spec = tree.args.get("spec")
    base = tree.args.get("alias")
    if base is None:
        return partition, order, spec
    assert e.windows is not None
    named = e.windows.get(base.name.casefold())
    if named is None:
        hint = did_you_mean(base.name, [w.this.name for w in e.windows.values()])
        raise InvalidArgumentError(f"no window named {base.name!r}", hint=hint)
    of_base = _specification(e, named)
    if partition:
        raise InvalidArgumentError(f"the partition of the window {base.name!r} cannot be replaced")
    if order and of_base[1]:
        raise InvalidArgumentError(f"the order of the window {base.name!r} cannot be replaced")
    return of_base[0], order or of_base[1], spec or of_base[2]


def _frame(e: Expressions, spec: exp.WindowSpec) -> Frame:
    e.only(spec, "kind", "start", "start_side", "end", "end_side", "exclude")
    exclude = spec.args.get("exclude")
    excluded = (exclude.name if isinstance(exclude, exp.Expr) else exclude or "NO OTHERS").upper()
    start = _bound(e, spec, "start")
    end = _bound(e, spec, "end") if spec.args.get("end") else CURRENT
    return Frame(str(spec.args["kind"]).lower(), start, end, excluded.replace(" ", "_").lower())


def _bound(e: Expressions, spec: exp.WindowSpec, key: str) -> Bound:
    value, side = spec.args[key], str(spec.args.get(f"{key}_side") or "").lower()
    if isinstance(value, str):
        if value.upper() == "CURRENT ROW":
            return CURRENT
        _check_side(side)
        return Bound(f"unbounded_{side}")
    if isinstance(value, exp.Literal) and value.is_string and value.this.isdigit():
        # A number in quotes.
        value = exp.Literal.number(value.this)
    offset = folded(e.bind(value))
    if not isinstance(offset, Literal):
        raise e.error(value, InvalidArgumentError, "the offset of a window frame must be a constant")
    _check_side(side)
    return Bound(side, offset.value)


def _check_side(side: str) -> None:
    if side not in {"preceding", "following"}:
        raise InvalidArgumentError("a bound of a frame wants PRECEDING or FOLLOWING after it")


def _without_over(e: Expressions, tree: exp.Func) -> Scalar:
    name = function_name(tree)
    raise InvalidArgumentError(f"the window function {name}() needs a window", hint=f"write {name}(...) OVER (...)")


def _forms() -> dict[type | str, Handler]:
    from sqlglot.expressions import ALL_FUNCTIONS

    found: dict[type | str, Handler] = dict.fromkeys([name for name in _NAMES if name != "fill"], _without_over)
    for cls in ALL_FUNCTIONS:
        if any([name.lower() in _NAMES for name in cls.sql_names()]) and not is_aggregate(cls()):
            found[cls] = _without_over
    return {**found, exp.Window: _window}


FORMS: dict[type | str, Handler] = _forms()

__all__ = ["FORMS"]
