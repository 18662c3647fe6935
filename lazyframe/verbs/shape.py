"""Columns that become rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lazyframe.boundary import public
from lazyframe.checks import check_choice
from lazyframe.expr import (
    IntoExpr,
)
from lazyframe.planner.build import projection
from lazyframe.planner.errors import (
    InvalidArgumentError,
    TypeMismatchError,
)
from lazyframe.planner.relations import (
    Explode,
    Project,
    Unpivot,
)
from lazyframe.planner.relations.project import choose, column, renamed
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.types import common_type, is_list, type_name
from lazyframe.verbs.core import Core

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


class Shape(Core):
    """The verbs of shape."""

    __slots__ = ()

    @public
    def explode(self, *columns: IntoExpr | Iterable[IntoExpr], keep_empty: bool = True) -> LazyFrame:
        """A row for each item of list columns; an empty list and null give one row with null.

        Args:
            columns: names of list columns; several must have lists of the same lengths.
            keep_empty: whether an empty list and null give a row; otherwise they give none.

        Example:
            >>> lf.from_dict({"k": ["a", "b"], "x": [[1, 2], []]}).explode("x").to_dicts()
            [{'k': 'a', 'x': 1}, {'k': 'a', 'x': 2}, {'k': 'b', 'x': None}]
        """
        names = self._all_names(columns)
        for name in names:
            if not is_list(self.schema[name]):
                raise TypeMismatchError(f"{name!r} is {type_name(self.schema[name])}, not a list")
        if not names:
            raise InvalidArgumentError("explode() takes the names of list columns")
        return self._with(Explode(self._plan, tuple(names), keep_empty=keep_empty, equal_lengths=True))

    @public
    def unpivot(
        self,
        on: Any = None,
        *,
        index: Any = None,
        variable_name: str = "variable",
        value_name: str = "value",
        keep_nulls: bool = True,
    ) -> LazyFrame:
        """For each row one row a column: its name and its value.

        Args:
            on: the columns that become rows; all that are not in `index` by default.
            index: the columns that stay.
            variable_name, value_name: the names of the two new columns.
            keep_nulls: whether there are rows for values that are null.

        Example:
            >>> lf.from_dict({"k": [1], "a": [2], "b": [3]}).unpivot(index="k").to_dicts()
            [{'k': 1, 'variable': 'a', 'value': 2}, {'k': 1, 'variable': 'b', 'value': 3}]
        """
        kept = [] if index is None else self._all_names(index)
        chosen = self._all_names(on) if on is not None else [name for name in self.columns if name not in kept]
        if not chosen:
            raise InvalidArgumentError("unpivot() has no columns to turn into rows")
        schema = self._plan.schema
        target = schema[chosen[0]]
        for name in chosen:
            wider = common_type(target, schema[name])
            if wider is None:
                raise TypeMismatchError(
                    f"{chosen[0]!r} is {type_name(target)} and {name!r} {type_name(schema[name])}: "
                    "they cannot stand in one column",
                    hint="cast them to one type before",
                )
            target = wider
        hint = "give other names: variable_name=, value_name="
        projection.check_distinct([*kept, variable_name, value_name], (), hint)
        # A column may both stay and become rows: what stays then has another name meanwhile.
        taken = [*schema.names, variable_name, value_name]
        inner = {name: fresh_name(f"{name}:index", taken) if name in chosen else name for name in kept}
        exprs: list[tuple[str, Scalar]] = [(inner[name], column(schema, name)) for name in kept]
        exprs += [(name, cast(column(schema, name), target)) for name in dict.fromkeys(chosen)]
        same = all(schema[name] == target for name in chosen) and not set(kept) & set(chosen)
        wide = choose(self._plan, [*kept, *dict.fromkeys(chosen)]) if same else Project(self._plan, tuple(exprs))
        long = Unpivot(wide, tuple(chosen), tuple(inner.values()), variable_name, value_name, keep_nulls)
        return self._with(renamed(long, {meanwhile: name for name, meanwhile in inner.items()}))

    @public
    def pivot(
        self,
        on: Any,
        on_columns: Iterable[Any] | None = None,
        *,
        index: Any = None,
        values: Any = None,
        aggregate_function: str | None = None,
        sort_columns: bool = False,
        separator: str = "_",
    ) -> LazyFrame:
        """The values of some columns as columns of their own: one row for each different index.

        Which values there are must be known to know the schema. Without `on_columns` a query is run at once to find them;
        with it nothing runs, and rows with other values only count for the index.

        Args:
            on: the columns whose values become columns.
            on_columns: those values; tuples where `on` has several columns.
            index: the columns that stay; by default all that are neither in `on` nor in `values`.
            values: the columns that are aggregated; by default all that are neither in `on` nor in `index`.
            aggregate_function: what becomes of the rows of one cell: `"min"`, `"max"`, `"first"`, `"last"`, `"sum"`,
                `"mean"`, `"median"`, `"len"`, `"count"`, `"n_unique"` or `"list"`. By default there may be one row a cell.
            sort_columns: whether found values are sorted; otherwise they come in order of first appearance.
            separator: what stands between the names of a column and of a value, where several columns are aggregated.

        Raises:
            EvaluationError: when it runs, where a cell has several rows and no aggregate function is given.

        Example:
            >>> df = lf.from_dict({"k": ["a", "a", "b"], "on": ["x", "y", "x"], "v": [1, 2, 3]})
            >>> df.pivot("on", index="k", values="v", aggregate_function="sum").to_dicts()
            [{'k': 'a', 'x': 1, 'y': 2}, {'k': 'b', 'x': 3, 'y': None}]
        """
        from lazyframe.pivoting import AGGREGATES, calls_of, found_values, given_values, pivot_plan

        if aggregate_function is not None:
            check_choice("aggregate_function", aggregate_function, AGGREGATES)
        chosen = self._all_names(on)
        if not chosen:
            raise InvalidArgumentError("pivot() takes the names of columns whose values become columns")
        if index is None and values is None:
            raise InvalidArgumentError("pivot() takes an index or values", hint="name the columns that stay: index=")
        kept = None if index is None else self._all_names(index)
        parts = None if values is None else self._all_names(values)
        if parts is None:
            parts = [name for name in self.columns if name not in chosen and name not in (kept or ())]
        if kept is None:
            kept = [name for name in self.columns if name not in chosen and name not in parts]
        if not parts:
            raise InvalidArgumentError("pivot() has no columns of values")
        if on_columns is None:
            wanted = found_values(self._plan, chosen, sort=sort_columns)
        else:
            wanted = given_values(self._plan, chosen, on_columns)
        calls = calls_of(self._plan, parts, aggregate_function)
        return self._with(
            pivot_plan(self._plan, chosen, kept, calls, wanted, separator=separator, single=aggregate_function is None)
        )

    @public
    def describe(self, *, percentiles: Sequence[float] = (0.25, 0.5, 0.75)) -> LazyFrame:
        """A row for each column: how many values and nulls it has, its mean, spread, extremes and quantiles.

        Args:
            percentiles: the quantiles to give, from 0 to 1.

        Example:
            >>> lf.from_dict({"x": [1, 2, None]}).describe().select("column", "count", "nulls", "mean").to_dicts()
            [{'column': 'x', 'count': 2, 'nulls': 1, 'mean': 1.5}]
        """
        from lazyframe.describing import described

        return self._with(described(self._plan, tuple(percentiles)))
