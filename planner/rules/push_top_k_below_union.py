"""The first rows of an order over several tables."""

from __future__ import annotations

from lazyframe.planner.properties import has_at_most
from lazyframe.planner.relations import Plan, TopK, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile, substitute


@rule(TopK, over=Union)
def push_top_k_below_union(plan: TopK) -> Plan | None:
    """TopK c after o by k (Union a b)  =>  TopK c after o by k (Union (TopK c + o by k a) (TopK c + o by k b)).

    Sound: a row that c + o rows of its own input are before is not among the first c + o of all. Rows with equal keys come in
    the order of the inputs, and in each in the order that they had. The outer TopK stays: each input may have that many.

    Not for inputs that have so few rows as it is, nor where a key is volatile.
    """
    union = plan.input
    assert isinstance(union, Union)
    most = plan.count + plan.offset
    if any(map(is_volatile, plan.keys)):
        return None
    children: list[Plan] = []
    for child in union.inputs:
        if has_at_most(child, most):
            children.append(child)
            continue
        columns = {name: column(child.schema, name) for key in plan.keys for name in key.columns}
        children.append(TopK(child, tuple([substitute(key, columns) for key in plan.keys]), most))
    below = union.with_children(children)
    return None if below is union else plan.with_children([below])
