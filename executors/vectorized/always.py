"""What an expression computes for every row, whichever branches they take.

A branch of a guarded CASE sees the rows that take it, and a value that it needs is computed for these. What all branches need
would be computed in each of them, and again in the branches within: a loop that was unrolled into choices would become as long
as there are ways through it. Each row takes one branch, so that what all of them need may be computed before, and only once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from lazyframe.planner import arrow
from lazyframe.planner.graph import postorder
from lazyframe.planner.scalars import Call, Case, Literal, Scalar, is_total
from lazyframe.planner.types import BOOL


class Always:
    """Finds the parts that all rows need.

    Args:
        expressions: what is computed.
        key: what equal expressions share.
    """

    def __init__(self, expressions: Sequence[Scalar], key: Callable[[Scalar], Hashable]) -> None:
        self._key = key
        self._parts: list[Scalar] = []
        # Sets of parts by their numbers, as bits.
        self._needed: dict[Hashable, int] = {}
        for expression in expressions:
            for part in postorder(expression):
                if key(part) not in self._needed:
                    self._needed[key(part)] = self._of(part, guarded(part)) | 1 << len(self._parts)
                    self._parts.append(part)

    def _of(self, part: Scalar, case: Case | None) -> int:
        if case is None:
            found = 0
            for child in part.children():
                found |= self._needed[self._key(child)]
            return found
        if case.otherwise is part:  # AND or OR: all rows need what decides
            return self._needed[self._key(part.children()[0])]
        if len(case.children()) != len(part.children()):  # COALESCE
            return self._needed[self._key(part.children()[0])]
        return self._needed[self._key(case.conditions[0])] | self._of_branches(case)

    def _of_branches(self, case: Case) -> int:
        """What all branches need."""
        found = self._needed[self._key(case.otherwise)]
        for condition, value in zip(reversed(case.conditions[1:]), reversed(case.values[1:]), strict=True):
            # Rows that come to a condition need it, and what both ways from there need.
            found = self._needed[self._key(condition)] | (found & self._needed[self._key(value)])
        return found & self._needed[self._key(case.values[0])]

    def shared(self, case: Case) -> list[Scalar]:
        """What all branches of a CASE need, each part after those within it."""
        found = self._of_branches(case)
        return [part for number, part in enumerate(self._parts) if found >> number & 1] if found else []

    def knows(self, part: Scalar) -> bool:
        return self._key(part) in self._needed


def guarded(scalar: Scalar) -> Case | None:
    """An expression that computes some of its parts for some of the rows only, as a CASE; None where all rows may see all of it.

    What decides an AND or an OR is a branch, and the expression itself is what is left.
    """
    match scalar:
        case Case() if not all(is_total(child) for child in scalar.children()[1:]):
            return scalar
        case Call(function="and" | "or", args=(first, second)) if not is_total(second):
            if scalar.function == "or":
                return Case((first,), (_TRUE,), scalar)
            return Case((Call("not", (first,)),), (_FALSE,), scalar)
        case Call(function="coalesce", args=(first, *more)) if not all(map(is_total, more)):
            *tried, last = [first, *more]
            if all(value.dtype == scalar.dtype for value in scalar.args):
                return Case(tuple([Call("is_not_null", (value,)) for value in tried]), tuple(tried), last)
    return None


_TRUE, _FALSE = (Literal(arrow.scalar(value, BOOL)) for value in (True, False))
