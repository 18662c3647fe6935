"""Expressions made simpler by what is constant in them.

The planner runs no kernels: what is folded here is logic, comparison and exact arithmetic of literals, in Python. What could
fail or round differently stays for the executor, so that an overflow is still an error at the line that wrote it.
"""

from __future__ import annotations

import decimal
import math
import operator
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.functions.definition import cast_is_total
from lazyframe.planner.graph import _set
from lazyframe.planner.scalars import (
    FALSE,
    TRUE,
    Call,
    Case,
    Cast,
    Column,
    Literal,
    Scalar,
    is_literal_null,
    is_total,
    is_volatile,
    null_of,
)
from lazyframe.planner.site import ambient
from lazyframe.planner.types import (
    BOOL,
    DATE,
    FLOAT64,
    INT64,
    STRING,
    TICKS_PER_SECOND,
    DataType,
    integer_bounds,
    is_decimal,
    is_float,
    is_integer,
    is_numeric,
    is_timestamp,
)

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
OPPOSITE = {
    "equal": "not_equal",
    "not_equal": "equal",
    "less": "greater_equal",
    "less_equal": "greater",
    "greater": "less_equal",
    "greater_equal": "less",
    "is_null": "is_not_null",
    "is_not_null": "is_null",
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
}
_EXACT = decimal.Context(prec=80, traps=[decimal.Inexact, decimal.InvalidOperation])


def folded(root: Scalar, known: dict[int, Scalar] | None = None) -> Scalar:
    """The same value, computed with less; `root` itself where nothing is constant in it. May be less nullable.

    What was folded is marked, so that an expression that grows by a node a verb is walked once.

    Args:
        root: the expression.
        known: what has become of parts of other expressions, by their `id`; gets those of this one. With it expressions that
            share parts share what these have become.
    """
    if is_folded(root):
        return root
    values = {} if known is None else known
    if id(root) in values:
        return values[id(root)]
    stack = [root]
    previous = ambient.site
    try:
        while True:
            current = stack[-1]
            if id(current) in values:
                stack.pop()
                continue
            children = current.children()
            pending = [child for child in children if not is_folded(child) and id(child) not in values]
            if pending:
                stack.extend(pending)
                continue
            ambient.site = current.site
            result = current.with_children([values.get(id(child), child) for child in children]) if values else current
            while (simpler := _simpler(result)) is not None:
                result = simpler
            if result is not current and result == current:
                result = current
            _set(result, "_settled", True)
            values[id(current)] = result
            if current is root:
                return result
    finally:
        ambient.site = previous


def is_folded(scalar: Scalar) -> bool:
    """Whether it is known that nothing is left to fold."""
    return isinstance(scalar, (Column, Literal)) or hasattr(scalar, "_settled")


def _simpler(scalar: Scalar) -> Scalar | None:
    """One step on a node whose children are folded."""
    match scalar:
        case Call(options=()):
            return _simpler_call(scalar)
        case Cast():
            return _simpler_cast(scalar)
        case Case():
            return _simpler_case(scalar)
    return None


def _simpler_call(call: Call) -> Scalar | None:
    function, args = call.function, call.args
    match function:
        case "and":
            return _simpler_logic(args[0], args[1], neutral=TRUE, deciding=FALSE)
        case "or":
            return _simpler_logic(args[0], args[1], neutral=FALSE, deciding=TRUE)
        case "not":
            return _simpler_not(args[0])
        case "is_null" | "is_not_null" if not args[0].nullable and _is_dispensable(args[0]):
            return FALSE if function == "is_null" else TRUE
        case "is_null" | "is_not_null" if is_literal_null(args[0]):
            return TRUE if function == "is_null" else FALSE
        case "coalesce":
            return _simpler_coalesce(call)
        case "power" if _is_square(args):
            # The product is rounded once, costs a cycle, and has a kernel.
            return Call("multiply", (args[0], args[0]))
        case "detach":
            # It has said what it is for when gradients were taken, before a plan is optimised.
            return args[0]
    if (
        call.definition.nulls == "propagate"
        and any(is_literal_null(a) for a in args)
        and all(_is_dispensable(a) for a in args)
    ):
        return null_of(call.dtype)
    if len(args) == 2 and isinstance(args[0], Literal) and isinstance(args[1], Literal):
        if function in _COMPARE:
            return _compared(_COMPARE[function], args[0], args[1])
        if function in _ARITHMETIC:
            return _computed(_ARITHMETIC[function], args[0], args[1], call.dtype)
    return None


def _is_square(args: tuple[Scalar, ...]) -> bool:
    base, exponent = args
    return (
        is_float(base.dtype)
        and isinstance(exponent, Literal)
        and exponent.value.is_valid
        and exponent.value.as_py() == 2.0
        and not is_volatile(base)
    )


def _is_dispensable(scalar: Scalar) -> bool:
    """Whether nobody would notice if it were not evaluated."""
    return is_total(scalar) and not is_volatile(scalar)


def _simpler_logic(a: Scalar, b: Scalar, *, neutral: Literal, deciding: Literal) -> Scalar | None:
    """AND and OR. Null decides nothing: `p & null` is false where p is."""
    if a == neutral or (a == b and not is_volatile(a)):
        return b
    if b == neutral:
        return a
    if (a == deciding and _is_dispensable(b)) or (b == deciding and _is_dispensable(a)):
        return deciding
    return None


def _simpler_not(arg: Scalar) -> Scalar | None:
    match arg:
        case Literal(value=value):
            return null_of(BOOL) if not value.is_valid else FALSE if value.as_py() else TRUE
        case Call(function="not", args=(inner,)):
            return inner
        case Call(function=function, args=args) if function in OPPOSITE:
            # The order is total, NaN included, so that what is not less is greater or equal.
            return Call(OPPOSITE[function], args)
    return None


def _simpler_coalesce(call: Call) -> Scalar | None:
    args: list[Scalar] = []
    for arg in call.args:
        if not is_literal_null(arg):
            args.append(arg)
        if not arg.nullable:
            break
    if not args:
        return null_of(call.dtype)
    if len(args) == 1:
        return args[0]
    return Call("coalesce", tuple(args)) if len(args) < len(call.args) else None


def _simpler_case(case: Case) -> Scalar | None:
    conditions: list[Scalar] = []
    values: list[Scalar] = []
    otherwise = case.otherwise
    for condition, value in zip(case.conditions, case.values, strict=True):
        if isinstance(condition, Literal):
            if condition.value.as_py() is not True:
                continue
            otherwise = value
            break
        conditions.append(condition)
        values.append(value)
    if not conditions:
        return otherwise
    return Case(tuple(conditions), tuple(values), otherwise) if len(conditions) < len(case.conditions) else None


def _simpler_cast(cast: Cast) -> Scalar | None:
    arg, to = cast.arg, cast.to
    if arg.dtype == to:
        return arg
    if not isinstance(arg, Literal):
        return None
    if not arg.value.is_valid:
        return null_of(to)
    source = arg.dtype
    if is_timestamp(to):
        return _moment(arg.value, to)
    if not (source in (BOOL, FLOAT64) or is_integer(source) or is_decimal(source)) or not cast_is_total(source, to):
        return None
    value = arg.value.as_py()
    if is_integer(to):
        return Literal(arrow.scalar(int(value), to))
    if to == FLOAT64:
        return Literal(arrow.scalar(float(value), to))
    if is_decimal(to) and (is_integer(source) or is_decimal(source)):
        return Literal(arrow.scalar(decimal.Decimal(value), to))
    return None


def _moment(value: pa.Scalar, to: DataType) -> Scalar | None:
    """A date as its midnight, or a timestamp in a finer unit; None where that has no such value, or for another clock."""
    source = value.type
    if source == DATE and to.tz is None:
        ticks = value.value * 86_400 * TICKS_PER_SECOND[to.unit]
    elif is_timestamp(source) and source.tz == to.tz and TICKS_PER_SECOND[to.unit] >= TICKS_PER_SECOND[source.unit]:
        ticks = value.value * (TICKS_PER_SECOND[to.unit] // TICKS_PER_SECOND[source.unit])
    else:
        return None
    least, greatest = integer_bounds(INT64)
    return Literal(arrow.scalar(ticks, to)) if least <= ticks <= greatest else None


def _compared(compare: Callable[[Any, Any], bool], a: Literal, b: Literal) -> Scalar | None:
    if not _is_comparable(a.dtype, b.dtype):
        return None
    x, y = _ordered(a.value.as_py()), _ordered(b.value.as_py())
    return TRUE if compare(x, y) else FALSE


def _is_comparable(a: DataType, b: DataType) -> bool:
    """Whether Python compares these values as we do: numbers exactly, strings by code point.

    A decimal meets a float as the nearest float, where Python would compare them exactly.
    """
    if is_numeric(a) and is_numeric(b):
        return not ((is_decimal(a) and is_float(b)) or (is_float(a) and is_decimal(b)))
    return a == b and a in (BOOL, STRING, DATE)


def _ordered(value: Any) -> tuple[bool, Any]:
    """The value in the total order of floats: NaN is equal to itself, and greatest."""
    is_nan = isinstance(value, float) and math.isnan(value)
    return is_nan, 0 if is_nan else value


def _computed(compute: Callable[[Any, Any], Any], a: Literal, b: Literal, dtype: DataType) -> Scalar | None:
    x, y = a.value.as_py(), b.value.as_py()
    if is_integer(dtype) and is_integer(a.dtype) and is_integer(b.dtype):
        low, high = integer_bounds(dtype)
        result = compute(x, y)
        return Literal(arrow.scalar(result, dtype)) if low <= result <= high else None
    if dtype == FLOAT64 and is_float(a.dtype) and is_float(b.dtype):
        return Literal(arrow.scalar(compute(x, y), dtype))
    if is_decimal(dtype) and is_decimal(a.dtype) and is_decimal(b.dtype):
        return _decimal(compute, x, y, dtype)
    return None


def _decimal(compute: Callable[[Any, Any], Any], x: Any, y: Any, dtype: DataType) -> Scalar | None:
    try:
        with decimal.localcontext(_EXACT):
            result = compute(x, y).quantize(decimal.Decimal(1).scaleb(-dtype.scale))
    except decimal.DecimalException:
        return None
    return Literal(arrow.scalar(result, dtype)) if len(result.as_tuple().digits) <= dtype.precision else None
