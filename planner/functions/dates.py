"""Functions of dates, times, timestamps and durations. Of a timestamp with a zone they speak of the local time there."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.planner.functions.definition import Function, by_name, same
from lazyframe.planner.types import DataType, is_date, is_timestamp


def _calendar(t: DataType) -> bool:
    return is_date(t) or is_timestamp(t)


FUNCTIONS = by_name(
    Function(name="year", resolver=same(_calendar, pa.int32()), arity=(1, 1), sql=("year",), summary="The year."),
    Function(name="month", resolver=same(_calendar, pa.int8()), arity=(1, 1), sql=("month",), summary="The month, from 1."),
    Function(name="day", resolver=same(_calendar, pa.int8()), arity=(1, 1), sql=("day", "dayofmonth"), summary="The day of the month, from 1."),
)  # fmt: skip
