# ruff: noqa: DTZ001 - timestamps without a zone are half of what is tested
import calendar
import datetime as dt
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyframe.executors.vectorized.kernel import KernelError
from tests.executors.vectorized.functions.answers import call

PARIS, NEW_YORK = "Europe/Paris", "America/New_York"
ZONES = st.sampled_from([PARIS, NEW_YORK, "Asia/Kolkata", "Australia/Lord_Howe", "UTC"])
INSTANTS = st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2037, 12, 31), timezones=st.just(dt.UTC))
STAMPS = st.datetimes(dt.datetime(1600, 1, 1), dt.datetime(2400, 1, 1))


def zoned(values, zone, unit="us"):
    naive = [None if v is None else v.astimezone(dt.UTC).replace(tzinfo=None) for v in values]
    return pa.array(naive, pa.timestamp(unit)).cast(pa.timestamp(unit, "UTC")).cast(pa.timestamp(unit, zone))


def utc(*args):
    return dt.datetime(*args, tzinfo=dt.UTC)


def in_utc(values):
    return [None if v is None else v.astimezone(dt.UTC) for v in values]


FIELDS = {
    "year": lambda t: t.year, "month": lambda t: t.month, "day": lambda t: t.day,
    "quarter": lambda t: (t.month + 2) // 3, "weekday": lambda t: t.isoweekday(), "day_of_week": lambda t: t.isoweekday() % 7,
    "week": lambda t: t.isocalendar().week, "iso_year": lambda t: t.isocalendar().year,
    "ordinal_day": lambda t: t.timetuple().tm_yday, "is_leap_year": lambda t: calendar.isleap(t.year),
    "days_in_month": lambda t: calendar.monthrange(t.year, t.month)[1], "day_name": lambda t: calendar.day_name[t.weekday()],
    "month_name": lambda t: calendar.month_name[t.month],
    "last_day": lambda t: dt.date(t.year, t.month, calendar.monthrange(t.year, t.month)[1]),
}  # fmt: skip
CLOCK = {
    "hour": lambda t: t.hour, "minute": lambda t: t.minute, "second": lambda t: t.second,
    "millisecond": lambda t: t.microsecond // 1000, "microsecond": lambda t: t.microsecond,
    "nanosecond": lambda t: t.microsecond * 1000, "microseconds_of_minute": lambda t: t.second * 10**6 + t.microsecond,
    "milliseconds_of_minute": lambda t: t.second * 1000 + t.microsecond // 1000,
}  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(st.lists(st.none() | STAMPS, max_size=4))
def test_fields_of_dates_and_timestamps_agree_with_python(stamps):
    values = pa.array([dt.datetime(2000, 1, 1), *stamps], pa.timestamp("us")).slice(1)
    days = [None if s is None else s.date() for s in stamps]
    for name, field in FIELDS.items():
        wanted = [None if s is None else field(s) for s in stamps]
        assert call(name, values) == wanted
        assert call(name, pa.array(days, pa.date32())) == wanted
    for name, field in CLOCK.items():
        wanted = [None if s is None else field(s) for s in stamps]
        assert call(name, values) == wanted
        assert call(name, pa.array([None if s is None else s.time() for s in stamps], pa.time64("us"))) == wanted
    assert call("date", values) == days


@settings(max_examples=50, deadline=None)
@given(INSTANTS, ZONES)
def test_fields_of_zoned_timestamps_are_local(instant, zone):
    local = instant.astimezone(ZoneInfo(zone))
    values = zoned([instant, None], zone)
    for name, field in (FIELDS | CLOCK).items():
        assert call(name, values) == [field(local), None]
    assert call("utc_offset", values) == [local.utcoffset(), None]
    assert call("time", values) == [local.time(), None]
    text = "%Y-%m-%d %H:%M:%S.%f %z %a %A %b %B %j %y %I %p %U %W %V %G %u %w"
    assert call("strftime", values, text) == [local.strftime(text), None]
    assert call("replace_time_zone", values, time_zone=None) == [local.replace(tzinfo=None), None]


def test_week_of_year_at_the_turn_of_years():
    days = [
        dt.date(2020, 12, 31),
        dt.date(2021, 1, 3),
        dt.date(2021, 1, 4),
        dt.date(2018, 12, 31),
        dt.date(1969, 12, 28),
    ]
    assert call("week", pa.array(days)) == [53, 53, 1, 1, 52]
    assert call("iso_year", pa.array(days)) == [2020, 2020, 2021, 2019, 1969]


WINDOWS = {
    "1y": "year", "1q": "quarter", "1mo": "month", "1w": "week", "1d": "day", "1h": "hour", "1m": "minute", "1s": "second",
}  # fmt: skip


@pytest.mark.parametrize(("every", "unit"), WINDOWS.items())
@settings(max_examples=25, deadline=None)
@given(stamps=st.lists(STAMPS, min_size=1, max_size=5))
def test_truncate_agrees_with_duckdb(every, unit, stamps):
    rows = duckdb.connect().execute(f"SELECT date_trunc('{unit}', unnest($1::TIMESTAMP[]))", [stamps]).fetchall()
    answers = call("truncate", pa.array(stamps, pa.timestamp("us")), every=every)
    wanted = [r if isinstance(r, dt.datetime) else dt.datetime.combine(r, dt.time()) for (r,) in rows]
    assert answers == wanted


def test_windows_of_several_units():
    stamp = pa.array(
        [dt.datetime(2024, 5, 17, 13, 47, 31), dt.datetime(1969, 12, 31, 23, 59), None], pa.timestamp("us")
    )
    assert call("truncate", stamp, every="15m") == [
        dt.datetime(2024, 5, 17, 13, 45),
        dt.datetime(1969, 12, 31, 23, 45),
        None,
    ]
    assert call("truncate", stamp, every="3mo") == [dt.datetime(2024, 4, 1), dt.datetime(1969, 10, 1), None]
    assert call("truncate", stamp, every="1d", offset="6h") == [
        dt.datetime(2024, 5, 17, 6),
        dt.datetime(1969, 12, 31, 6),
        None,
    ]
    assert call("round_time", stamp, every="1h") == [dt.datetime(2024, 5, 17, 14), dt.datetime(1970, 1, 1), None]
    assert call("round_time", pa.array([dt.datetime(2024, 1, 1, 12)], pa.timestamp("us")), every="1d") == [
        dt.datetime(2024, 1, 2)
    ]
    assert call("truncate", pa.array([dt.date(2024, 5, 17)]), every="1w") == [dt.date(2024, 5, 13)]


def test_daily_windows_start_at_the_same_local_time_across_a_change_of_clocks():
    # In Paris 31 March 2024 has 23 hours and 27 October 25.
    spring = [utc(2024, 3, 30, 12), utc(2024, 3, 31, 3), utc(2024, 3, 31, 4), utc(2024, 3, 31, 23)]
    assert in_utc(call("truncate", zoned(spring, PARIS), every="1d")) == [
        utc(2024, 3, 29, 23), utc(2024, 3, 30, 23), utc(2024, 3, 30, 23), utc(2024, 3, 31, 22),
    ]  # fmt: skip
    assert in_utc(call("truncate", zoned(spring, PARIS), every="1d", offset="6h")) == [
        utc(2024, 3, 30, 5), utc(2024, 3, 30, 5), utc(2024, 3, 31, 4), utc(2024, 3, 31, 4),
    ]  # fmt: skip
    autumn = [utc(2024, 10, 27, 3), utc(2024, 10, 27, 23, 30), utc(2024, 10, 26, 22)]
    assert in_utc(call("truncate", zoned(autumn, PARIS), every="1d")) == [
        utc(2024, 10, 26, 22), utc(2024, 10, 27, 23), utc(2024, 10, 26, 22),
    ]  # fmt: skip


def test_hours_that_the_clocks_show_twice_are_two_windows():
    fold = [utc(2024, 10, 27, 0, 30), utc(2024, 10, 27, 1, 30)]
    assert in_utc(call("truncate", zoned(fold, PARIS), every="1h")) == [utc(2024, 10, 27, 0), utc(2024, 10, 27, 1)]
    fold = [utc(2024, 11, 3, 5, 40), utc(2024, 11, 3, 6, 40)]
    assert in_utc(call("truncate", zoned(fold, NEW_YORK), every="15m")) == [
        utc(2024, 11, 3, 5, 30),
        utc(2024, 11, 3, 6, 30),
    ]


def test_a_window_that_would_start_in_the_gap_starts_after_it():
    # 02:00 to 03:00 is skipped in Paris: the window of two hours from 02:00 starts at 03:00, which is 01:00 UTC.
    assert in_utc(call("truncate", zoned([utc(2024, 3, 31, 1, 30)], PARIS), every="2h")) == [utc(2024, 3, 31, 1)]


@settings(max_examples=50, deadline=None)
@given(INSTANTS, ZONES, st.sampled_from(["1h", "30m", "1d", "1w", "1mo", "6h"]))
def test_windows_begin_before_their_values_and_hold_their_own_start(instant, zone, every):
    start = call("truncate", zoned([instant], zone), every=every)
    assert in_utc(start)[0] <= instant
    assert call("truncate", zoned(start, zone), every=every) == start


def test_moving_by_months_and_days():
    days = pa.array([dt.date(2024, 1, 31), dt.date(2023, 1, 31), dt.date(1969, 12, 31), None])
    assert call("offset_by", days, by="1mo") == [dt.date(2024, 2, 29), dt.date(2023, 2, 28), dt.date(1970, 1, 31), None]
    assert call("offset_by", days, by="-1y") == [
        dt.date(2023, 1, 31),
        dt.date(2022, 1, 31),
        dt.date(1968, 12, 31),
        None,
    ]
    assert call("offset_by", days, by="2h")[0] == dt.datetime(2024, 1, 31, 2)
    # A day keeps the local time; 24 hours do not.
    noon = zoned([utc(2024, 3, 30, 11)], PARIS)
    assert in_utc(call("offset_by", noon, by="1d")) == [utc(2024, 3, 31, 10)]
    assert in_utc(call("offset_by", noon, by="24h")) == [utc(2024, 3, 31, 11)]
    assert call("month_start", days) == [dt.date(2024, 1, 1), dt.date(2023, 1, 1), dt.date(1969, 12, 1), None]
    assert call("month_end", pa.array([dt.datetime(2024, 2, 3, 4, 5)])) == [dt.datetime(2024, 2, 29, 4, 5)]


def test_replacing_the_time_zone():
    local = pa.array([dt.datetime(2024, 7, 1, 12), dt.datetime(2024, 10, 27, 2, 30), None], pa.timestamp("us"))
    for choice, wanted in (
        ("earliest", utc(2024, 10, 27, 0, 30)),
        ("latest", utc(2024, 10, 27, 1, 30)),
        ("null", None),
    ):
        answers = call("replace_time_zone", local, time_zone=PARIS, ambiguous=choice)
        assert in_utc(answers) == [utc(2024, 7, 1, 10), wanted, None]
    with pytest.raises(KernelError, match=r"clocks of Europe/Paris show 2024-10-27 02:30:00\.?0* twice") as error:
        call("replace_time_zone", local, time_zone=PARIS)
    assert error.value.row == 1
    gap = pa.array([dt.datetime(2024, 3, 10, 2, 30)], pa.timestamp("us"))
    assert call("replace_time_zone", gap, time_zone=NEW_YORK, non_existent="null") == [None]
    assert in_utc(call("replace_time_zone", gap, time_zone=NEW_YORK, non_existent="latest")) == [utc(2024, 3, 10, 7)]
    with pytest.raises(KernelError, match="never"):
        call("replace_time_zone", gap, time_zone=NEW_YORK)


@pytest.mark.parametrize("unit", ["year", "quarter", "month", "day", "hour", "minute", "second"])
@pytest.mark.parametrize(("ours", "theirs"), [("date_diff", "datediff"), ("date_sub", "datesub")])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_differences_agree_with_duckdb(unit, ours, theirs, data):
    a, b = data.draw(STAMPS), data.draw(STAMPS)
    if ours == "date_sub":
        # DuckDB and ours part over the ends of unlike months.
        a, b = a.replace(day=min(a.day, 28)), b.replace(day=min(b.day, 28))
    wanted = duckdb.connect().execute(f"SELECT {theirs}('{unit}', $1::TIMESTAMP, $2::TIMESTAMP)", [a, b]).fetchone()
    assert [*wanted] == call(ours, pa.array([a], pa.timestamp("us")), pa.array([b], pa.timestamp("us")), unit=unit)


def test_differences_across_a_change_of_clocks():
    start, end = zoned([utc(2024, 3, 31, 0, 30)], PARIS), zoned([utc(2024, 3, 31, 1, 30)], PARIS)
    assert call("date_diff", start, end, unit="hour") == [1]
    assert call("date_sub", start, end, unit="minute") == [60]
    assert call("date_diff", pa.array([dt.date(2023, 12, 31)]), pa.array([dt.date(2024, 1, 1)]), unit="year") == [1]
    with pytest.raises(KernelError, match="out of range"):
        call("date_diff", pa.array([dt.date(1, 1, 1)]), pa.array([dt.date(9999, 1, 1)]), unit="ns")


def test_weeks_between_are_mondays_passed():
    # Mondays: 3, 10, 17, 24 and 31 January 2000.
    saturday, tuesday = pa.array([dt.date(2000, 1, 1)]), pa.array([dt.date(2000, 2, 1)])
    assert call("date_diff", saturday, tuesday, unit="week") == [5]
    assert call("date_diff", tuesday, saturday, unit="week") == [-5]
    assert call("date_sub", saturday, tuesday, unit="weeks") == [4]


def test_whole_months_end_with_the_month():
    january, leap, february = dt.date(2024, 1, 31), dt.date(2024, 2, 29), dt.date(2024, 2, 28)
    assert call("date_sub", pa.array([january, january]), pa.array([leap, february]), unit="month") == [1, 0]


def test_epochs():
    stamps = pa.array(
        [dt.datetime(1969, 12, 31, 23, 59, 59, 500000), dt.datetime(2024, 1, 1), None], pa.timestamp("us")
    )
    assert call("epoch", stamps, unit="s") == [-1, 1704067200, None]
    assert call("epoch", stamps, unit="d") == [-1, 19723, None]
    assert call("epoch", stamps, unit="ns") == [-500_000_000, 1704067200 * 10**9, None]
    assert call("epoch", pa.array([dt.date(1969, 12, 31)]), unit="ms") == [-86_400_000]
    assert call("from_epoch", pa.array([-1, 0, None]), unit="s") == [
        dt.datetime(1969, 12, 31, 23, 59, 59),
        dt.datetime(1970, 1, 1),
        None,
    ]
    assert call("from_epoch", pa.array([1.5])) == [dt.datetime(1970, 1, 1, 0, 0, 1, 500000)]
    assert call("cast_time_unit", stamps, unit="s") == [
        dt.datetime(1969, 12, 31, 23, 59, 59),
        dt.datetime(2024, 1, 1),
        None,
    ]


def test_making_dates_and_timestamps():
    years = pa.array([2024, None, 2023])
    assert call("make_date", years, 2, pa.array([29, 30, 28])) == [dt.date(2024, 2, 29), None, dt.date(2023, 2, 28)]
    for bad in ((2023, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0), (10**12, 1, 1)):
        with pytest.raises(KernelError, match="no such date"):
            call("make_date", *bad)
    assert call("make_timestamp", 2024, 1, 2, 3, 4, 5.678901) == dt.datetime(2024, 1, 2, 3, 4, 5, 678901)
    with pytest.raises(KernelError, match="no such time"):
        call("make_timestamp", 2024, 1, 2, 24, 0, 0.0)
    assert call("make_time", 23, 59, 59.5) == dt.time(23, 59, 59, 500000)
    assert call("combine", pa.array([dt.date(1969, 1, 1), None]), dt.time(1, 2)) == [
        dt.datetime(1969, 1, 1, 1, 2),
        None,
    ]


def test_durations_are_cut_towards_zero():
    spans = pa.array([dt.timedelta(days=-1, hours=-1), dt.timedelta(hours=49), None])
    assert call("total_days", spans) == [-1, 2, None]
    assert call("total_hours", spans) == [-25, 49, None]
    assert call("total_nanoseconds", pa.array([dt.timedelta(seconds=1)])) == [10**9]


def test_business_days_agree_with_numpy():
    friday, holiday = dt.date(2024, 5, 17), dt.date(2024, 5, 20)
    assert call("add_business_days", pa.array([friday, None]), 1) == [holiday, None]
    assert call("add_business_days", pa.array([friday]), 1, holidays=(holiday,)) == [dt.date(2024, 5, 21)]
    with pytest.raises(KernelError, match="2024-05-18 is not a business day"):
        call("add_business_days", pa.array([dt.date(2024, 5, 18)]), 1)
    assert call("business_day_count", pa.array([friday]), dt.date(2024, 6, 17)) == [
        int(np.busday_count("2024-05-17", "2024-06-17"))
    ]
    assert call("is_business_day", pa.array([friday, dt.date(2024, 5, 18), None])) == [True, False, None]


def test_formats():
    stamp = pa.array([dt.datetime(7, 3, 4, 5, 6, 7, 89), None], pa.timestamp("us"))
    assert call("strftime", stamp, "%Y|%e|%-d|%-H|%3f|%6f|%9f|%s|%%|%q") == [
        "0007| 4|4|5|000|000089|000089000|-61940919233|%|1",
        None,
    ]
    assert call("strftime", pa.array([dt.date(2024, 1, 2)]), pa.array(["%F"])) == ["2024-01-02"]
    assert call("strftime", zoned([utc(2024, 7, 1)], "Asia/Kolkata"), "%T %:z %Z") == ["05:30:00 +05:30 Asia/Kolkata"]
    with pytest.raises(KernelError, match="'%Q'"):
        call("strftime", stamp, "%Q")
