"""Where the pages of a column chunk lie: the kernel that walks over their headers.

A header is a struct in Thrift's compact protocol. The kernel writes a row of integers a page, in which the fields of the header
stand at their own numbers, and those of the struct within it (of a data page, a dictionary page, or a data page of version 2)
at `INNER` plus their numbers; -1 is a field that is not there. It leaves nothing unseen that a later kernel relies on: pages lie
within the chunk, and no size is negative. What it does not know (lists, unions, deeper structs) it calls unsuited.
"""

from __future__ import annotations

from lazyframe.executors.compiled.kinds import I64, U8
from lazyframe.executors.compiled.stage import DONE, FULL, UNSUITED, Function, Module
from lazyframe.executors.compiled.values import Pointer, Value, Variable

KIND, UNCOMPRESSED, COMPRESSED, CHECKSUM = 1, 2, 3, 4
INNER = 8
VALUES, ENCODING = INNER + 1, INNER + 2  # of version 1, and of dictionaries
V2_ENCODING, V2_DEFINITION, V2_REPETITION, V2_COMPRESSED = INNER + 4, INNER + 5, INNER + 6, INNER + 7
NO_CHECKSUM = 1 << 40  # -1 could be one
START = 16
ADDRESS = 17
ROW = 18

DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 0, 2, 3
_STRUCT_OF = {DATA_PAGE: 5, DICTIONARY_PAGE: 7, DATA_PAGE_V2: 8}

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _STRUCT = 1, 2, 3, 4, 5, 6, 7, 8, 12
_MOST_BYTES = 1 << 30


def page_headers() -> Module:
    """The kernel.

    Frame: `data`, the bytes of the chunk, `size` of them; `table` with room for `capacity` pages; `wanted`, how many values
    the chunk has. Gives in `pages` how many there are until that many values are there, in `values` how many values, in
    `largest` the most bytes of a page once decompressed, in `dictionary_values` how many values the first page has where it is
    a dictionary, and in `checksums` how many pages have one.
    """
    module = Module()
    cg = module.kernel()
    data = cg.pointer("data", U8)
    table = cg.pointer("table", I64)
    size, capacity, wanted = cg.slot("size"), cg.slot("capacity"), cg.slot("wanted")
    position, pages, values, largest, dictionary, checksums = (cg.variable(I64, 0) for _ in range(6))
    with cg.loop("until all values are seen") as each:
        with cg.if_((values.get() >= wanted) & (pages.get() > 0)):
            each.leave()
        with cg.if_(pages.get() >= capacity):
            cg.return_(FULL)
        row = table.at(pages.get() * ROW)
        for number in range(ROW):
            row[number] = NO_CHECKSUM if number == CHECKSUM else -1
        _header(cg, data, size, position, row)
        _check(cg, row, size - position.get())
        row[START] = position.get()
        row[ADDRESS] = data.at(position.get()).to(I64)
        position.add(row[COMPRESSED])
        with cg.if_(row[UNCOMPRESSED] > largest.get()):
            largest.set(row[UNCOMPRESSED])
        with cg.if_(row[KIND] != DICTIONARY_PAGE) as branch:
            values.add(row[VALUES])
        with branch.otherwise(), cg.if_(pages.get() == 0):
            dictionary.set(row[VALUES])
        with cg.if_(row[CHECKSUM] != NO_CHECKSUM):
            checksums.add(1)
        pages.add(1)
    cg.put("pages", pages.get())
    cg.put("values", values.get())
    cg.put("largest", largest.get())
    cg.put("dictionary_values", dictionary.get())
    cg.put("checksums", checksums.get())
    cg.return_(DONE)
    return module


def _check(cg: Function, row: Pointer, rest: Value) -> None:
    """Call a page unsuited whose sizes cannot be."""
    kind = row[KIND]
    suited(cg, (kind == DATA_PAGE) | (kind == DICTIONARY_PAGE) | (kind == DATA_PAGE_V2))
    suited(cg, (row[COMPRESSED] >= 0) & (row[COMPRESSED] <= rest))
    suited(cg, (row[UNCOMPRESSED] >= 0) & (row[UNCOMPRESSED] <= _MOST_BYTES))
    suited(cg, (row[VALUES] >= 0) & (row[VALUES] <= _MOST_BYTES))
    with cg.if_(kind == DATA_PAGE_V2):
        levels = row[V2_DEFINITION]
        suited(cg, (levels >= 0) & (levels <= row[COMPRESSED]) & (levels <= row[UNCOMPRESSED]))
        suited(cg, row[V2_REPETITION] == 0)


def _header(cg: Function, data: Pointer, size: Value, position: Variable, row: Pointer) -> None:
    """Read a header, and move behind it."""
    depth, within = cg.variable(I64, 0), cg.variable(I64, 0)
    last = [cg.variable(I64, 0) for _ in range(3)]
    number, value = cg.variable(I64, 0), cg.variable(I64, 0)
    with cg.loop("each field of its header") as fields:
        head = _byte(cg, data, size, position)
        with cg.if_(head == 0):
            with cg.if_(depth.get() == 0):
                fields.leave()
            depth.add(-1)
            fields.next()
        for level, variable in enumerate(last):
            with cg.if_(depth.get() == level):
                number.set(variable.get())
        with cg.if_(head.shifted_right(4) == 0) as short:
            number.set(_zigzag(_varint(cg, data, size, position)))
        with short.otherwise():
            number.add(head.shifted_right(4))
        for level, variable in enumerate(last):
            with cg.if_(depth.get() == level):
                variable.set(number.get())
        form = head & 15
        with cg.if_(form == _STRUCT):
            depth.add(1)
            suited(cg, depth.get() < len(last))
            for level in (1, 2):
                with cg.if_(depth.get() == level):
                    last[level].set(0)
            with cg.if_(depth.get() == 1):
                within.set(number.get())
            fields.next()
        _field(cg, data, size, position, form, value)
        known = (number.get() > 0) & (number.get() < INNER)
        with cg.if_((depth.get() == 0) & known):
            row[number.get()] = value.get()
        is_inner = (depth.get() == 1) & known
        for kind, struct in _STRUCT_OF.items():
            with cg.if_(is_inner & (within.get() == struct) & (row[KIND] == kind)):
                row[number.get() + INNER] = value.get()


def _field(cg: Function, data: Pointer, size: Value, position: Variable, form: Value, value: Variable) -> None:
    """Read the value of a field that is no struct; of bytes, which are passed over, -1."""
    value.set(-1)
    with cg.if_(form == _TRUE):
        value.set(1)
    with cg.if_(form == _FALSE):
        value.set(0)
    with cg.if_(form == _BYTE):
        value.set(_byte(cg, data, size, position))
    with cg.if_((form >= _I16) & (form <= _I64)):
        value.set(_zigzag(_varint(cg, data, size, position)))
    with cg.if_(form == _DOUBLE):
        suited(cg, size - position.get() >= 8)
        position.add(8)
    with cg.if_(form == _BINARY):
        length = _varint(cg, data, size, position)
        suited(cg, (length >= 0) & (length <= size - position.get()))
        position.add(length)
    suited(cg, (form >= _TRUE) & (form <= _BINARY))


def _byte(cg: Function, data: Pointer, size: Value, position: Variable) -> Value:
    suited(cg, position.get() < size)
    value = data[position.get()].to(I64)
    position.add(1)
    return value


def _varint(cg: Function, data: Pointer, size: Value, position: Variable) -> Value:
    value, shift = cg.variable(I64, 0), cg.variable(I64, 0)
    with cg.loop() as bytes_:
        byte = _byte(cg, data, size, position)
        value.set(value.get() | ((byte & 127) << shift.get()))
        with cg.if_(byte < 128):
            bytes_.leave()
        shift.add(7)
        suited(cg, shift.get() < 64)
    return value.get()


def _zigzag(value: Value) -> Value:
    return value.shifted_right(1) ^ -(value & 1)


def suited(cg: Function, condition: Value) -> None:
    """Give up where a condition does not hold."""
    with cg.if_(~condition):
        cg.return_(UNSUITED)
