"""Order and number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lazyframe.arguments import listed, nodes
from lazyframe.boundary import public
from lazyframe.checks import check_name, flags, integer, whole_number
from lazyframe.expr import Expr, IntoExpr, order_keys
from lazyframe.planner.bind import bind
from lazyframe.planner.build import projection
from lazyframe.planner.errors import (
    InvalidArgumentError,
)
from lazyframe.planner.relations import (
    Limit,
    Plan,
    Reverse,
    RowIndex,
    Sample,
    Shift,
    Sort,
    Tail,
    TopK,
)
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.unbound import expand
from lazyframe.verbs.core import Core

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


class Rows(Core):
    """The verbs of rows."""

    __slots__ = ()

    @public
    def sort(
        self,
        *keys: IntoExpr | Iterable[IntoExpr],
        descending: bool | Sequence[bool] = False,
        nulls_first: bool | Sequence[bool] = False,
        maintain_order: bool = True,
    ) -> LazyFrame:
        """The rows in the order of the keys. Rows with equal keys keep their order.

        Args:
            keys: expressions, or names of columns; `lf.desc(key)` for one from the greatest down.
            descending: whether the greatest comes first; for all keys or each.
            nulls_first: whether nulls come first instead of last; for all keys or each.
            maintain_order: accepted for those used to it: the sort is always stable.

        Example:
            >>> lf.from_dict({"x": [2, None, 1]}).sort("x", descending=True).to_dicts()
            [{'x': 2}, {'x': 1}, {'x': None}]
        """
        del maintain_order
        bound = self._sort_keys(keys, descending, nulls_first)
        return self._with(Sort(self._plan, bound)) if bound else self._with(self._plan)

    def _sort_keys(self, keys: Any, descending: Any, nulls_first: Any) -> tuple[Scalar, ...]:
        """Sort keys bound to this frame; a selector stands for several."""
        schema = self._plan.schema
        types = {f.name: f.dtype for f in schema}
        written = nodes(keys, {})
        directions = flags("descending", descending, len(written))
        placements = flags("nulls_first", nulls_first, len(written))
        found: list[Scalar] = []
        for node, down, nulls in zip(written, directions, placements, strict=True):
            for single in expand(node, schema.names, types):
                (written_key,) = order_keys([Expr(single)], down, nulls)
                key = bind(written_key, schema)
                projection.refuse_aggregates(key, "sort by")
                found.append(key)
        return tuple(found)

    @public
    def top_k(self, k: int, *, by: Any, nulls_first: bool | Sequence[bool] = False) -> LazyFrame:
        """The `k` rows with the greatest keys, from the greatest down.

        Args:
            k: how many rows.
            by: an expression or a name, or a list of them.
            nulls_first: whether nulls count as the greatest.
        """
        keys = self._sort_keys(listed(by), True, nulls_first)
        return self._with(TopK(self._plan, keys, whole_number("k", k)))

    @public
    def bottom_k(self, k: int, *, by: Any, nulls_first: bool | Sequence[bool] = False) -> LazyFrame:
        """The `k` rows with the least keys, from the least up. For the arguments see `top_k`."""
        keys = self._sort_keys(listed(by), False, nulls_first)
        return self._with(TopK(self._plan, keys, whole_number("k", k)))

    @public
    def head(self, n: int = 5) -> LazyFrame:
        """The first `n` rows.

        Example:
            >>> lf.from_dict({"x": [1, 2, 3]}).head(2).to_dicts()
            [{'x': 1}, {'x': 2}]
        """
        return self._with(Limit(self._plan, whole_number("n", n)))

    @public
    def limit(self, n: int = 5) -> LazyFrame:
        """The first `n` rows: `head` under its other name."""
        return self.head(n)

    @public
    def tail(self, n: int = 5) -> LazyFrame:
        """The last `n` rows."""
        return self._with(Tail(self._plan, whole_number("n", n)))

    @public
    def slice(self, offset: int, length: int | None = None) -> LazyFrame:
        """Some rows.

        Args:
            offset: how many rows are left out before them; counted from the end where negative.
            length: how many rows; all that follow where None.

        Example:
            >>> lf.from_dict({"x": [1, 2, 3]}).slice(-2, 1).to_dicts()
            [{'x': 2}]
        """
        if length is not None:
            whole_number("length", length)
        if integer("offset", offset) < 0:
            return self._with(self._from_end(-offset, length))
        return self._with(Limit(self._plan, length, offset))

    def _from_end(self, back: int, length: int | None) -> Plan:
        last = Tail(self._plan, back)
        if length is None or length >= back:
            return last
        # Counted from the end, so that positions before the first row take nothing.
        return Reverse(Limit(Reverse(last), length, back - length))

    @public
    def reverse(self) -> LazyFrame:
        """The rows from the last to the first."""
        return self._with(Reverse(self._plan))

    @public
    def shift(self, n: int = 1) -> LazyFrame:
        """Every value moved down by `n` rows (up where negative); the rows that open are null.

        Example:
            >>> lf.from_dict({"x": [1, 2]}).shift(1).to_dicts()
            [{'x': None}, {'x': 1}]
        """
        return self._with(Shift(self._plan, integer("n", n)))

    @public
    def with_row_index(self, name: str = "index", offset: int = 0) -> LazyFrame:
        """The rows with their number in a column before the others.

        Args:
            name: of the new column.
            offset: the number of the first row.

        Example:
            >>> lf.from_dict({"x": ["a", "b"]}).with_row_index().to_dicts()
            [{'index': 0, 'x': 'a'}, {'index': 1, 'x': 'b'}]
        """
        hint = "give the numbers another name: with_row_index('row')"
        projection.check_distinct([check_name("a column", name), *self.columns], (), hint)
        if not -(1 << 62) <= integer("offset", offset) <= 1 << 62:
            raise InvalidArgumentError(f"offset {offset} leaves no room to count in int64")
        return self._with(RowIndex(self._plan, name, offset))

    @public
    def sample(
        self,
        n: int | None = None,
        *,
        fraction: float | None = None,
        with_replacement: bool = False,
        seed: int | None = None,
    ) -> LazyFrame:
        """Rows drawn at random, in the order they have.

        Args:
            n: how many.
            fraction: instead: each row with this chance, from 0 to 1.
            with_replacement: whether a row can be drawn more than once.
            seed: the same seed draws the same rows; a new one is made for this frame where None.
        """
        if (n is None) == (fraction is None):
            raise InvalidArgumentError("sample() takes n or fraction, one of them")
        if n is not None:
            whole_number("n", n)
        if fraction is not None and not (0 <= fraction <= 1 or (with_replacement and fraction >= 0)):
            raise InvalidArgumentError(f"fraction lies between 0 and 1, not {fraction!r}")
        if seed is None:
            import secrets

            seed = secrets.randbits(63)
        whole_number("seed", seed)
        return self._with(Sample(self._plan, n, None if fraction is None else float(fraction), seed, with_replacement))
