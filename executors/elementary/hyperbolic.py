"""Hyperbolic functions and their inverses, from e^x - 1 and logarithms of two floats each."""

from __future__ import annotations

from lazyframe.executors.elementary.coefficients import LN2
from lazyframe.executors.elementary.double_double import (
    Pair,
    exact_product,
    exact_sum,
    ordered_sum,
    quotient_of,
    sum_of,
)
from lazyframe.executors.elementary.exponential import bounded, half_expm1, reduced
from lazyframe.executors.elementary.lanes import Floats, Lanes, scaled
from lazyframe.executors.elementary.logarithm import ln_of_pair

_TINY = 2.0**-27
"""Below it, what follows x in each of these series is less than x^3, and is lost."""

_LARGE = 40.0
"""From it on e^-x is nothing beside e^x."""

_HUGE = 2.0**30
"""From it on 1 is nothing beside x^2, to more bits than are wanted."""


def tanh(lanes: Lanes, x: Floats) -> Floats:
    # (e^2x - 1) / (e^2x + 1)
    size = lanes.magnitude(x)
    half = half_expm1(lanes, bounded(lanes, size + size, 0.0, 2 * _LARGE))
    high, low = quotient_of(lanes, half, sum_of((1.0, 0.0), half))
    return _odd(lanes, x, high + low)


def sinh(lanes: Lanes, x: Floats) -> Floats:
    size = bounded(lanes, lanes.magnitude(x), 0.0, 711.0)
    h = half_expm1(lanes, bounded(lanes, size, 0.0, _LARGE))
    high, low = sum_of(h, quotient_of(lanes, h, sum_of((1.0, 0.0), (2.0 * h[0], 2.0 * h[1]))))
    return _odd(lanes, x, lanes.choose(size >= _LARGE, _half_exp(lanes, size), high + low))


def cosh(lanes: Lanes, x: Floats) -> Floats:
    size = bounded(lanes, lanes.magnitude(x), 0.0, 711.0)
    h = sum_of((0.5, 0.0), half_expm1(lanes, bounded(lanes, size, 0.0, _LARGE)))
    high, low = sum_of(h, quotient_of(lanes, (0.25, 0.0), h))
    return lanes.choose(size >= _LARGE, _half_exp(lanes, size), high + low)


def _half_exp(lanes: Lanes, x: Floats) -> Floats:
    found = reduced(lanes, x)
    high, low = ordered_sum(1.0, found.r)
    return scaled(lanes, high + (low + found.rest), found.k - 1)


def _odd(lanes: Lanes, x: Floats, of_size: Floats) -> Floats:
    """A function that is x near zero, from its value for the magnitude of x."""
    return lanes.choose(lanes.magnitude(x) < _TINY, x, lanes.signed(of_size, x))


def _root(lanes: Lanes, x: Pair) -> Pair:
    """The square root of a sum of two floats that is not zero."""
    high = lanes.root(x[0])
    square = exact_product(high, high)
    left = ((x[0] - square[0]) - square[1]) + x[1]
    return ordered_sum(high, lanes.quotient(left, high + high))


def asinh(lanes: Lanes, x: Floats) -> Floats:
    size = lanes.magnitude(x)
    huge = size > _HUGE
    a = lanes.choose(huge, 1.0, size)
    inner = sum_of(_root(lanes, sum_of((1.0, 0.0), exact_product(a, a))), (a, 0.0))
    return _odd(lanes, x, _ln_or_of_double(lanes, huge, size, inner))


def acosh(lanes: Lanes, x: Floats) -> Floats:
    huge = x > _HUGE
    inside = (x > 1.0) & (x <= _HUGE)
    a = lanes.choose(inside, x, 2.0)
    inner = sum_of((a, 0.0), _root(lanes, sum_of((-1.0, 0.0), exact_product(a, a))))
    found = _ln_or_of_double(lanes, huge, x, inner)
    edge = lanes.choose(x == 1.0, 0.0, lanes.choose(x < 1.0, float("nan"), x))
    return lanes.choose(x > 1.0, found, edge)


def _ln_or_of_double(lanes: Lanes, huge: Floats, size: Floats, inner: Pair) -> Floats:
    """The logarithm of the inner number, or where x is huge of twice x; infinite and NaN where x is."""
    finite = size < float("inf")
    high = lanes.choose(huge & finite, size, inner[0])
    found = ln_of_pair(lanes, (high, lanes.choose(huge, 0.0, inner[1])))
    doubled = sum_of(found, LN2)
    return lanes.choose(
        finite, lanes.choose(huge, doubled[0] + doubled[1], found[0] + found[1]), lanes.choose(huge, size, inner[0])
    )


def atanh(lanes: Lanes, x: Floats) -> Floats:
    size = lanes.magnitude(x)
    a = lanes.choose(size < 1.0, size, 0.5)
    found = ln_of_pair(lanes, quotient_of(lanes, exact_sum(1.0, a), exact_sum(1.0, -a)))
    edge = lanes.choose(size == 1.0, float("inf"), lanes.choose(size > 1.0, float("nan"), size))
    return _odd(lanes, x, lanes.choose(size < 1.0, (found[0] + found[1]) * 0.5, edge))
