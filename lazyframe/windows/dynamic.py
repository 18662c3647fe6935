"""Groups of rows by windows of time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lazyframe.boundary import public
from lazyframe.eager import made
from lazyframe.frame import LazyFrame
from lazyframe.group_by import GroupBy
from lazyframe.planner.relations import Plan, Project, Sort
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Column, Scalar, SortKey
from lazyframe.planner.schema import fresh_name


class DynamicGroupBy(GroupBy):
    """The rows of a frame in windows of time."""

    __slots__ = ("_index", "_start")

    def __init__(self, plan: Plan, keys: tuple[tuple[str, Scalar], ...], start: Column, index: str) -> None:
        super().__init__(plan, keys)
        self._start = start
        self._index = index

    def _hidden(self) -> list[str]:
        return [*super()._hidden(), self._index, self._start.name]

    @public
    def agg(self, *exprs: Any | Iterable[Any], **named: Any) -> LazyFrame:
        """One row a window in which rows lie, and group: its keys, and values computed from its rows.

        Args:
            exprs: expressions with aggregates, as `GroupBy.agg` takes them.
            named: expressions under names of their own.
        """
        name = fresh_name(self._start.name, [key for key, _ in self._keys])
        groups = GroupBy(self._plan, (*self._keys, (name, self._start)))
        groups_hidden = self._hidden()
        found = groups._aggregated(exprs, named, groups_hidden)._plan
        ordered = Sort(found, (SortKey(column(found.schema, name)),))
        wanted = [f.name for f in found.schema if f.name != name]
        return made(Project(ordered, tuple([(n, column(found.schema, n)) for n in wanted])))
