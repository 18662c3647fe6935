"""Keeping rows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.expression import Predicate
from lazyframe.planner.graph import postorder
from lazyframe.planner.scalars import (
    Call,
    Case,
    Cast,
    Column,
    Literal,
    Scalar,
    conjunction,
    conjuncts,
    is_total,
    is_volatile,
)
from lazyframe.planner.types import is_nested

_CHEAP = {
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "is_in", "is_null", "is_not_null", "and", "or",
    "not",
}  # fmt: skip


class FilterRows:
    """The rows for which the predicate is true.

    Its parts are tested one after the other, each on the rows that those before it kept: so a part that may raise is guarded
    by them, and an expensive one sees few rows. Cheap parts that stand together are tested together: to copy the rows kept
    costs more than to test them all. Parts that compute the same thing are tested together too, so that it is computed once,
    and so are parts with the same random draw: apart they would draw twice.

    Args:
        predicate: the condition.
        keep: the columns that are wanted afterwards; all by default.
    """

    def __init__(self, predicate: Scalar, keep: Iterable[str] | None = None) -> None:
        self.predicate = predicate
        groups = _groups(conjuncts(predicate))
        self._steps: list[tuple[Predicate, list[str] | None]] = []
        wanted = None if keep is None else set(keep)
        for group in reversed(groups):
            self._steps.append((Predicate(group), None if wanted is None else sorted(wanted)))
            if wanted is not None:
                wanted |= group.columns
        self._steps.reverse()

    def process(self, batch: Batch) -> Batch:
        for predicate, wanted in self._steps:
            batch = predicate.keep(batch, wanted)
        return batch


def _groups(parts: list[Scalar]) -> list[Scalar]:
    if len(parts) == 1:
        return parts
    groups: list[list[Scalar]] = []
    for part in parts:
        if is_volatile(part):
            drawn = _draws(part)
            first = next(
                (n for n, group in enumerate(groups) if any(not drawn.isdisjoint(_draws(p)) for p in group)), None
            )
            if first is not None:
                groups[first:] = [[*chain.from_iterable(groups[first:]), part]]
                continue
        if groups and (
            (_is_cheap(part) and _is_cheap(groups[-1][-1])) or (is_total(part) and _share_work(groups[-1], part))
        ):
            groups[-1].append(part)
        else:
            groups.append([part])
    return [whole for group in groups if (whole := conjunction(group)) is not None]


def _share_work(group: list[Scalar], part: Scalar) -> bool:
    """Whether what costs in a part is computed in others already, where none of them can raise.

    What costs besides is better computed for the rows that the others keep.
    """
    if not all(map(is_total, group)) or all(part.columns.isdisjoint(other.columns) for other in group):
        return False
    costly = _costly(part)
    return bool(costly) and costly.issubset(frozenset().union(*[_costly(other) for other in group]))


def _costly(part: Scalar) -> set[bytes]:
    """The computations in a part that are no comparisons of columns and constants."""
    return {s.digest for s in postorder(part) if isinstance(s, (Call, Case, Cast)) and not _is_cheap(s)} - {part.digest}


def _draws(part: Scalar) -> set[bytes]:
    return (
        {s.digest for s in postorder(part) if isinstance(s, Call) and s.definition.volatile}
        if is_volatile(part)
        else set()
    )


def _is_cheap(part: Scalar) -> bool:
    return is_total(part) and all(
        (isinstance(s, Call) and s.function in _CHEAP)
        or isinstance(s, Literal)
        or (isinstance(s, Column) and not is_nested(s.dtype))
        for s in postorder(part)
    )
