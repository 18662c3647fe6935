"""What gradients are asked by, the plan of a loss with all of them, and what is read from its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.planner.cells import Cell
from lazyframe.planner.gradients.losses import Element, Walked
from lazyframe.planner.gradients.refusals import unreached
from lazyframe.planner.gradients.terms import ZERO
from lazyframe.planner.gradients.together import together
from lazyframe.planner.relations import Plan, Project
from lazyframe.planner.scalars import Parameter, Scalar
from lazyframe.planner.sources import Learned


class Wanted(NamedTuple):
    """What a gradient is asked by: a parameter, a part of one that is an array, or a table.

    Args:
        cell: where the value is.
        place: of the part.
        learned: the columns of the table.
        owner: the table as the user has it.
    """

    cell: Cell
    place: tuple[int, ...] = ()
    learned: Learned | None = None
    owner: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the gradient."""
        return self.cell.shape[len(self.place) :]

    @property
    def label(self) -> str:
        """What messages call it."""
        return self.cell.label(self.place)

    def elements(self) -> list[Element]:
        """What the walk backwards knows it by, unless it is a table."""
        if self.learned is not None:
            return []
        identity = self.cell.identity()
        return [Element(identity, (*self.place, *each)) for each in np.ndindex(*self.shape)]


def asked_by(wanted: Sequence[Wanted]) -> Callable[[Parameter | Learned], bool]:
    """Whether a gradient by a parameter, or by a table, is asked for."""
    identities = {each.cell.identity() for each in wanted}
    return lambda parameter: parameter.cell.identity() in identities


def value_and_gradients(backwards: Walked, wanted: Sequence[Wanted]) -> Plan:
    """The plan of a loss with its gradients: a row whose first column is the loss, and then one for each element.

    Where some are by tables, it is what `together` makes of that row and of theirs.
    """
    columns: list[tuple[str, Scalar]] = [("loss", backwards.value)]
    for each in wanted:
        check_reached(each, backwards)
        for element in each.elements():
            columns.append((f"gradient:{len(columns)}", backwards.gradients.get(element, ZERO)))
    numbers = Project(backwards.rows, tuple(columns))
    tables = [(each.learned, backwards.tables[each.cell.identity()]) for each in wanted if each.learned is not None]
    return together(numbers, tables) if tables else numbers


def read(table: pa.Table, wanted: Sequence[Wanted]) -> tuple[Any, list[Any]]:
    """The loss, and the gradients, from the rows of what `value_and_gradients` made."""
    if any([each.learned is not None for each in wanted]):
        return _read_parts(table, wanted)
    return _read_row([column[0].as_py() for column in table.columns] if table.num_rows else [None], wanted)


def _read_row(row: Sequence[float | None], wanted: Sequence[Wanted]) -> tuple[Any, list[Any]]:
    value, *flat = row
    if value is None:
        return None, [None] * len(wanted)
    found: list[Any] = []
    for each in wanted:
        count = len(each.elements())
        own, flat = flat[:count], flat[count:]
        if each.learned is not None:
            found.append(np.zeros(each.shape))
        else:
            found.append(np.array(own, dtype=np.float64).reshape(each.shape) if each.shape else own[0])
    return float(value), found


def _read_parts(table: pa.Table, wanted: Sequence[Wanted]) -> tuple[Any, list[Any]]:
    part, row = table.column("part").to_numpy(), table.column("row").to_numpy()
    columns = table.columns[2:]
    first = np.flatnonzero(part == 0)
    numbers = [each[int(first[0])].as_py() for each in columns] if len(first) else [None]
    value, found = _read_row(numbers, wanted)
    if value is None:
        return None, found
    tables = [number for number, each in enumerate(wanted) if each.learned is not None]
    for number, place in enumerate(tables, 1):
        rows = np.flatnonzero(part == number)
        # Null is what nothing has reached.
        values = [column.take(pa.array(rows)).fill_null(0.0).to_numpy() for column in columns[: wanted[place].shape[1]]]
        found[place][row[rows]] = np.column_stack(values)
    return value, found


def check_reached(each: Wanted, backwards: Walked) -> None:
    """Raise where the loss does not move with what a gradient is asked by."""
    if each.learned is not None:
        if each.cell.identity() not in backwards.tables:
            raise unreached(f"the table {each.label!r}", "the loss", backwards.stops)
    elif not any([element in backwards.gradients for element in each.elements()]):
        raise unreached(f"the parameter {each.label!r}", "the loss", backwards.stops)
