"""Variance, skewness, kurtosis, covariance and correlation, by central moments.

Moments are taken about each group's mean and merged exactly shifted to the common one (Chan, Golub and LeVeque 1979; Pébay
2008), so that values far from 0 lose no digits.
"""

from __future__ import annotations

from collections.abc import Sequence
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

_ROUNDING = 2.0**-60


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
        groups = into.groups
        with np.errstate(all="ignore"):
            sizes, origins, rests = (np.concatenate([p[i] for p in states]) for i in range(3))
            sums = [np.concatenate([p.sums[i] for p in states]) for i in range(self.order - 1)]
            blank = sizes == 0
            size, origin, rest, shift = _common_mean(groups, sizes, origins, rests)
            about = _shifted(sizes, shift, [np.where(blank, 0.0, s) for s in sums])
            return Powers(size, origin, rest, tuple([groups.sum(s) for s in about]))


def _centred(groups: Groups, size: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean of each group as origin and rest, and each value's distance from it."""
    origin = groups.sum_of_rows(values) / size
    distance = values - groups.spread(origin)
    rest = groups.sum_of_rows(distance) / size
    distance -= groups.spread(rest)
    # Two different values are further from their mean than this; what is left of equal ones is rounding.
    distance[np.abs(distance) < np.abs(groups.spread(origin)) * _ROUNDING] = 0.0
    return origin, rest, distance


def _common_mean(
    groups: Groups, sizes: Floats, origins: Floats, rests: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """The sizes and means of groups from those of their parts, and how far each part's mean is from it."""
    size = groups.sum(sizes)
    anchor = groups.first_of(np.flatnonzero(sizes > 0))
    origin = np.where(anchor < 0, np.nan, origins.take(anchor, mode="clip"))
    away = np.where(sizes > 0, origins - groups.spread(origin) + rests, 0.0)
    rest = groups.sum(sizes * away) / size
    shift = np.where(sizes > 0, away - groups.spread(rest), 0.0)
    return size, origin, rest, shift


def _shifted(size: Floats, shift: Floats, sums: Sequence[Floats]) -> tuple[Floats, ...]:
    """Sums of powers of the distances from a mean, made those from the point `shift` below it."""
    second = sums[0] + size * shift**2
    if len(sums) == 1:
        return (second,)
    third = sums[1] + 3 * shift * sums[0] + size * shift**3
    if len(sums) == 2:
        return second, third
    fourth = sums[2] + 4 * shift * sums[1] + 6 * shift**2 * sums[0] + size * shift**4
    return second, third, fourth


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
        groups = into.groups
        n, origin_x, rest_x, origin_y, rest_y, *sums = (np.concatenate([p[i] for p in states]) for i in range(8))
        with np.errstate(all="ignore"):
            size, *mean_x, dx = _common_mean(groups, n, origin_x, rest_x)
            _, *mean_y, dy = _common_mean(groups, n, origin_y, rest_y)
            shifts = n * dx * dx, n * dx * dy, n * dy * dy
            products = [groups.sum(np.where(n > 0, s + by, 0.0)) for s, by in zip(sums, shifts, strict=True)]
            return Pairs(size, *mean_x, *mean_y, *products)


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
