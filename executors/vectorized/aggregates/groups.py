"""The rows of a morsel and the groups they belong to, as aggregates see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, reduce

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.compile_from import calls_for_kernels
from lazyframe.executors.threads import available
from lazyframe.executors.vectorized.keys import sort_indices
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

Positions = npt.NDArray[np.intp]


LANES = 8
"""So many sums are added up at a time where all rows are one group: row n belongs to sum n % 8."""


def of_lanes(sums: Iterable[npt.NDArray]) -> npt.NDArray:
    """The sum of such sums."""
    a, b, c, d, e, f, g, h = sums
    # Infinity, or no number, is the sum of floats like any other.
    with np.errstate(all="ignore"):
        return ((a + b) + (c + d)) + ((e + f) + (g + h))


class Groups:
    """Which of `count` groups each row belongs to. A group may have no rows.

    Args:
        codes: the group of each row, from 0; None where all rows are of the one group there is.
        rows: how many rows there are.
        count: how many groups there are.
        places: which of more rows these are, where all are of one group and some were left out.

    Attributes:
        is_all: whether the one group there is has no key.
    """

    def __init__(self, codes: Positions | None, rows: int, count: int, places: Positions | None = None) -> None:
        self.is_all = codes is None
        self._places = places
        self._codes = codes if count != 1 else None
        self.rows = rows
        self.count = count

    @property
    def codes(self) -> Positions:
        return np.zeros(self.rows, dtype=np.intp) if self._codes is None else self._codes

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many rows each group has."""
        if self._codes is None:
            return np.full(self.count, self.rows, dtype=np.int64)
        return np.bincount(self._codes, minlength=self.count).astype(np.int64, copy=False)

    def take(self, rows: Positions) -> Groups:
        """The groups of some of the rows."""
        if self.is_all:
            return Groups(None, len(rows), self.count, rows if self._places is None else self._places.take(rows))
        return Groups(self.codes.take(rows), len(rows), self.count)

    def spread(self, per_group: npt.NDArray) -> npt.NDArray:
        """For each row the value of its group."""
        return per_group if self._codes is None else per_group.take(self._codes)

    def reduce(self, ufunc: np.ufunc, values: npt.NDArray, identity: object) -> npt.NDArray:
        """The values of each group joined in row order by `ufunc`; `identity` for a group without rows."""
        if self._codes is None:
            found = ufunc.reduce(values, initial=identity) if self.rows else identity
            return np.full(self.count, found, dtype=values.dtype)
        result = np.full(self.count, identity, dtype=values.dtype)
        ufunc.at(result, self._codes, values)
        return result

    def sum(self, values: npt.NDArray) -> npt.NDArray:
        """The sum of each group's values: floats one after the other, so that equal input gives equal bits."""
        if values.dtype == np.float64:
            if self._codes is not None:
                return np.bincount(self._codes, values, self.count)
            if self.count == 1 and self.rows:
                # Pairwise, as numpy adds otherwise, is in no order that a kernel or another release would keep. A sum that
                # begins with 0.0 is never -0.0.
                return np.cumsum(values)[-1:] + 0.0
        return self.reduce(np.add, values, values.dtype.type(0))

    def sum_of_rows(self, values: npt.NDArray) -> npt.NDArray:
        """The sum of each group's rows; where there are no keys, each eighth of the rows is added up by itself."""
        if self.is_all and self.rows:
            return of_lanes(np.bincount(np.arange(self.rows) % LANES, values, LANES).reshape(LANES, 1))
        return self.sum(values)

    def sum_in_lanes(self, values: npt.NDArray) -> npt.NDArray:
        """The same, but an eighth is every eighth of the rows that there were before some were left out.

        So rows that follow each other are added to one lane each, whichever of them count.
        """
        if self.is_all and self._places is not None and self.rows:
            return of_lanes(np.bincount(self._places % LANES, values, LANES).reshape(LANES, 1))
        return self.sum_of_rows(values)

    def first_of(self, rows: Positions) -> Positions:
        """Each group's first among some rows, given in increasing order; -1 where it has none."""
        return self._outermost(rows, np.minimum, self.rows)

    def last_of(self, rows: Positions) -> Positions:
        """Each group's last among some rows, given in increasing order; -1 where it has none."""
        return self._outermost(rows, np.maximum, -1)

    def _outermost(self, rows: Positions, ufunc: np.ufunc, none: int) -> Positions:
        if self._codes is None:
            found = -1 if not len(rows) else int(rows[0] if ufunc is np.minimum else rows[-1])
            return np.full(self.count, found, dtype=np.intp)
        result = np.full(self.count, none, dtype=np.intp)
        ufunc.at(result, self._codes.take(rows), rows)
        result[result == none] = -1
        return result


class Rows:
    """Argument columns and the groups of their rows."""

    __slots__ = ("_numbers", "_sorted", "_views", "_words", "columns", "groups")

    def __init__(self, groups: Groups, columns: Sequence[pa.Array]) -> None:
        self.groups = groups
        self.columns = [_without_null_entries(column) for column in columns]
        self._numbers: dict[int, npt.NDArray] = {}
        self._sorted: Positions | None = None
        self._words: npt.NDArray[np.uint64] | None = None
        self._views: dict[tuple[tuple[int, ...], tuple[int, ...]], Rows] = {}

    def view(self, columns: tuple[int, ...], present: tuple[int, ...]) -> Rows:
        """Some of the columns, without the rows in which one of `present` is null."""
        found = self._views.get((columns, present))
        if found is None:
            found = self._views[columns, present] = self._view(columns, present)
        return found

    def _view(self, columns: tuple[int, ...], present: tuple[int, ...]) -> Rows:
        chosen = [self.columns[i] for i in columns]
        holed = [self.columns[i] for i in present if self.columns[i].null_count]
        if not holed:
            same = next((v for (_, p), v in self._views.items() if p == present), self)
            return Rows(same.groups, chosen)
        shared = next((v.groups for (_, p), v in self._views.items() if p == present), None)
        valid = reduce(pc.and_, [column.is_valid() for column in holed])
        if shared is None:
            shared = self.groups.take(np.flatnonzero(arrow.numpy_of(valid)))
        return Rows(shared, [pc.array_filter(column, valid) for column in chosen])

    def take(self, rows: Positions) -> Rows:
        """Some of the rows, in the order given."""
        indices = arrow.array(rows)
        return Rows(self.groups.take(rows), [pc.array_take(column, indices) for column in self.columns])

    def by_value(self) -> Positions:
        """The rows sorted by group, within a group by the first column, equal ones in their order."""
        if self._sorted is None:
            keys = [self.columns[0]] if self.groups.count == 1 else [arrow.array(self.groups.codes), self.columns[0]]
            self._sorted = sort_indices(keys, [False] * len(keys), [False] * len(keys))
        return self._sorted

    def at_places(self, places: Positions) -> tuple[pa.Array, pa.Array] | None:
        """The values of the first column, without nulls, at a place of each group's order, and at the next one.

        Anything where a group has none; None where that is found by sorting.
        """
        column, groups, n = self.columns[0], self.groups, len(self.columns[0])
        if not calls_for_kernels(n) or column.null_count or not _is_plain_number(column.type):
            return None
        from lazyframe.executors.compiled.keys.selection import numbers_of, selected, words_by_group

        if self._words is None:
            self._words = words_by_group(groups.codes, groups.sizes, self.numbers(0), available())
            if self._words is None:
                return None
        empty = groups.sizes == 0
        found = selected(self._words, groups.sizes, places.astype(np.int64), available())
        low, high = (
            arrow.array(numbers_of(words, self.numbers(0).dtype), mask=empty if empty.any() else None).view(column.type)
            for words in found
        )
        return low, high

    def numbers(self, column: int) -> npt.NDArray:
        """A column without nulls as numpy integers or floats."""
        found = self._numbers.get(column)
        if found is None:
            found = self._numbers[column] = fixed_width(self.columns[column])
        return found


def _is_plain_number(dtype: pa.DataType) -> bool:
    """Whether its values are numbers, or stand for such, of 8 to 64 bits."""
    return pa.types.is_primitive(dtype) and not pa.types.is_boolean(dtype) and not pa.types.is_float16(dtype)


def fixed_width(array: pa.Array) -> npt.NDArray:
    """The values of a column of numbers, booleans or instants; what stands at nulls is undefined."""
    kind = array.type
    if pa.types.is_boolean(kind):
        return arrow.numpy_of(pc.fill_null(array, False)).view(np.uint8)
    if pa.types.is_null(kind):
        return np.zeros(len(array), dtype=np.int64)
    letter = "f" if pa.types.is_floating(kind) else "u" if pa.types.is_unsigned_integer(kind) else "i"
    dtype = np.dtype(f"{letter}{kind.bit_width // 8}")
    if len(array) == 0:
        return np.zeros(0, dtype=dtype)
    return np.frombuffer(array.buffers()[1], dtype, count=len(array), offset=array.offset * dtype.itemsize)


def taken(column: pa.Array, rows: Positions) -> pa.Array:
    """The values at some rows, null at -1, not dictionary-encoded any more: few are left of a large dictionary."""
    absent = rows < 0
    indices = arrow.array(rows, mask=absent) if absent.any() else arrow.array(rows)
    found = pc.array_take(column, indices)
    return pc.dictionary_decode(found) if isinstance(found, pa.DictionaryArray) else found


def _without_null_entries(column: pa.Array) -> pa.Array:
    """A dictionary may hold null as an entry, which `null_count` does not see."""
    if isinstance(column, pa.DictionaryArray) and column.dictionary.null_count:
        return pc.dictionary_decode(column)
    return column
