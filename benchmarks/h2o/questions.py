"""The ten grouping questions and the five joins of H2O.ai's db-benchmark."""

from __future__ import annotations

from typing import Any

from benchmarks.contenders import Question

GROUPINGS = (
    Question(
        "group 1: sum by id1",
        "SELECT id1, sum(v1) AS v1 FROM x GROUP BY id1",
        lambda t: _by(t, "id1").agg(_pl("v1").sum()),
        lambda t: _frame(t, "id1").agg(v1=("v1", "sum")),
    ),
    Question(
        "group 2: sum by id1, id2",
        "SELECT id1, id2, sum(v1) AS v1 FROM x GROUP BY id1, id2",
        lambda t: _by(t, "id1", "id2").agg(_pl("v1").sum()),
        lambda t: _frame(t, "id1", "id2").agg(v1=("v1", "sum")),
    ),
    Question(
        "group 3: sum, mean by id3",
        "SELECT id3, sum(v1) AS v1, avg(v3) AS v3 FROM x GROUP BY id3",
        lambda t: _by(t, "id3").agg(_pl("v1").sum(), _pl("v3").mean()),
        lambda t: _frame(t, "id3").agg(v1=("v1", "sum"), v3=("v3", "mean")),
    ),
    Question(
        "group 4: means by id4",
        "SELECT id4, avg(v1) AS v1, avg(v2) AS v2, avg(v3) AS v3 FROM x GROUP BY id4",
        lambda t: _by(t, "id4").agg(_pl("v1", "v2", "v3").mean()),
        lambda t: _frame(t, "id4").agg(v1=("v1", "mean"), v2=("v2", "mean"), v3=("v3", "mean")),
    ),
    Question(
        "group 5: sums by id6",
        "SELECT id6, sum(v1) AS v1, sum(v2) AS v2, sum(v3) AS v3 FROM x GROUP BY id6",
        lambda t: _by(t, "id6").agg(_pl("v1", "v2", "v3").sum()),
        lambda t: _frame(t, "id6").agg(v1=("v1", "sum"), v2=("v2", "sum"), v3=("v3", "sum")),
    ),
    Question(
        "group 6: median, deviation by id4, id5",
        "SELECT id4, id5, median(v3) AS median_v3, stddev(v3) AS sd_v3 FROM x GROUP BY id4, id5",
        lambda t: _by(t, "id4", "id5").agg(_pl("v3").median().alias("median_v3"), _pl("v3").std().alias("sd_v3")),
        lambda t: _frame(t, "id4", "id5").agg(median_v3=("v3", "median"), sd_v3=("v3", "std")),
    ),
    Question(
        "group 7: range by id3",
        "SELECT id3, max(v1) - min(v2) AS range_v1_v2 FROM x GROUP BY id3",
        lambda t: _by(t, "id3").agg((_pl("v1").max() - _pl("v2").min()).alias("range_v1_v2")),
        lambda t: (
            _frame(t, "id3")
            .agg(most=("v1", "max"), least=("v2", "min"))
            .assign(range_v1_v2=lambda f: f.most - f.least)[["id3", "range_v1_v2"]]
        ),
    ),
    Question(
        "group 8: two largest by id6",
        """SELECT id6, v3 AS largest2_v3
           FROM (SELECT id6, v3, row_number() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS place FROM x WHERE v3 IS NOT NULL) AS ranked
           WHERE place <= 2""",
        lambda t: (
            t.x.drop_nulls("v3")
            .group_by("id6")
            .agg(_pl("v3").top_k(2).alias("largest2_v3"))
            .explode("largest2_v3", empty_as_null=False)
        ),
        lambda t: (
            t.x[["id6", "v3"]]
            .sort_values("v3", ascending=False)
            .groupby("id6", sort=False)
            .head(2)
            .rename(columns={"v3": "largest2_v3"})
        ),
    ),
    Question(
        "group 9: correlation by id2, id4",
        "SELECT id2, id4, power(corr(v1, v2), 2) AS r2 FROM x GROUP BY id2, id4",
        lambda t: _by(t, "id2", "id4").agg((_polars().corr("v1", "v2") ** 2).alias("r2")),
        lambda t: (
            t.x.groupby(["id2", "id4"])[["v1", "v2"]]
            .corr()
            .iloc[0::2]["v2"]
            .pow(2)
            .rename("r2")
            .reset_index()[["id2", "id4", "r2"]]
        ),
    ),
    Question(
        "group 10: sum, count by all six",
        """SELECT id1, id2, id3, id4, id5, id6, sum(v3) AS v3, count(*) AS count
           FROM x GROUP BY id1, id2, id3, id4, id5, id6""",
        lambda t: _by(t, *_IDS).agg(_pl("v3").sum(), _polars().len().alias("count")),
        lambda t: _frame(t, *_IDS).agg(v3=("v3", "sum"), count=("v1", "size")),
    ),
)

_IDS = ("id1", "id2", "id3", "id4", "id5", "id6")


def _join(name: str, other: str, key: str, how: str = "inner") -> Question:
    """All columns of both sides, the key once and the others' names told apart as the benchmark does."""
    shared = {"small": ("id4",), "medium": ("id1", "id4", "id5"), "large": ("id1", "id2", "id4", "id5", "id6")}[other]
    rest = [column for column in _IDS if column != key]
    columns = [f"x.{key}", *(f"x.{column}" + f" AS x_{column}" * (column in shared) for column in rest), "x.v1"]
    columns += [*(f"{other}.{column} AS {other}_{column}" for column in shared if column != key), f"{other}.v2"]
    joined = f"SELECT {', '.join(columns)} FROM x {how.upper()} JOIN {other} ON x.{key} = {other}.{key}"
    names = [column.split(" AS ")[-1].split(".")[-1] for column in columns]

    def polars(t: Any) -> Any:
        pair = t.x.join(getattr(t, other), on=key, how=how, suffix="_right")
        given = {f"x_{column}": column for column in shared} | {f"{other}_{c}": f"{c}_right" for c in shared}
        return pair.select([_pl(given.get(name, name)).alias(name) for name in names])

    def pandas(t: Any) -> Any:
        pair = t.x.merge(getattr(t, other), on=key, how=how, suffixes=("", "_right"))
        given = {f"x_{column}": column for column in shared} | {f"{other}_{c}": f"{c}_right" for c in shared}
        return pair[[given.get(name, name) for name in names]]

    return Question(name, joined, polars, pandas)


JOINS = (
    _join("join 1: small by id1", "small", "id1"),
    _join("join 2: medium by id2", "medium", "id2"),
    _join("join 3: medium by id2, left", "medium", "id2", "left"),
    _join("join 4: medium by id5", "medium", "id5"),
    _join("join 5: large by id3", "large", "id3"),
)


def _polars() -> Any:
    import polars

    return polars


def _pl(*names: str) -> Any:
    return _polars().col(*names)


def _by(tables: Any, *keys: str) -> Any:
    return tables.x.group_by(*keys)


def _frame(tables: Any, *keys: str) -> Any:
    return tables.x.groupby(list(keys), as_index=False, sort=False, observed=True)
