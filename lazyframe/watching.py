"""Where graphs are cut: `lf.watch` notes every action, and which work was done twice because of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from types import TracebackType
from typing import Protocol, Self

from lazyframe.planner.graph import postorder
from lazyframe.planner.nouns import counted
from lazyframe.planner.parameters import has_parameters
from lazyframe.planner.relations import Cache, Plan, Scan, Values
from lazyframe.planner.site import AnySite, Site, ambient

_NOTHING_TO_KEEP = (Cache, Values)


@dataclass(frozen=True)
class Action:
    """A run of a query.

    Attributes:
        line: the file and line that asked for it.
        seconds: how long it took.
        rows: how many rows it gave; None where it failed.
        rows_read: how many rows it read of its sources.
        bytes_read: how many bytes of them, as they are stored.
        sources: the names of what it read.
        plans: what ran.
    """

    line: str
    seconds: float
    rows: int | None
    rows_read: int
    bytes_read: int
    sources: tuple[str, ...]
    plans: tuple[Plan, ...]

    def __str__(self) -> str:
        return _told([self])


def _told(actions: Sequence[Action]) -> str:
    """A line on actions that follow each other, of one line of code and with as many rows: a loop, or the steps of a training."""
    first = actions[0]
    gave = "failed" if first.rows is None else counted(first.rows, "row")
    times = f"{counted(len(actions), 'time')} {gave}" if len(actions) > 1 else gave
    seconds = sum([action.seconds for action in actions])
    rows, size = sum([action.rows_read for action in actions]), sum([action.bytes_read for action in actions])
    of = f" of {', '.join(first.sources)}" if first.sources else ""
    return f"{first.line}: {times} in {seconds * 1000:,.1f} ms; read {counted(rows, 'row')}, {size:,} bytes{of}"


class Watch:
    """What ran while it watched, in the `with` block of `lf.watch()`.

    Attributes:
        actions: in the order in which they ended.
    """

    def __init__(self) -> None:
        self.actions: list[Action] = []

    def __enter__(self) -> Self:
        with _lock:
            _watches.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with _lock:
            _watches.remove(self)

    @property
    def advice(self) -> list[str]:
        """What to write so that nothing is done twice: for all work that several actions did, a sentence.

        Nothing is said of actions that failed, or read less of their tables than `cache()` would have to.
        """
        actions = [action for action in self.actions if _is_whole(action)]
        kept: dict[bytes, tuple[Plan, list[Action]]] = {}
        seen: dict[bytes, list[Action]] = {}
        for action in actions:
            for digest in {node.digest for plan in action.plans for node in _worth_keeping(plan)}:
                seen.setdefault(digest, []).append(action)
        for action in actions:
            for plan in action.plans:
                for node in _topmost(plan, lambda node: len(seen.get(node.digest, ())) > 1):
                    kept.setdefault(node.digest, (node, seen[node.digest]))
        return [_advice(node, found) for node, found in kept.values()]

    def __repr__(self) -> str:
        seconds = sum(action.seconds for action in self.actions)
        head = f"{counted(len(self.actions), 'action')} in {seconds * 1000:,.1f} ms"
        alike = groupby(self.actions, key=lambda action: (action.line, action.rows, action.sources))
        return "\n".join([head, *[f"  {_told(list(actions))}" for _, actions in alike], *self.advice])


def watch() -> Watch:
    """Note every action within a `with` block: where it was, how long it took, what it read, and what was done twice.

    An action (`collect`, `count`, `show`, `sink_parquet`, ...) cuts the graph: what it computed is gone, and the next one begins
    anew. Actions of all threads are noted.

    Returns:
        A `Watch`: its `actions`, its `advice`, and all of it as text when it is printed.

    Example:
        >>> flights = lf.scan_parquet("datasets/flights.parquet")
        >>> with lf.watch() as watched:
        ...     late = flights.filter(lf.col("arr_delay") > 600)
        ...     n, worst = late.count(), late.select(lf.col("arr_delay").max()).item()
        >>> [action.rows for action in watched.actions], len(watched.advice)
        ([1, 1], 1)
    """
    return Watch()


_watches: list[Watch] = []
_lock = threading.Lock()


class Counted(Protocol):
    """What a run counts of what it reads."""

    rows: int
    bytes: int


class _Noted:
    """What an action says of itself while it is noted."""

    rows: int | None = None


@contextmanager
def noted(plans: Sequence[Plan], read: Counted) -> Generator[_Noted]:
    """Note an action for all who watch when it ends.

    Args:
        plans: as they were written, where that is known.
        read: what the run counts, to its end.
    """
    found = _Noted()
    if not _watches:
        yield found
        return
    started, site = time.perf_counter(), ambient.site
    try:
        yield found
    finally:
        seconds = time.perf_counter() - started
        action = Action(_line(site), seconds, found.rows, read.rows, read.bytes, _sources(plans), tuple(plans))
        with _lock:
            for each in dict.fromkeys(_watches):
                each.actions.append(action)


def _sources(plans: Sequence[Plan]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys([node.source.name for plan in plans for node in postorder(plan) if isinstance(node, Scan)])
    )


def _line(site: AnySite | None) -> str:
    """A place in one line."""
    if site is None:
        return "an unknown line"
    if isinstance(site, Site):
        return f"{site.file.replace(chr(92), '/').rpartition('/')[2]}:{site.line}"
    return site.describe().splitlines()[0].strip()


def _is_worth_keeping(node: Plan) -> bool:
    """Whether computing it again costs something that keeping it would save: not so of rows that are in memory anyway."""
    if isinstance(node, _NOTHING_TO_KEEP) or has_parameters(node):
        return False
    return not (isinstance(node, Scan) and node.source.name == "in memory")


_MOST = 0.5
"""The part of its tables that an action reads, where keeping the rows saves something."""


def _is_whole(action: Action) -> bool:
    """Whether an action read so much that rows in memory would save it: not so of the first rows, or of an answer from metadata."""
    if action.rows is None or action.rows_read == 0:
        return False
    sources = {node.digest: node.source for plan in action.plans for node in postorder(plan) if isinstance(node, Scan)}
    return action.rows_read >= _MOST * sum([source.statistics().rows or 0 for source in sources.values()])


def _worth_keeping(plan: Plan) -> list[Plan]:
    return [node for node in postorder(plan) if _is_worth_keeping(node)]


def _topmost(root: Plan, test: Callable[[Plan], bool]) -> list[Plan]:
    """The nodes of a plan for which something holds, without those below them; nothing is looked for below a cache."""
    found: list[Plan] = []
    seen: set[int] = set()
    stack = [root]
    while stack:
        current = stack.pop()
        if id(current) in seen or isinstance(current, Cache):
            continue
        seen.add(id(current))
        if _is_worth_keeping(current) and test(current):
            found.append(current)
        else:
            stack.extend(reversed(current.children()))
    return found


def _advice(node: Plan, actions: Sequence[Action]) -> str:
    lines = list(dict.fromkeys([action.line for action in actions]))
    where = _listed(lines) if len(lines) > 1 else f"{lines[0]}, {len(actions)} times,"
    sources = _sources([node])
    did = f"read {', '.join(sources)}" if sources else "compute the same rows"
    saved = sum(sorted([action.seconds for action in actions])[:-1])
    return f"{where} {did}: {_remedy(node, actions)} would save up to {_time(saved)}"


def _remedy(node: Plan, actions: Sequence[Action]) -> str:
    """What to write, and where. Equal rows may have been asked for at several places."""
    places = [found.site for action in actions for plan in action.plans for found in postorder(plan) if found == node]
    lines = list(dict.fromkeys([_line(site) for site in places if isinstance(site, Site)]))
    if not lines:
        return "one frame of the query in SQL, with cache(),"
    if len(lines) > 1:
        return f"cache() after {lines[0]}, and that frame at {_listed(lines[1:])},"
    return f"cache() after {lines[0]}"


def _listed(lines: Sequence[str]) -> str:
    return " and ".join([", ".join(lines[:-1]), lines[-1]] if len(lines) > 1 else lines)


def _time(seconds: float) -> str:
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{seconds * 1000:,.1f} ms"
