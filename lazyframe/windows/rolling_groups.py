"""Windows around each row, as groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lazyframe.arguments import nodes
from lazyframe.boundary import public
from lazyframe.eager import made
from lazyframe.frame import LazyFrame
from lazyframe.planner.build import projection
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.frames import Frame
from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Plan
from lazyframe.planner.unbound import Aggregated, Named, Ordered, Ref, Unbound, Windowed, expand, output_name
from lazyframe.windows.over import placed


class RollingGroups:
    """For each row of a frame, the rows within a distance of it."""

    __slots__ = ("_frame", "_index", "_keys", "_plan")

    def __init__(self, plan: Plan, keys: Sequence[Unbound], index: str, frame: Frame) -> None:
        self._plan = plan
        self._keys = tuple(keys)
        self._index = index
        self._frame = frame

    def __repr__(self) -> str:
        return f"RollingGroups({self._index}): follow it with .agg(...)"

    @public
    def agg(self, *exprs: Any | Iterable[Any], **named: Any) -> LazyFrame:
        """One row for each row: its keys and index, and values computed from the rows of its window.

        Args:
            exprs: expressions with aggregates; one without gives all values of the window as a list.
            named: expressions under names of their own.
        """
        schema = self._plan.schema
        hidden = [key.name for key in self._keys if isinstance(key, Ref)] + [self._index]
        types = {f.name: f.dtype for f in schema}
        singles = [single for node in nodes(exprs, named) for single in expand(node, schema.names, types, hidden)]
        order = (Ordered(Ref(self._index)),)
        outputs = [placed(_gathered(single), self._keys, order, self._frame) for single in singles]
        return made(projection.select(self._plan, [*self._keys, Ref(self._index), *outputs]))


def _gathered(node: Unbound) -> Unbound:
    """An expression with no aggregate in it gives all values of the window."""
    below = postorder(node)
    if any(isinstance(current, Windowed) for current in below):
        raise InvalidArgumentError(
            "a window function cannot stand in the aggregates of rolling()",
            hint="compute it before, in with_columns",
            site=node.site,
        )
    if any(isinstance(current, Aggregated) for current in below):
        return node
    return Named(Aggregated("list", (node,)), output_name(node))
