"""Constants: the type they have by themselves, and the one they take from what they meet."""

from __future__ import annotations

import datetime
import decimal
import zoneinfo

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.literals import adapted, literal, read_as
from lazyframe.planner.types import parse_type

D = decimal.Decimal
PARIS = zoneinfo.ZoneInfo("Europe/Paris")


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (None, "null"), (True, "bool"), (1, "int64"), (-(2**63), "int64"), (2**63, "uint64"), (2**64, "decimal(38,0)"),
        (-(2**63) - 1, "decimal(38,0)"), (1.5, "float64"), ("a", "string"), (b"a", "bytes"), (bytearray(b"a"), "bytes"),
        (D("1.50"), "decimal(3,2)"), (D("0.001"), "decimal(3,3)"), (D("1E+3"), "decimal(4,0)"), (D(0), "decimal(1,0)"),
        (D("-12.5"), "decimal(3,1)"), (datetime.date(2024, 1, 1), "date"), (datetime.datetime(2024, 1, 1), "timestamp[us]"),  # noqa: DTZ001
        (datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC), "timestamp[us, UTC]"),
        (datetime.datetime(2024, 1, 1, tzinfo=PARIS), "timestamp[us, Europe/Paris]"),
        (datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=2))), "timestamp[us, +02:00]"),
        (datetime.time(1, 2), "time"), (datetime.timedelta(hours=1), "duration"), ([1, 2], "list<int64>"), ({"a": 1}, "struct<a: int64>"),
        (np.int8(3), "int64"), (np.float32(0.5), "float64"), (np.bool_(True), "bool"), (np.str_("a"), "string"),
        (np.datetime64("2024-01-01T00:00:00", "ns"), "timestamp[us]"), (pa.scalar("a", pa.large_string()), "string"),
        (pa.scalar(1, pa.int8()), "int8"),
    ],
)  # fmt: skip
def test_types_of_values(value, dtype):
    assert literal(value).dtype == parse_type(dtype)


def test_values_are_kept():
    moment = datetime.datetime(2024, 7, 1, 12, tzinfo=PARIS)
    for value in (
        1,
        2**63,
        2**100,
        1.5,
        D("1.50"),
        D("1E+3"),
        b"x",
        moment,
        datetime.timedelta(days=-1),
        [1, None],
        {"a": None},
    ):
        assert literal(value).value.as_py() == value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (10**38, "38 digits"),
        (D("1e-39"), "38 digits"),
        (D("NaN"), "no finite"),
        (object(), "cannot stand"),
        (1j, "cannot stand"),
    ],
)
def test_values_without_a_type(value, message):
    with pytest.raises(InvalidArgumentError, match=message):
        literal(value)


def test_a_type_that_is_given_is_kept():
    assert literal(1, pa.int8()).dtype == pa.int8()
    assert literal(None, pa.int8()).dtype == pa.int8()
    assert literal("2024-01-01", pa.string()).dtype == pa.string()
    for value, dtype in [(300, pa.int8()), ("a", pa.int64()), (1.5, pa.int64())]:
        with pytest.raises(InvalidArgumentError, match="is no value of type"):
            literal(value, dtype)


@pytest.mark.parametrize(
    ("value", "other", "dtype"),
    [
        (100, "int8", "int8"), (128, "int8", "int64"), (-1, "uint8", "int64"), (2**64 - 1, "uint64", "uint64"), (5, "float32", "float32"),
        (2**24 + 1, "float32", "int64"), (5, "float64", "float64"), (2**53 + 1, "float64", "int64"), (5, "decimal(10,2)", "decimal(1,0)"),
        (1234, "decimal(10,2)", "decimal(4,0)"), (0.5, "float32", "float32"), (1e300, "float32", "float64"), (0.5, "int8", "float64"),
        (0.5, "decimal(10,2)", "float64"), (True, "int8", "bool"), ("5", "string", "string"),
        (datetime.timedelta(days=2), "date", "interval"), (datetime.timedelta(hours=2), "date", "duration"),
        (datetime.timedelta(days=2), "timestamp[us]", "duration"), (datetime.timedelta(1), "timestamp[ns]", "duration[ns]"),
    ],
)  # fmt: skip
def test_constants_take_the_type_of_what_they_meet(value, other, dtype):
    assert adapted(value, parse_type(other), read_text=False).dtype == parse_type(dtype)


@pytest.mark.parametrize(
    ("text", "dtype", "value"),
    [
        ("5", "int8", 5), (" 5 ", "int64", 5), ("5.0", "int64", 5), ("5.5", "int64", D("5.5")), ("300", "int8", 300),
        ("0.05", "decimal(10,2)", D("0.05")), ("1.5", "float64", 1.5), ("inf", "float64", float("inf")),
        ("2024-02-29", "date", datetime.date(2024, 2, 29)), ("2024-02-29 12:00:00", "date", datetime.datetime(2024, 2, 29, 12)),  # noqa: DTZ001
        ("2024-02-29", "timestamp[us]", datetime.datetime(2024, 2, 29)),  # noqa: DTZ001
        ("2024-02-29T12:30", "timestamp[us]", datetime.datetime(2024, 2, 29, 12, 30)),  # noqa: DTZ001
        ("2024-07-01 12:00", "timestamp[us, Europe/Paris]", datetime.datetime(2024, 7, 1, 12, tzinfo=PARIS)),
        ("2024-07-01 12:00+00:00", "timestamp[us, Europe/Paris]", datetime.datetime(2024, 7, 1, 12, tzinfo=datetime.UTC)),
        ("12:30:00", "time", datetime.time(12, 30)), ("TRUE", "bool", True), ("false", "bool", False),
    ],
)  # fmt: skip
def test_strings_are_read_as_what_they_are_compared_with(text, dtype, value):
    assert read_as(text, parse_type(dtype)).value.as_py() == value


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("x", "int64"), ("", "int64"), ("NaN", "int64"), ("NaN", "decimal(10,2)"), ("Infinity", "decimal(10,2)"), ("1,5", "float64"),
        ("2023-02-29", "date"), ("29.02.2024", "date"), ("2024-01-01 12:00+02:00", "timestamp[us]"), ("25:00", "time"),
        ("maybe", "bool"), ("1 day", "duration"), ("a", "bytes"),
    ],
)  # fmt: skip
def test_strings_that_cannot_be_read(text, dtype):
    with pytest.raises(TypeMismatchError, match="cannot read"):
        read_as(text, parse_type(dtype))
