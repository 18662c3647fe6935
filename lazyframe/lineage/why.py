"""The rows of the tables that made a row of a result."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.checks import whole_number
from lazyframe.dataframe import DataFrame
from lazyframe.eager import seen
from lazyframe.lineage.build import identities
from lazyframe.planner.build.projection import filtered
from lazyframe.planner.errors import InvalidArgumentError, column_not_found
from lazyframe.planner.graph import postorder
from lazyframe.planner.lineage.sources import identity_of, source_tables
from lazyframe.planner.nouns import counted
from lazyframe.planner.provenance import Annotated, Mark, SourceRows, Target, annotate
from lazyframe.planner.relations import Distinct, Filter, Join, Plan, RowIndex, Scan
from lazyframe.planner.relations.project import choose, column
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import Call, Literal
from lazyframe.planner.schema import Field, Schema, fresh_name

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


class Provenance(Mapping[str, DataFrame]):
    """The rows of each table that a row was made of: a mapping of the tables' names to frames.

    Args:
        rows: the row or rows that were asked about.
        tables: the source rows, in the order of their tables.
        numbers: their numbers in the tables, counted from 0.
    """

    def __init__(self, rows: DataFrame, tables: Mapping[str, DataFrame], numbers: Mapping[str, list[int]]) -> None:
        self.rows = rows
        self.numbers = dict(numbers)
        self._tables = dict(tables)

    @public
    def __getitem__(self, name: str) -> DataFrame:
        if name not in self._tables:
            raise column_not_found(str(name), self._tables)
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """For each table its rows, as dicts."""
        return {name: frame.to_dicts() for name, frame in self._tables.items()}

    def __repr__(self) -> str:
        parts = [repr(self.rows)]
        for name, frame in self._tables.items():
            parts.append(f"of {name}, {counted(len(frame), 'row')}" + (f":\n{frame!r}" if len(frame) else ""))
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        from html import escape

        parts = [self.rows._repr_html_()]
        parts += [f"<p>of {escape(name)}</p>{frame._repr_html_()}" for name, frame in self._tables.items()]
        return "\n".join(parts)


def why(frame: LazyFrame, row: Any, wanted: Iterable[str] | None, names: Mapping[str, Any]) -> Provenance:
    """The rows that made a row of a frame: see `LazyFrame.why`."""
    known = identities(names)
    written = seen(frame._written)
    plan = _asked(frame, written, row)
    visible = frame.columns if wanted is None else _known(frame, wanted)
    annotated = annotate(choose(plan, visible))
    marks = list(dict.fromkeys([name for mark in annotated.marks for name in mark.names()]))
    table = session.execute(choose(annotated.plan, [*visible, *marks]))
    if table.num_rows == 0:
        raise InvalidArgumentError(
            f"the frame has no row {row!r}", hint="rows are counted from 0; values are compared with ==, null with null"
        )
    found: dict[Hashable, set[int]] = {}
    _follow(annotated, table, found)
    tables, numbers = {}, {}
    readers = _readers(written)
    for identity, source in source_tables(written, known).items():
        numbers[source.name] = sorted(found.get(identity, ()))
        tables[source.name] = _rows(readers[identity], numbers[source.name], source.schema.names)
    return Provenance(DataFrame(table.select(visible)), tables, numbers)


def _known(frame: LazyFrame, wanted: Iterable[str]) -> list[str]:
    """The columns that are wanted, which must be there."""
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in frame.schema:
            raise column_not_found(str(name), frame.columns)
    if not names:
        raise InvalidArgumentError("columns=[] leaves nothing of the row to ask about", hint="name a column, or none")
    return list(dict.fromkeys(names))


def _asked(frame: LazyFrame, plan: Plan, row: Any) -> Plan:
    """The plan that gives the rows that are asked about."""
    from lazyframe.functions import col

    if isinstance(row, Mapping):
        if not row:
            raise InvalidArgumentError(
                "why() wants a row: its number, or some of its values", hint='write {"column": value}'
            )
        _known(frame, row)
        return filtered(plan, [col(name).eq_missing(value)._node for name, value in row.items()])
    number = whole_number("row", row)
    name = fresh_name("number", plan.schema)
    numbered = RowIndex(plan, name)
    return Filter(numbered, Call("equal", (column(numbered.schema, name), Literal(pa.scalar(number)))))


def _follow(root: Annotated, table: pa.Table, found: dict[Hashable, set[int]]) -> None:
    """Gather the numbers of source rows that the marks of some rows lead to."""
    waiting: dict[int, tuple[Target, list[tuple[Mark, pa.Table]]]] = {}
    _read(root, table, found, waiting)
    while waiting:
        # What leads to a part has a higher number than the part: all of it is there.
        target, given = waiting.pop(max(waiting))
        for mark, values in given:
            plan = _chosen(target, mark, values)
            names = list(dict.fromkeys([name for own in target.part.marks for name in own.names()]))
            if names:
                rows = session.execute(Distinct(choose(plan, names), tuple(names)))
                _read(target.part, rows, found, waiting)


def _read(
    part: Annotated,
    table: pa.Table,
    found: dict[Hashable, set[int]],
    waiting: dict[int, tuple[Target, list[tuple[Mark, pa.Table]]]],
) -> None:
    for mark in part.marks:
        there = table.filter(table.column(mark.present).is_valid())
        if there.num_rows == 0:
            continue
        if isinstance(mark.of, SourceRows):
            found.setdefault(mark.of.identity, set()).update(there.column(mark.present).to_pylist())
            continue
        schema = part.plan.schema
        fields = [Field(known, schema[own], True) for known, own in mark.columns]
        values = (
            pa.table([there.column(own) for _, own in mark.columns], schema=Schema(fields).to_arrow())
            if fields
            else there
        )
        waiting.setdefault(mark.of.number, (mark.of, []))[1].append((mark, values))


def _chosen(target: Target, mark: Mark, values: pa.Table) -> Plan:
    """The rows of a part that go with some values."""
    part = target.part.plan
    if not mark.columns:
        return part if target.condition is None else Filter(part, target.condition)
    held = session.memory_scan(values)
    distinct = Distinct(held, tuple(held.schema.names))
    return Join(
        part, distinct, "semi", target.keys, target.given, target.condition, nulls_equal=target.nulls_equal
    )  # fmt: skip


def _readers(plan: Plan) -> dict[Hashable, Plan]:
    """For each table that a plan reads a plan that reads all of it, by identity."""
    found: dict[Hashable, Plan] = {}
    for node in postorder(plan):
        identity = identity_of(node)
        if identity is not None:
            found[identity] = scan(node.source) if isinstance(node, Scan) else node
    return found


def _rows(read: Plan, numbers: list[int], columns: Sequence[str]) -> DataFrame:
    """The rows of those numbers."""
    name = fresh_name("number", read.schema)
    numbered = RowIndex(read, name)
    held = session.memory_scan(pa.table({f"{name}:wanted": pa.array(numbers, pa.int64())}))
    (wanted,) = held.schema.names
    joined = Join(
        numbered, held, "semi", (column(numbered.schema, name),), (column(held.schema, wanted),)
    )  # fmt: skip
    return DataFrame(session.execute(choose(joined, columns)))


__all__ = ["Provenance", "why"]
