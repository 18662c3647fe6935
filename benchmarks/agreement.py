"""Whether the contenders gave the same answer: the fastest way to a wrong one wins nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_TOLERANCE = 1e-6
"""Relative and absolute: the mean of decimals is a double in one engine and a decimal of six places in another."""


def check_same(case: str, answers: Mapping[str, Any]) -> None:
    """Compare tables by position, values by value.

    Raises:
        AssertionError: where two answers differ; says in which column.
    """
    tables = {contender: pa.table(answer) for contender, answer in answers.items()}
    (first, wanted), *others = tables.items()
    for contender, table in others:
        label = f"{case}: {first} and {contender} differ"
        assert table.shape == wanted.shape, f"{label}: {wanted.shape} and {table.shape} rows and columns"
        for index, name in enumerate(wanted.column_names):
            assert _same(wanted.column(index), table.column(index)), f"{label} in column {index} ({name})"


def _same(left: pa.ChunkedArray, right: pa.ChunkedArray) -> bool:
    if left.null_count != right.null_count or not pc.all(pc.equal(left.is_null(), right.is_null())).as_py():
        return left.null_count == right.null_count == 0 and len(left) == 0
    left, right = left.drop_null(), right.drop_null()
    if _is_number(left.type) and _is_number(right.type):
        return np.allclose(_floats(left), _floats(right), rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)
    return left.cast(pa.string()).equals(right.cast(pa.string()))


def _is_number(dtype: pa.DataType) -> bool:
    return pa.types.is_integer(dtype) or pa.types.is_floating(dtype) or pa.types.is_decimal(dtype)


def _floats(column: pa.ChunkedArray) -> np.ndarray:
    return column.cast(pa.float64(), safe=False).to_numpy()
