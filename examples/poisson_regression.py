"""Poisson regression: a number of events, whose logarithm is linear in what it depends on.

How many flights of an hour are cancelled at an airport, by its weather? The counts are an aggregate inside the loss, joined with
the weather; hours in which more flights are planned have more that can be cancelled.

Run it with `python examples/poisson_regression.py`.
"""

import numpy as np

import lazyframe as lf
from lazyframe import LazyFrame, col

FEATURES = {
    "wind, tens of miles an hour": col("wind_speed") / 10,
    "rain or snow, tenths of an inch": col("precip") * 10,
    "fog: miles that cannot be seen, of 10": 1 - col("visib") / 10,
    "all hours": lf.lit(1.0),
}


def hours() -> LazyFrame:
    """An hour at an airport: how many flights were planned and cancelled, and its weather."""
    cancelled = col("dep_time").is_null().sum()
    counts = lf.datasets.flights().group_by("origin", "time_hour").agg(planned=lf.len(), cancelled=cancelled)
    weather = lf.datasets.weather().select("origin", "time_hour", "wind_speed", "precip", "visib")
    return counts.join(weather, on=["origin", "time_hour"]).drop_nulls().filter(col("wind_speed") < 100)


def model() -> tuple[lf.Param, LazyFrame]:
    """The weights, and the mean of e^s - n s: the negative log-likelihood of n events where e^s are expected."""
    weights = lf.param("weights", np.array([0.0, 0.0, 0.0, -4.0]))
    s = weights.dot(FEATURES.values()) + col("planned").log()
    return weights, hours().select((s.exp() - col("cancelled") * s).mean())


def main(steps: int = 300) -> lf.History:
    weights, loss = model()
    history = lf.fit(loss, [weights], lf.optim.Adam([weights], lr=0.05), steps=steps)
    print(f"loss: {history.losses[0]:.4f} -> {history.losses[-1]:.4f}")
    for name, weight in zip(FEATURES, weights.value, strict=True):
        print(f"times {np.exp(weight):7.3f} for {name}")
    return history


if __name__ == "__main__":
    main()
