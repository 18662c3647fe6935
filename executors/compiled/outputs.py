"""Columns that a kernel writes: where rows are needed one by one after it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.datum import Number, Text, kind_of
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.gather import gathered
from lazyframe.executors.compiled.kinds import BOOL, I32, I64, I128, Kind
from lazyframe.executors.compiled.program import Frame
from lazyframe.executors.compiled.values import Value
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType, is_decimal

NUMPY = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64, "bool": np.uint8}  # fmt: skip
"""How numbers of up to 64 bits lie in arrays of numpy."""


class Origin(NamedTuple):
    """Where a column of the result comes from as it is: a column of the batch, or of a build side of a join.

    Args:
        table: the name of the build side; empty for the batch.
        column: the column there.
    """

    table: str
    column: str


class Output(Protocol):
    """A column of the result."""

    @property
    def key(self) -> Hashable:
        """What the code that writes it depends on."""
        ...

    def write(self, row: Row, place: Value) -> None:
        """Write the code that stores the column's value of a row at a place."""
        ...

    def make_room(self, frame: Frame, rows: int) -> Any:
        """Arrays for so many rows, with their addresses in the frame."""
        ...

    def array(self, room: Any, rows: int, batch: Batch) -> pa.Array:
        """The column of the first `rows` that were written."""
        ...


class NumberOutput:
    """A column of numbers of one width."""

    def __init__(self, number: int, name: str, dtype: DataType) -> None:
        self._place = f"output{number}"
        self._name = name
        self._dtype = dtype
        kind = kind_of(dtype)
        assert kind is not None
        self._kind: Kind = kind

    @property
    def key(self) -> Hashable:
        return "number", self._place, self._name

    def write(self, row: Row, place: Value) -> None:
        cg = row.cg
        datum = row.columns[self._name]()
        assert isinstance(datum, Number)
        cg.pointer(self._place, self._kind)[place] = datum.value
        if datum.valid is not None:
            cg.pointer(f"{self._place}.valid", BOOL)[place] = datum.valid

    def make_room(self, frame: Frame, rows: int) -> tuple[np.ndarray, np.ndarray | None]:
        if self._kind is I128:
            values = np.empty((max(rows, 1), 2), dtype=np.int64)
            frame.lend(self._place, values)
            frame[f"{self._place}.length"] = rows
        else:
            values = frame.lend(self._place, np.empty(max(rows, 1), dtype=NUMPY[self._kind.name]))
        valid = (
            frame.lend(f"{self._place}.valid", np.empty(max(rows, 1), np.uint8))
            if frame.has(f"{self._place}.valid")
            else None
        )
        return values, valid

    def array(self, room: tuple[np.ndarray, np.ndarray | None], rows: int, batch: Batch) -> pa.Array:
        values, valid = room
        return column_of(values[:rows], None if valid is None else valid[:rows], self._dtype)


def column_of(values: np.ndarray, valid: np.ndarray | None, dtype: DataType) -> pa.Array:
    """Numbers as kernels write them as a column; `valid` holds 0 where there is none."""
    rows = len(values)
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    if dtype == pa.bool_():
        return pa.Array.from_buffers(dtype, rows, [bitmap, pa.py_buffer(np.packbits(values, bitorder="little"))])
    layout = pa.int64() if is_decimal(dtype) and values.ndim == 1 else dtype
    return pa.Array.from_buffers(layout, rows, [bitmap, pa.py_buffer(_fitted(values))])


def _fitted(values: np.ndarray) -> np.ndarray:
    """Values in memory of their own where they fill but a part of their room, which would live as long as they do."""
    room = values.base
    return values.copy() if room is not None and 4 * values.nbytes < 3 * room.nbytes else np.ascontiguousarray(values)


class CarriedOutput:
    """A column that no kernel need look at: the numbers of the rows that are kept say it all."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin

    @property
    def key(self) -> Hashable:
        return ("carried",)

    def write(self, row: Row, place: Value) -> None:
        """Nothing: the selection is written once for all such columns."""

    def make_room(self, frame: Frame, rows: int) -> None:
        return None

    def array(self, room: object, rows: int, batch: Batch) -> pa.Array:
        raise AssertionError("carried columns are taken by the selection")


class Selection:
    """The numbers of the rows that are kept: of the batch, or of a build side, where -1 is a row of nulls."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.place = f"selection.{table}" if table else "selection"

    @property
    def key(self) -> Hashable:
        return "selection", self.table

    def write(self, row: Row, place: Value) -> None:
        number = row.numbers[self.table] if self.table else row.number
        row.cg.pointer(self.place, I32)[place] = number.to(I32)

    def make_room(self, frame: Frame, rows: int) -> np.ndarray:
        return frame.lend(self.place, np.empty(max(rows, 1), np.int32))


class CodedOutput:
    """Codes of a dictionary: that of `coded`, or of the column of the batch."""

    def __init__(self, number: int, name: str, column: str, coded: pa.DictionaryArray | None) -> None:
        self._place = f"output{number}"
        self._name = name
        self._column = column
        self._coded = coded

    @property
    def key(self) -> Hashable:
        return "coded", self._place, self._name

    def write(self, row: Row, place: Value) -> None:
        datum = row.columns[self._name]()
        assert isinstance(datum, Text)
        assert datum.code is not None
        row.cg.pointer(self._place, I32)[place] = datum.code.to(I32)
        if datum.valid is not None:
            row.cg.pointer(f"{self._place}.valid", BOOL)[place] = datum.valid

    def make_room(self, frame: Frame, rows: int) -> tuple[np.ndarray, np.ndarray | None]:
        values = frame.lend(self._place, np.empty(max(rows, 1), np.int32))
        return values, frame.lend(f"{self._place}.valid", np.empty(max(rows, 1), np.uint8)) if frame.has(
            f"{self._place}.valid"
        ) else None

    def array(self, room: tuple[np.ndarray, np.ndarray | None], rows: int, batch: Batch) -> pa.Array:
        values, valid = room
        codes = column_of(values[:rows], None if valid is None else valid[:rows], pa.int32())
        coded = batch.columns[self._column] if self._coded is None else self._coded
        return pa.DictionaryArray.from_arrays(codes, coded.dictionary, safe=False)


class NumberedOutput:
    """Strings of a build side of few rows, as codes of a dictionary, which is the column there: the numbers of its rows."""

    def __init__(self, number: int, origin: Origin, entries: pa.Array) -> None:
        self._place = f"output{number}"
        self._table = origin.table
        self._entries = entries

    @property
    def key(self) -> Hashable:
        return "numbered", self._place, self._table

    def write(self, row: Row, place: Value) -> None:
        row.cg.pointer(self._place, I32)[place] = row.numbers[self._table].to(I32)

    def make_room(self, frame: Frame, rows: int) -> np.ndarray:
        return frame.lend(self._place, np.empty(max(rows, 1), np.int32))

    def array(self, room: np.ndarray, rows: int, batch: Batch) -> pa.Array:
        codes = room[:rows]
        valid = (codes >= 0).view(np.uint8)
        return pa.DictionaryArray.from_arrays(column_of(codes, valid, pa.int32()), self._entries, safe=False)


MOST_ENTRIES = 1 << 10
"""Up to so many rows a column of strings may serve as a dictionary of which each row is an entry."""


class TextOutput:
    """Strings that a kernel found somewhere: their addresses and lengths, which are copied afterwards."""

    def __init__(self, number: int, name: str, dtype: DataType) -> None:
        self._place = f"output{number}"
        self._name = name
        self._dtype = dtype

    @property
    def key(self) -> Hashable:
        return "text", self._place, self._name

    def write(self, row: Row, place: Value) -> None:
        cg = row.cg
        datum = row.columns[self._name]()
        assert isinstance(datum, Text)
        length = datum.length
        if datum.valid is not None:
            cg.pointer(f"{self._place}.valid", BOOL)[place] = datum.valid
            length = cg.choose(datum.valid, length, cg.lift(0, I64))
        cg.pointer(f"{self._place}.addresses", I64)[place] = datum.address.to(I64)
        cg.pointer(f"{self._place}.sizes", I64)[place] = length

    def make_room(self, frame: Frame, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        addresses = frame.lend(f"{self._place}.addresses", np.empty(max(rows, 1), np.int64))
        sizes = frame.lend(f"{self._place}.sizes", np.empty(max(rows, 1), np.int64))
        valid = (
            frame.lend(f"{self._place}.valid", np.empty(max(rows, 1), np.uint8))
            if frame.has(f"{self._place}.valid")
            else None
        )
        return addresses, sizes, valid

    def array(self, room: tuple[np.ndarray, np.ndarray, np.ndarray | None], rows: int, batch: Batch) -> pa.Array:
        addresses, sizes, valid = room
        return gathered(addresses[:rows], sizes[:rows], None if valid is None else valid[:rows], self._dtype)


def take(column: pa.Array, selection: np.ndarray) -> pa.Array:
    """The values at some rows, null where the row is -1."""
    missing = selection < 0
    if not missing.any():
        return pc.array_take(column, arrow.array(selection), boundscheck=False)
    if not len(column):
        return pa.nulls(len(selection), column.type)
    return pc.array_take(column, arrow.array(selection, mask=missing), boundscheck=False)
