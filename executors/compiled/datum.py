"""What a staged expression gives: the value of a row, and whether there is one."""

from __future__ import annotations

from lazyframe.executors.compiled.kinds import (
    BOOL,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    Kind,
)
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.planner import types
from lazyframe.planner.types import DataType, is_date, is_decimal, is_duration, is_time, is_timestamp

_KINDS = {
    types.BOOL: BOOL, types.INT8: I8, types.INT16: I16, types.INT32: I32, types.INT64: I64,
    types.UINT8: U8, types.UINT16: U16, types.UINT32: U32, types.UINT64: U64,
    types.FLOAT32: F32, types.FLOAT64: F64, types.DATE: I32,
}  # fmt: skip
_BY_ID = {dtype.id: kind for dtype, kind in _KINDS.items()}

NARROW_DIGITS = 18
"""Decimals of so many digits are computed with in 64 bits, longer ones in 128."""


def kind_of(dtype: DataType) -> Kind | None:
    """The kind of the numbers that stand for a type's values; None for texts and for what kernels do not know."""
    if is_decimal(dtype):
        return I64 if dtype.precision <= NARROW_DIGITS else I128
    if is_timestamp(dtype) or is_duration(dtype):
        return I64
    if is_time(dtype):
        return I32 if dtype.bit_width == 32 else I64
    return _BY_ID.get(dtype.id)


def is_text(dtype: DataType) -> bool:
    """Whether its values are strings of bytes."""
    return dtype in (types.STRING, types.BINARY)


def is_known(dtype: DataType) -> bool:
    """Whether kernels compute with it."""
    return is_text(dtype) or kind_of(dtype) is not None


def is_instant(dtype: DataType) -> bool:
    return is_date(dtype) or is_timestamp(dtype) or is_time(dtype) or is_duration(dtype)


class Number:
    """A value that fits in a register: a number, a boolean, an instant, a decimal's unscaled value.

    Attributes:
        dtype: its type.
        value: what it is, or anything where there is no value.
        valid: whether there is a value; None where there always is.
    """

    __slots__ = ("dtype", "valid", "value")

    def __init__(self, dtype: DataType, value: Value, valid: Value | None = None) -> None:
        self.dtype = dtype
        self.value = value
        self.valid = valid


class Text:
    """A string of bytes somewhere in memory.

    Attributes:
        dtype: string or binary.
        address: of the first byte; where there is no value, of nothing.
        length: how many bytes there are, 0 where there is no value.
        valid: whether there is a value; None where there always is.
        code: the number of the entry, where it comes from a dictionary; equal strings of one dictionary may have two.
        entries: which column of the batch has that dictionary, by the name of its places in the frame; None where none has.
    """

    __slots__ = ("address", "code", "dtype", "entries", "length", "valid")

    def __init__(
        self,
        dtype: DataType,
        address: Pointer,
        length: Value,
        valid: Value | None = None,
        code: Value | None = None,
        entries: str | None = None,
    ) -> None:
        self.dtype = dtype
        self.address = address
        self.length = length
        self.valid = valid
        self.code = code
        self.entries = entries


class ConstantText(Text):
    """A string that is a constant of the query: how long it is is known while staging.

    Attributes:
        name: of its place in the frame.
        size: its bytes.
    """

    __slots__ = ("name", "size")

    def __init__(self, dtype: DataType, address: Pointer, length: Value, name: str, size: int) -> None:
        super().__init__(dtype, address, length)
        self.name = name
        self.size = size


Datum = Number | Text
