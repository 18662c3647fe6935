"""Reading statements line by line, with what Python itself has."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from lazyframe.prompt.history import history_file
from lazyframe.prompt.shell import Shell

_PROMPT, _CONTINUED = "lf> ", "... "


def statements(shell: Shell) -> Iterator[str]:
    """What is typed, as often as it is complete, until the input ends."""
    if sys.stdin.isatty():
        print("For completion and colours: pip install 'lazyframe-engine[cli]'")
    with _history():
        lines: list[str] = []
        while True:
            try:
                lines.append(input(_CONTINUED if lines else _PROMPT))
            except KeyboardInterrupt:  # what was typed is forgotten
                print()
                lines = []
                continue
            except EOFError:
                print()
                if lines:
                    yield "\n".join(lines)
                return
            text = "\n".join(lines)
            if shell.is_complete(text):
                lines = []
                yield text


@contextlib.contextmanager
def _history() -> Iterator[None]:
    """Earlier lines behind the arrow keys, where Python has readline."""
    file = history_file() if sys.stdin.isatty() else None
    try:
        import readline
    except ImportError:  # Windows has none
        file = None
    if file is None:
        yield
        return
    with contextlib.suppress(OSError):  # a file of another line editor
        readline.read_history_file(file)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            readline.write_history_file(file)
