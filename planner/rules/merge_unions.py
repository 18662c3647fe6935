"""Unions of unions."""

from __future__ import annotations

from lazyframe.planner.relations import Plan, Union
from lazyframe.planner.rules.rule import rule

_MOST = 64
"""A chain of thousands of unions is merged so far: a union as wide as that would be built again for each of them."""


@rule(Union)
def merge_unions(plan: Union) -> Plan | None:
    """Union (Union a b) c  =>  Union a b c.

    Sound: the rows of all inputs come one after the other, and so do those of the inputs' inputs. Not through what chooses
    some of the rows in between, as `head(3)` of a union does, nor where so many come together that wide nodes cost more than
    deep ones.
    """
    nested = [child for child in plan.inputs if isinstance(child, Union)]
    if not nested or len(plan.inputs) - len(nested) + sum([len(child.inputs) for child in nested]) > _MOST:
        return None
    return Union(
        tuple([each for child in plan.inputs for each in (child.inputs if isinstance(child, Union) else (child,))])
    )
