"""Between instants and the wall clocks of a time zone.

A local time that the clocks show twice is the earlier one; one that they skip moves on by what was skipped, so that 02:30
becomes 03:30 (RFC 5545, and `compatible` of the Temporal proposal).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import unscaled_values, validity_buffer
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.planner import arrow_compute as pc

TICKS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
DAY_SECONDS = 86_400

_I64 = np.iinfo(np.int64)


def ticks_of_day(unit: str) -> int:
    return DAY_SECONDS * TICKS[unit]


def to_local(instants: pa.Array) -> pa.Array:
    """What the clocks of the zone show; naive timestamps as they are."""
    if instants.type.tz is None:
        return instants
    _refuse_the_ends(instants)
    return pc.local_timestamp(instants)


def to_instant(local: pa.Array, tz: str | None) -> pa.Array:
    """The instants at which the clocks of a zone show naive timestamps."""
    if tz is None:
        return local
    _refuse_the_ends(local)
    instants = pc.assume_timezone(local, tz, ambiguous="earliest", nonexistent="earliest")
    shown = pc.local_timestamp(instants)
    if shown.equals(local):
        return instants
    # Before a gap pyarrow gives the last instant that exists: its offset from UTC is the one that was to hold on.
    wanted, got, at = (_ticks(a) for a in (local, shown, instants))
    moved = np.where(wanted == got, at, wanted - (got - at))
    data = pa.py_buffer(np.ascontiguousarray(moved))
    return pa.Array.from_buffers(instants.type, len(moved), [validity_buffer(local), data])


def _refuse_the_ends(moments: pa.Array) -> None:
    """Raise where a day more or less may leave int64: what Arrow gives there has wrapped."""
    day = ticks_of_day(moments.type.unit)
    ticks = moments.view(pa.int64())
    found = pc.min_max(ticks)
    low, high = found["min"].as_py(), found["max"].as_py()
    if low is None or (low >= int(_I64.min) + day and high <= int(_I64.max) - day):
        return
    row = pc.index(ticks, low if low < int(_I64.min) + day else high).as_py()
    raise KernelError(f"timestamp out of range: {ticks[row]} {moments.type.unit} in another time zone", row)


def _ticks(array: pa.Array) -> np.ndarray:
    return unscaled_values(array)
