"""Dates and naive timestamps as text, those too for which Arrow has none."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.local_time import ticks_of_day
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

# A fraction of the second: the zeros at its end are left out.
_TRAILING = r"\.0+$|(\.\d*[1-9])0+$"


def calendar_text(array: pa.Array) -> pa.Array:
    """Dates, times and naive timestamps as ISO writes them, a space before the time of day.

    >>> calendar_text(pa.array([2**31 - 1], pa.int32()).view(pa.date32()))[0].as_py()
    '5881580-07-11'
    """
    texts = array.cast(pa.string())
    if pa.types.is_date(array.type) or pa.types.is_timestamp(array.type):
        texts = _with_far_years(array, texts)
    return texts if pa.types.is_date(array.type) else pc.replace_substring_regex(texts, _TRAILING, r"\1")


def _with_far_years(array: pa.Array, texts: pa.Array) -> pa.Array:
    """Arrow's texts, but for years past its calendar, where it writes that they are."""
    far = arrow.numpy_of(pc.fill_null(pc.starts_with(texts, "<"), False))
    if not far.any():
        return texts
    if pa.types.is_date(array.type):
        days, clocks = arrow.numpy_of(pc.fill_null(array.cast(pa.int32()), 0))[far].astype(np.int64), None
    else:
        ticks = arrow.numpy_of(pc.fill_null(array.cast(pa.int64()), 0))[far]
        days, rest = np.divmod(ticks, ticks_of_day(array.type.unit))
        clocks = arrow.array(rest).cast(pa.timestamp(array.type.unit)).cast(pa.string()).to_pylist()
    written = np.datetime_as_string(days.astype("M8[D]")).tolist()
    if clocks is not None:
        written = [day + clock[len("1970-01-01") :] for day, clock in zip(written, clocks, strict=True)]
    following = iter(written)
    return arrow.array(
        [next(following) if is_far else text for is_far, text in zip(far, texts.to_pylist(), strict=True)]
    )
