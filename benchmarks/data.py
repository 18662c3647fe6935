"""The data of the benchmarks: made once, and kept in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

GENERATOR = Path(__file__).resolve().parent.parent / "datasets" / "make_tpch.py"


def default_folder() -> Path:
    """Where this platform wants files to be that can be made again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "lazyframe" / "benchmarks"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "lazyframe" / "benchmarks"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "lazyframe" / "benchmarks"


def tpch(folder: Path, scale: float) -> Path:
    """The folder of the TPC-H tables of that scale, made where it is missing."""
    made = folder / f"tpch{scale:g}"
    if not (made / "lineitem.parquet").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"making TPC-H at scale {scale:g} in {made}", file=sys.stderr)
        partial = made.with_name(made.name + ".partial")
        subprocess.run([sys.executable, GENERATOR, f"{scale:g}", partial], check=True)
        partial.rename(made)
    return made
