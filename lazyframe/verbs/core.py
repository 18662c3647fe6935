"""What all verbs rest on: the plan of a frame, and the names of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lazyframe.actions import Actions
from lazyframe.arguments import listed, nodes
from lazyframe.planner.errors import (
    InvalidArgumentError,
    column_not_found,
)
from lazyframe.planner.relations import (
    Plan,
)
from lazyframe.planner.unbound import Ref, Unbound, expand

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


class Core(Actions):
    """A frame as its verbs see it."""

    __slots__ = ()

    def _with(self, plan: Plan) -> LazyFrame:
        """The frame of a plan over this one's."""
        raise AssertionError("a frame makes frames")

    @property
    def _written(self) -> Plan:
        """The plan as it would be if nothing in it had run before."""
        raise AssertionError("a frame knows its query")

    def _names(self, node: Unbound) -> list[str]:
        """The columns that a name or selector means."""
        schema = self._plan.schema
        types = {f.name: f.dtype for f in schema}
        found = []
        for single in expand(node, schema.names, types):
            if not isinstance(single, Ref):
                raise InvalidArgumentError(f"here stands the name of a column, not {single!r}", site=node.site)
            if single.name not in schema:
                raise column_not_found(single.name, schema.names, node.site)
            found.append(single.name)
        return found

    def _all_names(self, columns: Any) -> list[str]:
        """The columns that several names and selectors mean."""
        return [name for node in nodes(listed(columns), {}) for name in self._names(node)]
