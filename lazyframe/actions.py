"""What runs a query, and what shows it."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.planner.nouns import counted
from lazyframe.planner.relations import Limit, Plan
from lazyframe.planner.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from lazyframe.dataframe import DataFrame
    from lazyframe.query import Batches, Query

Path = str | pathlib.Path


class Actions:
    """The actions of a frame. None of them changes it; each can be called again."""

    __slots__ = ()

    _plan: Plan

    @property
    def schema(self) -> Schema:
        """The names, types and nullability of the columns, which `collect()` will have.

        Example:
            >>> lf.from_dict({"x": [1]}).select(lf.col("x") / 2).schema["x"]
            DataType(double)
        """
        return self._plan.schema

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._plan.schema.names

    @property
    def dtypes(self) -> list[pa.DataType]:
        """The types of the columns."""
        return self._plan.schema.types

    @public
    def collect(self, /, **parameters: Any) -> DataFrame:
        """Run the query.

        Args:
            parameters: values of the query's parameters by their names (`lf.param`); the others have the value of their own.

        Returns:
            The rows, in memory.

        Raises:
            InvalidArgumentError: for a parameter without a value.
            EvaluationError: for a value that has no answer, at the line that computes it.
            SourceError: for a file that cannot be read.

        Example:
            >>> lf.from_dict({"x": [1, 2, 3]}).filter(lf.col("x") > 1).collect().to_dicts()
            [{'x': 2}, {'x': 3}]
        """
        from lazyframe.dataframe import DataFrame

        return DataFrame._computed(self._plan, parameters)

    @public
    def collect_batches(self, /, **parameters: Any) -> Batches:
        """Run the query and give its rows batch by batch, while it runs.

        Args:
            parameters: as for `collect`.

        Returns:
            An iterator. The query stops when it is closed or forgotten.

        Example:
            >>> with lf.from_dict({"x": [1, 2]}).collect_batches() as batches:
            ...     [batch.num_rows for batch in batches]
            [2]
        """
        from lazyframe.query import Batches

        return Batches(self._plan, parameters)

    @public
    def submit(self, /, **parameters: Any) -> Query:
        """Run the query in the background.

        Args:
            parameters: as for `collect`.

        Returns:
            A handle with `result()`, `cancel()` and `progress()`.

        Example:
            >>> query = lf.from_dict({"x": [1, 2]}).submit()
            >>> query.result().count()
            2
        """
        from lazyframe.query import Query

        return Query(self._plan, parameters)

    @public
    def fetch(self, count: int = 10) -> DataFrame:
        """The first rows.

        Args:
            count: how many.
        """
        from lazyframe.checks import whole_number
        from lazyframe.dataframe import DataFrame

        return DataFrame(session.execute(Limit(self._plan, whole_number("count", count))))

    @public
    def show(self, count: int = 10) -> None:
        """Print the first rows.

        Args:
            count: how many.
        """
        from lazyframe.checks import whole_number
        from lazyframe.display.text import render_text

        table = session.execute(Limit(self._plan, whole_number("count", count) + 1))
        more = table.num_rows > count
        title = "first row" if count == 1 else f"first {count} rows"
        print(render_text(table.slice(0, count), max_rows=count, title=title if more else None))

    @public
    def count(self) -> int:
        """The number of rows.

        Example:
            >>> lf.from_dict({"x": [1, None]}).count()
            2
        """
        from lazyframe.planner.relations import Aggregate
        from lazyframe.planner.scalars import AggregateCall

        counted = Aggregate(self._plan, (), (("len", AggregateCall("len", ())),))
        return int(session.execute(counted).column(0)[0].as_py())

    @public
    def to_arrow(self) -> pa.Table:
        """The rows as a pyarrow table."""
        return session.execute(self._plan)

    @public
    def to_pandas(self, **options: Any) -> pd.DataFrame:
        """The rows as a pandas frame. Needs pandas.

        Args:
            options: handed to `pyarrow.Table.to_pandas`.
        """
        return self.to_arrow().to_pandas(**options)

    @public
    def to_polars(self) -> pl.DataFrame:
        """The rows as a polars frame. Needs polars."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())  # type: ignore[return-value]

    @public
    def to_numpy(self) -> np.ndarray:
        """The values as a matrix, one row a row; null is NaN in numbers. Numbers beside other values are objects.

        Example:
            >>> lf.from_dict({"x": [1, 2], "y": [3, 4]}).to_numpy().tolist()
            [[1, 3], [2, 4]]
        """
        import numpy as np

        columns = [column.to_numpy() for column in self.to_arrow().columns]
        if len({column.dtype.kind in "biuf" for column in columns}) > 1:
            # Numbers beside other values have no type in common but that of all objects.
            columns = [column.astype(object) for column in columns]
        return np.column_stack(columns) if columns else np.empty((self.count(), 0))

    @public
    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        table = self.to_arrow()
        return table.to_pylist() if table.num_columns else [{} for _ in range(table.num_rows)]

    @public
    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists, by name."""
        return self.to_arrow().to_pydict()

    @public
    def item(self) -> Any:
        """The one value of a frame of one row and one column.

        Raises:
            InvalidArgumentError: where it has more or fewer.
        """
        table = self.fetch(2).to_arrow()
        if table.num_rows != 1 or table.num_columns != 1:
            from lazyframe.planner.errors import InvalidArgumentError

            rows = "more than one row" if table.num_rows > 1 else counted(table.num_rows, "row")
            raise InvalidArgumentError(
                f"item() wants one row and one column, not {rows} of {counted(table.num_columns, 'column')}"
            )
        return table.column(0)[0].as_py()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    @public
    def sink_parquet(
        self,
        path: Path,
        *,
        compression: str = "zstd",
        row_group_rows: int | None = None,
        statistics: bool = True,
        partition_by: Sequence[str] | None = None,
        overwrite: bool = False,
    ) -> int:
        """Run the query and write its rows to a Parquet file, batch by batch. A reader never sees half of it.

        Args:
            path: the file, or the folder where `partition_by` is given.
            compression: `"zstd"`, `"snappy"`, `"gzip"`, `"lz4"`, `"brotli"` or `"none"`.
            row_group_rows: how many rows a row group has.
            statistics: whether to write each column's least and greatest value.
            partition_by: columns by whose values the rows are spread over subfolders `key=value`.
            overwrite: whether a folder that is not empty is replaced.

        Returns:
            The number of rows written.

        Raises:
            SinkError: where it cannot be written; then nothing of it is left.
        """
        options = _given(compression=compression, row_group_rows=row_group_rows, statistics=statistics)
        return session.write(self._plan, "parquet", path, {**options, **_partitioned(partition_by, overwrite)})

    @public
    def sink_csv(
        self,
        path: Path,
        *,
        separator: str = ",",
        header: bool = True,
        null: str = "",
        partition_by: Sequence[str] | None = None,
        overwrite: bool = False,
    ) -> int:
        """Run the query and write its rows to a CSV file. For what is not said here see `sink_parquet`.

        A name that ends in `.gz`, `.zst`, `.bz2` or `.lz4` makes it compressed.

        Args:
            path: the file.
            separator: what stands between values.
            header: whether the first line holds the names.
            null: how null is written.
            partition_by, overwrite: as for `sink_parquet`.
        """
        options = {"separator": separator, "header": header, "null": null}
        return session.write(self._plan, "csv", path, {**options, **_partitioned(partition_by, overwrite)})

    @public
    def sink_ipc(
        self,
        path: Path,
        *,
        compression: str = "lz4",
        partition_by: Sequence[str] | None = None,
        overwrite: bool = False,
    ) -> int:
        """Run the query and write its rows to an Arrow IPC file. For the arguments see `sink_parquet`."""
        options = {"compression": compression}
        return session.write(self._plan, "ipc", path, {**options, **_partitioned(partition_by, overwrite)})

    @public
    def sink_json(self, path: Path, *, partition_by: Sequence[str] | None = None, overwrite: bool = False) -> int:
        """Run the query and write its rows as JSON, one object a line. For the arguments see `sink_parquet`.

        JSON has no NaN and no infinities: they are written as null. A name that ends in `.gz`, `.zst`, `.bz2` or `.lz4`
        makes it compressed.
        """
        return session.write(self._plan, "json", path, _partitioned(partition_by, overwrite))

    @public
    def explain(
        self,
        *,
        optimized: bool = True,
        verbose: bool = False,
        analyze: bool = False,
        code: bool | Literal["llvm"] = False,
    ) -> str:
        """What will run, as a tree: each node reads from the nodes indented below it.

        Below stand the pipelines: which of them are compiled, and why the others are not.

        Args:
            optimized: whether to show the plan as the optimizer leaves it, or as it was written.
            verbose: whether to show each rule that fired before, with what it found and what it made.
            analyze: whether to run the query, and show the rows that each node gave beside those that were
                expected, how long the threads worked on it, and what was read.
            code: whether to run the query with all compiled that can be, and show what each kernel does; with `"llvm"`,
                what LLVM was given.

        Raises:
            InvalidArgumentError: where the plan as it was written is asked for together with what is known of the other, or
                `code` is something else.

        Example:
            >>> print(lf.from_dict({"x": [1, 2]}).select("x").filter(lf.col("x") > 1).explain())
            Scan in memory [x] where x > 1  ~1 rows
            pipelines: vectorized, as none is over 100,000 rows or more
        """
        from lazyframe.explaining import explain

        return explain(self._plan, optimized=optimized, verbose=verbose, analyze=analyze, code=code)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _partitioned(partition_by: Sequence[str] | None, overwrite: bool) -> Mapping[str, Any]:
    if partition_by is None:
        return {}
    columns = [partition_by] if isinstance(partition_by, str) else list(partition_by)
    return {"partition_by": columns, "overwrite": overwrite}
