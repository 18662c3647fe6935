"""Questions about the flights from New York in 2013, answered as DuckDB and Polars do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import duckdb
import polars as pl
import pytest

import lazyframe as lf
from lazyframe import col
from tests.differential.questions import Questions, check

FOLDER = Path(__file__).parents[2] / "datasets"
NAMES = ("flights", "airlines", "airports", "planes", "weather")

questions = Questions()
ask = questions.ask


@pytest.fixture(scope="module")
def tables():
    return SimpleNamespace(**{name: getattr(lf.datasets, name)() for name in NAMES})


@pytest.fixture(scope="module")
def polars_tables():
    return SimpleNamespace(**{name: pl.scan_parquet(FOLDER / f"{name}.parquet") for name in NAMES})


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as found:
        found.execute("SET TimeZone = 'UTC'; SET threads = 2")
        for name in NAMES:
            found.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{FOLDER / name}.parquet')")
        yield found


@ask(
    "SELECT origin, count(*) AS n FROM flights GROUP BY origin ORDER BY n DESC",
    lambda t: t.flights.group_by("origin").agg(n=pl.len()).sort("n", descending=True),
)
def flights_by_origin(t):
    return t.flights.group_by("origin").agg(n=lf.len()).sort("n", descending=True)


@ask(
    """SELECT f.origin, f.dest, a.name, avg(f.arr_delay) AS delay, count(*) AS n
    FROM flights f JOIN airlines a USING (carrier) WHERE f.arr_delay IS NOT NULL
    GROUP BY ALL HAVING count(*) >= 100 ORDER BY delay DESC, f.origin, f.dest, a.name LIMIT 10""",
    lambda t: (
        t.flights.filter(pl.col("arr_delay").is_not_null())
        .join(t.airlines, on="carrier")
        .group_by("origin", "dest", "name")
        .agg(delay=pl.col("arr_delay").mean(), n=pl.len())
        .filter(pl.col("n") >= 100)
        .sort(["delay", "origin", "dest", "name"], descending=[True, False, False, False])
        .head(10)
    ),
)
def worst_routes_with_carrier_names(t):
    return (
        t.flights.filter(col("arr_delay").is_not_null())
        .join(t.airlines, on="carrier")
        .group_by("origin", "dest", "name")
        .agg(delay=col("arr_delay").mean(), n=lf.len())
        .filter(col("n") >= 100)
        .sort(lf.desc("delay"), "origin", "dest", "name")
        .head(10)
    )


@ask(
    """SELECT carrier, count(*) AS flights, count(*) FILTER (WHERE dep_time IS NULL) AS cancelled,
    count(*) FILTER (WHERE dep_time IS NULL) / count(*) AS share FROM flights GROUP BY carrier ORDER BY share DESC, carrier""",
    lambda t: (
        t.flights.group_by("carrier")
        .agg(flights=pl.len(), cancelled=pl.col("dep_time").null_count())
        .with_columns(share=pl.col("cancelled") / pl.col("flights"))
        .sort(["share", "carrier"], descending=[True, False])
    ),
)
def cancelled_share_by_carrier(t):
    return (
        t.flights.group_by("carrier")
        .agg(flights=lf.len(), cancelled=lf.len().filter(col("dep_time").is_null()))
        .with_columns(share=col("cancelled") / col("flights"))
        .sort(lf.desc("share"), "carrier")
    )


@ask(
    """SELECT w.visib < 2 AS foggy, avg(f.dep_delay) AS delay, count(*) AS n FROM flights f
    JOIN weather w ON f.origin = w.origin AND f.time_hour = w.time_hour GROUP BY 1 ORDER BY 1""",
    lambda t: (
        t.flights.join(t.weather, on=["origin", "time_hour"])
        .group_by(foggy=pl.col("visib") < 2)
        .agg(delay=pl.col("dep_delay").mean(), n=pl.len())
        .sort("foggy")
    ),
)
def delay_in_fog(t):
    return (
        t.flights.join(t.weather, on=["origin", "time_hour"])
        .group_by(foggy=col("visib") < 2)
        .agg(delay=col("dep_delay").mean(), n=lf.len())
        .sort("foggy")
    )


@ask(
    """SELECT (2013 - p.year) // 5 * 5 AS age, count(*) AS flights, avg(f.arr_delay) AS delay
    FROM flights f JOIN planes p ON f.tailnum = p.tailnum WHERE p.year IS NOT NULL GROUP BY age ORDER BY age""",
    lambda t: (
        t.flights.join(t.planes.filter(pl.col("year").is_not_null()), on="tailnum", suffix="_plane")
        .group_by(age=(2013 - pl.col("year_plane")) // 5 * 5)
        .agg(flights=pl.len(), delay=pl.col("arr_delay").mean())
        .sort("age")
    ),
)
def planes_by_age(t):
    return (
        t.flights.join(t.planes, on="tailnum", suffix="_plane")
        .filter(col("year_plane").is_not_null())
        .group_by(age=(2013 - col("year_plane")) // 5 * 5)
        .agg(flights=lf.len(), delay=col("arr_delay").mean())
        .sort("age")
    )


@ask(
    "SELECT DISTINCT dest FROM flights WHERE dest NOT IN (SELECT faa FROM airports) ORDER BY dest",
    lambda t: (
        t.flights.join(t.airports, left_on="dest", right_on="faa", how="anti").select("dest").unique().sort("dest")
    ),
)
def unknown_destinations(t):
    return t.flights.join(t.airports, left_on="dest", right_on="faa", how="anti").select("dest").unique().sort("dest")


@ask("SELECT count(DISTINCT tailnum) AS n FROM flights WHERE tailnum NOT IN (SELECT tailnum FROM planes)")
def unknown_planes(t):
    unknown = t.flights.drop_nulls("tailnum").join(t.planes, on="tailnum", how="anti")
    return unknown.select(n=col("tailnum").n_unique())


@ask(
    """SELECT month, day, count(*) AS n FROM flights WHERE dep_time IS NULL GROUP BY month, day
    ORDER BY n DESC, month, day LIMIT 5""",
)
def days_with_most_cancellations(t):
    return (
        t.flights.filter(col("dep_time").is_null())
        .group_by("month", "day")
        .len("n")
        .sort(lf.desc("n"), "month", "day")
        .head(5)
    )


@ask(
    """SELECT hour, avg(dep_delay) AS delay, median(dep_delay) AS middle, max(dep_delay) AS worst
    FROM flights GROUP BY hour HAVING count(dep_delay) > 0 ORDER BY hour""",
    lambda t: (
        t.flights.group_by("hour")
        .agg(delay=pl.col("dep_delay").mean(), middle=pl.col("dep_delay").median(), worst=pl.col("dep_delay").max())
        .drop_nulls("delay")
        .sort("hour")
    ),
)
def delay_by_hour(t):
    return (
        t.flights.group_by("hour")
        .agg(delay=col("dep_delay").mean(), middle=col("dep_delay").median(), worst=col("dep_delay").max())
        .drop_nulls("delay")
        .sort("hour")
    )


@ask(
    """SELECT carrier, stddev_samp(arr_delay) AS s, var_pop(arr_delay) AS v, quantile_cont(arr_delay, 0.9) AS q
    FROM flights GROUP BY carrier ORDER BY carrier""",
    lambda t: (
        t.flights.group_by("carrier")
        .agg(
            s=pl.col("arr_delay").std(),
            v=pl.col("arr_delay").var(ddof=0),
            q=pl.col("arr_delay").quantile(0.9, interpolation="linear"),
        )
        .sort("carrier")
    ),
)
def spread_of_delays(t):
    delay = col("arr_delay")
    return t.flights.group_by("carrier").agg(s=delay.std(), v=delay.var(ddof=0), q=delay.quantile(0.9)).sort("carrier")


@ask("SELECT corr(dep_delay, arr_delay) AS r, covar_samp(dep_delay, arr_delay) AS c FROM flights")
def delays_go_together(t):
    return t.flights.select(r=lf.corr("dep_delay", "arr_delay"), c=col("dep_delay").cov("arr_delay"))


@ask(
    """SELECT dest, sum(distance) AS miles FROM flights GROUP BY dest ORDER BY miles DESC, dest LIMIT 7""",
    lambda t: (
        t.flights.group_by("dest")
        .agg(miles=pl.col("distance").sum())
        .sort("miles", "dest", descending=[True, False])
        .head(7)
    ),
)
def most_miles(t):
    return t.flights.group_by("dest").agg(miles=col("distance").sum()).sort(lf.desc("miles"), "dest").head(7)


@ask(
    """SELECT f.flight, f.carrier, f.distance / f.air_time * 60 AS mph, f.tailnum FROM flights f
    WHERE air_time IS NOT NULL ORDER BY mph DESC, f.carrier, f.flight, f.tailnum LIMIT 10"""
)
def fastest_flights(t):
    flown = t.flights.filter(col("air_time").is_not_null())
    named = flown.select("flight", "carrier", (col("distance") / col("air_time") * 60).alias("mph"), "tailnum")
    return named.sort(lf.desc("mph"), "carrier", "flight", "tailnum").head(10)


@ask(
    """SELECT date_trunc('month', time_hour) AS m, count(*) AS n, sum(CASE WHEN arr_delay > 15 THEN 1 ELSE 0 END) AS late
    FROM flights GROUP BY 1 ORDER BY 1""",
    lambda t: (
        t.flights.group_by(m=pl.col("time_hour").dt.truncate("1mo"))
        .agg(n=pl.len(), late=(pl.col("arr_delay") > 15).sum())
        .sort("m")
    ),
)
def late_by_month(t):
    return (
        t.flights.group_by(m=col("time_hour").dt.truncate("1mo"))
        .agg(n=lf.len(), late=lf.when(col("arr_delay") > 15).then(1).otherwise(0).sum())
        .sort("m")
    )


@ask(
    """SELECT dayname(make_date(year, month, day)) AS d, avg(dep_delay) AS delay FROM flights GROUP BY 1 ORDER BY delay"""
)
def delay_by_weekday(t):
    made = t.flights.with_columns(d=lf.date("year", "month", "day").dt.day_name())
    return made.group_by("d").agg(delay=col("dep_delay").mean()).sort("delay")


@ask("SELECT count(*) AS n, count(tailnum) AS known, count(DISTINCT tailnum) AS planes FROM flights")
def counts_of_tailnum(t):
    return t.flights.select(n=lf.len(), known=col("tailnum").count(), planes=col("tailnum").count().distinct())


@ask(
    """SELECT carrier, first(flight ORDER BY time_hour, flight, tailnum, sched_dep_time) AS earliest FROM flights
    GROUP BY carrier ORDER BY carrier"""
)
def first_flight_of_each_carrier(t):
    order = ["time_hour", "flight", "tailnum", "sched_dep_time"]
    return t.flights.group_by("carrier").agg(earliest=col("flight").first(order_by=order)).sort("carrier")


@ask(
    """SELECT manufacturer, count(*) AS planes, sum(seats) AS seats, min(year) AS oldest, max(year) AS newest FROM planes
    GROUP BY manufacturer HAVING count(*) > 20 ORDER BY planes DESC, manufacturer""",
    lambda t: (
        t.planes.group_by("manufacturer")
        .agg(planes=pl.len(), seats=pl.col("seats").sum(), oldest=pl.col("year").min(), newest=pl.col("year").max())
        .filter(pl.col("planes") > 20)
        .sort("planes", "manufacturer", descending=[True, False])
    ),
)
def makers(t):
    return (
        t.planes.group_by("manufacturer")
        .agg(planes=lf.len(), seats=col("seats").sum(), oldest=col("year").min(), newest=col("year").max())
        .filter(col("planes") > 20)
        .sort(lf.desc("planes"), "manufacturer")
    )


@ask(
    """SELECT CASE WHEN arr_delay <= 0 THEN 'early' WHEN arr_delay <= 15 THEN 'on time' WHEN arr_delay > 15 THEN 'late'
    ELSE 'unknown' END AS state, count(*) AS n FROM flights GROUP BY state ORDER BY state""",
    lambda t: (
        t.flights.group_by(
            state=pl.when(pl.col("arr_delay") <= 0).then(pl.lit("early")).when(pl.col("arr_delay") <= 15)
            .then(pl.lit("on time")).when(pl.col("arr_delay") > 15).then(pl.lit("late")).otherwise(pl.lit("unknown"))
        ).agg(n=pl.len()).sort("state")
    ),
)  # fmt: skip
def states_of_arrival(t):
    delay = col("arr_delay")
    state = (
        lf.when(delay <= 0)
        .then(lf.lit("early"))
        .when(delay <= 15)
        .then(lf.lit("on time"))
        .when(delay > 15)
        .then(lf.lit("late"))
        .otherwise(lf.lit("unknown"))
    )
    return t.flights.group_by(state=state).agg(n=lf.len()).sort("state")


@ask(
    """SELECT origin, month, count(*) AS n, grouping(origin) + grouping(month) AS g FROM flights WHERE month <= 2
    GROUP BY ROLLUP (origin, month) ORDER BY g, origin, month"""
)
def rollup_of_months(t):
    rolled = t.flights.filter(col("month") <= 2).rollup("origin", "month").agg(n=lf.len())
    marked = rolled.with_columns(g=col("origin").is_null().cast("int64") + col("month").is_null().cast("int64"))
    return marked.sort("g", "origin", "month")


@ask(
    """SELECT f.carrier, f.flight, g.flight AS other FROM flights f JOIN flights g
    ON f.carrier < g.carrier AND f.dest = g.dest AND f.dep_time = g.dep_time
    WHERE f.month = 1 AND f.day = 1 AND g.month = 1 AND g.day = 1 ORDER BY f.carrier, f.flight, other, f.dest"""
)
def flights_at_the_same_minute(t):
    day = t.flights.filter(col("month") == 1, col("day") == 1).select("carrier", "flight", "dest", "dep_time")
    same = (col("carrier") < col("carrier_r")) & (col("dest") == col("dest_r")) & (col("dep_time") == col("dep_time_r"))
    met = day.join(day, on=same, suffix="_r")
    return met.sort("carrier", "flight", "flight_r", "dest").select("carrier", "flight", other="flight_r")


@ask(
    """SELECT a.faa, b.faa AS near FROM airports a JOIN airports b
    ON a.faa < b.faa AND abs(a.lat - b.lat) < 0.02 AND abs(a.lon - b.lon) < 0.02 ORDER BY a.faa, near"""
)
def airports_side_by_side(t):
    near = ((col("lat") - col("lat_b")).abs() < 0.02) & ((col("lon") - col("lon_b")).abs() < 0.02)
    pairs = t.airports.join(t.airports, on=(col("faa") < col("faa_b")) & near, suffix="_b")
    return pairs.select("faa", near="faa_b").sort("faa", "near")


@ask(
    """SELECT a.faa, count(f.dest) AS n FROM airports a LEFT JOIN flights f ON a.faa = f.dest WHERE a.tz = -5
    GROUP BY a.faa ORDER BY n DESC, a.faa LIMIT 60"""
)
def destinations_and_those_nobody_flies_to(t):
    joined = t.airports.filter(col("tz") == -5).join(
        t.flights, left_on="faa", right_on="dest", how="left", coalesce=False
    )
    return joined.group_by("faa").agg(n=col("dest").count()).sort(lf.desc("n"), "faa").head(60)


@ask(
    """SELECT coalesce(f.tailnum, p.tailnum) AS tail, f.n, p.seats FROM
    (SELECT tailnum, count(*) AS n FROM flights WHERE month = 12 AND day = 24 GROUP BY tailnum) f
    FULL JOIN planes p ON f.tailnum = p.tailnum ORDER BY tail NULLS LAST, n LIMIT 400"""
)
def christmas_eve_and_all_planes(t):
    eve = t.flights.filter(col("month") == 12, col("day") == 24).group_by("tailnum").agg(n=lf.len())
    full = eve.join(t.planes, on="tailnum", how="full", coalesce=True).select("n", "seats", tail="tailnum")
    return full.select("tail", "n", "seats").sort("tail", "n").head(400)


@ask(
    """SELECT f.flight, f.sched_dep_time, w.temp FROM (SELECT * FROM flights WHERE month = 2 AND day = 9) f
    RIGHT JOIN (SELECT * FROM weather WHERE month = 2 AND day = 9 AND origin = 'JFK') w
    ON f.origin = w.origin AND f.time_hour = w.time_hour ORDER BY w.hour, f.sched_dep_time, f.flight"""
)
def hours_of_a_storm(t):
    flights = t.flights.filter(col("month") == 2, col("day") == 9).select(
        "origin", "time_hour", "flight", "sched_dep_time"
    )
    weather = t.weather.filter(col("month") == 2, col("day") == 9, col("origin") == "JFK").select(
        "origin", "time_hour", "hour", "temp"
    )
    joined = flights.join(weather, on=["origin", "time_hour"], how="right")
    return joined.sort("hour", "sched_dep_time", "flight").select("flight", "sched_dep_time", "temp")


@ask(
    """SELECT tailnum FROM flights WHERE month = 1 AND tailnum IS NOT NULL INTERSECT
    SELECT tailnum FROM planes WHERE seats > 300 ORDER BY tailnum"""
)
def big_planes_in_january(t):
    january = t.flights.filter(col("month") == 1, col("tailnum").is_not_null()).select("tailnum")
    return january.intersect(t.planes.filter(col("seats") > 300).select("tailnum")).sort("tailnum")


@ask("SELECT dest FROM flights WHERE month = 7 EXCEPT SELECT dest FROM flights WHERE month = 2 ORDER BY dest")
def summer_only(t):
    july, february = (t.flights.filter(col("month") == m).select("dest") for m in (7, 2))
    return july.except_(february).sort("dest")


@ask(
    """SELECT code, count(*) AS n FROM (SELECT origin AS code FROM flights UNION ALL SELECT dest FROM flights)
    GROUP BY code ORDER BY n DESC, code LIMIT 12""",
    lambda t: (
        pl.concat([t.flights.select(code="origin"), t.flights.select(code="dest")])
        .group_by("code").agg(n=pl.len()).sort("n", "code", descending=[True, False]).head(12)
    ),
)  # fmt: skip
def visits_of_airports(t):
    both = lf.concat([t.flights.select(code="origin"), t.flights.select(code="dest")])
    return both.group_by("code").agg(n=lf.len()).sort(lf.desc("n"), "code").head(12)


@ask("SELECT upper(substr(name, 1, 3)) AS p, count(*) AS n FROM airports GROUP BY p ORDER BY n DESC, p LIMIT 15")
def prefixes_of_airports(t):
    return (
        t.airports.group_by(p=col("name").str.slice(0, 3).str.upper()).agg(n=lf.len()).sort(lf.desc("n"), "p").head(15)
    )


@ask("SELECT faa, name FROM airports WHERE name LIKE '%Intl' AND regexp_matches(name, '^[A-C]') ORDER BY faa")
def international_airports(t):
    name = col("name")
    return t.airports.filter(name.str.like("%Intl"), name.str.contains("^[A-C]")).select("faa", "name").sort("faa")


@ask(
    """SELECT origin, variable, value FROM (SELECT origin, avg(temp) AS temp, avg(humid) AS humid, avg(wind_speed) AS wind_speed
    FROM weather GROUP BY origin) UNPIVOT (value FOR variable IN (temp, humid, wind_speed)) ORDER BY origin, variable""",
    lambda t: (
        t.weather.group_by("origin").agg(pl.col("temp", "humid", "wind_speed").mean())
        .unpivot(index="origin").sort("origin", "variable")
    ),
)  # fmt: skip
def means_of_weather_in_rows(t):
    means = t.weather.group_by("origin").agg(col("temp", "humid", "wind_speed").mean())
    return means.unpivot(index="origin").sort("origin", "variable")


@ask(
    """SELECT origin, month, max(temp) AS hottest, arg_max(day, temp) AS day FROM weather WHERE temp IS NOT NULL
    GROUP BY origin, month HAVING count(*) > 0 ORDER BY origin, month"""
)
def hottest_days(t):
    known = t.weather.filter(col("temp").is_not_null())
    return (
        known.group_by("origin", "month")
        .agg(hottest=col("temp").max(), day=col("day").max_by("temp"))
        .sort("origin", "month")
    )


@ask("SELECT f.dest, f.n FROM (SELECT dest, count(*) AS n FROM flights GROUP BY dest) f WHERE f.n > (SELECT avg(n) FROM (SELECT count(*) AS n FROM flights GROUP BY dest)) ORDER BY f.dest",
    lambda t: t.flights.group_by("dest").agg(n=pl.len()).filter(pl.col("n") > pl.col("n").mean()).sort("dest"),
)  # fmt: skip
def busier_than_the_mean(t):
    return t.flights.group_by("dest").agg(n=lf.len()).filter(col("n") > col("n").mean()).sort("dest")


@ask(
    """SELECT carrier, flight, dep_delay - (SELECT avg(dep_delay) FROM flights) AS above FROM flights
    WHERE dep_delay > 1000 ORDER BY above, carrier, flight"""
)
def far_above_the_mean(t):
    above = t.flights.with_columns(above=col("dep_delay") - col("dep_delay").mean())
    return above.filter(col("dep_delay") > 1000).select("carrier", "flight", "above").sort("above", "carrier", "flight")


@ask("SELECT carrier, dest FROM flights ORDER BY arr_delay DESC NULLS LAST, flight LIMIT 25 OFFSET 5")
def latest_after_the_first_five(t):
    return t.flights.sort(lf.desc("arr_delay"), "flight").slice(5, 25).select("carrier", "dest")


@ask(
    "SELECT * FROM (SELECT DISTINCT ON (dest) dest, carrier, arr_delay FROM flights WHERE arr_delay IS NOT NULL ORDER BY dest, arr_delay DESC, carrier) ORDER BY dest"
)
def worst_flight_to_each_place(t):
    ranked = t.flights.filter(col("arr_delay").is_not_null()).sort("dest", lf.desc("arr_delay"), "carrier")
    return ranked.unique("dest", keep="first").select("dest", "carrier", "arr_delay").sort("dest")


@ask(
    """SELECT dest, string_agg(carrier, '+' ORDER BY carrier) AS carriers FROM (SELECT DISTINCT dest, carrier FROM flights)
    GROUP BY dest ORDER BY dest""",
    lambda t: (
        t.flights.select("dest", "carrier").unique().sort("carrier").group_by("dest")
        .agg(carriers=pl.col("carrier").str.join("+")).sort("dest")
    ),
)  # fmt: skip
def carriers_of_each_place(t):
    pairs = t.flights.select("dest", "carrier").unique()
    return pairs.group_by("dest").agg(carriers=col("carrier").string_agg("+", order_by="carrier")).sort("dest")


@ask(
    """SELECT dest, unnest(list(DISTINCT carrier ORDER BY carrier)) AS carrier FROM flights WHERE dest IN ('SEA', 'SFO', 'PDX')
    GROUP BY dest ORDER BY dest, carrier"""
)
def carriers_of_the_west_in_rows(t):
    west = t.flights.filter(col("dest").is_in(["SEA", "SFO", "PDX"])).select("dest", "carrier").unique()
    return west.group_by("dest").agg(col("carrier").implode()).explode("carrier").sort("dest", "carrier")


@ask(
    "SELECT year, month, day, hour, minute FROM flights WHERE (hour, minute) = (6, 0) AND month BETWEEN 3 AND 4 AND origin <> 'EWR' AND carrier = 'B6' ORDER BY ALL"
)
def early_birds(t):
    wanted = t.flights.filter(hour=6, minute=0, carrier="B6").filter(
        col("month").is_between(3, 4), col("origin") != "EWR"
    )
    return wanted.select("year", "month", "day", "hour", "minute").sort("year", "month", "day", "hour", "minute")


@ask(
    "SELECT count(*) FILTER (WHERE wind_gust > 30) AS gusts, sum(precip) AS rain, min(pressure) AS low, max(time_hour) AS last, avg(visib) AS visib FROM weather WHERE origin = 'LGA'"
)
def summary_of_weather(t):
    return t.weather.filter(origin="LGA").select(
        gusts=lf.len().filter(col("wind_gust") > 30), rain=col("precip").sum(), low=col("pressure").min(),
        last=col("time_hour").max(), visib=col("visib").mean(),
    )  # fmt: skip


@ask(
    "SELECT date_diff('hour', min(time_hour), max(time_hour)) AS hours, count(DISTINCT time_hour) AS seen FROM weather WHERE origin = 'JFK'"
)
def hours_without_weather(t):
    hour = col("time_hour")
    return t.weather.filter(origin="JFK").select(hours=(hour.max() - hour.min()).dt.total_hours(), seen=hour.n_unique())


@ask("SELECT sched_dep_time // 100 AS h, sched_dep_time % 100 AS m, count(*) AS n FROM flights WHERE dest = 'BOS' GROUP BY ALL ORDER BY n DESC, h, m LIMIT 10",
    lambda t: (
        t.flights.filter(pl.col("dest") == "BOS")
        .group_by(h=pl.col("sched_dep_time") // 100, m=pl.col("sched_dep_time") % 100)
        .agg(n=pl.len()).sort("n", "h", "m", descending=[True, False, False]).head(10)
    ),
)  # fmt: skip
def times_to_boston(t):
    time = col("sched_dep_time")
    counted = t.flights.filter(dest="BOS").group_by(h=time // 100, m=time % 100).agg(n=lf.len())
    return counted.sort(lf.desc("n"), "h", "m").head(10)


@ask("SELECT tailnum, seats, round(seats / engines, 1) AS each FROM planes WHERE engines > 2 ORDER BY tailnum")
def seats_for_each_engine(t):
    return (
        t.planes.filter(col("engines") > 2)
        .select("tailnum", "seats", each=(col("seats") / col("engines")).round(1))
        .sort("tailnum")
    )


@ask(
    "SELECT origin, quantile_disc(dep_delay, 0.25) AS q, mode(carrier) AS usual, skewness(dep_delay) > 0 AS skewed FROM flights GROUP BY origin ORDER BY origin"
)
def shape_of_delays(t):
    delay = col("dep_delay")
    return (
        t.flights.group_by("origin")
        .agg(q=delay.quantile(0.25, "lower"), usual=col("carrier").mode(), skewed=delay.skew() > 0)
        .sort("origin")
    )


@ask(
    "SELECT carrier, bool_or(dep_delay > 600) AS awful, bool_and(distance > 200) AS far, sum(distance)::BIGINT - sum(air_time) AS d FROM flights GROUP BY carrier ORDER BY carrier"
)
def any_and_all(t):
    return (
        t.flights.group_by("carrier")
        .agg(
            awful=(col("dep_delay") > 600).any(), far=(col("distance") > 200).all(),
            d=col("distance").sum() - col("air_time").sum(),
        )
        .sort("carrier")
    )  # fmt: skip


@pytest.mark.parametrize("name", questions)
def test_question(name, tables, connection, polars_tables):
    check(questions[name], tables, connection, polars_tables)
