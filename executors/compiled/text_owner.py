"""Long strings of records of groups, brought to where they stay."""

from __future__ import annotations

import numpy as np

from lazyframe.executors.compiled.array_kernel import WrittenKernel
from lazyframe.executors.compiled.group_records import GroupRecords
from lazyframe.executors.compiled.kinds import I64, U8
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.text_words import is_long, text_of_long


class TextOwner:
    """Copies the long strings of records, which lie in batches, to where they stay.

    Args:
        layout: how records begin.
        width: how many words a record has.
    """

    def __init__(self, layout: GroupRecords, width: int) -> None:
        self._places = [place for key, place in zip(layout.keys, layout.places, strict=True) if key.is_text]
        self._width = width
        self._copying = WrittenKernel()

    def own(self, records: np.ndarray, start: int, stop: int) -> np.ndarray | None:
        """Copy those of some of the records; gives what they lie in from now on."""
        if not self._places:
            return None
        size = self._copying.call(
            self._write, records=records, start=start, stop=stop, copying=0, texts=np.empty(0, dtype=np.uint8)
        )["size"]
        if not size:
            return None
        texts = np.empty(size, dtype=np.uint8)
        self._copying.call(self._write, records=records, start=start, stop=stop, copying=1, texts=texts)
        return texts

    def _write(self, cg: Function) -> None:
        records, texts = cg.pointer("records", I64), cg.pointer("texts", U8)
        size = cg.variable(I64, 0)
        with cg.for_range(cg.slot("start"), cg.slot("stop")) as number:
            record = records.at(number * self._width)
            for place in self._places:
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
