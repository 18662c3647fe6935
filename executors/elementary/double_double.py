"""Numbers as sums of two floats, of which the second is what the first leaves: some 106 bits.

After T. J. Dekker, "A floating-point technique for extending the available precision" (1971), and D. E. Knuth's sum. Nothing is
fused, so that every machine gives the same bits.
"""

from __future__ import annotations

from lazyframe.executors.elementary.lanes import Floats, Lanes

Pair = tuple[Floats, Floats]

_SPLITS = 2.0**27 + 1


def ordered_sum(a: Floats, b: Floats) -> Pair:
    """The sum and its rounding error, of numbers of which the first is not the smaller one (or is zero)."""
    high = a + b
    return high, b - (high - a)


def exact_sum(a: Floats, b: Floats) -> Pair:
    """The sum and its rounding error, whichever number is the smaller one."""
    high = a + b
    rest = high - a
    return high, (a - (high - rest)) + (b - rest)


def exact_product(a: Floats, b: Floats) -> Pair:
    """The product and its rounding error, of numbers below 2^996 whose product is not near the least floats."""
    high = a * b
    a1, a2 = _halves(a)
    b1, b2 = _halves(b)
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(x: Floats) -> Pair:
    """A number as two of 26 bits."""
    large = x * _SPLITS
    high = large - (large - x)
    return high, x - high


def sum_of(a: Pair, b: Pair) -> Pair:
    high, low = exact_sum(a[0], b[0])
    return ordered_sum(high, low + (a[1] + b[1]))


def product_of(a: Pair, b: Pair) -> Pair:
    high, low = exact_product(a[0], b[0])
    return ordered_sum(high, low + (a[0] * b[1] + a[1] * b[0]))


def quotient_of(lanes: Lanes, a: Pair, b: Pair) -> Pair:
    high = lanes.quotient(a[0], b[0])
    product, rest = exact_product(high, b[0])
    left = ((a[0] - product) - rest) + (a[1] - high * b[1])
    return ordered_sum(high, lanes.quotient(left, b[0]))
