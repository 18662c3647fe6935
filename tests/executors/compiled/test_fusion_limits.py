"""Chains and expressions that are too long for one kernel."""

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.config import current
from lazyframe.session import execute, new_context, planned


@pytest.fixture(autouse=True)
def settings_stay():
    with lf.config():
        yield


def compiled(frame):
    context = new_context()
    context.compile_from = 0
    context.kernels = []
    table = execute(planned(frame._plan), optimize=False, context=context)
    return table.to_pydict(), [program for operator in context.kernels for program in operator.programs()]


def test_a_long_chain_is_several_kernels():
    assert current().compiled
    frame = lf.from_dict({"x": [3, 1, 2]}).lazy()
    for _ in range(120):
        frame = frame.with_columns(x=lf.when(col("x") > 2).then(col("x") - 1).otherwise(col("x") + 1)).filter(
            col("x") > 0
        )
    found, kernels = compiled(frame)
    # 3 goes to 2 and back; 1 goes to 2; 2 to 3 and back: an even number of steps.
    assert found == {"x": [3, 3, 2]}
    assert len(kernels) > 2


def test_deep_expressions_are_left_to_vectorized_operators():
    value = col("x")
    for _ in range(380):
        value = (value + col("y")) * 1
    found, _ = compiled(lf.from_dict({"x": [1], "y": [2]}).lazy().select(value.alias("z")))
    assert found == {"z": [1 + 380 * 2]}


def test_many_conditions():
    frame = lf.from_dict({"x": [5, 1000]}).lazy()
    condition = col("x") != -1
    for number in range(300):
        condition &= (col("x") % (number + 2000)) != number + 1100
    found, kernels = compiled(frame.filter(condition))
    assert found == {"x": [5, 1000]}
    assert len(kernels) <= 1
