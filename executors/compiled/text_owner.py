"""Long strings of records of groups, brought to where they stay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lazyframe.executors.compiled.array_kernel import WrittenKernel
from lazyframe.executors.compiled.group_records import GroupRecords
from lazyframe.executors.compiled.kinds import I64, POINTER, U8
from lazyframe.executors.compiled.layouts import address_of
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.text_words import is_long, text_of_long
from lazyframe.executors.compiled.values import Pointer

_RUN = 3


class TextOwner:
    """Copies the long strings of records, which lie in batches, to where they stay.

    Args:
        layout: how records begin.
        width: how many words a record has.

    Attributes:
        has_texts: whether any key is a string.
        places: where strings begin in records.
    """

    def __init__(self, layout: GroupRecords, width: int) -> None:
        self.places = [place for key, place in zip(layout.keys, layout.places, strict=True) if key.is_text]
        self.has_texts = bool(self.places)
        self._width = width
        self._copying = WrittenKernel(("own texts", tuple(self.places), width))

    def own(self, runs: Sequence[tuple[np.ndarray, int, int]]) -> np.ndarray | None:
        """Copy those of some of the records; gives what they lie in from now on.

        Args:
            runs: arrays of records, and the first and the end of those of each that are meant.
        """
        if not self.has_texts or not runs:
            return None
        given = np.array([(address_of(records), start, stop) for records, start, stop in runs], dtype=np.int64)
        size = self._copying.call(
            self._write, runs=given, count=len(runs), copying=0, texts=np.empty(0, dtype=np.uint8)
        )["size"]
        if not size:
            return None
        texts = np.empty(size, dtype=np.uint8)
        self._copying.call(self._write, runs=given, count=len(runs), copying=1, texts=texts)
        return texts

    def _write(self, cg: Function) -> None:
        runs, texts = cg.pointer("runs", I64), cg.pointer("texts", U8)
        size = cg.variable(I64, 0)
        with cg.for_range(0, cg.slot("count")) as run:
            address, start, stop = (runs[run * _RUN + i] for i in range(_RUN))
            length = stop * self._width if cg.module.checked else None
            records = Pointer(cg, address.to(POINTER).ref, I64, length)
            with cg.for_range(start, stop) as number:
                record = records.at(number * self._width)
                for place in self.places:
                    words = [record[place], record[place + 1]]
                    with cg.if_(is_long(words[0])):
                        text = text_of_long(cg, words)
                        with cg.if_(cg.slot("copying") != 0):
                            target = texts.at(size.get())
                            target.copy(text.address, text.length)
                            record[place + 1] = target.to(I64)
                        size.set(size.get() + text.length)
        cg.put("size", size.get())
        cg.return_(DONE)
