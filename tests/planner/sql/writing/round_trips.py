"""Plans written as SQL, read by DuckDB and by this engine: the rows are those of the plan."""

from __future__ import annotations

import duckdb
import pyarrow as pa

import lazyframe as lf
from lazyframe import session
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Plan
from lazyframe.planner.sql.writing import table_names, write_sql
from lazyframe.writing_sql import NOT_IN_SQL
from tests.differential.comparing import Row, rows, same_rows


def check_round_trip(frame: lf.LazyFrame, connection: duckdb.DuckDBPyConnection, *, ordered: bool) -> None:
    """Write the plan, as it is and optimized, and run the text twice."""
    ours = rows(frame.to_arrow())
    for plan in (frame._plan, optimize(frame._plan, disable=NOT_IN_SQL)):
        text = write_sql(plan)
        theirs = _in_duckdb(plan, text, connection)
        assert same_rows(ours, theirs, ordered=ordered), f"{text}\nours   {ours[:20]}\nDuckDB {theirs[:20]}"
        tables = {name: lf.frame.LazyFrame(lf.planner.relations.scan.scan(s)) for name, s in table_names(plan).values()}
        back = lf.sql(text, **tables)
        assert back.columns == frame.columns
        again = rows(back.to_arrow())
        assert same_rows(ours, again, ordered=ordered), f"{text}\nours   {ours[:20]}\nread back {again[:20]}"


def _in_duckdb(plan: Plan, text: str, connection: duckdb.DuckDBPyConnection) -> list[Row]:
    from lazyframe.planner.relations.scan import scan

    for name, source in table_names(plan).values():
        if source.identity()[0] == "memory":
            connection.register(name, session.execute(scan(source)))
    found: pa.Table = connection.sql(text).to_arrow_table()
    return rows(found)
