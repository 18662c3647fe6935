"""Where the corpora written by others lie, which are run and never copied."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[3]


def corpus(name):
    """The folder of a corpus; the tests of a module are skipped where it is absent."""
    root = Path(os.environ.get("LAZYFRAME_CONFORMANCE", _ROOT.parent / "shared" / "conformance"))
    if not (root / name).is_dir():
        pytest.skip(f"the corpus {name} is not here", allow_module_level=True)
    return root / name
