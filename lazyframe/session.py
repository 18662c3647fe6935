"""The one place that knows both the planner and the executors: it plans, runs and explains."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from lazyframe.config import current
from lazyframe.planner.parameters import NO_LITERALS, NO_VALUES, Literals
from lazyframe.planner.relations import Plan
from lazyframe.planner.relations.scan import Scan, scan
from lazyframe.planner.substitution import bound, stand_ins
from lazyframe.watching import noted

if TYPE_CHECKING:
    import pyarrow as pa

    from lazyframe.executors.compiled.listing import Generated
    from lazyframe.executors.context import Context
    from lazyframe.executors.measurements import Measurements
    from lazyframe.planner.rules.rule import Firing
    from lazyframe.planner.schema import Schema
    from lazyframe.planner.sources import Learned


_OF_ONE_PLAN = ("push_join_filters", "push_threshold_into_scan")
"""Rules that fit a plan to what it alone reads of its scans."""


def planned(plan: Plan, trace: list[Firing] | None = None, *, besides: tuple[str, ...] = ()) -> Plan:
    """The plan as the optimizer would have it, which is kept with the plan: a query that runs again is not planned again.

    Args:
        plan: as it was written.
        trace: where given, gets every rule that fires.
        besides: names of rules that are not to be applied, besides those that are switched off.
    """
    from lazyframe.planner.optimizer import optimize

    disable = (*current().disable, *besides)
    if trace is not None:
        return optimize(plan, disable=disable, trace=trace)
    kept = plan.optimized
    if kept is not None and kept[0] == disable:
        return kept[1]
    found = optimize(plan, disable=disable)
    plan.keep_optimized(disable, found)
    return found


def new_context() -> Context:
    """What a run of a query starts with, by the settings in force."""
    from lazyframe.executors.context import Context

    settings = current()
    context = Context(
        settings.threads,
        settings.timeout,
        settings.recursion_limit,
        settings.recursion_rows,
        compile_from=-1 if settings.compiled else None,
    )
    context.replans_without = settings.disable
    return context


def ready(plan: Plan, values: Mapping[str, Any] = NO_VALUES) -> Plan:
    """The optimised plan with values in the place of its parameters.

    Args:
        plan: as it was written.
        values: by the names of parameters; the others have the value of their own.

    Raises:
        InvalidArgumentError: for a parameter without a value, or a value without a parameter.
    """
    (found,) = bound([planned(plan)], values, [plan])
    return found


def run(plan: Plan, written: Plan, parameters: Literals = NO_LITERALS, known: dict[Any, Any] | None = None) -> pa.Table:
    """All rows of a plan that is optimised.

    Args:
        plan: see `planner.substitution.with_placeholders`.
        written: what the user wrote, of which it was made.
        parameters: what they are in this run.
        known: operators that were made for the plan before; gets those that are made now.
    """
    context = new_context()
    context.parameters, context.known = parameters, known
    return _collected(plan, context, written)


def execute(
    plan: Plan, *, optimize: bool = True, context: Context | None = None, values: Mapping[str, Any] = NO_VALUES
) -> pa.Table:
    """All rows of a plan. For `values` see `ready`."""
    if context is None:
        context = new_context()
        if not optimize:
            context.replans_without = None
    return _collected(ready(plan, values) if optimize else bound([plan], values)[0], context, plan)


def _collected(final: Plan, context: Context, written: Plan) -> pa.Table:
    from lazyframe.executors.execute import collect

    with noted([written], context.metrics) as action:
        table = collect(final, context)
        action.rows = table.num_rows
    return table


def execute_all(plans: Sequence[Plan], values: Mapping[str, Any] = NO_VALUES) -> list[pa.Table]:
    """The rows of several plans; what they have in common is computed once. For `values` see `ready`."""
    from lazyframe.executors.execute import collect_all

    # What joins of one plan have no use for may be wanted by another one, with which it has rows in common.
    final = bound([planned(plan, besides=_OF_ONE_PLAN) for plan in plans], values, plans)
    context = new_context()
    with noted(plans, context.metrics) as action:
        tables = collect_all(final, context)
        action.rows = sum(table.num_rows for table in tables)
    return tables


def stream(plan: Plan, values: Mapping[str, Any] = NO_VALUES, *, optimize: bool = True) -> Generator[pa.RecordBatch]:
    """The rows of a plan as batches, as they are computed. For `values` see `ready`."""
    return _streamed(ready(plan, values) if optimize else plan, new_context(), plan)


def _streamed(final: Plan, context: Context, written: Plan) -> Generator[pa.RecordBatch]:
    from lazyframe.executors.execute import record_batches

    with noted([written], context.metrics) as action:
        rows = 0
        try:
            for batch in record_batches(final, context):
                rows += batch.num_rows
                yield batch
        except GeneratorExit:
            action.rows = rows  # as many as were wanted
            raise
        action.rows = rows


def write(plan: Plan, kind: str, path: Any, options: Mapping[str, Any]) -> int:
    """Write the rows of a plan to a file, batch by batch; nothing is left of it if that fails.

    Returns:
        The number of rows written.
    """
    from lazyframe.executors.sinks import open_sink

    sink = open_sink(kind, path, plan.schema.to_arrow(), **options)
    rows = 0
    try:
        for batch in stream(plan):
            sink.write(batch)
            rows += batch.num_rows
        sink.close()
    except BaseException:
        sink.abort()
        raise
    return rows


class MeasuredRun(NamedTuple):
    """A run of a query: how many rows it gave, after how many seconds, and what was counted."""

    rows: int
    seconds: float
    context: Context
    measured: Measurements


def measure(plan: Plan) -> MeasuredRun:
    """Run a plan and count what its nodes do."""
    from lazyframe.executors.measurements import Measurements

    context = new_context()
    measured = context.measured = Measurements()
    started = time.perf_counter()
    table = execute(plan, optimize=False, context=context)
    return MeasuredRun(table.num_rows, time.perf_counter() - started, context, measured)


def pipelines(plan: Plan) -> list[str]:
    """What would run for a plan, a line for each pipeline."""
    from lazyframe.executors.describing import described

    return described(stand_ins(plan), new_context())


def generated(plan: Plan) -> tuple[list[Generated], str | None]:
    """Run a plan with all compiled that can be, however few its rows are.

    Returns:
        What was written for each kernel; and why there is none, where nothing is compiled at all.
    """
    from lazyframe.executors.compiled.machine import why_not

    context = new_context()
    if context.compile_from is None:
        return [], "compiling is switched off"
    reason = why_not()
    if reason is not None:
        return [], reason
    context.compile_from = 0
    context.kernels = []
    execute(plan, optimize=False, context=context)
    return [program for operator in context.kernels for program in operator.programs()], None


def file_source(kind: str, paths: Any, options: Mapping[str, Any]) -> Plan:
    """A scan of files."""
    if kind == "parquet":
        from lazyframe.executors.sources.parquet import ParquetSource as Source
    elif kind == "csv":
        from lazyframe.executors.sources.csv import CsvSource as Source  # type: ignore[assignment]
    elif kind == "ipc":
        from lazyframe.executors.sources.ipc import IpcSource as Source  # type: ignore[assignment]
    else:
        from lazyframe.executors.sources.json import JsonSource as Source  # type: ignore[assignment]
    return scan(Source(paths, **options))


def files_state(paths: Any, hive: bool | None) -> tuple[object, ...] | None:
    """What is different once files have changed, or others match; None for files that are far away or in memory.

    Raises:
        SourceNotFoundError: where there is no such file.
    """
    from lazyframe.executors.sources.files import is_url
    from lazyframe.executors.sources.paths import find_files
    from lazyframe.formats import SUFFIXES

    given = [paths] if isinstance(paths, str) else list(paths)
    if not all([isinstance(path, str) and not is_url(path) for path in given]):
        return None
    if isinstance(paths, str):
        with suppress(OSError):
            status = os.stat(paths)  # noqa: PTH116 - asked each time a text comes again
            if stat.S_ISREG(status.st_mode):
                return (status.st_size, status.st_mtime_ns, status.st_ino)
    return tuple([file.identity() for file in find_files(given, SUFFIXES, hive=hive)[0]])


def memory_scan(
    table: pa.Table, name: str = "in memory", schema: Schema | None = None, made_by: Plan | None = None
) -> Plan:
    """A scan of a table in memory; `schema` is that of its rows, where they were computed to have it, by a query that stays
    known as `made_by`.
    """
    from lazyframe.executors.sources.memory import MemorySource

    return scan(MemorySource(table, name, schema, made_by))


def renewed_scan(schema: Schema, rows: float, name: str) -> Scan:
    """A scan of a table whose rows are others in each run: `source.renew(table)` gives them."""
    from lazyframe.executors.sources.renewed import RenewedSource

    return scan(RenewedSource(schema, rows, name))


def learned_scan(table: pa.Table, learned: Learned, schema: Schema) -> Scan:
    """A scan of a table of which some columns are a parameter."""
    from lazyframe.executors.sources.renewed import LearnedSource

    return scan(LearnedSource(table, learned, schema))


def table_from(data: Any, schema: Mapping[str, Any] | None = None) -> pa.Table:
    """An Arrow table of whatever holds rows."""
    from lazyframe.executors.sources.ingest import from_any

    return from_any(data, schema)


def cache_slot() -> Any:
    """A place for the rows of a `Cache` node."""
    from lazyframe.executors.execute import CacheSlot

    return CacheSlot()
