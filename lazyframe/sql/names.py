"""How the names of tables are matched: quoted exactly, else without regard to case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from lazyframe.planner.errors import InvalidArgumentError

V = TypeVar("V")


def matching(names: Mapping[str, V], name: str, *, quoted: bool) -> str | None:
    """The one of `names` that `name` means, None where there is none.

    Raises:
        InvalidArgumentError: where several differ from it in case alone.

    Example:
        >>> matching({"Flights": 1}, "FLIGHTS", quoted=False)
        'Flights'
    """
    if name in names:
        return name
    return None if quoted else the_one(like(names, name), name)


def like(names: Iterable[str], name: str) -> list[str]:
    """Those of `names` that are the same without regard to case."""
    folded = name.casefold()
    return [each for each in names if each.casefold() == folded]


def the_one(found: list[str], name: str) -> str | None:
    """The only one found.

    Raises:
        InvalidArgumentError: where there are several.
    """
    if len(found) > 1:
        shown = " or ".join([repr(each) for each in sorted(found)])
        raise InvalidArgumentError(f"the table {name!r} may be {shown}", hint="write the one that is meant in its case")
    return found[0] if found else None
