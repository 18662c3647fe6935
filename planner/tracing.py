"""What the rules did to a plan, as text: step by step, each with the part of the plan that it changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from textwrap import indent

from lazyframe.planner.formatting import format_plan
from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Plan
from lazyframe.planner.rules.rule import Firing


def format_trace(trace: Sequence[Firing]) -> str:
    """The steps in order, behind a line that counts them.

    Of each step only what it changed is shown: what stands above the place and below it stays away, and a plan that is
    the same before and after is a line that ends in `…`.
    """
    if not trace:
        return "No rule changed the plan."
    counts = Counter([firing.rule for firing in trace])
    listed = ", ".join([name if times == 1 else f"{name} ({times} times)" for name, times in counts.items()])
    steps = "step" if len(trace) == 1 else "steps"
    return "\n".join([f"{len(trace)} {steps}: {listed}", *map(_format_step, range(1, len(trace) + 1), trace)])


def _format_step(number: int, firing: Firing) -> str:
    before, after = changed(firing.before, firing.after)
    known = {node.digest for node in postorder(before)} & {node.digest for node in postorder(after)}
    # Where one is a part of the other it is shown in full: it is what was put below, or what is left.
    known -= {before.digest, after.digest}
    old, new = (indent(format_plan(side, known=known), "    ") for side in (before, after))
    return f"\n{number}. {firing.rule}\n  before\n{old}\n  after\n{new}"


def changed(before: Plan, after: Plan) -> tuple[Plan, Plan]:
    """The deepest place below which all that differs stands: a rule that sees the whole plan may change one corner of it."""
    while True:
        pairs = list(zip(before.children(), after.children(), strict=False))
        different = [(old, new) for old, new in pairs if old.digest != new.digest]
        if len(different) != 1 or not _differs_below(before, after):
            return before, after
        ((before, after),) = different


def _differs_below(before: Plan, after: Plan) -> bool:
    """Whether it is the same operation, on other inputs of the same columns."""
    old, new = before.children(), after.children()
    if type(before) is not type(after) or [child.schema for child in old] != [child.schema for child in new]:
        return False
    return before.with_children(list(new)).digest == after.digest
