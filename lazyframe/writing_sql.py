"""A query as the text of a SQL statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.checks import whole_number
from lazyframe.planner.held import restored
from lazyframe.planner.relations import Plan
from lazyframe.planner.relations.scan import scan

if TYPE_CHECKING:
    import pyarrow as pa

    from lazyframe.frame import LazyFrame


NOT_IN_SQL = ("answer_from_metadata", "window_to_partition_top_k", "read_struct_fields")
"""Rules whose plans SQL cannot say: it asks for all rows, and leaves it to the engine how to get them."""


class WritingSql:
    """The actions of a frame that write SQL."""

    __slots__ = ()

    _plan: Plan

    @public
    def to_sql(
        self,
        dialect: str = "duckdb",
        *,
        pretty: bool = True,
        optimized: bool = False,
        inline_rows: int = 0,
        files: bool = True,
    ) -> str:
        """The query as one SELECT statement. Nothing runs.

        Where a function of ours differs from that of the same name in SQL, it is written as an expression that means ours:
        floor division, positions from 0, casts that truncate. A relation of SQL has no order: verbs that speak of the place
        of rows (`tail`, `shift`, `unique(keep="first")`, ...) take it from a sort before them, or, for DuckDB, which keeps
        the order of a table, from ROW_NUMBER() OVER (); for other dialects they are refused. Ties of a sort may come out
        otherwise.

        Args:
            dialect: `"duckdb"`, `"postgres"`, `"sqlite"`, `"spark"`, `"bigquery"`, `"snowflake"` or another that sqlglot
                writes.
            pretty: whether the text has lines and indentation.
            optimized: whether to write the query as the optimizer leaves it, or as it was written.
            inline_rows: tables in memory of at most so many rows are written as VALUES.
            files: whether DuckDB is to read Parquet files by their paths. All other tables are written by name: see
                `sql_tables()`.

        Raises:
            UnsupportedError: where SQL has no form for a verb or a function; it names the line.

        Example:
            >>> df = lf.from_dict({"city": ["Rome", "Oslo", "Rome"], "t": [31, 12, 29]})
            >>> print(df.lazy().filter(lf.col("t") > 20).group_by("city").len("days").to_sql(pretty=False))
            SELECT city, COUNT(*) AS days FROM frame_1 WHERE t > 20 GROUP BY city
        """
        from lazyframe.planner.sql.writing import table_names, write_sql

        names = table_names(restored(self._plan))
        rows: dict[tuple[object, ...], pa.Table] = {}
        for identity, (_, source) in names.items() if whole_number("inline_rows", inline_rows) else ():
            statistics = source.statistics()
            if identity[:1] == ("memory",) and statistics.exact and (statistics.rows or 0) <= inline_rows:
                rows[identity] = session.execute(scan(source))
        plan = restored(self._plan)
        if optimized:
            from lazyframe.planner.optimizer import optimize

            plan = optimize(plan, disable=NOT_IN_SQL)
        return write_sql(plan, dialect, pretty=pretty, names=names, rows=rows, files=files)

    @public
    def sql_tables(self) -> dict[str, LazyFrame]:
        """The tables that the text of `to_sql()` reads, by the names it has for them.

        Tables in memory are named `frame_1`, `frame_2`, ... in the order in which the query reads them, files after
        themselves.

        Example:
            >>> query = lf.from_dict({"x": [1, 2, 3]}).lazy().select(lf.col("x").sum())
            >>> list(query.sql_tables())
            ['frame_1']
        """
        from lazyframe.frame import LazyFrame
        from lazyframe.planner.sql.writing import table_names

        return {name: LazyFrame(scan(source)) for name, source in table_names(restored(self._plan)).values()}
