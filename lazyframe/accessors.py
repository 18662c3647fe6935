"""The functions of one type, each behind its namespace: `col("name").str.upper()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from lazyframe.expr import Expr
    from lazyframe.namespaces import (
        BinaryNamespace,
        DateNamespace,
        ListNamespace,
        StringNamespace,
        StructNamespace,
    )
    from lazyframe.naming import NameNamespace


class Accessors:
    """The namespaces of an expression."""

    __slots__ = ()

    @property
    def name(self) -> NameNamespace:
        """Names made from the names that columns have: `.name.prefix(...)`, `.name.suffix(...)`."""
        from lazyframe.naming import NameNamespace

        return NameNamespace(cast("Expr", self))

    @property
    def str(self) -> StringNamespace:
        """Functions of strings."""
        from lazyframe.namespaces import StringNamespace

        return StringNamespace(cast("Expr", self))

    @property
    def dt(self) -> DateNamespace:
        """Functions of dates, times and durations."""
        from lazyframe.namespaces import DateNamespace

        return DateNamespace(cast("Expr", self))

    @property
    def list(self) -> ListNamespace:
        """Functions of lists."""
        from lazyframe.namespaces import ListNamespace

        return ListNamespace(cast("Expr", self))

    @property
    def struct(self) -> StructNamespace:
        """Functions of structs."""
        from lazyframe.namespaces import StructNamespace

        return StructNamespace(cast("Expr", self))

    @property
    def bin(self) -> BinaryNamespace:
        """Functions of bytes."""
        from lazyframe.namespaces import BinaryNamespace

        return BinaryNamespace(cast("Expr", self))
