"""What the footer of a Parquet file tells: its schema, and statistics of its row groups."""

from __future__ import annotations

import copy
import datetime as dt
import io
import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe.executors.sources.bloom_filter import BloomFilter, ReadAt, read_filter
from lazyframe.executors.sources.files import DataFile, first_line, foreign, head_of, not_empty, open_file, reading
from lazyframe.executors.sources.parquet_file import ParquetFile
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import LazyFrameError, SourceError, UnsupportedError
from lazyframe.planner.schema import Field
from lazyframe.planner.sources import ColumnStatistics
from lazyframe.planner.types import BINARY, STRING, canonical, is_nested, is_timestamp, type_at

if TYPE_CHECKING:
    from lazyframe.executors.compiled.parquet.workspace import ChunkPlace

_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a zone is put on below


_KEPT_FOOTERS = 256
_footers: OrderedDict[tuple[object, ...], Footer] = OrderedDict()
_footers_lock = threading.Lock()


def footer_of(file: DataFile) -> Footer:
    """The footer of a file, kept for the next scan of the same file as long as it has not changed.

    Raises:
        SourceError: as `Footer`.
    """
    key = (file.path, file.size, file.modified, file.inode)
    if file.filesystem is not None or file.content is not None:
        return Footer(file)
    with _footers_lock:
        held = _footers.get(key)
        if held is not None:
            _footers.move_to_end(key)
            return held.of(file)
    made = Footer(file)
    with _footers_lock:
        _footers[key] = made
        while len(_footers) > _KEPT_FOOTERS:
            _footers.popitem(last=False)
    return made


class Footer:
    """The parsed footer of one file.

    Raises:
        SourceError: where the file is empty, of another format, cut short, encrypted, or repeats a column name.
    """

    def __init__(self, file: DataFile) -> None:
        self.file = file
        self.paths: dict[str, tuple[str, ...]] = {}
        self._statistics: dict[tuple[int, str], ColumnStatistics] = {}
        self._filters: dict[tuple[int, str], BloomFilter | None] = {}
        self._sizes: dict[tuple[int, int], int] = {}
        self.places: dict[tuple[int, int], ChunkPlace | None] = {}
        not_empty(file, "a Parquet file")
        opened = _open(file)
        self.metadata = opened.metadata
        with reading(file, "footer"):
            self.arrow_schema: pa.Schema = opened.schema_arrow
            names = self.arrow_schema.names
            self.leaves = self._leaves()
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise SourceError(
                f"{file.name} has more than one column named {', '.join(map(repr, repeated))}",
                hint="rewrite the file with different names",
            )
        self.groups: list[int] = [self.metadata.row_group(i).num_rows for i in range(self.metadata.num_row_groups)]
        if min(self.groups, default=0) < 0:
            raise SourceError(f"{file.name} is corrupt: a row group has {min(self.groups)} rows")
        # Some writers leave the total at 0; reading checks each row group's count.
        self.rows = sum(self.groups)

    def of(self, file: DataFile) -> Footer:
        """The same footer for a file that was listed in another way."""
        if file.name == self.file.name and file.partition == self.file.partition:
            return self
        other = copy.copy(self)
        other.file = file
        return other

    def with_paths(self, paths: Mapping[str, tuple[str, ...]]) -> Footer:
        """The same footer, to which fields of structs are columns of their own."""
        if not paths:
            return self
        other = copy.copy(self)
        other.paths = {**self.paths, **paths}
        added = {name: Field(name, type_at(self.fields[path[0]].dtype, path[1:]), True) for name, path in paths.items()}
        other.fields = {**self.fields, **added}
        other.leaves = {**self.leaves, **{name: self._leaves_below(".".join(path)) for name, path in paths.items()}}
        other._statistics = {}
        return other

    def column_at(self, table: pa.Table, name: str) -> pa.ChunkedArray:
        """A column of what was read, or a field of one, null where that is."""
        path = self.paths.get(name)
        if path is None:
            return table.column(name)
        found = table.column(path[0])
        for field in path[1:]:
            found = pc.struct_field(found, field)
        return found

    def _stored_type(self, name: str) -> pa.DataType:
        path = self.paths.get(name, (name,))
        return type_at(self.arrow_schema.field(path[0]).type, path[1:])

    @cached_property
    def fields(self) -> dict[str, Field]:
        found = {}
        for field in self.arrow_schema:
            try:
                found[field.name] = Field(field.name, canonical(field.type), field.nullable)
            except ValueError as error:
                raise UnsupportedError(f"column {field.name!r} of {self.file.name}: {error}") from error
        return found

    def _leaves(self) -> dict[str, list[int]]:
        """The stored columns under each column of the schema; a name that is the prefix of another may get too many."""
        found: dict[str, list[int]] = {name: [] for name in self.arrow_schema.names}
        if self.metadata.num_row_groups == 0:
            return found
        group = self.metadata.row_group(0)
        for index in range(group.num_columns):
            path = group.column(index).path_in_schema
            for name in (path, *_prefixes(path)):
                if name in found:
                    found[name].append(index)
        return found

    def _leaves_below(self, path: str) -> list[int]:
        """The stored columns of a field of a struct."""
        if self.metadata.num_row_groups == 0:
            return []
        group = self.metadata.row_group(0)
        paths = [group.column(index).path_in_schema for index in range(group.num_columns)]
        return [index for index, stored in enumerate(paths) if stored == path or stored.startswith(f"{path}.")]

    def stored_bytes(self, group: int, names: Iterable[str]) -> int:
        """How many bytes the named columns take in a row group, as stored."""
        indices = {index for name in names for index in self.leaves.get(name, ())}
        return sum([self._chunk_bytes(group, index) for index in indices])

    def _chunk_bytes(self, group: int, index: int) -> int:
        found = self._sizes.get((group, index))
        if found is None:
            found = self._sizes[group, index] = self.metadata.row_group(group).column(index).total_compressed_size
        return found

    def statistics(self, group: int, name: str) -> ColumnStatistics:
        """What a row group tells of a column; bounds leave NaN out."""
        # pyarrow makes the object of a row group, of its column and of the bounds anew each time it is asked.
        known = self._statistics.get((group, name))
        if known is None:
            known = self._statistics[group, name] = self._read_statistics(group, name)
        return known

    def _read_statistics(self, group: int, name: str) -> ColumnStatistics:
        field, leaves = self.fields.get(name), self.leaves.get(name, [])
        if field is None or is_nested(field.dtype) or len(leaves) != 1:
            return ColumnStatistics()
        chunk = self.metadata.row_group(group).column(leaves[0])
        if chunk.physical_type != self.metadata.schema.column(leaves[0]).physical_type:
            # pyarrow ends the process when asked for statistics of another type than the schema's.
            raise SourceError(
                f"{self.file.name} has a corrupt footer: row group {group}, column {name!r} is of two types"
            )
        try:
            found = chunk.statistics
            if found is None or chunk.physical_type == "INT96":
                return ColumnStatistics()
            nulls = found.null_count if found.has_null_count else None
            if not found.has_min_max:
                return ColumnStatistics(nulls=nulls)
            lower, upper = _bounds(found, self._stored_type(name))
        except (ValueError, OverflowError, NotImplementedError, TypeError, pa.ArrowException):
            return ColumnStatistics()  # bounds that no Python value can show: nothing is known
        return ColumnStatistics(lower, upper, nulls)

    def has_filters(self, name: str) -> bool:
        """Whether the first row group has a Bloom filter of a column."""
        leaves = self.leaves.get(name, [])
        return bool(len(leaves) == 1 and self.groups) and self._filter_offset(0, name) is not None

    def _filter_offset(self, group: int, name: str) -> int | None:
        # Older releases of pyarrow do not tell.
        chunk = self.metadata.row_group(group).column(self.leaves[name][0])
        return getattr(chunk, "bloom_filter_offset", None)

    def physical_type(self, group: int, name: str) -> str:
        """How the values of a column are stored."""
        found: str = self.metadata.row_group(group).column(self.leaves[name][0]).physical_type
        return found

    def bloom_filter(self, group: int, name: str, read: ReadAt) -> BloomFilter | None:
        """The Bloom filter of a column in a row group; None where there is none that we know."""
        key = (group, name)
        if key not in self._filters:
            offset = self._filter_offset(group, name)
            self._filters[key] = None if offset is None else read_filter(offset, read)
        return self._filters[key]

    @cached_property
    def dictionary_columns(self) -> list[str]:
        """The text columns whose dictionaries are worth keeping.

        A footer does not say whether a writer gave the dictionary up half-way, so it is seen by sizes: where dictionary
        pages are the larger part, or a value costs more than an index would, values are nearly all different.
        """
        found = []
        for name, field in self.fields.items():
            # pyarrow keeps no dictionaries below structs.
            is_text = field.dtype in (STRING, BINARY) and name not in self.paths
            if is_text and len(self.leaves[name]) == 1 and self._has_short_dictionary(name):
                found.append(name)
        return found

    def _has_short_dictionary(self, name: str) -> bool:
        index = self.leaves[name][0]
        values = stored = dictionary = plain = 0
        for number in range(self.metadata.num_row_groups):
            chunk = self.metadata.row_group(number).column(index)
            offset = chunk.dictionary_page_offset
            if chunk.num_values == 0:
                continue
            if offset is None or not 0 < offset < chunk.data_page_offset or chunk.physical_type != "BYTE_ARRAY":
                return False
            values += chunk.num_values
            stored += chunk.total_compressed_size
            plain += chunk.total_uncompressed_size
            dictionary += chunk.data_page_offset - offset
        if not values or not stored:
            return False
        indices = plain * (1 - min(dictionary / stored, 1))
        return (dictionary <= 4096 * len(self.groups) or 2 * dictionary <= stored) and indices <= 2.5 * values + 1024


def _open(file: DataFile) -> Any:
    opened = open_file(file)
    try:
        parsed = ParquetFile(opened, pre_buffer=False)
    except LazyFrameError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        head = head_of(file)
        if head.startswith(b"PARE") or "encrypt" in str(error).lower():
            raise SourceError(f"{file.name} is encrypted, and encrypted Parquet is not supported") from error
        if head.startswith(b"PAR1"):
            with open_file(file) as again:
                again.seek(max(file.size - 4, 0))
                ended = again.read(4) == b"PAR1"
            if not ended:
                raise SourceError(
                    f"{file.name} is truncated or half-written: a Parquet file ends with its footer, and this one has none",
                    hint="write or copy the file again",
                ) from error
            raise SourceError(f"{file.name} has a corrupt footer: {first_line(error)}") from error
        raise foreign(file, "a Parquet file", error) from error
    _check_chunks(file, parsed.metadata)
    return parsed


class _NoContent(io.RawIOBase):
    """A file of any length that refuses to be read."""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return offset

    def tell(self) -> int:
        return 1 << 60

    def read(self, size: int = -1) -> bytes:
        raise _ReadRefused


class _ReadRefused(Exception):
    """What is raised once pyarrow has looked at all metadata, and turns to the data."""


def _check_chunks(file: DataFile, metadata: Any) -> None:
    """Let pyarrow look at the metadata of every column chunk where an error of it can be caught.

    `RowGroupMetaData.column` ends the process where that of a chunk is corrupt or encrypted. Readers look at it first, and
    raise: so a reader is made for each row group, over a file that has no content.

    Raises:
        SourceError: where the metadata of a chunk is of no use.
    """
    empty = pa.PythonFile(_NoContent(), mode="r")
    for group in range(metadata.num_row_groups):
        try:
            reader = ParquetFile(empty, metadata=metadata, buffer_size=4096, pre_buffer=False)
            next(reader.iter_batches(1, row_groups=[group], use_threads=False), None)
        except _ReadRefused:
            continue
        except (pa.ArrowException, OSError, ValueError) as error:
            if "decrypt" in str(error).lower():
                raise SourceError(f"{file.name} is encrypted, and encrypted Parquet is not supported") from error
            raise SourceError(f"{file.name} has a corrupt footer, row group {group}: {first_line(error)}") from error


def _prefixes(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _bounds(found: Any, stored: pa.DataType) -> tuple[object, object]:
    """The least and the greatest value as Python values, or None where Python has none that bounds them."""
    if is_timestamp(stored):
        if stored.unit != "ns":
            return found.min, found.max
        # Python's datetime has microseconds: round outwards.
        zone = dt.UTC if stored.tz else None
        lower, upper = found.min_raw // 1000, -(-found.max_raw // 1000)
        return tuple((_EPOCH + dt.timedelta(microseconds=us)).replace(tzinfo=zone) for us in (lower, upper))  # type: ignore[return-value]
    if pa.types.is_string(stored) or pa.types.is_large_string(stored) or pa.types.is_string_view(stored):
        return found.min_raw.decode(), found.max_raw.decode()
    lower, upper = found.min, found.max
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (lower, upper)):
        return None, None
    if pa.types.is_float16(stored) or pa.types.is_time(stored) or pa.types.is_duration(stored):
        return None, None
    return lower, upper
