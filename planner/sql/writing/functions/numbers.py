"""Operators, logic, comparison and mathematics.

Where SQL rounds toward zero and we round down, the form corrects it; a divisor that is a positive constant needs less.
"""

from __future__ import annotations

from lazyframe.planner.scalars import Call
from lazyframe.planner.sql.writing.functions.form import Form, constant, option, refuse
from lazyframe.planner.sql.writing.templates import quoted
from lazyframe.planner.sql.writing.types import type_text
from lazyframe.planner.types import (
    DATE,
    FLOAT32,
    STRING,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_interval,
    is_timestamp,
    is_unsigned,
)


def _add(call: Call) -> str:
    return _dated(call, "a + b")


def _subtract(call: Call) -> str:
    a, b = (arg.dtype for arg in call.args)
    if is_date(a) and is_date(b):
        # Of dates SQL gives a number of days.
        return "CAST(a AS TIMESTAMP) - CAST(b AS TIMESTAMP)"
    return _dated(call, "a - b")


def _dated(call: Call, form: str) -> str:
    """A date moved by an interval is a timestamp in SQL; what has a zone is moved in its local time."""
    zone = getattr(call.dtype, "tz", None)
    if zone is not None and any([is_interval(arg.dtype) for arg in call.args]):
        first = 0 if is_timestamp(call.args[0].dtype) else 1
        letter = "ab"[first]
        moved = form.replace(letter, f"({letter} AT TIME ZONE {quoted(zone)})")
        return f"({moved}) AT TIME ZONE {quoted(zone)}"
    return f"CAST({form} AS DATE)" if call.dtype == DATE else form


def _divide(call: Call) -> str:
    if is_decimal(call.dtype):
        return f"CAST(a / b AS {type_text(call.dtype)})"
    return "a / b"


def _positive(call: Call) -> bool:
    value = constant(call, 1)
    return value is not None and value > 0


def _opposite(call: Call) -> str:
    """Whether the remainder of truncated division has to be moved by the divisor."""
    return "a % b < 0" if _positive(call) else "a % b <> 0 AND (a < 0) <> (b < 0)"


def _floor_divide(call: Call) -> str:
    if is_float(call.dtype):
        return "FLOOR(a / b)"
    if is_unsigned(call.dtype):
        return "a // b"
    if is_decimal(call.dtype):
        return f"CAST((a - ({_modulo(call)})) / b AS {type_text(call.dtype)})"
    return f"a // b - CASE WHEN {_opposite(call)} THEN 1 ELSE 0 END"


def _modulo(call: Call) -> str:
    if is_unsigned(call.dtype):
        return "a % b"
    return f"CASE WHEN {_opposite(call)} THEN a % b + b ELSE a % b END"


def _power(call: Call) -> str:
    if not is_integer(call.dtype):
        return "POWER(a, b)"
    exponent = constant(call, 1)
    if exponent in (2, 3):
        # Exact, where POWER rounds to 53 bits.
        return "a * a" if exponent == 2 else "a * a * a"
    return f"CAST(POWER(a, b) AS {type_text(call.dtype)})"


def _sign(call: Call) -> str:
    return "CASE WHEN ISNAN(a) THEN a ELSE SIGN(a) END" if is_float(call.dtype) else "SIGN(a)"


def _whole(name: str) -> Form:
    def form(call: Call) -> str:
        return "a" if is_integer(call.dtype) else f"{name}(a)"

    return form


def _round(call: Call) -> str:
    digits = option(call, "digits", 0)
    if is_integer(call.dtype) and digits >= 0:
        return "a"
    rounded = f"ROUND(a, {digits})"
    if call.dtype == FLOAT32 or is_decimal(call.dtype):
        return f"CAST({rounded} AS {type_text(call.dtype)})"
    return rounded


def _of_digits(name: str) -> Form:
    def form(call: Call) -> str:
        written = f"{name}(a, {option(call, 'digits', 0)})"
        return (
            f"CAST({written} AS {type_text(call.dtype)})"
            if is_decimal(call.dtype) or is_integer(call.dtype)
            else written
        )

    return form


def _digits(call: Call) -> str:
    return f"TO_BASE(a, {option(call, 'base', 10)}, {option(call, 'least', 1)})"


def _of_float(name: str) -> Form:
    def form(call: Call) -> str:
        return f"{name}(a)" if is_float(call.args[0].dtype) else f"{name}(CAST(a AS DOUBLE))"

    return form


def _coalesce(call: Call) -> str:
    return "a" if len(call.args) == 1 else "COALESCE(...)"


def _abs(call: Call) -> str:
    if is_duration(call.dtype):
        return "CASE WHEN EPOCH_US(a) < 0 THEN -a ELSE a END"
    return "ABS(a)"


def _multiply(call: Call) -> str:
    # SQL multiplies an interval by a number, in this order.
    return "b * a" if is_duration(call.args[1].dtype) else "a * b"


def _random(call: Call) -> str:
    if option(call, "seed") is not None:
        raise refuse(call, "with a seed, which draws numbers that no other engine draws,")
    return "RANDOM()"


FORMS: dict[str, Form] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "floor_divide": _floor_divide,
    "modulo": _modulo,
    "truncated_divide": "a // b",
    "truncated_modulo": "a % b",
    "negate": "-a",
    "abs": _abs,
    "sign": _sign,
    "power": _power,
    "bit_and": "a & b",
    "bit_or": "a | b",
    "bit_xor": "XOR(a, b)",
    "equal": "a = b",
    "not_equal": "a <> b",
    "less": "a < b",
    "less_equal": "a <= b",
    "greater": "a > b",
    "greater_equal": "a >= b",
    "equal_missing": "a IS NOT DISTINCT FROM b",
    "not_equal_missing": "a IS DISTINCT FROM b",
    "least": "LEAST(...)",
    "greatest": "GREATEST(...)",
    "and": "a AND b",
    "or": "a OR b",
    "xor": "a <> b",
    "not": "NOT a",
    "is_null": "a IS NULL",
    "is_not_null": "a IS NOT NULL",
    "coalesce": _coalesce,
    # Exact near zero, as the names promise.
    "expm1": "2 * EXP(a / 2) * SINH(a / 2)",
    "log1p": "CASE WHEN 1 + a = 1 THEN a WHEN ISINF(a) THEN a ELSE LN(1 + a) * a / ((1 + a) - 1) END",
    "log": "LN(a) / LN(b)",
    "floor": _whole("FLOOR"),
    "ceil": _whole("CEIL"),
    "trunc": _whole("TRUNC"),
    "round": _round,
    "is_nan": "ISNAN(a)",
    "is_finite": _of_float("ISFINITE"),
    "is_infinite": _of_float("ISINF"),
    "random": _random,
    "detach": "a",
    "gcd": "GCD(a, b)",
    "factorial": "FACTORIAL(CAST(a AS INTEGER))",
    "trunc_digits": _of_digits("TRUNC"),
    "round_even": _of_digits("ROUND_EVEN"),
    "bit_not": "~a",
    "shift_left": "a << b",
    "shift_right": "a >> b",
    "digits": _digits,
    "uuid": lambda call: "UUID()" if call.dtype != STRING else "CAST(UUID() AS VARCHAR)",
}

REFUSED: dict[str, str] = {
    "only_value": "is how a subquery within CASE is computed, and has no form of its own",
    "polygamma": "is how the gamma functions are differentiated, and SQL has none",
    "hash": "gives other values in every engine",
    "python_function": "runs a function of Python for each row",
}
