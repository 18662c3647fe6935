"""What a law is, and how the expressions of a plan are put through one.

A law is tried at every part of an expression, from the leaves up, until none of it changes any more. What is left is marked,
so that it is not tried again as long as it stays the same node, wherever in the plan that goes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lazyframe.planner.graph import _set
from lazyframe.planner.relations import Aggregate, AsofJoin, Filter, Join, Plan, Project, Scan, Sort, TopK, Window
from lazyframe.planner.scalars import Column, Literal, Scalar
from lazyframe.planner.site import ambient

EVALUATES: tuple[type[Plan], ...] = (Filter, Project, Aggregate, Join, AsofJoin, Sort, TopK, Scan, Window)
"""The relations that evaluate expressions."""

_OUTPUTS = (Project, Aggregate, Window)

_bits = iter(range(64))


class Law(NamedTuple):
    """A law.

    Args:
        wants: bits of `Scalar.holds`: an expression that holds none of these is as the law would leave it.
        step: from an expression over parts that the law has nothing to say about to a simpler one of the same value in
            every row, nulls and errors included; None where there is none. May be less nullable.
        bit: marks what is as the law leaves it.
    """

    wants: int
    step: Callable[[Scalar], Scalar | None]
    bit: int


def law(wants: int) -> Callable[[Callable[[Scalar], Scalar | None]], Law]:
    """Make a function a law."""

    def decorate(step: Callable[[Scalar], Scalar | None]) -> Law:
        return Law(wants, step, new_mark())

    return decorate


def new_mark() -> int:
    """A bit for `marked`, that no other law has."""
    return 1 << next(_bits)


def is_marked(scalar: Scalar, bit: int) -> bool:
    """Whether the expression was marked with this bit."""
    return getattr(scalar, "_lawful", 0) & bit != 0


def mark(scalar: Scalar, bit: int) -> Scalar:
    """Note that nothing is left to do for a law."""
    _set(scalar, "_lawful", getattr(scalar, "_lawful", 0) | bit)
    return scalar


def under_law(plan: Plan, law: Law) -> Plan | None:
    """The plan with its expressions put through a law; None where that changes none.

    A column that was nullable must stay so: where what the law gives can no longer be null and is a column of the result,
    the expression stays.
    """
    wants, bit = law.wants, law.bit
    if not plan.holds & wants:
        return None
    scalars = plan.scalars()
    for scalar in scalars:
        if scalar.holds & wants and not is_marked(scalar, bit):
            break
    else:
        return None
    is_output = isinstance(plan, _OUTPUTS)
    lawful = []
    known: dict[int, Scalar] = {}
    for scalar in scalars:
        new = simplified(scalar, law, known)
        lawful.append(scalar if is_output and new.nullable != scalar.nullable else new)
    if all([new is old for new, old in zip(lawful, scalars, strict=True)]):
        return None
    supply = iter(lawful)
    return plan.map_scalars(lambda _: next(supply))


def simplified(root: Scalar, law: Law, known: dict[int, Scalar] | None = None) -> Scalar:
    """The expression as the law leaves it; `root` itself where it says nothing.

    Args:
        root: the expression.
        law: what it is put through.
        known: what has become of parts of other expressions, by their `id`; gets those of this one. With it expressions that
            share parts share what these have become.
    """
    wants, step, bit = law
    values = {} if known is None else known

    def is_done(scalar: Scalar) -> bool:
        return not scalar.holds & wants or isinstance(scalar, (Column, Literal)) or is_marked(scalar, bit)

    if is_done(root):
        return root
    if id(root) in values:
        return values[id(root)]
    stack = [root]
    previous = ambient.site
    try:
        while True:
            current = stack[-1]
            if id(current) in values:
                stack.pop()
                continue
            children = current.children()
            pending = [child for child in children if not is_done(child) and id(child) not in values]
            if pending:
                stack.extend(pending)
                continue
            ambient.site = current.site
            result = current.with_children([values.get(id(child), child) for child in children]) if values else current
            simpler = step(result)
            if simpler is not None and simpler != result:
                # What the step made anew it has not been tried at; the parts it kept are marked.
                result = simplified(simpler, law)
            elif result is not current and result == current:
                result = current
            mark(result, bit)
            values[id(current)] = result
            if current is root:
                return result
    finally:
        ambient.site = previous
