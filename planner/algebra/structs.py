"""Structs that are made and taken apart again."""

from __future__ import annotations

from lazyframe.planner.algebra.law import law
from lazyframe.planner.algebra.points import is_dispensable
from lazyframe.planner.scalars import FIELD, Call, Scalar


@law(FIELD)
def without_struct(scalar: Scalar) -> Scalar | None:
    """`make_struct(a: x, b: y).a` as x."""
    match scalar:
        case Call(function="struct_field", args=(Call(function="make_struct", args=values) as made,)):
            names = dict(made.options)["names"]
            place = names.index(dict(scalar.options)["name"])
            others = (*values[:place], *values[place + 1 :])
            return values[place] if all(map(is_dispensable, others)) else None
    return None
