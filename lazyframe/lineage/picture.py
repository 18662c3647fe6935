"""Lineage as a picture: the columns of the tables at the left, those of the result at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyframe.drawing.picture import Arrow, Box, Picture
from lazyframe.lineage.table import EVERY
from lazyframe.planner.lineage import ROLES

if TYPE_CHECKING:
    from lazyframe.lineage.lineage import Lineage


def picture_of(lineage: Lineage) -> Picture:
    """The tables with the columns that are used, and an arrow for each role. What every column has goes to one box for all."""
    common = lineage.common()
    boxes = [
        Box(f"{table}.{name}", (name,), "source", table) for table, names in lineage.used().items() for name in names
    ]
    # Tables and their columns may have the names of the result and its columns: keys may not.
    arrows = [
        Arrow(f"{table}.{source}", f"result {name}", role)
        for name, column in lineage.items()
        for table, source, role in column.origins()
        if (table, source, role) not in common
    ]
    if common:
        boxes.append(Box("all", (EVERY,), "rows", "result"))
        arrows += [Arrow(f"{table}.{source}", "all", role) for table, source, role in common]
    boxes += [Box(f"result {name}", (name,), "result", "result") for name in lineage]
    kinds = {arrow.kind for arrow in arrows}
    return Picture(
        tuple(boxes), tuple(arrows), across=True, key=tuple([(role, role) for role in ROLES if role in kinds])
    )


__all__ = ["picture_of"]
