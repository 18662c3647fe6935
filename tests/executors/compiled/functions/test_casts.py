"""Casts by kernels, held against the vectorized ones."""

import itertools

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.executors.compiled.coverage import why_not_staged
from lazyframe.planner.functions.definition import cast_is_allowed
from lazyframe.planner.scalars import Cast, Column
from tests.executors.compiled.functions.agreement import check, check_each
from tests.executors.compiled.functions.test_numbers import DECIMALS, FLOATS, INTEGERS, decimals, edges

MOST = 2**63 - 1
TIMES = [pa.date32(), pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("ns"), pa.time32("s"), pa.time64("us"),
         pa.duration("ms"), pa.duration("ns")]  # fmt: skip
NUMBERS = [*INTEGERS, pa.bool_(), pa.float32(), pa.float64(), *[pa.decimal128(*shape) for shape in DECIMALS]]


def values_of(dtype: pa.DataType) -> pa.Array:
    if dtype == pa.bool_():
        return pa.array([True, False, None])
    if pa.types.is_floating(dtype):
        more = [0.7, 1.005, 127.0, 127.5, 128.0, -128.5, 255.5, 99.995, 0.125, 2.0**31, 1e17, 123456.789]
        return pa.array([*FLOATS, *more], dtype)
    if pa.types.is_decimal(dtype):
        return decimals(dtype.precision, dtype.scale)
    if pa.types.is_integer(dtype):
        return pa.array([*edges(dtype), 49, 50, 86], dtype)
    if pa.types.is_date(dtype):
        return pa.array([0, 1, -1, 2**31 - 1, -(2**31), 20_000, None], pa.int32()).cast(dtype)
    if pa.types.is_time(dtype):
        width = pa.int32() if dtype.bit_width == 32 else pa.int64()
        top = 86_400 * {"s": 1, "us": 10**6}[dtype.unit]
        return pa.array([0, 1, top - 1, top // 3, None], width).cast(dtype)
    return pa.array([0, 1, -1, 86_400, -86_401, 10**15 + 7, -(10**15), MOST, -MOST - 1, 10**18, None], pa.int64()).cast(
        dtype
    )


def cast(source: pa.DataType, target: pa.DataType, **how: object) -> Cast:
    return Cast(Column("c", source, True), target, **how)


def agree(source: pa.DataType, target: pa.DataType) -> None:
    values = values_of(source)
    for how in ({}, {"lenient": True}, {"rounding": "half_even"}):
        scalar = cast(source, target, **how)
        if why_not_staged(scalar) is None:
            check_each(scalar, {"c": values}, may_give_up=pa.types.is_decimal(source) or pa.types.is_decimal(target))


@pytest.mark.parametrize("target", NUMBERS)
@pytest.mark.parametrize("source", NUMBERS)
def test_numbers(source, target):
    if source != target:
        agree(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [pair for pair in itertools.product(TIMES, TIMES) if pair[0] != pair[1] and cast_is_allowed(*pair)],
)
def test_times(source, target):
    agree(source, target)


@pytest.mark.parametrize("count", [pa.int64(), pa.int32(), pa.int8(), pa.uint64()])
@pytest.mark.parametrize("dtype", TIMES)
def test_counts(dtype, count):
    agree(count, dtype)
    agree(dtype, count)


@given(st.lists(st.floats(-1e6, 1e6), max_size=9), st.sampled_from([0, 2, 4]))
def test_decimals_of_random_floats(numbers, scale):
    values = pa.array(numbers, pa.float64())
    check_each(cast(pa.float64(), pa.decimal128(15, scale)), {"c": values}, may_give_up=True)


@given(st.lists(st.integers(-(10**15), 10**15), max_size=9), st.integers(0, 15), st.integers(0, 15))
def test_places_of_random_decimals(numbers, scale, places):
    values = pa.array(numbers, pa.int64()).cast(pa.decimal128(19, 0))
    words = pa.Array.from_buffers(pa.decimal128(18, scale), len(values), values.buffers())
    check(cast(words.type, pa.decimal128(38, places)), {"c": words})


def test_zones_and_texts_are_left_to_the_vectorized_kernels():
    zoned = pa.timestamp("us", "Europe/Paris")
    for source, target in (
        (zoned, pa.date32()), (pa.timestamp("us"), zoned), (pa.string(), pa.int64()), (pa.int64(), pa.string()),
    ):  # fmt: skip
        assert why_not_staged(cast(source, target)) is not None
