"""Names made from the names that columns have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyframe.boundary import public
from lazyframe.planner.unbound import Named

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class NameNamespace:
    """What `expr.name` offers: for expressions over several columns, which `alias` cannot name one by one."""

    __slots__ = ("_expr",)

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    def prefix(self, text: str) -> Expr:
        """The column's name with `text` before it.

        Example:
            >>> lf.from_dict({"a": [1], "b": [2]}).select(lf.col("*").name.prefix("x_")).to_dicts()
            [{'x_a': 1, 'x_b': 2}]
        """
        return _expr(self._expr, prefix=text)

    def suffix(self, text: str) -> Expr:
        """The column's name with `text` after it."""
        return _expr(self._expr, suffix=text)


@public
def _expr(expr: Expr, prefix: str = "", suffix: str = "") -> Expr:
    from lazyframe.checks import check_name
    from lazyframe.expr import Expr

    return Expr(Named(expr._node, None, check_name("a prefix", prefix), check_name("a suffix", suffix)))
