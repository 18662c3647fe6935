"""Calls of window functions, written at the user's line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lazyframe.boundary import public
from lazyframe.planner.frames import Frame
from lazyframe.planner.unbound import Apply, Choose, Constant, Restricted, Unbound, Windowed

if TYPE_CHECKING:
    from lazyframe.expr import Expr


@public
def windowed(
    function: str, *args: Any, keys: Sequence[Unbound] = (), frame: Frame | None = None, **options: Any
) -> Expr:
    """A call of a window function over all rows in their order, unless an `over()` around it says more.

    Args:
        function: its name.
        args: expressions and constants.
        keys: what it ranks by.
        frame: the rows it looks at.
        options: what else tells what it does.
    """
    from lazyframe.expr import Expr, to_node

    nodes = [to_node(arg) for arg in args]
    where = None
    if nodes and isinstance(nodes[0], Restricted):
        where, nodes[0] = nodes[0].where, nodes[0].arg
    return Expr(Windowed(function, tuple(nodes), tuple(keys), where=where, frame=frame, options=tuple(options.items())))


def where_present(value: Expr, found: Expr) -> Expr:
    """What was found for a value, null where the value is."""
    return _choice(Apply("is_null", (value._node,)), Constant(None), found._node)


def where_enough(value: Expr, found: Expr, frame: Frame, least: int, keys: Sequence[Unbound] = ()) -> Expr:
    """What was found over a frame, null where it holds fewer values than `least` that are not null."""
    if least <= 1:
        return found
    count = windowed("count", value, keys=keys, frame=frame)
    return _choice(Apply("greater_equal", (count._node, Constant(least))), found._node, Constant(None))


@public
def _choice(condition: Unbound, value: Unbound, otherwise: Unbound) -> Expr:
    from lazyframe.expr import Expr

    return Expr(Choose((condition,), (value,), otherwise))
