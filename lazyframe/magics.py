"""`%sql` and `%%sql` in IPython and notebooks."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Mapping
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

from lazyframe.dataframe import DataFrame
from lazyframe.errors import LazyFrameError
from lazyframe.frame import LazyFrame
from lazyframe.sql import default_session
from lazyframe.sql.objects import is_tabular

_ASSIGNED = re.compile(r"\s*([^\W\d]\w*)\s*<<")


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%sql: {message}")


@magics_class
class SqlMagics(Magics):
    """SQL over the frames of a notebook."""

    @no_var_expand
    @line_cell_magic
    def sql(self, line: str, cell: str | None = None) -> DataFrame | None:
        """Run SQL over the frames and files of this notebook.

        `%sql select ...` and `%%sql` give the rows. `%%sql name`, and `name << select ...` in either, store the query as a
        lazy frame instead, and run nothing. `--dialect NAME` chooses the dialect. `$x` is the variable `x`.
        """
        name, dialect, text = _parsed(line, cell)
        frame = self._query(text, dialect)
        if name is not None:
            self._variables[name] = frame
            return None
        try:
            return frame.collect()
        except LazyFrameError as error:
            raise UsageError(_described(error)) from None

    @property
    def _variables(self) -> dict[str, Any]:
        assert self.shell is not None, "magics are those of a shell"
        return self.shell.user_ns

    def _query(self, text: str, dialect: str) -> LazyFrame:
        variables = self._variables
        try:
            params = _parameters(text, dialect, variables)
            return default_session()._run(text, dialect, params, {}, lambda: iter([variables]))
        except LazyFrameError as error:
            raise UsageError(_described(error)) from None


def _parsed(line: str, cell: str | None) -> tuple[str | None, str, str]:
    """The name to store the query under, the dialect, and the SQL."""
    options, rest = _options(line)
    dialect = options.dialect
    name = None
    if cell is None:
        text = rest
    else:
        if re.fullmatch(r"[^\W\d]\w*", rest):
            name, rest = rest, ""
        elif rest.endswith("<<") and (assigned := _ASSIGNED.fullmatch(rest)):
            name, rest = assigned[1], ""
        # The line of the magic is the first of the cell, so that errors speak of the lines of the cell.
        text = f"{rest}\n{cell}"
    if name is None and (assigned := _ASSIGNED.match(text)):
        name = assigned[1]
        # Blanks, so that errors speak of the columns of the cell.
        text = re.sub(r"[^\n]", " ", assigned[0]) + text[assigned.end() :]
    if not text.strip():
        raise UsageError("%sql: there is no SQL")
    return name, dialect, text


def _options(line: str) -> tuple[argparse.Namespace, str]:
    """The options at the beginning of the line, and the rest of it as it is."""
    parser = _Arguments(prog="%sql", add_help=False)
    parser.add_argument("--dialect", default="duckdb")
    rest = line.strip()
    given: list[str] = []
    while (option := re.match(r"(--\w+)(=|\s+)(\S+)\s*", rest)) is not None:
        given += [option[1], *shlex.split(option[3])]
        rest = rest[option.end() :]
    return parser.parse_args(given), rest


def _parameters(text: str, dialect: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The variables that the SQL uses as parameters."""
    if "$" not in text and ":" not in text:
        return {}
    from lazyframe.planner.sql.reading.statements import statements
    from lazyframe.sql.parameters import Marks

    names = Marks(text, [statement.tree for statement in statements(text, dialect)]).names
    return {name: variables[name] for name in names if name in variables and not is_tabular(variables[name])}


def _described(error: LazyFrameError) -> str:
    return f"{type(error).__name__}: {error}"


def register(shell: Any) -> None:
    """Give a shell the magics."""
    shell.register_magics(SqlMagics)
