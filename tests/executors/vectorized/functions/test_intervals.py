"""Calendar intervals: what they are made of, and ages."""

import datetime as dt
import decimal

import pyarrow as pa
import pytest

from lazyframe.executors.vectorized.kernel import KernelError
from tests.executors.vectorized.functions.answers import call

HOUR = 3600 * 10**9
KIND = pa.month_day_nano_interval()


def interval(months=0, days=0, nanos=0):
    return pa.MonthDayNano([months, days, nanos])


SPANS = pa.array([interval(9), interval(14, 40, 30 * HOUR), None, interval(-14, -1, -HOUR), interval(1)], KIND).slice(
    1, 3
)


def test_making():
    made = call("make_interval", pa.array([1, None]), pa.array([2, 2]), pa.array([3, 3]))
    assert made == [interval(1, 2, 3), None]
    with pytest.raises(KernelError, match="interval out of range: 2147483648 days") as caught:
        call("make_interval", 0, pa.array([0, 2**31]), 0)
    assert caught.value.row == 1


def test_scaling():
    assert call("scale_interval", SPANS, pa.array([2, 2, -1])) == [
        interval(28, 80, 60 * HOUR),
        None,
        interval(14, 1, HOUR),
    ]
    with pytest.raises(KernelError, match="out of range"):
        call("scale_interval", SPANS, 10**9)


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        ("year", [1, None, -1]),
        ("month", [2, None, -2]),
        ("day", [40, None, -1]),
        ("hour", [30, None, -1]),
        ("minute", [0, None, 0]),
    ],
)
def test_fields(field, wanted):
    assert call("interval_field", SPANS, field=field) == wanted


def test_lengths():
    days = (365.25 + 60 + 40, -(365.25 + 60) - 1)
    assert call("interval_seconds", SPANS) == [days[0] * 86_400 + 30 * 3600, None, days[1] * 86_400 - 3600]
    whole = 14 * 30 + 40
    assert call("interval_length", SPANS)[0] == decimal.Decimal(whole * 24 * HOUR + 30 * HOUR)
    assert call("interval_nanos_of_day", SPANS) == [6 * HOUR, None, -HOUR]


@pytest.mark.parametrize(
    ("end", "start", "wanted"),
    [
        ("2001-04-10", "1957-06-13", interval(43 * 12 + 9, 27)),
        ("1957-06-13", "2001-04-10", interval(-(43 * 12 + 9), -27)),
        ("2024-03-01", "2023-01-31", interval(13, 1)),
        ("2024-03-01 10:00", "2024-02-28 12:00", interval(0, 1, 22 * HOUR)),
        ("2024-03-01", "2024-03-01", interval()),
    ],
)
def test_ages(end, start, wanted):
    stamps = [pa.scalar(dt.datetime.fromisoformat(text), pa.timestamp("us")) for text in (end, start)]
    assert call("age", *stamps) == wanted
