"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa

from lazyframe.planner.errors import LazyFrameError, SinkError

_LEFT = "nothing was left of it, and what stood there before is as it was"


@contextmanager
def writing(path: Path, doing: str = "write") -> Iterator[None]:
    """Turn what the operating system and Arrow raise into our error, which names the file and what was tried."""
    try:
        yield
    except LazyFrameError:
        raise
    except PermissionError as error:
        raise SinkError(f"permission denied: cannot {doing} {path}; {_LEFT}") from error
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error).partition("\n")[0]
        raise SinkError(f"cannot {doing} {path}: {reason}; {_LEFT}") from error
    except (pa.ArrowException, ValueError, OverflowError, MemoryError) as error:
        raise SinkError(f"cannot {doing} {path}: {str(error).partition(chr(10))[0]}; {_LEFT}") from error


def resolved(path: str | os.PathLike[str]) -> Path:
    """The place that `path` leads to, whose folder exists: a link is followed, so that it stays a link.

    Raises:
        SinkError: where there is no such folder.
    """
    given = Path(path).expanduser()
    target = Path(os.path.realpath(given))
    folder = target.parent
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise SinkError(f"cannot write {given}: {folder} {what}", hint="make the folder first")
    return target


def temporary_name(target: Path) -> Path:
    """A hidden name beside `target`, where a rename is atomic. Readers of the folder skip it."""
    return target.with_name(f".{target.name[:100]}.{uuid.uuid4().hex[:12]}.tmp")


def synced(path: Path) -> None:
    """Bring a file or folder to the disk, so that a rename is not seen before what it names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class AtomicFile:
    """A file that is written under a temporary name and takes its place when it is complete.

    Args:
        path: the place. What stands there is untouched until `commit`.
        codec: by which the bytes are compressed on their way to the disk, if they are to be.

    Raises:
        SinkError: where it cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str], codec: str | None = None) -> None:
        self.path = resolved(path)
        if self.path.is_dir():
            raise SinkError(f"cannot write {self.path}: it is a folder", hint="give a file name, or partition_by=[...]")
        self._temporary = temporary_name(self.path)
        with writing(self.path):
            # Made by us alone, with the permissions of the file that it will replace.
            mode = self.path.stat().st_mode & 0o777 if self.path.exists() else 0o666
            os.close(os.open(self._temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
            try:
                self._opened = pa.OSFile(str(self._temporary), "wb")
                self.stream = self._opened if codec is None else pa.CompressedOutputStream(self._opened, codec)
            except BaseException:
                self._temporary.unlink(missing_ok=True)
                raise

    def commit(self) -> None:
        """Put the file in its place.

        Raises:
            OSError: where it cannot be brought to the disk.
        """
        self.stream.close()
        self._opened.close()
        synced(self._temporary)
        if self.path.exists():
            shutil.copymode(self.path, self._temporary)
        self._temporary.replace(self.path)
        with suppress(OSError):  # some filesystems cannot sync a folder; the file itself is safe
            synced(self.path.parent)

    def discard(self) -> None:
        """Leave nothing."""
        for stream in (self.stream, self._opened):
            with suppress(OSError, pa.ArrowException):  # what could not be written cannot be flushed either
                stream.close()
        self._temporary.unlink(missing_ok=True)
