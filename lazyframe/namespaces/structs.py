"""The methods of structs: `col("x").struct`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class StructNamespace:
    """Methods of structs.

    Args:
        expr: gives structs.
    """

    __slots__ = ("_expr",)

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    def field(self, name: str) -> Expr:
        """A field of the struct; null where the struct is.

        Args:
            name: the field's name.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"p": [{"x": 1}, None]}).select(lf.col("p").struct.field("x").alias("x")).to_dicts()
            [{'x': 1}, {'x': None}]
        """
        return self._expr._apply("struct_field", name=name)
