"""Columns in all layouts are read as what they mean, wherever their buffers begin and whatever stands under nulls."""

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.compiled.layouts import layout_of
from lazyframe.planner.scalars import Call, Column
from lazyframe.planner.types import canonical
from tests.executors.compiled.functions.agreement import check

TEXTS = ["", "a", "twelve bytes", "thirteen byte", None, "äöü" * 9, "x" * 300, "b"]
PLAIN = pa.array(TEXTS, pa.string())


def read(array: pa.Array) -> list[object]:
    """What a kernel reads, and copies."""
    dtype = canonical(array.type)
    found = check(Call("coalesce", (Column("c", dtype, True),)), {"c": array})
    assert found is not None
    return found.to_pylist()


def cuts(array: pa.Array) -> list[pa.Array]:
    return [array, array.slice(1), array.slice(3, 4), array.slice(2, 0), array.slice(len(array) - 1)]


@pytest.mark.parametrize("dtype", [pa.string(), pa.large_string(), pa.string_view()])
def test_strings(dtype):
    for array in cuts(PLAIN.cast(dtype)):
        assert read(array) == array.to_pylist()


@pytest.mark.parametrize("dtype", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_bytes(dtype):
    for array in cuts(PLAIN.cast(pa.binary()).cast(dtype)):
        assert read(array) == array.to_pylist()


def test_views_of_several_buffers():
    first, second = (pa.array([f"{name} of more than twelve bytes", name], pa.string_view()) for name in ("one", "two"))
    both = pa.concat_arrays([first, second])
    assert len(both.buffers()) > len(first.buffers())
    for array in cuts(both):
        assert read(array) == array.to_pylist()


@pytest.mark.parametrize("dtype", [pa.string_view(), pa.large_string(), pa.string()])
def test_what_stands_under_nulls_is_never_followed(dtype):
    array = pa.array(["this is more than twelve bytes", None, "x"], dtype)
    buffers = array.buffers()
    if dtype == pa.string_view():
        views = np.frombuffer(buffers[1], np.int32).copy().reshape(-1, 4)
        views[1] = (1 << 30, 1, 1 << 20, 1 << 30)
        buffers[1] = pa.py_buffer(views)
    dirty = pa.Array.from_buffers(dtype, 3, buffers)
    assert read(dirty) == array.to_pylist()


@pytest.mark.parametrize("codes", [pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16()])
def test_dictionaries(codes):
    indices = pa.array([0, 2, None, 1, 0, 2], codes)
    for array in cuts(pa.DictionaryArray.from_arrays(indices, pa.array(["long text of the first", "", "c"]))):
        assert read(array) == array.to_pylist()


def test_dictionaries_with_255_entries():
    entries = pa.array([str(n) for n in range(255)])
    array = pa.DictionaryArray.from_arrays(pa.array([254, 0, 128], pa.uint8()), entries)
    assert read(array) == ["254", "0", "128"]


@pytest.mark.skipif(not hasattr(pa, "decimal64"), reason="this pyarrow has no short decimals")
def test_short_decimals():
    numbers = [decimal.Decimal("1.25"), None, decimal.Decimal("-9999.99"), decimal.Decimal(0)]
    for dtype in (
        pa.decimal32(6, 2),
        pa.decimal64(6, 2),
        pa.decimal64(18, 2),
        pa.decimal128(6, 2),
        pa.decimal128(30, 2),
    ):
        for array in cuts(pa.array(numbers, dtype)):
            assert read(array) == array.to_pylist()


def test_what_kernels_do_not_read():
    for array in (
        pa.array([dt.date(2000, 1, 1)], pa.date64()),
        pa.array([1.0], pa.float16()),
        pa.array([1, 2]).dictionary_encode(),
        pa.array([True, False]).dictionary_encode(),
        pa.array(["a"], pa.large_string()).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0], pa.int64()), pa.array(["a"])),
        pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), pa.array(["a", None])),
        pa.array([b"abcd"], pa.binary(4)),
        pa.array([decimal.Decimal(1)], pa.decimal256(5, 2)),
        pc_runs(),
    ):
        assert layout_of(array, canonical(array.type)) is None


def pc_runs() -> pa.Array:
    return pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([7], pa.int64()))
