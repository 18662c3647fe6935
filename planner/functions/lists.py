"""Functions of lists. Positions start at 0, negative ones count from the end, unless a summary says that they are SQL's."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from lazyframe.planner.functions.aggregates import mean_of_decimals
from lazyframe.planner.functions.definition import (
    Function,
    Options,
    Resolver,
    Signature,
    Types,
    all_common,
    by_name,
    fixed,
)
from lazyframe.planner.functions.patterns import not_negative
from lazyframe.planner.types import (
    BOOL,
    FLOAT64,
    INT64,
    NULL,
    STRING,
    UINT64,
    DataType,
    common_type,
    decimal_type,
    is_bool,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_list,
    is_null,
    is_numeric,
    is_orderable,
)


def list_of(item: DataType) -> DataType:
    return pa.list_(pa.field("item", item))


def _of_list(
    result: DataType | Callable[[DataType], DataType | None],
    *rest: DataType,
    test: Callable[[DataType], bool] | None = None,
) -> Resolver:
    """A list, whose item type may have to pass `test`, and arguments of the types `rest`.

    The result is a type, or from the item type to the type (None where it has none).
    """
    others = fixed(rest, NULL)

    def resolve(types: Types, options: Options) -> Signature | None:
        t = list_of(NULL) if is_null(types[0]) else types[0]
        following = others(types[1:], options)
        if not is_list(t) or following is None:
            return None
        item = t.value_type
        if test is not None and not is_null(item) and not test(item):
            return None
        found = result if isinstance(result, pa.DataType) else result(item)
        return None if found is None else Signature((t, *following.arguments), found)

    return resolve


def _item(item: DataType) -> DataType:
    return item


def _same_list(item: DataType) -> DataType:
    return list_of(item)


def _sum(item: DataType) -> DataType | None:
    if is_null(item) or is_bool(item):
        return INT64
    if is_integer(item):
        return UINT64 if item == UINT64 else INT64
    if is_float(item):
        return FLOAT64
    if is_decimal(item):
        return decimal_type(38, item.scale)
    return item if is_duration(item) else None


def _mean(item: DataType) -> DataType | None:
    if is_decimal(item):
        return mean_of_decimals(item)
    return FLOAT64 if is_numeric(item) or is_null(item) or is_bool(item) else None


def _with_value(result: DataType) -> Resolver:
    """A list and a value of its item type."""

    def resolve(types: Types, options: Options) -> Signature | None:
        t, value = types
        t = list_of(NULL) if is_null(t) else t
        if not is_list(t):
            return None
        common = common_type(t.value_type, value)
        return None if common is None else Signature((list_of(common), common), result)

    return resolve


def _make(types: Types, options: Options) -> Signature | None:
    if not types:
        return Signature((), list_of(NULL))
    signature = all_common()(types, options)
    return signature and Signature(signature.arguments, list_of(signature.result))


def _flatten(item: DataType) -> DataType | None:
    return item if is_list(item) else None


def _function(
    name: str, resolver: Resolver, summary: str, *sql: str, arity: int = 1, least: int | None = None, **more: object
) -> Function:
    return Function(name=name, resolver=resolver, arity=(least or arity, arity), sql=sql, summary=summary, **more)  # type: ignore[arg-type]


FUNCTIONS = by_name(
    _function("list_length", _of_list(INT64), "The number of items, nulls among them.", "array_length", "list_length", "cardinality"),
    _function("list_get", _of_list(_item, INT64), "The item at a position; null where there is none.", arity=2, nulls="maybe"),
    _function("list_extract", _of_list(_item, INT64), "SQL's item: positions start at 1; null where there is none.", "list_extract", "list_element", "array_extract", arity=2, nulls="maybe"),
    _function("list_first", _of_list(_item), "The first item; null of an empty list.", nulls="maybe"),
    _function("list_last", _of_list(_item), "The last item; null of an empty list.", nulls="maybe"),
    Function(name="list_contains", resolver=_with_value(BOOL), arity=(2, 2), literals="others", sql=("list_contains", "list_has", "array_contains", "array_has"), summary="Whether an item is equal to the value; false where none is, nulls or not."),
    Function(name="list_find", resolver=_with_value(INT64), arity=(2, 2), nulls="maybe", literals="others", summary="The position of the first item that is equal to the value; null where none is."),
    Function(name="list_position", resolver=_with_value(INT64), arity=(2, 2), nulls="maybe", literals="others", sql=("list_position", "list_indexof", "array_position", "array_indexof"), summary="SQL's position, from 1; null where no item is equal to the value."),
    Function(name="list_count_matches", resolver=_with_value(INT64), arity=(2, 2), literals="others", summary="How many items are equal to the value."),
    _function("list_sum", _of_list(_sum), "The sum of the items that are not null; null where there is none.", "list_sum", nulls="maybe", total=False),
    _function("list_mean", _of_list(_mean), "The mean of the items that are not null; null where there is none.", "list_avg", nulls="maybe", total=False),
    _function("list_min", _of_list(_item, test=is_orderable), "The least item that is not null; null where there is none.", "list_min", nulls="maybe"),
    _function("list_max", _of_list(_item, test=is_orderable), "The greatest item that is not null; NaN is the greatest of floats.", "list_max", nulls="maybe"),
    _function("list_any", _of_list(BOOL, test=is_bool), "Whether an item is true; false where none is, nulls left out.", "list_bool_or"),
    _function("list_all", _of_list(BOOL, test=is_bool), "Whether no item is false, nulls left out.", "list_bool_and"),
    _function("list_n_unique", _of_list(INT64), "How many different items there are, null counting as one."),
    _function("list_sort", _of_list(_same_list, test=is_orderable), "Sorted by the options `descending` and `nulls_first`.", "list_sort", "array_sort"),
    _function("list_grade_up", _of_list(list_of(INT64), test=is_orderable), "SQL's positions of the items in the order that list_sort puts them in, with its options.", "list_grade_up", "array_grade_up", "grade_up"),
    _function("list_reverse", _of_list(_same_list), "The items last first.", "list_reverse", "array_reverse"),
    _function("list_unique", _of_list(_same_list), "Each different item once, in order of first appearance."),
    _function("list_distinct", _of_list(_same_list), "SQL's distinct: each different item once, without nulls.", "list_distinct", "array_distinct"),
    _function("list_drop_nulls", _of_list(_same_list), "The items that are not null."),
    _function("list_slice", _of_list(_same_list, INT64, INT64), "The items from a position on, at most so many.", arity=3, least=2, total=not_negative(2)),
    _function("list_head", _of_list(_same_list, INT64), "The first n items; negative: all but the last -n.", arity=2),
    _function("list_tail", _of_list(_same_list, INT64), "The last n items; negative: all but the first -n.", arity=2),
    _function("list_join", fixed((list_of(STRING), STRING), STRING), "The strings that are not null joined, with the separator between them.", "array_to_string", "list_aggr_join", arity=2),
    Function(name="list_concat", resolver=all_common(test=is_list), arity=(1, None), literals="others", sql=("list_concat", "list_cat", "array_concat", "array_cat"), summary="The items of all lists; null where a list is."),
    _function("list_flatten", _of_list(_flatten, test=is_list), "The items of the lists in a list; null ones have none.", "flatten"),
    Function(name="make_list", resolver=_make, arity=(0, None), nulls="never", literals="others", sql=("list_value", "list_pack", "array"), summary="A list of the arguments."),
)  # fmt: skip
