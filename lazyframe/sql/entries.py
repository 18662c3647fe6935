"""What a session knows by name: views, tables, and objects that were registered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.relations import Plan
from lazyframe.sql.names import matching
from lazyframe.sql.nouns import a_type
from lazyframe.sql.objects import is_immutable, is_tabular, plan_of


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A name of a session.

    Attributes:
        kind: `view`, `table` or `object`.
        plan: what a query reads; None for an object that may change, and is read anew by each query.
        value: the object.
    """

    kind: str
    plan: Plan | None
    value: Any = None

    def read(self, name: str) -> Plan:
        """The plan for one query."""
        return self.plan if self.plan is not None else plan_of(self.value, name)


class Entries:
    """The names of a session. A change of any of them makes another `version`."""

    def __init__(self) -> None:
        self._found: dict[str, Entry] = {}
        self.version = 0

    def find(self, name: str, *, quoted: bool = False) -> tuple[str, Entry] | None:
        """An entry with its name as it was given."""
        known = matching(self._found, name, quoted=quoted)
        return None if known is None else (known, self._found[known])

    def register(self, name: str, value: object) -> None:
        """Give an object a name; what had that name before is forgotten.

        Raises:
            InvalidArgumentError: where it holds no rows.
        """
        if not is_tabular(value):
            raise InvalidArgumentError(
                f"cannot register {a_type(value)} as {name!r}: it holds no table",
                hint="give a frame, or whatever lf.from_arrow() takes through it",
            )
        plan = plan_of(value, name)
        self.set(name, Entry("object", plan if is_immutable(value) else None, value))

    def set(self, name: str, entry: Entry) -> None:
        """Give a name a meaning, in the place of the one it had."""
        found = self.find(name)
        if found is not None:
            del self._found[found[0]]
        self._found[name] = entry
        self.version += 1

    def remove(self, name: str) -> None:
        """Forget a name, as it was given."""
        del self._found[name]
        self.version += 1

    def names(self) -> list[str]:
        """All names in order."""
        return sorted(self._found, key=str.casefold)
