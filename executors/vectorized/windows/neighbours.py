"""Values of other rows of the partition: lag and lead, values of a frame, and nulls filled from beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.vectorized.aggregates.groups import fixed_width, taken
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.executors.vectorized.windows.frames import Pieces
from lazyframe.executors.vectorized.windows.partitions import Partitions, Places
from lazyframe.executors.vectorized.windows.states import first_place, last_place, nth_place
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc


def is_present(column: pa.Array) -> npt.NDArray[np.bool_]:
    """Where a column is not null; a dictionary may hold null as an entry, which its bitmap does not show."""
    if isinstance(column, pa.DictionaryArray) and column.dictionary.null_count:
        column = pc.dictionary_decode(column)
    return arrow.numpy_of(column.is_valid())


def shifted(
    rows: Partitions, args: Sequence[pa.Array], *, forward: bool, ignore_nulls: bool, dtype: pa.DataType
) -> pa.Array:
    """By place, the value some rows before, or behind with `forward`; a default where there is no such row.

    Args:
        rows: the partitions.
        args: by place: the values, how far away (1), the default (null).
        forward: whether rows are counted towards the end.
        ignore_nulls: whether rows with a null are not counted.
        dtype: the type of the values.
    """
    values, *rest = args
    here = np.arange(rows.count)
    away = np.ones(rows.count, dtype=np.int64)
    unknown = None
    if rest:
        given = decoded(rest[0], pa.int64())
        if given.null_count:
            unknown = arrow.numpy_of(given.is_null())
            given = pc.fill_null(given, 0)
        away = np.clip(fixed_width(given), -rows.count, rows.count)
    away = away if forward else -away
    if ignore_nulls:
        found, outside = _among_present(rows, is_present(values), away)
    else:
        found = here + away
        outside = (found < rows.first) | (found >= rows.stop)
    absent = outside if unknown is None else outside | unknown
    result = taken(values, np.where(absent, -1, found))
    if len(rest) < 2:
        return result
    default = arrow.array(outside if unknown is None else outside & ~unknown)
    return pc.if_else(default, decoded(rest[1], dtype), decoded(result, dtype))


def _among_present(
    rows: Partitions, present: npt.NDArray[np.bool_], away: npt.NDArray[np.int64]
) -> tuple[Places, npt.NDArray[np.bool_]]:
    """The places that many values which are not null away, and where there are none."""
    before = np.append(0, np.cumsum(present))
    places = np.append(np.flatnonzero(present), 0)
    here = np.arange(rows.count)
    number = np.where(away > 0, before.take(here + 1) + away - 1, before.take(here) + away)
    outside = (number < before.take(rows.first)) | (number >= before.take(rows.stop))
    found = places.take(number, mode="clip")
    stays = away == 0
    return np.where(stays, here, found), outside & ~stays


def of_frame(function: str, args: Sequence[pa.Array], pieces: Pieces, options: Mapping[str, Any]) -> pa.Array:
    """By place, the first, last or nth value of its frame, null where it has none."""
    values = args[0]
    places: Places | None = None
    if options.get("ignore_nulls"):
        present = is_present(values)
        places = np.append(np.flatnonzero(present), 0)
        pieces = pieces.among(present)
    if function == "first_value":
        found = first_place(pieces)
    elif function == "last_value":
        found = last_place(pieces)
    else:
        found = _nth(args[1], pieces, from_last=options.get("counted_from") == "last")
    if places is not None:
        found = np.where(found < 0, -1, places.take(found, mode="clip"))
    return taken(values, found)


def _nth(number: pa.Array, pieces: Pieces, *, from_last: bool) -> Places:
    number = decoded(number, pa.int64())
    wanted = fixed_width(pc.fill_null(number, 1))
    if (wanted < 1).any():
        raise KernelError(f"nth_value() counts from 1, not {wanted[np.argmax(wanted < 1)]}")
    found = nth_place(pieces, pieces.sizes - wanted if from_last else wanted - 1)
    return np.where(arrow.numpy_of(number.is_null()), -1, found) if number.null_count else found


def filled(rows: Partitions, values: pa.Array, options: Mapping[str, Any]) -> pa.Array:
    """By place, the value, or where it is null the nearest before or behind that is not."""
    present = is_present(values)
    before = np.append(0, np.cumsum(present))
    places = np.append(np.flatnonzero(present), 0)
    here = np.arange(rows.count)
    if options.get("direction", "forward") == "forward":
        number = before.take(here + 1) - 1
        inside = number >= before.take(rows.first)
    else:
        number = before.take(here)
        inside = number < before.take(rows.stop)
    found = places.take(number, mode="clip")
    if options.get("limit") is not None:
        inside &= np.abs(found - here) <= options["limit"]
    return taken(values, np.where(inside, found, -1))
