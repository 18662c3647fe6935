"""Prepared queries: planned once, and run as often as wanted with other values for their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.eager import made
from lazyframe.frame import LazyFrame
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.graph import unified
from lazyframe.planner.nouns import counted, with_article
from lazyframe.planner.parameters import Parameters
from lazyframe.planner.relations import Plan
from lazyframe.planner.schema import Schema
from lazyframe.planner.substitution import needs_literals, partly_bound, substituted, with_placeholders
from lazyframe.planner.types import type_name

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from lazyframe.dataframe import DataFrame
    from lazyframe.query import Batches, Query


class PreparedQuery:
    """A query that is planned: what it runs with are the values of its parameters. `lf.prepare` makes it.

    It never changes, so that several threads may run it at once. Values are given by the names of the parameters; those of
    `?` in SQL in their order. A parameter that is not given has the value of its own, read when the run starts.
    """

    __slots__ = ("_frame", "_known", "_needs_literals", "_optimized", "_parameters")

    def __init__(self, frame: LazyFrame) -> None:
        self._frame = frame
        (self._optimized,) = unified([session.planned(frame._plan)])
        self._parameters = Parameters([frame._plan])
        self._needs_literals = needs_literals(self._optimized)
        self._known: dict[Any, Any] = {}

    def __repr__(self) -> str:
        named = ", ".join([f"{name}: {shown}" for name, shown in self.parameters.items()])
        return f"PreparedQuery({named}) -> {', '.join(self.schema.names)}"

    @property
    def parameters(self) -> dict[str, str]:
        """The names of the parameters, and of what types they are.

        Example:
            >>> frame = lf.from_dict({"x": [1, 2]}).filter(lf.col("x") > lf.param("least"))
            >>> lf.prepare(frame).parameters
            {'least': 'int64'}
        """
        return {
            name: " or ".join(dict.fromkeys([type_name(each.dtype) for each in found]))
            for name, found in self._parameters.by_name.items()
        }

    @property
    def schema(self) -> Schema:
        """The names, types and nullability of the columns."""
        return self._frame.schema

    def _ready(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> Plan:
        """The plan with values in it."""
        literals = self._parameters.literals(self._by_name(given, named) if given else named)
        if not literals:
            return self._optimized
        (found,) = substituted([self._optimized], literals)
        return found

    def _by_name(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        numbered = [name for name in self._parameters.by_name if name.isdecimal()]
        if len(given) != len(numbered):
            hint = "give values by name: collect(x=...)" if not numbered else None
            raise InvalidArgumentError(
                f"the query has {counted(len(numbered), 'parameter')} without a name, not {len(given)}", hint=hint
            )
        return {**{str(number): value for number, value in enumerate(given, 1)}, **named}

    @public
    def collect(self, /, *values: Any, **parameters: Any) -> DataFrame:
        """Run the query.

        Args:
            values: of `?` and `$1` in SQL, in their order.
            parameters: values by name.

        Raises:
            InvalidArgumentError: for a parameter without a value, a name that none has, or a value of another type.

        Example:
            >>> query = lf.prepare("select x from frame where x > ?", frame=lf.from_dict({"x": [1, 2, 3]}))
            >>> query.collect(1).to_dicts(), query.collect(2).to_dicts()
            ([{'x': 2}, {'x': 3}], [{'x': 3}])
        """
        from lazyframe.dataframe import DataFrame

        return DataFrame._of_rows(self.to_arrow(*values, **parameters), self._frame._plan)

    @public
    def to_arrow(self, /, *values: Any, **parameters: Any) -> pa.Table:
        """The rows as a pyarrow table. For the arguments see `collect`."""
        literals = self._parameters.literals(self._by_name(values, parameters) if values else parameters)
        plan = with_placeholders(self._optimized, literals) if self._needs_literals else self._optimized
        return session.run(plan, self._frame._plan, literals, self._known)

    @public
    def to_pandas(self, /, *values: Any, **parameters: Any) -> pd.DataFrame:
        """The rows as a pandas frame. For the arguments see `collect`."""
        return self.collect(*values, **parameters).to_pandas()

    @public
    def to_polars(self, /, *values: Any, **parameters: Any) -> pl.DataFrame:
        """The rows as a polars frame. For the arguments see `collect`."""
        return self.collect(*values, **parameters).to_polars()

    @public
    def to_dicts(self, /, *values: Any, **parameters: Any) -> list[dict[str, Any]]:
        """The rows as dicts. For the arguments see `collect`."""
        return self.collect(*values, **parameters).to_dicts()

    @public
    def to_dict(self, /, *values: Any, **parameters: Any) -> dict[str, list[Any]]:
        """The columns as lists, by name. For the arguments see `collect`."""
        return self.to_arrow(*values, **parameters).to_pydict()

    @public
    def item(self, /, *values: Any, **parameters: Any) -> Any:
        """The one value of a query that gives one row of one column. For the arguments see `collect`.

        Raises:
            InvalidArgumentError: where it gives more or fewer.
        """
        return self.collect(*values, **parameters).item()

    @public
    def collect_batches(self, /, *values: Any, **parameters: Any) -> Batches:
        """The rows batch by batch, while the query runs. For the arguments see `collect`."""
        from lazyframe.query import Batches

        return Batches(self._ready(values, parameters), optimize=False)

    @public
    def submit(self, /, *values: Any, **parameters: Any) -> Query:
        """Run the query in the background. For the arguments see `collect`."""
        from lazyframe.query import Query

        return Query(self._ready(values, parameters), optimize=False)

    @public
    def bind(self, /, *values: Any, **parameters: Any) -> LazyFrame:
        """A frame with values for the parameters, or for some of them: it has all other verbs and actions.

        Example:
            >>> query = lf.prepare(lf.from_dict({"x": [1, 2, 3]}).filter(lf.col("x") > lf.param("least")))
            >>> query.bind(least=1).select(lf.col("x").sum()).item()
            5
        """
        given = self._by_name(values, parameters) if values else parameters
        return made(partly_bound(self._frame._plan, given))

    @public
    def explain(self, **options: Any) -> str:
        """What will run. For the arguments see `LazyFrame.explain`; `analyze` runs with the values that the parameters have."""
        return self._frame.explain(**options)


@public
def prepare(
    query: LazyFrame | str, /, dialect: str = "duckdb", params: Any = None, **frames_or_params: Any
) -> PreparedQuery:
    """Plan a query now, to run it later with other values for its parameters.

    Args:
        query: a frame in which `lf.param` stands, or a query in SQL with `$name`, `:name` or `?`.
        dialect, params, frames_or_params: as for `lf.sql`. Parameters that are not given here are given when the query runs.

    Raises:
        InvalidArgumentError: where two parameters are called the same, where nothing says of what type one is, or for SQL that
            is no single query.
        LazyFrameError: for whatever is wrong in the SQL, at its place.

    Example:
        >>> frame = lf.from_dict({"x": [1, 2, 3], "y": [1.0, 2.0, 3.0]})
        >>> query = lf.prepare("select sum(y * $w) as total from frame where x >= $least", frame=frame)
        >>> query.collect(w=2, least=2).item(), query.collect(w=0.5, least=3).item()
        (10.0, 1.5)
    """
    if isinstance(query, str):
        from lazyframe.sql import default_session
        from lazyframe.sql.caller import caller_scopes

        scopes = caller_scopes()
        return PreparedQuery(default_session()._prepared(query, dialect, params, frames_or_params, lambda: scopes))
    if not isinstance(query, LazyFrame):
        raise InvalidArgumentError(
            f"prepare() takes a frame or SQL, not {with_article(type(query).__name__)}", hint="write lf.prepare(frame)"
        )
    if frames_or_params or params is not None:
        raise InvalidArgumentError(
            "a frame is prepared as it is", hint="write lf.prepare(frame.bind(...)), or give the values when it runs"
        )
    return PreparedQuery(query.lazy())
