"""What a statement asks of the session: tables by name, files, and, rarely, rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from lazyframe.planner.relations import Plan


class Catalog(Protocol):
    """Where the names of a statement lead."""

    def table(self, parts: tuple[str, ...], *, quoted: bool) -> Plan | None:
        """The table, view, frame or file of that name; None where there is none."""
        ...

    def names(self) -> list[str]:
        """The names there are, for those who mistype one."""
        ...

    def table_function(self, name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Plan | None:
        """The rows that a function such as read_csv('...') gives; None where there is no such function."""
        ...

    def table_functions(self) -> tuple[str, ...]:
        """The names of such functions."""
        ...

    def rows(self, plan: Plan) -> pa.Table:
        """The rows of a plan, computed now: a PIVOT without a list of values needs to know them."""
        ...


__all__ = ["Catalog"]
