"""Find the files that a path, pattern, folder, URL or list of them stands for, in an order that is always the same."""

from __future__ import annotations

import fnmatch
import glob
import io
import os
import re
import uuid
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from lazyframe.executors.sources.files import DataFile, is_url, local_file, reading, stem_suffix, without_credentials
from lazyframe.executors.sources.hive import partition_of
from lazyframe.planner.errors import InvalidArgumentError, SourceError, SourceNotFoundError, nearest
from lazyframe.planner.nouns import with_article

_GLOB = re.compile(r"[*?\[]")


def find_files(
    paths: Any, suffixes: Sequence[str], *, hive: bool | None = None, filesystem: Any = None
) -> tuple[list[DataFile], str]:
    """The files that `paths` stands for, and a name for all of them.

    Args:
        paths: a path, a glob pattern, a folder (searched through), a URL, bytes, an open binary file, or a list of these.
        suffixes: which files of a folder belong to the format, such as `('.parquet',)`.
        hive: whether folders such as `year=2013` are columns. None: those below the folder or pattern given; True: all
            folders of the path; False: none.
        filesystem: a `pyarrow.fs.FileSystem` or fsspec filesystem that the paths belong to.

    Raises:
        SourceNotFoundError: where a path does not exist or a pattern matches nothing; names what is near.
        SourceError: where a folder holds no such file, or may not be read.
    """
    given: list[Any] = [paths]
    if isinstance(paths, (list, tuple)):
        given = list(paths)
    elif isinstance(paths, (set, frozenset)):
        given = sorted(paths, key=str)
    if not given:
        raise InvalidArgumentError("an empty list of paths: there is nothing to read")
    files: list[DataFile] = []
    names: list[str] = []
    for path in given:
        found, name = _find(path, suffixes, hive, filesystem)
        files += found
        names.append(name)
    return files, names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _find(path: Any, suffixes: Sequence[str], hive: bool | None, filesystem: Any) -> tuple[list[DataFile], str]:
    if isinstance(path, (bytes, bytearray, memoryview, pa.Buffer)) or hasattr(path, "read"):
        return [_in_memory(path)], "bytes in memory"
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidArgumentError(
            f"a path is a string or pathlib.Path, not {with_article(type(path).__name__)}",
            hint="an open file must be binary; a list of paths is fine",
        )
    text = os.fspath(path)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if not text:
        raise InvalidArgumentError("an empty path")
    if filesystem is not None:
        return _remote(_arrow_filesystem(filesystem), text, text, suffixes, hive)
    if text.startswith("file://"):
        text = unquote(urlsplit(text).path)
    elif is_url(text):
        system, inner = _from_url(text)
        return _remote(system, inner, without_credentials(text), suffixes, hive)
    return _local(str(Path(text).expanduser()) + ("/" if text.endswith("/") else ""), suffixes, hive), text


def _in_memory(source: Any) -> DataFile:
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        content = source.read()
        if isinstance(content, str) or isinstance(source, io.TextIOBase):
            raise InvalidArgumentError("an open file must be binary", hint="open it with mode 'rb'")
        label = name if isinstance(name, str) else "an open file"
    else:
        content, label = source, "bytes in memory"
    buffer = content if isinstance(content, pa.Buffer) else pa.py_buffer(bytes(content))
    # Bytes have no time: a number that no other content gets tells them apart, even when they are gone.
    return DataFile(label, label, buffer.size, uuid.uuid4().int, content=buffer)


def _local(text: str, suffixes: Sequence[str], hive: bool | None) -> list[DataFile]:
    path = Path(text)
    shown = DataFile(text, text, 0, 0)
    with reading(shown):
        if path.is_dir():
            return _with_partitions(_files_below(text, suffixes), text, hive)
        if path.exists():
            return [local_file(text, partition_of(text) if hive else ())]
        if _GLOB.search(text):
            matched = glob.glob(text, recursive=True)  # noqa: PTH207 - a Path takes no absolute pattern
            root = text[: _GLOB.search(text).start()].rpartition("/")[0]  # type: ignore[union-attr]
            found: list[str] = []
            for match in matched:
                if Path(match).is_dir():
                    found += [] if text.endswith("**") else _files_below(match, suffixes, required=False)
                elif not _hidden(os.path.relpath(match, root or ".")):
                    found.append(match)
            if found:
                return _with_partitions(dict.fromkeys(found), root, hive)
            raise SourceNotFoundError(f"no file matches {text!r}", hint=_near(text))
    raise SourceNotFoundError(f"no such file or folder: {text!r}", hint=_near(text))


def _files_below(folder: str, suffixes: Sequence[str], *, required: bool = True) -> list[str]:
    """The files of the format below a folder; those without any suffix where none has the right one."""
    visible: list[str] = []

    def refuse(error: OSError) -> None:
        raise error

    for base, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not _hidden_name(name))
        visible += [os.path.join(base, name) for name in names if not _hidden_name(name)]  # noqa: PTH118
    found = _of_format(visible, suffixes)
    if not found and required:
        seen = sorted({Path(name).suffix or Path(name).name for name in visible})[:5]
        raise SourceError(
            f"folder {folder!r} holds no {' or '.join(suffixes)} file" + (f", only {', '.join(seen)}" if seen else ""),
            hint="give a pattern such as '*' to read files with other names" if seen else None,
        )
    return found


def _of_format(names: Iterable[str], suffixes: Sequence[str]) -> list[str]:
    names = list(names)
    return [n for n in names if stem_suffix(n) in suffixes] or [n for n in names if not Path(n).suffix]


def _hidden_name(name: str) -> bool:
    """Whether writers leave such a file beside the data: `.part.crc`, `_SUCCESS`, `_metadata`."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith((".crc", ".tmp"))


def _hidden(relative: str) -> bool:
    return any(_hidden_name(part) for part in relative.split("/") if part not in (".", ".."))


def _with_partitions(names: Iterable[str], root: str, hive: bool | None) -> list[DataFile]:
    files = []
    for name in sorted(names, key=natural):
        below = name if hive else os.path.relpath(name, root or ".")
        files.append(local_file(name, () if hive is False else partition_of(below)))
    return files


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts `part-2` before `part-10`, and is total.

    >>> sorted(["part-10", "part-2"], key=natural)
    ['part-2', 'part-10']
    """
    return [(0, int(p), p) if p.isdecimal() and p.isascii() else (1, 0, p) for p in re.split(r"(\d+)", text) if p]


def _near(text: str) -> str | None:
    """The names in the nearest folder that exists that are most like what was asked for."""
    path = Path(text)
    folder = path.parent
    missing = path.name
    while not folder.is_dir():
        if folder == folder.parent:
            return None
        missing, folder = folder.name, folder.parent
    try:
        names = sorted(entry.name for entry in folder.iterdir() if not _hidden_name(entry.name))
    except OSError:
        return f"the folder {str(folder)!r} cannot be listed"
    close = nearest(missing, names)
    shown = ", ".join(repr(name) for name in close or names[:8])
    if not names:
        return f"the folder {str(folder)!r} is empty"
    return f"in {str(folder)!r} there " + ("is " if len(close or names) == 1 else "are ") + shown


def _from_url(url: str) -> tuple[Any, str]:
    from pyarrow import fs

    try:
        return fs.FileSystem.from_uri(url)
    except (pa.ArrowException, OSError) as error:
        try:
            fsspec = import_module("fsspec")
        except ImportError:
            raise SourceError(
                f"cannot open {without_credentials(url)}: {str(error).replace(url, without_credentials(url))}",
                hint="install fsspec (and its package for this protocol) to read more kinds of URL",
            ) from None
    shown = without_credentials(url)
    try:
        system, inner = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError, OSError) as problem:
        raise SourceError(f"cannot open {shown}: {str(problem).replace(url, shown)}") from None
    return _arrow_filesystem(system), inner


def _arrow_filesystem(system: Any) -> Any:
    from pyarrow import fs

    return system if isinstance(system, fs.FileSystem) else fs.PyFileSystem(fs.FSSpecHandler(system))


def _remote(
    system: Any, path: str, shown: str, suffixes: Sequence[str], hive: bool | None
) -> tuple[list[DataFile], str]:
    from pyarrow import fs

    pattern = _GLOB.search(path)
    root = path[: pattern.start()].rpartition("/")[0] if pattern else path
    with reading(DataFile(path, shown, 0, 0)):
        info = system.get_file_info(path if not pattern else root)
        if info.type == fs.FileType.File:
            infos = [info]
        else:
            selector = fs.FileSelector(root, allow_not_found=True, recursive=True)
            infos = [i for i in system.get_file_info(selector) if i.type == fs.FileType.File]
            infos = [i for i in infos if not _hidden(i.path[len(root) :].lstrip("/"))]
            if pattern:
                match = re.compile(_glob_expression(path)).fullmatch
                infos = [i for i in infos if match(i.path)]
            else:
                kept = set(_of_format([i.path for i in infos], suffixes))
                infos = [i for i in infos if i.path in kept]
    if not infos:
        raise SourceNotFoundError(f"no file matches {shown!r}" if pattern else f"no such file or folder: {shown!r}")
    prefix = shown[: len(shown) - len(path)] if shown.endswith(path) else ""
    files = []
    for i in sorted(infos, key=lambda info: natural(info.path)):
        below = i.path if hive else i.path[len(root) :]
        partition = () if hive is False else partition_of(below)
        files.append(DataFile(i.path, prefix + i.path, i.size or 0, i.mtime_ns or 0, partition, filesystem=system))
    return files, shown


def _glob_expression(pattern: str) -> str:
    """A regular expression of a glob pattern in which `*` stays within a folder and `**` does not."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]*\])", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        meaning.get(p) or (fnmatch.translate(p)[4:-3] if p.startswith("[") else re.escape(p)) for p in parts if p
    )
