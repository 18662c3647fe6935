"""A kernel together with what it is given: the columns of a batch, the constants of the query, places for results."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.binding import binding_of, places_of_column
from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.datum import Datum, Text
from lazyframe.executors.compiled.entries import CodedColumn
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.kinds import BOOL
from lazyframe.executors.compiled.layouts import CODED, Layout, address_of, stage_column
from lazyframe.executors.compiled.machine import Kernel, start_kernel
from lazyframe.executors.compiled.stage import OUT_OF_BOUNDS, STATUS_ROW, STATUS_SITE, UNSUITED, Function, Module
from lazyframe.executors.compiled.text_words import EntryWords, entry_words_place
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Schema

Layouts = Mapping[str, Layout | None]


class Unreadable(Exception):
    """A column that a kernel needs is laid out in a way that kernels do not read."""


class Writing:
    """A kernel over batches that is being written.

    Attributes:
        cg: the kernel.
        constants: its constants.
        used: the columns it reads, with the names of their places in the frame.
        sites: the expressions that may fail.
    """

    def __init__(self, layouts: Layouts) -> None:
        self.module = Module()
        self.cg: Function = self.module.kernel()
        self.constants = Constants()
        self.sites: list[Scalar] = []
        self.used: dict[str, str] = {}
        self._layouts = layouts
        self._resuming = self.cg.variable(BOOL, self.cg.slot("resuming") != 0)
        self.module.slot(STATUS_SITE)
        self.module.slot(STATUS_ROW)

    def row(self, number: Value) -> Row:
        """A row of the batch, by its number."""
        columns: dict[str, Callable[[], Datum]] = {}
        for name, layout in self._layouts.items():
            columns[name] = self._reader(name, layout, number)
        return Row(self.cg, columns, number, self.constants, self.sites, self._resuming)

    def layout(self, name: str) -> Layout | None:
        return self._layouts.get(name)

    def _reader(self, name: str, layout: Layout | None, number: Value) -> Callable[[], Datum]:
        def read() -> Datum:
            if layout is None:
                raise Unreadable(name)
            place = self.used.setdefault(name, f"column{len(self.used)}")
            found = stage_column(self.cg, place, layout, number)
            if isinstance(found, Text) and found.code is not None:
                found.entries = place
            return found

        return CodedColumn(read, name, layout.dtype) if layout is not None and layout.form == CODED else read

    def finish(self) -> Code:
        """What has been written, which is compiled from now on."""
        return Code(self)


class Code:
    """A kernel that has been written, whatever query it is for.

    Attributes:
        ir: the text that LLVM is given.
        notes: what it does, one line a step.
        slots: where each place of the frame is.
        sites: the expressions that may fail.
        literals: the constants that are the same for whoever has the same expressions.
        columns: the columns that it reads, with the slots that say where they lie.
        coded: those whose dictionaries it compares with other strings, and the places for these.
    """

    def __init__(self, writing: Writing) -> None:
        self.ir = writing.module.text()
        self.notes = writing.module.notes
        self.slots = writing.module.slots
        self.sites = writing.sites
        self.literals = writing.constants
        self.columns = [
            (name, layout.dtype, places_of_column(place, layout, self.slots))
            for name, place in writing.used.items()
            if (layout := writing.layout(name)) is not None
        ]
        words = [(name, entry_words_place(place)) for name, place in writing.used.items()]
        self.coded = [(name, place) for name, place in words if place in self.slots]
        self._accesses = writing.module.accesses
        self._is_checked = writing.module.checked
        self._pending = start_kernel(self.ir)
        self._kernel: Kernel | None = None

    def is_ready(self, within: float = 0.0) -> bool:
        """Whether the kernel can be called, now or within so many seconds."""
        return self._kernel is not None or (self._pending.ready(within) and self._found() is not None)

    def _found(self) -> Kernel | None:
        """The kernel, which is waited for; None where LLVM refuses it, unless a bug of ours is looked for."""
        if self._kernel is None:
            try:
                self._kernel = self._pending.wait()
            except RuntimeError:
                if self._is_checked:
                    raise
        return self._kernel

    def run(self, frame: Frame) -> int:
        """Call the kernel, which is waited for; gives its status."""
        kernel = self._kernel or self._found()
        if kernel is None:
            return UNSUITED
        status = kernel(frame.address)
        if status == OUT_OF_BOUNDS:
            raise AssertionError(
                f"a kernel reached element {frame[STATUS_ROW]} of {self._accesses[frame[STATUS_SITE]]}"
            )
        return status


class Program:
    """Code with the constants of one query: how its frame is filled. Any number of threads may use it at a time.

    Args:
        code: the kernel.
        tables: what else it is given that is the same for all batches, such as the tables of joins.
    """

    def __init__(self, code: Code, tables: Constants | None = None) -> None:
        self.code = code
        self._tables = tables
        # What has been computed for dictionaries is another query's.
        self._entries = [table.without_answers() for table in code.literals.tables]
        self._template = array("q", bytes(8 * len(code.slots)))
        for constants in (code.literals, tables):
            for name, number in constants.values.items() if constants is not None else ():
                place = code.slots.get(name)
                if place is not None:
                    self._template[place] = number
        self._entry_words = EntryWords()

    def frame(self, batch: Batch) -> Frame:
        """The frame of a call over a batch."""
        code, words = self.code, self._template[:]
        for name, dtype, places in code.columns:
            found = binding_of(batch, name, dtype).places
            for slot, end in places:
                words[slot] = found[end]
        frame = Frame(code.slots, words)
        frame["rows"] = batch.length
        for table in self._entries:
            table.bind(frame, batch)
        for name, place in code.coded:
            frame.lend(place, self._entry_words.of(batch.columns[name].dictionary))
        return frame

    def run(self, frame: Frame) -> int:
        """Call the kernel; see `Code.run`."""
        return self.code.run(frame)


class Frame:
    """What one call of a kernel is given, and what it leaves."""

    __slots__ = ("_held", "_slots", "_words", "address")

    def __init__(self, slots: dict[str, int], words: array[int]) -> None:
        self._slots = slots
        self._words = words
        self.address = words.buffer_info()[0]
        self._held: list[np.ndarray | pa.Array] = []

    def __getitem__(self, name: str) -> int:
        return self._words[self._slots[name]]

    def __setitem__(self, name: str, number: int) -> None:
        place = self._slots.get(name)
        if place is not None:
            self._words[place] = number

    def has(self, name: str) -> bool:
        """Whether the kernel has such a place."""
        return name in self._slots

    def go_on(self) -> None:
        """Have the next call go on where the last one had no more room."""
        self["first"] = self["row"]
        self["resuming"] = 1

    def point(self, name: str, address: int, count: int) -> None:
        """Put the address of so many elements at a place."""
        slots = self._slots
        place = slots.get(name)
        if place is not None:
            self._words[place] = address
        place = slots.get(f"{name}.length")
        if place is not None:
            self._words[place] = count

    def lend(self, name: str, values: np.ndarray) -> np.ndarray:
        """Put the address of an array at a place; the array lives as long as the frame."""
        self._held.append(values)
        self.point(name, address_of(values), values.size)
        return values

    def keep(self, values: pa.Array) -> None:
        """Have an array live as long as the frame."""
        self._held.append(values)


def layouts_of(batch: Batch, schema: Schema, names: Sequence[str]) -> dict[str, Layout | None]:
    """The layouts of some columns of a batch."""
    return {name: binding_of(batch, name, schema[name]).layout for name in names}


def joined(a: Layouts, b: Layouts) -> dict[str, Layout | None]:
    """Layouts that a kernel must be made for to read batches of either; where forms differ, those of `b`."""
    found = dict(b)
    for name, layout in b.items():
        before = a.get(name)
        if layout is not None and before is not None and before == layout._replace(nullable=True):
            found[name] = layout._replace(nullable=True)
    return found


def covers(a: Layouts, b: Layouts) -> bool:
    """Whether a kernel made for `a` reads what is laid out as `b`."""
    for name, layout in b.items():
        made_for = a[name]
        if layout is made_for or layout == made_for:
            continue
        if layout is None or made_for is None or made_for != layout._replace(nullable=True):
            return False
    return True
