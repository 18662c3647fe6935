"""Groups of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lazyframe.arguments import nodes
from lazyframe.boundary import public
from lazyframe.eager import made
from lazyframe.expr import Expr, IntoExpr
from lazyframe.frame import LazyFrame
from lazyframe.functions import len as count_rows
from lazyframe.planner.build.projection import aggregated, bound, check_distinct
from lazyframe.planner.build.windows import within_groups
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.relations import Plan
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.selection import ByName
from lazyframe.planner.types import is_numeric
from lazyframe.planner.unbound import Many


class GroupBy:
    """The rows of a frame in groups of equal keys."""

    __slots__ = ("_keys", "_plan", "_sets")

    def __init__(
        self, plan: Plan, keys: tuple[tuple[str, Scalar], ...], sets: Sequence[Sequence[int]] | None = None
    ) -> None:
        self._plan = plan
        self._keys = keys
        self._sets = sets

    def __repr__(self) -> str:
        return f"GroupBy({', '.join(name for name, _ in self._keys)}): follow it with .agg(...)"

    @public
    def agg(self, *exprs: IntoExpr | Iterable[IntoExpr], **named: IntoExpr) -> LazyFrame:
        """One row a group: its keys, and values computed from its rows.

        Args:
            exprs: expressions with aggregates; one without gives all values of the group as a list. Selectors leave the
                keys out. Window functions look at the rows of the group; those of aggregates, such as
                `lf.col("x").sum().rank()`, at all groups.
            named: expressions under names of their own.

        Example:
            >>> df = lf.from_dict({"k": ["a", "a"], "x": [1, 4]})
            >>> df.group_by("k").agg(spread=lf.col("x").max() - lf.col("x").min()).to_dicts()
            [{'k': 'a', 'spread': 3}]
        """
        return self._aggregated(exprs, named, self._hidden())

    def _hidden(self) -> list[str]:
        """The columns that selections leave out."""
        return [scalar.name for _, scalar in self._keys if isinstance(scalar, Column)]

    def _aggregated(self, exprs: Iterable[Any], named: Mapping[str, Any], hidden: Sequence[str]) -> LazyFrame:
        outputs = bound(self._plan, nodes(exprs, named), hidden)
        check_distinct([name for name, _ in (*self._keys, *outputs)], ())
        plan = self._plan
        if any(scalar.holds_window for _, scalar in outputs):
            if self._sets is not None:
                raise InvalidArgumentError("window functions cannot stand in groupings by several sets of keys")
            plan, scalars = within_groups(plan, [key for _, key in self._keys], [scalar for _, scalar in outputs])
            outputs = [(name, scalar) for (name, _), scalar in zip(outputs, scalars, strict=True)]
        return made(aggregated(plan, self._keys, outputs, self._sets))

    @public
    def len(self, name: str = "len") -> LazyFrame:
        """How many rows each group has."""
        return self.agg(count_rows().alias(name))

    @public
    def count(self, name: str = "count") -> LazyFrame:
        """How many rows each group has."""
        return self.agg(count_rows().alias(name))

    @public
    def sum(self, *columns: str) -> LazyFrame:
        """The sum of columns in each group; of all number columns by default."""
        return self.agg(self._columns(columns).sum())

    @public
    def mean(self, *columns: str) -> LazyFrame:
        """The mean of columns in each group; of all number columns by default."""
        return self.agg(self._columns(columns).mean())

    @public
    def min(self, *columns: str) -> LazyFrame:
        """The least value of columns in each group; of all number columns by default."""
        return self.agg(self._columns(columns).min())

    @public
    def max(self, *columns: str) -> LazyFrame:
        """The greatest value of columns in each group; of all number columns by default."""
        return self.agg(self._columns(columns).max())

    @public
    def median(self, *columns: str) -> LazyFrame:
        """The median of columns in each group; of all number columns by default."""
        return self.agg(self._columns(columns).median())

    @public
    def std(self, *columns: str, ddof: int = 1) -> LazyFrame:
        """The standard deviation of columns in each group; of all number columns by default. For `ddof` see `Expr.std`."""
        return self.agg(self._columns(columns).std(ddof))

    @public
    def var(self, *columns: str, ddof: int = 1) -> LazyFrame:
        """The variance of columns in each group; of all number columns by default. For `ddof` see `Expr.std`."""
        return self.agg(self._columns(columns).var(ddof))

    @public
    def quantile(self, q: float, *columns: str, interpolation: str = "linear") -> LazyFrame:
        """A quantile of columns in each group; of all number columns by default. For the arguments see `Expr.quantile`."""
        return self.agg(self._columns(columns).quantile(q, interpolation))

    @public
    def n_unique(self, *columns: str) -> LazyFrame:
        """How many different values columns have in each group; all columns by default."""
        return self.agg(Expr(Many(ByName(columns or tuple(self._others())))).n_unique())

    @public
    def first(self, *columns: str) -> LazyFrame:
        """The first row of each group; or of some columns."""
        return self.agg(Expr(Many(ByName(columns or tuple(self._others())))).first())

    @public
    def last(self, *columns: str) -> LazyFrame:
        """The last row of each group; or of some columns."""
        return self.agg(Expr(Many(ByName(columns or tuple(self._others())))).last())

    def _others(self) -> list[str]:
        keys = {*[name for name, _ in self._keys], *self._hidden()}
        return [name for name in self._plan.schema.names if name not in keys]

    def _columns(self, columns: tuple[str, ...]) -> Expr:
        numbers = [name for name in self._others() if is_numeric(self._plan.schema[name])]
        return Expr(Many(ByName(columns or tuple(numbers))))
