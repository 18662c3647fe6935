"""Recognise what a file holds by its first bytes, so that an error can say it."""

from __future__ import annotations

_MAGIC = (
    (b"PAR1", "a Parquet file", "scan_parquet"),
    (b"PARE", "an encrypted Parquet file", "a tool that has its key"),
    (b"ARROW1", "an Arrow IPC file", "scan_ipc"),
    (b"\xff\xff\xff\xff", "an Arrow IPC stream", "scan_ipc"),
    (b"\x1f\x8b", "a gzip archive", "its suffix .gz, or unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "its suffix .zst, or unpack it first"),
    (b"BZh", "a bzip2 archive", "its suffix .bz2, or unpack it first"),
    (b"PK\x03\x04", "a zip archive or an Excel workbook", "a tool that unpacks it first"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "pandas.read_excel"),
    (b"Obj\x01", "an Avro file", "a tool that converts it first"),
    (b"ORC", "an ORC file", "pyarrow.orc"),
    (b"SQLite format 3", "an SQLite database", "sqlite3"),
    (b"%PDF", "a PDF document", "another tool"),
)


def looks_like(head: bytes) -> tuple[str, str] | None:
    """What a file that begins with `head` seems to be, and what reads it; None where it looks like nothing we know.

    >>> looks_like(b"PAR1....")
    ('a Parquet file', 'scan_parquet')
    """
    for magic, what, how in _MAGIC:
        if head.startswith(magic):
            return what, how
    if not head or b"\0" in head:
        return None
    text = head.decode("utf-8-sig", errors="ignore").lstrip()
    if text[:1] in ("{", "["):
        return "JSON", "scan_json"
    if text[:1] == "<":
        return "HTML or XML", "another tool"
    first = text.partition("\n")[0]
    if any(separator in first for separator in ",;\t|"):
        return "CSV", "scan_csv"
    return "plain text", "scan_csv"
