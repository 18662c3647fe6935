"""Rows of arrays brought together by kernels, beside what Arrow gives."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lazyframe.executors.batch import take
from lazyframe.executors.compiled.take import taken


@pytest.fixture(autouse=True, params=["0", "1"])
def _everything_by_kernels(request, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setenv("LAZYFRAME_CHECKED", request.param)


ARRAYS = [
    pa.array([1, None, 3, -4, 5], pa.int8()),
    pa.array([1, 2, 3, 4, 5], pa.uint16()),
    pa.array([1.5, None, float("nan"), -0.0, 2.0], pa.float32()),
    pa.array([1, 2**62, None, -(2**63), 0]),
    pa.array(
        [Decimal("1.25"), None, Decimal("-99999999999999999999.01"), Decimal(0), Decimal(7)], pa.decimal128(38, 2)
    ),
    pa.array([0, 1, None, 3, 4], pa.date32()),
    pa.array([0, 1, None, 3, 4], pa.timestamp("ns", "UTC")),
    pa.array(["", "a", None, "eight ch", "more than eight characters, and than sixteen"]),
    pa.array([b"\0", b"1234567", b"", None, b"x" * 1000]),
    pa.array(["", "", "", "", ""]),
    pa.nulls(5, pa.string()),
    pa.array(["x", None, "y", "x", "z"]).dictionary_encode(),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.type))
def test_rows_come_in_the_order_asked_for(array):
    random = np.random.default_rng(0)
    many = pa.concat_arrays([array] * 20)
    for source in (array, array.slice(1), array.slice(2, 2), many, many.slice(3, 90)):
        for count in (1, 7, 400):
            rows = random.integers(0, len(source), count)
            found = taken(source, rows)
            assert found is not None
            found.validate(full=True)
            assert found.equals(pc.array_take(source, pa.array(rows))) or found.type == pa.float32()
            assert str(found.to_pylist()) == str(pc.array_take(source, pa.array(rows)).to_pylist())


@pytest.mark.parametrize(
    "array",
    [
        pa.array([True, None, False]),
        pa.array(["a", None, "b"], pa.large_string()),
        pa.array([[1], None, []]),
        pa.nulls(3),
        pa.array([Decimal(1), None, Decimal(2)], pa.decimal256(50)),
        pa.array([b"abc", None, b"def"], pa.binary(3)),
    ],
    ids=lambda array: str(array.type),
)
def test_what_kernels_do_not_read_is_left_to_arrow(array):
    rows = np.array([2, 0, 1, 1])
    assert take(array, rows).to_pylist() == [array[int(row)].as_py() for row in rows]


def test_rows_that_there_are_not():
    array = pa.array([1, 2, 3])
    assert take(array, pa.array([2, None, 0])).to_pylist() == [3, None, 1]
    assert take(array, np.array([], dtype=np.int64)).to_pylist() == []
    for wrong in (3, -1):
        with pytest.raises((IndexError, pa.ArrowIndexError)):
            take(array, np.array([0, wrong]))
