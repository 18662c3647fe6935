"""What the vectorized aggregation found in rows, as records of a kernel."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.accumulators import Accumulator
from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.group_records import GroupRecords, places_of
from lazyframe.executors.compiled.kinds import I64
from lazyframe.executors.compiled.program import Code, Layouts, Writing, layouts_of
from lazyframe.executors.compiled.segment import Kernels
from lazyframe.executors.compiled.stage import DONE
from lazyframe.executors.vectorized.hash_aggregate import Partial
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import DataType


class PartialRecords:
    """Makes records of partial states.

    Args:
        layout: how records begin.
        accumulators: their states.
        keys: the types of the keys.
    """

    def __init__(self, layout: GroupRecords, accumulators: Sequence[Accumulator], keys: Sequence[DataType]) -> None:
        self._layout = layout
        self._accumulators = accumulators
        self._keys = keys
        self._width = layout.words + sum(a.words for a in accumulators)
        self._kernels = Kernels(waits=True)

    def records(self, partial: Partial) -> tuple[np.ndarray, object]:
        """The records of all groups, in their order, and what addresses in them point into."""
        batch, schema = self._columns(partial)
        made = self._kernels.of(layouts_of(batch, schema, schema.names), self)
        assert made is not None, "states in plain columns are not read by a kernel"
        program, _ = made
        frame = program.frame(batch)
        words = frame.lend("records", np.empty((partial.count, self._width), dtype=np.int64))
        status = program.run(frame)
        assert status == DONE, f"a kernel that reads states ended with {status}"
        return words, (partial.keys, frame)

    def _columns(self, partial: Partial) -> tuple[Batch, Schema]:
        columns: dict[str, pa.Array] = {f"key {i}": key for i, key in enumerate(partial.keys)}
        fields = [Field(name, dtype) for name, dtype in zip(columns, self._keys, strict=True)]
        for number, (accumulator, state) in enumerate(zip(self._accumulators, partial.states, strict=True)):
            for i, (dtype, column) in enumerate(accumulator.columns(state)):
                columns[f"state {number} {i}"] = column
                fields.append(Field(f"state {number} {i}", dtype))
        return Batch(columns, partial.count), Schema(fields)

    def key(self, layouts: Layouts) -> Hashable:
        return None

    def bind(self, constants: Constants) -> None:
        """Nothing besides the rows."""

    def outputs(self, layouts: Layouts) -> None:
        """Records, for all layouts alike."""

    def write(self, layouts: Layouts) -> Code:
        writing = Writing(layouts)
        cg = writing.cg
        records = cg.pointer("records", I64)
        places = [self._layout.words + p for p in places_of([a.words for a in self._accumulators])]
        with cg.for_range(0, cg.slot("rows"), note="each group") as number:
            columns = writing.row(number).columns
            record = records.at(number * self._width)
            keys = [columns[f"key {i}"]() for i in range(len(self._keys))]
            for place, word in enumerate(self._layout.words_of(cg, keys)):
                record[place] = word
            for i, (accumulator, place) in enumerate(zip(self._accumulators, places, strict=True)):
                own = [read() for name, read in columns.items() if name.startswith(f"state {i} ")]
                accumulator.load(cg, record.at(place), own)
        cg.return_(DONE)
        return writing.finish()
