"""A tree of joins as a graph: relations are its vertices, what holds between them its edges.

Sets of relations are integers whose bits are numbers of relations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.scalars import Scalar


@dataclass(frozen=True, slots=True)
class KeyClass:
    """Values of several relations, one of each, of which it is known that all are equal.

    Attributes:
        of: the set of relations.
        values: of each relation, by its number.
    """

    of: int
    values: dict[int, Scalar]


@dataclass(frozen=True, slots=True)
class Equality:
    """Two values of one type, over two sets of relations that share none, that are equal in every row.

    `needs` are the relations that must have been joined before this can be asked.
    """

    left: Scalar
    right: Scalar
    of_left: int
    of_right: int
    needs: int

    def sides(self, a: int, b: int) -> tuple[Scalar, Scalar] | None:
        """Its values over `a` and over `b`, where it is one between the two."""
        if not (self.of_left & ~a or self.of_right & ~b):
            return self.left, self.right
        if not (self.of_left & ~b or self.of_right & ~a):
            return self.right, self.left
        return None


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that holds in every row, over relations that must have been joined before, and which share it keeps."""

    predicate: Scalar
    needs: int
    share: float


@dataclass(slots=True)
class Operator:
    """A join that is not inner, seen from the side whose rows it keeps: left, semi, anti, mark or single.

    Attributes:
        kind: one of these.
        join: the node that it was, for its site and its mark.
        left_keys, right_keys, condition: over columns of the relations.
        left, right: all relations below its sides.
        needs_left, needs_right: those that must be on the side when it is done (see `conflicts.py`).
    """

    kind: str
    join: Join
    left_keys: tuple[Scalar, ...]
    right_keys: tuple[Scalar, ...]
    condition: Scalar | None
    left: int
    right: int
    needs_left: int = 0
    needs_right: int = 0

    @property
    def needs(self) -> int:
        return self.needs_left | self.needs_right


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """What a tree of joins says, without the order in which it says it.

    Attributes:
        relations: plans no two of which have a column of one name, each filtered by the conditions that use it alone.
        classes: what is equal between single relations, with all that follows from it.
        equalities: other equalities, over more relations, or that need more.
        conditions: what else holds.
        operators: the joins that are not inner.
        early: pairs of places in `operators`, of which the second may join rows of the right side of the first before it.
        names: for each column of the tree its name in the relations.
        one_row: the relations that have one row at most: to join them to what they are compared with costs nothing.
    """

    relations: list[Plan]
    classes: list[KeyClass]
    equalities: list[Equality]
    conditions: list[Condition]
    operators: list[Operator]
    early: frozenset[tuple[int, int]]
    names: dict[str, str]
    one_row: int


def members(relations: int) -> Iterator[int]:
    """The numbers of the relations of a set."""
    while relations:
        lowest = relations & -relations
        yield lowest.bit_length() - 1
        relations ^= lowest
