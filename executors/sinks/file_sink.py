"""What the sinks of single files share: the temporary file, and that a failure leaves nothing."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa

from lazyframe.executors.sinks.atomic import AtomicFile, writing
from lazyframe.planner.errors import InvalidArgumentError


class FileSink(ABC):
    """Writes one file through `_begin`, `_append` and `_finish` of its format."""

    def __init__(self, path: str | os.PathLike[str], schema: pa.Schema) -> None:
        if not schema.names:
            raise InvalidArgumentError(f"there are no columns to write to {os.fspath(path)}")
        self.schema = schema
        self._file = AtomicFile(path)
        self._open = True
        self._guarded(self._begin)

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
