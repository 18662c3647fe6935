"""The one place that knows both the planner and the executors: it plans, runs and explains."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lazyframe.config import current
from lazyframe.planner.relations import Plan, Scan
from lazyframe.planner.relations.scan import scan

if TYPE_CHECKING:
    import pyarrow as pa

    from lazyframe.executors.context import Context
    from lazyframe.planner.rules.rule import Firing
    from lazyframe.planner.schema import Schema


_OF_ONE_PLAN = ("push_join_filters",)
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
    return Context(settings.threads, settings.timeout, settings.recursion_limit, settings.recursion_rows)


def execute(plan: Plan, *, optimize: bool = True, context: Context | None = None) -> pa.Table:
    """All rows of a plan."""
    from lazyframe.executors.execute import collect

    return collect(planned(plan) if optimize else plan, context or new_context())


def execute_all(plans: Sequence[Plan]) -> list[pa.Table]:
    """The rows of several plans; what they have in common is computed once."""
    from lazyframe.executors.execute import collect_all

    # What joins of one plan have no use for may be wanted by another one, with which it has rows in common.
    return collect_all([planned(plan, besides=_OF_ONE_PLAN) for plan in plans], new_context())


def stream(plan: Plan) -> Generator[pa.RecordBatch]:
    """The rows of a plan as batches, as they are computed."""
    from lazyframe.executors.execute import record_batches

    return record_batches(planned(plan), new_context())


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


def explain(plan: Plan, *, optimized: bool, verbose: bool, analyze: bool) -> str:
    """What would run, or what ran, as text."""
    from lazyframe.planner.formatting import format_plan

    if not optimized:
        return format_plan(plan)
    trace: list[Firing] | None = [] if verbose else None
    final = planned(plan, trace)
    parts = []
    if trace is not None:
        from lazyframe.planner.tracing import format_trace

        parts.append(format_trace(trace) + "\n")
    if not analyze:
        return "\n".join([*parts, format_plan(final, _estimates)])
    context = new_context()
    context.node_rows = {}
    context.left_out = {}
    started = time.perf_counter()
    table = execute(final, optimize=False, context=context)
    elapsed = time.perf_counter() - started
    counted = context.node_rows

    def note(node: Plan) -> str:
        rows = counted.get(node.digest)
        shown = _estimates(node) + (f"  [{rows:,} rows]" if rows is not None else "")
        fewer, groups = (context.left_out or {}).get(node.digest, (0, 0))
        left_out = [f"{fewer:,} rows"] * bool(fewer) + [f"{groups:,} row groups"] * bool(groups)
        return shown + (f"  (keys left out {' and '.join(left_out)})" if left_out else "")

    metrics = context.metrics
    parts.append(format_plan(final, note))
    parts.append(
        f"{table.num_rows:,} rows in {elapsed * 1000:,.1f} ms on {context.threads} threads; "
        f"read {metrics.rows:,} rows, {metrics.bytes:,} bytes, {metrics.groups_read:,} row groups "
        f"({metrics.groups_skipped:,} skipped)"
    )
    return "\n".join(parts)


def _estimates(plan: Plan) -> str:
    """What is known of a node before it runs: how many rows, and what a scan leaves out."""
    from lazyframe.planner.statistics import estimate

    rows = estimate(plan)
    note = f"  ~{rows:,.0f} rows" if rows is not None else ""
    if not isinstance(plan, Scan):
        return note
    report = plan.source.report(plan.columns, plan.predicate)
    skipped = []
    if report.files_skipped:
        skipped.append(f"{report.files_skipped} of {report.files} files skipped")
    if report.groups_skipped:
        skipped.append(f"{report.groups_skipped} of {report.groups} row groups skipped")
    return note + (f"  ({', '.join(skipped)})" if skipped else "")


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


def memory_scan(table: pa.Table, name: str = "in memory", schema: Schema | None = None) -> Plan:
    """A scan of a table in memory; `schema` is that of its rows, where they were computed to have it."""
    from lazyframe.executors.sources.memory import MemorySource

    return scan(MemorySource(table, name, schema))


def table_from(data: Any, schema: Mapping[str, Any] | None = None) -> pa.Table:
    """An Arrow table of whatever holds rows."""
    from lazyframe.executors.sources.ingest import from_any

    return from_any(data, schema)


def cache_slot() -> Any:
    """A place for the rows of a `Cache` node."""
    from lazyframe.executors.execute import CacheSlot

    return CacheSlot()
