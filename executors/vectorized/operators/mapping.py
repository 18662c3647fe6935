"""Python functions of tables."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lazyframe.executors.batch import Batch, single_chunk
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows
from lazyframe.planner.errors import LazyFrameError, UserFunctionError
from lazyframe.planner.nouns import with_article
from lazyframe.planner.relations import MapBatches
from lazyframe.planner.schema import Schema
from lazyframe.planner.types import canonical, type_name


class CallFunction:
    """The user's function on each batch."""

    def __init__(self, plan: MapBatches) -> None:
        self._plan = plan

    def process(self, batch: Batch) -> Batch:
        plan = self._plan
        name = getattr(plan.function, "__name__", "the function")
        given = pa.Table.from_batches([batch.to_arrow(plan.input.schema)])
        try:
            result = plan.function(given)
        except LazyFrameError:
            raise
        except Exception as error:
            raise UserFunctionError(f"{name} raised {type(error).__name__}: {error}", site=plan.site) from error
        return _checked(result, plan.schema, name, plan)


def call_function(plan: MapBatches) -> Collect:
    """A sink that calls the user's function once, with all rows."""
    call = CallFunction(plan)

    def then(batches: list[Batch]) -> list[Batch]:
        return [call.process(all_rows(batches, plan.input.schema))]

    return Collect(plan.schema, then)


def _checked(result: Any, schema: Schema, name: str, plan: MapBatches) -> Batch:
    """What the function gave, as the columns it had declared."""
    if isinstance(result, pa.RecordBatch):
        result = pa.Table.from_batches([result])
    if not isinstance(result, pa.Table):
        if not hasattr(result, "__arrow_c_stream__"):
            raise UserFunctionError(
                f"{name} gave {with_article(type(result).__name__)}",
                hint="return a pyarrow table, or anything that exports __arrow_c_stream__",
                site=plan.site,
            )
        result = pa.table(result)
    columns = {}
    for field in schema:
        if field.name not in result.column_names:
            raise UserFunctionError(
                f"{name} gave no column {field.name!r}, which it declares",
                hint=f"it gave {', '.join(map(repr, result.column_names))}",
                site=plan.site,
            )
        column = single_chunk(result.column(field.name))
        if column.type != field.dtype:
            if canonical(column.type) != field.dtype:
                raise UserFunctionError(
                    f"{name} gave {field.name!r} as {type_name(column.type)}, but declares {type_name(field.dtype)}",
                    site=plan.site,
                )
            column = column.cast(field.dtype)
        if column.null_count and not field.nullable:
            raise UserFunctionError(f"{name} gave nulls in {field.name!r}, which it declares not null", site=plan.site)
        columns[field.name] = column
    return Batch(columns, result.num_rows)
