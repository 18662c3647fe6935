"""The driver of the rules: it alone walks, asks each rule at each place, and stops when none fires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NoReturn

from lazyframe.planner import invariants
from lazyframe.planner.errors import InvalidArgumentError, did_you_mean
from lazyframe.planner.graph import is_chain, postorder, unified
from lazyframe.planner.relations import Filter, Plan, Project, Scan, Values
from lazyframe.planner.rules import PHASES
from lazyframe.planner.rules.rule import Firing, Phase, Rule
from lazyframe.planner.site import ambient

_FIRINGS_PER_NODE = 200
"""So often may rules fire in a phase for each node of the plan, before we say that they run in a circle."""

_CHEAP_DEPTH = 8


def optimize(
    plan: Plan,
    *,
    disable: Collection[str] = (),
    trace: list[Firing] | None = None,
    check: bool = False,
    since: str = "",
) -> Plan:
    """A plan of the same rows that costs less.

    Args:
        plan: the plan as it was written.
        disable: names of rules that are not to be applied.
        trace: where given, gets every firing in order.
        check: assert after each firing that the schema is the same and the invariants hold.
        since: the phase to begin with, for a plan that has gone through those before.

    Raises:
        InvalidArgumentError: where `disable` names no rule; offers the nearest names.
    """
    phases = PHASES if not disable else _without(PHASES, disable)
    if since:
        phases = phases[[phase.name for phase in phases].index(since) :]
    run = _Run(trace, check)
    plan = run.survey(plan)
    if check:
        invariants.check(plan)
    before: Plan | None = None
    for phase in phases:
        if phase.follows and before is plan:
            continue
        before = plan
        if phase.where is Plan or phase.where in run.types:
            plan = run.whole(plan, phase) if phase.order == "whole" else run.everywhere(plan, phase)
    return plan


AT_RUN_TIME = ("replan_joins",)
"""What can be switched off like a rule, and is decided while a plan runs (`executors/replanning.py`)."""


def rule_names() -> list[str]:
    """The names of all rules, in the order in which they are first applied."""
    return list(dict.fromkeys(rule.name for phase in PHASES for rule in phase.rules))


def _without(phases: tuple[Phase, ...], disable: Collection[str]) -> tuple[Phase, ...]:
    names = [*rule_names(), *AT_RUN_TIME]
    for name in [disable] if isinstance(disable, str) else disable:
        if name not in names:
            raise InvalidArgumentError(f"there is no rule named {name!r}", hint=did_you_mean(name, names))
    return tuple(
        [
            Phase(p.name, tuple([r for r in p.rules if r.name not in disable]), p.order, p.where, p.follows)
            for p in phases
        ]
    )


class _Run:
    """One optimisation of one plan. `types` are those of its nodes.

    `_shared` holds the identities of nodes that several nodes use. They are rewritten once, and stay one node: a rule that
    would take one of them apart for one of its users only (`Rule.over`) is not tried, unless reading it twice costs little
    more than once.
    """

    def __init__(self, trace: list[Firing] | None, check: bool) -> None:
        self._trace = trace
        self._check = check
        self._shared: set[int] = set()
        self.types: set[type[Plan]] = set()
        self._size = 0

    def survey(self, plan: Plan) -> Plan:
        """The plan with equal subplans as one node, of which is noted what is in it."""
        if not is_chain(plan):
            (plan,) = unified([plan])
        self.note(plan)
        return plan

    def note(self, plan: Plan) -> None:
        """Note what is in a plan."""
        order = postorder(plan)
        self._shared.clear()
        seen: set[int] = set()
        for current in order:
            for child in current.children():
                (self._shared if id(child) in seen else seen).add(id(child))
        self.types = set(map(type, order))
        self._size = len(order)

    def whole(self, plan: Plan, phase: Phase) -> Plan:
        before = plan
        previous = ambient.site
        try:
            for rule in phase.rules:
                result = rule.apply(plan)
                if result is not None:
                    self._record(rule, plan, result)
                    plan = result
        finally:
            ambient.site = previous
        if plan is not before:
            # These rules see the whole plan and make one node of one: what was shared still is.
            self.note(plan)
        return plan

    def everywhere(self, root: Plan, phase: Phase) -> Plan:
        if self.types.isdisjoint(phase.roots):
            return root
        top_down = phase.order == "top_down"
        done: dict[int, Plan] = {}
        became: dict[int, Plan] = {}
        tried: set[int] = set()
        fired: list[str] = []
        stack = [root]
        while stack:
            current = stack[-1]
            key = id(current)
            if key in done:
                stack.pop()
                continue
            result = became.get(key)
            if result is not None:
                finished = done.get(id(result))
                if finished is None:
                    stack.append(result)
                else:
                    self._finish(done, current, finished)
                continue
            if top_down and key not in tried:
                tried.add(key)
                result = self._fire(current, phase, fired)
                if result is not None:
                    became[key] = result
                    continue
            children = current.children()
            pending = [child for child in children if id(child) not in done]
            if pending:
                pending.reverse()
                stack.extend(pending)
                continue
            rebuilt = current
            for child in children:
                if done[id(child)] is not child:
                    rebuilt = current.with_children([done[id(each)] for each in children])
                    break
            if rebuilt is not current or key not in tried:
                result = self._fire(rebuilt, phase, fired)
                if result is not None:
                    became[key] = result
                    continue
            self._finish(done, current, rebuilt)
            done[id(rebuilt)] = rebuilt
        return self.survey(done[id(root)]) if fired else root

    def _finish(self, done: dict[int, Plan], current: Plan, finished: Plan) -> None:
        done[id(current)] = finished
        if id(current) in self._shared:
            self._shared.add(id(finished))

    def _fire(self, plan: Plan, phase: Phase, fired: list[str]) -> Plan | None:
        rules = phase.at(plan)
        if not rules:
            return None
        previous = ambient.site
        ambient.site = plan.site
        try:
            for rule in rules:
                if rule.over:
                    below = plan.input  # type: ignore[attr-defined]
                    if id(below) in self._shared and not _is_cheap(below):
                        continue
                result = rule.apply(plan)
                if result is not None:
                    fired.append(rule.name)
                    if self._trace is not None or self._check:
                        self._record(rule, plan, result)
                    if len(fired) > _FIRINGS_PER_NODE * (self._size + 10):
                        _complain(phase, fired)
                    return result
        finally:
            ambient.site = previous
        return None

    def _record(self, rule: Rule, before: Plan, after: Plan) -> None:
        if self._trace is not None:
            self._trace.append(Firing(rule.name, before, after))
        if self._check:
            assert before.schema == after.schema, f"{rule.name} changes the schema\n{before.schema}\nto\n{after.schema}"
            assert before.digest != after.digest, f"{rule.name} fires and changes nothing in\n{before!r}"
            invariants.check(after)


def _complain(phase: Phase, fired: list[str]) -> NoReturn:
    often = ", ".join(f"{name} ({times} times)" for name, times in Counter(fired).most_common(4))
    raise AssertionError(f"the phase {phase.name!r} does not converge: {often}")


def _is_cheap(plan: Plan) -> bool:
    """Whether it is a scan, or filters and projections of one: what streams from a file is not worth keeping."""
    for _ in range(_CHEAP_DEPTH):
        match plan:
            case Scan() | Values():
                return True
            case Filter() | Project():
                plan = plan.input
            case _:
                return False
    return False


__all__ = ["AT_RUN_TIME", "Firing", "Phase", "Rule", "optimize", "rule_names"]
