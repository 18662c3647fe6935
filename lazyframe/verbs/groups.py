"""Groups of rows, and duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lazyframe.arguments import nodes
from lazyframe.boundary import public
from lazyframe.checks import check_choice
from lazyframe.expr import IntoExpr
from lazyframe.planner.build import projection
from lazyframe.planner.relations import (
    Distinct,
)
from lazyframe.verbs.core import Core

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame
    from lazyframe.group_by import GroupBy


class Groups(Core):
    """The verbs of groups."""

    __slots__ = ()

    @public
    def group_by(self, *keys: IntoExpr | Iterable[IntoExpr], maintain_order: bool = True, **named: IntoExpr) -> GroupBy:
        """The rows in groups of equal keys: follow it with `agg`.

        Args:
            keys: expressions, or names of columns.
            maintain_order: accepted for those used to it: the order is always kept.
            named: expressions under names of their own.

        Returns:
            The groups. Their results come in order of first appearance.

        Example:
            >>> df = lf.from_dict({"k": ["a", "b", "a"], "x": [1, 2, 3]})
            >>> df.group_by("k").agg(lf.col("x").sum(), n=lf.len()).to_dicts()
            [{'k': 'a', 'x': 4, 'n': 2}, {'k': 'b', 'x': 2, 'n': 1}]
        """
        del maintain_order
        return self._group(keys, named, None)

    @public
    def rollup(self, *keys: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> GroupBy:
        """Groups by all keys, then by all but the last, down to all rows; keys left out are null."""
        from lazyframe.planner.build.grouping_sets import rollup_sets

        return self._group(keys, named, rollup_sets)

    @public
    def cube(self, *keys: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> GroupBy:
        """Groups by every subset of the keys; keys left out are null."""
        from lazyframe.planner.build.grouping_sets import cube_sets

        return self._group(keys, named, cube_sets)

    @public
    def grouping_sets(self, *sets: Sequence[str]) -> GroupBy:
        """Groups by each of some sets of columns; those left out are null.

        Args:
            sets: lists of names of columns.

        Example:
            >>> df = lf.from_dict({"a": [1, 1], "b": [1, 2], "x": [3, 4]})
            >>> df.grouping_sets(["a"], []).agg(lf.col("x").sum()).to_dicts()
            [{'a': 1, 'x': 7}, {'a': None, 'x': 7}]
        """
        chosen = [[name] if isinstance(name, str) else list(name) for name in sets]
        names = list(dict.fromkeys(name for each in chosen for name in each))
        return self._group(names, {}, lambda count: [tuple(names.index(name) for name in each) for each in chosen])

    def _group(self, keys: Any, named: Any, sets_of: Callable[[int], Sequence[Sequence[int]]] | None) -> GroupBy:
        from lazyframe.group_by import GroupBy

        bound = projection.bound(self._plan, nodes(keys, named))
        projection.check_distinct([name for name, _ in bound], ())
        for _, key in bound:
            projection.refuse_aggregates(key, "group by")
        return GroupBy(self._plan, tuple(bound), None if sets_of is None else sets_of(len(bound)))

    @public
    def unique(self, subset: Any = None, *, keep: str = "first", maintain_order: bool = True) -> LazyFrame:
        """One row for each different tuple of values, in the order of the rows.

        Args:
            subset: names of the columns to look at; all by default.
            keep: which row: `"first"`, `"last"`, `"any"`, or `"none"` for only those that occur once.
            maintain_order: accepted for those used to it: the order is always kept.
        """
        del maintain_order
        check_choice("keep", keep, ("first", "last", "any", "none"))
        names = self.columns if subset is None else self._all_names(subset)
        return self._with(Distinct(self._plan, tuple(names), "first" if keep == "any" else keep))

    @public
    def value_counts(
        self, *columns: IntoExpr | Iterable[IntoExpr], name: str = "count", sort: bool = True
    ) -> LazyFrame:
        """How often each value occurs.

        Args:
            columns: whose values, together; all by default.
            name: of the column of counts.
            sort: whether the most frequent come first.

        Example:
            >>> lf.from_dict({"x": ["a", "b", "b"]}).value_counts().to_dicts()
            [{'x': 'b', 'count': 2}, {'x': 'a', 'count': 1}]
        """
        from lazyframe.functions import len as count_rows

        groups = self.group_by(*(columns or self.columns))
        taken = [key for key, _ in groups._keys]
        projection.check_distinct([*taken, name], (), f"give the counts another name: name='{name}_2'")
        counted = groups.agg(count_rows().alias(name))
        return counted.sort(name, descending=True) if sort else counted
