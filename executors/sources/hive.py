"""Columns that stand in folder names: `year=2013/month=1/part-0.parquet`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import pyarrow as pa

from lazyframe.executors.sources.decimal_casts import cast_checked
from lazyframe.planner import arrow
from lazyframe.planner.errors import InvalidArgumentError, SourceError, did_you_mean
from lazyframe.planner.schema import Field
from lazyframe.planner.types import DATE, INT64, STRING, DataType, parse_type, type_name

if TYPE_CHECKING:
    from lazyframe.executors.sources.files import DataFile, Partition

NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""What Hive writes where the value is null."""


def partition_of(path: str) -> Partition:
    """The keys and values of the folders of `path`. A value is data: it is decoded, and never used as a path.

    >>> partition_of("year=2013/city=S%C3%A3o%20Paulo/part-0.parquet")
    (('year', '2013'), ('city', 'São Paulo'))
    """
    found = []
    for folder in path.split("/")[:-1]:
        key, equals, value = folder.partition("=")
        if equals and key:
            found.append((unquote(key), None if value == NULL_PARTITION else unquote(value)))
    return tuple(found)


def folder_name(key: str, value: str | None) -> str:
    """The folder of a value, which `partition_of` reads back.

    >>> folder_name("city", "a/b")
    'city=a%2Fb'
    """
    return f"{quote(key, safe='')}={NULL_PARTITION if value is None else quote(value, safe='')}"


class PartitionColumns:
    """The columns that the folders of some files stand for, with types that fit all their values.

    Args:
        files: all files of the source.
        types: types by name where those found (int64, date or string) are not the ones wanted.

    Raises:
        SourceError: where the files do not all have the same keys, or a value is not of the type wanted.
        InvalidArgumentError: where a type is of no partition column.
    """

    def __init__(self, files: Sequence[DataFile], types: Mapping[str, object] | None = None) -> None:
        keys = tuple(key for key, _ in files[0].partition) if files else ()
        for file in files:
            own = tuple(key for key, _ in file.partition)
            if own != keys or len(set(own)) != len(own):
                raise SourceError(
                    f"files have different partition folders: {files[0].name} has {_shown(keys)}, {file.name} has {_shown(own)}",
                    hint="hive=False reads them without these columns",
                )
        for name in types or {}:
            if name not in keys:
                raise InvalidArgumentError(
                    f"hive_types names a column {name!r} that no folder has",
                    hint=did_you_mean(name, keys) or "partition columns come from folders such as 'year=2013'",
                )
        self.fields: list[Field] = []
        self._texts = {file.path: dict(file.partition) for file in files} if keys else {}
        for key in keys:
            texts = [self._texts[file.path][key] for file in files]
            wanted = (types or {}).get(key)
            self.fields.append(Field(key, _type_of(key, texts, wanted), None in texts))

    def __contains__(self, name: object) -> bool:
        return any(field.name == name for field in self.fields)

    def scalar(self, file: DataFile, field: Field) -> pa.Scalar:
        """The value that a file has in a partition column."""
        text = self._texts[file.path][field.name]
        return _value(text, field.dtype)

    def column(self, file: DataFile, field: Field, rows: int) -> pa.Array:
        """The value as a column of so many rows."""
        value = self.scalar(file, field)
        if field.dtype == STRING and value.is_valid:
            return pa.DictionaryArray.from_arrays(pa.repeat(arrow.scalar(0, pa.int32()), rows), arrow.array([value]))
        return pa.repeat(value, rows)


def _shown(keys: Sequence[str]) -> str:
    return ", ".join(keys) if keys else "none"


def _type_of(key: str, texts: Sequence[str | None], wanted: object) -> DataType:
    values = [text for text in texts if text is not None]
    if wanted is not None:
        try:
            dtype = parse_type(wanted)
        except ValueError as error:
            raise InvalidArgumentError(str(error)) from error
        for value in values:
            try:
                _value(value, dtype)
            except pa.ArrowException as error:
                raise SourceError(f"folder {key}={value} is no {type_name(dtype)}") from error
        return dtype
    if values and all(re.fullmatch(r"-?[0-9]{1,18}", value) for value in values):
        return INT64
    if values and all(_is_date(value) for value in values):
        return DATE
    return STRING


def _value(text: str | None, dtype: DataType) -> pa.Scalar:
    return cast_checked(pa.chunked_array([[text]], STRING), dtype)[0]


def _is_date(text: str) -> bool:
    try:
        return dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
