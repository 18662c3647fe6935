"""Functions of angles, and their inverses.

An angle is n times a half of pi and what is left, at most a quarter of pi; that is found with a half of pi in four parts, so that
nothing is lost for angles up to a million. Larger ones are left to others: a few hundred more bits would be needed for them.
"""

from __future__ import annotations

from lazyframe.executors.elementary.coefficients import (
    ASIN,
    ATAN,
    COS,
    HALF_PI,
    HALF_PI_CUT,
    QUARTER_PI,
    SIN,
)
from lazyframe.executors.elementary.double_double import (
    Pair,
    exact_product,
    exact_sum,
    ordered_sum,
    quotient_of,
)
from lazyframe.executors.elementary.lanes import Floats, Lanes, Truths, Words, nearest, polynomial

MOST = 2.0**20
"""The greatest angle that is reduced here."""

_TWO_BY_PI = 0.6366197723675814
_TINY = 2.0**-27
_EIGHTH, _THREE_EIGHTHS = 0.41421356237309503, 2.414213562373095
_HUGE = 2.0**60
_FLAT = 2.0**-60
_INFINITE = float("inf")


def _reduced(lanes: Lanes, x: Floats) -> tuple[Words, Pair]:
    """How many times a half of pi an angle is, and what is left."""
    n, word = nearest(lanes, x * _TWO_BY_PI)
    first, second, third, fourth = HALF_PI_CUT
    high, low = exact_sum(x - n * first, -(n * second))
    high, lower = exact_sum(high, -(n * third))
    return word, ordered_sum(high, low + (lower - n * fourth))


def _sine_and_cosine(x: Pair) -> tuple[Pair, Pair]:
    """Of at most a quarter of pi."""
    high, low = x
    z, lost = exact_product(high, high)
    sine = ordered_sum(high, high * z * polynomial(z, SIN) + low * (1.0 - 0.5 * z))
    near, rest = ordered_sum(1.0, -0.5 * z)
    return sine, ordered_sum(near, rest + (z * z * polynomial(z, COS) - (0.5 * lost + high * low)))


def _chosen(lanes: Lanes, condition: Truths, yes: Pair, no: Pair) -> Pair:
    return lanes.choose(condition, yes[0], no[0]), lanes.choose(condition, yes[1], no[1])


def sin(lanes: Lanes, x: Floats) -> Floats:
    n, left = _reduced(lanes, x)
    sine, cosine = _sine_and_cosine(left)
    found = lanes.choose((n & 1) == 0, sine[0], cosine[0])
    return lanes.choose(lanes.magnitude(x) < _TINY, x, lanes.choose((n & 2) == 0, found, -found))


def cos(lanes: Lanes, x: Floats) -> Floats:
    n, left = _reduced(lanes, x)
    sine, cosine = _sine_and_cosine(left)
    found = lanes.choose((n & 1) == 0, cosine[0], sine[0])
    return lanes.choose(((n + 1) & 2) == 0, found, -found)


def tan(lanes: Lanes, x: Floats) -> Floats:
    n, left = _reduced(lanes, x)
    sine, cosine = _sine_and_cosine(left)
    even = (n & 1) == 0
    high, _ = quotient_of(lanes, _chosen(lanes, even, sine, cosine), _chosen(lanes, even, cosine, sine))
    return lanes.choose(lanes.magnitude(x) < _TINY, x, lanes.choose(even, high, -high))


def cot(lanes: Lanes, x: Floats) -> Floats:
    n, left = _reduced(lanes, x)
    sine, cosine = _sine_and_cosine(left)
    even = (n & 1) == 0
    high, _ = quotient_of(lanes, _chosen(lanes, even, cosine, sine), _chosen(lanes, even, sine, cosine))
    return lanes.choose(lanes.magnitude(x) < _TINY, lanes.quotient(1.0, x), lanes.choose(even, high, -high))


def atan(lanes: Lanes, x: Floats) -> Floats:
    size = lanes.magnitude(x)
    beyond, middle = size > _THREE_EIGHTHS, size > _EIGHTH
    a = lanes.choose(size > _HUGE, _HUGE, size)
    # Of an eighth of a turn less, or of a quarter less, the tangent is a quotient.
    above = _chosen(lanes, middle, exact_sum(a, -1.0), (a, 0.0))
    below = _chosen(lanes, middle, exact_sum(a, 1.0), (1.0, 0.0))
    high, low = quotient_of(lanes, _chosen(lanes, beyond, (-1.0, 0.0), above), _chosen(lanes, beyond, (a, 0.0), below))
    start = _chosen(lanes, beyond, HALF_PI, _chosen(lanes, middle, QUARTER_PI, (0.0, 0.0)))
    z = high * high
    found, rest = ordered_sum(start[0], high)
    return lanes.signed(found + (rest + (high * z * polynomial(z, ATAN) + (low - low * z) + start[1])), x)


def atan2(lanes: Lanes, y: Floats, x: Floats) -> Floats:
    """The angle of the point (x, y), with the edges that C's `atan2` has."""
    wide, high = lanes.magnitude(x), lanes.magnitude(y)
    endless = (wide == _INFINITE) | (high == _INFINITE)
    wide = lanes.choose(endless, lanes.choose(wide == _INFINITE, 1.0, 0.0), wide)
    high = lanes.choose(endless, lanes.choose(high == _INFINITE, 1.0, 0.0), high)
    steep = high > wide
    less, more = lanes.choose(steep, wide, high), lanes.choose(steep, high, wide)
    angle = _angle(lanes, less, more)
    left = lanes.signed(1.0, x) < 0.0
    straight = lanes.choose(left, 2.0, 0.0)
    quarters = lanes.choose(steep, 1.0, straight)
    # From the nearer axis, in the direction of the other one.
    away = lanes.choose(steep, lanes.choose(left, 1.0, -1.0), lanes.choose(left, -1.0, 1.0))
    near, rest = ordered_sum(quarters * HALF_PI[0], away * angle[0])
    found = lanes.signed(near + (rest + (quarters * HALF_PI[1] + away * angle[1])), y)
    return lanes.choose((x != x) | (y != y), x + y, found)  # noqa: PLR0124 - NaN


def _angle(lanes: Lanes, less: Floats, more: Floats) -> Pair:
    """The arc tangent of a quotient of at most 1."""
    flat = less <= more * _FLAT
    scale = lanes.choose(more > 2.0**500, 2.0**-600, lanes.choose(more < 2.0**-400, 2.0**600, 1.0))
    a, b = less * scale, more * scale
    middle = a > b * _EIGHTH
    above = _chosen(lanes, middle, exact_sum(a, -b), (a, 0.0))
    below = _chosen(lanes, middle, exact_sum(a, b), (b, 0.0))
    high, low = quotient_of(lanes, above, below)
    start = _chosen(lanes, middle, QUARTER_PI, (0.0, 0.0))
    z = high * high
    found, rest = ordered_sum(start[0], high)
    rest = rest + (high * z * polynomial(z, ATAN) + (low - low * z) + start[1])
    # So small an angle is its tangent, which is rounded once.
    tangent = lanes.choose(more > 0.0, lanes.quotient(less, more), 0.0)
    return _chosen(lanes, flat, (tangent, 0.0), (found, rest))


def _asin_parts(lanes: Lanes, size: Floats) -> tuple[Truths, Pair]:
    """Whether a size is at most a half, and then its arc sine, else the arc sine of the root of (1 - size) / 2."""
    small = size <= 0.5
    z = lanes.choose(small, size * size, (1.0 - size) * 0.5)
    root = lanes.root(z)
    square = exact_product(root, root)
    left = lanes.choose(root > 0.0, lanes.quotient((z - square[0]) - square[1], root + root), 0.0)
    high = lanes.choose(small, size, root)
    return small, (high, lanes.choose(small, 0.0, left) + high * z * polynomial(z, ASIN))


def asin(lanes: Lanes, x: Floats) -> Floats:
    small, (high, low) = _asin_parts(lanes, lanes.magnitude(x))
    near, rest = ordered_sum(HALF_PI[0], -2.0 * high)
    return lanes.signed(lanes.choose(small, high + low, near + (rest + (HALF_PI[1] - 2.0 * low))), x)


def acos(lanes: Lanes, x: Floats) -> Floats:
    small, (high, low) = _asin_parts(lanes, lanes.magnitude(x))
    middle, rest = ordered_sum(HALF_PI[0], -x)
    of_small = middle + (rest + (HALF_PI[1] - lanes.signed(low, x)))
    near, rest = ordered_sum(2.0 * HALF_PI[0], -2.0 * high)
    of_negative = near + (rest + (2.0 * HALF_PI[1] - 2.0 * low))
    return lanes.choose(small, of_small, lanes.choose(x > 0.0, 2.0 * (high + low), of_negative))
