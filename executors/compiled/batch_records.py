"""What a kernel found in a batch: the groups, and what some states keep besides."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lazyframe.executors.compiled.partitions import partitioned
from lazyframe.executors.vectorized.aggregates.collected import Collection


class Records:
    """The groups of a batch as records of words.

    Attributes:
        words: a row a record.
        held: what addresses in the records point into.
        collected: what some states keep besides, by their numbers.
        parts: where each partition begins, and the last one ends, if they lie by partition; then one more word of a record
            is its number among those of the batch.
    """

    __slots__ = ("collected", "held", "parts", "words")

    def __init__(self, words: np.ndarray, held: object, collected: Mapping[int, Collection] | None = None) -> None:
        self.words: np.ndarray = words
        self.held = held
        self.collected = collected or {}
        self.parts: np.ndarray | None = None

    def __len__(self) -> int:
        return max([len(self.words), *map(len, self.collected.values())])

    def divide(self) -> None:
        """Put them in the order of their partitions."""
        words, self.parts = partitioned(self.words)
        self.words = words
