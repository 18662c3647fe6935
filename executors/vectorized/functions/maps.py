"""Kernels of functions of maps. A map is a list of its entries; which keys are equal is decided with the keys of groups."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.list_items import ListItems, Mask, Numbers, lists_of, masked
from lazyframe.executors.vectorized.functions.subject import of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.executors.vectorized.keys.encode import encode
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc


def _items(maps: pa.Array) -> ListItems:
    entry = pa.struct([pa.field("key", maps.type.key_type), pa.field("value", maps.type.item_type)])
    return ListItems(maps.cast(pa.list_(pa.field("item", entry))))


def _fields(found: ListItems) -> tuple[pa.Array, pa.Array]:
    keys, values = found.items.flatten()
    return keys, values


def _map_of(lengths: Numbers, keys: pa.Array, values: pa.Array, null: Mask, dtype: pa.DataType) -> pa.Array:
    """Maps of these keys and values, so many in each.

    Raises:
        KernelError: at a key that is null, or stands twice in a map.
    """
    rows = np.repeat(np.arange(len(lengths)), lengths)
    if keys.null_count:
        row = int(rows[np.argmax(arrow.numpy_of(keys.is_null()))])
        raise KernelError("a key of a map cannot be null", row)
    first = encode([arrow.array(rows), keys], len(keys)).first
    if len(first) < len(keys):
        again = int(np.setdiff1d(np.arange(len(keys)), first)[0])
        raise KernelError(f"a map cannot have the key {keys[again].as_py()!r} twice", int(rows[again]))
    entry = pa.StructArray.from_arrays([keys, values], fields=[dtype.key_field, dtype.item_field])
    lists = lists_of(lengths, entry, null)
    return pa.Array.from_buffers(dtype, len(lengths), lists.buffers()[:2], lists.null_count, children=[entry])


def _make(keys: pa.Array, values: pa.Array, *, arguments: Arguments) -> pa.Array:
    k, v = ListItems(keys), ListItems(values)
    null = k.null | v.null
    uneven = ~null & (k.lengths != v.lengths)
    if uneven.any():
        row = int(np.argmax(uneven))
        raise KernelError(f"a map of {k.lengths[row]} keys cannot have {v.lengths[row]} values", row)
    kept_keys, kept_values = (part.items.filter(arrow.array(~null[part.rows])) for part in (k, v))
    return _map_of(np.where(null, 0, k.lengths), kept_keys, kept_values, null, arguments.result)


def _from_entries(entries: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(entries)
    keys, values = _fields(found)
    return _map_of(found.lengths, keys, values, found.null, arguments.result)


def _part(position: int) -> Kernel:
    def run(maps: pa.Array, *, arguments: Arguments) -> pa.Array:
        found = _items(maps)
        return lists_of(found.lengths, _fields(found)[position], found.null)

    return of_columns(run)


def _entries(maps: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = _items(maps)
    return lists_of(found.lengths, found.items, found.null)


def _length(maps: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = _items(maps)
    return masked(found.lengths, found.null)


def _places(found: ListItems, wanted: pa.Array) -> Numbers:
    """Where among all entries the wanted key of each map stands; -1 where it does not."""
    keys = _fields(found)[0]
    rows = np.arange(len(wanted))
    codes = encode(
        [arrow.array(np.concatenate([found.rows, rows])), pa.concat_arrays([keys, wanted])], found.total + len(wanted)
    ).codes
    of_code = np.full(int(codes.max(initial=-1)) + 1, -1)
    of_code[codes[: found.total]] = np.arange(found.total)
    return of_code[codes[found.total :]]


def _get(maps: pa.Array, wanted: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = _items(maps)
    places = _places(found, wanted)
    return pc.take(_fields(found)[1], arrow.array(places, mask=places < 0))


def _extract(maps: pa.Array, wanted: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = _items(maps)
    places = _places(found, wanted)
    there = places >= 0
    return lists_of(there.astype(np.int64), pc.take(_fields(found)[1], arrow.array(places[there])), found.null)


def _contains(maps: pa.Array, wanted: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = _items(maps)
    return masked(_places(found, wanted) >= 0, found.null | arrow.numpy_of(wanted.is_null()))


def _concat(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    parts = [_items(maps) for maps in columns]
    null = np.logical_or.reduce([part.null for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    keys, values = (pa.concat_arrays(column) for column in zip(*[_fields(part) for part in parts], strict=True))
    codes = encode([arrow.array(rows), keys], len(keys))
    last = np.zeros(codes.count, dtype=np.int64)
    # Where a code stands several times, the last assignment stays.
    last[codes.codes] = np.arange(len(keys))
    order = np.argsort(rows[codes.first], kind="stable")
    order = order[~null[rows[codes.first[order]]]]
    lengths = np.bincount(rows[codes.first[order]], minlength=len(null))
    taken = pc.take(keys, arrow.array(codes.first[order])), pc.take(values, arrow.array(last[order]))
    return _map_of(lengths, *taken, null, arguments.result)


KERNELS: dict[str, Kernel] = {
    "make_map": of_columns(_make),
    "map_from_entries": of_columns(_from_entries),
    "map_keys": _part(0),
    "map_values": _part(1),
    "map_entries": of_columns(_entries),
    "map_length": of_columns(_length),
    "map_get": of_columns(_get),
    "map_extract": of_columns(_extract),
    "map_contains": of_columns(_contains),
    "map_concat": of_columns(_concat),
}
