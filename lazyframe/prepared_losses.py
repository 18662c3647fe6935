"""Losses that run again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyframe.frame import LazyFrame
from lazyframe.gradient_results import Wanted, asked_by, read, value_and_gradients
from lazyframe.planner.gradients.losses import walked
from lazyframe.planner.relations import Plan
from lazyframe.prepared import PreparedQuery


class PreparedLoss:
    """A loss with its gradients that is planned once, and runs with the values that its parameters have at the time.

    Args:
        plan: of the loss.
        wanted: what the gradients are by.
    """

    def __init__(self, plan: Plan, wanted: Sequence[Wanted]) -> None:
        self.plan = plan
        self.wanted = wanted
        self._query = PreparedQuery(LazyFrame(value_and_gradients(walked(plan, asked_by(wanted)), wanted)))

    @property
    def optimized(self) -> Plan:
        """What runs."""
        return self._query._optimized

    def run(self) -> tuple[Any, list[Any]]:
        """The value, and the gradients."""
        return read(self._query.to_arrow(), self.wanted)
