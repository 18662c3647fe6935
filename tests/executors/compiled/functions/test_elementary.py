"""Elementary functions in kernels: the bits that numpy gives by the same operations."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.compiled.elementary_arrays import values_of
from lazyframe.executors.compiled.stage import Module
from lazyframe.executors.elementary import FUNCTIONS
from lazyframe.executors.elementary.numpy_lanes import compute
from tests.executors.compiled.functions.agreement import agrees

EDGES = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 5e-324, -5e-324, 1.7976931348623157e308, 0.5, -0.5, 2.0,
         -3.0, 709.9, 710.5, -745.2, 1e-300, 1e18, 1 + 2.0**-52, 1 - 2.0**-53, 40.0, 7.0, 1e5, 1e7]  # fmt: skip


def arguments_of(function):
    """Numbers of any bits, usual ones, and edges; of two arguments each edge with each."""
    random = np.random.default_rng(7)
    any_bits = random.integers(0, 2**64, 3000, dtype=np.uint64).view(np.float64)
    x = np.concatenate(
        [any_bits, random.normal(size=3000) * 10, random.normal(size=3000), np.repeat(EDGES, len(EDGES))]
    )
    if function.arity == 1:
        return [x]
    return [x, np.concatenate([random.permutation(x[:9000]), np.tile(EDGES, len(EDGES))])]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays(name, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    function = FUNCTIONS[name]
    arguments = arguments_of(function)
    by_numpy, by_kernel = compute(function, arguments), values_of(function, arguments)
    assert by_kernel is not None
    is_nan = np.isnan(by_numpy)
    np.testing.assert_array_equal(np.isnan(by_kernel), is_nan)
    np.testing.assert_array_equal(by_kernel.view(np.int64)[~is_nan], by_numpy.view(np.int64)[~is_nan])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [pa.float64(), pa.float32()])
def test_in_a_pipeline(name, dtype):
    with np.errstate(all="ignore"):
        arguments = [pa.array(a.astype(dtype.to_pandas_dtype())) for a in arguments_of(FUNCTIONS[name])]
    limit = FUNCTIONS[name].limit
    if limit is not None:
        # Larger ones are left to the vectorized kernels, with their batch.
        arguments = [
            a.filter(pc.invert(pc.greater(pc.if_else(pc.is_finite(a), pc.abs(a), 0.0), limit))) for a in arguments
        ]
    assert agrees(name, *[pa.concat_arrays([a, pa.nulls(3, dtype)]) for a in arguments]) is not None


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if FUNCTIONS[name].limit is not None])
def test_beyond_the_limit_a_batch_is_left_to_vectorized_kernels(name):
    column = pa.array([1.0, -3.0e8, None, 1e300] * 20)
    found = agrees(name, column, may_give_up=True)
    function = FUNCTIONS[name].beyond
    assert function is not None
    assert found is None or found.to_pylist()[1:4] == [function(-3.0e8), None, function(1e300)]


def test_a_kernel_of_many_functions_calls_them_for_eight_rows_at_a_time(monkeypatch):
    numbers = np.random.default_rng(3).normal(size=1003)
    frame = lf.from_arrow(pa.table({"x": pa.array(numbers, mask=np.arange(1003) % 5 == 0), "y": numbers[::-1]}))
    asked = [(col("x") * k).tanh().sum().alias(f"tanh{k}") for k in range(1, 30)]
    asked += [(col("x").abs().pow(col("y") * k)).mean().alias(f"power{k}") for k in range(1, 9)]
    query = frame.select(*asked)
    texts = []
    monkeypatch.setattr(Module, "text", lambda module, real=Module.text: texts.append(real(module)) or texts[-1])
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    compiled = query.collect().to_dicts()
    monkeypatch.setenv("LAZYFRAME_COMPILED", "off")
    assert query.collect().to_dicts() == compiled
    assert any("@tanh.of8(" in text and "@power.of8(" in text for text in texts)
