"""What a running query shares: threads, a way to stop it, and what it counted."""

from __future__ import annotations

import datetime as dt
import os
import time
import weakref
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyframe.executors.compile_from import default_compile_from
from lazyframe.executors.sources.source import ScanMetrics
from lazyframe.executors.threads import before_exit
from lazyframe.planner.errors import QueryCancelledError
from lazyframe.planner.parameters import NO_LITERALS, Literals

if TYPE_CHECKING:
    from lazyframe.executors.compiled.listing import Operator
    from lazyframe.executors.measurements import Measurements

RECURSION_LIMIT = 100_000
RECURSION_ROWS = 20_000_000


class Context:
    """One run of a query.

    Args:
        threads: how many threads work on it.
        timeout: seconds after which it is stopped.
        recursion_limit: how many rounds a recursion may take.
        recursion_rows: how many rows it may give.
        compile_from: of how many rows on a pipeline is compiled; None: none is; -1: the default.

    Attributes:
        measured: where what its nodes do is counted.
        kernels: where what was compiled for it is listed.
        stop: what kernels look at that may take long: not 0 when the query shall stop.
        parameters: the values of placeholders.
        known: operators that were made for a prepared plan; None where it is none.
        replans_without: the names of rules that are switched off, where what is left of the plan may be planned anew.
    """

    def __init__(
        self,
        threads: int | None = None,
        timeout: float | None = None,
        recursion_limit: int = RECURSION_LIMIT,
        recursion_rows: int = RECURSION_ROWS,
        compile_from: int | None = -1,
    ) -> None:
        self.threads = threads or default_threads()
        self.recursion_limit = recursion_limit
        self.recursion_rows = recursion_rows
        self.compile_from = default_compile_from() if compile_from == -1 else compile_from
        self.metrics = ScanMetrics(may_compile=self.compile_from is not None)
        self.instant = dt.datetime.now(dt.UTC)
        self.measured: Measurements | None = None
        self.kernels: list[Operator] | None = None
        self.parameters: Literals = NO_LITERALS
        self.known: dict[Hashable, Any] | None = None
        self.replans_without: tuple[str, ...] | None = None
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self.is_cancelled = False
        self.stop = np.zeros(1, dtype=np.uint8)
        self._reason = "the query was cancelled"
        _contexts.add(self)

    def compiles(self, rows: float | None) -> bool:
        """Whether a pipeline over so many rows is compiled."""
        return self.compile_from is not None and rows is not None and rows >= self.compile_from

    def cancel(self, reason: str = "the query was cancelled") -> None:
        self._reason = reason
        self.is_cancelled = True
        self.stop[0] = 1

    def check(self) -> None:
        """Raise where the query shall stop."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            self.cancel("the query took longer than its timeout")
        if self.is_cancelled:
            raise QueryCancelledError(self._reason)


_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


def _stop_all() -> None:
    for context in list(_contexts):
        context.cancel("the program ended")


before_exit(_stop_all)


def default_threads() -> int:
    """As many threads as cores this process may use, or as `LAZYFRAME_THREADS` says."""
    wanted = os.environ.get("LAZYFRAME_THREADS")
    if wanted and wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return _cores()


@cache
def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
