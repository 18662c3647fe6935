"""Powers and cube roots."""

from __future__ import annotations

from lazyframe.executors.elementary.double_double import exact_product, product_of
from lazyframe.executors.elementary.exponential import bounded, exp, exp_of_pair
from lazyframe.executors.elementary.lanes import Floats, Lanes, nearest, power_of_two
from lazyframe.executors.elementary.logarithm import ln, ln_pair, parts

_ANY_OVERFLOWS = 2.0**90
"""To a power of this size every number but 1 becomes infinite or nothing."""

_INFINITE, _NAN = float("inf"), float("nan")


def power(lanes: Lanes, x: Floats, y: Floats) -> Floats:
    """The power x^y, with the edges that C's `pow` has."""
    size = lanes.magnitude(x)
    usual = (size > 0.0) & (size < _INFINITE)
    product = product_of(
        ln_pair(lanes, lanes.choose(usual, size, 1.0)), (bounded(lanes, y, -_ANY_OVERFLOWS, _ANY_OVERFLOWS), 0.0)
    )
    found = exp_of_pair(lanes, product)
    grows = lanes.choose(size > 1.0, y, -y) > 0.0
    found = lanes.choose(usual, found, lanes.choose(grows, _INFINITE, 0.0))
    half = y * 0.5
    whole = lanes.floor(y) == y
    odd = whole & (lanes.floor(half) != half)
    found = lanes.choose(odd, lanes.signed(found, x), found)
    found = lanes.choose((x < 0.0) & (x > -_INFINITE) & (lanes.floor(y) != y), _NAN, found)
    found = lanes.choose((x != x) | (y != y), x + y, found)  # noqa: PLR0124 - NaN
    return lanes.choose((x == 1.0) | (y == 0.0), 1.0, found)


def cbrt(lanes: Lanes, x: Floats) -> Floats:
    size = lanes.magnitude(x)
    usual = (size > 0.0) & (size < _INFINITE)
    k, m = parts(lanes, lanes.choose(usual, size, 1.0))
    # k is 3 q + r: the root of m 2^r, which is between 0.7 and 5.7, is taken.
    q, exponent = nearest(lanes, (k - 1.0) * (1.0 / 3.0))
    r = k - 3.0 * q
    a = m * lanes.choose(r == 0.0, 1.0, lanes.choose(r == 1.0, 2.0, 4.0))
    guess = exp(lanes, ln(lanes, a) * (1.0 / 3.0))
    square = exact_product(guess, guess)
    cube = product_of(square, (guess, 0.0))
    left = (a - cube[0]) - cube[1]
    root = guess + lanes.quotient(left, 3.0 * square[0])
    return lanes.choose(usual, lanes.signed(root * power_of_two(lanes, exponent), x), x)
