"""Skewness and kurtosis, walked backwards.

With d = e - mean, m2 the variance of the population, g the skewness m3 / m2^1.5 and k the excess kurtosis m4 / m2² - 3, a row moves g by
(3 (d² - m2) / m2^1.5 - 3 g d / m2) / n, and k by 4 ((d³ - m3) / m2² - (k + 3) d / m2) / n. Those of a sample are these times what only
depends on n, and a constant.
"""

from __future__ import annotations

from lazyframe.planner.bind import aggregate_call
from lazyframe.planner.gradients.terms import Term, applied
from lazyframe.planner.scalars import AggregateCall, Scalar, cast
from lazyframe.planner.types import FLOAT64

OF_MOMENTS = frozenset({"skew", "kurtosis"})


def known_moments(found: AggregateCall, only: Scalar | None) -> dict[str, Scalar]:
    """What must be known of a group."""
    arg = cast(found.args[0], FLOAT64)
    known = {
        "n": aggregate_call("count", [arg], only),
        "mean": aggregate_call("mean", [arg], only),
        "m2": aggregate_call("var", [arg], only, options={"ddof": 0}),
        "skew": aggregate_call("skew", [arg], only),
    }
    return known if found.function == "skew" else {**known, "kurtosis": aggregate_call("kurtosis", [arg], only)}


def share_of_moments(found: AggregateCall, given: Term, e: Term, known: dict[str, Term]) -> Term:
    """What reaches a row of what reaches the aggregate."""
    n, m2, skew = known["n"], known["m2"], known["skew"]
    d = e - known["mean"]
    of_sample = dict(found.options).get("bias") is False
    if found.function == "skew":
        slope = (3.0 * (d * d - m2) / applied("power", m2, 1.5) - 3.0 * skew * d / m2) / n
        if of_sample:
            slope = slope * applied("sqrt", n * (n - 1.0)) / (n - 2.0)
    else:
        m3 = skew * applied("power", m2, 1.5)
        slope = 4.0 * ((d * d * d - m3) / (m2 * m2) - (known["kurtosis"] + 3.0) * d / m2) / n
        if of_sample:
            slope = slope * (n - 1.0) * (n + 1.0) / ((n - 2.0) * (n - 3.0))
    return given * slope
