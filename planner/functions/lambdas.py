"""Functions of lists that take an expression of their items.

The expression is the option `body`: a bound scalar over columns of its own, which are no columns of the relation. `parameters`
names those that stand for an item, its position from 1 or what was reduced so far; `captured` those that stand for the arguments
after the list, which are the same for all its items.
"""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, Options, Signature, Types, by_name
from lazyframe.planner.functions.lists import list_of
from lazyframe.planner.types import BOOL, DataType, is_list


def _transform(types: Types, options: Options) -> Signature | None:
    return _over_list(types, list_of(options["body"].dtype))


def _filter(types: Types, options: Options) -> Signature | None:
    return _over_list(types, types[0]) if options["body"].dtype == BOOL else None


def _reduce(types: Types, options: Options) -> Signature | None:
    return _over_list(types, options["body"].dtype)


def _over_list(types: Types, result: DataType) -> Signature | None:
    return Signature(types, result) if is_list(types[0]) else None


FUNCTIONS = by_name(
    Function(name="list_transform", resolver=_transform, arity=(1, None), nulls="maybe", total=False, summary="The value of an expression for each item."),
    Function(name="list_filter", resolver=_filter, arity=(1, None), nulls="maybe", total=False, summary="The items for which a condition is true."),
    Function(name="list_reduce", resolver=_reduce, arity=(1, None), nulls="maybe", total=False, summary="The items put together from the left by an expression of what was reduced so far and the next; with the option `initial` the second argument comes first."),
)  # fmt: skip
