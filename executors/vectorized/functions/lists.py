"""Kernels of functions of lists. Which items are equal, and in which order they come, is decided with the keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions import list_sums
from lazyframe.executors.vectorized.functions.list_items import ListItems, Mask, Numbers, lists_of, masked
from lazyframe.executors.vectorized.functions.subject import column, of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError, Value
from lazyframe.executors.vectorized.keys.encode import encode
from lazyframe.executors.vectorized.keys.order import sort_indices
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc


def _length(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    return pc.list_value_length(lists)


def _numbers(values: pa.Array) -> tuple[Numbers, Mask]:
    return arrow.numpy_of(pc.fill_null(values, 0)), arrow.numpy_of(values.is_null())


def _item(found: ListItems, positions: Numbers, null: Mask) -> pa.Array:
    """Positions from 0, negative ones from the end."""
    positions = np.where(positions < 0, positions + found.lengths, positions)
    return found.at(positions, ~null & (positions >= 0) & (positions < found.lengths))


def _get(lists: pa.Array, index: pa.Array, *, arguments: Arguments) -> pa.Array:
    return _item(ListItems(lists), *_numbers(index))


def _extract(lists: pa.Array, index: pa.Array, *, arguments: Arguments) -> pa.Array:
    positions, null = _numbers(index)
    return _item(ListItems(lists), positions - (positions > 0), null | (positions == 0))


def _end(position: int) -> Kernel:
    def run(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
        rows = len(lists)
        return _item(ListItems(lists), np.full(rows, position), np.zeros(rows, dtype=bool))

    return of_columns(run)


def _equal(found: ListItems, values: pa.Array) -> Mask:
    """For each item whether it is equal to the value of its row."""
    codes = encode([pa.concat_arrays([found.items, values])], found.total + len(values)).codes
    return codes[: found.total] == codes[found.total :][found.rows]


def _matches(answer: Callable[[ListItems, Mask], pa.Array]) -> Kernel:
    """A function of a list and a value: null where either is."""

    def run(lists: pa.Array, values: pa.Array, *, arguments: Arguments) -> pa.Array:
        found = ListItems(lists)
        result = answer(found, _equal(found, values))
        null = found.null | arrow.numpy_of(values.is_null())
        return pc.if_else(arrow.array(null), arrow.scalar(None, result.type), result) if null.any() else result

    return of_columns(run)


def _first_match(found: ListItems, equal: Mask) -> pa.Array:
    places = np.flatnonzero(equal)
    rows, first = np.unique(found.rows[places], return_index=True)
    positions = np.full(len(found.lengths), -1)
    positions[rows] = places[first] - found.starts[rows]
    return masked(positions, positions < 0)


def _contains(found: ListItems, equal: Mask) -> pa.Array:
    return arrow.array(found.count(found.rows[equal]) > 0)


def _count(found: ListItems, equal: Mask) -> pa.Array:
    return arrow.array(found.count(found.rows[equal]))


def _extreme(*, greatest: bool) -> Kernel:
    def run(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
        found = ListItems(lists)
        if found.total == 0:
            return pa.nulls(len(lists), arguments.result)
        order = _order(found, descending=greatest, nulls_first=False)
        return found.at(order[np.minimum(found.starts, found.total - 1)] - found.starts, found.lengths > 0)

    return of_columns(run)


def _order(found: ListItems, *, descending: bool, nulls_first: bool) -> Numbers:
    """The items in order within their lists."""
    return sort_indices([arrow.array(found.rows), found.items], [False, descending], [False, nulls_first])


def _sort(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    options = arguments.options
    descending, nulls_first = bool(options.get("descending", False)), bool(options.get("nulls_first", False))
    order = _order(found, descending=descending, nulls_first=nulls_first)
    return lists_of(found.lengths, pc.array_take(found.items, arrow.array(order)), found.null)


def _grade_up(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    options = arguments.options
    descending, nulls_first = bool(options.get("descending", False)), bool(options.get("nulls_first", False))
    order = _order(found, descending=descending, nulls_first=nulls_first)
    positions = np.asarray(order) - found.starts[found.rows] + 1
    return lists_of(found.lengths, arrow.array(positions, pa.int64()), found.null)


def reversed_lists(lists: pa.Array) -> pa.Array:
    found = ListItems(lists)
    rows = found.rows
    mirrored = 2 * found.starts[rows] + found.lengths[rows] - 1 - np.arange(found.total)
    return lists_of(found.lengths, pc.array_take(found.items, arrow.array(mirrored)), found.null)


def _reverse(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    return reversed_lists(lists)


def _truth(answer: Callable[[ListItems, Mask], Mask]) -> Kernel:
    """Of the items that are not null."""

    def run(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
        found = ListItems(lists)
        return masked(answer(found, arrow.numpy_of(found.items.is_valid())), found.null)

    return of_columns(run)


def _any(found: ListItems, valid: Mask) -> Mask:
    true = arrow.numpy_of(pc.fill_null(found.items, False))
    return found.count(found.rows[true]) > 0


def _all(found: ListItems, valid: Mask) -> Mask:
    false = ~arrow.numpy_of(pc.fill_null(found.items, True))
    return found.count(found.rows[false]) == 0


def _first_of_each(found: ListItems) -> Mask:
    """Which items stand for the first time in their list."""
    first = np.zeros(found.total, dtype=bool)
    first[encode([arrow.array(found.rows), found.items], found.total).first] = True
    return first


def _n_unique(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    return masked(found.count(found.rows[_first_of_each(found)]), found.null)


def _unique(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    return found.kept(_first_of_each(found))


def _distinct(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    return found.kept(_first_of_each(found) & arrow.numpy_of(found.items.is_valid()))


def _drop_nulls(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    return found.kept(arrow.numpy_of(found.items.is_valid()))


_FAR = np.int64(2**40)
"""Further than any list is long, and safe to add."""


def _slice(lists: pa.Array, start: pa.Array, length: pa.Array | None = None, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    low, null = _numbers(start)
    low = np.clip(low, -_FAR, _FAR)
    low = np.where(low < 0, low + found.lengths, low)
    if length is None:
        return found.between(low, found.lengths, found.null | null)
    size, unknown = _numbers(length)
    null = found.null | null | unknown
    bad = ~null & (size < 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise KernelError(f"a slice cannot be {size[row]} items long", row)
    return found.between(low, low + np.minimum(size, _FAR), null)


def _head(lists: pa.Array, n: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    count, null = _numbers(n)
    high = np.where(count < 0, found.lengths + np.maximum(count, -_FAR), count)
    return found.between(np.zeros_like(high), high, found.null | null)


def _tail(lists: pa.Array, n: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    count, null = _numbers(n)
    count = np.clip(count, -_FAR, _FAR)
    return found.between(np.where(count < 0, -count, found.lengths - count), found.lengths, found.null | null)


def _join(lists: pa.Array, separator: pa.Array, *, arguments: Arguments) -> pa.Array:
    return pc.binary_join(_drop_nulls(lists, arguments=arguments), separator)


def _concat(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    parts = [ListItems(lists) for lists in columns]
    null = np.logical_or.reduce([part.null for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    order = np.argsort(rows, kind="stable")
    order = order[~null[rows[order]]]
    items = pc.array_take(pa.concat_arrays([part.items for part in parts]), arrow.array(order))
    return lists_of(np.where(null, 0, sum(part.lengths for part in parts)), items, null)


def _flatten(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    outer = ListItems(lists)
    inner = ListItems(outer.items)
    lengths = np.bincount(outer.rows, weights=inner.lengths, minlength=len(lists)).astype(np.int64)
    return lists_of(lengths, inner.items, outer.null)


def _make(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    if not values:
        return arrow.scalar([], arguments.result)
    constant = all(isinstance(value, pa.Scalar) for value in values)
    length, width = 1 if constant else rows, len(values)
    columns = [column(value, length, t) for value, t in zip(values, arguments.types, strict=True)]
    picked = (np.arange(length)[:, None] + length * np.arange(width)).ravel()
    items = pc.array_take(pa.concat_arrays(columns), arrow.array(picked))
    made = lists_of(np.full(length, width), items, np.zeros(length, dtype=bool))
    return made[0] if constant else made


KERNELS: dict[str, Kernel] = {
    "list_length": of_columns(_length),
    "list_get": of_columns(_get),
    "list_extract": of_columns(_extract),
    "list_first": _end(0),
    "list_last": _end(-1),
    "list_contains": _matches(_contains),
    "list_find": _matches(_first_match),
    "list_position": _matches(lambda found, equal: pc.add(_first_match(found, equal), 1)),
    "list_count_matches": _matches(_count),
    "list_sum": of_columns(list_sums.sums),
    "list_mean": of_columns(list_sums.means),
    "list_min": _extreme(greatest=False),
    "list_max": _extreme(greatest=True),
    "list_any": _truth(_any),
    "list_all": _truth(_all),
    "list_n_unique": of_columns(_n_unique),
    "list_sort": of_columns(_sort),
    "list_grade_up": of_columns(_grade_up),
    "list_reverse": of_columns(_reverse),
    "list_unique": of_columns(_unique),
    "list_distinct": of_columns(_distinct),
    "list_drop_nulls": of_columns(_drop_nulls),
    "list_slice": of_columns(_slice),
    "list_head": of_columns(_head),
    "list_tail": of_columns(_tail),
    "list_join": of_columns(_join),
    "list_concat": of_columns(_concat),
    "list_flatten": of_columns(_flatten),
    "make_list": Kernel(_make),
}
