"""Where frames come from: files, and what is already in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.eager import made
from lazyframe.frame import LazyFrame

if TYPE_CHECKING:
    from lazyframe.dataframe import DataFrame


def _options(**given: Any) -> dict[str, Any]:
    """The options that were given; the source has the defaults of the others."""
    return {name: value for name, value in given.items() if value is not None}


@public
def scan_parquet(
    paths: Any,
    *,
    hive: bool | None = None,
    hive_types: Mapping[str, Any] | None = None,
    missing_columns: str | None = None,
    filesystem: Any = None,
) -> LazyFrame:
    """A frame over Parquet files. Only the columns and row groups that a query needs are read, when it runs.

    Args:
        paths: a path, a glob, a folder (its subfolders `key=value` become columns), a URL such as `s3://...`, an open binary
            file, or a list of these.
        hive: whether folders `key=value` are columns; by default those below the folder or pattern given.
        hive_types: the types of such columns, by name; by default what fits all values.
        missing_columns: `"null"` to fill columns that some files lack; otherwise that is an error.
        filesystem: an Arrow or fsspec filesystem that the paths belong to.

    Raises:
        SourceNotFoundError: where there is no such file.
        SourceError: where a file is not readable as Parquet, or files do not fit together.

    Example:
        >>> lf.scan_parquet("datasets/airlines.parquet").filter(lf.col("carrier") == "AA").to_dicts()
        [{'carrier': 'AA', 'name': 'American Airlines Inc.'}]
    """
    options = _options(hive=hive, hive_types=hive_types, missing_columns=missing_columns, filesystem=filesystem)
    return made(session.file_source("parquet", paths, options))


@public
def scan_csv(
    paths: Any,
    *,
    schema: Mapping[str, Any] | None = None,
    separator: str | None = None,
    quote_char: str | None = None,
    escape_char: str | None = None,
    has_header: bool | None = None,
    null_values: Sequence[str] | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    skip_rows: int | None = None,
    infer_rows: int | None = None,
    ragged: str | None = None,
    hive: bool | None = None,
    hive_types: Mapping[str, Any] | None = None,
    filesystem: Any = None,
) -> LazyFrame:
    """A frame over CSV files. Types are inferred from a sample and checked while reading.

    Args:
        paths: as for `scan_parquet`; `.gz` and `.zst` are decompressed.
        schema: types by column name, for all or some columns; the others are inferred.
        separator: what stands between values; `,` by default.
        quote_char, escape_char: what quotes a value, and what escapes a quote in it.
        has_header: whether the first line holds the names.
        null_values: texts that mean null, beside the empty one.
        encoding: of the text; `utf-8` by default.
        comment: what a line begins with that is left out.
        skip_rows: how many lines before the header are left out.
        infer_rows: how many rows the types are inferred from.
        ragged: what to do with a line of another length: `"error"` by default, `"skip"` to leave it out, `"null"` to fill a
            short one.
        hive, hive_types: as for `scan_parquet`.
        filesystem: an Arrow or fsspec filesystem that the paths belong to.

    Raises:
        SourceError: for what cannot be read, with its file and line.
    """
    options = _options(
        schema=schema, separator=separator, quote_char=quote_char, escape_char=escape_char, has_header=has_header,
        null_values=null_values, encoding=encoding, comment=comment, skip_rows=skip_rows, infer_rows=infer_rows,
        ragged=ragged, hive=hive, hive_types=hive_types, filesystem=filesystem,
    )  # fmt: skip
    return made(session.file_source("csv", paths, options))


@public
def scan_ipc(paths: Any, *, filesystem: Any = None) -> LazyFrame:
    """A frame over Arrow IPC (Feather) files or streams. For the arguments see `scan_parquet`."""
    return made(session.file_source("ipc", paths, _options(filesystem=filesystem)))


@public
def scan_json(
    paths: Any,
    *,
    schema: Mapping[str, Any] | None = None,
    infer_rows: int | None = None,
    unknown_fields: str | None = None,
    filesystem: Any = None,
) -> LazyFrame:
    """A frame over JSON files: one object a line, or one array of objects.

    Args:
        paths: as for `scan_parquet`.
        schema: types by name, for all or some fields; the others are inferred.
        infer_rows: how many rows the types are inferred from.
        unknown_fields: `"ignore"` to leave out fields that first occur after those rows; otherwise they are an error.
        filesystem: an Arrow or fsspec filesystem that the paths belong to.
    """
    options = _options(schema=schema, infer_rows=infer_rows, unknown_fields=unknown_fields, filesystem=filesystem)
    return made(session.file_source("json", paths, options))


@public
def read_parquet(paths: Any, **options: Any) -> DataFrame:
    """The rows of Parquet files: `scan_parquet(...).collect()`."""
    return scan_parquet(paths, **options).collect()


@public
def read_csv(paths: Any, **options: Any) -> DataFrame:
    """The rows of CSV files: `scan_csv(...).collect()`."""
    return scan_csv(paths, **options).collect()


@public
def read_ipc(paths: Any, **options: Any) -> DataFrame:
    """The rows of Arrow IPC files: `scan_ipc(...).collect()`."""
    return scan_ipc(paths, **options).collect()


@public
def read_json(paths: Any, **options: Any) -> DataFrame:
    """The rows of JSON files: `scan_json(...).collect()`."""
    return scan_json(paths, **options).collect()


@public
def from_arrow(data: Any) -> DataFrame:
    """A frame of whatever holds rows: Arrow tables, pandas and polars frames, duckdb relations, dicts of lists, lists of
    dicts, anything that exports `__arrow_c_stream__`.

    Raises:
        TypeMismatchError, InvalidArgumentError: where it holds no table.

    Example:
        >>> import pyarrow as pa
        >>> lf.from_arrow(pa.table({"x": [1, 2]})).count()
        2
    """
    from lazyframe.dataframe import DataFrame

    return DataFrame(data)


@public
def from_dict(data: Mapping[str, Any], schema: Mapping[str, Any] | None = None) -> DataFrame:
    """A frame of columns.

    Args:
        data: the values by column name, all equally long.
        schema: types by column name, for all or some columns.

    Example:
        >>> lf.from_dict({"x": [1, 2]}, schema={"x": "int8"}).schema["x"]
        DataType(int8)
    """
    from lazyframe.dataframe import DataFrame

    return DataFrame(data, schema)


@public
def from_dicts(rows: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None = None) -> DataFrame:
    """A frame of rows.

    Example:
        >>> lf.from_dicts([{"x": 1}, {"x": 2}]).columns
        ['x']
    """
    from lazyframe.dataframe import DataFrame

    return DataFrame(list(rows), schema)


@public
def from_pandas(frame: Any) -> DataFrame:
    """A frame of the columns of a pandas frame; its index is left out unless it has a name."""
    from lazyframe.dataframe import DataFrame

    return DataFrame(frame)


@public
def from_polars(frame: Any) -> DataFrame:
    """A frame of the columns of a polars frame."""
    from lazyframe.dataframe import DataFrame

    return DataFrame(frame)
