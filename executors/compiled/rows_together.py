"""Rows that kernels take `LANES` at a time.

Where nothing happens to rows before they are aggregated, those that follow each other are loaded together. What goes through a filter or
a join comes one by one: its columns are put side by side in a small buffer, and taken together when this is full. Either way rows are left in the end
that are too few, and taken one by one. What is asked of strings is put into the buffer instead of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Sequence

from lazyframe.executors.compiled.datum import Datum, Number, is_text
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.functions import elementary
from lazyframe.executors.compiled.kinds import BOOL, I64, U8
from lazyframe.executors.compiled.program import Writing
from lazyframe.executors.compiled.segment import pushed
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.stages import CountStage, ProjectStage, Stage
from lazyframe.executors.compiled.values import Pointer, RowByRow, Together, Value
from lazyframe.executors.vectorized.aggregates.groups import LANES
from lazyframe.planner.scalars import Call, Column, Scalar, is_total, structure
from lazyframe.planner.types import DataType

Take = Callable[[Row, Value], None]
"""Writes what takes a row, or several, of which the place among all that are taken is given."""

Way = Callable[[Writing, Sequence[Stage], Sequence[Scalar], Take, Callable[[], None], Take], Value]

_WORTH = 3
"""Buffering pays where so many times as many operations follow as there are columns."""

_OPERATIONS = 10
"""An elementary function takes as long as so many."""


def ways(stages: Sequence[Stage]) -> list[Way]:
    """The ways in which rows may be taken together, the faster first; one may raise `RowByRow` where it cannot, or had better not."""
    return [buffered] if _first_behind(stages) else [loaded, buffered]


def _first_behind(stages: Sequence[Stage]) -> int:
    """The number of the first stage from which on every row goes on."""
    passing = (ProjectStage, CountStage)
    return next((i + 1 for i in reversed(range(len(stages))) if not isinstance(stages[i], passing)), 0)


def loaded(
    writing: Writing,
    stages: Sequence[Stage],
    scalars: Sequence[Scalar],
    together: Take,
    between: Callable[[], None],
    alone: Take,
) -> Value:
    """Write what takes all rows, which are loaded together.

    Args:
        writing: the kernel.
        stages: what happens to each row before.
        scalars: what is computed of it then.
        together: takes rows of a multiple of `LANES`.
        between: what is done when these are done.
        alone: takes the rows that are left.

    Returns:
        How many rows there were.
    """
    cg, rows = writing.cg, writing.cg.slot("rows")
    count = rows & -LANES
    with cg.for_range(0, count, note=f"each {LANES} rows", step=LANES) as number:
        several = Together(cg, number)
        pushed(stages, lambda row: together(row, several))(writing.row(several))
    between()
    with cg.for_range(count, rows, note="each row that is left") as number:
        pushed(stages, lambda row: alone(row, number))(writing.row(number))
    return rows


def buffered(
    writing: Writing,
    stages: Sequence[Stage],
    scalars: Sequence[Scalar],
    together: Take,
    between: Callable[[], None],
    alone: Take,
) -> Value:
    """The same, of rows that are put into a buffer one by one."""
    cg = writing.cg
    first = _first_behind(stages)
    before, behind = stages[:first], stages[first:]
    names, of_texts = _wanted(behind, scalars)
    held, done = cg.variable(I64, 0), cg.variable(I64, 0)
    columns: dict[str, _Buffer] = {}
    answers: list[tuple[Scalar, _Buffer]] = []

    def waiting(place: Value) -> Row:
        """A row that waits, or several."""
        row = Row(
            cg,
            {name: buffer.reader(place) for name, buffer in columns.items()},
            place,
            writing.constants,
            writing.sites,
        )
        for scalar, buffer in answers:
            row.know(scalar, buffer.read(place))
        return row

    def emit(row: Row) -> None:
        place = held.get()
        for name in names:
            columns[name] = _Buffer(cg, row.column(name), place)
        answers.extend([(scalar, _Buffer(cg, row.value(scalar), place)) for scalar in of_texts])
        held.set(place + 1)
        with cg.if_(held.get() == LANES, f"there are {LANES}"):
            pushed(behind, lambda found: together(found, Together(cg, done.get())))(waiting(Together(cg, 0)))
            done.add(LANES)
            held.set(0)

    with cg.for_range(0, cg.slot("rows"), note="each row") as number:
        pushed(before, emit)(writing.row(number))
    between()
    with cg.for_range(0, held.get(), note="each row that is left") as number:
        pushed(behind, lambda found: alone(found, done.get() + number))(waiting(number))
    return done.get() + held.get()


class _Buffer:
    """What rows that wait have for a column, or an expression.

    Args:
        cg: the kernel.
        datum: the value in a row.
        place: where it is put.
    """

    def __init__(self, cg: Function, datum: Datum, place: Value) -> None:
        if not isinstance(datum, Number) or datum.value.kind.bits > 64:
            raise RowByRow
        self._dtype: DataType = datum.dtype
        self._values = _room(cg, datum.value)
        self._values[place] = _stored(datum.value)
        self._valid: Pointer | None = None
        if datum.valid is not None:
            self._valid = _room(cg, datum.valid)
            self._valid[place] = _stored(datum.valid)
        self._is_truth = datum.value.kind is BOOL

    def reader(self, place: Value) -> Callable[[], Datum]:
        return lambda: self.read(place)

    def read(self, place: Value) -> Number:
        """The values at a place, or several."""
        value = self._values[place]
        valid = None if self._valid is None else self._valid[place] != 0
        return Number(self._dtype, value != 0 if self._is_truth else value, valid)


def _room(cg: Function, value: Value) -> Pointer:
    return cg.words(LANES).of(U8 if value.kind is BOOL else value.kind)


def _stored(value: Value) -> Value:
    return value.to(U8) if value.kind is BOOL else value


def _wanted(behind: Sequence[Stage], scalars: Sequence[Scalar]) -> tuple[list[str], list[Scalar]]:
    """What is kept of rows that wait: columns, and expressions over strings, which are computed row by row.

    Raises:
        RowByRow: where too little is computed of them for it to pay.
    """
    of_texts = [] if behind else _over_texts(scalars)
    known = {id(scalar) for scalar in of_texts}
    names, operations = _used(scalars, known)
    for stage in reversed(behind):
        if isinstance(stage, ProjectStage):
            names, more = _used([scalar for name, scalar in stage.exprs if name in names], known)
            operations += more
    if operations < _WORTH * (len(names) + len(of_texts)):
        raise RowByRow
    return sorted(names), of_texts


def _over_texts(scalars: Sequence[Scalar]) -> list[Scalar]:
    """The topmost expressions that are no strings and look at some; each once.

    Raises:
        RowByRow: where one may fail, which it must not in a row that does not ask for it.
    """
    found: dict[Hashable, Scalar] = {}
    stack, seen = list(scalars), set()
    while stack:
        scalar = stack.pop()
        if id(scalar) in seen:
            continue
        seen.add(id(scalar))
        if any([is_text(child.dtype) for child in scalar.children()]):
            if is_text(scalar.dtype) or not is_total(scalar):
                raise RowByRow
            found[structure(scalar)] = scalar
        else:
            stack.extend(scalar.children())
    return list(found.values())


def _used(scalars: Sequence[Scalar], known: Container[int]) -> tuple[set[str], int]:
    """The columns that expressions are computed from, and by how many operations; those that are `known` are not computed."""
    names, operations = set(), 0
    stack, seen = list(scalars), set()
    while stack:
        scalar = stack.pop()
        if id(scalar) in seen or id(scalar) in known:
            continue
        seen.add(id(scalar))
        if isinstance(scalar, Column):
            names.add(scalar.name)
        elif isinstance(scalar, Call) and scalar.function in elementary.EMITTERS:
            operations += _OPERATIONS
        elif scalar.children():
            operations += 1
        stack.extend(scalar.children())
    return names, operations
