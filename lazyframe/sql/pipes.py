"""Data that comes through a pipe: it is read once, to its end, and kept for the query."""

from __future__ import annotations

import os
import stat
import sys
from functools import cache

import pyarrow as pa

from lazyframe.planner.errors import SourceError

_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


class Piped:
    """What came out of a pipe. To readers it is an open file.

    Args:
        name: of the pipe, for errors.
        content: all of it.
    """

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self._content = pa.py_buffer(content)

    @property
    def head(self) -> bytes:
        """Its first bytes."""
        return self._content.slice(0, min(64, self._content.size)).to_pybytes()

    def read(self) -> pa.Buffer:
        """All of it, as often as it is asked for."""
        return self._content


def is_pipe(text: str) -> bool:
    """Whether a name is that of a pipe: of the standard input, or one in the file system."""
    if text in _STANDARD_INPUT:
        return True
    try:
        return stat.S_ISFIFO(os.stat(text).st_mode)  # noqa: PTH116 - asked of each name of a table
    except (OSError, ValueError):  # no such file
        return False


def read_pipe(name: str, pipes: dict[str, Piped]) -> Piped:
    """What comes out of a pipe.

    Args:
        name: for which `is_pipe` holds.
        pipes: what was read before; it gives its bytes only once.

    Raises:
        SourceError: where there is nothing.
    """
    found = pipes.get(name)
    if found is None:
        found = pipes[name] = Piped(name, _standard_input() if name in _STANDARD_INPUT else _content(name))
        if not found.head:
            raise SourceError(f"nothing came through {name}")
    return found


def _content(name: str) -> bytes:
    try:
        with open(name, "rb") as pipe:  # noqa: PTH123 - a Path would do the same
            return pipe.read()
    except OSError as error:
        raise SourceError(f"cannot read {name}: {os.strerror(error.errno or 0)}") from None


@cache
def _standard_input() -> bytes:
    """Kept as long as the process lives: a second query finds it, too."""
    if sys.stdin is None or sys.stdin.isatty():
        raise SourceError("nothing is piped to the standard input", hint="write command | lazyframe \"from '-'\"")
    return sys.stdin.buffer.read()
