"""What makes its rows of others in a way that cannot be told."""

from __future__ import annotations

from collections.abc import Iterable

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.lineage.feeds import Feeds
from lazyframe.planner.relations import MapBatches, Plan, Project, Recursion, RecursionInput
from lazyframe.planner.scalars import Scalar, is_volatile


def check(node: Plan, fed: Feeds | None) -> None:
    """Refuse what computes its rows anew each time, or nobody knows how.

    Args:
        node: of a plan.
        fed: what of it the result is computed from.

    Raises:
        UnsupportedError: at the line of the node.
    """
    scalars: Iterable[Scalar] = node.scalars()
    if isinstance(node, Project):
        # What is drawn for a column that nobody asks about does not matter.
        used = set() if fed is None else fed.by_column().keys()
        scalars = [scalar for name, scalar in node.exprs if name in used]
    volatile = next((scalar for scalar in scalars if is_volatile(scalar)), None)
    if volatile is not None:
        raise UnsupportedError(
            "why() cannot follow values that are drawn anew each time the query runs",
            hint="collect() the frame with the drawn values first, and ask a query over that",
            site=volatile.site or node.site,
        )
    match node:
        case MapBatches():
            raise UnsupportedError(
                "why() cannot see which rows a Python function of tables made a row of",
                hint="ask the frame before map_batches(); lineage() says which columns it was given",
                site=node.site,
            )
        case Recursion() | RecursionInput():
            raise UnsupportedError(
                "why() cannot follow a recursive query, whose rows are made of rows of its own",
                hint="lineage() says which columns they come from",
                site=node.site,
            )


__all__ = ["check"]
