"""Which format a file has, by its name, else by its first bytes."""

from __future__ import annotations

import os
from pathlib import Path

_SUFFIXES = {
    "Parquet": (".parquet", ".parq", ".pq"),
    "CSV": (".csv", ".tsv", ".tab", ".txt"),
    "Arrow IPC": (".arrow", ".arrows", ".feather", ".ipc"),
    "JSON": (".json", ".jsonl", ".ndjson"),
}
_FORMATS = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes}
_COMPRESSED = (".gz", ".gzip", ".zst", ".zstd", ".bz2", ".lz4", ".xz")
_MAGIC = {b"PAR1": "Parquet", b"ARROW1": "Arrow IPC", b"\xff\xff\xff\xff": "Arrow IPC", b"{": "JSON", b"[": "JSON"}

SUFFIXES = tuple(_FORMATS)
"""The suffixes of all formats."""

KINDS = {"Parquet": "parquet", "CSV": "csv", "Arrow IPC": "ipc", "JSON": "json"}
"""The names by which sources and sinks know the formats."""


def format_of(path: str) -> str:
    """What a file is, by its suffix, else by its first bytes; for a folder, what the first file in it is.

    Example:
        >>> format_of("2013/flights.csv.gz"), format_of("flights-*.parquet")
        ('CSV', 'Parquet')
    """
    here = Path(path)
    if here.is_dir():
        return _by_files_in(path) or "Parquet"
    found = format_by_name(path)
    if found is None and here.is_file():
        return _by_content(here)
    # What does not exist is refused by whoever reads it.
    return found or "Parquet"


_LOOKED_AT = 10_000
"""Of how many files in a folder the names are looked at: a folder of data has its files near the top."""


def _by_files_in(folder: str) -> str | None:
    """What the first file in a folder is whose suffix says so, folders in it included where they can be read."""
    seen = 0
    for _, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if (found := format_by_name(name)) is not None:
                return found
        seen += len(names) + 1
        if seen > _LOOKED_AT:
            return None
    return None


def format_by_name(path: str) -> str | None:
    """What the suffix of a name says, below that of a compression; None where it says nothing."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return _FORMATS.get(suffixes[-1]) if suffixes else None


def _by_content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return format_of_bytes(file.read(64))
    except OSError:
        return "CSV"


def format_of_bytes(head: bytes) -> str:
    """What a file is that begins so.

    Example:
        >>> format_of_bytes(b'{"a": 1}'), format_of_bytes(b"a,b")
        ('JSON', 'CSV')
    """
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), "CSV")
