"""Suites of queries whose texts or tables lie outside of this repository, and how both engines get to their tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import lazyframe as lf

if TYPE_CHECKING:
    import duckdb

_CONFORMANCE = Path(__file__).resolve().parents[2] / "shared" / "conformance"


def conformance() -> Path:
    """The folder of queries written by others: beside this checkout, or where `LAZYFRAME_CONFORMANCE` says."""
    return Path(os.environ.get("LAZYFRAME_CONFORMANCE", _CONFORMANCE))


def texts(folder: Path) -> dict[str, str]:
    """The queries in a folder by name, in order; empty where there is no such folder."""
    paths = sorted(folder.glob("*.sql"), key=lambda path: (len(path.stem.rstrip("abcdef")), path.stem))
    return {path.stem: path.read_text(encoding="utf-8").strip().rstrip(";") for path in paths}


def tpcds(data: Path, scale: float) -> tuple[Path, str] | None:
    """A folder of the TPC-DS tables and what they are, or None where they can neither be found nor made.

    Looked for in this order: the folder that `LAZYFRAME_TPCDS` names; the data folder; made there by DuckDB's extension
    `tpcds`; the small tables beside the queries.
    """
    if given := os.environ.get("LAZYFRAME_TPCDS"):
        return Path(given), given
    made = data / f"tpcds{scale:g}"
    if (made / "web_site.parquet").is_file() or _made_by_duckdb(made, scale):
        return made, f"scale {scale:g}"
    small = conformance() / "tpcds" / "sf0.01"
    return (small, "scale 0.01") if small.is_dir() else None


def _made_by_duckdb(folder: Path, scale: float) -> bool:
    import duckdb

    partial = folder.with_name(folder.name + ".partial")
    with duckdb.connect() as connection:
        try:
            connection.execute("INSTALL tpcds; LOAD tpcds")
        except duckdb.Error as error:
            print(f"no TPC-DS at scale {scale:g}: {str(error).splitlines()[0]}", file=sys.stderr)
            return False
        print(f"making TPC-DS at scale {scale:g} in {folder}", file=sys.stderr)
        connection.execute(f"CALL dsdgen(sf={scale:g})")
        connection.execute(f"EXPORT DATABASE '{partial}' (FORMAT parquet)")
    partial.rename(folder)
    return True


def our_frames(folder: Path) -> dict[str, lf.LazyFrame]:
    """The tables in a folder of Parquet files, by name, as frames of ours."""
    return {path.stem: lf.scan_parquet(path) for path in sorted(folder.glob("*.parquet"))}


@contextmanager
def duckdb_views(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of DuckDB in which the tables are views of the same files."""
    with _duckdb(folder, "VIEW") as connection:
        yield connection


@contextmanager
def duckdb_tables(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of DuckDB that holds the rows of the files in memory."""
    with _duckdb(folder, "TABLE") as connection:
        yield connection


@contextmanager
def _duckdb(folder: Path, kind: str) -> Iterator[duckdb.DuckDBPyConnection]:
    import duckdb

    with duckdb.connect() as connection:
        for path in sorted(folder.glob("*.parquet")):
            connection.execute(f"CREATE {kind} {path.stem} AS FROM read_parquet('{path}')")
        yield connection
