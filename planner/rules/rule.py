"""What a rule is, and a phase of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from lazyframe.planner.relations import Plan

Apply = Callable[[Any], Plan | None]
F = TypeVar("F", bound=Apply)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewriting of one node: pure, and sound wherever it fires.

    Args:
        name: what it does, verb and object.
        roots: the types of node it is tried at.
        over: the types its root's `input` must have, where it takes that input apart. The driver does not try such a rule
            where others use the input too and it is more than a scan: the input would then be computed twice.
        apply: from a node to what replaces it, of the same schema; None where nothing does.
    """

    name: str
    roots: tuple[type[Plan], ...]
    over: tuple[type[Plan], ...]
    apply: Apply


def rule(*roots: type[Plan], over: type[Plan] | tuple[type[Plan], ...] = ()) -> Callable[[Apply], Rule]:
    """Make a function a rule, named after it."""

    def decorate(apply: Apply) -> Rule:
        return Rule(apply.__name__, roots, over if isinstance(over, tuple) else (over,), apply)

    return decorate


class Firing(NamedTuple):
    """A rule that fired: its name, and the subplan at that place before and after."""

    rule: str
    before: Plan
    after: Plan


@dataclass(frozen=True, slots=True)
class Phase:
    """Rules that are applied together until none fires any more.

    Args:
        name: what the phase is for.
        rules: in the order in which they are tried at a node.
        order: `bottom_up`: a node is rewritten over children that are finished, so that a long chain collapses step by
            step. `top_down`: a node is rewritten before its children, so that what moves down gathers on its way. `whole`:
            each rule is applied once, to the root.
        where: a type of node without which there is nothing to do.
        follows: whether there is something to do only where the phase before it changed the plan.
    """

    name: str
    rules: tuple[Rule, ...]
    order: str = "bottom_up"
    where: type[Plan] = Plan
    follows: bool = False
    roots: frozenset[type[Plan]] = field(init=False, compare=False, repr=False)
    _at: dict[tuple[type[Plan], type[Plan]], tuple[Rule, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "roots", frozenset([root for each in self.rules for root in each.roots]))

    def at(self, plan: Plan) -> tuple[Rule, ...]:
        """The rules that may fire at a node, by its type and that of its input."""
        below: Plan = getattr(plan, "input", plan)
        key = type(plan), type(below)
        found = self._at.get(key)
        if found is None:
            found = tuple([r for r in self.rules if key[0] in r.roots and (not r.over or key[1] in r.over)])
            self._at[key] = found
        return found
