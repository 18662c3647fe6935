"""How results of queries are printed: as a table, CSV or JSON."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lazyframe import session
from lazyframe.planner.relations import Limit, Plan

if TYPE_CHECKING:
    from lazyframe.sql.running import Outcome

FORMATS = ("table", "csv", "json")

_ROWS = 40


def print_outcome(outcome: Outcome, form: str, limit: int | None) -> None:
    """Print what a statement gave: its rows; or, as a table, what it did.

    Args:
        outcome: of one statement.
        form: `table`, `csv` or `json`, one object a line.
        limit: how many rows at most; a table shows the first 40 where it is not given.
    """
    plan = outcome.frame._plan
    if outcome.done == "EXPLAIN":
        print(outcome.frame)
    elif outcome.done is not None:
        if form == "table":
            print(_status(outcome.done, plan))
    elif form == "table":
        print(table_text(plan, limit))
    else:
        _print_as(form, plan if limit is None else Limit(plan, limit))


def _status(done: str, plan: Plan) -> str:
    """A line that says what was done, and to how many rows."""
    (value,) = session.execute(plan).column(0).to_pylist()
    return f"{done}: {value:,} row{'' if value == 1 else 's'}" if isinstance(value, int) else done


def table_text(plan: Plan, limit: int | None) -> str:
    """The rows as a table. No more of the query is run than what is shown needs."""
    from lazyframe.display.text import render_text

    if limit is not None:
        table = session.execute(Limit(plan, limit))
        return render_text(table, max_rows=table.num_rows)
    table = session.execute(Limit(plan, _ROWS + 1))
    if table.num_rows <= _ROWS:
        return render_text(table, max_rows=_ROWS)
    return render_text(table.slice(0, _ROWS), max_rows=_ROWS, title=f"first {_ROWS} rows")


def _print_as(form: str, plan: Plan) -> None:
    """The rows as text, batch by batch, written by the sink of the format."""
    import pyarrow as pa

    sys.stdout.flush()
    schema = plan.schema
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"

        def write(batches: list[pa.RecordBatch], header: bool) -> None:
            table = pa.Table.from_batches(batches, schema.to_arrow())
            session.write(
                session.memory_scan(table, schema=schema), form, path, {"header": header} if form == "csv" else {}
            )
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()

        first = True
        for batch in session.stream(plan):
            write([batch], first)
            first = False
        if first:
            write([], True)
