"""What the prompt does with what is typed, however it is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from lazyframe import session
from lazyframe.cli.output import print_outcome
from lazyframe.errors import LazyFrameError
from lazyframe.planner.errors import nearest
from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Plan, Scan
from lazyframe.sql import Session

_HELP = """\
Statements end with ; and may take several lines. Tables are files in quotes, and what CREATE VIEW and CREATE TABLE made.
  .tables          the views and tables of this session
  .schema NAME     the columns of a table, view or file
  .timer on|off    whether to say how long each statement took
  .help            this
  .exit            leave, as Ctrl-D does
Ctrl-C stops a query, or forgets what was typed."""


class Shell:
    """A session at a terminal.

    Args:
        dialect: of the SQL.
    """

    def __init__(self, dialect: str = "duckdb") -> None:
        self.session = Session()
        self.dialect = dialect
        self.timer = False
        self.seen: dict[str, tuple[str, ...]] = {}
        """The columns of the files that queries have read, by the names of these: completion opens none by itself."""
        self._commands: dict[str, Callable[[str], bool]] = {
            ".exit": self._exit, ".help": self._help, ".quit": self._exit, ".schema": self._schema,
            ".tables": self._tables, ".timer": self._timer,
        }  # fmt: skip

    @property
    def commands(self) -> list[str]:
        """The names of the meta commands."""
        return list(self._commands)

    def greeting(self) -> str:
        """The first line."""
        from lazyframe import __version__

        return f"lazyframe {__version__}. SQL ends with ;  .help says more, Ctrl-D leaves."

    def is_complete(self, text: str) -> bool:
        """Whether a text can run: a meta command, or statements of which the last has its `;`."""
        stripped = text.strip()
        return not stripped or stripped.startswith(".") or ends_with_semicolon(stripped, self.dialect)

    def run(self, text: str) -> bool:
        """Do what a text says and print what comes of it.

        Returns:
            Whether to go on.
        """
        stripped = text.strip().rstrip(";").rstrip()
        if not stripped:
            return True
        try:
            if stripped.startswith("."):
                return self._command(stripped)
            self._statements(text)
        except LazyFrameError as error:
            print(error)
        except KeyboardInterrupt:
            print("stopped")
        return True

    def _statements(self, text: str) -> None:
        started = time.perf_counter()
        for outcome in self.session._each(text, self.dialect, None, {}, _no_scopes):
            if outcome.done is None:
                self._remember(outcome.frame._plan)
            print_outcome(outcome, "table", None)
            if self.timer:
                now = time.perf_counter()
                print(f"{(now - started) * 1000:,.1f} ms")
                started = now

    def _remember(self, plan: Plan) -> None:
        for node in postorder(plan):
            if isinstance(node, Scan):
                self.seen[node.source.name] = tuple(node.source.schema.names)

    def _command(self, text: str) -> bool:
        name, _, rest = text.partition(" ")
        command = self._commands.get(name.lower())
        if command is None:
            close = nearest(name, self._commands, 1)
            print(f"there is no {name}" + (f"; did you mean {close[0]}?" if close else "; .help lists what there is"))
            return True
        return command(rest.strip())

    def _exit(self, rest: str) -> bool:
        return False

    def _help(self, rest: str) -> bool:
        print(_HELP)
        return True

    def _tables(self, rest: str) -> bool:
        print("\n".join(self.session.tables()) or "none: CREATE VIEW name AS FROM 'file.parquet' makes one")
        return True

    def _schema(self, rest: str) -> bool:
        if not rest:
            print("write .schema NAME")
            return True
        name = rest.strip("'\"")
        known = self.session._entries.find(name)
        quoted = "'{}'".format(name.replace("'", "''")) if known is None else '"{}"'.format(known[0].replace('"', '""'))
        for outcome in self.session._each(f"describe {quoted}", "duckdb", None, {}, _no_scopes):
            table = session.execute(outcome.frame._plan).select(["column_name", "column_type", "null"])
            from lazyframe.display.text import render_text

            print(render_text(table, max_rows=table.num_rows))
        return True

    def _timer(self, rest: str) -> bool:
        if rest.lower() not in ("on", "off"):
            print(f"write .timer on or .timer off; it is {'on' if self.timer else 'off'}")
        else:
            self.timer = rest.lower() == "on"
        return True


def ends_with_semicolon(text: str, dialect: str) -> bool:
    """Whether the last thing in a text is a `;` that ends a statement, and not one within a string or comment."""
    if ";" not in text:
        return False
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import SqlglotError
    from sqlglot.tokens import TokenType  # type: ignore[attr-defined]

    from lazyframe.planner.sql.reading.tokenized import tokenized

    try:
        tokens = tokenized(Dialect.get_or_raise(dialect), text)
    except SqlglotError:  # a string or comment goes on in the next line
        return False
    except ValueError:  # no such dialect: whoever runs it says so
        return True
    return bool(tokens) and tokens[-1].token_type is TokenType.SEMICOLON


def _no_scopes() -> Iterator[dict[str, Any]]:
    """There are no variables at the prompt."""
    return iter(())
