"""Rows that become several: lists and columns laid out one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.bind import call
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.gradients.segments import Builder, Segment, beside
from lazyframe.planner.graph import replace
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Explode, Unpivot
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Call, Case, Cast, Scalar, cast, null_of
from lazyframe.planner.types import INT64, STRING, is_list


def unpivoted(builder: Builder, current: Unpivot, inner: Segment) -> Segment:
    """A row for each column: the rows with a number for each, which says of which column the value is."""
    number = builder.fresh("number")
    rows = Explode(beside(inner.rows, [(number, _numbers(len(current.on)))]), (number,), keep_empty=False)
    place = column(rows.schema, number)
    name = _by_number(place, [literal(each, STRING) for each in current.on])
    value = _by_number(place, [inner.values[each] for each in current.on])
    values = {
        **{each: inner.values[each] for each in current.index},
        current.variable_name: name,
        current.value_name: value,
    }
    kept = rows if current.keep_nulls else filtered(rows, [Call("is_not_null", (value,))])
    return Segment(kept, values, inner.inlets)


def exploded(builder: Builder, current: Explode, inner: Segment) -> Segment:
    """A row for each item. Of a list that is made of what moves, the items are numbered, and the number says which one it is."""
    names = {name: builder.fresh(name) for name in current.columns}
    items: dict[str, Sequence[Scalar]] = {}
    lists: list[tuple[str, Scalar]] = []
    for name, new in names.items():
        value = inner.values[name]
        if builder.moves(value, inner):
            items[name] = _items(value, name, current)
            value = _numbers(len(items[name]))
        lists.append((new, value))
    ordinality = current.ordinality and builder.fresh(current.ordinality)
    rows = replace(
        current, input=beside(inner.rows, lists), columns=tuple([name for name, _ in lists]), ordinality=ordinality
    )
    values: dict[str, Scalar] = {}
    for name, value in inner.values.items():
        if name not in names:
            values[name] = value
            continue
        found = column(rows.schema, names[name])
        values[name] = _by_number(found, items[name], or_null=True) if name in items else found
    if current.ordinality is not None and ordinality is not None:
        values[current.ordinality] = column(rows.schema, ordinality)
    return Segment(rows, values, inner.inlets)


def _items(value: Scalar, name: str, current: Explode) -> Sequence[Scalar]:
    dtype = value.dtype
    while isinstance(value, Cast) and is_list(value.arg.dtype):
        value = value.arg
    if not isinstance(value, Call) or value.function != "make_list":
        raise UnsupportedError(
            f"the gradient cannot pass here: which items the list {name!r} has is not known before it runs",
            hint="explode it before a parameter is used with its items; unpivot() lays columns out one below the other",
            site=current.site,
        )
    return [cast(item, dtype.value_type) for item in value.args]


def _numbers(count: int) -> Scalar:
    return call("make_list", *[literal(number, INT64) for number in range(count)])


def _by_number(number: Scalar, values: Sequence[Scalar], *, or_null: bool = False) -> Scalar:
    """The value of that number."""
    if not values:
        raise AssertionError("a list of what moves has items")
    otherwise = null_of(values[0].dtype) if or_null else values[-1]
    known = values if or_null else values[:-1]
    if not known:
        return otherwise
    conditions = [call("equal", number, literal(each, INT64)) for each in range(len(known))]
    return Case(tuple(conditions), tuple(known), otherwise)
