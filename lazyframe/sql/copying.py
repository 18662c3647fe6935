"""COPY ... TO a file: the options as DuckDB names them, and what they are here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from lazyframe import session
from lazyframe.formats import KINDS, format_by_name
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError, column_not_found, did_you_mean
from lazyframe.planner.relations import Plan
from lazyframe.planner.sql.reading.positions import SqlSite

_FORMATS = {
    "parquet": "parquet", "csv": "csv", "json": "json", "ndjson": "json", "arrow": "ipc", "arrows": "ipc", "ipc": "ipc",
    "feather": "ipc",
}  # fmt: skip
_CODEC_SUFFIXES = {"gzip": ".gz", "zstd": ".zst", "bz2": ".bz2", "lz4": ".lz4"}


def copied(plan: Plan, path: str, options: Mapping[str, tuple[Any, exp.Expr]], text: str) -> int:
    """Write the rows of a plan.

    Args:
        plan: what to write.
        path: where.
        options: by their names in capitals, with the place of each.
        text: the SQL, for errors.

    Returns:
        The number of rows.

    Raises:
        InvalidArgumentError, UnsupportedError: for an option, at its place.
    """
    given = dict(options)
    kind = _format(path, given.pop("FORMAT", None), text)
    if "PARTITION_BY" in given:
        given["PARTITION_BY"] = _columns(*given["PARTITION_BY"], plan, text)
    known = {**_SHARED, **_OPTIONS[kind]}
    found: dict[str, Any] = {"separator": "\t"} if kind == "csv" and _is_tabbed(path) else {}
    for name, (value, place) in given.items():
        option = known.get(name)
        if option is None:
            raise UnsupportedError(
                f"COPY to {kind} has no option {name}", hint=did_you_mean(name, known), site=SqlSite(text, place)
            )
        ours, read = option
        try:
            made = read(value, path)
        except ValueError as error:
            raise InvalidArgumentError(f"{name}: {error}", site=SqlSite(text, place)) from None
        if ours is not None:
            found[ours] = made
    if found.get("overwrite") and "partition_by" not in found:
        del found["overwrite"]  # files are always replaced
    return session.write(plan, kind, path, found)


def _format(path: str, given: tuple[Any, exp.Expr] | None, text: str) -> str:
    if given is None:
        named = format_by_name(path)
        if named is None:
            raise InvalidArgumentError(
                f"the name {path!r} tells no format to write",
                hint="end it with .parquet, .csv, .json or .arrow, or write (FORMAT parquet)",
            )
        return KINDS[named]
    value, place = given
    kind = _FORMATS.get(str(value).lower())
    if kind is None:
        hint = did_you_mean(str(value).lower(), _FORMATS)
        raise UnsupportedError(f"there is no format {value!r} to write", hint=hint, site=SqlSite(text, place))
    return kind


def _is_tabbed(path: str) -> bool:
    return path.lower().partition(".tsv")[1] != ""


def _flag(value: Any, path: str) -> bool:
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise ValueError(f"true or false, not {value!r}")


def _text(value: Any, path: str) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(f"a text, not {value!r}")


def _count(value: Any, path: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    raise ValueError(f"a whole number of 1 or more, not {value!r}")


def _names(value: Any, path: str) -> list[str]:
    values = value if isinstance(value, list) else [value]
    if all([isinstance(each, str) for each in values]):
        return values
    raise ValueError(f"names of columns, not {value!r}")


def _columns(value: Any, place: exp.Expr, plan: Plan, text: str) -> tuple[Any, exp.Expr]:
    """The names of columns as the plan has them: in SQL they are found without regard to case."""
    known = plan.schema.names
    found = []
    for name in value if isinstance(value, list) else [value]:
        like = [name] if name in known else [each for each in known if each.casefold() == str(name).casefold()]
        if len(like) != 1:
            raise column_not_found(str(name), known, SqlSite(text, place))
        found += like
    return found, place


def _codec(value: Any, path: str) -> str:
    codec = str(value).lower()
    return "none" if codec == "uncompressed" else codec


def _codec_of(*known: str) -> Callable[[Any, str], str | None]:
    def read(value: Any, path: str) -> str:
        codec = _codec(value, path)
        if codec not in known:
            raise ValueError(f"one of {', '.join(known)}, not {value!r}")
        return codec

    return read


def _ipc_codec(value: Any, path: str) -> str | None:
    codec = _codec_of("lz4", "zstd", "none")(value, path)
    return None if codec == "none" else codec


_parquet_codec = _codec_of("zstd", "snappy", "gzip", "lz4", "brotli", "none")


def _codec_by_name(value: Any, path: str) -> None:
    """Text files are compressed as their names say: another wish would make a file that nobody reads by its name."""
    codec = _codec(value, path)
    wanted = _CODEC_SUFFIXES.get(codec)
    named = any([path.lower().endswith(suffix) for suffix in _CODEC_SUFFIXES.values()])
    if codec == "auto" or (codec == "none" and not named) or (wanted and path.lower().endswith(wanted)):
        return
    if wanted is None and codec != "none":
        raise ValueError(f"one of {', '.join(_CODEC_SUFFIXES)}, none or auto, not {value!r}")
    raise ValueError(f"{value!r} does not go with the name {path!r}: end it with {wanted or 'no such suffix'}")


def _quoting(value: Any, path: str) -> str:
    if value in ("*", ["*"]):
        return "all"
    raise ValueError("only * is supported, for all columns")


def _lines(value: Any, path: str) -> None:
    if value is not False:
        raise ValueError("JSON is written as one object a line, and not as an array")


def _only(*accepted: Any) -> Callable[[Any, str], None]:
    def read(value: Any, path: str) -> None:
        if value not in accepted:
            raise ValueError(f"{value!r} is not supported, only {accepted[0]!r}")

    return read


_Option = tuple[str | None, Callable[[Any, str], Any]]
_SHARED: dict[str, _Option] = {
    "PARTITION_BY": ("partition_by", _names), "OVERWRITE": ("overwrite", _flag),
    "WRITE_PARTITION_COLUMNS": (None, _only(False)), "PER_THREAD_OUTPUT": (None, _only(False)),
}  # fmt: skip
_OPTIONS: dict[str, dict[str, _Option]] = {
    "parquet": {
        "COMPRESSION": ("compression", _parquet_codec), "CODEC": ("compression", _parquet_codec),
        "COMPRESSION_LEVEL": ("compression_level", _count), "ROW_GROUP_SIZE": ("row_group_rows", _count),
    },
    "csv": {
        "HEADER": ("header", _flag), "DELIMITER": ("separator", _text), "DELIM": ("separator", _text),
        "SEP": ("separator", _text), "NULL": ("null", _text), "NULLSTR": ("null", _text),
        "FORCE_QUOTE": ("quoting", _quoting), "QUOTE": (None, _only('"')), "ESCAPE": (None, _only('"')),
        "COMPRESSION": (None, _codec_by_name), "ENCODING": (None, _only("utf-8", "UTF-8", "utf8", "UTF8")),
    },
    "json": {"ARRAY": (None, _lines), "COMPRESSION": (None, _codec_by_name)},
    "ipc": {"COMPRESSION": ("compression", _ipc_codec), "CODEC": ("compression", _ipc_codec)},
}  # fmt: skip
