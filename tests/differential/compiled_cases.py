"""A case of the fuzz of compiled pipelines: tables and a query by a seed, run in all ways, which must agree."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from unittest import mock

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lazyframe as lf
from lazyframe import session
from lazyframe.executors.compiled.program import Program
from lazyframe.executors.context import Context
from lazyframe.executors.sources import memory
from lazyframe.planner.types import canonical
from tests.differential import sql_queries
from tests.differential.comparing import rows, same_bits, same_rows
from tests.differential.compiled_columns import TYPES, USUAL, some_values
from tests.differential.compiled_layouts import laid_out
from tests.differential.compiled_queries import drawer, query_of
from tests.differential.lowered_thresholds import lowered_thresholds
from tests.differential.queries import Query, steps

MOST_COMPARED = 3_000
"""Longer answers are not compared with DuckDB's, which is done value by value."""

_SECONDS = 20.0


class Difference(AssertionError):
    """Two ways to run a query do not agree."""


@dataclass
class Case:
    """A query over tables.

    Args:
        frame: the query.
        sql: for DuckDB; None where it means something else.
        tables: what it reads, in plain layout.
        shown: the query, for a reader.
        morsel: how many rows a split has.
    """

    frame: lf.LazyFrame
    sql: str | None
    tables: dict[str, pa.Table]
    shown: str
    morsel: int


@dataclass
class Report:
    """What came of a case: `agrees`, `error` where all ways raise the same one, `slow`, `not planned`, or how they differ."""

    seed: int
    outcome: str
    detail: str = ""
    duckdb: bool = False
    statuses: dict[int, int] = field(default_factory=dict)


# Tables.


def _sizes(random: Random) -> tuple[int, int]:
    kind = random.random()
    if kind < 0.008:
        return 300_000, random.choice([20, 3_000])
    if kind < 0.1:
        return random.randint(100, 5_000), random.choice([15, 15, 2_000])
    return random.choice([0, 1, 3, 8, 10, 17, 20, 24, 33, 40]), random.choice([0, 1, 5, 8, 10, 17])


def _table(random: Random, size: int) -> pa.Table:
    kinds = [random.choice(USUAL if random.random() < 0.6 else tuple(TYPES)) for _ in range(random.randint(3, 9))]
    for _ in range(random.choice([0, 1, 2])):
        kinds[random.randrange(len(kinds))] = random.choice(kinds)  # columns that can be compared
    columns, fields = [], []
    for name, kind in zip("abcdefghi", kinds, strict=False):
        nulls = random.choice([0, 0, 0, 0.05, 0.3, 0.3, 0.3, 0.9, 1])
        # Few values meet in joins, so there are few rows of them.
        spread = random.choice(
            ["few", "few", "few", "extreme", "extreme", "many"] if size <= 40 else ["many", "many", "few"]
        )
        column = some_values(random, TYPES[kind], size, nulls=nulls, spread=spread)
        columns.append(column)
        fields.append(pa.field(name, TYPES[kind], nullable=column.null_count > 0 or random.random() < 0.5))
    return pa.table(columns, schema=pa.schema(fields))


def plain(table: pa.Table) -> pa.Table:
    """The table in plain layout, in memory of its own."""
    columns = []
    for column in table.columns:
        dtype = canonical(column.type)
        chunks = [_plain(chunk, dtype) for chunk in column.chunks]
        columns.append(pa.concat_arrays([*chunks, pa.array([], dtype)]))
    return pa.table(columns, names=table.column_names)


def _plain(array: pa.Array, dtype: pa.DataType) -> pa.Array:
    if isinstance(array, pa.DictionaryArray):
        array = pa.concat_arrays([array]).dictionary_decode()
    array = array if array.type == dtype else array.cast(dtype)
    return array.take(pa.array(np.arange(len(array))))


@contextmanager
def _scanned(random: Random, table: pa.Table, morsel: int) -> Iterator[tuple[lf.LazyFrame, pa.Table]]:
    """A frame of the table in some layout, and what its rows are."""
    if random.random() < 0.12:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.parquet"
            pq.write_table(table, path, row_group_size=morsel, data_page_size=random.choice([100, 1 << 20]),
                           use_dictionary=random.random() < 0.6)  # fmt: skip
            if pq.read_schema(path).types == table.schema.types:
                yield lf.scan_parquet(path), table
                return
    borders = sorted(random.randint(0, table.num_rows) for _ in range(random.choice([0, 0, 0, 1, 2])))
    parts = []
    for start, end in zip([0, *borders], [*borders, table.num_rows], strict=True):
        part = table.slice(start, end - start)
        columns = [laid_out(random, column.combine_chunks()) for column in part.columns]
        types = [f.with_type(c.type).with_nullable(True if pa.types.is_dictionary(c.type) else f.nullable)
                 for f, c in zip(table.schema, columns, strict=True)]  # fmt: skip
        parts.append(pa.table(columns, schema=pa.schema(types)))
    known = pa.concat_tables([plain(part) for part in parts])
    frames = [lf.from_arrow(part).lazy() for part in parts]
    yield lf.concat(frames) if len(frames) > 1 else frames[0], known
    after = pa.concat_tables([plain(part) for part in parts])
    if not same_bits(known, after):
        raise Difference("the input changed")


@contextmanager
def case_of(seed: int) -> Iterator[Case]:
    """The case of a seed."""
    random = Random(seed)
    if random.random() < 0.25:
        with _sql_case(random) as found:
            yield found
        return
    large, small = _sizes(random)
    morsel = random.choice([1, 2, 4, 7, 1_000]) if large <= 40 else random.choice([64, 700, 4_096, 1 << 17])
    with (
        mock.patch.object(memory, "MORSEL_ROWS", morsel),
        _scanned(random, _table(random, large), morsel) as (first, one),
        _scanned(random, _table(random, small), morsel) as (second, two),
    ):
        few = large <= 40
        query = query_of(
            drawer(random), Query(first, "SELECT * FROM one", None), Query(second, "SELECT * FROM two", None),
            joins=3 if few else 1, pairs=few, longest=5 if few else 3,
        )  # fmt: skip
        yield Case(query.ours, query.sql, {"one": one, "two": two}, steps(query), morsel)


@contextmanager
def _sql_case(random: Random) -> Iterator[Case]:
    text = sql_queries.query_of(random.getrandbits(40))
    morsel = random.choice([1, 2, 5, 1_000])
    sizes = {"t": random.choice([5, 8, 30]), "u": random.choice([4, 7, 20]), "w": random.choice([1, 3]), "e": 0}
    with mock.patch.object(memory, "MORSEL_ROWS", morsel):
        frames, tables = {}, {}
        with _all_scanned(random, sizes, morsel) as scanned:
            for name, (frame, known) in scanned.items():
                frames[name], tables[name] = frame, known
            # Which of two equal rows comes first is open: one window says the same of them either way, two do not.
            is_defined = text.count(" over (") < 2
            yield Case(lf.sql(text, **frames), text if is_defined else None, tables, text, morsel)


@contextmanager
def _all_scanned(
    random: Random, sizes: dict[str, int], morsel: int
) -> Iterator[dict[str, tuple[lf.LazyFrame, pa.Table]]]:
    names = list(sizes)

    @contextmanager
    def scan(number: int) -> Iterator[dict[str, tuple[lf.LazyFrame, pa.Table]]]:
        if number == len(names):
            yield {}
            return
        name = names[number]
        table = sql_queries._table(random, sizes[name], random.choice([0, 0.2, 0.4]))
        with _scanned(random, table, morsel) as found, scan(number + 1) as rest:
            yield {name: found, **rest}

    with scan(0) as found:
        yield found


# Runs.


def _run(frame: lf.LazyFrame, threads: int, compile_from: int | None) -> pa.Table | str:
    """The rows, or the error."""
    context = Context(threads, _SECONDS, compile_from=compile_from)
    context.replans_without = ()
    # Vectorized operators use kernels as well, where the environment says so.
    kernels = {"LAZYFRAME_COMPILED": "off" if compile_from is None else str(compile_from)}
    try:
        with mock.patch.dict(os.environ, kernels):
            return session.execute(frame._plan, context=context)
    except lf.errors.QueryCancelledError:
        raise
    except lf.errors.LazyFrameError as error:
        return f"{type(error).__name__}: {error}"


def check(seed: int) -> Report:
    """Run the case of a seed in all ways."""
    report = Report(seed, "agrees")
    statuses: Counter[int] = Counter()
    run = Program.run

    def counted(program: Program, frame: object) -> int:
        status = run(program, frame)  # type: ignore[arg-type]
        statuses[status] += 1
        return status

    text = ""
    try:
        lowered = lowered_thresholds() if seed % 4 < 2 else nullcontext()
        with lowered, mock.patch.object(Program, "run", counted), case_of(seed) as case:
            text = case.shown
            _compare(case, Random(seed), report)
    except lf.errors.QueryCancelledError:
        report.outcome = "slow"
    except lf.errors.LazyFrameError as error:
        report.outcome, report.detail = "not planned", f"{type(error).__name__}: {error}\n{text}"
    except Difference as error:
        report.outcome, report.detail = "differs", f"{error}\n{text}"
    except MemoryError:
        report.outcome = "slow"
    except Exception as error:  # noqa: BLE001 - any is a finding
        report.outcome = "fails"
        report.detail = (
            f"{type(error).__name__}: {error}\n{text}\n{''.join(traceback.format_tb(error.__traceback__)[-6:])}"
        )
    report.statuses = dict(statuses)
    return report


def _compare(case: Case, random: Random, report: Report) -> None:
    frame = case.frame
    vectorized = _run(frame, 1, None)
    for threads in (1, random.choice([2, 3, 7])):
        compiled = _run(frame, threads, 0)
        if isinstance(vectorized, str) or isinstance(compiled, str):
            _compare_errors(vectorized, compiled, threads)
            report.outcome = "error"
            continue
        if not same_bits(vectorized, compiled):
            raise Difference(f"{threads} threads, morsels of {case.morsel}\n{_apart(vectorized, compiled)}")
        compiled.validate(full=True)
        for each, column in zip(compiled.schema, compiled.columns, strict=True):
            if not each.nullable and column.null_count:
                raise Difference(f"{each.name} is declared not null")
    if not isinstance(vectorized, str):
        report.duckdb = _compare_duckdb(case, vectorized)


def _compare_errors(vectorized: pa.Table | str, compiled: pa.Table | str, threads: int) -> None:
    if vectorized == compiled:
        return
    if isinstance(vectorized, str) and isinstance(compiled, str) and threads > 1:
        return  # which of several errors is first depends on the threads
    raise Difference(f"{threads} threads\nvectorized {shown(vectorized)}\ncompiled   {shown(compiled)}")


def _apart(vectorized: pa.Table, compiled: pa.Table) -> str:
    """Where two results differ."""
    if vectorized.schema != compiled.schema or vectorized.num_rows != compiled.num_rows:
        return f"vectorized {shown(vectorized)}\ncompiled   {shown(compiled)}"
    found = []
    for name in vectorized.column_names:
        a, b = vectorized.column(name), compiled.column(name)
        rows = [i for i in range(min(len(a), 5_000)) if not same_bits(*[pa.table({"": c.slice(i, 1)}) for c in (a, b)])]
        if rows:
            found += [f"{name}: {a.type}, {len(rows)} of {len(a)} rows"]
            found += [f"  row {i}: vectorized {_text(a[i])} compiled {_text(b[i])}" for i in rows[:5]]
    return "\n".join(found)


def _text(value: pa.Scalar) -> str:
    try:
        return repr(value.as_py())[:200]
    except (ValueError, OverflowError):
        return f"out of range {value.cast(pa.int64(), safe=False).as_py() if value.type.bit_width == 64 else '?'}"


def shown(found: pa.Table | str) -> str:
    """A result, or the error, for a reader."""
    if isinstance(found, str):
        return found
    return f"{found.schema.to_string()}\n{found.num_rows} rows {[[_text(v) for v in c.slice(0, 40)] for c in found.columns]}"[
        :2_000
    ]


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for setting in ("ieee_floating_point_ops = true", "TimeZone = 'UTC'", "threads = 1"):
        connection.execute(f"SET {setting}")
    return connection


def _compare_duckdb(case: Case, found: pa.Table) -> bool:
    """Compare with DuckDB; gives whether it answers the same question."""
    if case.sql is None or any(_is_foreign(f.type) for f in found.schema):
        return False
    connection = _duckdb()
    for name, table in case.tables.items():
        connection.register(name, table)
    try:
        theirs = connection.sql(case.sql).to_arrow_table()
    except duckdb.Error:
        return False
    if found.num_rows != theirs.num_rows:
        raise Difference(
            f"DuckDB has {theirs.num_rows} rows\n{case.sql}\nours   {shown(found)}\ntheirs {shown(theirs)}"
        )
    if found.num_rows > MOST_COMPARED:
        return True
    try:
        ours, peers = rows(found), rows(theirs)
    except (OverflowError, ValueError):
        return False  # instants that Python does not have
    if not same_rows(ours, peers, ordered=False):
        raise Difference(f"DuckDB\n{case.sql}\nours   {shown(found)}\ntheirs {shown(theirs)}")
    return True


def _is_foreign(dtype: pa.DataType) -> bool:
    """Whether DuckDB gives values of another type."""
    return pa.types.is_duration(dtype) or pa.types.is_time(dtype) or dtype == pa.timestamp("ns")
