"""What an aggregate or window function uses, by role."""

from __future__ import annotations

from typing import NamedTuple

from lazyframe.planner.lineage.places import Place, all_places
from lazyframe.planner.scalars import AggregateCall, Scalar, WindowCall


class Parts(NamedTuple):
    """The columns that a call computes with, that decide about its rows, divide them and order them."""

    values: set[Place]
    filters: set[Place]
    keys: set[Place]
    orders: set[Place]


def parts_of(call: Scalar) -> Parts:
    """The columns of a call by their roles."""
    match call:
        case AggregateCall(args=args, where=where, order=order):
            return Parts(all_places(args), all_places(() if where is None else (where,)), set(), all_places(order))
        case WindowCall(args=args, where=where, partition=partition, order=order, argument_order=argument_order):
            filters = all_places(() if where is None else (where,))
            return Parts(all_places(args), filters, all_places(partition), all_places((*order, *argument_order)))
    raise AssertionError(f"{type(call).__name__} is no call over rows")


__all__ = ["Parts", "parts_of"]
