"""Aggregates over windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import concat_arrays
from lazyframe.executors.vectorized.aggregates import Aggregate, Groups, Rows, implementation
from lazyframe.executors.vectorized.aggregates.collected import Collected
from lazyframe.executors.vectorized.aggregates.sketch import Sketch
from lazyframe.executors.vectorized.keys import encode
from lazyframe.executors.vectorized.operators.runs import runs
from lazyframe.executors.vectorized.windows.frames import Pieces
from lazyframe.executors.vectorized.windows.neighbours import is_present
from lazyframe.executors.vectorized.windows.order_statistics import different, quantiles
from lazyframe.executors.vectorized.windows.states import framed
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.graph import replace
from lazyframe.planner.scalars import AggregateCall, WindowCall

_FEW_ROWS = 24
"""Frames that hold no more rows on average are faster written out."""


def aggregate_of(call: WindowCall) -> AggregateCall:
    """The aggregate that a window call computes of the rows of a frame."""
    return AggregateCall(call.function, call.args, call.where, call.argument_order, call.distinct, call.options)


def of_partitions(call: WindowCall, codes: npt.NDArray[np.intp], count: int, columns: list[pa.Array]) -> pa.Array:
    """The aggregate of each partition.

    Args:
        call: the aggregate.
        codes: the partition of each row, in the order in which the aggregate takes them.
        count: how many partitions there are.
        columns: of the same rows, its arguments and the keys of its own order.
    """
    return implementation(aggregate_of(call)).of_all(Rows(Groups(codes, len(codes), count), columns))


def of_frames(
    call: WindowCall, columns: list[pa.Array], codes: npt.NDArray[np.intp], pieces: Pieces, check: Callable[[], None]
) -> pa.Array:
    """The aggregate of each frame, by place.

    Args:
        call: the aggregate.
        columns: its arguments and the keys of its own order, by place.
        codes: the partition of each place.
        pieces: the frames.
        check: raises where the query shall stop.
    """
    is_one_run = len(pieces.runs) == 1
    is_wide = pieces.is_running or int(pieces.sizes.sum()) > _FEW_ROWS * len(codes)
    if call.function == "n_unique" and is_one_run and is_wide:
        return different(columns, codes, pieces)
    if call.function == "count" and call.distinct and is_one_run and is_wide:
        kept = _present(columns[: len(call.args)])
        return different(_filtered(columns[: len(call.args)], kept), codes.compress(kept), pieces.among(kept))
    if call.distinct and pieces.is_running and not call.argument_order:
        # In a frame that begins with the partition a value counts where it first appears.
        new = np.zeros(len(codes), dtype=np.bool_)
        new[encode([arrow.array(codes), *columns], len(codes)).first] = True
        plain = replace(call, distinct=False)
        return of_frames(plain, _filtered(columns, new), codes.compress(new), pieces.among(new), check)
    if call.function in ("median", "quantile") and not call.distinct and is_wide:
        kept = _present(columns[:1])
        (values,) = _filtered(columns[:1], kept)
        return quantiles(call, values, pieces.among(kept))
    aggregate = implementation(aggregate_of(call))
    if any([isinstance(need.state, Collected | Sketch) for need in aggregate.needs]):
        return _one_by_one(aggregate, columns, pieces, check)
    states = []
    for state, numbers, needed in aggregate.needs:
        kept = _present([columns[i] for i in needed]) if needed else np.ones(len(codes), dtype=np.bool_)
        chosen = _filtered([columns[i] for i in numbers], kept)
        states.append(framed(state, chosen, int(kept.sum()), pieces.among(kept)))
    return aggregate.finish(states)


def _present(columns: Sequence[pa.Array]) -> npt.NDArray[np.bool_]:
    """Where none of the columns is null."""
    return np.logical_and.reduce([is_present(column) for column in columns])


def _filtered(columns: Sequence[pa.Array], kept: npt.NDArray[np.bool_]) -> list[pa.Array]:
    return list(columns) if kept.all() else [column.filter(arrow.array(kept)) for column in columns]


def _one_by_one(aggregate: Aggregate, columns: list[pa.Array], pieces: Pieces, check: Callable[[], None]) -> pa.Array:
    """What needs all rows of a frame at once gets them, one copy for each frame they are in; equal neighbours share it."""
    new = pieces.changes()
    different = pieces.take(np.flatnonzero(new))
    found = []
    for start, stop in runs(different.sizes):
        check()
        part = different.take(np.arange(start, stop))
        codes, places = _written_out(part)
        indices = arrow.array(places)
        rows = Rows(Groups(codes, len(codes), len(part)), [column.take(indices) for column in columns])
        found.append(aggregate.of_all(rows))
    values = concat_arrays(found, found[0].type)
    return values if len(different) == len(pieces) else pc.take(values, arrow.array(np.cumsum(new) - 1))


def _written_out(pieces: Pieces) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """The places of all frames one after the other, and the frame that each is of."""
    count, parts = len(pieces), len(pieces.runs)
    # The runs of a frame lie beside each other.
    lo = np.stack([lo for lo, _ in pieces.runs], axis=1).reshape(-1)
    sizes = np.stack([hi - lo for lo, hi in pieces.runs], axis=1).reshape(-1)
    ends = np.cumsum(sizes)
    total = int(ends[-1])
    places = np.arange(total) - np.repeat(ends - sizes - lo, sizes)
    return np.repeat(np.repeat(np.arange(count), parts), sizes), places
