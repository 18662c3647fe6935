"""The sides of a join in FROM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lazyframe.planner.errors import ColumnNotFoundError, did_you_mean
from lazyframe.planner.relations import Plan
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.sql.names.scope import Scope


class Side(NamedTuple):
    """One item of FROM, or several that are joined.

    Args:
        plan: the rows.
        scope: what names mean over them.
        lateral: the outer values in `plan` that the tables before it give: what each one is over their rows.
    """

    plan: Plan
    scope: Scope
    lateral: Mapping[str, Scalar]


def using_pair(name: str, left: Scope, right: Scope) -> tuple[Scalar, Scalar]:
    """What USING compares: the columns of that name on both sides.

    Raises:
        ColumnNotFoundError: where a side has none.
    """
    found: list[Scalar] = []
    for side, where in ((left, "left"), (right, "right")):
        value = side.own_column(name)
        if value is None:
            raise ColumnNotFoundError(
                f"no column named {name!r} on the {where} side of USING",
                hint=did_you_mean(name, [visible.name for visible in side.star()]),
            )
        found.append(value)
    return found[0], found[1]


__all__ = ["Side", "using_pair"]
