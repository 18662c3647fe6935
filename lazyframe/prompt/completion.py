"""What could come next in SQL: keywords, tables, columns, functions, files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lazyframe.formats import format_by_name
from lazyframe.prompt.shell import Shell

KEYWORDS = (
    "ALL", "ANALYZE", "AND", "ANTI JOIN", "AS", "ASC", "ASOF JOIN", "BETWEEN", "BY NAME", "CASE", "CAST", "COLUMNS", "COPY",
    "CREATE", "CROSS JOIN", "CUBE", "DESC", "DESCRIBE", "DISTINCT", "DISTINCT ON", "DROP", "ELSE", "END", "EXCEPT",
    "EXCLUDE", "EXISTS", "EXPLAIN", "FILTER", "FROM", "FULL JOIN", "GROUP BY", "GROUPING SETS", "HAVING", "ILIKE", "IN",
    "INTERSECT", "INTERVAL", "IS", "JOIN", "LATERAL", "LEFT JOIN", "LIKE", "LIMIT", "NATURAL JOIN", "NOT", "NULL",
    "NULLS FIRST", "NULLS LAST", "OFFSET", "ON", "OR", "OR REPLACE", "ORDER BY", "OVER", "PARTITION BY", "PIVOT", "QUALIFY",
    "RECURSIVE", "REPLACE", "RIGHT JOIN", "ROLLUP", "SELECT", "SEMI JOIN", "SHOW TABLES", "SUMMARIZE", "TABLE",
    "TABLESAMPLE", "TEMP", "THEN", "TO", "TRY_CAST", "UNION", "UNNEST", "UNPIVOT", "USING", "VALUES", "VIEW", "WHEN",
    "WHERE", "WINDOW", "WITH",
)  # fmt: skip

_WORD = re.compile(r"[A-Za-z_.][\w.]*$")
_AFTER_TABLE = re.compile(r"\b(from|join|describe|summarize|table|view)\s+\S*$", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:from|join)\s+('[^']+'|\"[^\"]+\"|\w+)", re.IGNORECASE)


class Suggestion(NamedTuple):
    """A text that could replace the `length` characters before the cursor, and what it is."""

    text: str
    length: int
    kind: str


def suggestions(before: str, whole: str, shell: Shell) -> list[Suggestion]:
    """What could stand at the cursor. No file is opened to find out.

    Args:
        before: what is typed before the cursor.
        whole: all that is typed.
        shell: the session, with the columns of the files that were read in it.
    """
    if before.lstrip().startswith("."):
        return _commands(before.lstrip(), shell)
    if before.count("'") % 2:
        typed = before.rpartition("'")[2]
        return [Suggestion(name, len(typed), "file") for name in _files(typed)]
    found = _WORD.search(before)
    typed = found[0] if found else ""
    if "." in typed:
        _, _, typed = typed.rpartition(".")
        return _starting(typed, [(_columns(whole, shell), "column")])
    tables = (shell.session.tables(), "table")
    if _AFTER_TABLE.search(before):
        return _starting(typed, [tables])
    if not typed:
        return []
    return _starting(
        typed, [(_columns(whole, shell), "column"), tables, (_keywords(typed), "keyword"), (_functions(), "function")]
    )


def _starting(typed: str, groups: Iterable[tuple[Iterable[str], str]]) -> list[Suggestion]:
    folded = typed.casefold()
    found: dict[str, Suggestion] = {}
    for names, kind in groups:
        for name in names:
            if name.casefold().startswith(folded):
                shown = _quoted(name) if kind in ("column", "table") else name
                found.setdefault(shown, Suggestion(shown, len(typed), kind))
    return list(found.values())


def _quoted(name: str) -> str:
    """A name as SQL writes it."""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else '"{}"'.format(name.replace('"', '""'))


def _commands(typed: str, shell: Shell) -> list[Suggestion]:
    name, space, rest = typed.partition(" ")
    if not space:
        return [Suggestion(each, len(name), "command") for each in shell.commands if each.startswith(name)]
    if name == ".timer":
        return _starting(rest, [(("on", "off"), "command")])
    return _starting(rest, [(shell.session.tables(), "table")]) if name == ".schema" else []


def _keywords(typed: str) -> list[str]:
    """The keywords in the case that is typed."""
    return [word.lower() for word in KEYWORDS] if typed.islower() else list(KEYWORDS)


@cache
def _functions() -> tuple[str, ...]:
    from lazyframe.planner.sql.expressions.binder import function_names

    return tuple([f"{name}(" for name in function_names()])


def _columns(text: str, shell: Shell) -> list[str]:
    """The columns of the tables that are named in a text, as far as they are known."""
    found: list[str] = []
    for written in _NAMED.findall(text):
        name = written.strip("'\"")
        entry = shell.session._entries.find(name, quoted=written[0] == '"')
        if entry is not None and entry[1].plan is not None:
            found += entry[1].plan.schema.names
        else:
            found += shell.seen.get(name, ())
    return list(dict.fromkeys(found))


def _files(typed: str) -> list[str]:
    """The folders, and the files that a query could read, whose paths begin so."""
    folder, _, start = typed.rpartition("/")
    here = Path(folder or ("/" if typed.startswith("/") else ".")).expanduser()
    prefix = folder + "/" if "/" in typed else ""
    try:
        entries = sorted(here.iterdir())
        return [
            prefix + entry.name + ("/" if entry.is_dir() else "")
            for entry in entries
            if entry.name.startswith(start)
            and not (entry.name.startswith(".") and not start)
            and (entry.is_dir() or format_by_name(entry.name))
        ]
    except OSError:
        return []
