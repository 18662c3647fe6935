"""Counts of rows, on which the nullness of most other aggregates rests too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.aggregates.groups import Groups, Rows
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Need, Part
from lazyframe.executors.vectorized.kernel import Arguments

Counts = npt.NDArray[np.int64]


def gathered(parts: Sequence[Part], count: int) -> Groups:
    """The groups that the states of all parts, one after the other, belong to."""
    codes = np.concatenate([numbers for _, numbers in parts])
    return Groups(codes, len(codes), count)


@dataclass(frozen=True)
class Count:
    """How many rows a group has."""

    def start(self, rows: Rows) -> Counts:
        return rows.groups.sizes

    def merge(self, parts: Sequence[Part], count: int) -> Counts:
        return gathered(parts, count).sum(np.concatenate([counts for counts, _ in parts]))


def count(arguments: Arguments) -> Aggregate:
    """The rows in which no argument is null; of no arguments, all rows."""
    columns = tuple(range(len(arguments.types)))
    return Aggregate((Need(Count(), columns, columns),), lambda states: pa.array(states[0]))
