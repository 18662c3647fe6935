"""Kernels of arithmetic: on integers checked, on floats IEEE, on decimals exact, on dates by the calendar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions import decimals, integers, spans
from lazyframe.executors.vectorized.functions.layout import (
    Run,
    arrow_array,
    elementwise,
    joint_validity,
    numpy_type,
    numpy_values,
)
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, Value
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import is_decimal, is_float, is_integer

Binary = Callable[[Value, Value, Arguments], pa.Array]


def _binary(integer: Binary, floating: Binary, decimal: Binary, other: Binary) -> Run:
    """A kernel that chooses by the kind of its arguments."""

    def run(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        a, b = values
        left, right = arguments.types
        if is_integer(left) and is_integer(right):
            return integer(a, b, arguments)
        if is_float(left):
            return floating(a, b, arguments)
        if is_decimal(left):
            return decimal(a, b, arguments)
        return other(a, b, arguments)

    return elementwise(run)


def _integers(operation: integers.Operation) -> Binary:
    return lambda a, b, arguments: integers.compute(operation, a, b, arguments.result)


def _floats(function: Callable[[Value, Value], pa.Array]) -> Binary:
    return lambda a, b, arguments: function(a, b)


def _by_numpy(function: np.ufunc) -> Binary:
    def run(a: Value, b: Value, arguments: Arguments) -> pa.Array:
        x, y = _operand(a), _operand(b)
        with np.errstate(all="ignore"):
            return arrow_array(function(x, y), arguments.result, joint_validity([a, b]))

    return run


def _operand(value: Value) -> np.ndarray:
    if isinstance(value, pa.Array):
        return numpy_values(value)
    return np.array(value.as_py(), dtype=numpy_type(value.type))


def _power(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    from lazyframe.executors.vectorized.functions.elementary import column

    return column("power", [a, b], arguments)


def _undefined(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    raise AssertionError(f"no overload for {arguments.types}")


def _unary(integer: Callable, floating: Callable, decimal: Callable, other: Callable) -> Run:
    def run(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        (a,) = values
        (t,) = arguments.types
        if is_integer(t):
            return integer(a, arguments)
        if is_float(t):
            return floating(a)
        return decimal(a, arguments) if is_decimal(t) else other(a, arguments)

    return elementwise(run)


def _sign(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    (a,) = values
    if is_decimal(arguments.types[0]):
        return arrow_array(decimals.sign(a), pa.int8(), joint_validity([a]))
    return pc.sign(a).cast(arguments.result)


def _bitwise(function: Callable[[Value, Value], pa.Array]) -> Kernel:
    return Kernel(elementwise(lambda values, arguments, rows: function(*values)))


KERNELS: dict[str, Kernel] = {
    "add": Kernel(_binary(_integers(integers.ADD), _floats(pc.add), decimals.add, spans.add), encoded=True),
    "subtract": Kernel(
        _binary(_integers(integers.SUBTRACT), _floats(pc.subtract), decimals.subtract, spans.subtract), encoded=True
    ),
    "multiply": Kernel(
        _binary(_integers(integers.MULTIPLY), _floats(pc.multiply), decimals.multiply, spans.multiply), encoded=True
    ),
    "divide": Kernel(_binary(_undefined, _floats(pc.divide), decimals.divide, spans.divide), encoded=True),
    "floor_divide": Kernel(
        _binary(
            lambda a, b, arguments: integers.floor_divide(a, b, arguments.result),
            _by_numpy(np.floor_divide),
            decimals.floor_divide,
            _undefined,
        ),
        encoded=True,
    ),
    "modulo": Kernel(
        _binary(
            lambda a, b, arguments: integers.modulo(a, b, arguments.result),
            _by_numpy(np.remainder),
            decimals.modulo,
            _undefined,
        ),
        encoded=True,
    ),
    "truncated_divide": Kernel(
        _binary(
            lambda a, b, arguments: integers.truncated_divide(a, b, arguments.result),
            _undefined,
            _undefined,
            _undefined,
        )
    ),
    "truncated_modulo": Kernel(
        _binary(
            lambda a, b, arguments: integers.truncated_modulo(a, b, arguments.result),
            _by_numpy(np.fmod),
            decimals.truncated_modulo,
            _undefined,
        ),
        encoded=True,
    ),
    "negate": Kernel(
        _unary(lambda a, to: integers.negate(a, to.result), pc.negate, decimals.negate, spans.negate), encoded=True
    ),
    "abs": Kernel(
        _unary(lambda a, to: integers.magnitude(a, to.result), pc.abs, decimals.magnitude, spans.magnitude),
        encoded=True,
    ),
    "sign": Kernel(elementwise(_sign), encoded=True),
    "power": Kernel(_binary(_integers(integers.POWER), _power, _undefined, _undefined)),
    "bit_and": _bitwise(pc.bit_wise_and),
    "bit_or": _bitwise(pc.bit_wise_or),
    "bit_xor": _bitwise(pc.bit_wise_xor),
}
