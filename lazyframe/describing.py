"""describe(): a frame in numbers, one row a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lazyframe.planner.bind import sort_key
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.relations import Aggregate, MapBatches, Plan
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Scalar, cast
from lazyframe.planner.types import FLOAT64, INT64, STRING, is_nested, is_numeric, is_orderable, type_name


def described(plan: Plan, percentiles: Sequence[float]) -> Plan:
    """One aggregation of all columns, turned into a row for each."""
    for q in percentiles:
        if not 0 <= q <= 1:
            raise InvalidArgumentError(f"a percentile lies between 0 and 1, not {q!r}")
    schema = plan.schema
    calls: list[tuple[str, Scalar]] = [("len", AggregateCall("len", ()))]
    for number, field in enumerate(schema):
        value = column(schema, field.name)

        def add(kind: str, call: Scalar, number: int = number) -> None:
            calls.append((f"{number}:{kind}", call))

        add("count", AggregateCall("count", (value,)))
        if not is_nested(field.dtype):
            add("unique", AggregateCall("n_unique", (value,)))
        if is_orderable(field.dtype) and not is_nested(field.dtype):
            sort_key(value)
            add("min", AggregateCall("min", (value,)))
            add("max", AggregateCall("max", (value,)))
        if is_numeric(field.dtype):
            number_ = cast(value, FLOAT64)
            add("mean", AggregateCall("mean", (number_,)))
            add("std", AggregateCall("std", (number_,)))
            for q in percentiles:
                add(f"q{q}", AggregateCall("quantile", (number_,), options=(("q", float(q)),)))
    totals = Aggregate(plan, (), tuple(calls))
    columns = [
        ("column", STRING, False), ("type", STRING, False), ("count", INT64, False), ("nulls", INT64, False),
        ("unique", INT64, True), ("mean", FLOAT64, True), ("std", FLOAT64, True), ("min", STRING, True),
        *[(_percent(q), FLOAT64, True) for q in percentiles], ("max", STRING, True),
    ]  # fmt: skip
    names = [(field.name, type_name(field.dtype)) for field in schema]

    def turn(table: pa.Table) -> pa.Table:
        (found,) = table.to_pylist()
        rows = [_row(number, name, dtype, found, percentiles) for number, (name, dtype) in enumerate(names)]
        return pa.Table.from_pylist(rows, pa.schema([pa.field(*c) for c in columns]))

    return MapBatches(totals, turn, tuple(columns))


def _percent(q: float) -> str:
    return f"{q * 100:g}%"


def _row(number: int, name: str, dtype: str, found: dict[str, Any], percentiles: Sequence[float]) -> dict[str, Any]:
    def get(kind: str) -> Any:
        return found.get(f"{number}:{kind}")

    def text(value: Any) -> str | None:
        return None if value is None else str(value)

    nulls = found["len"] - get("count")
    unique = get("unique")
    return {
        "column": name, "type": dtype, "count": get("count"), "nulls": nulls,
        # Null is no value of the column.
        "unique": None if unique is None else unique - (nulls > 0),
        "mean": get("mean"), "std": get("std"), "min": text(get("min")), "max": text(get("max")),
        **{_percent(q): get(f"q{q}") for q in percentiles},
    }  # fmt: skip
