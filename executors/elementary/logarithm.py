"""Logarithms.

x is 2^k m with m between the roots of 1/2 and of 2, and ln m is 2 atanh(s) with s = (m - 1) / (m + 1), at most 0.172: a series
in s^2 that falls fast.
"""

from __future__ import annotations

from lazyframe.executors.elementary.coefficients import (
    LN2_CUT,
    LOG,
    LOG_FROM_7,
    ONE_BY_LN2,
    ONE_BY_LN10,
    TWO_FIFTHS,
    TWO_THIRDS,
)
from lazyframe.executors.elementary.double_double import (
    Pair,
    exact_sum,
    ordered_sum,
    product_of,
    quotient_of,
    sum_of,
)
from lazyframe.executors.elementary.lanes import Floats, Lanes, polynomial

_LEAST_NORMAL = 2.0**-1022
_ROOT_OF_HALF_BITS = 0x3FE6A09E667F3BCD
_FRACTION = (1 << 52) - 1
_TINY = 2.0**-54
_INFINITE, _NAN = float("inf"), float("nan")


def parts(lanes: Lanes, x: Floats) -> tuple[Floats, Floats]:
    """A positive number as k and m, of which it is 2^k m."""
    small = x < _LEAST_NORMAL
    word = lanes.bits(lanes.choose(small, x * 2.0**54, x)) - _ROOT_OF_HALF_BITS
    k = lanes.number(word >> 52)
    return lanes.choose(small, k - 54.0, k), lanes.from_bits((word & _FRACTION) + _ROOT_OF_HALF_BITS)


def with_edges(lanes: Lanes, x: Floats, found: Floats) -> Floats:
    """A logarithm, or what stands for it where there is none."""
    edge = lanes.choose(x == 0.0, -_INFINITE, lanes.choose(x < 0.0, _NAN, x))
    return lanes.choose((x > 0.0) & (x < _INFINITE), found, edge)


def _of_parts(lanes: Lanes, k: Floats, f: Floats, lost: Floats) -> Floats:
    """The sum k ln 2 + ln(1 + f) + lost."""
    s = lanes.quotient(f, f + 2.0)
    z = s * s
    half_square = 0.5 * f * f
    # ln(1 + f) is f - f^2/2 + s (f^2/2 + the series from s^3 on): f itself is exact.
    rest = s * (half_square + z * polynomial(z, LOG)) + (k * LN2_CUT[1] + lost)
    high, low = exact_sum(k * LN2_CUT[0], f)
    return high + (low + (rest - half_square))


def ln(lanes: Lanes, x: Floats) -> Floats:
    k, m = parts(lanes, x)
    return with_edges(lanes, x, _of_parts(lanes, k, m - 1.0, 0.0))


def log1p(lanes: Lanes, x: Floats) -> Floats:
    u, lost = exact_sum(x, 1.0)
    k, m = parts(lanes, u)
    # Where 1 + x is not reduced, x is taken for what is beyond 1, of which nothing was lost.
    near = k == 0.0
    f = lanes.choose(near, x, m - 1.0)
    found = with_edges(lanes, u, _of_parts(lanes, k, f, lanes.choose(near, 0.0, lanes.quotient(lost, u))))
    return lanes.choose(lanes.magnitude(x) < _TINY, x, found)


def ln_pair(lanes: Lanes, x: Floats) -> Pair:
    """The logarithm of a positive number as a sum of two floats."""
    k, m = parts(lanes, x)
    return sum_of((k * LN2_CUT[0], k * LN2_CUT[1]), _ln_of_fraction(lanes, m))


def ln_of_pair(lanes: Lanes, x: Pair) -> Pair:
    """The logarithm of a sum of two floats."""
    return sum_of(ln_pair(lanes, x[0]), (lanes.quotient(x[1], x[0]), 0.0))


def _ln_of_fraction(lanes: Lanes, m: Floats) -> Pair:
    """The logarithm of a number between the roots of 1/2 and of 2, to some 70 bits."""
    f = m - 1.0
    s = quotient_of(lanes, (f, 0.0), ordered_sum(2.0, f))
    z = product_of(s, s)
    # 2 s + s z (2/3 + z (2/5 + z (...))), of which the last is small enough for one float.
    inner = sum_of(TWO_FIFTHS, (z[0] * polynomial(z[0], LOG_FROM_7), 0.0))
    series = product_of(product_of(s, z), sum_of(TWO_THIRDS, product_of(z, inner)))
    return sum_of((2.0 * s[0], 2.0 * s[1]), series)


def log2(lanes: Lanes, x: Floats) -> Floats:
    k, m = parts(lanes, x)
    high, low = sum_of((k, 0.0), product_of(_ln_of_fraction(lanes, m), ONE_BY_LN2))
    return with_edges(lanes, x, high + low)


def log10(lanes: Lanes, x: Floats) -> Floats:
    high, low = product_of(ln_pair(lanes, x), ONE_BY_LN10)
    return with_edges(lanes, x, high + low)


def log(lanes: Lanes, x: Floats, base: Floats) -> Floats:
    """To any base: the quotient of two logarithms."""
    a, b = ln_pair(lanes, x), ln_pair(lanes, base)
    high, low = quotient_of(lanes, a, b)
    usual = (x > 0.0) & (x < _INFINITE) & (base > 0.0) & (base < _INFINITE) & (base != 1.0)
    edge = lanes.quotient(_ln_edge(lanes, x, a), _ln_edge(lanes, base, b))
    return lanes.choose(usual, high + low, edge)


def _ln_edge(lanes: Lanes, x: Floats, found: Pair) -> Floats:
    return with_edges(lanes, x, found[0] + found[1])
