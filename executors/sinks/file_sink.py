"""What the sinks of single files share: the temporary file, and that a failure leaves nothing."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import pyarrow as pa

from lazyframe.executors.sinks.atomic import AtomicFile, writing
from lazyframe.executors.sources.files import compression_of
from lazyframe.planner.errors import InvalidArgumentError

_FOREIGN = {".xz", ".zip", ".br", ".7z", ".snappy", ".lzma"}


class FileSink(ABC):
    """Writes one file through `_begin`, `_append` and `_finish` of its format.

    A text format is compressed as a whole where its name ends so (`a.csv.gz`), and read back by that name. The others compress
    inside, where a reader can still skip.
    """

    compression_by_name: ClassVar[bool] = False

    def __init__(self, path: str | os.PathLike[str], schema: pa.Schema) -> None:
        if not schema.names:
            raise InvalidArgumentError(f"there are no columns to write to {os.fspath(path)}")
        self.schema = schema
        self._file = AtomicFile(path, self._codec(path))
        self._open = True
        self._guarded(self._begin)

    def _codec(self, path: str | os.PathLike[str]) -> str | None:
        """What the name asks for.

        Raises:
            InvalidArgumentError: where the format, or nobody here, writes that.
        """
        suffix = Path(path).suffix.lower()
        codec = compression_of(os.fspath(path))
        if codec is not None and not self.compression_by_name:
            raise InvalidArgumentError(
                f"cannot write {os.fspath(path)}: this format is compressed inside the file, so that it is no {suffix} file",
                hint=f"leave out {suffix}, and choose with compression=",
            )
        if codec is None and suffix in _FOREIGN:
            raise InvalidArgumentError(
                f"cannot write {os.fspath(path)}: {suffix} is not supported", hint="use .gz, .zst, .bz2 or .lz4"
            )
        return codec

    @abstractmethod
    def _begin(self) -> None:
        """Make the writer, and write what stands at the beginning."""

    @abstractmethod
    def _append(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""

    @abstractmethod
    def _finish(self) -> None:
        """Write what stands at the end, and let go of the writer."""

    def write(self, batch: pa.RecordBatch) -> None:
        assert self._open, "a sink that was closed or has failed takes no more rows"
        if batch.num_rows:
            self._guarded(lambda: self._append(batch))

    def close(self) -> None:
        if self._open:
            self._guarded(self._commit)
            self._open = False

    def abort(self) -> None:
        if not self._open:
            return
        self._open = False
        with suppress(OSError, pa.ArrowException, ValueError):  # only so that the writer lets go of the file
            self._finish()
        self._file.discard()

    def _commit(self) -> None:
        self._finish()
        self._file.commit()

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            with writing(self._file.path):
                step()
        except BaseException:
            self.abort()
            raise
