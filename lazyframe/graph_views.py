"""What a query's graph tells before it runs: its picture, where its columns come from, and which rows made a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from lazyframe.boundary import public
from lazyframe.planner.held import restored
from lazyframe.planner.relations import Plan

if TYPE_CHECKING:
    from lazyframe.drawing import Drawing
    from lazyframe.frame import LazyFrame
    from lazyframe.lineage import Lineage
    from lazyframe.lineage.why import Provenance


class GraphViews:
    """The views of a frame's graph."""

    __slots__ = ()

    _plan: Plan

    @public
    def show_graph(self, *, optimized: bool = False, backward: bool | None = None) -> Drawing:
        """The graph of the query as a picture, in which rows flow down. Nothing runs.

        Args:
            optimized: whether to draw what will run, rather than what was written.
            backward: whether to draw, beside the graph of a loss, the way of its gradient up to the parameters, with their
                values and `grad` as they are now; by default, where the frame is a loss that moves with a parameter. With
                `optimized`, whether to draw the plan that computes the gradients as well: by default not.

        Returns:
            A drawing, which notebooks show; it has `save()`, `to_svg()`, `to_dot()` and `to_mermaid()`.

        Raises:
            InvalidArgumentError: with `backward=True`, where the frame is no loss or moves with no parameter.

        Example:
            >>> df = lf.from_dict({"x": [1, 2, 3]})
            >>> print(df.filter(lf.col("x") > 1).show_graph().to_mermaid())
            flowchart TB
                n0["Scan<br/>in memory #91;x#93;"]:::source
                n1["Filter<br/>x #62; 1"]:::rows
                n0 --> n1
                classDef source fill:#e3f1e3,stroke:#4b8b4b
                classDef rows fill:#fdf0dc,stroke:#b9822b
        """
        from lazyframe import session
        from lazyframe.drawing import Drawing
        from lazyframe.drawing.losses import is_loss, picture_of_loss
        from lazyframe.drawing.plans import picture_of

        plan = restored(self._plan)
        if optimized:
            if backward:
                from lazyframe.walks_back import plan_with_gradients

                plan = plan_with_gradients(self)
            return Drawing(picture_of(session.planned(plan)))
        if backward is None:
            backward = is_loss(plan)
        return Drawing(picture_of_loss(plan) if backward else picture_of(plan))

    @public
    def lineage(self, **names: Any) -> Lineage:
        """Where each column comes from: the columns of the tables that are read, by role. Nothing runs.

        A role is how a column is used first on its way up: as part of a `value`; as a `filter`, in a condition that decides
        which rows there are; as a `key`, in an equality of two relations, in a group, a partition, DISTINCT or a set
        operation; as an `order`. A column that is in none of the roles cannot change the result.

        Args:
            names: frames that are read, by what they are to be called. Others are called after their files, or `frame_1`,
                `frame_2` and so on, as by `sql_tables()`.

        Returns:
            A table to look at, with `to_dict()`, `to_frame()`, `to_svg()`, `to_dot()` and `to_mermaid()`.

        Raises:
            InvalidArgumentError: for a name of something that is no table as it is read.

        Example:
            >>> shop = lf.from_dict({"city": ["Rome", "Oslo"], "price": [2.0, 3.0], "open": [True, False]})
            >>> totals = shop.filter(lf.col("open")).group_by("city").agg(total=lf.col("price").sum())
            >>> found = totals.lineage(shop=shop)
            >>> found["total"].value, found["total"].filter, found["total"].key
            (['shop.price'], ['shop.open'], ['shop.city'])
        """
        from lazyframe.lineage.build import lineage_of

        return lineage_of(restored(self._plan), names)

    @public
    def why(
        self, row: int | Mapping[str, Any] = 0, *, columns: Iterable[str] | None = None, **names: Any
    ) -> Provenance:
        """The rows of the tables that a row of the result was made of. The query runs, once for each level of groups.

        Those are: the rows that were joined; all rows of a group, and of those that DISTINCT or a set operation made one;
        the partners of EXISTS, IN and semi joins; the rows of a subquery; for a window function in the result, the rows
        of its frame, or the one that its value is of. They are not: rows that lost against it, by ORDER BY and LIMIT, by a
        condition on a rank, by EXCEPT or in an anti join.

        Args:
            row: its number, counted from 0, or values of some of its columns: then all rows that have them are meant.
            columns: what of the row is meant; all columns by default.
            names: frames that are read, by what they are to be called, as for `lineage()`.

        Returns:
            A mapping of the tables' names to frames of their rows; `numbers` are those of the rows in their tables.

        Raises:
            InvalidArgumentError: where there is no such row.
            UnsupportedError: where it cannot be told: below a Python function of tables, for recursive queries and for random
                values.

        Example:
            >>> shop = lf.from_dict({"city": ["Rome", "Oslo", "Rome"], "price": [2.0, 3.0, 4.0]})
            >>> totals = shop.group_by("city").agg(total=lf.col("price").sum())
            >>> totals.why({"city": "Rome"}, shop=shop)["shop"].to_dicts()
            [{'city': 'Rome', 'price': 2.0}, {'city': 'Rome', 'price': 4.0}]
            >>> totals.why(1, shop=shop).numbers
            {'shop': [1]}
        """
        from lazyframe.lineage.why import why

        return why(cast("LazyFrame", self), row, columns, names)
