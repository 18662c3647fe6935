"""The answers of the example, against DuckDB's to the same questions asked in SQL."""

import importlib.util
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).resolve().parents[2]

EXPECTED = {
    "worst_routes": """
        select origin, dest, a.name, count(*), round(avg(arr_delay), 1)
        from flights f join airlines a using (carrier)
        group by all having count(*) >= 365 order by avg(arr_delay) desc limit 8""",
    "rain_by_time_of_day": """
        select hour // 3 * 3 as h, count(*), count(*) filter (precip > 0),
               round(avg(dep_delay) filter (precip = 0), 1), round(avg(dep_delay) filter (precip > 0), 1)
        from (select origin, time_hour, hour, dep_delay from flights where dep_time is not null)
        join (select origin, time_hour, precip from weather) using (origin, time_hour)
        group by h order by h""",
    "planes_by_age": """
        select least((f.year - p.year) // 5 * 5, 30) as age, count(distinct tailnum), count(*),
               round(avg(dep_delay), 1), round(avg(arr_delay), 1)
        from flights f join planes p using (tailnum) where p.year is not null
        group by age order by age""",
    "time_made_up": """
        select a.name, count(*), round(avg(dep_delay - arr_delay), 1),
               round(60 * sum(dep_delay - arr_delay) / sum(air_time), 2)
        from flights join airlines a using (carrier) where dep_delay >= 30 and arr_delay is not null
        group by a.name order by 60 * sum(dep_delay - arr_delay) / sum(air_time) desc""",
    "cancellations": """
        select month, count(*) filter (dep_time is null) as cancelled,
               round(100 * avg((dep_time is null)::int), 1),
               round(100 * avg((dep_time is null)::int) filter (origin = 'EWR'), 1),
               round(100 * avg((dep_time is null)::int) filter (origin = 'JFK'), 1),
               round(100 * avg((dep_time is null)::int) filter (origin = 'LGA'), 1)
        from flights group by month order by month""",
    "busiest_destinations": """
        select dest, p.name, count(*) as flights, round(avg(distance))::int,
               round(60 * sum(distance) / sum(air_time))::int
        from flights left join airports p on dest = faa where air_time is not null
        group by all order by flights desc limit 8""",
}


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("flights_example", ROOT / "examples" / "flights.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def duck():
    with duckdb.connect() as connection:
        for table in ("flights", "airlines", "airports", "planes", "weather"):
            connection.execute(f"create view {table} as from '{ROOT}/datasets/{table}.parquet'")
        yield connection


def close(value):
    """A float stands for what differs from it in the last bits, which rounding to decimals leaves."""
    return pytest.approx(value, rel=1e-12) if isinstance(value, float) else value


def test_every_question_is_checked(example):
    assert [question.__name__ for question in example.QUESTIONS] == list(EXPECTED)


@pytest.mark.parametrize("question", EXPECTED)
def test_answer(example, duck, question):
    expected = duck.execute(EXPECTED[question]).fetchall()
    found = [tuple(row.values()) for row in getattr(example, question)().to_dicts()]
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert [close(value) for value in ours] == list(theirs)


def test_output_fits_eighty_columns(example, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    example.main()
    text = capsys.readouterr().out
    answers, _, plan = text.partition("What runs for question 4")
    assert max(map(len, answers.splitlines())) <= 80
    assert all(question.__doc__ in text for question in example.QUESTIONS)
    # Only a path may be longer than a line.
    assert all(len(line) <= 80 or line.count(" ") == len(line) - len(line.lstrip()) for line in plan.splitlines())


def test_plan_shows_what_the_scan_does(example):
    plan = example.time_made_up().explain()
    scan = next(line for line in plan.splitlines() if "flights.parquet" in line)
    assert "4 of 19 columns where dep_delay >= 30 & arr_delay is not null" in scan


def test_sql_makes_the_same_plan(example):
    assert len(example.IN_SQL) == 2
    for question, text in example.IN_SQL.items():
        in_sql = example.lf.sql(text, **{name: getattr(example, name) for name in ("flights", "airlines")})
        assert in_sql.same_plan(question())
        assert in_sql.collect().equals(question().collect())
