"""How aggregates take rows."""

from __future__ import annotations

from typing import NamedTuple

from lazyframe.executors.compiled.values import Value


class Taken(NamedTuple):
    """How an aggregate takes a row, or several at once.

    Args:
        position: its number among those that are aggregated.
        present: whether it counts: no argument that must be there is null; None where that is so.
    """

    position: Value
    present: Value | None = None
