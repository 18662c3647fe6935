"""group_by_dynamic and rolling: values by hand, across changes of the clocks, and against Polars."""

from __future__ import annotations

import datetime
import math
import random

import polars as pl
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import InvalidArgumentError, TypeMismatchError

chance = random.Random(3)
START = datetime.datetime(2024, 1, 29)  # noqa: DTZ001 - it has no zone on purpose
TIMES = sorted(START + datetime.timedelta(minutes=chance.randrange(150_000)) for _ in range(80))
DATA = {
    "t": TIMES,
    "d": [t.date() for t in TIMES],
    "i": [(t - TIMES[0]).days - 10 for t in TIMES],
    "k": [chance.choice("ab") for _ in TIMES],
    "x": [chance.choice([None, 1, 2, 5]) for _ in TIMES],
}
OURS, THEIRS = lf.from_dict(DATA), pl.DataFrame(DATA)


def same(ours, theirs):
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert a.keys() == b.keys()
        assert all(a[n] == b[n] or (isinstance(a[n], float) and math.isclose(a[n], b[n])) for n in a), (a, b)


@pytest.mark.parametrize("closed", ["left", "right", "both", "none"])
@pytest.mark.parametrize(
    ("index", "every", "period", "offset"),
    [
        ("t", "6h", None, None), ("t", "1d", None, "6h"), ("t", "1w", "10d", None), ("t", "1mo", None, None),
        ("t", "1mo", "2mo", "3d"), ("t", "2d", "1d", None), ("d", "3d", None, "1d"), ("d", "1w", "2w", None),
        ("i", 3, None, None), ("i", 2, 5, 1),
    ],
)  # fmt: skip
def test_windows_at_regular_steps(index, every, period, offset, closed):
    def text(measure):
        return f"{measure}i" if isinstance(measure, int) else measure

    given = {"every": every, "period": period, "offset": offset}
    ours = OURS.group_by_dynamic(
        index, **{n: v for n, v in given.items() if v is not None}, closed=closed, include_boundaries=True
    ).agg(n=lf.len(), s=col("x").sum().fill_null(0), m=col("x").mean(), first=col("t").first())
    theirs = THEIRS.group_by_dynamic(
        index, **{n: text(v) for n, v in given.items() if v is not None}, closed=closed, include_boundaries=True,
        start_by="window",
    ).agg(n=pl.len(), s=pl.col("x").sum(), m=pl.col("x").mean(), first=pl.col("t").first())  # fmt: skip
    if index == "d":
        theirs = theirs.with_columns(pl.col("^_.*_boundary$").cast(pl.Date))
    # Theirs leave out windows that begin before the one into which the first row is truncated.
    first = theirs["_lower_boundary"].min()
    same([row for row in ours.to_dicts() if row["_lower_boundary"] >= first], theirs.to_dicts())


@pytest.mark.parametrize("label", ["left", "right"])
def test_windows_of_groups(label):
    ours = OURS.group_by_dynamic("t", every="1w", group_by="k", label=label).agg(col("x").max(), n=lf.len())
    theirs = THEIRS.group_by_dynamic("t", every="1w", group_by="k", label=label).agg(pl.col("x").max(), n=pl.len())
    assert ours.columns == ["k", "t", "x", "n"]
    same(ours.sort("t", "k").to_dicts(), theirs.sort("t", "k").to_dicts())
    times = ours.to_dict()["t"]
    assert times == sorted(times)


@pytest.mark.parametrize("closed", ["left", "right", "both", "none"])
@pytest.mark.parametrize(
    ("index", "period", "offset"),
    [("t", "3d", None), ("t", "36h", "-12h"), ("d", "1mo", None), ("d", "5d", "1d"), ("i", 3, None), ("i", 4, 2)],
)
def test_windows_around_rows(index, period, offset, closed):
    def text(measure):
        return f"{measure}i" if isinstance(measure, int) else measure

    ours = OURS.rolling(index, period=period, offset=offset, closed=closed, group_by="k").agg(
        col("x").max(), n=lf.len(), s=col("x").mean() * 2
    )
    theirs = THEIRS.rolling(
        index, period=text(period), offset=None if offset is None else text(offset), closed=closed, group_by="k"
    ).agg(pl.col("x").max(), n=pl.len(), s=pl.col("x").mean() * 2)  # fmt: skip
    # Theirs come group by group.
    same(
        [row for k in "ab" for row in ours.filter(col("k") == k).to_dicts()],
        theirs.sort("k", maintain_order=True).to_dicts(),
    )


def test_days_that_begin_at_six_in_local_time():
    """The clocks of Paris go forward at two on 2024-03-31: that day is 23 hours long."""
    hours = [datetime.datetime(2024, 3, 30, 5) + datetime.timedelta(hours=h) for h in range(50)]  # noqa: DTZ001
    paris = lf.from_dict({"t": hours}).select(col("t").dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Paris"))
    found = paris.group_by_dynamic("t", every="1d", offset="6h", include_boundaries=True).agg(n=lf.len()).to_dicts()
    assert [(row["t"].strftime("%d %H:%M %z"), row["n"]) for row in found] == [
        ("30 06:00 +0100", 23), ("31 06:00 +0200", 24), ("01 06:00 +0200", 3),
    ]  # fmt: skip
    assert [row["_upper_boundary"] for row in found[:2]] == [row["t"] for row in found[1:]]
    overlapping = paris.group_by_dynamic("t", every="1d", period="2d").agg(n=lf.len()).to_dicts()
    assert [(row["t"].strftime("%d %H:%M %z"), row["n"]) for row in overlapping] == [
        ("29 00:00 +0100", 18), ("30 00:00 +0100", 41), ("31 00:00 +0100", 32), ("01 00:00 +0200", 9),
    ]  # fmt: skip


def test_rows_without_a_time_are_in_no_window():
    frame = lf.from_dict({"t": [1, None, 2], "x": [1, 2, 4]})
    assert frame.group_by_dynamic("t", every=10).agg(col("x").sum()).to_dicts() == [{"t": 0, "x": 5}]
    assert frame.group_by_dynamic("t", every=10, period=20).agg(col("x").sum()).to_dicts() == [
        {"t": -10, "x": 5}, {"t": 0, "x": 5},
    ]  # fmt: skip


def test_columns_of_groups():
    assert OURS.group_by_dynamic("i", every=5).agg(lf.all().first()).columns == ["i", "t", "d", "k", "x"]
    assert OURS.group_by_dynamic("i", every=5).len().columns == ["i", "len"]
    assert OURS.rolling("i", period=5).agg(lf.all().first()).columns == ["i", "t", "d", "k", "x"]
    lists = lf.from_dict({"t": [3, 1], "x": [1, 2]}).rolling("t", period=9).agg("x").to_dicts()
    assert lists == [{"t": 3, "x": [2, 1]}, {"t": 1, "x": [2]}]
    assert OURS.head(0).group_by_dynamic("t", every="1d").agg(lf.len()).to_dicts() == []


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda f: f.group_by_dynamic("t", every="0d"), InvalidArgumentError, "not the width of a window"),
        (lambda f: f.group_by_dynamic("t", every="1d2h"), InvalidArgumentError, "not the width of a window"),
        (lambda f: f.group_by_dynamic("t", every=3), TypeMismatchError, "measured in spans"),
        (lambda f: f.group_by_dynamic("i", every="3d"), TypeMismatchError, "measured in whole numbers"),
        (lambda f: f.group_by_dynamic("i", every=0), InvalidArgumentError, "1 or more wide"),
        (lambda f: f.group_by_dynamic("t", every="1d", period="-1d"), InvalidArgumentError, "a span above 0"),
        (lambda f: f.group_by_dynamic("t", every="1s", period="1d"), InvalidArgumentError, "up to 9\\d+ windows"),
        (lambda f: f.group_by_dynamic("k", every="1d"), TypeMismatchError, "no windows of string"),
        (lambda f: f.group_by_dynamic("d", every="1d", period="2h"), InvalidArgumentError, "of whole days"),
        (lambda f: f.group_by_dynamic("t", every="1d", closed="up"), InvalidArgumentError, "closed is one of"),
        (lambda f: f.rolling("t", period="-1d"), InvalidArgumentError, "a period is above 0"),
        (lambda f: f.rolling("t", period=3).agg(lf.len()), TypeMismatchError, "an order of timestamp"),
        (lambda f: f.rolling("i", period=3).agg(col("x").diff()), InvalidArgumentError, "cannot stand in the aggregates"),
        (lambda f: f.rolling("i", period=3, offset="1d"), InvalidArgumentError, "is none"),
        (lambda f: f.rolling("t", period="2d", offset="-1mo"), InvalidArgumentError, "in one direction"),
    ],
)  # fmt: skip
def test_what_is_refused(build, error, message):
    with pytest.raises(error, match=message):
        build(OURS)
