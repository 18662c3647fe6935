"""Groups beside their rows."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.scalars import Scalar


def matched(left: Plan, left_keys: Sequence[Scalar], right: Plan, right_keys: Sequence[Scalar]) -> Plan:
    """Each left row with the right row of the same keys, where null is null; with the one right row where there are no keys."""
    if not left_keys:
        return Join(left, right, "cross")
    return Join(left, right, "inner", tuple(left_keys), tuple(right_keys), nulls_equal=True)
