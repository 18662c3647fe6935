"""The probe of a join within a kernel."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.coverage import why_not_all
from lazyframe.executors.compiled.datum import Datum, Number, Text, is_known
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.join_table import JoinTable
from lazyframe.executors.compiled.kinds import BOOL, I64, U8
from lazyframe.executors.compiled.layouts import Layout, layout_of, stage_column
from lazyframe.executors.compiled.program import Unreadable
from lazyframe.executors.compiled.stage import UNSUITED
from lazyframe.executors.compiled.stages import Emit
from lazyframe.executors.compiled.values import Value
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.key_test import KeyTest
from lazyframe.executors.vectorized.operators.join import Probe
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.types import BOOL as BOOLEAN
from lazyframe.planner.types import INT64

_TOLD = ("semi", "anti", "mark")


class ProbeStage:
    """The rows of a pipeline with their partners in a table, in the order that the vectorized probe gives them.

    Args:
        probe: the join as the vectorized operator.
        table: the build side's keys.
        name: of the build side's places in the frame, which no other probe of the run has.

    Attributes:
        expands: whether a row may become several, so that the kernel may have to stop in the midst of it.
        may_take_long: whether a row may have any number of partners.
    """

    def __init__(self, probe: Probe, table: JoinTable, name: str) -> None:
        self.name = name
        self.build = probe.build.rows
        self._probe = probe
        self._table = table
        self._kind = probe.kind
        self._columns: dict[str, tuple[pa.Array, Layout | None]] = {}
        self.may_take_long = not table.unique
        self.expands = not table.unique and self._kind in ("inner", "left", "full", "pairs")

    @property
    def key(self) -> Hashable:
        probe = self._probe
        condition = None if probe.condition is None else probe.condition.digest
        columns = []
        for name in self.build.columns:
            array, layout = self.column(name)
            columns.append((name, layout, len(array) == 0))
        keys = tuple([key.digest for key in probe.keys])
        how = self._kind, condition, probe.numbered, probe.plan.mark
        return "probe", self.name, how, keys, self._table.key, tuple(columns)

    def bind(self, constants: Constants) -> None:
        name, build = self.name, self._probe.build
        self._table.bind(name, constants)
        if self._kind in ("full", "pairs", "note"):
            constants.lend(f"{name}.matched", build.matched)
        if not self._table.unique:
            constants.lend(f"{name}.stop", build.stop)
        for number, column in enumerate(self.build.columns):
            array, layout = self.column(column)
            if layout is not None:
                constants.column(f"{name}.{number}", layout, array)

    def consume(self, row: Row, emit: Emit) -> None:
        cg, name, table, kind = row.cg, self.name, self._table, self._kind
        keys = [row.value(key) for key in self._probe.keys]
        if keys:
            cg.note(f"{name} = {'unique ' if table.unique else ''}partners by {{}}", self._probe.keys)
        else:
            cg.note(f"{name} = every row")
        if kind in _TOLD and self._probe.condition is None:
            self._tell(row, table.contains(cg, name, keys), emit)
            return
        first = table.find(cg, name, keys)
        match kind:
            case "semi" | "anti" | "mark":
                self._tell(row, self._any(row, first), emit)
            case "note":
                self._note(row, first)
            case "single":
                self._single(row, first, emit)
            case "left" | "full":
                self._left(row, first, emit)
            case _:
                self._inner(row, first, emit)

    def _any(self, row: Row, first: Value) -> Value:
        """Whether the rest of the condition is true for any partner."""
        found = row.cg.variable(BOOL, False)

        def stop(_: Row, leave: Callable[[], None]) -> None:
            found.set(True)
            leave()

        self._each(row, first, stop)
        return found.get()

    def _tell(self, row: Row, found: Value, emit: Emit) -> None:
        """Only whether there is a partner."""
        cg = row.cg
        match self._kind:
            case "mark":
                mark = Number(BOOLEAN, found)
                emit(row.with_columns({**row.columns, self._probe.plan.mark: lambda: mark}))
            case "semi":
                with cg.if_(found, note="there is one"):
                    emit(row)
            case _:
                with cg.if_(~found, note="there is none"):
                    emit(row)

    def _note(self, row: Row, first: Value) -> None:
        """Note which build rows have a partner."""
        cg = row.cg
        matched = cg.pointer(f"{self.name}.matched", BOOL)
        if self._probe.condition is not None:
            self._each(row, first, lambda joined, _: self._matched(joined))
            return
        # All rows of a key are noted together.
        with cg.if_(cg.both_lazily(first >= 0, lambda: ~matched[first])):
            self._each(row, first, lambda joined, _: self._matched(joined))

    def _single(self, row: Row, first: Value, emit: Emit) -> None:
        """At most one partner: more are an error, which the vectorized probe raises."""
        cg = row.cg
        if self._probe.condition is None:
            if not self._table.unique:
                with cg.if_(first >= 0), cg.if_(self._table.next(cg, self.name, first) >= 0):
                    cg.return_(UNSUITED)
            emit(self._joined(row, first, optional=True))
            return
        only = cg.variable(I64, -1)

        def take(joined: Row, _: object) -> None:
            with cg.if_(only.get() >= 0):
                cg.return_(UNSUITED)
            only.set(joined.numbers[self.name])

        self._each(row, first, take)
        emit(self._joined(row, only.get(), optional=True))

    def _inner(self, row: Row, first: Value, emit: Emit) -> None:
        cg = row.cg
        if self._table.unique:
            with cg.if_(first >= 0, note="there is one"):
                self._where(self._joined(row, first), emit)
            return
        match = cg.variable(I64, self._begin(row, "at", first))
        with cg.loop(note="each of them") as loop:
            current = match.get()
            with cg.if_(current < 0):
                loop.leave()
            self._stop_if_asked(row)
            self._where(self._joined(row.pausing({f"{self.name}.at": current}), current), emit)
            match.set(self._table.next(cg, self.name, current))

    def _left(self, row: Row, first: Value, emit: Emit) -> None:
        """The partners of a row; where there are none, the row with nulls."""
        cg, condition = row.cg, self._probe.condition
        if self._table.unique:
            partner = first
            if condition is not None:
                holds = cg.variable(BOOL, False)
                with cg.if_(first >= 0):
                    holds.set(self._joined(row, first).truth(condition))
                partner = cg.choose(holds.get(), first, cg.lift(-1, I64))
            self._push(self._joined(row, partner, optional=True), emit, partner >= 0)
            return
        match = cg.variable(I64, self._begin(row, "at", first))
        alone = cg.variable(BOOL, True)
        if row.resuming is not None:
            alone.set(cg.choose(row.resuming.get(), cg.slot(f"{self.name}.alone") != 0, cg.truth(True)))
        with cg.loop(note="each of them, or none") as loop:
            self._stop_if_asked(row)
            current = match.get()
            found = current >= 0
            holds = cg.variable(BOOL, alone.get())
            with cg.if_(found):
                joined = self._joined(row, current)
                holds.set(cg.truth(True) if condition is None else joined.truth(condition))
            pausing = row.pausing(
                {
                    f"{self.name}.at": current,
                    f"{self.name}.alone": cg.choose(alone.get(), cg.lift(1, I64), cg.lift(0, I64)),
                }
            )
            with cg.if_(holds.get()):
                self._push(self._joined(pausing, current, optional=True), emit, found)
                alone.set(False)
            with cg.if_(~found):
                loop.leave()
            match.set(self._table.next(cg, self.name, current))

    def _begin(self, row: Row, what: str, value: Value) -> Value:
        """A value with which a row begins, or with which it goes on where the kernel had stopped in the midst of it."""
        if row.resuming is None:
            return value
        return row.cg.choose(row.resuming.get(), row.cg.slot(f"{self.name}.{what}"), value)

    def _each(self, row: Row, first: Value, then: Callable[[Row, Callable[[], None]], None]) -> None:
        """Each partner of a row for which the rest of the condition is true."""
        cg, condition = row.cg, self._probe.condition
        match = cg.variable(I64, first)
        with cg.loop(note="each of them") as loop:
            current = match.get()
            with cg.if_(current < 0):
                loop.leave()
            if not self._table.unique:
                self._stop_if_asked(row)
            joined = self._joined(row, current)
            with cg.if_(cg.truth(True) if condition is None else joined.truth(condition)):
                then(joined, loop.leave)
            match.set(cg.lift(-1, I64) if self._table.unique else self._table.next(cg, self.name, current))

    def _stop_if_asked(self, row: Row) -> None:
        """End the kernel where the query shall stop: a batch may have any number of pairs."""
        with row.cg.if_(row.cg.pointer(f"{self.name}.stop", U8)[0] != 0):
            row.cg.return_(UNSUITED)

    def _where(self, joined: Row, emit: Emit) -> None:
        """Hand a pair on if the rest of the condition is true for it."""
        condition = self._probe.condition
        if condition is None:
            self._push(joined, emit, None)
            return
        with joined.cg.if_(joined.truth(condition), "{}", [condition]):
            self._push(joined, emit, None)

    def _push(self, joined: Row, emit: Emit, found: Value | None) -> None:
        if self._kind in ("full", "pairs"):
            with joined.cg.if_(joined.cg.truth(True) if found is None else found):
                self._matched(joined)
        emit(joined)

    def _matched(self, joined: Row) -> None:
        joined.cg.pointer(f"{self.name}.matched", BOOL)[joined.numbers[self.name]] = True

    def _joined(self, row: Row, number: Value, *, optional: bool = False) -> Row:
        """A row with a row of the build side; where `optional`, with nulls where there is none."""
        columns: dict[str, Callable[[], Datum]] = {name: partial(row.column, name) for name in row.columns}
        found = number >= 0 if optional else None
        for name in self.build.columns:
            columns[name] = partial(self._payload, row, name, number, found)
        numbered = self._probe.numbered
        if numbered is not None:
            columns[numbered] = lambda: Number(INT64, number)
        return row.joined(columns, {self.name: number})

    def _payload(self, row: Row, column: str, number: Value, found: Value | None) -> Datum:
        """The value of a column of the build side."""
        cg, dtype = row.cg, self._probe.build.schema[column]
        array, layout = self.column(column)
        if layout is None:
            raise Unreadable(column)
        place = f"{self.name}.{list(self.build.columns).index(column)}"
        if found is None:
            return stage_column(cg, place, layout, number)
        if not len(array):
            return row.constants.null(cg, dtype)
        # Row 0 is read where there is none, and not used.
        value = stage_column(cg, place, layout, cg.choose(found, number, cg.lift(0, I64)))
        valid = cg.both(found, value.valid)
        if isinstance(value, Text):
            return Text(dtype, value.address, cg.choose(valid, value.length, cg.lift(0, I64)), valid, value.code)
        return Number(dtype, value.value, valid)

    def column(self, name: str) -> tuple[pa.Array, Layout | None]:
        """A column of the build side, and how it lies there; None where kernels do not read it."""
        found = self._columns.get(name)
        if found is None:
            array, dtype = self.build.columns[name], self._probe.build.schema[name]
            layout = layout_of(array, dtype)
            if layout is None and is_known(dtype):
                array = decoded(array, dtype)
                layout = layout_of(array, dtype)
            found = self._columns[name] = array, layout
        return found


class KeyFilterStage:
    """Rows whose values are among the keys of joins."""

    def __init__(self, tests: Sequence[tuple[Scalar, JoinTable]], name: str) -> None:
        self._tests = tests
        self._name = name

    @property
    def key(self) -> Hashable:
        return "among", self._name, tuple([(value.digest, table.key) for value, table in self._tests])

    def bind(self, constants: Constants) -> None:
        for number, (_, table) in enumerate(self._tests):
            table.bind(f"{self._name}.{number}", constants)

    def consume(self, row: Row, emit: Emit) -> None:
        self._test(row, 0, emit)

    def _test(self, row: Row, number: int, emit: Emit) -> None:
        if number == len(self._tests):
            emit(row)
            return
        value, table = self._tests[number]
        name = f"{self._name}.{number}"
        with row.cg.if_(table.contains(row.cg, name, [row.value(value)]), f"{{}} is among {name}", [value]):
            self._test(row, number + 1, emit)


def key_filter(tests: Sequence[KeyTest], name: str) -> KeyFilterStage | None:
    """Tests of keys as a stage; None where kernels cannot do it."""
    found = []
    for test in tests:
        table = test.known.native if isinstance(test.known, KeySet) else None
        if table is None:
            return None
        found.append((test.value, table))
    return KeyFilterStage(found, name)


def why_not_probed(probe: Probe) -> str | None:
    """Why kernels cannot do a probe; None where they can, as far as it is known before the build side is."""
    if probe.build.range is not None:
        return "a join by a range"
    scalars: list[Scalar] = [*probe.keys]
    if probe.condition is not None:
        scalars.append(probe.condition)
    return why_not_all(scalars)


def probe_stage(probe: Probe, name: str) -> ProbeStage | None:
    """A probe, whose build side is complete, as a stage; None where kernels cannot do it."""
    table = None if why_not_probed(probe) is not None else probe.build.native
    return None if table is None else ProbeStage(probe, table, name)
