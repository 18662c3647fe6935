"""The values of a column chunk: the kernel that decodes its pages into one array.

It trusts nothing but the sizes in the table of pages, which `pages` has checked: each length, count and index is tested before
anything is read or written by it. Whatever is corrupt or unknown makes the chunk `UNSUITED`, and another reader says why.
"""

from __future__ import annotations

from typing import NamedTuple

from lazyframe.executors.compiled.kinds import I8, I16, I32, I64, POINTER, U8, U32, U64, Kind
from lazyframe.executors.compiled.parquet import snappy
from lazyframe.executors.compiled.parquet.pages import (
    ADDRESS,
    COMPRESSED,
    DATA_PAGE_V2,
    DICTIONARY_PAGE,
    ENCODING,
    INNER,
    KIND,
    ROW,
    UNCOMPRESSED,
    V2_COMPRESSED,
    V2_DEFINITION,
    V2_ENCODING,
    VALUES,
    suited,
)
from lazyframe.executors.compiled.parquet.runs import is_one_run, read_runs
from lazyframe.executors.compiled.stage import DONE, Function, Module
from lazyframe.executors.compiled.values import Pointer, Value

NO_CODEC, SNAPPY = 0, 1
PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY = 0, 2, 3, 8

_EIGHT = 0x0101010101010101
"""Eight rows that have a value."""

SLACK = 64
"""How many bytes behind the pages may be read, and behind the decompressed ones be written."""


class Form(NamedTuple):
    """How values are stored, and as what they come out.

    Args:
        name: of the form.
        out: the kind of the values that come out.
        stored: that of the stored ones; None where they are big-endian integers of any number of bytes up to eight.
        is_text: whether they are strings, all of them in a dictionary: then their indices come out.
        is_bits: whether they are booleans, of which each comes out as a byte.
    """

    name: str
    out: Kind
    stored: Kind | None
    is_text: bool = False
    is_bits: bool = False


FORMS = {
    form.name: form
    for form in (
        Form("four bytes", U32, U32),
        Form("eight bytes", U64, U64),
        Form("four bytes, widened", I64, I32),
        Form("four bytes, two kept", I16, I32),
        Form("four bytes, one kept", I8, I32),
        Form("big-endian", I64, None),
        Form("text", I32, None, is_text=True),
        Form("bits", U8, None, is_bits=True),
    )
}


def chunk_values(form: Form) -> Module:
    """The kernel for a form.

    Frame: `table` with `pages` pages, whose bytes are compressed by `codec`; `scratch`, with `room` bytes, for one page
    decompressed; `out` with room for `rows` values; `dictionary` for `dictionary_room` values; `width`, the bytes of a
    big-endian value; `nullable`, and then `valid` for as many bytes as rows. Of text also `text` with `text_room` bytes
    and `offsets`, one more than `dictionary_room`. Gives `found` rows, of which `nulls` are null, and `dictionary_size`.
    """
    module = Module()
    writer = ChunkWriter(module.kernel(), form)
    writer.write()
    return module


class ChunkWriter:
    """Writes the kernel for a form."""

    def __init__(self, cg: Function, form: Form) -> None:
        self.cg = cg
        self.form = form
        self.table = cg.pointer("table", I64)
        self.out = cg.pointer("out", form.out)
        self.valid = cg.pointer("valid", U8)
        self.dictionary = cg.pointer("dictionary", form.out)
        self.dictionary_room = cg.slot("dictionary_room")
        self.width = cg.lift(form.stored.bytes, I64) if form.stored else cg.slot("width")
        self.nullable = cg.slot("nullable") != 0
        self.found = cg.variable(I64, 0)
        self.nulls = cg.variable(I64, 0)
        self.dictionary_size = cg.variable(I64, -1)

    def write(self) -> None:
        cg = self.cg
        with cg.for_range(0, cg.slot("pages"), note="each page") as page:
            row = self.table.at(page * ROW)
            is_second = row[KIND] == DATA_PAGE_V2
            levels = cg.choose(is_second, row[V2_DEFINITION], cg.lift(0, I64))
            body, size = self._body(row, levels, ~is_second | (row[V2_COMPRESSED] != 0))
            with cg.if_(row[KIND] == DICTIONARY_PAGE, note="it is a dictionary") as branch:
                suited(cg, (page == 0) & ((row[ENCODING] == PLAIN) | (row[ENCODING] == PLAIN_DICTIONARY)))
                self._read_dictionary(body, size, row[VALUES])
            with branch.otherwise("else"):
                self._read_page(row, is_second, body, size)
        self.finish()
        cg.put("found", self.found.get())
        cg.put("nulls", self.nulls.get())
        cg.put("dictionary_size", self.dictionary_size.get())
        cg.return_(DONE)

    def finish(self) -> None:
        """Put into the frame what a form has to say besides."""

    def _body(self, row: Pointer, skipped: Value, is_compressed: Value) -> tuple[Pointer, Value]:
        """The bytes of a page behind some that are never compressed, decompressed, and how many they are."""
        cg = self.cg
        data = row[ADDRESS].to(POINTER)
        assert isinstance(data, Pointer)
        stored, size = row[COMPRESSED] - skipped, row[UNCOMPRESSED] - skipped
        place = cg.variable(POINTER, data.at(skipped))
        with cg.if_((cg.slot("codec") == SNAPPY) & is_compressed) as branch:
            suited(cg, size <= cg.slot("room"))
            scratch = cg.pointer("scratch", U8)
            suited(cg, snappy.decompress(cg, place.get().of(U8), stored, scratch, size) == 1)  # type: ignore[attr-defined]
            place.set(scratch)
        with branch.otherwise():
            suited(cg, stored == size)
        body = place.get()
        assert isinstance(body, Pointer)
        return self._sized(body, size), size

    def _sized(self, pointer: Pointer, size: Value) -> Pointer:
        return pointer.of(U8, size + SLACK) if self.cg.module.checked else pointer.of(U8)

    def _read_dictionary(self, body: Pointer, size: Value, count: Value) -> None:
        suited(self.cg, (count <= self.dictionary_room) & self.cg.truth(not self.form.is_bits))
        if self.form.is_text:
            self._copy_texts(body, size, count)
        else:
            self._copy_values(self.dictionary, body, size, count)
        self.dictionary_size.set(count)

    def _copy_texts(self, body: Pointer, size: Value, count: Value) -> None:
        """Put the strings of a dictionary one behind the other, without their lengths."""
        cg = self.cg
        text, offsets = cg.pointer("text", U8), cg.pointer("offsets", I32)
        position, end = cg.variable(I64, 0), cg.variable(I64, 0)
        suited(cg, size <= cg.slot("text_room"))
        offsets[0] = 0
        with cg.for_range(0, count) as index:
            suited(cg, size - position.get() >= 4)
            length = body.unaligned(position.get(), U32).to(I64)
            position.add(4)
            suited(cg, length <= size - position.get())
            text.at(end.get()).copy(body.at(position.get()), length)
            position.add(length)
            end.add(length)
            offsets[index + 1] = end.get().to(I32)

    def _copy_values(self, out: Pointer, body: Pointer, size: Value, count: Value) -> None:
        """Values as they are."""
        cg = self.cg
        if self.form.is_bits:
            suited(cg, (count + 7).shifted_right(3) <= size)
            with cg.for_range(0, count) as index:
                out[index] = body[index.shifted_right(3)].shifted_right((index & 7).to(U8)) & 1
            return
        suited(cg, count * self.width <= size)
        if self.form.stored is not None and self.form.stored.ir == out.element.ir:
            out.of(U8).copy(body, count * self.width)
            return
        with cg.for_range(0, count) as index:
            out[index] = self._value(body, index)

    def _value(self, body: Pointer, index: Value) -> Value:
        stored = self.form.stored
        if stored is not None:
            return body.unaligned(index * stored.bytes, stored).to(self.form.out)
        high_first = self.cg.intrinsic("llvm.bswap", I64, body.unaligned(index * self.width, I64))
        return high_first >> (64 - (self.width << 3))

    def _read_page(self, row: Pointer, is_second: Value, body: Pointer, size: Value) -> None:
        cg, count = self.cg, row[VALUES]
        suited(cg, count <= cg.slot("rows") - self.found.get())
        present, start = cg.variable(I64, count), cg.variable(I64, 0)
        with cg.if_(self.nullable):
            # Levels stand before the body, or at its beginning after their length.
            place, length = cg.variable(POINTER, row[ADDRESS].to(POINTER)), cg.variable(I64, row[V2_DEFINITION])
            with cg.if_(~is_second):
                suited(cg, (row[INNER + 3] == RLE) & (size >= 4))
                length.set(body.unaligned(0, U32).to(I64))
                suited(cg, length.get() <= size - 4)
                place.set(body.at(4))
                start.set(length.get() + 4)
            levels = place.get()
            assert isinstance(levels, Pointer)
            present.set(self._levels(self._sized(levels, length.get()), length.get(), count))
        rest = size - start.get()
        with cg.if_(present.get() > 0):
            encoding = cg.choose(is_second, row[V2_ENCODING], row[ENCODING])
            self.decode(self._sized(body.at(start.get()), rest), rest, encoding, present.get())
        with cg.if_(present.get() < count):
            self.spread(present.get(), count)
        self.nulls.add(count - present.get())
        self.found.add(count)

    def _levels(self, source: Pointer, size: Value, count: Value) -> Value:
        """Read which rows have a value, a byte each; gives how many have one."""
        cg = self.cg
        valid = self.valid.at(self.found.get())
        total = cg.variable(I64, count)
        with cg.if_(is_one_run(cg, source, size, count)) as branch:
            valid.fill(1, count)
        with branch.otherwise():
            suited(cg, read_runs(cg, "levels", valid, count, source, size, cg.lift(1, I64), None) > 0)
            total.set(0)
            words = count.shifted_right(3)
            with cg.for_range(0, words) as index:
                # The product's highest byte is the sum of all eight.
                total.add((valid.unaligned(index << 3, U64) * _EIGHT).shifted_right(56).to(I64))
            with cg.for_range(words << 3, count) as index:
                total.add(valid[index].to(I64))
        return total.get()

    def decode(self, body: Pointer, size: Value, encoding: Value, count: Value) -> None:
        cg, form = self.cg, self.form
        out = self.out.at(self.found.get())
        with cg.if_(encoding == PLAIN) as branch:
            if form.is_text:
                suited(cg, cg.truth(False))
            else:
                self._copy_values(out, body, size, count)
        with branch.otherwise():
            if form.is_bits:
                self._decode_bits(out, body, size, encoding, count)
                return
            suited(cg, (encoding == PLAIN_DICTIONARY) | (encoding == RLE_DICTIONARY))
            suited(cg, size >= 1)
            bits = body[0].to(I64)
            suited(cg, bits <= 31)
            if not form.is_text:
                suited(cg, (cg.lift(1, I64) << bits) <= self.dictionary_room)
            values = None if form.is_text else self.dictionary
            read = read_runs(cg, "indices", out, count, body.at(1), size - 1, bits, values)
            suited(cg, (read > 0) & (read - 2 < self.dictionary_size.get()))

    def _decode_bits(self, out: Pointer, body: Pointer, size: Value, encoding: Value, count: Value) -> None:
        cg = self.cg
        suited(cg, (encoding == RLE) & (size >= 4))
        length = body.unaligned(0, U32).to(I64)
        suited(cg, length <= size - 4)
        runs = self._sized(body.at(4), length)
        suited(cg, read_runs(cg, "levels", out, count, runs, length, cg.lift(1, I64), None) > 0)

    def spread(self, present: Value, count: Value) -> None:
        """Move the values, which stand one behind the other, to the rows that have one; the others become 0."""
        cg = self.cg
        out, valid = self.out.at(self.found.get()), self.valid.at(self.found.get())
        left, row = cg.variable(I64, present), cg.variable(I64, count)
        with cg.loop("from the last row to where all are in place") as rows:
            with cg.if_(left.get() == row.get()):
                rows.leave()
            with cg.if_(row.get() >= 8), cg.if_(valid.unaligned(row.get() - 8, U64) == _EIGHT):
                values = [out[left.get() - 8 + lane] for lane in range(8)]
                for lane, value in enumerate(values):
                    out[row.get() - 8 + lane] = value
                left.add(-8)
                row.add(-8)
                rows.next()
            row.add(-1)
            with cg.if_(valid[row.get()] == 1) as branch:
                left.add(-1)
                out[row.get()] = out[left.get()]
            with branch.otherwise():
                out[row.get()] = 0
