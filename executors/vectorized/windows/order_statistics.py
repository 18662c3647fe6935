"""Quantiles and numbers of different values over frames, without writing the frames out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.vectorized.aggregates.groups import taken
from lazyframe.executors.vectorized.aggregates.quantiles import between, places
from lazyframe.executors.vectorized.keys import encode, rank_codes
from lazyframe.executors.vectorized.windows.frames import Pieces
from lazyframe.executors.vectorized.windows.wavelet import count_below, nth_smallest
from lazyframe.planner import arrow
from lazyframe.planner.scalars import WindowCall


def quantiles(call: WindowCall, column: pa.Array, pieces: Pieces) -> pa.Array:
    """The quantile of each frame.

    Args:
        call: `median` or `quantile`.
        column: the values by place, none of them null.
        pieces: the frames.
    """
    options = dict(call.options)
    q, interpolation = float(options.get("q", 0.5)), str(options.get("interpolation", "linear"))
    ranks = rank_codes([column], [False], [False])
    count = int(ranks.max(initial=-1)) + 1
    # A place that holds each rank.
    holder = np.zeros(count, dtype=np.int64)
    holder[ranks[::-1]] = np.arange(len(ranks))[::-1]
    sizes = pieces.sizes
    if not count:
        return pa.nulls(len(pieces), call.dtype)
    below, above, share = places(sizes, q, interpolation)
    found = nth_smallest(ranks, count, pieces, [below] if share is None else [below, above])
    values = [taken(column, np.where(sizes > 0, holder.take(rank, mode="clip"), -1)) for rank in found]
    if share is None:
        return decoded(values[0], call.dtype)
    return between(values[0], values[1], share, call.args[0].dtype, call.dtype)


def different(columns: Sequence[pa.Array], codes: npt.NDArray[np.intp], pieces: Pieces) -> pa.Array:
    """How many different rows each frame holds, which is one run: those whose like came last before the frame.

    Args:
        columns: by place.
        codes: the partition of each place.
        pieces: the frames.
    """
    ((lo, hi),) = pieces.runs
    values = encode([arrow.array(codes), *columns], len(codes)).codes
    order = np.argsort(values, kind="stable")
    previous = np.zeros(len(codes), dtype=np.int64)
    same = values.take(order[1:]) == values.take(order[:-1])
    # One more than the place of the last that is equal; 0 where there is none.
    previous[order[1:]] = np.where(same, order[:-1] + 1, 0)
    if pieces.is_running:
        return arrow.array(pieces.among(previous == 0).sizes)
    return arrow.array(count_below(previous, lo, hi, lo + 1))
