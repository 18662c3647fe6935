"""Kernels of lists combined with lists and values. Which items are equal is decided with the keys of groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions import spans
from lazyframe.executors.vectorized.functions.calendar import numbers_of
from lazyframe.executors.vectorized.functions.layout import interval_values
from lazyframe.executors.vectorized.functions.list_items import ListItems, Mask, Numbers, lists_of, masked
from lazyframe.executors.vectorized.functions.subject import of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.executors.vectorized.keys.encode import encode
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

_LONGEST = 1 << 28
"""How many items the ranges of a batch may have together."""


class _Pair:
    """Two columns of lists, with a code for each item that only equal items of one row share."""

    def __init__(self, left: pa.Array, right: pa.Array) -> None:
        self.left, self.right = ListItems(left), ListItems(right)
        self.null = self.left.null | self.right.null
        rows = arrow.array(np.concatenate([self.left.rows, self.right.rows]))
        items = pa.concat_arrays([self.left.items, self.right.items])
        codes = encode([rows, items], len(items)).codes
        self.left_codes, self.right_codes = codes[: self.left.total], codes[self.left.total :]

    def first_of_left(self) -> Mask:
        first = np.zeros(self.left.total, dtype=bool)
        first[np.unique(self.left_codes, return_index=True)[1]] = True
        return first

    def kept(self, keep: Mask) -> pa.Array:
        """The items of the left lists to keep; null where a list is."""
        keep = keep & ~self.null[self.left.rows]
        return lists_of(self.left.count(self.left.rows[keep]), self.left.items.filter(arrow.array(keep)), self.null)


def _has_any(left: pa.Array, right: pa.Array, *, arguments: Arguments) -> pa.Array:
    pair = _Pair(left, right)
    common = np.isin(pair.left_codes, pair.right_codes) & arrow.numpy_of(pair.left.items.is_valid())
    return masked(pair.left.count(pair.left.rows[common]) > 0, pair.null)


def _has_all(left: pa.Array, right: pa.Array, *, arguments: Arguments) -> pa.Array:
    pair = _Pair(left, right)
    missing = ~np.isin(pair.right_codes, pair.left_codes) & arrow.numpy_of(pair.right.items.is_valid())
    return masked(pair.right.count(pair.right.rows[missing]) == 0, pair.null)


def _intersect(left: pa.Array, right: pa.Array, *, arguments: Arguments) -> pa.Array:
    pair = _Pair(left, right)
    valid = arrow.numpy_of(pair.left.items.is_valid())
    return pair.kept(pair.first_of_left() & valid & np.isin(pair.left_codes, pair.right_codes))


def _except(left: pa.Array, right: pa.Array, *, arguments: Arguments) -> pa.Array:
    pair = _Pair(left, right)
    return pair.kept(pair.first_of_left() & ~np.isin(pair.left_codes, pair.right_codes))


def _union(left: pa.Array, right: pa.Array, *, arguments: Arguments) -> pa.Array:
    a, b = ListItems(left), ListItems(right)
    null = a.null | b.null
    rows = np.concatenate([a.rows, b.rows])
    items = pa.concat_arrays([a.items, b.items])
    first = encode([arrow.array(rows), items], len(items)).first
    first = first[~null[rows[first]]]
    order = first[np.argsort(rows[first], kind="stable")]
    return lists_of(np.bincount(rows[first], minlength=len(null)), pc.take(items, arrow.array(order)), null)


def _zip(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    parts = [ListItems(lists) for lists in columns]
    reach = np.minimum if arguments.options.get("truncate", False) else np.maximum
    lengths = reach.reduce([part.lengths for part in parts])
    rows = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(rows)) - (np.cumsum(lengths) - lengths)[rows]
    fields = []
    for part in parts:
        good = places < part.lengths[rows]
        taken = arrow.array(np.where(good, part.starts[rows] + places, 0), mask=~good)
        fields.append(pc.array_take(part.items, taken))
    items = pa.StructArray.from_arrays(fields, fields=list(arguments.result.value_type))
    return lists_of(lengths, items, np.zeros(len(lengths), dtype=bool))


def _equal(found: ListItems, values: pa.Array) -> Mask:
    """For each item whether it is the value of its row; null is null."""
    codes = encode([pa.concat_arrays([found.items, values])], found.total + len(values)).codes
    return codes[: found.total] == codes[found.total :][found.rows]


def _positions(lists: pa.Array, values: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    places = np.flatnonzero(_equal(found, values))
    rows = found.rows[places]
    return lists_of(found.count(rows), arrow.array(places - found.starts[rows] + 1), found.null)


def _remove(lists: pa.Array, values: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    return found.kept(~_equal(found, values))


def _replace(lists: pa.Array, old: pa.Array, new: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    items = pc.if_else(arrow.array(_equal(found, old)), pc.take(new, arrow.array(found.rows)), found.items)
    return lists_of(found.lengths, items, found.null)


def _resize(lists: pa.Array, size: pa.Array, fill: pa.Array | None = None, *, arguments: Arguments) -> pa.Array:
    found = ListItems(lists)
    wanted = arrow.numpy_of(pc.fill_null(size, 0))
    null = found.null | arrow.numpy_of(size.is_null())
    bad = ~null & (wanted < 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise KernelError(f"a list cannot be {wanted[row]} items long", row)
    lengths = np.where(null, 0, wanted)
    _check_total(lengths)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(rows)) - (np.cumsum(lengths) - lengths)[rows]
    inside = within < found.lengths[rows]
    if fill is None:
        items = pc.take(found.items, arrow.array(np.where(inside, found.starts[rows] + within, 0), mask=~inside))
    else:
        places = np.where(inside, found.starts[rows] + within, found.total + rows)
        items = pc.take(pa.concat_arrays([found.items, fill]), arrow.array(places))
    return lists_of(lengths, items, null)


def _select(lists: pa.Array, positions: pa.Array, *, arguments: Arguments) -> pa.Array:
    found, wanted = ListItems(lists), ListItems(positions)
    null = found.null | wanted.null
    keep = ~null[wanted.rows]
    rows = wanted.rows[keep]
    numbers = wanted.items.filter(arrow.array(keep))
    at = arrow.numpy_of(pc.fill_null(numbers, 0))
    there = (at >= 1) & (at <= found.lengths[rows])
    items = pc.take(found.items, arrow.array(np.where(there, found.starts[rows] + at - 1, 0), mask=~there))
    return lists_of(np.where(null, 0, wanted.lengths), items, null)


def _where(lists: pa.Array, masks: pa.Array, *, arguments: Arguments) -> pa.Array:
    found, wanted = ListItems(lists), ListItems(masks)
    null = found.null | wanted.null
    rows = wanted.rows
    within = np.arange(wanted.total) - wanted.starts[rows]
    true = arrow.numpy_of(pc.fill_null(wanted.items, False)) & (within < found.lengths[rows]) & ~null[rows]
    places = found.starts[rows[true]] + within[true]
    return lists_of(wanted.count(rows[true]), pc.take(found.items, arrow.array(places)), null)


def _cut(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    lists, *bounds = columns
    found = ListItems(lists)
    null = found.null.copy()
    for bound in bounds:
        null |= arrow.numpy_of(bound.is_null())
    low, high, *steps = (np.clip(arrow.numpy_of(pc.fill_null(bound, 1)), -(2**31), 2**31) for bound in bounds)
    step = steps[0] if steps else np.ones_like(low)
    if (step[~null] == 0).any():
        raise KernelError("a slice cannot have steps of 0", int(np.argmax(~null & (step == 0))))
    begin, end = (np.where(at < 0, at + found.lengths + 1, at) for at in (low, high))
    back = step < 0
    first = np.maximum(np.where(back, end, begin), 1)
    last = np.minimum(np.where(back, begin, end), found.lengths)
    lengths = np.where(null | (last < first), 0, (last - first) // np.maximum(np.abs(step), 1) + 1)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(rows)) - (np.cumsum(lengths) - lengths)[rows]
    begin = np.where(back, last, first)
    places = found.starts[rows] + begin[rows] - 1 + within * step[rows]
    return lists_of(lengths, pc.take(found.items, arrow.array(places)), null)


def _check_total(lengths: Numbers) -> None:
    too_long = lengths.astype(np.float64).cumsum() > _LONGEST
    if too_long.any():
        raise KernelError(f"lists of more than {_LONGEST} items in a batch", int(np.argmax(too_long)))


def _range(start: pa.Array, stop: pa.Array, step: pa.Array, *, arguments: Arguments) -> pa.Array:
    null = arrow.numpy_of(start.is_null()) | arrow.numpy_of(stop.is_null()) | arrow.numpy_of(step.is_null())
    inclusive = bool(arguments.options.get("inclusive", True))
    if not pa.types.is_integer(start.type):
        return _moments(start, stop, step, null, inclusive=inclusive)
    low, high, size = (arrow.numpy_of(pc.fill_null(column, 0)) for column in (start, stop, step))
    # Steps of 0 lead nowhere; Python's integers cannot overflow.
    counts = [
        0 if skip or not by else max((b - a + (by if inclusive else by - (1 if by > 0 else -1))) // by, 0)
        for a, b, by, skip in zip(low.tolist(), high.tolist(), size.tolist(), null.tolist(), strict=True)
    ]
    lengths = np.minimum(np.array(counts, dtype=object), _LONGEST + 1).astype(np.int64)
    _check_total(lengths)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(rows)) - (np.cumsum(lengths) - lengths)[rows]
    return lists_of(lengths, arrow.array(low[rows] + within * size[rows]), null)


def _moments(start: pa.Array, stop: pa.Array, step: pa.Array, null: Mask, *, inclusive: bool) -> pa.Array:
    """Each moment is the step after the last, so that months clamp as they go on."""
    dtype = start.type
    arguments = Arguments((dtype, step.type), dtype, {})
    parts = interval_values(step)
    forward = (parts["months"] >= 0) & (parts["days"] >= 0) & (parts["nanos"] >= 0)
    backward = (parts["months"] <= 0) & (parts["days"] <= 0) & (parts["nanos"] <= 0)
    mixed = ~null & ~forward & ~backward
    if mixed.any():
        raise KernelError("a range cannot step by an interval of both signs", int(np.argmax(mixed)))
    active = np.flatnonzero(~null & ~(forward & backward))
    end = numbers_of(stop)
    at, steps = pc.take(start, arrow.array(active)), pc.take(step, arrow.array(active))
    rows: list[Numbers] = []
    found: list[pa.Array] = []
    total = 0
    while len(active):
        ticks = numbers_of(at)
        ahead = np.where(forward[active], end[active] - ticks, ticks - end[active])
        going = ahead >= 0 if inclusive else ahead > 0
        kept = arrow.array(going)
        active, at, steps = active[going], at.filter(kept), steps.filter(kept)
        total += len(active)
        if total > _LONGEST:
            raise KernelError(f"lists of more than {_LONGEST} items in a batch")
        if not len(active):
            break
        rows.append(active)
        found.append(at)
        at = spans.add(at, steps, arguments)
    items = pa.concat_arrays(found) if found else arrow.array([], dtype)
    owners = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    order = np.argsort(owners, kind="stable")
    return lists_of(np.bincount(owners, minlength=len(null)), pc.take(items, arrow.array(order)), null)


_RUNS: dict[str, Callable[..., Any]] = {
    "list_has_any": _has_any,
    "list_has_all": _has_all,
    "list_intersect": _intersect,
    "list_union": _union,
    "list_except": _except,
    "list_positions": _positions,
    "list_remove": _remove,
    "list_replace": _replace,
    "list_resize": _resize,
    "list_select": _select,
    "list_where": _where,
    "list_cut": _cut,
    "list_zip": _zip,
    "list_range": _range,
}

KERNELS: dict[str, Kernel] = {name: of_columns(run) for name, run in _RUNS.items()}
