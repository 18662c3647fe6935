"""Where Polars means the same by a window function of an expression, it gives the same."""

from __future__ import annotations

import datetime
import math
import random

import polars as pl
import pytest

import lazyframe as lf

chance = random.Random(5)
ROWS = 60
DATA = {
    "k": [chance.randrange(3) for _ in range(ROWS)],
    "x": [chance.choice([None, -1.0, 0.0, 0.5, 2.0, 7.0, 7.0, 30.0]) for _ in range(ROWS)],
    "t": [datetime.datetime(2024, 1, 30) + datetime.timedelta(hours=chance.randrange(2000)) for _ in range(ROWS)],  # noqa: DTZ001
    "i": [chance.randrange(30) for _ in range(ROWS)],
}
DATA["d"] = [t.date() for t in DATA["t"]]
OURS, THEIRS = lf.from_dict(DATA), pl.DataFrame(DATA)

EXPRESSIONS = {
    **{f"rank {m}": lambda x, m=m: x.rank(m) for m in ("average", "min", "max", "dense", "ordinal")},
    **{f"rank {m} down": lambda x, m=m: x.rank(m, descending=True) for m in ("average", "min", "dense")},
    **{
        f"{f} reverse={r}": lambda x, f=f, r=r: getattr(x, f)(reverse=r)
        for f in ("cum_sum", "cum_min", "cum_max", "cum_prod", "cum_count")
        for r in (False, True)
    },
    **{f"shift {n}": lambda x, n=n: x.shift(n) for n in (1, -2)},
    "shift with a value": lambda x: x.shift(2, fill_value=9.0),
    **{f"diff {n}": lambda x, n=n: x.diff(n) for n in (1, 3)},
    "pct_change": lambda x: x.pct_change(),
    "forward_fill": lambda x: x.forward_fill(),
    "backward_fill": lambda x: x.backward_fill(limit=1),
    **{
        f"rolling_{f} {args}": lambda x, f=f, args=args: getattr(x, f"rolling_{f}")(**args)
        for f in ("sum", "mean", "min", "max", "std", "var", "median")
        for args in (
            {"window_size": 3},
            {"window_size": 4, "min_samples": 2, "center": True},
            {"window_size": 5, "min_samples": 1, "center": True},
        )
    },
    "rolling_std ddof": lambda x: x.rolling_std(4, min_samples=1, ddof=0),
    "rolling_quantile": lambda x: x.rolling_quantile(0.3, "linear", window_size=3, min_samples=1),
    **{
        f"ewm_{f} {args}": lambda x, f=f, args=args: getattr(x, f"ewm_{f}")(**args)
        for f in ("mean", "std", "var")
        for args in (
            {"alpha": 0.3, "adjust": True, "ignore_nulls": True},
            {"com": 2.0, "adjust": True, "ignore_nulls": False, "min_samples": 3},
            {"span": 4, "adjust": False, "ignore_nulls": False},
            {"half_life": 2.5, "adjust": False, "ignore_nulls": True},
        )
    },
    "ewm_var of themselves": lambda x: x.ewm_var(alpha=0.2, bias=True),
}


def same(a, b):
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_over_all_rows_and_over_partitions(name):
    build = EXPRESSIONS[name]
    for over in ((lambda e: e), (lambda e: e.over("k"))):
        ours = OURS.select(x=over(build(lf.col("x")))).to_dict()["x"]
        theirs = THEIRS.select(x=over(build(pl.col("x"))))["x"].to_list()
        assert all(map(same, ours, theirs)), [(a, b) for a, b in zip(ours, theirs, strict=True) if not same(a, b)]


@pytest.mark.parametrize("closed", ["right", "left", "both", "none"])
@pytest.mark.parametrize(("by", "size"), [("t", "3d"), ("t", "36h"), ("t", "1mo"), ("d", "1w"), ("i", 3)])
def test_rolling_by(by, size, closed):
    functions = ("sum", "mean", "min", "max", "std", "median")
    ours = OURS.select(
        **{
            f: getattr(lf.col("x"), f"rolling_{f}_by")(by, size, closed=closed, min_samples=least)
            for f, least in zip(functions, (1, 2) * 3, strict=True)
        }
    ).to_dict()
    span = f"{size}i" if by == "i" else size
    for f, least in zip(functions, (1, 2) * 3, strict=True):
        expression = getattr(pl.col("x"), f"rolling_{f}_by")(by, span, closed=closed, min_samples=least)
        theirs = THEIRS.select(x=expression)["x"].to_list()
        assert all(map(same, ours[f], theirs)), f


def test_an_order_of_their_own():
    for build in (lambda x: x.shift(), lambda x: x.diff(), lambda x: x.cum_sum(), lambda x: x.rolling_mean(2)):
        ours = OURS.select(x=build(lf.col("x")).over("k", order_by="t")).to_dict()["x"]
        theirs = THEIRS.select(x=build(pl.col("x")).over("k", order_by="t"))["x"].to_list()
        assert all(map(same, ours, theirs))
