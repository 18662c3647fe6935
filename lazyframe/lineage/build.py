"""The lineage of a plan, as users see it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from lazyframe.lineage.lineage import Lineage
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.lineage import lineage
from lazyframe.planner.lineage.sources import identity_of
from lazyframe.planner.relations import Plan
from lazyframe.verbs.several import frame_of

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


def lineage_of(plan: Plan, names: Mapping[str, Any]) -> Lineage:
    """The lineage of a plan, in which some tables have names."""
    return Lineage(lineage(plan, identities(names)))


def _read(frame: LazyFrame) -> Plan:
    """What a frame reads where it is a table: of one that is learned, what is below the choice of its visible columns."""
    from lazyframe.parameter_tables import ParamTable

    return frame._written.children()[0] if isinstance(frame, ParamTable) else frame._written


def identities(names: Mapping[str, Any]) -> dict[Hashable, str]:
    """Names by the identity of the tables that have them.

    Raises:
        InvalidArgumentError: where a name is that of no table, or two are of one.
    """
    found: dict[Hashable, str] = {}
    for name, frame in names.items():
        identity = identity_of(_read(frame_of(frame)))
        if identity is None:
            raise InvalidArgumentError(
                f"{name!r} is a query: only tables as they are read have names here",
                hint="name the frames that lf.scan_... and lf.from_... gave",
            )
        if identity in found:
            raise InvalidArgumentError(
                f"{name!r} and {found[identity]!r} are the same table", hint="leave out one name"
            )
        found[identity] = name
    return found


__all__ = ["identities", "lineage_of"]
