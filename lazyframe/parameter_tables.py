"""Tables that are learned: a frame whose columns of floats are the elements of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.checks import check_name
from lazyframe.dataframe import DataFrame
from lazyframe.frame import LazyFrame
from lazyframe.parameters import Param
from lazyframe.planner.cells import Cell
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.relations import Plan, Project
from lazyframe.planner.relations.project import column, columns
from lazyframe.planner.schema import Field, Schema, fresh_name
from lazyframe.planner.sources import Learned
from lazyframe.planner.types import FLOAT64, is_float, type_name


class ParamTable(Param, LazyFrame):
    """A frame of which some columns are learned, which `lf.param_table` makes. It has all verbs of a frame.

    Its `shape` is that of the array of what is learned: the number of rows and of columns.
    """

    __slots__ = ("_cell", "_learned", "_still")

    def __init__(self, name: str, table: pa.Table, key: Sequence[str]) -> None:
        learned = [field.name for field in table.schema if field.name not in key and is_float(field.type)]
        self._still = table.select([name for name in table.column_names if name not in learned])
        self._cell = Cell(name, FLOAT64, (table.num_rows, len(learned)), _values(name, table, learned))
        row = fresh_name("row", table.column_names)
        self._learned = Learned(self._cell, row, tuple(learned))
        numbered = self._with_values(self._cell.value).add_column(0, row, pa.array(np.arange(table.num_rows)))
        known = LazyFrame(session.memory_scan(numbered)).schema
        fields = [Field(f.name, f.dtype, f.nullable and f.name not in (row, *key, *learned)) for f in known]
        scan = session.learned_scan(numbered, self._learned, Schema(fields))
        named = [(name, scalar) for name, scalar in columns(scan) if name != row]
        LazyFrame.__init__(self, Project(scan, tuple(named)))

    def _with_values(self, values: np.ndarray) -> pa.Table:
        """The table with other values of what is learned."""
        table = self._still
        for number, name in enumerate(self._learned.columns):
            table = table.append_column(pa.field(name, pa.float64(), nullable=False), pa.array(values[:, number]))
        return table

    def __repr__(self) -> str:
        rows = self._cell.shape[0]
        return f"param_table({self._cell.name!r}), {rows} rows that learn {', '.join(self._learned.columns)}"

    @property
    def grad_fn(self) -> None:
        """None: nothing was computed to get a parameter."""
        return

    @property
    def value(self) -> DataFrame:
        """The rows as they are now. It may be set, to an array of the `shape`."""
        return DataFrame(self._with_values(self._cell.value))

    @value.setter
    @public
    def value(self, value: Any) -> None:
        self._set_value(value)

    @property
    def grad(self) -> DataFrame | None:
        """The gradient that `backward()` has left: a table of the same keys, and in the place of values their gradients."""
        grad = self._cell.grad
        return None if grad is None else self._frame_of(grad)

    @grad.setter
    def grad(self, grad: Any) -> None:
        self._cell.grad = grad

    def _frame_of(self, gradient: np.ndarray) -> DataFrame:
        return DataFrame(self._with_values(gradient))

    def _gradient_plan(self, found: Plan) -> Plan:
        """The table of gradients as a plan, from what reaches the rows that anything does."""
        from lazyframe.planner.gradients.terms import filled
        from lazyframe.planner.relations import Join

        scan = self._plan.children()[0]
        names = {name: fresh_name(name, scan.schema.names) for name in found.schema.names}
        reached = Project(found, tuple([(names[name], scalar) for name, scalar in columns(found)]))
        row = self._learned.row
        rows = Join(scan, reached, "left", (column(scan.schema, row),), (column(reached.schema, names[row]),))
        return Project(
            rows,
            tuple([
                (name, filled(column(rows.schema, names[name])) if name in self._learned.columns else scalar)
                for name, scalar in columns(scan)
                if name != row
            ]),
        )  # fmt: skip


@public
def param_table(name: str, rows: Any, key: str | Sequence[str]) -> ParamTable:
    """A table that is learned: a row of parameters for each key, which a loss finds by a join.

    Args:
        name: what messages call it.
        rows: a frame, or whatever `lf.DataFrame` takes. All columns of floats that are no key are learned, as float64; the
            others stay as they are.
        key: the column or columns that tell the rows apart.

    Returns:
        A frame of the same columns, which has the values of the moment in each run. It is a parameter as well: optimizers and
        `lf.fit` take it, `value` are its rows, and its gradient is a table with the same keys.

    Raises:
        InvalidArgumentError: where a key is missing or comes twice, a value is null, or nothing is there to learn.

    Example:
        >>> rated = lf.from_dict({"user": ["a", "a", "b"], "stars": [4.0, 5.0, 1.0]})
        >>> users = lf.param_table("users", {"user": ["a", "b", "c"], "mean": [0.0, 0.0, 0.0]}, key="user")
        >>> loss = rated.join(users, on="user").select(((lf.col("stars") - lf.col("mean")) ** 2).sum())
        >>> value, (gradient,) = lf.value_and_grad(loss, [users])
        >>> value, gradient.to_dicts()
        (42.0, [{'user': 'a', 'mean': -18.0}, {'user': 'b', 'mean': -2.0}, {'user': 'c', 'mean': 0.0}])
        >>> history = lf.fit(loss, [users], lf.optim.SGD([users], lr=0.25), steps=40)
        >>> users.filter(lf.col("user") != "c").select("user", lf.col("mean").round(6)).to_dict()
        {'user': ['a', 'b'], 'mean': [4.5, 1.0]}
    """
    check_name("a parameter", name)
    keys = [key] if isinstance(key, str) else list(key)
    table = rows.collect().to_arrow() if isinstance(rows, LazyFrame) else DataFrame(rows).to_arrow()
    for each in keys:
        if each not in table.column_names:
            raise InvalidArgumentError(
                f"the table {name!r} has no column {each!r} for a key", hint=f"it has {', '.join(table.column_names)}"
            )
    if not keys:
        raise InvalidArgumentError(f"the table {name!r} needs a key", hint="write key='id'")
    _check_keys(name, table, keys)
    if not any([field.name not in keys and is_float(field.type) for field in table.schema]):
        others = [f"{f.name!r} is {type_name(f.type)}" for f in table.schema if f.name not in keys]
        raise TypeMismatchError(
            f"the table {name!r} has no column of floats besides its key"
            + (f": {', '.join(others)}" if others else ""),
            hint="only floats are learned: give their first values as 0.0, or cast them",
        )
    return ParamTable(name, table.combine_chunks(), keys)


def _check_keys(name: str, table: pa.Table, keys: list[str]) -> None:
    for each in keys:
        if table.column(each).null_count:
            raise InvalidArgumentError(f"the key {each!r} of the table {name!r} is null in some rows")
    if LazyFrame(session.memory_scan(table.select(keys))).unique().count() != table.num_rows:
        raise InvalidArgumentError(
            f"the key of the table {name!r} comes several times: {', '.join(keys)}",
            hint="a row of parameters is found by its key, which must be its own: use unique() or group_by() first",
        )


def _values(name: str, table: pa.Table, learned: Sequence[str]) -> np.ndarray:
    if table.num_rows == 0:
        raise InvalidArgumentError(f"the table {name!r} has no rows to learn")
    for each in learned:
        if table.column(each).null_count:
            raise InvalidArgumentError(
                f"the column {each!r} of the table {name!r} is null in some rows", hint="fill_null() gives them a value"
            )
    return np.column_stack([table.column(each).cast(pa.float64()).to_numpy() for each in learned])
