"""Files that a query reads: by a path that stands for a table, or by a function such as `read_parquet`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lazyframe import session
from lazyframe.formats import KINDS, format_by_name, format_of
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError, did_you_mean
from lazyframe.planner.relations import Plan

_PATH_LIKE = re.compile(r"[/\\*?]|://")


class FileScan(NamedTuple):
    """Files to read, and how."""

    kind: str
    paths: str | tuple[str, ...]
    options: tuple[tuple[str, Any], ...] = ()

    def plan(self) -> Plan:
        """The plan that reads them."""
        paths = self.paths if isinstance(self.paths, str) else list(self.paths)
        return session.file_source(self.kind, paths, dict(self.options))

    def state(self) -> tuple[object, ...] | None:
        """What changes when the files do, None where that cannot be told cheaply."""
        hive = dict(self.options).get("hive")
        return session.files_state(self.paths if isinstance(self.paths, str) else list(self.paths), hive)


def file_named(text: str) -> FileScan | None:
    """The files that a name in a query stands for, None where it is no path."""
    if format_by_name(text) is None and not _PATH_LIKE.search(text) and not is_file(text):
        return None
    return FileScan(KINDS[format_of(text)], text)


def is_file(text: str) -> bool:
    """Whether there is a file or folder of that name."""
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # too long, or with a null character: no name of a file
        return False


def files_here() -> list[str]:
    """The files of the working folder that a query could read, for a hint."""
    try:
        return sorted(entry.name for entry in Path().iterdir() if format_by_name(entry.name))[:200]
    except OSError:
        return []


_FUNCTIONS = {
    "read_parquet": "parquet", "parquet_scan": "parquet",
    "read_csv": "csv", "read_csv_auto": "csv",
    "read_json": "json", "read_json_auto": "json", "read_ndjson": "json", "read_ndjson_auto": "json",
    "read_ipc": "ipc", "read_arrow": "ipc", "read_feather": "ipc",
}  # fmt: skip

FUNCTIONS = tuple(_FUNCTIONS)
"""The table functions that read files."""


def file_function(name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> FileScan | None:
    """What a table function reads, None where it is no function that reads files.

    Args:
        name: of the function, in any case.
        arguments: a path, or a list of paths.
        options: as DuckDB names them, and as `scan_csv` and its like do.

    Raises:
        InvalidArgumentError: for arguments that are no paths.
        UnsupportedError: for an option that is not known here.
    """
    kind = _FUNCTIONS.get(name.lower())
    if kind is None:
        return None
    if len(arguments) != 1:
        raise InvalidArgumentError(
            f"{name}() takes one path or a list of paths, not {len(arguments)} arguments",
            hint="write ['a.parquet', 'b.parquet'] for several files",
        )
    paths = arguments[0]
    if isinstance(paths, (list, tuple)) and paths and all([isinstance(path, str) for path in paths]):
        paths = tuple(paths)
    elif not isinstance(paths, str):
        raise InvalidArgumentError(f"{name}() takes a path or a list of paths, not {paths!r}")
    found: dict[str, Any] = {}
    for option, value in options.items():
        known = _OPTIONS[kind].get(option.lower())
        if known is None:
            raise UnsupportedError(
                f"{name}() has no option {option!r}", hint=did_you_mean(option.lower(), _OPTIONS[kind])
            )
        ours, read = known
        given = read(option, value)
        if ours is not None:
            found[ours] = given
    return FileScan(kind, paths, tuple(found.items()))


def _flag(option: str, value: Any) -> bool:
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise InvalidArgumentError(f"{option} is true or false, not {value!r}")


def _text(option: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise InvalidArgumentError(f"{option} is a text, not {value!r}")


def _texts(option: str, value: Any) -> tuple[str, ...]:
    return tuple([_text(option, each) for each in (value if isinstance(value, (list, tuple)) else [value])])


def _count(option: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise InvalidArgumentError(f"{option} is a whole number of 0 or more, not {value!r}")


def _sample(option: str, value: Any) -> int:
    return 1 << 62 if value == -1 else _count(option, value)


def _types(option: str, value: Any) -> dict[str, str]:
    if isinstance(value, Mapping):
        return {str(name): _type_of_text(option, each) for name, each in value.items()}
    raise InvalidArgumentError(f"{option} is a struct of types by column name, not {value!r}", hint="{'a': 'INTEGER'}")


def _type_of_text(option: str, value: Any) -> Any:
    """A type by its name in SQL."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from lazyframe.planner.sql.expressions.binder import Expressions
    from lazyframe.planner.sql.expressions.types import read_type
    from lazyframe.planner.sql.names.scope import Scope
    from lazyframe.planner.sql.statement import Statement

    text = _text(option, value)
    try:
        tree = exp.DataType.build(text, dialect="duckdb")
    except (SqlglotError, ValueError):
        raise InvalidArgumentError(f"{option}: {text!r} is no type", hint="write INTEGER, VARCHAR, DATE, ...") from None
    return read_type(tree, Expressions(Statement(text, _NoTables()), Scope(), option))


class _NoTables:
    """The catalog where there is nothing but names of types."""

    def table(self, parts: tuple[str, ...], *, quoted: bool) -> None:
        return None

    def names(self) -> list[str]:
        return []

    def table_functions(self) -> tuple[str, ...]:
        return ()

    def table_function(self, name: str, args: Sequence[Any], options: Mapping[str, Any]) -> None:
        return None

    def rows(self, plan: Plan) -> Any:
        raise AssertionError("a type reads no rows")


def _missing(option: str, value: Any) -> str:
    return "null" if _flag(option, value) else "error"


def _ragged(option: str, value: Any) -> str:
    return "null" if _flag(option, value) else "error"


def _only(*accepted: Any) -> Callable[[str, Any], Any]:
    """An option of which some values ask for what is done anyway."""

    def read(option: str, value: Any) -> Any:
        if value not in accepted:
            raise UnsupportedError(f"{option} = {value!r} is not supported")
        return value

    return read


_Option = tuple[str | None, Callable[[str, Any], Any]]
_HIVE: dict[str, _Option] = {"hive_partitioning": ("hive", _flag), "hive_types": ("hive_types", _types)}
_AS_NAMED: dict[str, _Option] = {"compression": (None, _only("auto", "auto_detect"))}
_OPTIONS: dict[str, dict[str, _Option]] = {
    "parquet": {**_HIVE, "union_by_name": ("missing_columns", _missing), "filename": (None, _only(False))},
    "csv": {
        **_HIVE, **_AS_NAMED,
        "delim": ("separator", _text), "delimiter": ("separator", _text), "sep": ("separator", _text),
        "separator": ("separator", _text), "header": ("has_header", _flag), "quote": ("quote_char", _text),
        "escape": ("escape_char", _text), "nullstr": ("null_values", _texts), "skip": ("skip_rows", _count),
        "sample_size": ("infer_rows", _sample), "types": ("schema", _types), "dtypes": ("schema", _types),
        "column_types": ("schema", _types), "comment": ("comment", _text), "encoding": ("encoding", _text),
        "null_padding": ("ragged", _ragged), "auto_detect": (None, _only(True)), "filename": (None, _only(False)),
    },
    "json": {
        **_AS_NAMED, "sample_size": ("infer_rows", _sample), "columns": ("schema", _types),
        "format": (None, _only("auto", "array", "newline_delimited", "nd")), "auto_detect": (None, _only(True)),
        "filename": (None, _only(False)),
    },
    "ipc": {},
}  # fmt: skip
