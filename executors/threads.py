"""Threads that wait for work from one query to the next.

A task is started at once, on an idle thread or on a new one. It never waits in a line for a thread that another task holds: that
other task might be waiting for it, as where a user's function runs a query of its own, or where the rows of one query are read
slowly while another runs. How many tasks a query has at a time is its own affair; there are as many threads as were ever busy
together, up to a bound beyond which idle ones end.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

_MOST_IDLE = 256
_PATIENCE_AT_EXIT_SECONDS = 5.0


class Task:
    """A function that runs on another thread."""

    __slots__ = ("_arguments", "_error", "_finished", "_function")

    def __init__(self, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self._function: Callable[..., object] | None = function
        self._arguments = arguments
        self._error: BaseException | None = None
        self._finished = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended, at most so many seconds; gives whether it has."""
        return self._finished.wait(timeout)

    def result(self) -> None:
        """Wait for its end, and raise what it raised."""
        self._finished.wait()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        assert self._function is not None
        try:
            self._function(*self._arguments)
        except BaseException as error:  # noqa: BLE001 - raised again by `result`
            self._error = error
        # A task that is still held holds nothing of what it worked on.
        self._function, self._arguments = None, ()


class _Threads:
    """The threads of this process."""

    def __init__(self) -> None:
        self.start_anew()

    def start_anew(self) -> None:
        self.lock = threading.Lock()
        self.idle: list[queue.SimpleQueue[Task]] = []
        self.busy: set[Task] = set()

    def start(self, task: Task) -> None:
        with self.lock:
            self.busy.add(task)
            inbox = self.idle.pop() if self.idle else None
        if inbox is None:
            inbox = queue.SimpleQueue()
            processors: Sequence[int] | None = getattr(_own, "processors", None)
            threading.Thread(target=self.serve, args=(inbox, processors), name="lazyframe", daemon=True).start()
        inbox.put(task)

    def serve(self, inbox: queue.SimpleQueue[Task], processors: Sequence[int] | None) -> None:
        if processors is not None:
            with suppress(OSError):
                os.sched_setaffinity(0, processors)
        while True:
            task = inbox.get()
            task._run()
            with self.lock:
                self.busy.discard(task)
                stays = len(self.idle) < _MOST_IDLE
                if stays:
                    self.idle.append(inbox)
            task._finished.set()
            del task
            if not stays:
                return


_threads = _Threads()
_own = threading.local()
_before_exit: list[Callable[[], None]] = []


def start(function: Callable[..., object], *arguments: Any) -> Task:
    """Run a function on another thread, from now on."""
    task = Task(function, arguments)
    _threads.start(task)
    return task


def placed(processors: Sequence[int] | None) -> None:
    """Note that this thread is bound to a processor for now, where a new one may run on any of these; None where it is not."""
    _own.processors = processors


@contextmanager
def free(count: int) -> Iterator[None]:
    """So many threads, this one among them, may be used by what it does within this, as nothing else goes on meanwhile."""
    before = available()
    _own.threads = count
    try:
        yield
    finally:
        _own.threads = before


def available() -> int:
    """How many threads what this thread does may use, itself among them."""
    return getattr(_own, "threads", 1)


def run_all(functions: Sequence[Callable[[], object]], threads: int) -> None:
    """Run functions on so many threads, this one among them, and wait for all; raises the first error."""
    waiting = deque(functions)

    def work() -> None:
        while waiting:
            try:
                function = waiting.popleft()
            except IndexError:
                return
            function()

    others = [start(work) for _ in range(min(threads, len(functions)) - 1)]
    try:
        work()
    finally:
        waiting.clear()
        for task in others:
            task.wait()
    for task in others:
        task.result()


def before_exit(stop: Callable[[], None]) -> None:
    """Have a function called when the interpreter ends, which makes the tasks that still run end soon."""
    _before_exit.append(stop)


def _end() -> None:
    """The threads are daemons, which must not be in the midst of native code when the interpreter goes away."""
    for stop in _before_exit:
        stop()
    with _threads.lock:
        busy = list(_threads.busy)
    for task in busy:
        task.wait(_PATIENCE_AT_EXIT_SECONDS)


atexit.register(_end)
# Threads do not survive a fork: a child process makes its own.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.start_anew)
