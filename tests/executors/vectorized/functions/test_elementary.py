"""Which way elementary functions are computed: by numpy, until so many values were asked for that a kernel pays."""

import math

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.compiled import elementary_arrays
from lazyframe.executors.elementary import FUNCTIONS
from lazyframe.executors.vectorized.functions import elementary
from lazyframe.executors.vectorized.functions.elementary import column
from lazyframe.executors.vectorized.kernel import Arguments

F64, F32 = pa.float64(), pa.float32()


def value(name, *values, dtype=F64):
    return column(name, values, Arguments((dtype,) * len(values), dtype, {}))


@pytest.fixture(name="kernels")
def _kernels(monkeypatch):
    """How many rows each call of a kernel had."""
    monkeypatch.setattr(elementary, "_by_numpy", {})
    monkeypatch.setenv("LAZYFRAME_COMPILED", "100000")
    found = []

    def values_of(function, arguments, *, is_busy=False):
        result = real(function, arguments, is_busy=is_busy)
        if result is not None:
            found.append(len(result))
        return result

    real = elementary_arrays.values_of
    monkeypatch.setattr(elementary_arrays, "values_of", values_of)
    return found


def test_few_values_are_computed_by_numpy(kernels):
    assert value("exp", pa.array([0.0, None, 1.0])).to_pylist() == [1.0, None, math.e]
    assert kernels == []


def test_few_at_a_time_are_computed_by_a_kernel_once_they_were_many(kernels, monkeypatch):
    numbers = pa.array(np.linspace(-3, 3, 1000))
    first = value("expm1", numbers)
    monkeypatch.setitem(elementary._by_numpy, "expm1", 2_000_000)
    elementary_arrays._kernel("expm1").wanted_for(1 << 20)  # waited for
    assert value("expm1", numbers).equals(first)
    value("expm1", numbers[:10])
    assert kernels == [1000]


def test_constants_stand_for_all_rows():
    assert value("power", pa.array([1.0, 2.0, 3.0]), pa.scalar(2.0)).to_pylist() == [1.0, 4.0, 9.0]
    assert value("power", pa.scalar(2.0), pa.array([1.0, None, 3.0])).to_pylist() == [2.0, None, 8.0]
    assert value("log", pa.array([8.0, 0.5]), pa.scalar(2.0)).to_pylist() == [3.0, -1.0]


def test_floats_of_32_bits_are_rounded_from_64():
    found = value("exp", pa.array([1.0, 89.0], F32), dtype=F32)
    assert found.type == F32
    assert found.to_pylist() == [float(np.float32(math.e)), math.inf]


def test_slices_and_no_rows():
    assert value("tanh", pa.array([9.0, 0.0, 0.5])[1:]).to_pylist() == [0.0, pytest.approx(math.tanh(0.5))]
    assert len(value("ln", pa.array([], F64))) == 0


def test_angles_that_are_too_large_to_be_reduced_are_pythons():
    found = value("sin", pa.array([1e22, -3e8, math.inf, 0.5])).to_pylist()
    assert found[:2] == [math.sin(1e22), math.sin(-3e8)]
    assert math.isnan(found[2])
    assert found[3] == pytest.approx(math.sin(0.5), rel=1e-15)


def test_all_elementary_functions_have_kernels():
    assert {*elementary.NAMES, "power"} == set(FUNCTIONS)
