"""A run of stages as a transform: a batch in, a batch out, by one call of a kernel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.datum import is_text, kind_of
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.kinds import I64
from lazyframe.executors.compiled.layouts import CODED, TEXT
from lazyframe.executors.compiled.listing import note_operator
from lazyframe.executors.compiled.outputs import (
    CarriedOutput,
    CodedOutput,
    NumberOutput,
    Output,
    Selection,
    TextOutput,
    take,
)
from lazyframe.executors.compiled.program import Layouts, Program, Unreadable, Writing, covers, joined, layouts_of
from lazyframe.executors.compiled.stage import DONE
from lazyframe.executors.compiled.stages import Stage, note_counts
from lazyframe.planner.schema import Schema

Fallback = Callable[[Batch], Iterator[Batch]]


class CompiledRows:
    """Filters and projections by one kernel.

    Args:
        stages: what happens to each row.
        origins: of each column of the result that is a column of the batch, which.
        given: the columns of the batch.
        schema: the columns of the result.
        fallback: the same by vectorized operators, for batches in which a row has no answer.
        waits: see `Kernels`.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        origins: dict[str, str],
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
        self._kernels = Kernels(self._write, waits=waits)

    def expand(self, batch: Batch) -> Iterator[Batch]:
        found = self._by_kernel(batch)
        if found is None:
            yield from self._fallback(batch)
        else:
            yield found

    def _by_kernel(self, batch: Batch) -> Batch | None:
        made = self._kernels.of(layouts_of(batch, self._given, list(batch.columns)))
        if made is None:
            return None
        program, outputs = made
        frame = program.frame(batch)
        rooms = [output.make_room(frame, batch.length) for _, output in outputs]
        if program.run(frame) != DONE:
            return None
        note_counts(self._stages, frame)
        kept = frame["kept"]
        columns: dict[str, pa.Array] = {}
        selection: np.ndarray | None = None
        for (name, output), room in zip(outputs, rooms, strict=True):
            if isinstance(output, Selection):
                selection = room[:kept]
            elif isinstance(output, CarriedOutput):
                column = batch.columns[output.column]
                columns[name] = column if kept == batch.length else take(column, selection)
            else:
                columns[name] = output.array(room, kept, batch)
        return Batch(columns, kept)

    def _write(self, layouts: Layouts) -> tuple[Program, list[tuple[str, Any]]]:
        writing = Writing(layouts)
        cg = writing.cg
        outputs = self._outputs(layouts)
        count = cg.variable(I64, 0)

        def emit(row: Row) -> None:
            place = count.get()
            for _, output in outputs:
                output.write(row, place)
            row.cg.note("keep " + ", ".join(name for name, _ in outputs if name))
            count.set(place + 1)

        with cg.for_range(0, cg.slot("rows"), note="each row") as number:
            pushed(self._stages, emit)(writing.row(number))
        cg.put("kept", count.get())
        cg.return_(DONE)
        return writing.finish(), outputs

    def _outputs(self, layouts: Layouts) -> list[tuple[str, Any]]:
        found: list[tuple[str, Output | Selection]] = []
        for number, field in enumerate(self._schema):
            name, dtype = field.name, field.dtype
            origin = self._origins.get(name)
            layout = None if origin is None else layouts[origin]
            if origin is not None and layout is not None and layout.form == CODED:
                found.append((name, CodedOutput(number, name, origin)))
            elif origin is not None and (layout is None or layout.form == TEXT):
                found.append((name, CarriedOutput(origin)))
            elif is_text(dtype):
                found.append((name, TextOutput(number, name, dtype)))
            else:
                assert kind_of(dtype) is not None
                found.append((name, NumberOutput(number, name, dtype)))
        if any(isinstance(output, CarriedOutput) for _, output in found):
            found.insert(0, ("", Selection()))
        return found


def pushed(stages: Sequence[Stage], emit: Callable[[Row], None]) -> Callable[[Row], None]:
    """What writes all stages for a row, and `emit` behind them."""
    for stage in reversed(stages):
        emit = _before(stage, emit)
    return emit


def _before(stage: Stage, emit: Callable[[Row], None]) -> Callable[[Row], None]:
    return lambda row: stage.consume(row, emit)


class Kernels:
    """The kernels of one operator: one for all batches, unless they are laid out in several ways.

    Args:
        write: from the layouts of a batch's columns to a kernel and what goes with it.
        waits: whether a kernel that is still being compiled is waited for; otherwise vectorized operators do its work meanwhile,
            with the same results.
    """

    def __init__(self, write: Callable[[Layouts], tuple[Program, Any]], *, waits: bool) -> None:
        self._write = write
        self._waits = waits
        self._made: list[tuple[Layouts, tuple[Program, Any] | None]] = []
        self._lock = threading.Lock()
        note_operator(self)

    def programs(self) -> list[Program]:
        return [made[0] for _, made in self._made if made is not None]

    def of(self, layouts: Layouts) -> tuple[Program, Any] | None:
        """A kernel that reads what is laid out so; None where none can, or can yet."""
        made = self._find(layouts)
        if made is None:
            with self._lock:
                made = self._find(layouts)
                if made is None:
                    made = self._make(joined(self._made[-1][0], layouts) if self._made else layouts)
        found = made[1]
        return found if found is None or self._waits or found[0].is_ready() else None

    def _make(self, wanted: Layouts) -> tuple[Layouts, tuple[Program, Any] | None]:
        try:
            found = self._write(wanted)
            # Code that is kept somewhere is there in a moment.
            found[0].is_ready(_A_MOMENT)
        except (Unreadable, RecursionError):
            # Expressions may be nested deeper than kernels are written.
            found = None
        made = wanted, found
        self._made.append(made)
        return made

    def _find(self, layouts: Layouts) -> tuple[Layouts, tuple[Program, Any] | None] | None:
        return next((made for made in reversed(self._made) if covers(made[0], layouts)), None)


_A_MOMENT = 0.004
