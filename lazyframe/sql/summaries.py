"""What DESCRIBE and SUMMARIZE give: a row for each column of a query."""

from __future__ import annotations

import decimal
from typing import Any

import pyarrow as pa

from lazyframe import session
from lazyframe.planner import arrow
from lazyframe.planner.relations import Aggregate, MapBatches, Plan
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Scalar, cast
from lazyframe.planner.sql.expressions.types import sql_name
from lazyframe.planner.types import (
    FLOAT64,
    INT64,
    STRING,
    decimal_type,
    is_date,
    is_integer,
    is_nested,
    is_numeric,
    is_orderable,
    is_timestamp,
)

_QUARTERS = {"q25": 0.25, "q50": 0.5, "q75": 0.75}


def described(plan: Plan) -> Plan:
    """The names, types and nullability of the columns, as DuckDB's DESCRIBE gives them. Nothing runs."""
    fields = list(plan.schema)
    absent = pa.nulls(len(fields), pa.string())
    table = pa.table({
        "column_name": arrow.array([field.name for field in fields], pa.string()),
        "column_type": arrow.array([sql_name(field.dtype) for field in fields], pa.string()),
        "null": arrow.array(["YES" if field.nullable else "NO" for field in fields], pa.string()),
        "key": absent, "default": absent, "extra": absent,
    })  # fmt: skip
    return session.memory_scan(table, "DESCRIBE")


def summarized(plan: Plan) -> Plan:
    """The spread of the values of each column: one aggregation of all, turned into a row for each, as DuckDB's SUMMARIZE.

    `approx_unique` is exact, and so are the quartiles, with interpolation between two values.
    """
    schema = plan.schema
    calls: list[tuple[str, Scalar]] = [("len", AggregateCall("len", ()))]
    for number, field in enumerate(schema):
        value = column(schema, field.name)
        for kind, call in _calls(value):
            calls.append((f"{number}:{kind}", call))
    totals = Aggregate(plan, (), tuple(calls))
    columns = (
        ("column_name", STRING, False), ("column_type", STRING, False), ("min", STRING, True), ("max", STRING, True),
        ("approx_unique", INT64, True), ("avg", STRING, True), ("std", STRING, True), ("q25", STRING, True),
        ("q50", STRING, True), ("q75", STRING, True), ("count", INT64, False),
        ("null_percentage", decimal_type(9, 2), True),
    )  # fmt: skip
    names = [(field.name, sql_name(field.dtype), is_integer(field.dtype)) for field in schema]

    def turn(table: pa.Table) -> pa.Table:
        (found,) = table.to_pylist()
        rows = [_row(number, *facts, found) for number, facts in enumerate(names)]
        return pa.Table.from_pylist(rows, pa.schema([pa.field(*each) for each in columns]))

    return MapBatches(totals, turn, columns)


def _calls(value: Scalar) -> list[tuple[str, Scalar]]:
    """What is counted of a column, with texts made where the types are known."""
    dtype = value.dtype
    found: list[tuple[str, Scalar]] = [("count", AggregateCall("count", (value,)))]
    if is_nested(dtype):
        return found
    found.append(("unique", AggregateCall("n_unique", (value,))))
    if is_orderable(dtype):
        found += [(name, AggregateCall(name, (value,))) for name in ("min", "max")]
    if is_numeric(dtype):
        number = cast(value, FLOAT64)
        found += [("avg", AggregateCall("mean", (number,))), ("std", AggregateCall("std", (number,)))]
        found += [(name, AggregateCall("quantile", (number,), options=(("q", q),))) for name, q in _QUARTERS.items()]
    elif is_date(dtype) or is_timestamp(dtype):
        found += [
            (name, AggregateCall("quantile", (value,), options=(("interpolation", "discrete"), ("q", q))))
            for name, q in _QUARTERS.items()
        ]
    return found


def _row(number: int, name: str, of_type: str, whole: bool, found: dict[str, Any]) -> dict[str, Any]:
    def get(kind: str) -> Any:
        return found.get(f"{number}:{kind}")

    total, count = found["len"], get("count")
    nulls = total - count
    unique = get("unique")
    share = decimal.Decimal(100 * nulls) / total if total else decimal.Decimal(0)
    return {
        "column_name": name, "column_type": of_type, "min": _text(get("min")), "max": _text(get("max")),
        # Null is no value of the column.
        "approx_unique": None if unique is None else unique - (nulls > 0),
        "avg": _text(get("avg")), "std": _text(get("std")), **{q: _text(get(q), whole=whole) for q in _QUARTERS},
        "count": total, "null_percentage": share.quantize(decimal.Decimal("0.01")),
    }  # fmt: skip


def _text(value: Any, *, whole: bool = False) -> str | None:
    """A value as SQL writes it; a whole float without its point where the column holds whole numbers.

    >>> _text(True), _text(2.0), _text(2.0, whole=True), _text(2.5, whole=True)
    ('true', '2.0', '2', '2.5')
    """
    if value is None:
        return None
    if whole and isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
