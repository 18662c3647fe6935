"""Questions written by hand, each with the SQL that means the same, and how their answers are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

import lazyframe as lf
from lazyframe import session
from tests.differential.comparing import identical, rows, same_rows


@dataclass(frozen=True)
class Question:
    """A question to some tables.

    Args:
        ours: from the tables, as attributes, to the frame that answers.
        sql: the same for DuckDB.
        polars: the same for Polars, where given.
    """

    ours: Callable[[Any], lf.LazyFrame]
    sql: str
    polars: Callable[[Any], Any] | None = None

    @property
    def ordered(self) -> bool:
        """Whether the order of the rows is part of the answer; then no two rows may tie."""
        last = self.sql.rpartition(")")[2] if "OVER (" in self.sql else self.sql
        return "ORDER BY" in last


class Questions(dict[str, Question]):
    """Questions by name; a method call adds one."""

    def ask(self, sql: str, polars: Callable[[Any], Any] | None = None) -> Callable[..., Callable[[Any], lf.LazyFrame]]:
        def add(ours: Callable[[Any], lf.LazyFrame]) -> Callable[[Any], lf.LazyFrame]:
            assert ours.__name__ not in self
            self[ours.__name__] = Question(ours, sql, polars)
            return ours

        return add


def answer(question: Question, tables: Any) -> pa.Table:
    """Our answer, the same with any number of threads and without the optimizer, of the schema that was promised."""
    frame = question.ours(tables)
    with lf.config(threads=2):
        found = frame.to_arrow()
    assert found.schema.equals(frame.schema.to_arrow())
    for field, column in zip(found.schema, found.columns, strict=True):
        assert field.nullable or column.null_count == 0, field
    with lf.config(threads=7):
        assert identical(found, session.execute(frame._plan))
    with lf.config(threads=1):
        assert identical(found, session.execute(frame._plan, optimize=False))
    assert found.num_rows, "a question without an answer shows nothing"
    return found


def check(question: Question, tables: Any, connection: duckdb.DuckDBPyConnection, polars_tables: Any) -> None:
    """Compare our answer with those of the peers."""
    ours = rows(answer(question, tables))
    theirs = rows(connection.sql(question.sql).to_arrow_table())
    assert same_rows(ours, theirs, ordered=question.ordered), f"ours   {ours[:20]}\nDuckDB {theirs[:20]}"
    if question.polars is not None:
        peers = rows(question.polars(polars_tables).collect().to_arrow())
        assert same_rows(ours, peers, ordered=question.ordered), f"ours   {ours[:20]}\nPolars {peers[:20]}"
