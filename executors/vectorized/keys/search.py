"""Binary search among sorted values, in the engine's order: NaN is the greatest, -0.0 is 0.0, text goes by code point."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import concat_arrays, decoded
from lazyframe.executors.vectorized.keys.grouping import Positions
from lazyframe.executors.vectorized.keys.normalise import Fixed, Wide, normalise
from lazyframe.executors.vectorized.keys.order import rank_codes, sort_indices
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType


class SortedValues:
    """A column in order, in which the places of other values are found. Lookups change nothing, so threads may share it.

    Args:
        column: the values, of any type that has an order.
        dtype: their type, where the column may be laid out in another way.

    Attributes:
        rows: the rows of the column in the order of their values, equal ones in their order; those of nulls are left out.

    Examples:
        >>> found = SortedValues(pa.array([5, None, 1, 5]), pa.int64())
        >>> found.rows.tolist()
        [2, 0, 3]
        >>> found.count_below(pa.array([0, 5, 9]), inclusive=False).tolist()
        [0, 1, 3]
        >>> found.count_below(pa.array([0, 5, 9]), inclusive=True).tolist()
        [0, 3, 3]
    """

    def __init__(self, column: pa.Array, dtype: DataType) -> None:
        self._dtype = dtype
        column = plain(column, dtype)
        order = sort_indices([column], [False], [False])
        self.rows: Positions = order[: len(column) - column.null_count]
        self._values = pc.take(column, arrow.array(self.rows))
        self._numbers = ordered_numbers(self._values)

    def count_below(self, probes: pa.Array, *, inclusive: bool) -> Positions:
        """How many values are less than each probe, or equal to it where `inclusive`. What it says of nulls means nothing."""
        side = "right" if inclusive else "left"
        probes = plain(probes, self._dtype)
        numbers = None if self._numbers is None else ordered_numbers(probes)
        if self._numbers is not None and numbers is not None:
            return np.searchsorted(self._numbers, numbers, side)  # type: ignore[call-overload]
        codes = rank_codes([concat_arrays([self._values, probes], self._dtype)], [False], [False])
        count = len(self.rows)
        return np.searchsorted(codes[:count], codes[count:], side)  # type: ignore[call-overload]


def plain(column: pa.Array, dtype: DataType) -> pa.Array:
    """The column without a dictionary, which may hide nulls among its values."""
    return decoded(column, dtype) if isinstance(column, pa.DictionaryArray) else column


def ordered_numbers(column: pa.Array) -> npt.NDArray | None:
    """Integers that compare as the values do, where there are such of 64 bits."""
    match normalise(column):
        case Fixed(values, _):
            return values
        case Wide() as form:
            low, fits = form.narrow()
            return low if fits.all() else None
    return None
