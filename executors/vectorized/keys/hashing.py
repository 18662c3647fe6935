"""Hashes of rows of 64-bit words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_GOLDEN = 0x9E3779B97F4A7C15
_MIX = np.uint64(0xD6E8FEB86659FD93)
_FOLD = np.uint64(32)
_MASK = (1 << 64) - 1


def mix_words(words: Sequence[npt.NDArray], seed: int) -> npt.NDArray[np.uint64]:
    """A 64-bit hash of each row; another seed gives an independent one.

    Args:
        words: 64-bit integers, at least one array, all of one length.
        seed: any integer from 0.
    """
    state = words[0].view(np.uint64) + np.uint64((seed + 1) * _GOLDEN & _MASK)
    high = np.empty_like(state)
    for word in words[1:]:
        state ^= np.right_shift(state, _FOLD, out=high)
        state *= _MIX
        state += word.view(np.uint64)
    state ^= np.right_shift(state, _FOLD, out=high)
    state *= _MIX
    state ^= np.right_shift(state, _FOLD, out=high)
    state *= np.uint64(_GOLDEN)
    return state


def slots(hashes: npt.NDArray[np.uint64], bits: int) -> npt.NDArray[np.intp]:
    """Places in a table of 2**bits: the highest bits, which multiplication mixes best."""
    return (hashes >> np.uint64(64 - bits)).view(np.intp)
