"""What is written, to the letter."""

from __future__ import annotations

import datetime as dt
import sqlite3
from textwrap import dedent

import pytest

import lazyframe as lf
from lazyframe import col

F = lf.from_dict({"id": [1, 2, 3], "k": ["a", "b", "a"], "x": [3, -1, None], "d": [dt.date(2024, 1, 1)] * 3}).lazy()
G = lf.from_dict({"k": ["a", "c"], "w": [1.5, 2.5]}).lazy()


def check(frame, expected, dialect="duckdb"):
    assert frame.to_sql(dialect) == dedent(expected).strip("\n")


def test_clauses_of_one_select():
    query = (
        F.filter(col("x") > 0).group_by("k").agg(total=col("x").sum()).filter(col("total") > 1).sort("total").head(3)
    )
    check(
        query,
        """
        SELECT
          k,
          SUM(x) AS total
        FROM frame_1
        WHERE
          x > 0
        GROUP BY
          k
        HAVING
          SUM(x) > 1
        ORDER BY
          total
        LIMIT 3
        """,
    )


def test_a_filter_after_a_limit_reads_from_a_cte():
    check(
        F.sort("x", descending=True).head(2).filter(col("id") > 1).select("id"),
        """
        WITH limited AS (
          SELECT
            *
          FROM frame_1
          ORDER BY
            x DESC
          LIMIT 2
        )
        SELECT
          id
        FROM limited
        WHERE
          id > 1
        ORDER BY
          x DESC
        """,
    )


def test_joins_and_filters_of_their_sides():
    check(
        F.filter(col("x") > 0).join(G.filter(col("w") > 2), on="k", how="left").select("id", "w"),
        """
        SELECT
          frame_1.id,
          frame_2.w
        FROM frame_1
        LEFT JOIN frame_2
          ON frame_1.k = frame_2.k AND frame_2.w > 2.0
        WHERE
          frame_1.x > 0
        """,
    )


def test_semi_joins_are_exists():
    check(
        F.join(G, on="k", how="anti").select("id"),
        """
        SELECT
          frame_1.id
        FROM frame_1
        WHERE
          NOT EXISTS(
            SELECT
              1
            FROM frame_2
            WHERE
              frame_1.k = frame_2.k
          )
        """,
    )


def test_rows_read_twice_are_named_once():
    some = F.filter(col("x") > 0)
    check(
        some.join(some.select("id", k2="k"), on="id").select("id", "k2"),
        """
        WITH filtered AS (
          SELECT
            *
          FROM frame_1
          WHERE
            x > 0
        )
        SELECT
          filtered.id,
          filtered_2.k AS k2
        FROM filtered
        JOIN filtered AS filtered_2
          ON filtered.id = filtered_2.id
        """,
    )


def test_names_that_need_quotes_and_names_of_other_columns():
    query = F.select(x=col("id"), select=col("x"))
    assert query.to_sql(pretty=False) == 'SELECT id AS x, x AS "select" FROM frame_1'
    assert query.sort(col("x") * 2).to_sql(pretty=False) == (
        'SELECT frame_1.id AS x, frame_1.x AS "select" FROM frame_1 ORDER BY frame_1.id * 2'
    )


def test_our_meaning_under_their_names():
    def written(expression):
        return F.select(r=expression).to_sql(pretty=False).removeprefix("SELECT ").removesuffix(" AS r FROM frame_1")

    assert written(col("x") // 2) == "x // 2 - CASE WHEN x % 2 < 0 THEN 1 ELSE 0 END"
    assert written(col("x") % 2) == "CASE WHEN x % 2 < 0 THEN x % 2 + 2 ELSE x % 2 END"
    assert written(col("k").str.slice(1, 2)) == "SUBSTRING(k, 2, 2)"
    assert written((col("x") / 2).cast("int64")) == "CAST(TRUNC(CAST(x AS DOUBLE) / 2.0) AS BIGINT)"
    assert written(col("d") + dt.timedelta(days=1)) == "CAST(d + INTERVAL '1' DAY AS DATE)"
    assert written(lf.when(col("x") > 1).then(0.5).otherwise(None)) == "CASE WHEN x > 1 THEN CAST(0.5 AS DOUBLE) END"


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("duckdb", "SELECT k, COUNT(*) AS n FROM frame_1 GROUP BY k ORDER BY n DESC LIMIT 1"),
        ("postgres", "SELECT k, COUNT(*) AS n FROM frame_1 GROUP BY k ORDER BY n DESC NULLS LAST LIMIT 1"),
        ("tsql", "SELECT TOP 1 k, COUNT_BIG(*) AS n FROM frame_1 GROUP BY k ORDER BY n DESC"),
    ],
)
def test_dialects(dialect, expected):
    query = F.group_by("k").len("n").sort("n", descending=True).head(1)
    assert query.to_sql(dialect, pretty=False) == expected


def test_sqlite_runs_what_is_written_for_it():
    query = F.join(G, on="k", how="left").group_by("k").agg(n=lf.len(), w=col("w").max()).sort("k")
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE frame_1 (id INT, k TEXT, x INT, d TEXT)")
        connection.execute("CREATE TABLE frame_2 (k TEXT, w REAL)")
        connection.executemany("INSERT INTO frame_1 VALUES (?, ?, ?, '')", [(1, "a", 3), (2, "b", -1), (3, "a", None)])
        connection.executemany("INSERT INTO frame_2 VALUES (?, ?)", [("a", 1.5), ("c", 2.5)])
        assert connection.execute(query.to_sql("sqlite")).fetchall() == [("a", 2, 1.5), ("b", 1, None)]


def test_places_of_rows_are_of_duckdb_alone():
    assert "ROW_NUMBER() OVER ()" in F.tail(1).to_sql()
    with pytest.raises(lf.errors.UnsupportedError, match="order of the rows"):
        F.tail(1).to_sql("postgres")
    assert F.sort("x").tail(1).select("x").to_sql("postgres", pretty=False) == (
        "WITH limited AS (SELECT * FROM frame_1 ORDER BY x DESC LIMIT 1) SELECT x FROM limited ORDER BY x"
    )


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: F.sample(2, seed=1), r"sample\(\)"),
        (lambda: F.map_batches(lambda t: t, schema={"x": "int64"}), r"map_batches\(\)"),
        (lambda: F.select(col("x").cast("float64")).interpolate(), r"interpolate\(\)"),
        (lambda: F.join(G, on="k", validate="m:1"), "validate='m:1'"),
        (lambda: F.select(col("x").hash()), r"hash\(\)"),
        (lambda: F.select(col("x").skew()), r"skew\(\)"),
    ],
)
def test_refusals_name_the_line(make, what):
    frame = make()
    with pytest.raises(lf.errors.UnsupportedError, match=what) as caught:
        frame.to_sql()
    assert "(lambda: F." in str(caught.value), "the line that wrote the verb"


def test_an_unknown_dialect():
    with pytest.raises(lf.errors.InvalidArgumentError, match="no SQL dialect named 'postgre'") as caught:
        F.to_sql("postgre")
    assert "'postgres'" in caught.value.hint
