"""Functions of lists."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, by_name, same
from lazyframe.planner.types import INT64, is_list

FUNCTIONS = by_name(
    Function(name="list_length", resolver=same(is_list, INT64), arity=(1, 1), sql=("array_length", "list_length"), summary="The number of items."),
)  # fmt: skip
