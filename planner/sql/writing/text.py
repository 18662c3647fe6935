"""From a plan to the text of a statement."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from lazyframe.planner import arrow
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError, did_you_mean
from lazyframe.planner.relations import Plan, Scan, Values
from lazyframe.planner.relations.values import values
from lazyframe.planner.source_names import Names, table_names
from lazyframe.planner.sources import TableSource
from lazyframe.planner.sql.writing.relations import PlanWriter
from lazyframe.planner.sql.writing.select import Reference
from lazyframe.planner.sql.writing.statement import identifier

_KEEPS_ORDER = ("duckdb",)
"""Dialects of engines that keep the order of a table's rows, so that places of rows mean something."""


def write_sql(
    plan: Plan,
    dialect: str = "duckdb",
    *,
    pretty: bool = True,
    names: Mapping[tuple[object, ...], tuple[str, TableSource]] | None = None,
    rows: Mapping[tuple[object, ...], pa.Table] | None = None,
    files: bool = True,
) -> str:
    """The plan as one SELECT statement.

    Args:
        plan: optimized or not.
        dialect: one that sqlglot writes.
        pretty: whether the text has lines and indentation.
        names: what its tables are called, by the identity of their sources; by default what `table_names` calls them.
        rows: tables to be written into the statement, by the identity of their sources.
        files: whether DuckDB is to read Parquet files by their paths, rather than by the names of `table_names`.

    Raises:
        InvalidArgumentError: where there is no such dialect.
        UnsupportedError: where SQL has no form for a verb or a function, at the place where it was written.
    """
    if dialect not in Dialect.classes:
        known = sorted(name for name in Dialect.classes if name)
        raise InvalidArgumentError(f"no SQL dialect named {dialect!r}", hint=did_you_mean(dialect, known))
    named = table_names(plan) if names is None else names
    inlined = rows or {}

    def table(node: Scan) -> Reference | tuple[str, Values]:
        identity = node.source.identity()
        held, (name, _) = inlined.get(identity), named[identity]
        if held is not None:
            columns = [(column, _whole(held.column(column))) for column in held.column_names]
            return name, values(columns, held.num_rows)
        source = _file(node.source) if files and dialect == "duckdb" else None
        return Reference(name, tuple(node.source.schema.names), source or exp.Table(this=identifier(name)))

    taken = Names(name for identity, (name, _) in named.items() if identity not in inlined)
    writer = PlanWriter(table, taken, strict_order=dialect not in _KEEPS_ORDER)
    query = writer.write(plan)
    try:
        return query.sql(dialect=dialect, pretty=pretty, unsupported_level=sqlglot.ErrorLevel.RAISE)
    except SqlglotError as error:
        raise UnsupportedError(f"{dialect} cannot say it: {_first_line(error)}") from None
    except RecursionError:
        raise UnsupportedError(
            "the query nests too deeply to be written as SQL",
            hint="compute parts of it by with_columns() first",
        ) from None


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else arrow.array([], column.type)


def _first_line(error: SqlglotError) -> str:
    return str(error).splitlines()[0]


def _file(source: TableSource) -> exp.Expression | None:
    """Local Parquet files as DuckDB reads them by their paths; None where the source is something else."""
    match source.identity():
        case ("parquet", (None, "error", ()), files) if isinstance(files, tuple):
            paths = [file[0] for file in files if isinstance(file, tuple) and len(file) == 6]
            partitioned = any([file[5] for file in files if isinstance(file, tuple) and len(file) == 6])
            if (
                len(paths) != len(files)
                or partitioned
                or not all([isinstance(p, str) and "://" not in p for p in paths])
            ):
                return None
            if any([file[1] != "NoneType" for file in files if isinstance(file, tuple)]):
                return None
            texts: list[exp.Expression] = [exp.Literal.string(path) for path in paths]
            argument = texts[0] if len(texts) == 1 else exp.Array(expressions=texts)
            return exp.Table(this=exp.ReadParquet(expressions=[argument]))
    return None
