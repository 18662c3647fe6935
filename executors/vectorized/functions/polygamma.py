"""The derivatives of the logarithm of the gamma function.

The function of order n is psi^(n), the derivative of order n + 1 of log gamma: order 0 is the digamma function. Large arguments
have an asymptotic series in Bernoulli's numbers (Abramowitz and Stegun 6.3.18, 6.4.11), smaller ones are moved up to there by the
recurrence (6.4.6), negative ones go to positive ones by the reflection (6.4.7).
"""

from __future__ import annotations

import math

import numpy as np

_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
)  # fmt: skip
"""B2, B4, ..."""

_LARGE = 15.0


def polygamma(order: int, x: np.ndarray) -> np.ndarray:
    """psi^(order); NaN where it has no value.

    Args:
        order: 0 or more.
        x: of float64.
    """
    x = np.asarray(x, dtype=np.float64)
    mirrored = x < 0.5
    found = _of_positive(order, np.where(mirrored, 1.0 - x, x))
    reflected = (-1.0) ** order * found - math.pi * _slopes_of_cotangent(order, x)
    result = np.where(mirrored, reflected, found)
    return np.where((x <= 0) & (x == np.floor(x)), np.nan, result)


def _of_positive(order: int, x: np.ndarray) -> np.ndarray:
    sign, factorial = (-1.0) ** (order + 1), float(math.factorial(order))
    moved = np.zeros_like(x)
    large = np.array(x)
    for _ in range(math.ceil(_LARGE) + order):
        small = large < _LARGE + order
        moved += np.where(small, large ** -(order + 1.0), 0.0)
        large += small
    return _of_large(order, large) + sign * factorial * moved


def _of_large(order: int, x: np.ndarray) -> np.ndarray:
    """The asymptotic series."""
    if order == 0:
        found = np.log(x) - 0.5 / x
    else:
        found = math.factorial(order - 1) * x**-order + 0.5 * math.factorial(order) * x ** -(order + 1.0)
    for k, number in enumerate(_BERNOULLI, 1):
        if order == 0:
            found = found - number / (2 * k) * x ** (-2.0 * k)
        else:
            ratio = math.factorial(2 * k + order - 1) / math.factorial(2 * k)
            found = found + number * ratio * x ** -(2.0 * k + order)
    return found if order == 0 else (-1.0) ** (order + 1) * found


def _slopes_of_cotangent(order: int, x: np.ndarray) -> np.ndarray:
    """The derivative of that order of cot(pi x): a polynomial of cot(pi x), as the slope of c = cot(t) is -(1 + c^2)."""
    polynomial = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(order):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([-1.0, 0.0, -1.0])
    angle = math.pi * (x - np.round(x))
    return math.pi**order * polynomial(1.0 / np.tan(angle))
