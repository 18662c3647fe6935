"""Elementary functions to many digits, from Python's decimals and power series."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from functools import cache

DIGITS = 140
_context = decimal.Context(prec=DIGITS, Emin=-999999, Emax=999999)


def _exp(x: Decimal) -> Decimal:
    return _context.exp(x)


def _ln(x: Decimal) -> Decimal:
    return _context.ln(x)


def _root(x: Decimal) -> Decimal:
    return _context.sqrt(x)


def _cbrt(x: Decimal) -> Decimal:
    return -_cbrt(-x) if x < 0 else _exp(_ln(x) / 3)


def _sinh(x: Decimal) -> Decimal:
    return (_exp(x) - _exp(-x)) / 2


def _cosh(x: Decimal) -> Decimal:
    return (_exp(x) + _exp(-x)) / 2


def _asinh(x: Decimal) -> Decimal:
    return -_asinh(-x) if x < 0 else _ln(x + _root(x * x + 1))


def _sine(x: Decimal) -> Decimal:
    """The series, of a thousandth of the angle that is left when whole turns are taken off."""
    turn = 8 * _atan(Decimal(1))
    part = (x - turn * (x / turn).to_integral_value()) / 3**6
    term = total = part
    for n in range(1, 60):
        term *= -part * part / (2 * n * (2 * n + 1))
        total += term
    for _ in range(6):
        total = 3 * total - 4 * total**3
    return total


def _cosine(x: Decimal) -> Decimal:
    return _sine(x + 2 * _atan(Decimal(1)))


@cache
def _atan(x: Decimal) -> Decimal:
    """The series, of what is left when the angle is halved ten times."""
    for _ in range(10):
        x = x / (1 + _root(1 + x * x))
    term = total = x
    for n in range(1, 40):
        term *= -x * x
        total += term / (2 * n + 1)
    return total * 2**10


def _asin(x: Decimal) -> Decimal:
    return _atan(x / _root(1 - x * x))


def _angle(y: Decimal, x: Decimal) -> Decimal:
    half_turn = 4 * _atan(Decimal(1))
    if abs(y) > abs(x):
        return (half_turn / 2).copy_sign(y) - _atan(x / y)
    return _atan(y / x) + (half_turn.copy_sign(y) if x < 0 else 0)


_FUNCTIONS: dict[str, Callable[..., Decimal]] = {
    "exp": _exp,
    "expm1": lambda x: _exp(x) - 1,
    "ln": _ln,
    "log1p": lambda x: _ln(1 + x),
    "log2": lambda x: _ln(x) / _ln(Decimal(2)),
    "log10": lambda x: _ln(x) / _ln(Decimal(10)),
    "log": lambda x, base: _ln(x) / _ln(base),
    "tanh": lambda x: _sinh(x) / _cosh(x),
    "sinh": _sinh,
    "cosh": _cosh,
    "asinh": _asinh,
    "acosh": lambda x: _ln(x + _root(x * x - 1)),
    "atanh": lambda x: _ln((1 + x) / (1 - x)) / 2,
    "power": lambda x, y: _exp(y * _ln(x)),
    "cbrt": _cbrt,
    "sin": _sine,
    "cos": _cosine,
    "tan": lambda x: _sine(x) / _cosine(x),
    "cot": lambda x: _cosine(x) / _sine(x),
    "asin": _asin,
    "acos": lambda x: 2 * _atan(Decimal(1)) - _asin(x),
    "atan": _atan,
    "atan2": _angle,
    "degrees": lambda x: x * 45 / _atan(Decimal(1)),
    "radians": lambda x: x * _atan(Decimal(1)) / 45,
}


def units_off(name: str, arguments: tuple[float, ...], found: float) -> float:
    """How many units in its last place a value is away from the true one."""
    with decimal.localcontext(_context):
        true = _FUNCTIONS[name](*[Decimal(a) for a in arguments])
        unit = Decimal(math.ulp(float(true)))
        return float(abs(Decimal(found) - true) / unit)
