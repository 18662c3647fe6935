"""Variance, skewness, kurtosis, covariance and correlation, by central moments.

Moments are taken about each group's mean and merged exactly shifted to the common one (Chan, Golub and LeVeque 1979; Pébay
2008), so that values far from 0 lose no digits. Batches are taken one after the other, so that it does not matter when some of
them were put together; kernels do the same (`compiled/central_moments.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.aggregates.counts import Count
from lazyframe.executors.vectorized.aggregates.groups import Groups, Rows
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Family, Need, Numbering
from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.planner import arrow

Floats = npt.NDArray[np.float64]

ROUNDING = 2.0**-60
"""Two different values are further from their mean than this share of it; what is left of equal ones is rounding."""


class Powers(NamedTuple):
    """Of each group: its size as a float, its mean, and the sums of powers 2, 3, ... of the distances from it.

    The mean is `origin + rest`, kept apart: the rounding of their sum would be felt far from 0.
    """

    size: Floats
    origin: Floats
    rest: Floats
    sums: tuple[Floats, ...]


@dataclass(frozen=True)
class Moments:
    """Central moments up to an order of 2, 3 or 4."""

    order: int

    def start(self, rows: Rows) -> Powers:
        groups, values = rows.groups, rows.numbers(0)
        with np.errstate(all="ignore"):
            size = groups.sizes.astype(np.float64)
            origin, rest, distance = _centred(groups, size, values)
            power, sums = distance, []
            for _ in range(2, self.order + 1):
                power = power * distance
                sums.append(groups.sum_of_rows(power))
            return Powers(size, origin, rest, tuple(sums))

    def merge(self, states: Sequence[Any], into: Numbering) -> Powers:
        parts = [(p.size, p.origin, p.rest, *p.sums) for p in states]
        size, origin, rest, *sums = _one_after_the_other(parts, into, self._joined)
        return Powers(size, origin, rest, tuple(sums))

    def _joined(self, a: Sequence[Floats], b: Sequence[Floats]) -> list[Floats]:
        (n, origin, rest, *sums), (m, more_origin, more_rest, *more_sums) = a, b
        below, above = _steps(n, origin, rest, m, more_origin, more_rest)
        both = zip(_shifted(n, -below, sums), _shifted(m, above, more_sums), strict=True)
        return [n + m, origin, rest + below, *[own + more for own, more in both]]


def _one_after_the_other(
    parts: Sequence[Sequence[Floats]],
    into: Numbering,
    joined: Callable[[Sequence[Floats], Sequence[Floats]], list[Floats]],
) -> list[Floats]:
    """The states of all groups, of which the first column is the size; within a part no group is twice."""
    total = [np.zeros(into.groups.count) for _ in parts[0]]
    with np.errstate(all="ignore"):
        for part, numbers in zip(parts, into.numbers, strict=True):
            held = part[0] > 0
            if not held.all():
                part, numbers = [column.compress(held) for column in part], numbers.compress(held)
            before = [column.take(numbers) for column in total]
            fresh = before[0] == 0
            for column, more, both in zip(total, part, joined(before, part), strict=True):
                column[numbers] = np.where(fresh, more, both)
    return total


def _centred(groups: Groups, size: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean of each group as origin and rest, and each value's distance from it."""
    origin = groups.sum_of_rows(values) / size
    distance = values - groups.spread(origin)
    rest = groups.sum_of_rows(distance) / size
    distance -= groups.spread(rest)
    distance[np.abs(distance) < np.abs(groups.spread(origin)) * ROUNDING] = 0.0
    return origin, rest, distance


def _steps(
    n: Floats, origin: Floats, rest: Floats, m: Floats, more_origin: Floats, more_rest: Floats
) -> tuple[Floats, Floats]:
    """How far the common mean of two parts is above that of the first, and that of the second above the common one."""
    apart = ((more_origin - origin) + more_rest) - rest
    apart = np.where(np.abs(apart) < np.abs(origin) * ROUNDING, 0.0, apart)
    below = apart * (m / (n + m))
    return below, apart - below


def _shifted(size: Floats, shift: Floats, sums: Sequence[Floats]) -> list[Floats]:
    """Sums of powers of the distances from a mean, made those from the point `shift` below it."""
    square = shift * shift
    found = [sums[0] + size * square]
    if len(sums) > 1:
        found.append((sums[1] + 3 * shift * sums[0]) + size * square * shift)
    if len(sums) > 2:
        found.append(((sums[2] + 4 * shift * sums[1]) + 6 * square * sums[0]) + size * square * square)
    return found


def spread(*, root: bool) -> Family:
    """The variance, or its root; null where `ddof` leaves nothing."""

    def family(arguments: Arguments) -> Aggregate:
        ddof = arguments.options.get("ddof", 1)

        def finish(states: Sequence[Any]) -> pa.Array:
            (powers,) = states
            with np.errstate(all="ignore"):
                variance = powers.sums[0] / (powers.size - ddof)
                return arrow.array(np.sqrt(variance) if root else variance, mask=powers.size <= ddof)

        return Aggregate((Need(Moments(2), (0,), (0,)),), finish)

    return family


def skew(arguments: Arguments) -> Aggregate:
    """The third standardised moment; `bias=False` makes it the estimate from a sample, null under 3 values."""
    biased = arguments.options.get("bias", True)

    def finish(states: Sequence[Any]) -> pa.Array:
        (powers,) = states
        n, (second, third) = powers.size, powers.sums
        with np.errstate(all="ignore"):
            found = np.sqrt(n) * third / second**1.5
            if not biased:
                found *= np.sqrt(n * (n - 1)) / (n - 2)
        return arrow.array(found, mask=n < (1 if biased else 3))

    return Aggregate((Need(Moments(3), (0,), (0,)),), finish)


def kurtosis(arguments: Arguments) -> Aggregate:
    """The excess kurtosis; `bias=False` makes it the estimate from a sample, null under 4 values."""
    biased = arguments.options.get("bias", True)

    def finish(states: Sequence[Any]) -> pa.Array:
        (powers,) = states
        n, (second, _, fourth) = powers.size, powers.sums
        with np.errstate(all="ignore"):
            found = n * fourth / second**2 - 3
            if not biased:
                found = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * found + 6)
        return arrow.array(found, mask=n < (1 if biased else 4))

    return Aggregate((Need(Moments(4), (0,), (0,)),), finish)


class Pairs(NamedTuple):
    """Of each group of pairs: its size, the means as origin and rest, and the sums of products of the distances from them."""

    size: Floats
    origin_x: Floats
    rest_x: Floats
    origin_y: Floats
    rest_y: Floats
    xx: Floats
    xy: Floats
    yy: Floats


@dataclass(frozen=True)
class Comoments:
    """Second moments of two columns together."""

    def start(self, rows: Rows) -> Pairs:
        groups, x, y = rows.groups, rows.numbers(0), rows.numbers(1)
        with np.errstate(all="ignore"):
            n = groups.sizes.astype(np.float64)
            origin_x, rest_x, dx = _centred(groups, n, x)
            origin_y, rest_y, dy = _centred(groups, n, y)
            products = groups.sum_of_rows(dx * dx), groups.sum_of_rows(dx * dy), groups.sum_of_rows(dy * dy)
            return Pairs(n, origin_x, rest_x, origin_y, rest_y, *products)

    def merge(self, states: Sequence[Any], into: Numbering) -> Pairs:
        return Pairs(*_one_after_the_other(states, into, self._joined))

    def _joined(self, a: Sequence[Floats], b: Sequence[Floats]) -> list[Floats]:
        (n, origin_x, rest_x, origin_y, rest_y, *sums), (m, *means, xx, xy, yy) = a, b
        below_x, above_x = _steps(n, origin_x, rest_x, m, *means[:2])
        below_y, above_y = _steps(n, origin_y, rest_y, m, *means[2:])
        products = [
            (own + n * (by * with_)) + (more + m * (above * with_above))
            for own, more, by, with_, above, with_above in (
                (sums[0], xx, below_x, below_x, above_x, above_x),
                (sums[1], xy, below_x, below_y, above_x, above_y),
                (sums[2], yy, below_y, below_y, above_y, above_y),
            )
        ]
        return [n + m, origin_x, rest_x + below_x, origin_y, rest_y + below_y, *products]


_OF_PAIRS = Need(Comoments(), (0, 1), (0, 1))
_PAIR_COUNT = Need(Count(), (0, 1), (0, 1))


def cov(arguments: Arguments) -> Aggregate:
    """The covariance; null where `ddof` leaves nothing."""
    ddof = arguments.options.get("ddof", 1)

    def finish(states: Sequence[Any]) -> pa.Array:
        (pairs,) = states
        with np.errstate(all="ignore"):
            return arrow.array(pairs.xy / (pairs.size - ddof), mask=pairs.size <= ddof)

    return Aggregate((_OF_PAIRS,), finish)


def corr(arguments: Arguments) -> Aggregate:
    """Pearson's correlation: NaN where a column does not vary."""

    def finish(states: Sequence[Any]) -> pa.Array:
        pairs, counts = states
        with np.errstate(all="ignore"):
            together = pairs.xx * pairs.yy
            exact = np.isfinite(together) & (together > 0)
            scale = np.where(exact, np.sqrt(together), np.sqrt(pairs.xx) * np.sqrt(pairs.yy))
            found = np.clip(pairs.xy / scale, -1.0, 1.0)
        return arrow.array(found, mask=counts == 0)

    return Aggregate((_OF_PAIRS, _PAIR_COUNT), finish)
