"""Emitters of functions of dates and timestamps, held against the vectorized kernels."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.executors.compiled.coverage import why_not_staged
from tests.executors.compiled.functions.agreement import agrees, call, layouts

DAYS = [
    0,
    1,
    -1,
    58,
    59,
    60,
    365,
    -365,
    11016,
    11017,
    19782,
    19783,
    -719528,
    -719529,
    -719468,
    2**31 - 1,
    -(2**31),
    146097,
    None,
]
DATES = pa.array(DAYS, pa.int32()).cast(pa.date32())
ALL_DAYS = pa.array(range(-800_000, 800_000, 1), pa.int32()).cast(pa.date32())
UNITS = ["s", "ms", "us", "ns"]
SECONDS = [
    0,
    1,
    -1,
    59,
    60,
    3599,
    3600,
    86399,
    86400,
    -86400,
    -86401,
    951782400,
    1709164799,
    4102444800,
    -2208988800,
    None,
]
FIELDS = ["year", "quarter", "month", "day", "weekday", "day_of_week", "ordinal_day", "days_in_month", "is_leap_year"]
CLOCK = [
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "nanosecond",
    "milliseconds_of_minute",
    "microseconds_of_minute",
]
WINDOWS = ["1mo", "3mo", "1y", "7mo", "1d", "5d", "1w", "2w"]
EXTREMES = [2**63 - 1, -(2**63), 2**62, -(2**62), 2**63 - 86_400, -(2**63) + 86_400]


def stamps(unit: str, more: list[int] = []) -> pa.Array:  # noqa: B006
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    ticks = [None if s is None else s * per_second + per_second // 3 for s in SECONDS]
    return pa.array([*ticks, *more], pa.int64()).cast(pa.timestamp(unit))


@pytest.mark.parametrize("field", [*FIELDS, "last_day", "month_start", "month_end"])
def test_fields_of_dates(field):
    inside = DATES.filter(pa.array([d is None or abs(d) < 2**31 - 40 for d in DAYS]))
    for dates in layouts(inside):
        agrees(field, dates)
    agrees(field, DATES)


@pytest.mark.parametrize("field", ["year", "month", "day", "ordinal_day", "days_in_month"])
def test_fields_of_many_dates(field):
    agrees(field, ALL_DAYS)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("field", [*FIELDS, *CLOCK, "date", "last_day", "month_start", "month_end"])
def test_fields_of_timestamps(field, unit):
    for column in layouts(stamps(unit)):
        agrees(field, column)
    for extreme in EXTREMES:
        agrees(field, stamps(unit, [extreme]), may_give_up=True)


@pytest.mark.parametrize("dtype", [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")])
@pytest.mark.parametrize("field", CLOCK)
def test_fields_of_times(field, dtype):
    per_day = 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[dtype.unit]
    numbers = pa.array([0, 1, per_day - 1, per_day // 3, None], pa.int64())
    agrees(field, numbers.cast(pa.int32() if dtype.bit_width == 32 else pa.int64()).cast(dtype))


@pytest.mark.parametrize("every", WINDOWS)
def test_windows_of_dates(every):
    agrees("truncate", DATES, every=every, may_give_up=True)
    agrees("truncate", ALL_DAYS, every=every)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("every", [*WINDOWS, "1h", "7h", "1m", "15m", "1s"])
def test_windows_of_timestamps(every, unit):
    agrees("truncate", stamps(unit), every=every)
    for extreme in EXTREMES:
        agrees("truncate", stamps(unit, [extreme]), every=every, may_give_up=True)


def test_what_is_not_staged():
    zoned = pa.array([0], pa.timestamp("us", "Europe/Paris"))
    for scalar in (
        call("year", zoned),
        call("truncate", stamps("us"), every="1d", offset="6h"),
        call("truncate", stamps("s"), every="1500ms"),
        call("date_diff", stamps("s"), stamps("s"), unit="hour"),
        call("offset_by", zoned, by="1d"),
    ):
        assert why_not_staged(scalar) is not None


@pytest.mark.parametrize("by", ["1d", "-1d", "1mo", "-1mo", "13mo", "-25mo", "1mo3d", "4000y", "0d", "1w"])
def test_dates_moved_by_a_span(by):
    inside = pa.array([*range(-1000, 1000), None], pa.int32()).cast(pa.date32())
    agrees("offset_by", inside, by=by)
    agrees("offset_by", DATES, by=by, may_give_up=True)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("by", ["1d", "-1mo", "1mo3d", "1h", "-1s", "1d12h", "1mo1d1h", "7ms", "300y"])
def test_timestamps_moved_by_a_span(by, unit):
    agrees("offset_by", stamps(unit), by=by, may_give_up=by == "300y")
    for extreme in EXTREMES:
        agrees("offset_by", stamps(unit, [extreme]), by=by, may_give_up=True)


@pytest.mark.parametrize("unit", ["day", "week", "month", "quarter", "year"])
def test_differences(unit):
    reverse = DATES.take(pa.array(range(len(DATES) - 1, -1, -1)))
    agrees("date_diff", DATES, reverse, unit=unit)
    column = stamps("us")
    agrees("date_diff", column, column.take(pa.array(range(len(column) - 1, -1, -1))), unit=unit)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "d"])
def test_epochs(unit):
    agrees("epoch", DATES, unit=unit)
    for of in UNITS:
        agrees("epoch", stamps(of), unit=unit)
        for extreme in EXTREMES:
            agrees("epoch", stamps(of, [extreme]), unit=unit, may_give_up=True)


@pytest.mark.parametrize("name", ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"])
@pytest.mark.parametrize("unit", UNITS)
def test_durations_in_whole_units(name, unit):
    values = pa.array([0, 1, -1, 86_400, -86_401, 10**12, -(10**12), None], pa.duration(unit))
    agrees(f"total_{name}", values, may_give_up=True)
    agrees(f"total_{name}", pa.array([2**63 - 1, -(2**63)], pa.duration(unit)), may_give_up=True)


@given(st.lists(st.datetimes(), max_size=9))
def test_random_timestamps(values):
    column = pa.array(values, pa.timestamp("us"))
    for field in ("year", "month", "day", "hour", "minute", "second"):
        found = agrees(field, column)
        assert found is not None
        # What Python says of them.
        assert found.to_pylist() == [getattr(value, field) for value in values]
