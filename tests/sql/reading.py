"""Files of SQL and its answers, in the style of sqllogictest.

A file is records with blank lines between, and comments that begin with `#`:

    statement ok                        the SQL runs
    statement error REGEX               it fails with a message that the expression is found in
    query [rowsort] [names]             after a line `----` stand its rows, in order or, with `rowsort`, in any;
                                        with `names` the names of the columns stand in the first of these lines

Values have `|` or a tab between. NULL is NULL, an empty string (empty), a float its shortest text, a date or time its ISO form.
After the `----` of an error stands its place: `LINE:COLUMN` and the text that is underlined.
A line `params JSON` gives the values of the next record's parameters, `config JSON` its settings; `{dir}` is a folder to write in.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Record:
    """One record: what runs, and what it must give."""

    path: Path
    line: int
    kind: str
    sql: str
    error: str | None = None
    expected: tuple[str, ...] = ()
    sort: bool = False
    names: bool = False
    params: Any = None
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return f"{self.path.stem}:{self.line}"


def records(path: Path) -> list[Record]:
    """The records of a file, in order."""
    lines = path.read_text(encoding="utf8").split("\n")
    found: list[Record] = []
    given: dict[str, Any] = {}
    at = 0
    while at < len(lines):
        head, line = lines[at], at + 1
        at += 1
        if not head.strip() or head.startswith("#"):
            continue
        word, _, rest = head.partition(" ")
        if word in {"params", "config"}:
            given[word] = json.loads(rest)
            continue
        assert word in {"statement", "query"}, f"{path.name}:{line}: {head}"
        body = []
        while at < len(lines) and lines[at].strip():
            body.append(lines[at])
            at += 1
        cut = body.index("----") if "----" in body else len(body)
        sql, expected = "\n".join(body[:cut]), tuple(body[cut + 1 :])
        error = None
        flags = rest.split()
        if word == "statement":
            outcome, _, error_text = rest.partition(" ")
            assert outcome in {"ok", "error"}, f"{path.name}:{line}: {head}"
            error = error_text if outcome == "error" else None
        else:
            assert set(flags) <= {"rowsort", "nosort", "names"}, f"{path.name}:{line}: {head}"
            assert cut < len(body), f"{path.name}:{line}: a query without an answer"
        found.append(
            Record(
                path,
                line,
                word,
                sql,
                error,
                expected,
                "rowsort" in flags,
                word == "query" and "names" in flags,
                **given,
            )
        )
        given = {}
    assert not given, f"{path.name}: the last line is for a record that is not there"
    return found


def cells(row: str) -> tuple[str, ...]:
    """The values of a line of an answer."""
    return tuple(cell.strip(" ") for cell in re.split(r"[|\t]", row))


def rows(table: pa.Table) -> list[tuple[str, ...]]:
    """A table as an answer is written."""
    columns = [[text(value, column.type) for value in values(column)] for column in table.columns]
    return [tuple(row) for row in zip(*columns, strict=True)]


def values(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column in Python; times finer than Python's are cut to microseconds only where they fit."""
    kind = column.type
    if (pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind)) and kind.unit == "ns":
        coarse = (
            pa.timestamp("us", kind.tz)
            if pa.types.is_timestamp(kind)
            else pa.duration("us")
            if pa.types.is_duration(kind)
            else pa.time64("us")
        )
        column = column.cast(coarse)
    return column.to_pylist()


def text(value: Any, kind: pa.DataType | None = None) -> str:
    """A value as an answer writes it."""
    match value:
        case None:
            return "NULL"
        case "":
            return "(empty)"
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case Decimal():
            return format(value, "f")
        case dt.datetime():
            plain = value.replace(tzinfo=None).isoformat(" ")
            return plain if value.tzinfo is None else plain + value.strftime("%z")
        case dt.date() | dt.time():
            return value.isoformat()
        case dt.timedelta():
            return str(value)
        case bytes():
            return value.hex()
        case dict():
            return "{" + ", ".join(f"{name}: {text(item)}" for name, item in value.items()) + "}"
        case list() if kind is not None and pa.types.is_map(kind):
            return "{" + ", ".join(f"{text(key)}: {text(item)}" for key, item in value) + "}"
        case list():
            item_kind = kind.value_type if kind is not None and pa.types.is_nested(kind) else None
            return "[" + ", ".join(text(item, item_kind) for item in value) + "]"
        case tuple() if hasattr(value, "months"):
            return f"{value.months} months {value.days} days {value.nanoseconds} ns"
        case _:
            return str(value)
