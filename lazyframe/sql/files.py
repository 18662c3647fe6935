"""Files that a query reads: by a path that stands for a table, or by a function such as `read_parquet`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lazyframe import session
from lazyframe.formats import KINDS, format_by_name, format_of, format_of_bytes
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError, did_you_mean
from lazyframe.planner.nouns import counted
from lazyframe.planner.relations import Plan
from lazyframe.planner.relations.project import renamed
from lazyframe.planner.types import STRING
from lazyframe.sql.pipes import Piped, is_pipe, read_pipe

_PATH_LIKE = re.compile(r"[/\\*?]|://")


class FileScan(NamedTuple):
    """Files to read, and how.

    Attributes:
        kind: of the files.
        paths: where they are; or what came out of a pipe.
        options: of the source.
        columns: names and types by position, where they are not those of the files; None for a name or type that is.
    """

    kind: str
    paths: str | tuple[str, ...] | Piped
    options: tuple[tuple[str, Any], ...] = ()
    columns: Columns | None = None

    def plan(self) -> Plan:
        """The plan that reads them."""
        paths = list(self.paths) if isinstance(self.paths, tuple) else self.paths
        plan = session.file_source(self.kind, paths, dict(self.options))
        if self.columns is None:
            return plan
        names = plan.schema.names
        types = self.columns.types_of(names)
        if types:
            plan = session.file_source(self.kind, paths, {**dict(self.options), "schema": types})
        return renamed(plan, dict(zip(names, self.columns.names or names, strict=True)))

    def state(self) -> tuple[object, ...] | None:
        """What changes when the files do, None where that cannot be told cheaply."""
        if isinstance(self.paths, Piped):
            return None
        hive = dict(self.options).get("hive")
        return session.files_state(self.paths if isinstance(self.paths, str) else list(self.paths), hive)


class Columns(NamedTuple):
    """Names and types that a query gives to the columns of files.

    Attributes:
        names: of all columns in order; None for those of the files.
        types: one for each name, or one for all columns; none at all where they are to be inferred.
    """

    names: tuple[str, ...] | None
    types: tuple[Any, ...]

    def types_of(self, found: Sequence[str]) -> dict[str, Any]:
        """The types by the names in the files.

        Raises:
            InvalidArgumentError: where there are more or fewer columns than names.
        """
        if self.names is not None and len(self.names) != len(found):
            raise InvalidArgumentError(
                f"{counted(len(self.names), 'column')} {'is' if len(self.names) == 1 else 'are'} named, and the file has "
                f"{len(found)}: {', '.join(found)}",
                hint="name all of them, or give some their types with types = {...}",
            )
        types = self.types if self.names is not None else self.types * len(found)
        return dict(zip(found, types, strict=False))


def file_named(text: str, pipes: dict[str, Piped]) -> FileScan | None:
    """The files that a name in a query stands for, None where it is no path.

    Args:
        text: the name.
        pipes: what was read of pipes before.
    """
    if is_pipe(text):
        piped = read_pipe(text, pipes)
        return FileScan(KINDS[format_of_bytes(piped.head)], piped)
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


def file_function(
    name: str, arguments: Sequence[Any], options: Mapping[str, Any], pipes: dict[str, Piped]
) -> FileScan | None:
    """What a table function reads, None where it is no function that reads files.

    Args:
        name: of the function, in any case.
        arguments: a path, or a list of paths.
        options: as DuckDB names them, and as `scan_csv` and its like do.
        pipes: what was read of pipes before.

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
                f"{name}() has no option {option!r}",
                hint=_INSTEAD.get(option.lower()) or did_you_mean(option.lower(), _OPTIONS[kind]),
            )
        ours, read = known
        given = read(option, value)
        if ours is not None:
            found[ours] = given
    columns = _columns_given(found)
    if isinstance(paths, str) and is_pipe(paths):
        return FileScan(kind, read_pipe(paths, pipes), tuple(found.items()), columns)
    return FileScan(kind, paths, tuple(found.items()), columns)


def _columns_given(found: dict[str, Any]) -> Columns | None:
    """The names and types of all columns, taken out of the options.

    Raises:
        InvalidArgumentError: where they are given twice.
    """
    given = [option for option in ("columns", "names", "all_varchar") if found.get(option)]
    columns, names, _ = (found.pop(option, None) for option in ("columns", "names", "all_varchar"))
    if not given:
        return None
    if len(given) > 1 or "schema" in found:
        raise InvalidArgumentError(f"{given[0]} and {(*given[1:], 'types')[0]} both name columns or types: give one")
    if columns:
        return Columns(tuple(columns), tuple(columns.values()))
    return Columns(names, ()) if names else Columns(None, (STRING,))


_INSTEAD = {
    "dateformat": "read it as text, types = {'day': 'VARCHAR'}, and write strptime(day, '%d.%m.%Y')",
    "timestampformat": "read it as text, types = {'at': 'VARCHAR'}, and write strptime(at, '%d.%m.%Y %H:%M')",
    "date_format": "read it as text, types = {'day': 'VARCHAR'}, and write strptime(day, '%d.%m.%Y')",
    "timestamp_format": "read it as text, types = {'at': 'VARCHAR'}, and write strptime(at, '%d.%m.%Y %H:%M')",
    "decimal_separator": "read it as text, and write replace(x, ',', '.')::DECIMAL(18, 2)",
    "ignore_errors": "read the column as text, types = {'x': 'VARCHAR'}, and write TRY_CAST(x AS INTEGER)",
    "union_by_name": "write FROM 'a.csv' UNION ALL BY NAME FROM 'b.csv'",
    "file_row_number": "write row_number() OVER () in the SELECT",
}
_FILE_NAME = "write SELECT *, 'a.csv' AS filename FROM 'a.csv', with UNION ALL for several"


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


def _only(*accepted: Any, hint: str | None = None) -> Callable[[str, Any], Any]:
    """An option of which some values ask for what is done anyway."""

    def read(option: str, value: Any) -> Any:
        if value not in accepted:
            raise UnsupportedError(f"{option} = {value!r} is not supported", hint=hint)
        return value

    return read


_Option = tuple[str | None, Callable[[str, Any], Any]]
_HIVE: dict[str, _Option] = {"hive_partitioning": ("hive", _flag), "hive_types": ("hive_types", _types)}
_AS_NAMED: dict[str, _Option] = {"compression": (None, _only("auto", "auto_detect"))}
_OPTIONS: dict[str, dict[str, _Option]] = {
    "parquet": {**_HIVE, "union_by_name": ("missing_columns", _missing), "filename": (None, _only(False, hint=_FILE_NAME))},
    "csv": {
        **_HIVE, **_AS_NAMED,
        "delim": ("separator", _text), "delimiter": ("separator", _text), "sep": ("separator", _text),
        "separator": ("separator", _text), "header": ("has_header", _flag), "quote": ("quote_char", _text),
        "escape": ("escape_char", _text), "nullstr": ("null_values", _texts), "skip": ("skip_rows", _count),
        "sample_size": ("infer_rows", _sample), "types": ("schema", _types), "dtypes": ("schema", _types),
        "column_types": ("schema", _types), "comment": ("comment", _text), "encoding": ("encoding", _text),
        "null_padding": ("ragged", _ragged), "auto_detect": (None, _only(True)),
        "columns": ("columns", _types), "names": ("names", _texts), "all_varchar": ("all_varchar", _flag),
        "filename": (None, _only(False, hint=_FILE_NAME)),
    },
    "json": {
        **_AS_NAMED, "sample_size": ("infer_rows", _sample), "columns": ("schema", _types),
        "format": (None, _only("auto", "array", "newline_delimited", "nd")), "auto_detect": (None, _only(True)),
        "filename": (None, _only(False, hint=_FILE_NAME)),
    },
    "ipc": {},
}  # fmt: skip
