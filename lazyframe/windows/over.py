"""Where and in which order window functions and aggregates look."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from lazyframe.boundary import public
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.frames import Frame
from lazyframe.planner.functions.definition import lookup_window
from lazyframe.planner.graph import replace, rewrite
from lazyframe.planner.unbound import Aggregated, Unbound, Windowed
from lazyframe.windows.frame import as_frame

if TYPE_CHECKING:
    from lazyframe.expr import Expr, IntoExpr


class Over:
    """Aggregates beside every row."""

    __slots__ = ()

    @public
    def over(
        self,
        partition_by: IntoExpr | Iterable[IntoExpr] = None,
        *more: IntoExpr,
        order_by: Any = None,
        descending: bool | Iterable[bool] = False,
        nulls_first: bool | Iterable[bool] = False,
        frame: Any = None,
    ) -> Expr:
        """The aggregates and window functions in the expression, for each row from the rows around it.

        All rows are kept, in their order. As in SQL, with an order an aggregate takes the rows from the first of the
        partition to the row and its equals, and the whole partition without.

        Args:
            partition_by: a name or expression that is equal in the rows that belong together, or a list of them; without
                any, all rows do.
            more: further ones.
            order_by: names or expressions by which the rows of a partition are ordered; their own order by default.
            descending: whether the greatest come first; for all keys or each.
            nulls_first: whether nulls come first instead of last; for all keys or each.
            frame: which rows an aggregate looks at, such as `("rows", -3, 0)`: see `window_frame`. Functions with a window of
                their own, such as `rolling_sum` and `cum_sum`, keep that.

        Raises:
            InvalidArgumentError: where the expression holds neither an aggregate nor a window function.

        Example:
            >>> df = lf.from_dict({"k": ["a", "b", "a"], "t": [2, 1, 1], "x": [1, 2, 3]})
            >>> df.select(
            ...     "x",
            ...     total=lf.col("x").sum().over("k"),
            ...     so_far=lf.col("x").sum().over("k", order_by="t"),
            ...     away=lf.col("x") - lf.col("x").mean().over("k"),
            ... ).to_dict()
            {'x': [1, 2, 3], 'total': [4, 2, 4], 'so_far': [4, 2, 3], 'away': [-1.0, 0.0, 1.0]}
        """
        from lazyframe.expr import Expr, column_node, order_keys

        first = list(partition_by) if isinstance(partition_by, (list, tuple)) else [partition_by]
        partition = tuple([column_node(part) for part in (*first, *more) if part is not None])
        order = () if order_by is None else tuple(order_keys(order_by, descending, nulls_first))
        return Expr(placed(cast("Expr", self)._node, partition, order, as_frame(frame)))


def placed(node: Unbound, partition: tuple[Unbound, ...], order: tuple[Unbound, ...], frame: Frame | None) -> Unbound:
    """The expression, whose aggregates and window functions go over a window."""
    found_any = framed = False

    def step(current: Unbound) -> Unbound:
        nonlocal found_any, framed
        match current:
            case Aggregated():
                found_any = framed = True
                return Windowed(
                    current.function, current.args, (), partition, order, current.where, frame, current.distinct,
                    current.options, current.order, True,
                )  # fmt: skip
            case Windowed(placed=False):
                found_any = True
                takes_frame = current.frame is None and lookup_window(current.function).framed and not current.keys
                framed |= takes_frame
                # What ranks by a value has its equals as peers, whatever their order, unless it counts rows.
                ordered = order if not current.keys or current.function == "row_number" else ()
                return replace(
                    current,
                    partition=partition,
                    order=ordered,
                    frame=frame if takes_frame else current.frame,
                    placed=True,
                )
        return current

    found = rewrite(node, step)
    if not found_any:
        raise InvalidArgumentError(
            f"over() belongs to an aggregate or a window function, and there is none in {node!r}",
            hint="write .sum().over(...), .rank().over(...) or .shift().over(...)",
        )
    if frame is not None and not framed:
        raise InvalidArgumentError("nothing in the expression looks at a frame", hint="leave the frame out")
    return found
