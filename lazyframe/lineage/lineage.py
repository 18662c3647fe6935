"""The lineage of a frame: for each column where it comes from, to look at, to compute with and to draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lazyframe.boundary import public
from lazyframe.lineage.lines import Line, lines_of
from lazyframe.planner.errors import column_not_found
from lazyframe.planner.lineage import FILTER, KEY, ORDER, ROLES, VALUE, Found, Origin
from lazyframe.planner.lineage.feeds import Trail

if TYPE_CHECKING:
    from lazyframe.dataframe import DataFrame
    from lazyframe.drawing import Drawing


class ColumnLineage:
    """Where one column of a result comes from. Columns of tables are written `table.column`, fields of structs
    `table.column.field`.
    """

    def __init__(self, name: str, origins: Mapping[Origin, Trail]) -> None:
        self.name = name
        self._origins = origins

    @property
    def value(self) -> list[str]:
        """The columns that its values are computed from."""
        return self._of(VALUE)

    @property
    def filter(self) -> list[str]:
        """The columns of conditions on the rows that it has."""
        return self._of(FILTER)

    @property
    def key(self) -> list[str]:
        """The columns by which rows were joined, grouped, partitioned or compared."""
        return self._of(KEY)

    @property
    def order(self) -> list[str]:
        """The columns by which rows were ordered, where the order shows."""
        return self._of(ORDER)

    def _of(self, role: str) -> list[str]:
        return [f"{table}.{column}" for table, column, own in self._origins if own == role]

    def origins(self) -> list[Origin]:
        """Each column of a table with its role."""
        return list(self._origins)

    def code(self, role: str | None = None, table: str | None = None, column: str | None = None) -> list[Line]:
        """The lines of code on the way from the tables, in about the order in which the values go through them.

        Args:
            role: only on ways in this role.
            table: only on ways from this table.
            column: only on ways from columns of this name.
        """
        wanted = (table, column, role)
        sites = [
            site
            for origin, trail in self._origins.items()
            if all([want is None or want == own for want, own in zip(wanted, origin, strict=True)])
            for site in reversed(trail.sites())
        ]
        return lines_of(sites)

    def to_dict(self) -> dict[str, dict[str, list[str]]]:
        """For each role the columns by table."""
        found: dict[str, dict[str, list[str]]] = {role: {} for role in ROLES}
        for table, column, role in self._origins:
            found[role].setdefault(table, []).append(column)
        return found

    def __repr__(self) -> str:
        parts = [f"{role} {', '.join(self._of(role))}" for role in ROLES if self._of(role)]
        return f"{self.name}: " + ("; ".join(parts) or "of no column")


class Lineage(Mapping[str, ColumnLineage]):
    """Where the columns of a result come from: a mapping of their names, shown as a table."""

    def __init__(self, found: Found) -> None:
        self._columns = {name: ColumnLineage(name, origins) for name, origins in found.columns.items()}
        self.tables = {table.name: table.schema.names for table in found.tables}
        """The columns of each table that is read."""
        self._used, self._unused = found.used, found.unused

    @public
    def __getitem__(self, name: str) -> ColumnLineage:
        if name not in self._columns:
            raise column_not_found(str(name), self._columns)
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def to_dict(self) -> dict[str, dict[str, dict[str, list[str]]]]:
        """For each column and each role the columns by table.

        Example:
            >>> df = lf.from_dict({"x": [1, 2]})
            >>> df.select(y=lf.col("x") * 2).lineage(df=df).to_dict()
            {'y': {'value': {'df': ['x']}, 'filter': {}, 'key': {}, 'order': {}}}
        """
        return {name: column.to_dict() for name, column in self._columns.items()}

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows of `to_frame()`."""
        return [
            {
                "column": name, "role": role, "table": table, "from": source,
                "code": [str(line) for line in column.code(role, table, source)],
            }
            for name, column in self._columns.items()
            for table, source, role in column.origins()
        ]  # fmt: skip

    @public
    def to_frame(self) -> DataFrame:
        """A frame with a row for each column, role and column of a table, and the lines of code on the way."""
        from lazyframe.dataframe import DataFrame

        rows = self.to_dicts()
        names = ("column", "role", "table", "from", "code")
        types = dict.fromkeys(names[:-1], "string")
        return DataFrame({name: [row[name] for row in rows] for name in names}, {**types, "code": "list<string>"})

    def used(self) -> dict[str, list[str]]:
        """The columns of the tables, and the fields of structs, that some column of the result comes from.

        Example:
            >>> df = lf.from_dict({"x": [1, 2], "p": [{"a": 3, "b": 4}, {"a": 5, "b": 6}]})
            >>> found = df.filter(lf.col("p").struct.field("a") > 3).select("x").lineage(df=df)
            >>> found.used(), found.unused()
            ({'df': ['x', 'p.a']}, {'df': ['p.b']})
        """
        return {table: list(names) for table, names in self._used.items()}

    def unused(self) -> dict[str, list[str]]:
        """The columns of the tables that are read, and the fields of structs, which cannot change the result.

        Example:
            >>> df = lf.from_dict({"x": [1, 2], "y": [3, 4]})
            >>> df.filter(lf.col("x") > 1).select("x").lineage(df=df).unused()
            {'df': ['y']}
        """
        return {table: list(names) for table, names in self._unused.items()}

    def common(self) -> list[Origin]:
        """What holds for every column: the filters, keys and orders of its rows."""
        shared = [set(column.origins()) for column in self._columns.values()]
        first = next(iter(self._columns.values()), None)
        if first is None or len(shared) == 1:
            return []
        both = shared[0].intersection(*shared[1:])
        return [origin for origin in first.origins() if origin in both and origin.role != VALUE]

    def drawing(self) -> Drawing:
        """The lineage as a picture: tables with their columns at the left, the result at the right."""
        from lazyframe.drawing import Drawing
        from lazyframe.lineage.picture import picture_of

        return Drawing(picture_of(self))

    def to_svg(self) -> str:
        """The picture as SVG."""
        return self.drawing().to_svg()

    def to_dot(self) -> str:
        """The picture in the language of Graphviz."""
        return self.drawing().to_dot()

    def to_mermaid(self) -> str:
        """The picture as a flowchart of Mermaid."""
        return self.drawing().to_mermaid()

    def save(self, path: str) -> None:
        """Write the picture to a file whose name ends in `.svg`, `.dot` or `.mmd`."""
        self.drawing().save(path)

    def __rich__(self) -> Any:
        from lazyframe.lineage.table import rich_table

        return rich_table(self)

    def __repr__(self) -> str:
        from lazyframe.lineage.table import render

        return render(self)

    def _repr_html_(self) -> str:
        return self.drawing()._repr_html_()


__all__ = ["ColumnLineage", "Lineage"]
