"""Random draws, whole columns at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


class Draws:
    """A source of random columns.

    Args:
        seed: the same seed draws the same columns.
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def zipf(self, count: int, of: int | np.ndarray, shift: float) -> np.ndarray:
        """Ranks below `of`, the rank r with a chance proportional to 1 / (r + shift): the law of Zipf and Mandelbrot."""
        of = np.asarray(of, np.float64)
        ranks = shift * ((of + shift) / shift) ** self.rng.random(count) - shift
        return np.minimum(ranks, of - 1).astype(np.int64)

    def weighted(self, count: int, weights: Mapping[Any, float] | Sequence[float]) -> np.ndarray:
        """Positions among weights."""
        shares = np.array(list(weights.values() if isinstance(weights, Mapping) else weights), np.float64)
        return self.rng.choice(len(shares), count, p=shares / shares.sum())

    def chance(self, count: int, of: float | np.ndarray) -> np.ndarray:
        """What happens with the chance `of`."""
        return self.rng.random(count) < of

    def below(self, count: int, most: int | np.ndarray) -> np.ndarray:
        """Numbers from 0 that are less than `most`, each as likely as any other."""
        return (self.rng.random(count) * most).astype(np.int64)

    def of(self, count: int, words: Sequence[str]) -> pa.Array:
        """Texts, each as likely as any other."""
        return take(words, self.below(count, len(words)))


def take(words: Sequence[str] | pa.Array, positions: np.ndarray) -> pa.Array:
    array = words if isinstance(words, pa.Array) else pa.array(list(words), pa.string())
    return array.take(pa.array(positions))


def joined(*parts: Any, by: str = "") -> pa.Array:
    """Texts and numbers side by side; a single text stands in every row."""
    columns = [
        part if isinstance(part, str) else (part if isinstance(part, pa.Array) else pa.array(part)).cast(pa.string())
        for part in parts
    ]
    return pc.binary_join_element_wise(*[pa.scalar(c) if isinstance(c, str) else c for c in columns], by)


def case(*choices: tuple[np.ndarray, Any], default: Any = None) -> pa.Array:
    """For each row the first choice whose condition holds, a text or a column of them; null where none does."""
    count = len(choices[0][0])
    start = pa.nulls(count, pa.string()) if default is None else default
    return reduce(lambda rest, choice: pc.if_else(pa.array(choice[0]), choice[1], rest), reversed(choices), start)


def inverse(order: np.ndarray) -> np.ndarray:
    """The position of each value of a permutation."""
    result = np.empty_like(order)
    result[order] = np.arange(len(order))
    return result
