"""Local time, also in the hour that the clock shows twice."""

from __future__ import annotations

import datetime as dt

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from tests.planner.sql.writing.round_trips import check_round_trip

# In Paris the clocks went back from three to two at 01:00 UTC on 29 October 2023, and forward at 01:00 UTC on 26 March.
INSTANTS = [
    dt.datetime(2023, month, day, hour, 30, tzinfo=dt.UTC) for month, day in ((10, 29), (3, 26)) for hour in range(4)
]
F = lf.from_arrow(
    pa.table(
        {"id": range(8), "t": pa.array(INSTANTS, pa.timestamp("us", "UTC")).cast(pa.timestamp("us", "Europe/Paris"))}
    )
).lazy()


@pytest.mark.parametrize(
    "expression",
    [
        *[col("t").dt.truncate(every) for every in ("15m", "1h", "1d", "1w", "1mo")],
        *[col("t").dt.offset_by(by) for by in ("90m", "-2h", "1d", "1mo", "1d3h")],
        col("t").dt.hour(),
        col("t").dt.date(),
        col("t") + dt.timedelta(hours=1),
    ],
    ids=str,
)
def test_local_time(expression):
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        check_round_trip(F.select("id", r=expression), connection, ordered=False)
