"""Kernels of mathematical functions."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions import elementary, rounding
from lazyframe.executors.vectorized.functions.integers import numpy_operand
from lazyframe.executors.vectorized.functions.layout import (
    arrow_array,
    elementwise,
    first_row,
    joint_validity,
    numpy_type,
)
from lazyframe.executors.vectorized.functions.subject import mapped, of_columns
from lazyframe.executors.vectorized.functions.thresholds import everywhere
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError, Value
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import integer_bounds, is_float, type_name


def _float(function: Callable[..., np.ndarray]) -> Kernel:
    """A function of one float or two, in IEEE arithmetic."""

    def run(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        with np.errstate(all="ignore"):
            result = function(*[numpy_operand(v) for v in values])
        return arrow_array(result, arguments.result, joint_validity(values))

    return Kernel(elementwise(run))


def _polygamma() -> Kernel:
    from lazyframe.executors.vectorized.functions.polygamma import polygamma

    def run(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        order = arguments.options["order"]
        assert isinstance(order, int)
        with np.errstate(all="ignore"):
            result = polygamma(order, numpy_operand(values[0]))
        return arrow_array(result, arguments.result, joint_validity(values))

    return Kernel(elementwise(run))


def _test(on_floats: Callable[[pa.Array], pa.Array], otherwise: bool) -> Kernel:
    """A test of floats; other numbers all answer `otherwise`."""

    def run(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        (column,) = values
        return on_floats(column) if is_float(arguments.types[0]) else everywhere(column, value=otherwise)

    return Kernel(elementwise(run), encoded=True)


def _gcd(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    dtype = arguments.result
    result = np.gcd(*[numpy_operand(v) for v in values])
    if integer_bounds(dtype)[0] < 0:
        # The magnitude of the least integer is none.
        bad = result < 0
        if bad.any() and (row := first_row(bad, values)) is not None:
            raise KernelError(
                f"integer overflow: the divisor {-int(result[row])} does not fit in {type_name(dtype)}", row
            )
    return arrow_array(result, dtype, joint_validity(values))


def _lcm(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    dtype = arguments.result
    greatest = integer_bounds(dtype)[1]
    pairs = np.broadcast_arrays(*[numpy_operand(v) for v in values])
    found = [math.lcm(a, b) for a, b in zip(*[pair.tolist() for pair in pairs], strict=True)]
    bad = np.array([number > greatest for number in found], dtype=bool)
    if bad.any() and (row := first_row(bad, values)) is not None:
        raise KernelError(f"integer overflow: the multiple {found[row]} does not fit in {type_name(dtype)}", row)
    kept = np.array([min(number, greatest) for number in found], dtype=numpy_type(dtype))
    return arrow_array(kept, dtype, joint_validity(values))


_GREATEST_FACTORIAL = 33
"""What 38 digits hold."""


def _factorial(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    bad = pc.or_(pc.less(values, 0), pc.greater(values, _GREATEST_FACTORIAL))
    if pc.any(bad, min_count=0).as_py():
        row = int(np.argmax(arrow.numpy_of(pc.fill_null(bad, False))))
        raise KernelError(f"the factorial of {values[row]} is none of up to 38 digits", row)
    return mapped(values, lambda n: decimal.Decimal(math.factorial(n)), arguments.result)


def _each(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of Python's of each float: NaN where it has no value, infinite where it is too large."""

    def one(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return lambda numbers: np.array([one(x) for x in np.atleast_1d(numbers).tolist()], dtype=np.float64)


def _hash(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    from lazyframe.executors.vectorized.functions.row_hash import hash_rows

    return hash_rows(values, arguments, rows)


def _random(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    """Numbers in [0, 1): with a seed a function of it and the row's number, from the option `first_row` on."""
    seed = arguments.options.get("seed")
    if seed is None:
        return arrow.array(np.random.default_rng().random(rows))
    first = arguments.options.get("first_row", 0)
    assert isinstance(seed, int)
    assert isinstance(first, int)
    return arrow.array(seeded_uniform(seed, first, rows))


def seeded_uniform(seed: int, first: int, rows: int) -> np.ndarray:
    """The numbers of rows `first` and on under a seed, however the rows are cut into batches."""
    from lazyframe.executors.vectorized.keys.hashing import mix_words

    words = mix_words([np.arange(first, first + rows, dtype=np.int64)], seed)
    words = mix_words([words], seed ^ 1)
    return (words >> np.uint64(11)) * 2.0**-53


KERNELS: dict[str, Kernel] = {
    **elementary.KERNELS,
    "sqrt": _float(np.sqrt),
    "gamma": _float(_each(math.gamma)),
    "log_gamma": _float(_each(math.lgamma)),
    "polygamma": _polygamma(),
    "floor": Kernel(elementwise(rounding.floor), encoded=True),
    "ceil": Kernel(elementwise(rounding.ceil), encoded=True),
    "trunc": Kernel(elementwise(rounding.trunc), encoded=True),
    "round": Kernel(elementwise(rounding.round_digits), encoded=True),
    "trunc_digits": Kernel(elementwise(rounding.truncate_digits)),
    "round_even": Kernel(elementwise(rounding.round_to_even)),
    "is_nan": _test(pc.is_nan, otherwise=False),
    "is_finite": _test(pc.is_finite, otherwise=True),
    "is_infinite": _test(pc.is_inf, otherwise=False),
    "hash": Kernel(_hash, encoded=True),
    "random": Kernel(_random),
    "gcd": Kernel(elementwise(_gcd)),
    "lcm": Kernel(elementwise(_lcm)),
    "factorial": of_columns(_factorial),
}
