"""Joining with what is nearest in time, or in another order."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.planner.graph import node
from lazyframe.planner.relations.join import nullable
from lazyframe.planner.relations.plan import Plan, check_columns
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Schema
from lazyframe.planner.types import is_nested

STRATEGIES = ("backward", "forward", "nearest")


@node
class AsofJoin(Plan):
    """Each left row with the one right row whose value is the next to its own, among those with equal `by` values.

    The two sides share no column name. `backward` is the last right row whose `right_on` is not greater than `left_on`, in
    the order of its values and then of its rows; `forward` is the first that is not less; `nearest` is the last of those
    whose distance is the least, and of two at one distance the greater. Where `strict`, equal values do not count. What is
    further away than `tolerance` (a duration, for points in time) does not count either, nor do nulls on either side, in
    `by` or `on`. Rows come in the order of the left side; `left` keeps those without a partner, `inner` does not.
    """

    left: Plan
    right: Plan
    left_on: Scalar
    right_on: Scalar
    left_by: tuple[Scalar, ...] = ()
    right_by: tuple[Scalar, ...] = ()
    strategy: str = "backward"
    strict: bool = False
    tolerance: pa.Scalar | None = None
    kind: str = "left"

    def derive_schema(self) -> Schema:
        left, right = self.left.schema, self.right.schema
        assert self.kind in ("left", "inner")
        assert self.strategy in STRATEGIES
        shared = [name for name in right.names if name in left]
        assert not shared, f"both sides have {shared}"
        assert not is_nested(self.left_on.dtype), f"{self.left_on.dtype} has no order to search in"
        pairs = [(self.left_on, self.right_on), *zip(self.left_by, self.right_by, strict=True)]
        for a, b in pairs:
            assert a.dtype == b.dtype, f"values of types {a.dtype} and {b.dtype}"
            check_columns(a, left)
            check_columns(b, right)
        return Schema([*left, *(right if self.kind == "inner" else nullable(right))])
