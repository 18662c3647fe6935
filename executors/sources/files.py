"""Data files: what one is, and the only place where sources open them."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pyarrow as pa

from lazyframe.executors.sources.formats import looks_like
from lazyframe.planner.errors import LazyFrameError, SourceError, SourceNotFoundError

Partition = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class DataFile:
    """A file to read.

    Attributes:
        path: as its filesystem knows it.
        name: as messages show it, without credentials.
        size: in bytes.
        modified: when it was last changed, in nanoseconds since 1970; 0 where unknown.
        inode: what tells a local file from one that took its place.
        partition: the hive keys of its folders with their decoded values, None for null.
        filesystem: a `pyarrow.fs.FileSystem`, None for local files.
        content: the bytes, where they are in memory.
    """

    path: str
    name: str
    size: int
    modified: int
    partition: Partition = ()
    inode: int = 0
    filesystem: Any = None
    content: pa.Buffer | None = None

    def identity(self) -> tuple[object, ...]:
        if self.content is not None:
            return ("content", self.modified)
        return (self.path, type(self.filesystem).__name__, self.size, self.modified, self.inode, self.partition)


def local_file(path: str, partition: Partition = ()) -> DataFile:
    status = Path(path).stat()
    return DataFile(path, path, status.st_size, status.st_mtime_ns, partition, status.st_ino)


def refreshed(file: DataFile) -> DataFile:
    """The file as it is now: the same object where neither size nor time has changed."""
    if file.filesystem is not None or file.content is not None:
        return file
    with reading(file):
        now = os.stat(file.path)  # noqa: PTH116 - asked for each part of a file that is read
        same = (now.st_size, now.st_mtime_ns, now.st_ino) == (file.size, file.modified, file.inode)
        return file if same else local_file(file.path, file.partition)


def open_file(file: DataFile) -> pa.NativeFile:
    """Open a file for reading at any position.

    Local files are read, not mapped: the copy costs nothing beside decoding, and a file that is cut short by somebody else
    while it is mapped would kill the process.

    Raises:
        SourceError: where it does not exist any more, may not be read, or has changed since it was listed.
    """
    with reading(file):
        if file.content is not None:
            return pa.BufferReader(file.content)
        if file.filesystem is not None:
            return file.filesystem.open_input_file(file.path)
        unchanged(file)
        return pa.OSFile(file.path, "rb")


def map_file(file: DataFile) -> pa.NativeFile:
    """Open a file whose buffers are used where they lie. Falls back to reading where it cannot be mapped."""
    if file.content is not None or file.filesystem is not None or file.size == 0:
        return open_file(file)
    with reading(file):
        unchanged(file)
        return pa.memory_map(file.path, "rb")


def unchanged(file: DataFile) -> None:
    """Check that a file is the one that was listed.

    Raises:
        SourceError: where it has changed.
    """
    if refreshed(file) is not file:
        raise SourceError(f"{file.name} was changed while it was being read", hint="run the query again")


def open_stream(file: DataFile) -> pa.NativeFile:
    """Open a file for reading from its beginning, decompressed where its name says that it is compressed."""
    opened = open_file(file)
    codec = compression_of(file.path)
    return opened if codec is None else pa.CompressedInputStream(opened, codec)


_CODECS = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bz2", ".lz4": "lz4"}


def compression_of(path: str) -> str | None:
    """The codec that a file's name ends with, or None."""
    return _CODECS.get(os.path.splitext(path)[1].lower())  # noqa: PTH122 - a URL is no local path


def stem_suffix(path: str) -> str:
    """The suffix of a file name without that of its compression: `.csv` for `a.csv.gz`."""
    root, suffix = os.path.splitext(path)  # noqa: PTH122
    return os.path.splitext(root)[1].lower() if suffix.lower() in _CODECS else suffix.lower()  # noqa: PTH122


def head_of(file: DataFile, count: int = 4096) -> bytes:
    with open_file(file) as opened, reading(file):
        return opened.read(count)


def not_empty(file: DataFile, wanted: str) -> None:
    """Check that a file holds any bytes at all.

    Raises:
        SourceError: where it does not.
    """
    if file.size == 0:
        raise SourceError(f"{file.name} is empty (0 bytes), not {wanted}")


def foreign(file: DataFile, wanted: str, cause: Exception | None = None) -> SourceError:
    """The error for a file that is not of the format it was said to be."""
    seen = looks_like(head_of(file))
    if seen is not None and seen[0] not in wanted:
        return SourceError(f"{file.name} is not {wanted}: it looks like {seen[0]}", hint=f"read it with {seen[1]}")
    return SourceError(f"{file.name} is not {wanted}" + (f": {first_line(cause)}" if cause else ""))


def first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


@contextmanager
def reading(file: DataFile, part: str = "") -> Iterator[None]:
    """Turn what the operating system and Arrow raise into our error, which names the file and the part of it."""
    where = f"{file.name}, {part}" if part else file.name
    try:
        yield
    except LazyFrameError:
        raise
    except FileNotFoundError as error:
        raise SourceNotFoundError(f"no such file: {where}") from error
    except PermissionError as error:
        raise SourceError(f"permission denied: cannot read {where}") from error
    except IsADirectoryError as error:
        raise SourceError(f"{where} is a folder, not a file") from error
    except OSError as error:
        if error.errno == errno.EISDIR:
            raise SourceError(f"{where} is a folder, not a file") from error
        raise SourceError(f"cannot read {where}: {first_line(error)}") from error
    except (pa.ArrowException, UnicodeError, EOFError, OverflowError, ValueError, MemoryError) as error:
        raise SourceError(f"cannot read {where}: {first_line(error)}") from error


def without_credentials(url: str) -> str:
    """A URL as it may be shown: user, password and query are left out.

    >>> without_credentials("s3://key:secret@bucket/a.parquet?token=x")
    's3://bucket/a.parquet'
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def is_url(path: str) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", path) is not None
