"""Lists of numbers as vectors."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, by_name, fixed
from lazyframe.planner.functions.lists import list_of
from lazyframe.planner.types import FLOAT64

_pair = fixed((list_of(FLOAT64), list_of(FLOAT64)), FLOAT64)

FUNCTIONS = by_name(
    Function(name="list_inner_product", resolver=_pair, arity=(2, 2), total=False, sql=("list_inner_product", "list_dot_product", "array_inner_product", "array_dot_product"), summary="The sum of the products of the items at the same positions."),
    Function(name="list_cosine_similarity", resolver=_pair, arity=(2, 2), nulls="maybe", total=False, sql=("list_cosine_similarity", "array_cosine_similarity"), summary="The cosine of the angle between two vectors; null where they have no items, NaN where one has no length."),
    Function(name="list_distance", resolver=_pair, arity=(2, 2), total=False, sql=("list_distance", "array_distance"), summary="Euclid's distance between two vectors."),
)  # fmt: skip
