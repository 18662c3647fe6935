"""What an aggregate or window function uses, by role."""

from __future__ import annotations

from typing import NamedTuple

from lazyframe.planner.scalars import AggregateCall, Scalar, WindowCall

Names = frozenset[str]


class Parts(NamedTuple):
    """The columns that a call computes with, that decide about its rows, divide them and order them."""

    values: Names
    filters: Names
    keys: Names
    orders: Names


def parts_of(call: Scalar) -> Parts:
    """The columns of a call by their roles."""
    match call:
        case AggregateCall(args=args, where=where, order=order):
            return Parts(_columns(args), _columns(() if where is None else (where,)), frozenset(), _columns(order))
        case WindowCall(args=args, where=where, partition=partition, order=order, argument_order=argument_order):
            filters = _columns(() if where is None else (where,))
            return Parts(_columns(args), filters, _columns(partition), _columns((*order, *argument_order)))
    raise AssertionError(f"{type(call).__name__} is no call over rows")


def _columns(scalars: tuple[Scalar, ...]) -> Names:
    return frozenset().union(*[scalar.columns for scalar in scalars])


__all__ = ["Parts", "parts_of"]
