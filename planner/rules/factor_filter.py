"""What all alternatives of a filter have in common."""

from __future__ import annotations

from functools import reduce

from lazyframe.planner.predicates import links
from lazyframe.planner.relations import Filter, Plan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Call, Scalar, conjunction, conjuncts, is_total, is_volatile


@rule(Filter)
def factor_filter(plan: Filter) -> Plan | None:
    """Filter ((a & p) | (a & q)) x  =>  Filter (a & (p | q)) x.

    Sound: in three-valued logic AND distributes over OR, nulls included. What is factored out can then go to a side of a join,
    or become its key, which a part of an OR cannot. Only where no part can raise or is volatile: in the first form p guards
    what stands behind it, and a is evaluated once for each alternative.

    Not `(a & p) | q`, where a is not in every alternative; `(a & p) | a` is just a.
    """
    parts = conjuncts(plan.predicate)
    found = [_factored(part) for part in parts]
    if all([new is None for new in found]):
        return None
    predicate = conjunction([new or part for part, new in zip(parts, found, strict=True)])
    assert predicate is not None
    return Filter(plan.input, predicate)


def _factored(part: Scalar) -> Scalar | None:
    if not isinstance(part, Call) or part.function != "or" or not is_total(part) or is_volatile(part):
        return None
    alternatives = [conjuncts(each) for each in links(part)]
    first, *others = alternatives
    common = [each for each in dict.fromkeys(first) if all([each in other for other in others])]
    if not common:
        return None
    rest = [conjunction([each for each in parts if each not in common]) for parts in alternatives]
    left = [each for each in rest if each is not None]
    if len(left) < len(rest):
        # One alternative is nothing but what all have in common.
        return conjunction(common)
    return conjunction([*common, reduce(lambda a, b: Call("or", (a, b)), left)])
