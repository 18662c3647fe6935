"""Corpora of queries written by others, which are run where they lie and never copied, and the code beside them that reads them."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.planner.errors import FunctionNotFoundError, LazyFrameError, UnsupportedError

FOLDER = Path(os.environ.get("LAZYFRAME_CONFORMANCE", Path(__file__).resolve().parents[3] / "shared" / "conformance"))


def reader(name: str) -> Any:
    """A module of the corpora; the tests of the module that asks are skipped where it is absent."""
    if not (FOLDER / f"{name}.py").is_file():
        pytest.skip("the corpora are not beside this checkout", allow_module_level=True)
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


def answer(sql: str, tables: dict[str, pa.Table]) -> list[tuple[Any, ...]]:
    """The rows of a query as the corpora compare them. What is refused is told from what is wrong."""
    try:
        table = lf.sql(sql, **tables).to_arrow()
    except (UnsupportedError, FunctionNotFoundError) as error:
        raise NotImplementedError(one_line(error)) from error
    except LazyFrameError as error:
        raise AssertionError(f"{type(error).__name__}: {one_line(error)}") from error
    return reader("slt").arrow_rows(table)


def one_line(error: Exception) -> str:
    return str(error).replace("\n", " | ")
