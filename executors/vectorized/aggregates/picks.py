"""Aggregates that pick one row of a group and give a value of it: first, last, least, greatest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import concat_arrays
from lazyframe.executors.vectorized.aggregates.groups import Groups, Positions, Rows, taken
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Family, Need, Numbering
from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.executors.vectorized.keys import encode, rank_codes
from lazyframe.executors.vectorized.keys.normalise import Bytes, Fixed, Wide, normalise
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType

Choice = Callable[[Groups, Sequence[pa.Array]], Positions]
"""From groups and columns to the row chosen for each group, -1 where it has none."""


def _first(groups: Groups, columns: Sequence[pa.Array]) -> Positions:
    return groups.first_of(np.arange(groups.rows))


def _last(groups: Groups, columns: Sequence[pa.Array]) -> Positions:
    return groups.last_of(np.arange(groups.rows))


def _least(groups: Groups, columns: Sequence[pa.Array]) -> Positions:
    return extreme_values(groups, columns[-1], greatest=False)


def _greatest(groups: Groups, columns: Sequence[pa.Array]) -> Positions:
    return extreme_values(groups, columns[-1], greatest=True)


_CHOICES: dict[str, Choice] = {"first": _first, "last": _last, "min": _least, "max": _greatest}


def extreme_rows(groups: Groups, words: npt.NDArray[np.integer], *, greatest: bool) -> Positions:
    """The first row of each group in which the word is least or greatest, -1 for a group without rows."""
    bounds = np.iinfo(words.dtype)
    ufunc, identity = (np.maximum, bounds.min) if greatest else (np.minimum, bounds.max)
    best = groups.reduce(ufunc, words, identity)
    return groups.first_of(np.flatnonzero(words == groups.spread(best)))


def extreme_values(groups: Groups, column: pa.Array, *, greatest: bool) -> Positions:
    """The first row of each group in which a column without nulls is least or greatest, -1 for a group without rows."""
    if isinstance(column, pa.DictionaryArray):
        ranks = rank_codes([column.dictionary], [False], [False])
        return extreme_rows(groups, ranks.take(arrow.numpy_of(column.indices)), greatest=greatest)
    match normalise(column):
        case Fixed(values, _):
            return extreme_rows(groups, values, greatest=greatest)
        case Wide() as form:
            low, fits = form.narrow()
            if fits.all():
                return extreme_rows(groups, low, greatest=greatest)
        case Bytes(rows, _):
            return _extreme_bytes(groups, column, rows.word(0).byteswap(), greatest=greatest)
        case _:
            pass
    return extreme_rows(groups, rank_codes([column], [False], [False]), greatest=greatest)


def _extreme_bytes(groups: Groups, column: pa.Array, prefixes: npt.NDArray[np.uint64], *, greatest: bool) -> Positions:
    """Of strings only those are sorted whose first bytes are the least, or greatest, of their group."""
    ufunc, identity = (np.maximum, 0) if greatest else (np.minimum, np.iinfo(np.uint64).max)
    best = groups.reduce(ufunc, prefixes, identity)
    rows = np.flatnonzero(prefixes == groups.spread(best))
    strings = pc.take(column, arrow.array(rows))
    different = encode([strings], len(rows))
    ranks = rank_codes([pc.take(strings, arrow.array(different.first))], [False], [False]).take(different.codes)
    chosen = extreme_rows(groups.take(rows), ranks, greatest=greatest)
    return np.where(chosen < 0, -1, rows.take(chosen, mode="clip")) if len(rows) else chosen


class Picked(NamedTuple):
    """The row picked for each group: whether there is one, and its values."""

    present: npt.NDArray[np.bool_]
    columns: list[pa.Array]


@dataclass(frozen=True)
class Pick:
    """One row of each group.

    Args:
        choice: which: the `first`, the `last`, or the first with the `min` or `max` of the last column.
        types: the types of the columns kept.
    """

    choice: str
    types: tuple[DataType, ...]

    def start(self, rows: Rows) -> Picked:
        return self._pick(rows.groups, rows.columns)

    def merge(self, states: Sequence[Any], into: Numbering) -> Picked:
        groups = into.groups
        present = np.concatenate([picked.present for picked in states])
        columns = [concat_arrays([picked.columns[i] for picked in states], dtype) for i, dtype in enumerate(self.types)]
        if present.all():
            return self._pick(groups, columns)
        kept = Rows(groups, columns).take(np.flatnonzero(present))
        return self._pick(kept.groups, kept.columns)

    def _pick(self, groups: Groups, columns: Sequence[pa.Array]) -> Picked:
        chosen = _CHOICES[self.choice](groups, columns)
        return Picked(chosen >= 0, [taken(column, chosen) for column in columns])


def _value(states: Sequence[Any]) -> pa.Array:
    return states[0].columns[0]


def extreme(choice: str) -> Family:
    """The least or greatest value; of booleans, whether all or any are true."""

    def family(arguments: Arguments) -> Aggregate:
        return Aggregate((Need(Pick(choice, arguments.types), (0,), (0,)),), _value)

    return family


def value_by(choice: str) -> Family:
    """The first argument in the row where the second, never null, is least or greatest."""

    def family(arguments: Arguments) -> Aggregate:
        present = (0, 1) if arguments.options.get("ignore_nulls") else (1,)
        return Aggregate((Need(Pick(choice, arguments.types), (0, 1), present),), _value)

    return family


def end(choice: str) -> Family:
    """The first or last value, null or not unless `ignore_nulls`."""

    def family(arguments: Arguments) -> Aggregate:
        present = (0,) if arguments.options.get("ignore_nulls") else ()
        return Aggregate((Need(Pick(choice, arguments.types), (0,), present),), _value)

    return family
