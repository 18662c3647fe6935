"""The prompt: SQL typed at a terminal, with history, completion and colours."""

from __future__ import annotations

import importlib.util
import sys

__all__ = ["run_prompt"]


def run_prompt(dialect: str = "duckdb") -> int:
    """Read statements and meta commands until the input ends, and print what they give.

    Args:
        dialect: of the SQL.

    Returns:
        The exit code.
    """
    from lazyframe.prompt.shell import Shell

    shell = Shell(dialect)
    if importlib.util.find_spec("prompt_toolkit") is not None and sys.stdin.isatty() and sys.stdout.isatty():
        from lazyframe.prompt import editing as reading
    else:
        from lazyframe.prompt import plain as reading  # type: ignore[no-redef]
    print(shell.greeting())
    for text in reading.statements(shell):
        if not shell.run(text):
            break
    return 0
