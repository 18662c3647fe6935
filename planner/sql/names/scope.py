"""Scopes: what the names in a query mean at a place of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from lazyframe.planner.errors import (
    AmbiguousColumnError,
    ColumnNotFoundError,
    DuplicateColumnError,
    TableNotFoundError,
    did_you_mean,
)
from lazyframe.planner.scalars import Column, Scalar, substitute
from lazyframe.planner.schema import Schema
from lazyframe.planner.sql.outer import Outer

if TYPE_CHECKING:
    from lazyframe.planner.sql.queries.with_clause import Cte


class Visible(NamedTuple):
    """A column by the name the user knows it by: its value over the relation of its scope."""

    name: str
    value: Scalar


class Table(NamedTuple):
    """What stands in FROM under one name."""

    alias: str
    columns: tuple[Visible, ...]
    qualified: bool = True


class Scope:
    """The tables of one FROM, and the scopes around.

    Args:
        parent: the scope of the query around, whose columns are outer values here.
        ctes: the queries that WITH named.
        outers: where the outer values that are used are noted; the scopes of one FROM share it.
    """

    __slots__ = ("_by_name", "_merged", "ctes", "outers", "parent", "tables")

    def __init__(
        self,
        parent: Scope | None = None,
        ctes: Mapping[str, Cte] | None = None,
        outers: dict[str, Scalar] | None = None,
    ) -> None:
        self.tables: list[Table] = []
        self.parent = parent
        self.ctes: Mapping[str, Cte] = ctes if ctes is not None else parent.ctes if parent is not None else {}
        self._merged: dict[tuple[int, int], Visible] = {}
        """What USING or NATURAL made of columns: by the numbers of the table and of its column."""
        self.outers: dict[str, Scalar] = {} if outers is None else outers
        """The outer values that were used: by name, what they are in the parent scope."""
        self._by_name: dict[str, list[tuple[Table, Visible]]] | None = None

    def add(self, table: Table) -> None:
        self.tables.append(table)
        self._by_name = None

    def beside(self, other: Scope) -> Scope:
        """The scope of this FROM with the tables of another after its own.

        Raises:
            DuplicateColumnError: where two tables have one name.
        """
        for table in other.tables:
            if table.qualified and self.named(table.alias):
                raise DuplicateColumnError(
                    f"two tables in FROM are called {table.alias!r}", hint="give one another name with AS"
                )
        made = Scope(self.parent, self.ctes, self.outers)
        made.tables = [*self.tables, *other.tables]
        count = len(self.tables)
        made._merged = {**self._merged, **{(n + count, p): v for (n, p), v in other._merged.items()}}
        return made

    # Columns.

    def column(self, name: str, *, quoted: bool = False) -> Scalar | None:
        """The value of an unqualified name, here or in a scope around; None where there is none."""
        found = self.own_column(name, quoted=quoted)
        if found is not None:
            return found
        if self.parent is None:
            return None
        return self._outer(self.parent.column(name, quoted=quoted))

    def spelling(self, name: str) -> str:
        """A name as its column has it: written without quotes, it may differ in case."""
        found = {visible.name for _, visible in self._like(name)}
        return found.pop() if len(found) == 1 else name

    def _like(self, name: str) -> list[tuple[Table, Visible]]:
        """The columns of that name, without regard to case."""
        if self._by_name is None:
            self._by_name = {}
            for match in self.star_with_tables():
                self._by_name.setdefault(match[1].name.casefold(), []).append(match)
        return self._by_name.get(name.casefold(), [])

    def column_of(self, alias: str, name: str, *, quoted: bool = False) -> Scalar | None:
        """The value of a qualified name; None where no table is called so, an error where that has no such column."""
        tables = self.named(alias)
        if not tables:
            return None if self.parent is None else self._outer(self.parent.column_of(alias, name, quoted=quoted))
        matches = [(table, visible) for table in tables for visible in _matching(table.columns, name, quoted)]
        if not matches:
            known = [visible.name for table in tables for visible in table.columns]
            raise ColumnNotFoundError(f"{alias!r} has no column {name!r}", hint=did_you_mean(name, known))
        return _only(name, matches)

    def named(self, alias: str) -> list[Table]:
        folded = alias.casefold()
        return [table for table in self.tables if table.qualified and table.alias.casefold() == folded]

    def has_table(self, alias: str) -> bool:
        """Whether a table is called so, here or around."""
        scope: Scope | None = self
        while scope is not None:
            if scope.named(alias):
                return True
            scope = scope.parent
        return False

    def own_column(self, name: str, *, quoted: bool = False) -> Scalar | None:
        """As `column`, in this scope alone."""
        found = self._like(name)
        if quoted or len(found) > 1:
            exact = [match for match in found if match[1].name == name]
            if quoted or (exact and len({match[1].name for match in found}) > 1 and len(exact) == 1):
                found = exact
        return _only(name, found) if found else None

    def pass_on(self, outers: Mapping[str, Scalar], parent: Scope | None) -> None:
        """Take note of outer values of a query that was bound in the scope `parent`, somewhere around this one."""
        if not outers or self is parent:
            return
        between: list[Scope] = []
        scope = self
        while scope.parent is not parent:
            assert scope.parent is not None
            between.append(scope)
            scope = scope.parent
        scope.outers.update(outers)
        for inner in between:
            inner.outers.update({name: Outer(name, v.dtype, v.nullable) for name, v in outers.items()})

    def over(self, schema: Schema) -> Scope:
        """The same names over a relation with the same columns, of which more may be null."""

        def value(visible: Visible) -> Visible:
            nullable = {n: Column(n, schema[n], True) for n in visible.value.columns if schema.field(n).nullable}
            return Visible(visible.name, substitute(visible.value, nullable)) if nullable else visible

        made = Scope(self.parent, self.ctes, self.outers)
        made.tables = [table._replace(columns=tuple([value(v) for v in table.columns])) for table in self.tables]
        again: dict[int, Visible] = {}
        for place, visible in self._merged.items():
            # What is one column stays one.
            made._merged[place] = again.setdefault(id(visible), value(visible))
        return made

    def _outer(self, value: Scalar | None) -> Scalar | None:
        """A value of the parent scope as it is known here."""
        if value is None:
            return None
        if isinstance(value, (Column, Outer)):
            name = value.name
        else:
            # A column that a full join made of two.
            name = "+".join(sorted(value.columns))
        self.outers[name] = value
        return Outer(name, value.dtype, value.nullable)

    # All of them.

    def column_of_side(self, name: str, count: int) -> Scalar | None:
        """The value of an unqualified name among the first `count` tables."""
        side = Scope(self.parent, self.ctes, self.outers)
        side.tables = self.tables[:count]
        return side.own_column(name)

    def merge(self, name: str, value: Scalar) -> None:
        """Make one column of all that an unqualified name means."""
        made = Visible(name, value)
        for number, table in enumerate(self.tables):
            for position, visible in enumerate(table.columns):
                if visible.name.casefold() == name.casefold():
                    self._merged[number, position] = made
        self._by_name = None

    def star(self) -> list[Visible]:
        """The columns of `*`: those merged by USING once, where they first occur."""
        return [visible for _, visible in self.star_with_tables()]

    def star_with_tables(self) -> list[tuple[Table, Visible]]:
        """As `star`, each with the table it is of."""
        if not self._merged:
            return [(table, visible) for table in self.tables for visible in table.columns]
        found: list[tuple[Table, Visible]] = []
        seen: set[int] = set()
        for number, table in enumerate(self.tables):
            for position, visible in enumerate(table.columns):
                merged = self._merged.get((number, position))
                if merged is None:
                    found.append((table, visible))
                elif id(merged) not in seen:
                    seen.add(id(merged))
                    found.append((table, merged))
        return found

    def and_around(self) -> list[Scope]:
        """This scope and those around it, innermost first."""
        found: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            found.append(scope)
            scope = scope.parent
        return found

    def names(self) -> list[str]:
        """Every name that can be written here, for those who mistype one."""
        scope: Scope | None = self
        found: list[str] = []
        while scope is not None:
            found += [visible.name for table in scope.tables for visible in table.columns]
            scope = scope.parent
        return list(dict.fromkeys(found))

    def aliases(self) -> list[str]:
        scope: Scope | None = self
        found: list[str] = []
        while scope is not None:
            found += [table.alias for table in scope.tables if table.qualified]
            scope = scope.parent
        return list(dict.fromkeys(found))


def _matching(columns: Iterable[Visible], name: str, quoted: bool) -> list[Visible]:
    if quoted:
        return [visible for visible in columns if visible.name == name]
    folded = name.casefold()
    found = [visible for visible in columns if visible.name.casefold() == folded]
    exact = [visible for visible in found if visible.name == name]
    return exact if len(exact) == 1 else found


def _only(name: str, found: Sequence[tuple[Table, Visible]]) -> Scalar:
    if len(found) > 1:
        shown = " or ".join(
            [f"{table.alias}.{visible.name}" if table.qualified else visible.name for table, visible in found]
        )
        raise AmbiguousColumnError(f"{name!r} may be {shown}", hint="write the one that is meant with its table")
    return found[0][1].value


def unknown_column(scope: Scope, tree: exp.Column) -> ColumnNotFoundError | TableNotFoundError:
    """The error for a name that means nothing here."""
    if tree.table and not scope.has_table(tree.table):
        hint = did_you_mean(tree.table, scope.aliases())
        return TableNotFoundError(f"no table named {tree.table!r} stands in FROM", hint=hint)
    hint = did_you_mean(tree.name, scope.names())
    if tree.this.args.get("quoted") and not tree.table:
        text = f"for the text write it in single quotes: '{tree.name}'"
        hint = text if hint is None else f"{hint}\n{text}"
    return ColumnNotFoundError(f"no column named {tree.name!r}", hint=hint)


__all__ = ["Scope", "Table", "Visible", "unknown_column"]
