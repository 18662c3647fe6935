"""Six questions about the 336,776 flights that left New York in 2013, each answered by one query; two of them in SQL, too.

Run it with `make demo`, or `python examples/flights.py` where lazyframe is installed.
"""

import inspect
import textwrap
from collections.abc import Callable

from rich.console import Console
from rich.syntax import Syntax

import lazyframe as lf
from lazyframe import LazyFrame, col

flights = lf.datasets.flights()
airlines = lf.datasets.airlines()
airports = lf.datasets.airports()
planes = lf.datasets.planes()
weather = lf.datasets.weather()

cancelled = col("dep_time").is_null()


def worst_routes() -> LazyFrame:
    """On which daily routes do passengers arrive latest?"""
    return (
        flights.group_by("carrier", "origin", "dest")
        .agg(flights=lf.len(), late=col("arr_delay").mean())
        .filter(col("flights") >= 365)
        .top_k(8, by="late")
        .join(airlines, on="carrier", how="left")
        .select(
            "origin",
            "dest",
            "name",
            "flights",
            minutes_late=col("late").round(1),
        )
    )


def rain_by_time_of_day() -> LazyFrame:
    """How much later do flights leave in rain, at which time of day?"""
    rain = col("precip") > 0
    delay = col("dep_delay")
    return (
        flights.filter(~cancelled)
        .join(weather, on=["origin", "time_hour"])
        .group_by(from_hour=col("hour") // 3 * 3)
        .agg(
            flights=lf.len(),
            in_rain=lf.len().filter(rain),
            delay_dry=delay.filter(~rain).mean().round(1),
            delay_rain=delay.filter(rain).mean().round(1),
        )
        .sort("from_hour")
    )


def planes_by_age() -> LazyFrame:
    """Do old planes run late?"""
    age = col("year") - col("built")
    return (
        flights.join(planes.select("tailnum", built="year"), on="tailnum")
        .group_by(years_old=(age // 5 * 5).clip(upper=30))
        .agg(
            planes=col("tailnum").n_unique(),
            flights=lf.len(),
            dep_delay=col("dep_delay").mean().round(1),
            arr_delay=col("arr_delay").mean().round(1),
        )
        .drop_nulls("years_old")
        .sort("years_old")
    )


def time_made_up() -> LazyFrame:
    """Which airlines make up in the air for half an hour lost?"""
    gained = col("dep_delay") - col("arr_delay")
    return (
        flights.filter(col("dep_delay") >= 30, col("arr_delay").is_not_null())
        .group_by("carrier")
        .agg(
            flights=lf.len(),
            minutes_gained=gained.mean().round(1),
            per_hour_in_air=(60 * gained.sum() / col("air_time").sum()).round(2),
        )
        .join(airlines, on="carrier")
        .select("name", "flights", "minutes_gained", "per_hour_in_air")
        .sort("per_hour_in_air", descending=True)
    )


def cancellations() -> LazyFrame:
    """In which month, and from where, are most flights cancelled?"""
    percent = 100 * cancelled.cast(int)
    return (
        flights.group_by("month")
        .agg(
            cancelled=cancelled.sum(),
            percent=percent.mean().round(1),
            EWR=percent.filter(col("origin") == "EWR").mean().round(1),
            JFK=percent.filter(col("origin") == "JFK").mean().round(1),
            LGA=percent.filter(col("origin") == "LGA").mean().round(1),
        )
        .sort("month")
    )


def busiest_destinations() -> LazyFrame:
    """Where do most flights land, how far is it, and how fast do they go?"""
    mph = 60 * col("distance").sum() / col("air_time").sum()
    return (
        flights.filter(col("air_time").is_not_null())
        .group_by("dest")
        .agg(
            flights=lf.len(),
            miles=col("distance").mean().round().cast(int),
            mph=mph.round().cast(int),
        )
        .top_k(8, by="flights")
        .join(airports, left_on="dest", right_on="faa", how="left")
        .select("dest", "name", "flights", "miles", "mph")
    )


IN_SQL: dict[Callable[[], LazyFrame], str] = {
    worst_routes: """
        select origin, dest, name, flights, round(late, 1) as minutes_late
        from (
            select carrier, origin, dest, count(*) as flights, avg(arr_delay) as late
            from flights
            group by all
            having flights >= 365
            order by late desc
            limit 8
        )
        left join airlines using (carrier)
    """,
    time_made_up: """
        select name, flights, minutes_gained, per_hour_in_air
        from (
            select
                carrier,
                count(*) as flights,
                round(avg(dep_delay - arr_delay), 1) as minutes_gained,
                round(60 * sum(dep_delay - arr_delay) / sum(air_time), 2) as per_hour_in_air
            from flights
            where dep_delay >= 30 and arr_delay is not null
            group by carrier
        )
        join airlines using (carrier)
        order by per_hour_in_air desc
    """,
}

QUESTIONS: tuple[Callable[[], LazyFrame], ...] = (
    worst_routes,
    rain_by_time_of_day,
    planes_by_age,
    time_made_up,
    cancellations,
    busiest_destinations,
)


def query_text(question: Callable[[], LazyFrame]) -> str:
    """The lines of a question below its docstring."""
    _, _, body = inspect.getsource(question).partition('?"""\n')
    return textwrap.dedent(body).strip()


def show_in_sql(question: Callable[[], LazyFrame], console: Console) -> None:
    """The same question as SQL, and whether it is the same query."""
    text = textwrap.dedent(IN_SQL[question]).strip()
    same = lf.sql(text).same_plan(question())
    console.print(f"[dim]in SQL, which makes {'the same plan' if same else 'another plan'}:")
    console.print(Syntax(text, "sql", theme="ansi_light", background_color="default"))


def main() -> None:
    console = Console(highlight=False)
    for number, question in enumerate(QUESTIONS, 1):
        console.rule(f"[bold]{number}. {question.__doc__}", align="left")
        console.print(Syntax(query_text(question), "python", theme="ansi_light", background_color="default"))
        if question in IN_SQL:
            show_in_sql(question, console)
        question().show(16)
        console.print()
    console.rule("[bold]What runs for question 4, asked in Python or SQL", align="left")
    for line in time_made_up().explain().splitlines():
        below = " " * (len(line) - len(line.lstrip()) + 4)
        print(
            textwrap.fill(line, console.width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
        )


if __name__ == "__main__":
    main()
