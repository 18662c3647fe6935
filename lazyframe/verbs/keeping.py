"""The user's own code in a query, and results that are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from lazyframe.actions import Path
from lazyframe.boundary import public
from lazyframe.checks import wanted_type
from lazyframe.eager import mode
from lazyframe.planner.errors import (
    InvalidArgumentError,
)
from lazyframe.planner.parameters import Parameters, has_parameters, learned_tables
from lazyframe.planner.relations import (
    Cache,
    MapBatches,
)
from lazyframe.planner.schema import Schema
from lazyframe.planner.substitution import partly_bound
from lazyframe.verbs.core import Core

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame

P = ParamSpec("P")
T = TypeVar("T")


class Keeping(Core):
    """The verbs of functions and of kept results."""

    __slots__ = ()

    def pipe(self, function: Callable[Concatenate[LazyFrame, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`function(self, *args, **kwargs)`: to write a function of frames as one of the steps."""
        return function(cast("LazyFrame", self), *args, **kwargs)

    @public
    def map_batches(self, function: Callable[[Any], Any], schema: Any = None, *, streaming: bool = False) -> LazyFrame:
        """A Python function from an Arrow table to an Arrow table, or to whatever exports one.

        Args:
            function: called with a `pyarrow.Table` of all rows, or of some where `streaming`.
            schema: the columns that it gives: a mapping of names to types, or a pyarrow schema; by default those of this
                frame, all nullable.
            streaming: whether it can be called with batches of rows, in several threads.

        Raises:
            UserFunctionError: when it runs and raises, or gives something else than it declares.

        Example:
            >>> df = lf.from_dict({"x": [1, 2]})
            >>> df.map_batches(lambda table: table.slice(1)).to_dicts()
            [{'x': 2}]
        """
        if not callable(function):
            raise InvalidArgumentError(f"map_batches() takes a function, not {type(function).__name__}")
        return self._with(MapBatches(self._plan, function, declared(schema, self._plan.schema), streaming))

    @public
    def cache(self) -> LazyFrame:
        """The same rows, which the first query that needs them keeps in memory for the others.

        Raises:
            InvalidArgumentError: where they depend on a parameter, whose value may be another one for the next query.

        Example:
            >>> df = lf.from_dict({"x": [1, 2]}).filter(lf.col("x") > 1).cache()
            >>> df.count(), df.count()
            (1, 1)
        """
        from lazyframe import session

        written = self._written
        if has_parameters(written):
            tables = [known.cell.name for known in learned_tables(written)]
            names = ", ".join(map(repr, [*Parameters([written]).by_name, *tables]))
            raise InvalidArgumentError(
                f"rows that depend on parameters ({names}) cannot be kept for queries with other values",
                hint="write cache() before the parameter is used, or bind(...) it to a value first",
            )
        if mode.get() is not None:
            return self._with(self._plan)  # which keeps the rows
        return self._with(Cache(self._plan, session.cache_slot()))

    @public
    def bind(self, /, **parameters: Any) -> LazyFrame:
        """The same query with values for its parameters, or for some of them. Nothing runs.

        Args:
            parameters: values by the names of the parameters (`lf.param`).

        Raises:
            InvalidArgumentError: for a name that no parameter has, or a value of another type.

        Example:
            >>> query = lf.from_dict({"x": [1, 2, 3]}).filter(lf.col("x") >= lf.param("least"))
            >>> query.bind(least=2).count()
            2
        """
        return self._with(partly_bound(self._written, parameters))

    @public
    def checkpoint(self, path: Path) -> LazyFrame:
        """Run the query, write its rows to a Parquet file, and go on from that file.

        Args:
            path: the file, which is replaced if it exists.

        Returns:
            A frame over the file.
        """
        from lazyframe import session

        session.write(self._plan, "parquet", path, {"compression": "zstd"})
        return self._with(session.file_source("parquet", path, {}))

    @public
    def lazy(self) -> LazyFrame:
        """The same rows as a lazy frame; of a frame whose verbs have run at once (`lf.eager`) the query, which has not run.

        Example:
            >>> with lf.eager():
            ...     df = lf.from_dict({"x": [1, 2]}).filter(lf.col("x") > 1)
            >>> print(df.lazy().explain(optimized=False))
            Filter x > 1
              Scan in memory [x]
        """
        from lazyframe.frame import LazyFrame

        return LazyFrame(self._written)


def declared(schema: Any, default: Schema) -> tuple[tuple[str, Any, bool], ...]:
    """The columns that a user's function declares."""
    if schema is None:
        return tuple((f.name, f.dtype, True) for f in default)
    if isinstance(schema, Mapping):
        return tuple((name, wanted_type(dtype), True) for name, dtype in schema.items())
    if isinstance(schema, Schema):
        return tuple((f.name, f.dtype, f.nullable) for f in schema)
    if hasattr(schema, "names") and hasattr(schema, "types"):
        return tuple((f.name, wanted_type(f.type), f.nullable) for f in schema)
    raise InvalidArgumentError(
        f"a schema is a mapping of names to types or a pyarrow schema, not {type(schema).__name__}"
    )
