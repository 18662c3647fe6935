"""Logistic regression by mini-batches, straight from Parquet files, with joins inside the loss.

How likely is a flight to arrive half an hour late or more, by what is known the evening before: its airline, the hour, the
distance? The weight of each airline is a row of a table that is learned: the loss joins the flights with it.

Run it with `python examples/logistic_regression.py`.
"""

import lazyframe as lf
from lazyframe import LazyFrame, col

FEATURES = {
    "per hour after 5 o'clock": (col("hour") - 5) / 10,
    "per thousand miles": col("distance") / 1000,
    "all flights": lf.lit(1.0),
}


def main(epochs: int = 3) -> lf.History:
    flights = lf.datasets.flights().drop_nulls("arr_delay")
    names = lf.datasets.airlines()
    airlines = lf.param_table("airlines", names.select("carrier", weight=0.0), key="carrier")
    weights = lf.param("weights", [0.0] * len(FEATURES))

    score = weights.dot(FEATURES.values()) + col("weight")
    # -log of the probability that was given to what happened: log(1 + e^-s) if it was late, log(1 + e^s) if not.
    surprise = lf.when(col("arr_delay") >= 30).then((-score).exp().log1p()).otherwise(score.exp().log1p())
    loss: LazyFrame = flights.join(airlines, on="carrier").select(surprise.mean())

    before = loss.item()
    optimizer = lf.optim.Adam([weights, airlines], lr=0.03)
    history = lf.fit(loss, [weights, airlines], optimizer, epochs=epochs, batch_size=4096, over=flights, seed=1)
    print(f"mean surprise of all flights: {before:.4f} -> {loss.item():.4f}")
    for name, weight in zip(FEATURES, weights.value, strict=True):
        print(f"{weight:6.2f} {name}")
    worst = airlines.join(names, on="carrier").top_k(3, by="weight").select("name", "weight")
    for row in worst.to_dicts():
        print(f"{row['weight']:6.2f} {row['name']}")
    return history


if __name__ == "__main__":
    main()
