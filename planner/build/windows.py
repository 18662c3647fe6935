"""Window functions: their calls, and the relations that compute them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lazyframe.planner.build.frame_offsets import checked
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.frames import DEFAULT, WHOLE, Frame
from lazyframe.planner.functions.definition import lookup_window
from lazyframe.planner.graph import replace, rewrite, rewrite_top_down
from lazyframe.planner.relations import Plan, Window
from lazyframe.planner.scalars import Column, Scalar, WindowCall, cast
from lazyframe.planner.schema import Fresh, fresh_name
from lazyframe.planner.types import BOOL, STRING, type_name

_VALUES = {"first": "first_value", "last": "last_value"}
"""Aggregates of an order that over a frame are window functions."""


def window_call(
    function: str,
    args: Sequence[Scalar],
    partition: Sequence[Scalar] = (),
    order: Sequence[Scalar] = (),
    frame: Frame | None = None,
    where: Scalar | None = None,
    *,
    distinct: bool = False,
    options: Mapping[str, Any] | None = None,
    argument_order: Sequence[Scalar] = (),
) -> WindowCall:
    """A call of the window function or aggregate, with casts put in where its overload wants other types.

    Args:
        function: its name.
        args: its arguments.
        partition: what rows share that belong together.
        order: `SortKey`s, by which the rows of a partition are ordered.
        frame: the rows it looks at; None for SQL's default.
        where: of an aggregate: which rows of the frame it takes.
        distinct: of an aggregate: whether each different tuple of arguments counts once.
        options: what else tells what it does, such as `ignore_nulls`.
        argument_order: of an aggregate: `SortKey`s, in the order of which it takes the rows of the frame.

    Raises:
        InvalidArgumentError, TypeMismatchError: for what the function cannot take, and for frames that are none.
    """
    options = dict(options or {})
    if function in _VALUES and not argument_order and where is None and not distinct:
        function = _VALUES[function]
    found = lookup_window(function)
    if not found.is_aggregate:
        for given, what in (
            (where is not None, "a filter"),
            (distinct, "DISTINCT"),
            (argument_order, "an order of its own"),
        ):
            if given:
                raise InvalidArgumentError(f"{function}() is no aggregate, so it takes no rows by {what}")
    if options.get("ignore_nulls") and not found.skips_nulls and not found.is_aggregate:
        raise InvalidArgumentError(f"{function}() has no nulls to ignore")
    if where is not None and where.dtype != BOOL:
        raise TypeMismatchError(f"the filter of an aggregate must be true or false, not {type_name(where.dtype)}")
    try:
        signature = found.resolve(tuple([a.dtype for a in args]), options)
    except TypeMismatchError as error:
        if error.hint is None and args:
            shown = ", ".join([f"{a!r} is {type_name(a.dtype)}" for a in args])
            error.hint = shown + ("; for numbers in text write .cast('float64')" if args[0].dtype == STRING else "")
        raise
    wanted = tuple([cast(a, t) for a, t in zip(args, signature.arguments, strict=True)])
    if frame is not None:
        frame = checked(frame, order)
        if not found.framed or frame == (DEFAULT if order else WHOLE):
            frame = None
    return WindowCall(
        function, wanted, tuple(partition), tuple(order), where, frame, distinct, tuple(options.items()),
        tuple(argument_order),
    )  # fmt: skip


def with_windows(plan: Plan, scalars: Sequence[Scalar], fresh: Fresh | None = None) -> tuple[Plan, list[Scalar]]:
    """`plan` with the values of the window functions beside every row, and `scalars` in terms of those columns.

    Nested ones are computed first. A call that has an aggregate in it stays as it is: it waits for the groups. `fresh` makes
    the names of the columns, where these must differ from more than those of `plan`.
    """
    found = list(scalars)
    while any([scalar.holds_window for scalar in found]):
        names: dict[Scalar, str] = {}
        taken = set(plan.schema.names)

        def step(current: Scalar, names: dict[Scalar, str] = names, taken: set[str] = taken) -> Scalar | None:
            if not current.holds_window:
                return current
            if not isinstance(current, WindowCall) or current.holds_aggregate:
                return None
            if any([child.holds_window for child in current.children()]):
                return None
            if current not in names:
                names[current] = fresh_name(current.function, taken) if fresh is None else fresh(current.function)
                taken.add(names[current])
            return Column(names[current], current.dtype, current.nullable)

        found = [rewrite_top_down(scalar, step) for scalar in found]
        if not names:
            break
        plan = Window(plan, tuple([(name, call) for call, name in names.items()]))
    return plan, found


def within_groups(plan: Plan, keys: Sequence[Scalar], scalars: Sequence[Scalar]) -> tuple[Plan, list[Scalar]]:
    """As `with_windows`, where the window functions look at the rows of each group by `keys` alone."""

    def step(current: Scalar) -> Scalar:
        if isinstance(current, WindowCall) and not current.holds_aggregate:
            return replace(current, partition=(*keys, *current.partition))
        return current

    return with_windows(plan, [rewrite(scalar, step) if scalar.holds_window else scalar for scalar in scalars])


__all__ = ["window_call", "with_windows", "within_groups"]
