"""How the record of a group of all rows lies in the segments of its partition."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.executors.compiled.accumulators import Accumulator
from lazyframe.executors.compiled.group_partition import SEGMENT_BYTES
from lazyframe.executors.compiled.group_records import GroupRecords, places_of
from lazyframe.executors.compiled.kinds import I64, POINTER
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer, Value

BATCH_BITS = 24
NO_BATCH = (1 << BATCH_BITS) - 1
"""There are fewer batches, of 2**16 rows or more where they are many."""


class TotalRecords:
    """Records as of one batch, with states of all rows, and one word more: which of all records of batches was the first of the
    group, and in its lowest bits the batch that was taken last.

    Args:
        layout: how records begin.
        accumulators: their states.

    Attributes:
        places: where each state begins.
        first: the last word.
        width: how many words a record has.
        segment_bits: of the number of records in a segment.
    """

    def __init__(self, layout: GroupRecords, accumulators: Sequence[Accumulator]) -> None:
        self.layout = layout
        self.accumulators = accumulators
        self.places = [layout.words + p for p in places_of([a.total_words for a in accumulators])]
        self.first = layout.words + sum(a.total_words for a in accumulators)
        self.width = self.first + 1
        self.segment_bits = max(8, (SEGMENT_BYTES // (8 * self.width)).bit_length() - 1)

    def segments(self, records: Value) -> Value:
        """How many segments hold so many records."""
        return (records + ((1 << self.segment_bits) - 1)) >> self.segment_bits

    def record(self, cg: Function, segments: Pointer, number: Value) -> Pointer:
        """The record of a number, from the addresses of the segments."""
        address = segments[number >> self.segment_bits]
        length = cg.lift(self.width << self.segment_bits, I64) if cg.module.checked else None
        segment = Pointer(cg, address.to(POINTER).ref, I64, length)
        return segment.at((number & ((1 << self.segment_bits) - 1)) * self.width)
