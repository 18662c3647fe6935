"""The command line: `lazyframe "select ..."`, `lazyframe describe FILE`, and the prompt where it is started bare."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from lazyframe.cli.exit_codes import BROKEN_PIPE, INTERRUPTED

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; those of the process by default.

    Returns:
        The exit code: 0, 1 where a query failed or a file could not be read, 2 for wrong arguments, 130 after Ctrl-C.

    Example:
        >>> main(["describe", "no-such-file.parquet"])
        1
    """
    given = list(argv or ())
    if argv is None:
        given = sys.argv[1:]
        sys.meta_path.insert(0, _WithoutPandas())
    if given[:1] == ["describe"]:
        from lazyframe.cli.describe import parser, run

        given = given[1:]
    else:
        from lazyframe.cli.query import parser, run
    try:
        options = parser().parse_args(given)
    except SystemExit as stop:  # argparse has printed its message
        return int(stop.code or 0)
    try:
        code = run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on. Nor shall the interpreter try to flush what is left, at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


class _WithoutPandas:
    """Keeps pandas out of the process of a command, where no frame of it can get in.

    pyarrow imports it, where it is installed, with the first value that it converts: a third of a second.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"{name} is not used here", name=name)
