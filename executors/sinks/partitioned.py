"""Write a folder of files, one folder for each combination of values."""

from __future__ import annotations

import os
import shutil
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.sinks.atomic import resolved, synced, temporary_name, writing
from lazyframe.executors.sinks.file_sink import FileSink
from lazyframe.executors.sinks.text import plain_text
from lazyframe.executors.sources.hive import NULL_PARTITION, folder_name
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import InvalidArgumentError, SinkError, UnsupportedError, column_not_found
from lazyframe.planner.types import is_bool, is_date, is_integer, is_string, type_name

_OPEN_FILES = 32


class PartitionedSink:
    """Writes `folder/year=2013/part-0.parquet` and the like. The folder appears when it is complete.

    Args:
        make: makes the sink of one file.
        suffix: of the files.
        path: the folder. It may exist if it is empty.
        schema: all columns, those that become folders included.
        partition_by: the columns whose values become folders: strings, integers, dates or truth values.
        overwrite: whether a folder that holds anything is replaced.
        options: of the format.

    At most 32 files are open at a time; a combination that comes back after its file was closed gets another part.
    """

    def __init__(
        self,
        make: Callable[..., FileSink],
        suffix: str,
        path: str | os.PathLike[str],
        schema: pa.Schema,
        partition_by: tuple[str, ...],
        *,
        overwrite: bool,
        options: Mapping[str, Any],
    ) -> None:
        self._make, self._suffix, self._keys, self._options = make, suffix, partition_by, dict(options)
        self._check_keys(schema)
        self._overwrite = overwrite
        self._schema = pa.schema([field for field in schema if field.name not in partition_by])
        self._path = resolved(path)
        self._check_target()
        self._folder = temporary_name(self._path)
        self._sinks: OrderedDict[str, FileSink] = OrderedDict()
        self._parts: dict[str, int] = {}
        self._open = True
        with writing(self._path):
            self._folder.mkdir()
        try:
            self._check_format(make, options)
        except BaseException:
            self.abort()
            raise

    def _check_keys(self, schema: pa.Schema) -> None:
        for key in self._keys:
            if key not in schema.names:
                raise column_not_found(key, schema.names)
            dtype = schema.field(key).type
            if not (is_string(dtype) or is_integer(dtype) or is_date(dtype) or is_bool(dtype)):
                raise UnsupportedError(
                    f"column {key!r} is {type_name(dtype)}: folders are named by strings, integers, dates or bools"
                )
        if len(set(self._keys)) != len(self._keys):
            raise InvalidArgumentError(f"partition_by names a column twice: {', '.join(self._keys)}")
        if len(self._keys) == len(schema.names):
            raise InvalidArgumentError("every column would become a folder, and none is left for the files")

    def _check_target(self) -> None:
        if self._path.is_dir():
            with writing(self._path):
                if any(self._path.iterdir()) and not self._overwrite:
                    raise SinkError(
                        f"the folder {self._path} is not empty", hint="overwrite=True replaces all that it holds"
                    )
        elif self._path.exists():
            raise SinkError(f"cannot write the folder {self._path}: it is a file")

    def _check_format(self, make: Callable[..., FileSink], options: Mapping[str, Any]) -> None:
        """Meet the format's objections now and not at the first row."""
        make(self._folder / "probe", self._schema, **options).abort()

    def write(self, batch: pa.RecordBatch) -> None:
        assert self._open, "a sink that was closed or has failed takes no more rows"
        self._guarded(lambda: self._distribute(batch))

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            with writing(self._path):
                step()
        except SinkError as error:
            self.abort()
            # The files have temporary places: what the user knows is where they would have gone.
            raise SinkError(error.message.replace(str(self._folder), str(self._path)), hint=error.hint) from error
        except BaseException:
            self.abort()
            raise

    def _distribute(self, batch: pa.RecordBatch) -> None:
        folders = pc.dictionary_encode(self._folders(batch))
        codes = arrow.numpy_of(folders.indices)
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(folders.dictionary) + 1))
        rows = (
            pc.take(batch.select(self._schema.names), arrow.array(order))
            if len(folders.dictionary) > 1
            else batch.select(self._schema.names)
        )
        for code, folder in enumerate(folders.dictionary.to_pylist()):
            part = rows.slice(bounds[code], bounds[code + 1] - bounds[code])
            self._sink(folder).write(part)

    def _folders(self, batch: pa.RecordBatch) -> pa.StringArray:
        """The folder of each row, such as `year=2013/month=1`."""
        columns = []
        for key in self._keys:
            column = batch.column(key)
            encoded = pc.dictionary_encode(column if is_string(column.type) else plain_text(column))
            names = [folder_name(key, value) for value in encoded.dictionary.to_pylist()]
            for value in encoded.dictionary.to_pylist():
                if value == NULL_PARTITION:
                    raise SinkError(
                        f"cannot write {self._path}: {value!r} in column {key!r} would be read back as null"
                    )
                if len(folder_name(key, value).encode()) > 255:
                    raise SinkError(
                        f"cannot write {self._path}: {value[:40]!r}... in column {key!r} is too long for a folder's name"
                    )
            texts = arrow.array(names, pa.string()).take(encoded.indices)
            columns.append(pc.fill_null(texts, folder_name(key, None)))
        return pc.binary_join_element_wise(*columns, "/") if len(columns) > 1 else columns[0]

    def _sink(self, folder: str) -> FileSink:
        sink = self._sinks.get(folder)
        if sink is None:
            while len(self._sinks) >= _OPEN_FILES:
                _, oldest = self._sinks.popitem(last=False)
                oldest.close()
            place = self._folder / folder
            place.mkdir(parents=True, exist_ok=True)
            number = self._parts.get(folder, 0)
            self._parts[folder] = number + 1
            sink = self._make(place / f"part-{number}{self._suffix}", self._schema, **self._options)
            self._sinks[folder] = sink
        self._sinks.move_to_end(folder)
        return sink

    def close(self) -> None:
        if not self._open:
            return
        self._guarded(self._complete)
        self._open = False

    def _complete(self) -> None:
        while self._sinks:
            self._sinks.popitem(last=False)[1].close()
        self._check_target()
        self._put_in_place()

    def _put_in_place(self) -> None:
        replaced: Path | None = None
        if self._path.is_dir():
            replaced = temporary_name(self._path)
            self._path.rename(replaced)
        try:
            self._folder.rename(self._path)
        except OSError:
            if replaced is not None:
                replaced.rename(self._path)
            raise
        synced(self._path.parent)
        if replaced is not None:
            shutil.rmtree(replaced, ignore_errors=True)

    def abort(self) -> None:
        if not self._open:
            return
        self._open = False
        for sink in self._sinks.values():
            sink.abort()
        self._sinks.clear()
        shutil.rmtree(self._folder, ignore_errors=True)
