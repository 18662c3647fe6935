"""Linear regression by gradient descent, straight from Parquet files, with joins inside the loss.

How late does a flight arrive, by how late it left, how far it goes, the wind and rain of its hour, and the age of its plane? The
loss is a query over three files. `lf.fit` plans it with its gradients once; each step reads the files again with other weights.

Run it with `python examples/linear_regression.py`.
"""

import numpy as np

import lazyframe as lf
from lazyframe import LazyFrame, col

FEATURES = {
    "hours late at departure": col("dep_delay") / 60,
    "thousands of miles": col("distance") / 1000,
    "wind, tens of miles an hour": col("wind_speed") / 10,
    "rain, tenths of an inch": col("precip") * 10,
    "age of the plane, decades": (col("year") - col("built")) / 10,
    "all flights": lf.lit(1.0),
}


def rows() -> LazyFrame:
    """A flight with its weather and its plane."""
    flights, weather, planes = lf.datasets.flights(), lf.datasets.weather(), lf.datasets.planes()
    return (
        flights.join(weather.select("origin", "time_hour", "wind_speed", "precip"), on=["origin", "time_hour"])
        .join(planes.select("tailnum", built="year"), on="tailnum")
        .drop_nulls(["arr_delay", "dep_delay", "wind_speed", "built"])
    )


def model() -> tuple[lf.Param, LazyFrame]:
    """The weights, and the mean squared error in hours."""
    weights = lf.param("weights", np.zeros(len(FEATURES)))
    error = weights.dot(FEATURES.values()) - col("arr_delay") / 60
    return weights, rows().select((error**2).mean())


def main(steps: int = 150) -> lf.History:
    weights, loss = model()
    optimizer = lf.optim.SGD([weights], lr=0.08, momentum=0.9)
    history = lf.fit(loss, [weights], optimizer, steps=steps)
    print(f"mean squared error: {history.losses[0]:.4f} -> {history.losses[-1]:.4f} hours²")
    for name, weight in zip(FEATURES, weights.value, strict=True):
        print(f"{60 * weight:8.2f} minutes for {name}")
    return history


if __name__ == "__main__":
    main()
