"""Draw the pictures of the documentation: `make pictures`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import lazyframe as lf
from lazyframe import col
from lazyframe.drawing import Drawing

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images"


def both_directions() -> Drawing:
    """The first graph of the page on gradients."""
    x, y, w = lf.param("x", 2.0), lf.param("y", 3.0), lf.param("w", 4.0)
    z = (x + y) * w
    z.backward()
    return z.show_graph()


def loss() -> Drawing:
    """A loss over a file, with a join to a table that is learned."""
    slope = lf.param("slope", 1.0)
    carriers = lf.param_table("carriers", {"carrier": ["AA", "B6", "UA"], "base": [0.0, 0.0, 0.0]}, key="carrier")
    flights = lf.scan_parquet("datasets/flights.parquet")
    known = flights.filter(col("arr_delay").is_not_null()).select("carrier", "dep_delay", "arr_delay")
    guess = col("base") + slope * col("dep_delay")
    squares = known.join(carriers, on="carrier").select(square=(col("arr_delay") - guess) ** 2)
    mean = squares.select(col("square").mean())
    mean.backward()
    return mean.show_graph()


def lineage() -> Drawing:
    """The query of the page on lineage."""
    flights = lf.scan_parquet("datasets/flights.parquet")
    airlines = lf.scan_parquet("datasets/airlines.parquet")
    late = (
        flights.filter(col("origin") == "JFK")
        .join(airlines, on="carrier")
        .group_by("name")
        .agg(delay=col("dep_delay").mean(), flights=lf.len())
        .sort("delay", descending=True)
    )
    return late.lineage(flights=flights, airlines=airlines).drawing()


PICTURES: dict[str, Callable[[], Drawing]] = {
    "both-directions.svg": both_directions,
    "loss.svg": loss,
    "lineage.svg": lineage,
}


def main() -> int:
    """Write them all."""
    os.chdir(ROOT)
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        draw().save(FOLDER / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
