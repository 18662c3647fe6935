"""A run of stages as a transform: a batch in, a batch out, by one call of a kernel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.datum import is_text, kind_of
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.kinds import I64
from lazyframe.executors.compiled.known_code import known_code
from lazyframe.executors.compiled.layouts import CODED, TEXT
from lazyframe.executors.compiled.listing import note_operator
from lazyframe.executors.compiled.outputs import (
    MOST_ENTRIES,
    CarriedOutput,
    CodedOutput,
    NumberedOutput,
    NumberOutput,
    Origin,
    Output,
    Selection,
    TextOutput,
    take,
)
from lazyframe.executors.compiled.probe import ProbeStage
from lazyframe.executors.compiled.program import Code, Layouts, Program, Unreadable, Writing, covers, joined, layouts_of
from lazyframe.executors.compiled.stage import DONE, FULL, TooLong
from lazyframe.executors.compiled.stages import Stage, bind_all, may_take_long, note_counts
from lazyframe.planner.schema import Schema

ROOM = 1 << 16
"""Where a row may become several, kernels write at least so many before they stop."""

Fallback = Callable[[Batch], Iterator[Batch]]


class CompiledRows:
    """Filters, projections and probes of joins by one kernel.

    Args:
        stages: what happens to each row.
        origins: of each column of the result that is one of the batch or of a build side, which.
        given: the columns of the batch.
        schema: the columns of the result.
        fallback: the same by vectorized operators, for batches in which a row has no answer.
        waits: see `Kernels`.
    """

    is_native = True

    def __init__(
        self,
        stages: Sequence[Stage],
        origins: dict[str, Origin],
        given: Schema,
        schema: Schema,
        fallback: Fallback,
        *,
        waits: bool,
    ) -> None:
        self._stages = stages
        self._origins = origins
        self._given = given
        self._schema = schema
        self._fallback = fallback
        self._probes = {stage.name: stage for stage in stages if isinstance(stage, ProbeStage)}
        self.may_take_long = may_take_long(stages)
        self.expands = any([probe.expands for probe in self._probes.values()])
        self._kernels = Kernels(waits=waits)

    def expand(self, batch: Batch) -> Iterator[Batch]:
        made = self._kernels.of(layouts_of(batch, self._given, list(batch.columns)), self)
        if made is None:
            yield from self._fallback(batch)
            return
        program, outputs = made
        frame = program.frame(batch)
        room = max(batch.length, ROOM) if self.expands else batch.length
        frame["room"] = room
        given = 0
        while True:
            rooms = [output.make_room(frame, room) for _, output in outputs]
            status = program.run(frame)
            if status not in (DONE, FULL):
                # The rows that have been handed out are the first ones of what the vectorized operators give.
                yield from _without_first(self._fallback(batch), given)
                return
            found = self._read(batch, frame["kept"], outputs, rooms)
            if status == DONE:
                note_counts(self._stages, frame)
                yield found
                return
            given += found.length
            yield found
            frame.go_on()

    def _read(
        self, batch: Batch, kept: int, outputs: Sequence[tuple[str, Output | Selection]], rooms: Sequence[Any]
    ) -> Batch:
        columns: dict[str, pa.Array] = {}
        selections: dict[str, np.ndarray] = {}
        for (name, output), room in zip(outputs, rooms, strict=True):
            if isinstance(output, Selection):
                selections[output.table] = room[:kept]
            elif isinstance(output, CarriedOutput):
                table, column = output.origin
                if table:
                    columns[name] = take(self._probes[table].build.columns[column], selections[table])
                else:
                    whole = kept == batch.length and not self.expands
                    columns[name] = batch.columns[column] if whole else take(batch.columns[column], selections[table])
            else:
                columns[name] = output.array(room, kept, batch)
        return Batch(columns, kept)

    def key(self, layouts: Layouts) -> Hashable:
        outputs = tuple([output.key for _, output in self.outputs(layouts)])
        return (
            "rows",
            tuple(layouts.items()),
            tuple([stage.key for stage in self._stages]),
            outputs,
            tuple(self._schema.names),
        )

    def bind(self, constants: Constants) -> None:
        bind_all(self._stages, constants)

    def write(self, layouts: Layouts) -> Code:
        writing = Writing(layouts)
        cg = writing.cg
        outputs = self.outputs(layouts)
        count = cg.variable(I64, 0)

        def emit(row: Row) -> None:
            place = count.get()
            if self.expands:
                with cg.if_(place == cg.slot("room")):
                    cg.put("kept", place)
                    row.pause()
            for _, output in outputs:
                output.write(row, place)
            row.cg.note("keep " + ", ".join(name for name, _ in outputs if name))
            count.set(place + 1)

        with cg.for_range(cg.slot("first"), cg.slot("rows"), note="each row") as number:
            pushed(self._stages, emit)(writing.row(number))
        cg.put("kept", count.get())
        cg.return_(DONE)
        return writing.finish()

    def outputs(self, layouts: Layouts) -> list[tuple[str, Output | Selection]]:
        found: list[tuple[str, Output | Selection]] = []
        for number, field in enumerate(self._schema):
            name, dtype = field.name, field.dtype
            origin = self._origins.get(name)
            layout, coded = None, None
            if origin is not None and origin.table:
                coded, layout = self._probes[origin.table].column(origin.column)
            elif origin is not None:
                layout = layouts[origin.column]
            if origin is not None and layout is not None and layout.form == CODED:
                found.append((name, CodedOutput(number, name, origin.column, coded)))
            elif (
                origin is not None
                and layout is not None
                and layout.form == TEXT
                and coded is not None
                and not layout.nullable
                and 0 < len(coded) <= MOST_ENTRIES
            ):
                found.append((name, NumberedOutput(number, origin, coded)))
            elif origin is not None and (layout is None or layout.form == TEXT):
                found.append((name, CarriedOutput(origin)))
            elif is_text(dtype):
                found.append((name, TextOutput(number, name, dtype)))
            else:
                assert kind_of(dtype) is not None
                found.append((name, NumberOutput(number, name, dtype)))
        carried = dict.fromkeys(output.origin.table for _, output in found if isinstance(output, CarriedOutput))
        return [*[("", Selection(table)) for table in carried], *found]


def _without_first(batches: Iterator[Batch], rows: int) -> Iterator[Batch]:
    """Batches without their first rows."""
    for batch in batches:
        left_out = min(rows, batch.length)
        rows -= left_out
        yield batch.slice(left_out) if left_out else batch


def pushed(stages: Sequence[Stage], emit: Callable[[Row], None]) -> Callable[[Row], None]:
    """What writes all stages for a row, and `emit` behind them."""
    last = emit

    def reached(row: Row) -> None:
        if row.resuming is not None:
            row.resuming.set(False)
        last(row)

    emit = reached
    for stage in reversed(stages):
        emit = _before(stage, emit)
    return emit


def _before(stage: Stage, emit: Callable[[Row], None]) -> Callable[[Row], None]:
    return lambda row: stage.consume(row, emit)


class Writer(Protocol):
    """An operator that has kernels."""

    def key(self, layouts: Layouts) -> Hashable:
        """What the text of its kernel for some layouts depends on; None where that cannot be said."""
        ...

    def write(self, layouts: Layouts) -> Code:
        """A kernel for some layouts."""
        ...

    def outputs(self, layouts: Layouts) -> Any:
        """What such a kernel writes, for who calls it."""
        ...

    def bind(self, constants: Constants) -> None:
        """Put what is no part of the code, and the same for all batches, among the constants."""
        ...


class Kernels:
    """The kernels of one operator: one for all batches, unless they are laid out in several ways.

    It does not hold the operator, which holds it: with the last reference to an operator its tables go at once.

    Args:
        waits: whether a kernel that is still being compiled is waited for; otherwise vectorized operators do its work meanwhile,
            with the same results.
    """

    def __init__(self, *, waits: bool) -> None:
        self._waits = waits
        self._made: list[tuple[Layouts, tuple[Program, Any] | None]] = []
        self._lock = threading.Lock()
        note_operator(self)

    def programs(self) -> list[Code]:
        return [made[0].code for _, made in self._made if made is not None]

    def of(self, layouts: Layouts, writer: Writer) -> tuple[Program, Any] | None:
        """A kernel that reads what is laid out so, written if there is none; None where none can, or can yet.

        With it comes what it writes.
        """
        made = self._find(layouts)
        if made is None:
            with self._lock:
                made = self._find(layouts)
                if made is None:
                    made = self._make(joined(self._made[-1][0], layouts) if self._made else layouts, writer)
        found = made[1]
        return found if found is None or self._waits or found[0].code.is_ready() else None

    def _make(self, wanted: Layouts, writer: Writer) -> tuple[Layouts, tuple[Program, Any] | None]:
        found: tuple[Program, Any] | None = None
        try:
            code = known_code(writer.key(wanted), lambda: writer.write(wanted))
        except (Unreadable, TooLong, RecursionError):
            # Expressions may be nested deeper than kernels are written.
            pass
        else:
            tables = Constants()
            writer.bind(tables)
            found = Program(code, tables), writer.outputs(wanted)
            # Code that is kept somewhere is there in a moment.
            code.is_ready(_A_MOMENT)
        made = wanted, found
        self._made.append(made)
        return made

    def _find(self, layouts: Layouts) -> tuple[Layouts, tuple[Program, Any] | None] | None:
        return next((made for made in reversed(self._made) if covers(made[0], layouts)), None)


_A_MOMENT = 0.004
