"""What the names of tables in a query stand for."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from lazyframe import session
from lazyframe.planner.errors import LazyFrameError, TableNotFoundError
from lazyframe.planner.relations import Plan
from lazyframe.sql.entries import Entries, Entry
from lazyframe.sql.files import FUNCTIONS, FileScan, file_function, file_named, files_here, is_file
from lazyframe.sql.names import like, matching, the_one
from lazyframe.sql.nouns import a_type, frame_hint, is_value
from lazyframe.sql.objects import is_immutable, is_tabular, plan_of
from lazyframe.sql.pipes import Piped

Scopes = Callable[[], Iterator[Mapping[str, Any]]]

Location = Entry | FileScan | None


class Named(NamedTuple):
    """An object of the user's program."""

    name: str
    value: Any


class Reading(NamedTuple):
    """What a name meant when a query was bound, to see later whether it still means that.

    `state` tells the files from what they become later; it is None for what is not a file.
    """

    parts: tuple[str, ...]
    quoted: bool
    meaning: Any
    state: tuple[object, ...] | None = None


class Resolver:
    """Finds tables for one text: among the keyword arguments, the session's names, the caller's variables, the files.

    Args:
        entries: the session's names.
        given: frames by keyword.
        scopes: gives the scopes of the caller, innermost first. It is called when a name is found nowhere before.
    """

    def __init__(self, entries: Entries, given: Mapping[str, Any], scopes: Scopes) -> None:
        self._entries = entries
        self._given = given
        self._scopes_of = scopes
        self._scopes: list[Mapping[str, Any]] | None = None
        self._plans: dict[int, tuple[Any, Plan]] = {}
        self._lent: dict[str, Any] = {}
        self._pipes: dict[str, Piped] = {}
        self.readings: list[Reading] | None = []
        """What was read so far; None once something was read that may change without notice."""

    # What the binder asks for.

    def table(self, parts: tuple[str, ...], *, quoted: bool) -> Plan | None:
        """The plan of a table, view, frame or file, None where there is none of that name."""
        location = self.locate(parts, quoted)
        self._note(parts, quoted, location)
        match location:
            case None:
                self._check_variable(parts)
                return None
            case Named(name, value):
                return self._once(value, lambda: plan_of(value, name))
            case Entry() as entry:
                return self._once(entry, lambda: entry.read(parts[-1]))
            case FileScan() as files:
                return files.plan()

    def lend(self, frame: Any) -> str:
        """A name, which nobody else has, for a frame that the text itself makes."""
        name = f"part {len(self._lent) + 1} of the query"
        self._lent[name] = frame
        return name

    def names(self) -> list[str]:
        """All names that could be meant, those nearest to the user first."""
        found = [*self._given, *self._entries.names()]
        for scope in self._all_scopes():
            found += [name for name, value in list(scope.items()) if not name.startswith("_") and is_tabular(value)]
        return list(dict.fromkeys([*found, *files_here()]))

    def rows(self, plan: Plan) -> pa.Table:
        """The rows of a plan, where what a query means depends on them."""
        # They may be others next time: a file may change, and a clock goes on.
        self.readings = None
        return session.execute(plan)

    def table_function(self, name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Plan | None:
        """The plan of a function that reads files, None where it is none of them."""
        files = file_function(name, args, options, self._pipes)
        if files is None:
            return None
        self._note_files((), False, files)
        return files.plan()

    def table_functions(self) -> tuple[str, ...]:
        """The names of the functions that read files."""
        return FUNCTIONS

    # Where things are.

    def locate(self, parts: tuple[str, ...], quoted: bool) -> Location | Named:
        """What a name stands for."""
        found = self._held(parts, quoted)
        if found is not None or len(parts) == 1:
            return found or file_named(parts[0], self._pipes)
        name = ".".join(parts)
        if not quoted and is_file(name):
            raise TableNotFoundError(f"no table named {name!r}", hint=f"files stand in quotes: write '{name}'")
        return None

    def _held(self, parts: tuple[str, ...], quoted: bool) -> Entry | Named | None:
        """What is in memory under a name, or bound to it."""
        name = ".".join(parts)
        if len(parts) == 1:
            if quoted and name in self._lent:
                return Named(name, self._lent[name])
            known = matching(self._given, name, quoted=quoted)
            if known is not None:
                return Named(known, self._given[known])
        entry = self._entries.find(name, quoted=quoted)
        if entry is None and len(parts) > 1 and tuple(map(str.casefold, parts[:-1])) in _OWN_SCHEMAS:
            entry = self._entries.find(parts[-1], quoted=quoted)
        if entry is not None:
            return entry[1]
        return None if len(parts) > 1 else self._in_scopes(name, quoted)

    def _in_scopes(self, name: str, quoted: bool) -> Named | None:
        # Python tells names apart by case: the variable of that very spelling comes first, wherever it is.
        for scope in self._all_scopes():
            value = scope.get(name)
            if value is not None and is_tabular(value):
                return Named(name, value)
        if quoted:
            return None
        for scope in self._all_scopes():
            found = the_one([each for each in like(list(scope), name) if is_tabular(scope[each])], name)
            if found is not None:
                return Named(found, scope[found])
        return None

    def _check_variable(self, parts: tuple[str, ...]) -> None:
        """Say of a variable of that name what it is, where it holds no rows."""
        if len(parts) != 1:
            return
        name = parts[0]
        for scope in self._all_scopes():
            if name in scope:
                value = scope[name]
                if is_value(value):
                    raise TableNotFoundError(
                        f"no table named {name!r}: the variable is {a_type(value)}, which holds no rows",
                        hint=frame_hint(name, value),
                    )
                return

    def _all_scopes(self) -> list[Mapping[str, Any]]:
        if self._scopes is None:
            self._scopes = list(self._scopes_of())
        return self._scopes

    def _once(self, value: Any, make: Callable[[], Plan]) -> Plan:
        """The plan of an object, the same wherever the query names it."""
        found = self._plans.get(id(value))
        if found is None:
            # The object is kept as long as its identity stands for it.
            found = self._plans[id(value)] = (value, make())
        return found[1]

    # What a bound query depends on.

    def _note(self, parts: tuple[str, ...], quoted: bool, location: Location | Named) -> None:
        if isinstance(location, FileScan):
            self._note_files(parts, quoted, location)
        elif isinstance(location, Named):
            if is_immutable(location.value):
                self._add(Reading(parts, quoted, weakref.ref(location.value)))
            else:
                self.readings = None
        elif isinstance(location, Entry) and location.plan is None:
            self.readings = None
        else:
            self._add(Reading(parts, quoted, location))

    def _note_files(self, parts: tuple[str, ...], quoted: bool, files: FileScan) -> None:
        state = files.state()
        if state is None:
            self.readings = None
        else:
            self._add(Reading(parts, quoted, files, state))

    def _add(self, reading: Reading) -> None:
        if self.readings is not None:
            self.readings.append(reading)

    def close(self) -> None:
        """Let go of all that was looked at: what the binder keeps for errors may keep this, too."""
        self._given, self._scopes, self._plans, self._lent, self._pipes = {}, [], {}, {}, {}

    def still_holds(self, readings: Iterable[Reading]) -> bool:
        """Whether each name means what it meant, and the files are as they were."""
        for parts, quoted, meaning, state in readings:
            try:
                if not self._is_same(parts, quoted, meaning, state):
                    return False
            except LazyFrameError:  # two of that name, or a file that is gone: binding says so
                return False
        return True

    def _is_same(self, parts: tuple[str, ...], quoted: bool, meaning: Any, state: tuple[object, ...] | None) -> bool:
        if isinstance(meaning, FileScan):
            # Where nothing else has taken the name, it is the same path.
            return (not parts or self._held(parts, quoted) is None) and meaning.state() == state
        now = self.locate(parts, quoted)
        if isinstance(now, Named):
            return isinstance(meaning, weakref.ref) and meaning() is now.value
        return now is meaning


_OWN_SCHEMAS = {("main",), ("temp",), ("memory", "main"), ("temp", "main")}
