"""Names of the tables that a plan reads: each once, and readable."""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterable
from pathlib import PurePosixPath

from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Plan, Scan
from lazyframe.planner.sources import TableSource, learned


class Names:
    """Gives names that are not taken."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}
        self._last: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """The name wanted, or it with a number where that is taken. Case does not tell names apart."""
        name, number = wanted, self._last.get(wanted, 1)
        while name.lower() in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._last[wanted] = number
        self._taken.add(name.lower())
        return name


def table_names(
    plan: Plan, names: Names | None = None, besides: Container[Hashable] = ()
) -> dict[tuple[object, ...], tuple[str, TableSource]]:
    """A name for each source of the plan, by the identity of the source: after its file or parameter, or `frame_1`, `frame_2`, ...

    Args:
        plan: what reads the sources.
        names: where the names are taken; no other is taken again.
        besides: identities of sources that have names already.
    """
    names, found = names or Names(), {}
    frames = 0
    for node in postorder(plan):
        if isinstance(node, Scan) and node.source.identity() not in found and node.source.identity() not in besides:
            known = learned(node.source)
            stem = _stem(node.source.name if known is None else known.cell.name)
            if not stem:
                frames += 1
                stem = f"frame_{frames}"
            found[node.source.identity()] = (names.take(stem), node.source)
    return found


def _stem(name: str) -> str:
    """A word from the name of a source: that of the file, or of the folder where the file's is a pattern."""
    if name == "in memory":
        return ""
    for part in reversed(PurePosixPath(name.partition(" ")[0]).parts):
        word = re.sub(r"\W+", "_", part.partition(".")[0]).strip("_").lower()
        if word:
            return f"t_{word}" if word[0].isdigit() else word
    return ""
