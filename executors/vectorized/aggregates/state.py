"""What an aggregate is to the executor: states kept for each group, and what becomes of them in the end.

States are shared: the mean and the sum of a column keep one sum and one count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from lazyframe.executors.vectorized.aggregates.groups import Groups, Positions, Rows
from lazyframe.executors.vectorized.kernel import Arguments


class Numbering(NamedTuple):
    """How the groups of several parts become the groups of all.

    Args:
        numbers: for each part, the number that each of its groups has among all.
        groups: the same for the groups of all parts, one after the other.
    """

    numbers: Sequence[Positions]
    groups: Groups


class State(Protocol):
    """How one kind of state is made and merged. Two that compare equal, over the same rows, are computed once."""

    def start(self, rows: Rows) -> Any:
        """The state of each group from its rows."""
        ...

    def merge(self, states: Sequence[Any], into: Numbering) -> Any:
        """The state of all groups from those of parts, which are in row order.

        Deterministic: the same parts give the same bits.
        """
        ...

    def __hash__(self) -> int: ...


class Need(NamedTuple):
    """A state that an aggregate rests on.

    Args:
        state: its kind.
        columns: the arguments it is computed from.
        present: the arguments that must not be null: other rows are left out.
    """

    state: State
    columns: tuple[int, ...]
    present: tuple[int, ...]


class Aggregate(NamedTuple):
    """An aggregate function for certain argument types.

    Args:
        needs: the states it rests on.
        finish: from these states, in order, to one value a group. It raises `KernelError` for a value that does not fit.
    """

    needs: tuple[Need, ...]
    finish: Callable[[Sequence[Any]], pa.Array]

    def of_all(self, rows: Rows) -> pa.Array:
        """The value of each group, where all its rows are at hand."""
        return self.finish([need.state.start(rows.view(need.columns, need.present)) for need in self.needs])


Family = Callable[[Arguments], Aggregate]
"""From an aggregate's argument types, result type and options to its implementation."""
