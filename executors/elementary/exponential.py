"""e to a power, and what is near it.

x is k ln 2 + r with a whole number k and r of at most half of ln 2, so that e^x is 2^k e^r; e^r is a polynomial. What r loses by
being rounded is carried along.
"""

from __future__ import annotations

from typing import NamedTuple

from lazyframe.executors.elementary.coefficients import EXP, LN2_CUT, ONE_BY_LN2
from lazyframe.executors.elementary.double_double import Pair, exact_sum, ordered_sum
from lazyframe.executors.elementary.lanes import Floats, Lanes, Words, nearest, polynomial, power_of_two, scaled

_OVERFLOWS, _VANISHES = 710.0, -746.0
_IS_MINUS_ONE = -40.0
_TINY = 2.0**-54


class Reduced(NamedTuple):
    """e^x as 2^k (1 + r + rest).

    Args:
        k: the power of two.
        r: at most half of ln 2.
        rest: what is to be added to 1 + r, of about r^2 / 2.
    """

    k: Words
    r: Floats
    rest: Floats


def reduced(lanes: Lanes, x: Floats, tail: Floats = 0.0) -> Reduced:
    """e^(x + tail), where x is at most 746 and the tail below its last place."""
    whole, k = nearest(lanes, x * ONE_BY_LN2[0])
    high = x - whole * LN2_CUT[0]
    low = whole * LN2_CUT[1] - tail
    r = high - low
    lost = (high - r) - low
    return Reduced(k, r, r * r * polynomial(r, EXP) + (lost + lost * r))


def bounded(lanes: Lanes, x: Floats, least: float = _VANISHES, greatest: float = _OVERFLOWS) -> Floats:
    """A number, or the bound that it is beyond; NaN stays."""
    x = lanes.choose(x > greatest, greatest, x)
    return lanes.choose(x < least, least, x)


def exp(lanes: Lanes, x: Floats) -> Floats:
    found = reduced(lanes, bounded(lanes, x))
    high, low = ordered_sum(1.0, found.r)
    return scaled(lanes, high + (low + found.rest), found.k)


def exp_of_pair(lanes: Lanes, x: Pair) -> Floats:
    """The exponential of a sum of two floats."""
    high = bounded(lanes, x[0])
    found = reduced(lanes, high, lanes.choose(high == x[0], x[1], 0.0))
    high, low = ordered_sum(1.0, found.r)
    return scaled(lanes, high + (low + found.rest), found.k)


def half_expm1(lanes: Lanes, x: Floats) -> Pair:
    """A half of e^x - 1 as a sum of two floats, for x from -40 to 710 and not tiny."""
    found = reduced(lanes, x)
    half_scale = power_of_two(lanes, found.k - 1)
    above, lost = exact_sum(half_scale, -0.5)
    high, low = ordered_sum(above, half_scale * found.r)
    return ordered_sum(high, low + (half_scale * found.rest + lost))


def expm1(lanes: Lanes, x: Floats) -> Floats:
    high, low = half_expm1(lanes, bounded(lanes, x, _IS_MINUS_ONE))
    # So close to zero it is x to the last bit, and x may be too small to be halved.
    return lanes.choose(lanes.magnitude(x) < _TINY, x, (high + low) * 2.0)
