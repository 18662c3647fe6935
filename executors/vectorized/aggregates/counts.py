"""Counts of rows, on which the nullness of most other aggregates rests too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lazyframe.executors.vectorized.aggregates.groups import Rows
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Need, Numbering
from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.planner import arrow

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Count:
    """How many rows a group has."""

    def start(self, rows: Rows) -> Counts:
        return rows.groups.sizes

    def merge(self, states: Sequence[Any], into: Numbering) -> Counts:
        return into.groups.sum(np.concatenate(states))


def count(arguments: Arguments) -> Aggregate:
    """The rows in which no argument is null; of no arguments, all rows."""
    columns = tuple(range(len(arguments.types)))
    return Aggregate((Need(Count(), columns, columns),), lambda states: arrow.array(states[0]))
