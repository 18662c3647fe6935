"""Rows that a kernel keeps by the keys of joins are those that Python's own comparison keeps."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.kept_rows import kept_rows
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.key_test import KeyTest
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.planner.scalars import Column
from lazyframe.planner.schema import Field, Schema

ROWS = 1000
NUMBERS = np.random.default_rng(5).integers(0, 60, ROWS)
COLUMNS: dict[str, tuple[pa.Array, pa.Array, pa.DataType]] = {
    "ints": (pa.array(NUMBERS), pa.array([3, 50, 7, 7, 1 << 40]), pa.int64()),
    "row": (pa.array([None if n % 5 == 0 else int(n) for n in NUMBERS], pa.int32()), pa.array([None, 1, 2], pa.int32()), pa.int32()),
    "unscaled": (pa.array(NUMBERS), pa.array([10, 11]), pa.decimal128(9, 2)),
    "text": (pa.array([f"text number {n}" for n in NUMBERS]), pa.array(["text number 4", "", None]), pa.string()),
    "coded": (pa.array([str(n) for n in NUMBERS]).dictionary_encode(), pa.array(["4", "9"]), pa.string()),
    "floats": (pa.array(np.where(NUMBERS % 7 == 0, np.nan, np.where(NUMBERS == 8, -0.0, NUMBERS))), pa.array([0.0, float("nan")]), pa.float64()),
    "nothing": (pa.array(NUMBERS), pa.array([], pa.int64()), pa.int64()),
}  # fmt: skip


def _test(name: str, *, nulls_equal: bool) -> KeyTest:
    _, keys, dtype = COLUMNS[name]
    known = KeySet()
    known.give(keys, dtype, None, alone=False, nulls_equal=nulls_equal)
    value = Column(name, dtype, True)
    return KeyTest(known, value, Expressions([value]))


def _plain(name: str) -> tuple[list[Any], set[Any], bool]:
    column, keys, _ = COLUMNS[name]
    # NaN equals itself, and -0.0 is 0.0.
    as_key = lambda v: "nan" if isinstance(v, float) and v != v else v  # noqa: E731
    wanted = [as_key(v) for v in keys.to_pylist()]
    return [as_key(v) for v in column.to_pylist()], {v for v in wanted if v is not None}, None in wanted


def _is_kept(name: str, row: int, *, nulls_equal: bool) -> bool:
    values, wanted, has_null = _plain(name)
    return (nulls_equal and has_null) if values[row] is None else values[row] in wanted


@pytest.mark.parametrize("nulls_equal", [False, True])
@pytest.mark.parametrize(
    "names", [*[(name,) for name in COLUMNS], ("ints", "row"), ("coded", "floats", "unscaled"), ("text", "ints")]
)
@pytest.mark.parametrize(("start", "length"), [(0, ROWS), (13, 500), (7, 0), (999, 1)])
def test_the_same_rows_pass(names: tuple[str, ...], start: int, length: int, nulls_equal: bool) -> None:
    schema = Schema([Field(name, dtype, True) for name, (_, _, dtype) in COLUMNS.items()])
    found = kept_rows([_test(name, nulls_equal=nulls_equal) for name in names], schema)
    assert found is not None
    batch = Batch({name: column.slice(start, length) for name, (column, _, _) in COLUMNS.items()}, length)
    expected = [
        row - start
        for row in range(start, start + length)
        if all(_is_kept(name, row, nulls_equal=nulls_equal) for name in names)
    ]
    assert found(batch).tolist() == expected
