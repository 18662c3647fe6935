"""Functions of maps."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from lazyframe.planner.functions.definition import Function, Options, Resolver, Signature, Types, all_common, by_name
from lazyframe.planner.functions.lists import list_of
from lazyframe.planner.types import (
    BOOL,
    INT64,
    NULL,
    STRING,
    DataType,
    common_type,
    is_list,
    is_map,
    is_null,
    is_struct,
)


def _make(types: Types, options: Options) -> Signature | None:
    keys, values = (list_of(NULL) if is_null(t) else t for t in types)
    if not is_list(keys) or not is_list(values):
        return None
    # Arrow has no map of keys without a type.
    keys = list_of(STRING) if is_null(keys.value_type) else keys
    return Signature((keys, values), pa.map_(keys.value_type, values.value_type))


def _from_entries(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if not is_list(t) or not is_struct(t.value_type) or t.value_type.num_fields != 2:
        return None
    return Signature(types, pa.map_(t.value_type.field(0).type, t.value_type.field(1).type))


def _of_map(result: Callable[[pa.DataType], DataType]) -> Resolver:
    def resolve(types: Types, options: Options) -> Signature | None:
        return Signature(types, result(types[0])) if is_map(types[0]) else None

    return resolve


def _of_key(result: Callable[[pa.DataType], DataType]) -> Resolver:
    """A map and a key."""

    def resolve(types: Types, options: Options) -> Signature | None:
        t, key = types
        if not is_map(t):
            return None
        common = common_type(t.key_type, key)
        if common is None:
            return None
        wanted = pa.map_(common, t.item_type)
        return Signature((wanted, common), result(wanted))

    return resolve


def _entries(t: pa.DataType) -> DataType:
    return list_of(pa.struct([pa.field("key", t.key_type), pa.field("value", t.item_type)]))


FUNCTIONS = by_name(
    Function(name="make_map", resolver=_make, arity=(2, 2), total=False, summary="The map of a list of keys and a list of their values."),
    Function(name="map_from_entries", resolver=_from_entries, arity=(1, 1), total=False, summary="The map of a list of pairs."),
    Function(name="map_keys", resolver=_of_map(lambda t: list_of(t.key_type)), arity=(1, 1), sql=("map_keys",), summary="The keys, in the map's order."),
    Function(name="map_values", resolver=_of_map(lambda t: list_of(t.item_type)), arity=(1, 1), sql=("map_values",), summary="The values, in the map's order."),
    Function(name="map_entries", resolver=_of_map(_entries), arity=(1, 1), sql=("map_entries",), summary="The pairs of a map, as structs of key and value."),
    Function(name="map_length", resolver=_of_map(lambda t: INT64), arity=(1, 1), summary="The number of keys."),
    Function(name="map_get", resolver=_of_key(lambda t: t.item_type), arity=(2, 2), nulls="maybe", literals="others", sql=("map_extract_value",), summary="The value of a key; null where the map does not have it."),
    Function(name="map_extract", resolver=_of_key(lambda t: list_of(t.item_type)), arity=(2, 2), nulls="maybe", sql=("map_extract", "element_at"), summary="The value of a key as a list of one; empty where the map does not have it."),
    Function(name="map_contains", resolver=_of_key(lambda t: BOOL), arity=(2, 2), sql=("map_contains",), summary="Whether the map has the key."),
    Function(name="map_concat", resolver=all_common(test=is_map), arity=(1, None), sql=("map_concat",), summary="The keys of all maps; what stands in several has the last one's value."),
)  # fmt: skip
