"""What an expression of SQL gives."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import lazyframe as lf


def value_of(expression: str, dialect: str = "duckdb") -> Any:
    """The one value, as a Python object."""
    (value,) = lf.sql(f"SELECT {expression}", dialect=dialect).collect().to_arrow().column(0).to_pylist()
    return value


def interval(months: int, days: int, nanos: int) -> pa.MonthDayNano:
    return pa.MonthDayNano([months, days, nanos])
