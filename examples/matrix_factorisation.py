"""Matrix factorisation by joins: users and things have factors, and a rating is their product.

The factors are rows of two tables that are learned. The loss joins the ratings with both; the gradient of a table is a table with
the same keys.

Run it with `python examples/matrix_factorisation.py`.
"""

import numpy as np

import lazyframe as lf
from lazyframe import LazyFrame, col

FACTORS = 4


def ratings(users: int, things: int, count: int) -> LazyFrame:
    """Ratings that factors and some noise have made."""
    rng = np.random.default_rng(1)
    likes, has = rng.normal(size=(users, 2)), rng.normal(size=(things, 2))
    user, thing = rng.integers(0, users, count), rng.integers(0, things, count)
    rating = (likes[user] * has[thing]).sum(axis=1) + rng.normal(0.0, 0.1, count)
    return lf.DataFrame({"user": user, "thing": thing, "rating": rating})


def table(name: str, rows: int, seed: int) -> lf.ParamTable:
    """A row of small factors for each key."""
    drawn = np.random.default_rng(seed).normal(0.0, 0.3, (FACTORS, rows))
    return lf.param_table(
        name, {name: np.arange(rows), **{f"{name}_{i}": each for i, each in enumerate(drawn)}}, key=name
    )


def main(steps: int = 60, users: int = 200, things: int = 100, count: int = 10_000) -> lf.History:
    rated = ratings(users, things, count)
    of_user, of_thing = table("user", users, 2), table("thing", things, 3)
    predicted = sum(col(f"user_{i}") * col(f"thing_{i}") for i in range(FACTORS))
    loss = rated.join(of_user, on="user").join(of_thing, on="thing").select(((col("rating") - predicted) ** 2).mean())
    tables = [of_user, of_thing]
    history = lf.fit(loss, tables, lf.optim.Adam(tables, lr=0.05), steps=steps)
    print(f"mean squared error: {history.losses[0]:.4f} -> {history.losses[-1]:.4f}")
    of_user.show(3)
    return history


if __name__ == "__main__":
    main()
