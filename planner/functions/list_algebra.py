"""Lists combined with lists and values: as sets, by position, and ranges. Positions are SQL's, from 1."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.planner.functions.definition import Function, Options, Resolver, Signature, Types, all_common, by_name
from lazyframe.planner.functions.lists import list_of
from lazyframe.planner.types import (
    BOOL,
    DATE,
    INT64,
    INTERVAL,
    NULL,
    DataType,
    common_type,
    is_integer,
    is_list,
    is_null,
    is_timestamp,
)


def _with_values(*rest: DataType | None, gives_positions: bool = False) -> Resolver:
    """A list, and arguments of the types `rest`, where None stands for the type of its items."""

    def resolve(types: Types, options: Options) -> Signature | None:
        t, *others = types
        t = list_of(NULL) if is_null(t) else t
        if not is_list(t):
            return None
        item: DataType | None = t.value_type
        for other, wanted in zip(others, rest, strict=False):
            if wanted is None:
                item = item and common_type(item, other)
            elif not is_null(other) and common_type(other, wanted) != wanted:
                return None
        if item is None:
            return None
        arguments = [item if wanted is None else wanted for wanted in rest[: len(others)]]
        return Signature((list_of(item), *arguments), list_of(INT64) if gives_positions else list_of(item))

    return resolve


def _lists(result: DataType | None = None) -> Resolver:
    """Lists of one common type; a null without a type is a list of nulls."""
    common = all_common(result, is_list)
    return lambda types, options: common(tuple([list_of(NULL) if is_null(t) else t for t in types]), options)


def _range(types: Types, options: Options) -> Signature | None:
    start, stop, step = types
    if all(is_integer(t) or is_null(t) for t in types):
        return Signature((INT64,) * 3, list_of(INT64))
    moments = [t for t in (start, stop) if t == DATE or is_timestamp(t)]
    if not moments or step != INTERVAL:
        return None
    common = moments[0] if len(moments) == 1 else common_type(*moments)
    if common is None or not all(t in moments or is_null(t) for t in (start, stop)):
        return None
    return Signature((common, common, INTERVAL), list_of(common))


def _zip(types: Types, options: Options) -> Signature | None:
    lists = tuple([list_of(NULL) if is_null(t) else t for t in types])
    if not all(is_list(t) for t in lists):
        return None
    fields = [pa.field(f"c{place}", t.value_type) for place, t in enumerate(lists)]
    return Signature(lists, list_of(pa.struct(fields)))


FUNCTIONS = by_name(
    Function(name="list_zip", resolver=_zip, arity=(1, None), nulls="never", sql=("list_zip", "array_zip"), summary="Structs of the items at the same positions, with nulls where a list has ended; with the option `truncate` only as far as all lists reach. No list counts as an empty one."),
    Function(name="list_has_any", resolver=_lists(BOOL), arity=(2, 2), literals="others", sql=("list_has_any", "array_has_any", "array_overlap", "arrays_overlap"), summary="Whether the lists have an item in common that is not null."),
    Function(name="list_has_all", resolver=_lists(BOOL), arity=(2, 2), literals="others", sql=("list_has_all", "array_has_all"), summary="Whether the first list has all items of the second that are not null."),
    Function(name="list_intersect", resolver=_lists(), arity=(2, 2), literals="others", sql=("list_intersect", "array_intersect"), summary="Each different item of the first list that is in the second too, without nulls."),
    Function(name="list_union", resolver=_lists(), arity=(2, 2), literals="others", sql=("list_union", "array_union"), summary="Each different item of the two lists once."),
    Function(name="list_except", resolver=_lists(), arity=(2, 2), literals="others", sql=("list_except", "array_except"), summary="Each different item of the first list that is not in the second."),
    Function(name="list_positions", resolver=_with_values(None, gives_positions=True), arity=(2, 2), nulls="maybe", literals="others", sql=("list_positions", "array_positions"), summary="The positions of all items equal to the value, which may be null."),
    Function(name="list_remove", resolver=_with_values(None), arity=(2, 2), nulls="maybe", literals="others", sql=("list_remove", "array_remove"), summary="Without the items equal to the value, which may be null."),
    Function(name="list_replace", resolver=_with_values(None, None), arity=(3, 3), nulls="maybe", literals="others", sql=("list_replace", "array_replace"), summary="With the items equal to the first value, which may be null, replaced by the second."),
    Function(name="list_resize", resolver=_with_values(INT64, None), arity=(2, 3), nulls="maybe", total=False, sql=("list_resize", "array_resize"), summary="Cut, or filled with a value or nulls, to a number of items."),
    Function(name="list_select", resolver=_with_values(list_of(INT64)), arity=(2, 2), sql=("list_select", "array_select"), summary="The items at the positions of the second list; null where there is none."),
    Function(name="list_where", resolver=_with_values(list_of(BOOL)), arity=(2, 2), sql=("list_where", "array_where"), summary="The items at whose place in the second list stands true."),
    Function(name="list_cut", resolver=_with_values(INT64, INT64, INT64), arity=(3, 4), total=False, summary="SQL's slice: the items from one position up to and with another, each so many after the last; negative ones count from the end."),
    Function(name="list_range", resolver=_range, arity=(3, 3), total=False, summary="The values from the first on, each a step after the last, up to the second; with the option `inclusive` off, not with it."),
)  # fmt: skip
