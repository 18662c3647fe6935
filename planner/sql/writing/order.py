"""Verbs that speak of the place of rows.

A relation of SQL has no order. Where a sort gives one it is used; elsewhere the place is ROW_NUMBER() OVER (), the order in
which DuckDB reads a table and in which this engine keeps all rows, and other dialects refuse.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lazyframe.planner import arrow
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.relations import HorizontalConcat
from lazyframe.planner.scalars import Call, Case, Column, Literal, Scalar, SortKey, WindowCall, null_of
from lazyframe.planner.sql.writing.select import Joined, Select, reversed_keys
from lazyframe.planner.types import INT64

if TYPE_CHECKING:
    from lazyframe.planner.sql.writing.relations import PlanWriter


def _whole(value: int) -> Scalar:
    return Literal(arrow.scalar(value, INT64))


def _row_number(partition: tuple[Scalar, ...] = (), order: tuple[Scalar, ...] = ()) -> Scalar:
    return WindowCall("row_number", (), partition, order)


def with_row_order(call: Scalar, rows: tuple[Scalar, ...]) -> Scalar:
    """A window function that has no order of its own takes that of the rows, where it depends on one."""
    from lazyframe.planner.graph import replace as changed

    if isinstance(call, WindowCall) and not call.order and rows and call.function in ("row_number", "lag", "lead"):
        return changed(call, order=rows)
    return call


def _ordered(writer: PlanWriter, select: Select) -> Select:
    """A SELECT whose rows have an order, by a column of their places where no sort gives one."""
    if select.order:
        if select.is_cut or select.distinct or select.multiplies or select.has_windows or select.keys is not None:
            return writer.wrapped(select)
        return select
    if writer.strict_order:
        raise UnsupportedError(
            "this depends on the order of the rows, which a relation of SQL does not have",
            hint="sort the rows before, or write for DuckDB, which keeps the order of a table",
        )
    named = {"_place": _row_number()}
    plain = writer.plain(select)
    numbered = writer.wrapped(replace(plain, outputs={**plain.outputs, **named}, label="numbered"))
    key = SortKey(numbered.outputs["_place"])
    kept = {name: scalar for name, scalar in numbered.outputs.items() if name != "_place"}
    return replace(numbered, outputs=kept, order=(key,))


def tail(writer: PlanWriter, select: Select, count: int) -> Select:
    """The last rows: the first ones backwards, and turned around."""
    forward = _ordered(writer, select)
    backward = writer.wrapped(writer.limited(replace(forward, order=reversed_keys(forward.order)), count, 0))
    return replace(backward, order=reversed_keys(backward.order))


def reverse(writer: PlanWriter, select: Select) -> Select:
    forward = _ordered(writer, select)
    return replace(forward, order=reversed_keys(forward.order))


def shift(writer: PlanWriter, select: Select, count: int) -> Select:
    forward = _ordered(writer, select)
    name = "lag" if count >= 0 else "lead"
    moved: dict[str, Scalar] = {
        column: WindowCall(name, (scalar, _whole(abs(count))), (), forward.order)
        for column, scalar in forward.outputs.items()
    }
    return replace(forward, outputs=moved, label="shifted")


def row_index(writer: PlanWriter, select: Select, name: str, start: int) -> Select:
    if select.order or writer.strict_order:
        forward = _ordered(writer, select)
    else:
        forward = writer.plain(select)
    number = _row_number((), forward.order)
    index = Call("add", (number, _whole(start - 1)))
    if start == 1:
        index = number  # type: ignore[assignment]
    return replace(forward, outputs={name: index, **forward.outputs}, label="numbered")


def one_of_each(writer: PlanWriter, select: Select, subset: tuple[str, ...], keep: str) -> Select:
    """One row of those with equal values in some columns: the first, the last, or that which is alone."""
    if keep == "none":
        plain = writer.plain(select)
        partition = tuple([plain.outputs[name] for name in subset])
        chosen: Scalar = WindowCall("len", (), partition, ())
    else:
        plain = _ordered(writer, select)
        partition = tuple([plain.outputs[name] for name in subset])
        chosen = _row_number(partition, plain.order if keep == "first" else reversed_keys(plain.order))
    counted = writer.wrapped(replace(plain, outputs={**plain.outputs, "_chosen": chosen}, label="counted"))
    condition = Call("equal", (counted.outputs["_chosen"], _whole(1)))
    kept = {name: scalar for name, scalar in counted.outputs.items() if name != "_chosen"}
    return replace(counted.with_where(condition), outputs=kept, label="distinct_rows")


def side_by_side(writer: PlanWriter, node: HorizontalConcat, inputs: list[Select]) -> Select:
    """Rows with the same place, side by side."""
    sides = []
    for select in inputs:
        forward = _ordered(writer, select)
        number = _row_number((), forward.order)
        numbered = replace(forward, outputs={**forward.outputs, "_place": number}, order=(), label="numbered")
        sides.append(writer.wrapped(numbered))
    first, *rest = sides
    place: Scalar = first.outputs["_place"]
    joins, origins = list(first.joins), dict(first.origins)
    outputs = {name: scalar for name, scalar in first.outputs.items() if name != "_place"}
    for side in rest:
        assert side.reference is not None
        condition = Call("equal", (place, side.outputs["_place"]))
        joins.append(Joined(side.reference, "full", (condition,)))
        origins.update(side.origins)
        outputs.update({name: scalar for name, scalar in side.outputs.items() if name != "_place"})
        place = Call("coalesce", (place, side.outputs["_place"]))
    nullable: dict[str, Scalar] = {
        name: Column(s.name, s.dtype, True) if isinstance(s, Column) else s for name, s in outputs.items()
    }
    return replace(
        first, joins=tuple(joins), origins=origins, outputs=nullable, order=(SortKey(place),), label="joined"
    )


def never_empty(lists: Scalar) -> Scalar:
    """The lists, where a list without items, or none, is one of a null: UNNEST leaves out what has no items."""
    single = Call("make_list", (null_of(lists.dtype.value_type),))
    has_items = Call("greater", (Call("list_length", (lists,)), _whole(0)))
    return Case((has_items,), (lists,), single)


def ordinals(lists: list[Scalar]) -> Scalar:
    """For each row the numbers from 1 to the length of the longest of its lists."""
    lengths = [Call("coalesce", (Call("list_length", (found,)), _whole(0))) for found in lists]
    longest: Scalar = lengths[0] if len(lengths) == 1 else Call("greatest", tuple(lengths))
    return Call("list_range", (_whole(1), longest, _whole(1)), (("inclusive", True),))
