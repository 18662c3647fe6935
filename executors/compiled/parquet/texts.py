"""Strings that are not in a dictionary, or only some of them: the kernel that decodes their pages into one array of strings."""

from __future__ import annotations

from lazyframe.executors.compiled.kinds import I32, I64, I128, U8, U32
from lazyframe.executors.compiled.parquet.pages import suited
from lazyframe.executors.compiled.parquet.runs import read_runs
from lazyframe.executors.compiled.parquet.values import (
    FORMS,
    PLAIN,
    PLAIN_DICTIONARY,
    RLE_DICTIONARY,
    ChunkWriter,
)
from lazyframe.executors.compiled.stage import FULL, Function, Module
from lazyframe.executors.compiled.values import Pointer, Value

PLAIN_TEXT = "plain text"

_BLOCK = 16


def chunk_texts() -> Module:
    """The kernel, whose frame is that of `chunk_values` for dictionaries of text, but for this.

    `out` gets the offsets, of which there is one more than `rows`, into `data`, which has room for `data_room` bytes. `codes` has
    room for as many indices as there are rows. Gives the bytes written in `data_size`; FULL where there is no room for all.
    """
    module = Module()
    writer = _TextWriter(module.kernel())
    writer.write()
    return module


class _TextWriter(ChunkWriter):
    def __init__(self, cg: Function) -> None:
        super().__init__(cg, FORMS["text"])
        self.data = cg.pointer("data", U8)
        self.data_room = cg.slot("data_room")
        self.end = cg.variable(I64, 0)
        self.out[0] = 0

    def finish(self) -> None:
        self.cg.put("data_size", self.end.get())

    def decode(self, body: Pointer, size: Value, encoding: Value, count: Value) -> None:
        cg = self.cg
        with cg.if_(encoding == PLAIN) as branch:
            self._copy_plain(body, size, count)
        with branch.otherwise():
            suited(cg, ((encoding == PLAIN_DICTIONARY) | (encoding == RLE_DICTIONARY)) & (size >= 1))
            bits = body[0].to(I64)
            suited(cg, bits <= 31)
            codes = cg.pointer("codes", I32)
            read = read_runs(cg, "codes", codes, count, body.at(1), size - 1, bits, None)
            suited(cg, (read > 0) & (read - 2 < self.dictionary_size.get()))
            self._copy_coded(codes, count)

    def _copy_plain(self, body: Pointer, size: Value, count: Value) -> None:
        cg = self.cg
        position = cg.variable(I64, 0)
        ends = self.out.at(self.found.get() + 1)
        with cg.for_range(0, count) as index:
            suited(cg, size - position.get() >= 4)
            length = body.unaligned(position.get(), U32).to(I64)
            position.add(4)
            suited(cg, length <= size - position.get())
            self._append(body, position.get(), length)
            position.add(length)
            ends[index] = self.end.get().to(I32)

    def _copy_coded(self, codes: Pointer, count: Value) -> None:
        cg = self.cg
        text, offsets = cg.pointer("text", U8), cg.pointer("offsets", I32)
        ends = self.out.at(self.found.get() + 1)
        with cg.for_range(0, count) as index:
            code = codes[index].to(I64)
            start = offsets[code].to(I64)
            self._append(text, start, offsets[code + 1].to(I64) - start)
            ends[index] = self.end.get().to(I32)

    def _append(self, source: Pointer, start: Value, length: Value) -> None:
        """Copy a string behind those before, block by block: both sides have some bytes more than they need."""
        cg = self.cg
        end = self.end.get()
        with cg.if_(length > self.data_room - end):
            cg.return_(FULL)
        step = cg.variable(I64, 0)
        with cg.loop() as blocks:
            with cg.if_(step.get() >= length):
                blocks.leave()
            self.data.set_unaligned(end + step.get(), source.unaligned(start + step.get(), I128))
            step.add(_BLOCK)
        self.end.set(end + length)

    def spread(self, present: Value, count: Value) -> None:
        """Give rows without a value an empty string."""
        cg = self.cg
        offsets, valid = self.out.at(self.found.get()), self.valid.at(self.found.get())
        left = cg.variable(I64, present)
        with cg.for_range(count - 1, -1, step=-1) as index:
            offsets[index + 1] = offsets[left.get()]
            left.add(-valid[index].to(I64))
