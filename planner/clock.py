"""`now()` is one instant in all of a query: a plan that runs has a constant for it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.graph import postorder, rewrite
from lazyframe.planner.relations import Plan
from lazyframe.planner.scalars import CLOCK, Call, Literal, Scalar


def at_instant(plans: Sequence[Plan], instant: dt.datetime) -> list[Plan]:
    """The plans with `now()` read off a clock that stands still; the same objects where they do not ask for it.

    Args:
        plans: what is about to run.
        instant: with a time zone.
    """
    if not any(node.holds & CLOCK for plan in plans for node in postorder(plan)):
        return list(plans)
    constant = Literal(arrow.scalar(instant, pa.timestamp("us", "UTC")))

    def read(current: Scalar) -> Scalar:
        return constant if isinstance(current, Call) and current.function == "now" else current

    def fix(node: Plan) -> Plan:
        return node.map_scalars(lambda scalar: rewrite(scalar, read)) if node.holds & CLOCK else node

    return [rewrite(plan, fix) for plan in plans]
