"""Emitters of functions of numbers, held against the vectorized kernels."""

import decimal
import itertools

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.executors.compiled.coverage import why_not_staged
from lazyframe.planner.errors import LazyFrameError
from lazyframe.planner.functions.definition import lookup
from tests.executors.compiled.functions.agreement import agrees, call, check, columns_of, each_row

NAN, INFINITE = float("nan"), float("inf")
INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1e300, -1e300, 2.0**53, 2.0**53 + 2, 2.0**63, -(2.0**63),
          9.007199254740993e15, NAN, INFINITE, -INFINITE, 5e-324, 3.0, -7.25, None]  # fmt: skip
ONES = [1.005, 2.675, 1.015, 1.25, 1.35, 123456.785, 0.1, 7.0]
DECIMALS = [(4, 2), (9, 0), (15, 2), (18, 18), (18, 4), (19, 0), (30, 10), (38, 0), (38, 6), (38, 37)]
BINARY = ["add", "subtract", "multiply", "divide", "floor_divide", "modulo", "truncated_divide", "truncated_modulo"]
COMPARISONS = [
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "equal_missing",
    "not_equal_missing",
]


def edges(dtype: pa.DataType) -> list[int | None]:
    bits = dtype.bit_width
    least, most = (0, 2**bits - 1) if pa.types.is_unsigned_integer(dtype) else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return [n for n in (0, 1, 2, 3, 7, 100, -1, -2, -7, most, most - 1, least, least + 1) if least <= n <= most] + [
        None
    ]


def decimals(precision: int, scale: int) -> pa.Array:
    top = 10**precision - 1
    numbers = {0, 1, -1, -5, 15, 49, 50, 10**scale // 2, top, -top, top // 3}
    kept = sorted(n for n in numbers if abs(n) <= top)
    context = decimal.Context(prec=60)
    return pa.array(
        [*[decimal.Decimal(n).scaleb(-scale, context) for n in kept], None], pa.decimal128(precision, scale)
    )


def pairs(a: pa.Array, b: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Each value with each."""
    left, right = zip(*itertools.product(range(len(a)), range(len(b))), strict=True)
    return a.take(pa.array(left)), b.take(pa.array(right))


def is_defined(function: str, *types: pa.DataType) -> bool:
    try:
        scalar = call(function, *[pa.array([], t) for t in types])
    except (LazyFrameError, AssertionError):
        return False
    return why_not_staged(scalar) is None


@pytest.mark.parametrize("function", [name for name in BINARY if name != "divide"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(function, dtype):
    values = pa.array(edges(dtype), dtype)
    each_row(function, *pairs(values, values))


@pytest.mark.parametrize("function", ["add", "subtract", "multiply", "divide"])
@pytest.mark.parametrize("dtype", [pa.float32(), pa.float64()])
def test_floats(function, dtype):
    values = pa.array(FLOATS, dtype)
    agrees(function, *pairs(values, values))


@pytest.mark.parametrize("function", [name for name in BINARY if name != "truncated_divide"])
@pytest.mark.parametrize(
    ("left", "right"),
    [((15, 2), (15, 2)), ((4, 2), (9, 0)), ((18, 18), (4, 2)), ((18, 4), (18, 18)), ((9, 0), (18, 4)), ((15, 2), (30, 10)),
     ((19, 0), (4, 2)), ((38, 6), (38, 6)), ((38, 0), (38, 37)), ((30, 10), (18, 4)), ((38, 6), (15, 2))],
)  # fmt: skip
def test_decimals(function, left, right):
    wanted = lookup(function).resolve((pa.decimal128(*left), pa.decimal128(*right)), {}).arguments
    a, b = decimals(*left), decimals(*right)
    if wanted != (a.type, b.type):
        # Both as one type that has room for them.
        a = b = decimals(wanted[0].precision, wanted[0].scale)
    if why_not_staged(call(function, a, b)) is None:
        each_row(function, *pairs(a, b), may_give_up=True)


def test_what_stands_under_nulls_is_not_divided():
    valid = pa.array([False, True]).buffers()[1]
    for dtype in (pa.int32(), pa.int64()):
        least = edges(dtype)[-3]
        for a, b in ((least, -1), (5, 0)):
            x = pa.Array.from_buffers(dtype, 2, [valid, pa.array([a, 6], dtype).buffers()[1]])
            y = pa.array([b, 3], dtype)
            for name in ("floor_divide", "modulo", "truncated_divide", "truncated_modulo"):
                assert agrees(name, x, y).to_pylist() == [None, 2 if "divide" in name else 0]


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("dtype", [*INTEGERS, pa.decimal128(18, 4), pa.decimal128(15, 0), pa.float32()])
def test_numbers_compared_with_floats(name, dtype):
    numbers = (
        decimals(dtype.precision, dtype.scale)
        if pa.types.is_decimal(dtype)
        else pa.array(edges(dtype) if dtype != pa.float32() else FLOATS, dtype)
    )
    floats = pa.array([*FLOATS, 100.0, 9223372036854775807.0, 18446744073709551615.0, -1.0, 0.0001], pa.float64())
    give_up = pa.types.is_decimal(dtype) and dtype.precision > 15
    for a, b in (pairs(numbers, floats), pairs(floats, numbers)):
        agrees(name, a, b, may_give_up=give_up)
    agrees(name, numbers, pa.scalar(0.5), may_give_up=give_up)


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize(
    ("left", "right"), [(pa.int64(), pa.uint64()), (pa.int8(), pa.uint64()), (pa.int32(), pa.uint32())]
)
def test_integers_of_different_types_compared(name, left, right):
    agrees(name, *pairs(pa.array(edges(left), left), pa.array(edges(right), right)))


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize(
    ("left", "right"), [((4, 2), (18, 4)), ((15, 2), (38, 6)), ((9, 0), (4, 2)), ((30, 10), (30, 10))]
)
def test_decimals_compared(name, left, right):
    if is_defined(name, pa.decimal128(*left), pa.decimal128(*right)):
        agrees(name, *pairs(decimals(*left), decimals(*right)))
    agrees(name, decimals(15, 2), pa.scalar(3))


@pytest.mark.parametrize("name", COMPARISONS)
def test_texts_and_nulls(name):
    texts = pa.array(["a", "b", None, ""], pa.string())
    agrees(name, *pairs(texts, texts))
    agrees(name, *pairs(texts.cast(pa.binary()), texts.cast(pa.binary())))
    truths = pa.array([True, False, None])
    agrees(name, *pairs(truths, truths))


@pytest.mark.parametrize("function", ["abs", "negate", "sign", "bit_not", "bit_count"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_functions_of_integers(function, dtype):
    if not is_defined(function, dtype):
        return
    each_row(function, pa.array(edges(dtype), dtype))


@pytest.mark.parametrize(
    "function",
    ["abs", "negate", "sign", "sqrt", "floor", "ceil", "trunc", "is_nan", "is_finite", "is_infinite", "round"],
)
@pytest.mark.parametrize("dtype", [pa.float32(), pa.float64()])
def test_functions_of_floats(function, dtype):
    agrees(function, pa.array(FLOATS, dtype))


@pytest.mark.parametrize("digits", [0, 1, 2, 5, 22])
@pytest.mark.parametrize("dtype", [pa.float32(), pa.float64()])
def test_rounding_of_floats(digits, dtype):
    each_row("round", pa.array([*FLOATS, *ONES], dtype), digits=digits, may_give_up=digits > 0)
    simple = pa.array([0.1, 7.25001, -3.14159, 100.0, 99.999], dtype)
    agrees("round", simple, digits=digits, may_give_up=digits == 22)


@given(st.lists(st.floats(), max_size=9), st.integers(0, 4))
def test_rounding_of_random_floats(numbers, digits):
    each_row("round", pa.array(numbers, pa.float64()), digits=digits, may_give_up=True)


@pytest.mark.parametrize("function", ["abs", "negate", "sign", "floor", "ceil", "trunc", "round", "is_finite"])
@pytest.mark.parametrize("shape", DECIMALS)
def test_functions_of_decimals(function, shape):
    agrees(function, decimals(*shape))


@pytest.mark.parametrize("digits", [0, 1, 2, 30])
@pytest.mark.parametrize("shape", DECIMALS)
def test_rounding_of_decimals(digits, shape):
    agrees("round", decimals(*shape), digits=digits)


@pytest.mark.parametrize("function", ["bit_and", "bit_or", "bit_xor"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(function, dtype):
    values = pa.array(edges(dtype), dtype)
    agrees(function, *pairs(values, values))


@pytest.mark.parametrize("function", ["least", "greatest"])
@pytest.mark.parametrize(
    "values",
    [pa.array([1, None, -5, 7]), pa.array(FLOATS), pa.array(["a", None, "", "abc", "b"]), pa.array([True, False, None]),
     decimals(15, 2), decimals(38, 2), pa.array([0, None, -4], pa.timestamp("us"))],
)  # fmt: skip
def test_extremes(function, values):
    a, b = pairs(values, values)
    agrees(function, a, b)
    agrees(function, a, b, a.take(pa.array(range(len(a) - 1, -1, -1))))
    agrees(function, a, values.slice(0, 1)[0])
    agrees(function, a)


SPANS = [(1, 0, 0), (-1, 0, 0), (0, 3, 0), (0, -3, 0), (14, 2, 0), (0, 0, 0)]


@pytest.mark.parametrize("function", ["add", "subtract"])
@pytest.mark.parametrize("span", SPANS)
def test_dates_and_intervals(function, span):
    dates = pa.array([*range(-800, 800), None], pa.int32()).cast(pa.date32())
    interval = pa.scalar(span, pa.month_day_nano_interval())
    agrees(function, dates, interval)
    stamps = pa.array([n * 86_400_000_000 + n for n in range(-800, 800)], pa.timestamp("us"))
    for more in ((0, 0, 0), (0, 0, 1500), (0, 0, -3_600_000_000_001)):
        agrees(function, stamps, pa.scalar(tuple(a + b for a, b in zip(span, more, strict=True)), interval.type))
    if function == "add":
        agrees(function, interval, dates)


def test_intervals_that_are_columns_are_not_staged():
    intervals = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    assert why_not_staged(call("add", pa.array([0], pa.date32()), intervals)) is not None


@pytest.mark.parametrize("function", ["add", "subtract"])
def test_instants_and_durations(function):
    most = 2**63 - 1
    stamps, durations = (
        pa.array([0, 5, None, most, -most], pa.timestamp("us")),
        pa.array([0, 7, -7, None, most], pa.duration("us")),
    )
    each_row(function, *pairs(stamps, durations))
    each_row(function, *pairs(durations, durations))
    if function == "subtract":
        each_row(function, *pairs(stamps, stamps))
        dates = pa.array([0, 1, None, 2**31 - 1, -(2**31)], pa.int32()).cast(pa.date32())
        each_row(function, *pairs(dates, dates))
        times = pa.array([0, 1, None, 86_399_999_999], pa.time64("us"))
        each_row(function, *pairs(times, times))
    else:
        each_row(function, *pairs(durations, stamps))
    numbers = pa.array([0, 3, -3, None, most], pa.int64())
    each_row("multiply", *pairs(durations, numbers))
    each_row("multiply", *pairs(numbers, durations))


@given(
    st.lists(st.tuples(st.decimals(-(10**12), 10**12, places=2), st.decimals(-(10**12), 10**12, places=2)), max_size=9)
)
def test_random_decimals(rows):
    a, b = (pa.array([row[i] for row in rows], pa.decimal128(15, 2)) for i in (0, 1))
    for name in ("add", "subtract", "multiply"):
        check(call(name, a, b), columns_of(a, b))
    nonzero = pa.array([row[1] or decimal.Decimal("0.01") for row in rows], pa.decimal128(15, 2))
    agrees("divide", a, nonzero, may_give_up=True)
    agrees("modulo", a, nonzero)


def test_the_value_of_a_scalar_subquery():
    values, counts = pa.array(["a", None, "b", "c"]), pa.array([1, 1, None, 0], pa.int64())
    assert agrees("only_value", values, counts).to_pylist() == ["a", None, "b", "c"]
    assert agrees("only_value", values, pa.array([1, 1, 2, 1], pa.int64())) is None
