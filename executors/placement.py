"""Having the workers of a pipeline begin on processors of their own.

Linux takes a processor of a virtual machine that has been idle for one that the host has taken away, and lets a thread that wakes
run where its waker does. Workers hand the interpreter's lock to each other, so that after any pause they shared one processor for
the first tens of milliseconds: two threads took as long as one. A worker that may not leave its processor for its first splits wakes
the other ones for good.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from lazyframe.executors import threads

_THREADS = Path("/proc/self/task")

SPLITS = 8
"""After so many splits a worker goes wherever the system will have it."""


class Placement:
    """The processors on which workers begin: each its own, where there are as many workers as processors.

    Args:
        workers: how many there are.
        wanted: whether they should have places: where native code does the work.
        reads: whether they read files, for which libraries may start threads of their own.
    """

    __slots__ = ("_processors", "_threads")

    def __init__(self, workers: int, *, wanted: bool, reads: bool = False) -> None:
        self._processors: list[int] = []
        self._threads: set[str] | None = None
        if wanted and workers > 1 and hasattr(os, "sched_setaffinity"):
            found = sorted(os.sched_getaffinity(0))
            if 1 < len(found) <= workers:
                self._processors = found
                self._threads = _all_threads() if reads else None

    def begin(self, worker: int) -> bool:
        """Have this thread run on the processor of a worker; gives whether it does."""
        if not self._processors:
            return False
        with suppress(OSError):
            os.sched_setaffinity(0, {self._processors[worker % len(self._processors)]})
            # What is started meanwhile on threads of ours need not stay there.
            threads.placed(self._processors)
            return True
        return False

    def end(self) -> None:
        """Have this thread run anywhere again."""
        threads.placed(None)
        with suppress(OSError):
            os.sched_setaffinity(0, self._processors)
        # What was started meanwhile is bound as this thread was.
        for thread in _all_threads() - self._threads if self._threads is not None else ():
            with suppress(OSError):
                os.sched_setaffinity(int(thread), self._processors)


def _all_threads() -> set[str]:
    """The threads of this process, by their numbers."""
    with suppress(OSError):
        return {thread.name for thread in _THREADS.iterdir()}
    return set()
