"""What says of each row which rows it was made of: further columns, and what they point at."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from lazyframe.planner.relations import Plan
from lazyframe.planner.scalars import Scalar


class SourceRows(NamedTuple):
    """The rows of a table. A mark of them is a row's number.

    Args:
        identity: of the table.
        table: a plan that reads all of it.
    """

    identity: Hashable
    table: Plan


class Target(NamedTuple):
    """The rows of a part of the plan that go with given values.

    Args:
        number: of the part: parts below it have lower ones.
        part: the rows to choose from, with marks of their own.
        keys: expressions over `part`.
        given: what they are equal to, expressions over the columns of the mark.
        condition: what holds besides, over both.
        nulls_equal: whether a null key goes with a null.
    """

    number: int
    part: Annotated
    keys: tuple[Scalar, ...] = ()
    given: tuple[Scalar, ...] = ()
    condition: Scalar | None = None
    nulls_equal: bool = True


class Mark(NamedTuple):
    """Columns of a plan that say which rows of something a row was made of.

    Args:
        present: a column that is null where it was made of none.
        columns: columns with the values that `of` asks for, by the names it knows them by.
        of: what they point at.
    """

    present: str
    columns: tuple[tuple[str, str], ...]
    of: SourceRows | Target

    def names(self) -> list[str]:
        """All its columns."""
        return list(dict.fromkeys([self.present, *[column for _, column in self.columns]]))


class Annotated(NamedTuple):
    """A plan with the rows of another in the same order, and marks besides its columns."""

    plan: Plan
    marks: tuple[Mark, ...]


__all__ = ["Annotated", "Mark", "SourceRows", "Target"]
