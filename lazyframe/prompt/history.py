"""Where the prompt keeps what was typed."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def history_file() -> Path | None:
    """The file, which only its owner can read; None where it cannot be made."""
    folder = _data_folder() / "lazyframe"
    file = folder / "history"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError:
        return None
    return file


def _data_folder() -> Path:
    """Where programs of this user keep their data, by the customs of the system."""
    chosen = os.environ.get("XDG_DATA_HOME")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".local" / "share"
