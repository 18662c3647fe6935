"""Literals as arguments of a kernel: one compiled shape serves every constant."""

from __future__ import annotations

import struct
import sys
from collections.abc import Hashable

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.datum import ConstantText, Datum, Number, Text, is_text, kind_of
from lazyframe.executors.compiled.entries import EntryTable
from lazyframe.executors.compiled.kinds import F32, F64, I64, POINTER, U8
from lazyframe.executors.compiled.layouts import Layout, address_of, bind_column
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer
from lazyframe.executors.vectorized.functions.unscaled import unscaled_integer
from lazyframe.planner.parameters import Literals, is_placeholder
from lazyframe.planner.scalars import Literal, Parameter, Scalar
from lazyframe.planner.types import is_decimal


class Constants:
    """The constants of a kernel: where each stands in the frame, and what is put there.

    Attributes:
        values: by the name of a place in the frame, the number that belongs there.
        kept: what the addresses among them point to.
        tables: expressions that are computed for the entries of dictionaries.
    """

    def __init__(self) -> None:
        self.values: dict[str, int] = {}
        self.kept: list[object] = []
        self.tables: list[EntryTable] = []
        self._tables: dict[Hashable, EntryTable] = {}
        self._names: dict[int, str] = {}
        self._held: list[object] = []

    def literal(self, cg: Function, literal: Literal) -> Datum:
        """The value of a literal."""
        dtype = literal.dtype
        if not literal.value.is_valid:
            return self.null(cg, dtype)
        name = self._names.get(id(literal))
        if name is None:
            name = self._names[id(literal)] = self.new(literal)
        if is_text(dtype):
            return self.text(cg, dtype, name, literal.value.as_buffer().to_pybytes())
        kind = kind_of(dtype)
        assert kind is not None
        self.put(name, bits_of(literal.value, dtype))
        return Number(dtype, cg.slot(name, kind))

    def parameter(self, cg: Function, parameter: Parameter) -> Number:
        """The value of a placeholder, which is no part of the code."""
        kind = kind_of(parameter.dtype)
        assert kind is not None
        return Number(parameter.dtype, cg.slot(_place_of(parameter), kind))

    def parameters(self, values: Literals) -> None:
        """Put the values of placeholders where kernels look for them."""
        for parameter, literal in values.items():
            if is_placeholder(parameter):
                self.put(_place_of(parameter), bits_of(literal.value, parameter.dtype))

    def text(self, cg: Function, dtype: pa.DataType, name: str, content: bytes) -> ConstantText:
        """A string under a name; besides its address the frame holds its first and its last bytes, as numbers."""
        size = len(content)
        if name not in self.values:
            self.lend(name, np.frombuffer(content or b"\0", dtype=np.uint8))
            self.values[f"{name}.bytes"] = size
            part = word_bytes(size)
            self.put(f"{name}.first", int.from_bytes(content[:part], sys.byteorder))
            self.put(f"{name}.last", int.from_bytes(content[size - part :], sys.byteorder))
        length = cg.slot(f"{name}.bytes")
        address = cg.slot(name, POINTER)
        return ConstantText(
            dtype, Pointer(cg, address.ref, U8, length if cg.module.checked else None), length, name, size
        )

    def new(self, of: object) -> str:
        """The name of a place for one more constant."""
        self._held.append(of)
        return f"constant{len(self._held)}"

    def put(self, name: str, number: int) -> None:
        """Put a number of at most 128 bits at a place."""
        self.values[name] = _signed(number)
        self.values[f"{name}.high"] = _signed(number >> 64)

    def column(self, name: str, layout: Layout, array: pa.Array) -> None:
        """Put where a column lies, of which any row may be read, at places whose names begin so."""
        self.keep(array)
        bind_column(name, layout, array, self)

    def point(self, name: str, address: int, count: int) -> None:
        """Put the address of so many elements at a place."""
        self.values[name] = address
        self.values[f"{name}.length"] = count

    def lend(self, name: str, array: np.ndarray) -> np.ndarray:
        """Put the address of an array at a place, and keep the array."""
        self.kept.append(array)
        self.point(name, address_of(array), array.size)
        return array

    def keep(self, array: pa.Array) -> None:
        """Keep an array."""
        self.kept.append(array)

    def __setitem__(self, name: str, number: int) -> None:
        self.put(name, number)

    def table(self, scalar: Scalar, column: str) -> EntryTable:
        """The answers of an expression for each entry of the dictionary that a column of the batch is."""
        key = scalar.digest, column
        found = self._tables.get(key)
        if found is None:
            found = self._tables[key] = EntryTable(self.new(scalar), scalar, column)
            self.tables.append(found)
        return found

    def null(self, cg: Function, dtype: pa.DataType) -> Datum:
        """The value that is none."""
        nothing = cg.truth(False)
        if is_text(dtype):
            return Text(dtype, Pointer(cg, "null", U8, cg.lift(0, I64)), cg.lift(0, I64), nothing)
        kind = kind_of(dtype)
        assert kind is not None
        return Number(dtype, cg.lift(0, kind), nothing)


def _place_of(parameter: Parameter) -> str:
    return f"parameter {parameter.digest.hex()}"


def word_bytes(size: int) -> int:
    """How many of a constant's first, and of its last, bytes stand in one register: the greatest power of 2, up to 8."""
    return min(1 << size.bit_length() >> 1, 8)


def bits_of(value: pa.Scalar, dtype: pa.DataType) -> int:
    """A number, an instant, a boolean or a decimal of that type as the integer that has its bits."""
    kind = kind_of(dtype)
    if kind is F32:
        return int(struct.unpack("<i", struct.pack("<f", value.as_py()))[0])
    if kind is F64:
        return int(struct.unpack("<q", struct.pack("<d", value.as_py()))[0])
    if is_decimal(dtype):
        return unscaled_integer(value.as_py(), dtype.scale)
    if dtype == pa.bool_() or pa.types.is_integer(dtype):
        return int(value.as_py())
    # Instants count from an epoch.
    return int(value.value)


def _signed(number: int) -> int:
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number
