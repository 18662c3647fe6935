"""Kernels of how much strings are alike."""

from __future__ import annotations

from lazyframe.executors.vectorized.functions.subject import by_row
from lazyframe.executors.vectorized.kernel import Kernel, KernelError

_PREFIX, _WEIGHT = 4, 0.1
_ALIKE = 0.7
"""From which similarity on Winkler counts the beginning."""


def _hamming(a: str, b: str) -> int:
    if len(a) != len(b):
        raise KernelError(f"only strings of one length can be compared place by place, not {a!r} and {b!r}")
    return sum(x != y for x, y in zip(a, b, strict=True))


def _damerau(a: str, b: str) -> int:
    """Damerau's distance without limits (Lowrance and Wagner, 1975)."""
    far = len(a) + len(b)
    last_row: dict[str, int] = {}
    table = [[far] * (len(b) + 2) for _ in range(len(a) + 2)]
    for i in range(len(a) + 1):
        table[i + 1][1] = i
    for j in range(len(b) + 1):
        table[1][j + 1] = j
    for i, x in enumerate(a, 1):
        last_column = 0
        for j, y in enumerate(b, 1):
            k, m = last_row.get(y, 0), last_column
            if x == y:
                last_column = j
            table[i + 1][j + 1] = min(
                table[i][j] + (x != y),
                table[i + 1][j] + 1,
                table[i][j + 1] + 1,
                table[k][m] + (i - k - 1) + 1 + (j - m - 1),
            )
        last_row[x] = i
    return table[-1][-1]


def _jaccard(a: str, b: str) -> float:
    if not a or not b:
        raise KernelError("an empty string shares nothing with another")
    return len(set(a) & set(b)) / len(set(a) | set(b))


def _jaro(a: str, b: str) -> float:
    reach = max(len(a), len(b)) // 2 - 1
    taken = [False] * len(b)
    mine: list[str] = []
    for i, x in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            if not taken[j] and b[j] == x:
                taken[j] = True
                mine.append(x)
                break
    if not mine:
        return 0.0
    theirs = [y for y, used in zip(b, taken, strict=True) if used]
    swapped = sum(x != y for x, y in zip(mine, theirs, strict=True)) / 2
    found = len(mine)
    return (found / len(a) + found / len(b) + (found - swapped) / found) / 3


def _jaro_winkler(a: str, b: str) -> float:
    jaro = _jaro(a, b)
    if jaro <= _ALIKE:
        return jaro
    prefix = 0
    while prefix < min(len(a), len(b), _PREFIX) and a[prefix] == b[prefix]:
        prefix += 1
    return jaro + prefix * _WEIGHT * (1 - jaro)


KERNELS: dict[str, Kernel] = {
    "hamming": by_row(_hamming),
    "damerau_levenshtein": by_row(_damerau),
    "jaccard": by_row(_jaccard),
    "jaro": by_row(_jaro),
    "jaro_winkler": by_row(_jaro_winkler),
}
