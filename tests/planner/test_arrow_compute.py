"""Functions that are made here are those of pyarrow."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as wanted
import pytest

import lazyframe.planner
from lazyframe.planner import arrow_compute as found

NUMBERS = pa.array([3, None, 1, 3])
FLOATS = pa.chunked_array([[1.26, None], [float("nan")]])
TEXTS = pa.array(["a b", None, "c"])


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("add", (NUMBERS, 4), {}), ("equal", (TEXTS, "c"), {}), ("greater", (2, NUMBERS), {}), ("equal", (FLOATS, 1.26), {}),
        ("and_", (pa.array([True, None]), True), {}), ("if_else", (pa.array([True, False]), 1, 2), {}),
        ("is_null", (FLOATS,), {"nan_is_null": True}), ("round", (FLOATS, 1), {}), ("round", (FLOATS,), {"ndigits": 1}),
        ("split_pattern", (TEXTS, " "), {}), ("split_pattern", (TEXTS,), {"pattern": " ", "max_splits": 1}),
        ("match_substring", (TEXTS, "b"), {"ignore_case": True}), ("starts_with", (TEXTS, "a"), {}),
        ("binary_join_element_wise", (TEXTS, TEXTS, "-"), {"null_handling": "skip"}), ("coalesce", (NUMBERS, 0), {}),
        ("take", (NUMBERS, pa.array([0, None])), {}), ("take", (pa.table({"n": NUMBERS}), pa.array([2])), {}),
        ("take", (NUMBERS, np.array([1, 0])), {}), ("is_in", (NUMBERS, pa.array([3])), {}),
        ("cast", (NUMBERS, pa.int8()), {}), ("cast", (pa.scalar(300), pa.uint8()), {"safe": False}),
        ("index", (NUMBERS, 1), {}), ("index", (NUMBERS, pa.scalar(9, pa.int8())), {}), ("index", (FLOATS, 1.26), {}),
        ("fill_null", (NUMBERS, 0), {}), ("fill_null", (TEXTS, ""), {}), ("fill_null", (NUMBERS, pa.scalar(5, pa.int8())), {}),
        ("fill_null", (NUMBERS, pa.array([1, 2, 3, 4])), {}), ("sort_indices", (NUMBERS,), {"sort_keys": [("", "descending")]}),
        ("dictionary_encode", (NUMBERS,), {"null_encoding": "encode"}), ("array_filter", (NUMBERS, pa.array([True, None, False, True])), {}),
        ("min_max", (NUMBERS,), {}), ("sum", (NUMBERS,), {"skip_nulls": False}), ("utf8_zfill", (TEXTS, 4), {}),
        ("bottom_k_unstable", (NUMBERS, 2), {}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_loaded", [True, False])
def test_calls(name: str, arguments: Any, named: Any, is_loaded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_loaded:
        monkeypatch.delitem(sys.modules, "pandas", raising=False)
    expected = getattr(wanted, name)(*arguments, **named)
    given = getattr(found, name)(*arguments, **named)
    assert type(given) is type(expected)
    assert str(given) == str(expected)


def test_options_are_those_of_pyarrow() -> None:
    assert found.CastOptions is wanted.CastOptions
    options = wanted.RoundOptions(ndigits=1)
    assert found.round(FLOATS, options=options).equals(wanted.round(FLOATS, options=options)) is False  # NaN
    assert str(found.round(FLOATS, options=options)) == str(wanted.round(FLOATS, options=options))


def test_wrong_calls_are_refused() -> None:
    for arguments in ((), (NUMBERS,), (NUMBERS, 1, 2)):
        with pytest.raises(TypeError):
            found.add(*arguments)
    with pytest.raises(TypeError):
        found.round(FLOATS, 1, options=wanted.RoundOptions())
    with pytest.raises(AttributeError):
        _ = found.no_such_function
    with pytest.raises(pa.ArrowInvalid):
        found.cast(pa.array([300]), pa.uint8())


def test_only_what_is_used_is_made() -> None:
    code = "import sys; from lazyframe.planner import arrow_compute as pc; pc.add(1, 2); print('pyarrow.compute' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_nothing_imports_all_functions_of_pyarrow() -> None:
    root = Path(lazyframe.planner.__file__).parents[1]
    folders = [root / name for name in ("lazyframe", "planner", "executors")]
    files = [path for folder in folders if folder.is_dir() for path in folder.rglob("*.py")]
    assert len(files) > 500
    importing = [
        path.name
        for path in files
        if re.search(r"^\s*(import pyarrow\.compute|from pyarrow import compute)", path.read_text(), re.MULTILINE)
    ]
    assert importing == ["arrow_compute.py"]
