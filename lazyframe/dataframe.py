"""The frame whose rows are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import Any

import pyarrow as pa

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.config import current
from lazyframe.eager import seen
from lazyframe.equality import same_rows
from lazyframe.frame import LazyFrame
from lazyframe.planner import arrow
from lazyframe.planner.errors import InvalidArgumentError, LazyValueError, column_not_found
from lazyframe.planner.held import restored
from lazyframe.planner.nouns import with_article
from lazyframe.planner.parameters import NO_VALUES
from lazyframe.planner.relations import Plan
from lazyframe.planner.types import BOOL
from lazyframe.verbs.several import frame_of


class DataFrame(LazyFrame):
    """Rows in memory, as an Arrow table. It has all verbs of a lazy frame, and they give lazy frames.

    Args:
        data: whatever holds rows: see `lf.from_arrow`.
        schema: types by column name, for all or some columns.

    Example:
        >>> df = lf.DataFrame({"x": [1, 2, 3]})
        >>> len(df), df["x"].to_pylist(), df[-1]
        (3, [1, 2, 3], {'x': 3})
    """

    __slots__ = ("_table",)

    @public
    def __init__(self, data: Any, schema: Mapping[str, Any] | None = None) -> None:
        if schema is not None and not isinstance(schema, Mapping):
            raise InvalidArgumentError(
                f"schema is a mapping of column names to types, not {with_article(type(schema).__name__)}",
                hint="write {'a': 'int64'}; columns get their names from the data: {'a': [1, 2], 'b': [3, 4]}",
            )
        table = data if isinstance(data, pa.Table) and schema is None else session.table_from(data, schema)
        super().__init__(session.memory_scan(table))
        self._table = table if table.schema.equals(self.schema.to_arrow(), check_metadata=False) else None

    @classmethod
    def _computed(cls, plan: Plan, values: Mapping[str, Any] = NO_VALUES) -> DataFrame:
        """The rows of a plan. For `values` see `session.ready`."""
        return cls._of_rows(session.execute(plan, values=values), plan)

    @classmethod
    def _of_rows(cls, table: pa.Table, plan: Plan) -> DataFrame:
        """Rows that were computed by a plan."""
        frame = cls.__new__(cls)
        LazyFrame.__init__(frame, session.memory_scan(table, schema=plan.schema))
        frame._table = table
        return frame

    @classmethod
    def _held(cls, plan: Plan, run: Plan) -> DataFrame:
        """The rows of a plan, which stays known. What runs is `run`: the plan, or the plan over some rows."""
        table = session.execute(run)
        frame = cls._over(session.memory_scan(table, schema=plan.schema, made_by=restored(plan)))
        frame._table = table
        return frame

    @classmethod
    def _over(cls, plan: Plan) -> DataFrame:
        """The frame whose plan is a table in memory, or stands for one."""
        frame = cls.__new__(cls)
        LazyFrame.__init__(frame, plan)
        frame._table = None
        return frame

    def to_arrow(self) -> pa.Table:
        """The rows as a pyarrow table."""
        if self._table is None:
            self._table = session.execute(self._plan)
        return self._table

    @public
    def collect(self, /, **parameters: Any) -> DataFrame:
        """The frame itself, whose rows are in memory; where values for parameters are given, its query with these."""
        return self._computed(seen(self._written), parameters) if parameters else self

    def __reduce__(self) -> tuple[Any, ...]:
        return DataFrame._over, (self._plan,)

    def __len__(self) -> int:
        return self.to_arrow().num_rows

    @public
    def __bool__(self) -> bool:
        if self.shape == (1, 1) and self.dtypes[0] == BOOL:
            raise LazyValueError(
                "is it the one value that counts here, or that there is a row?",
                hint="write frame.item() for the value, or len(frame) > 0",
            )
        return len(self) > 0

    @public
    def __float__(self) -> float:
        return float(self.item())

    @public
    def __int__(self) -> int:
        return int(self.item())

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        return len(self), len(self.schema)

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.schema)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.to_numpy() if dtype is None else self.to_numpy().astype(dtype)

    @public
    def equals(self, other: Any) -> bool:
        """Whether two frames have the same columns, in the same order and of the same types, and the same rows.

        Null equals null and NaN equals NaN.

        Args:
            other: a frame, or whatever holds rows.

        Example:
            >>> lf.DataFrame({"x": [1, None]}).equals(lf.DataFrame({"x": [1, None]}))
            True
        """
        theirs = frame_of(other)
        if (self.columns, self.dtypes) != (theirs.columns, theirs.dtypes):
            return False
        return same_rows(self.to_arrow(), theirs.to_arrow())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, as dicts."""
        for batch in self.to_arrow().to_batches():
            yield from batch.to_pylist()

    @public
    def __getitem__(self, key: Any) -> Any:
        """A column, a row, a value or a smaller frame.

        `df["x"]` is a column as an Arrow array, `df[3]` a row as a dict, `df[3, "x"]` one value; `df[2:5]` and
        `df[["x", "y"]]` are frames.
        """
        table = self.to_arrow()
        match key:
            case str():
                self._check(key)
                return table.column(key)
            case bool() | (bool(), _):
                pass
            case Integral():
                return self._row(int(key))
            case slice():
                start, stop, step = key.indices(len(self))
                if step == 1:
                    return DataFrame(table.slice(start, max(stop - start, 0)))
                return DataFrame(table.take(arrow.array(range(start, stop, step), pa.int64())))
            case list() if all(isinstance(name, str) for name in key):
                for name in key:
                    self._check(name)
                return DataFrame(table.select(key))
            case (Integral() as row, str() as name):
                self._check(name)
                return self._row(int(row))[name]
        raise InvalidArgumentError(
            f"a frame has no item {key!r}",
            hint="write df['x'], df[3], df[2:5], df[['x', 'y']], df[3, 'x'], or filter()",
        )

    def _check(self, name: str) -> None:
        if name not in self.schema:
            raise column_not_found(name, self.columns)

    def _row(self, index: int) -> dict[str, Any]:
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"row {index} of a frame of {count} rows")
        (row,) = self.to_arrow().slice(index % count, 1).to_pylist() or [{}]
        return row

    # The rows are there: they are written rather than run.
    write_parquet = LazyFrame.sink_parquet
    write_csv = LazyFrame.sink_csv
    write_ipc = LazyFrame.sink_ipc
    write_json = LazyFrame.sink_json

    def __repr__(self) -> str:
        from lazyframe.display.text import render_text

        return render_text(self.to_arrow(), max_rows=current().max_rows)

    def _repr_html_(self) -> str:
        from lazyframe.display.html import render_html

        return render_html(self.to_arrow(), max_rows=current().max_rows)
