"""States of aggregates within a kernel: words of a group's record.

What is read from the records in the end are the states of the vectorized aggregates, which merge and finish them: so both
executors give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.datum import Datum, Number, kind_of
from lazyframe.executors.compiled.functions.comparison import compared
from lazyframe.executors.compiled.kinds import BOOL, F32, F64, I32, I64, I128, Kind
from lazyframe.executors.compiled.outputs import column_of
from lazyframe.executors.compiled.stage import UNSUITED, Function, Pointer, Value
from lazyframe.executors.vectorized.aggregates.counts import Count
from lazyframe.executors.vectorized.aggregates.picks import Pick, Picked
from lazyframe.executors.vectorized.aggregates.state import Need
from lazyframe.executors.vectorized.aggregates.sums import ExactSum, FloatSum
from lazyframe.planner.types import DataType, is_decimal, is_float

_LOW = np.int64((1 << 32) - 1)


class Accumulator(Protocol):
    """A state of each group.

    Attributes:
        words: how many of the record it takes.
    """

    words: int

    def begin(self, cg: Function, record: Pointer) -> None:
        """Write the state of no rows into a new record."""
        ...

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum]) -> None:
        """Take one more row, in which no argument that must be there is null."""
        ...

    def read(self, records: np.ndarray) -> object:
        """The vectorized state of all groups; `records` has a row a group, and this state's words."""
        ...


class CountRows:
    words = 1

    def begin(self, cg: Function, record: Pointer) -> None:
        record[0] = 0

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum]) -> None:
        record[0] = record[0] + 1

    def read(self, records: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(records[:, 0])


class SumIntegers:
    """The sum of integers in 64 bits, where a batch cannot exceed them, else in 128."""

    def __init__(self, dtype: DataType) -> None:
        # A batch has fewer than 2**18 rows.
        digits = dtype.precision if is_decimal(dtype) else 0
        kind = kind_of(dtype)
        assert kind is not None
        self._is_wide = digits > 13 or (not digits and kind.bits == 64)
        self._may_overflow = digits > 32
        self.words = 2 if self._is_wide else 1

    def begin(self, cg: Function, record: Pointer) -> None:
        for word in range(self.words):
            record[word] = 0

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum]) -> None:
        (number,) = arguments
        assert isinstance(number, Number)
        if not self._is_wide:
            record[0] = record[0] + number.value.to(I64)
            return
        total = record.of(I128)
        if self._may_overflow:
            value, overflows = total[0].with_overflow("add", number.value.to(I128))
            with cg.if_(overflows):
                cg.return_(UNSUITED)
            total[0] = value
        else:
            total[0] = total[0] + number.value.to(I128)

    def read(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        low = np.ascontiguousarray(records[:, 0])
        if not self._is_wide:
            return (low,)
        high = np.ascontiguousarray(records[:, 1])
        if (high == low >> np.int64(63)).all():
            return (low,)
        return low & _LOW, low >> np.int64(32) & _LOW, high & _LOW, high >> np.int64(32)


class SumFloats:
    words = 1

    def begin(self, cg: Function, record: Pointer) -> None:
        record.of(F64)[0] = 0.0

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum]) -> None:
        (number,) = arguments
        assert isinstance(number, Number)
        total = record.of(F64)
        total[0] = total[0] + number.value.to(F64)

    def read(self, records: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(records[:, 0]).view(np.float64)


class PickNumber:
    """The first, last, least or greatest of numbers: whether there is one, whether it is null, and the number."""

    def __init__(self, choice: str, dtype: DataType) -> None:
        self._choice = choice
        self._dtype = dtype
        kind = kind_of(dtype)
        assert kind is not None
        self._kind: Kind = kind
        self.words = 2 if kind is I128 else 1
        # One more word, in front: 0 no row, 1 a value, 2 null.
        self.words += 1

    def begin(self, cg: Function, record: Pointer) -> None:
        for word in range(self.words):
            record[word] = 0

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum]) -> None:
        (number,) = arguments
        assert isinstance(number, Number)
        held = record.at(1).of(self._kind)
        match self._choice:
            case "first":
                better = record[0] == 0
            case "last":
                better = cg.truth(True)
            case choice:
                before = Number(self._dtype, held[0])
                less = choice == "min"
                name, compare = ("less", lambda a, b: a < b) if less else ("greater", lambda a, b: a > b)
                better = cg.either(record[0] == 0, compared(cg, name, compare, number, before))
        with cg.if_(better):
            held[0] = number.value
            record[0] = 1 if number.valid is None else cg.choose(number.valid, cg.lift(1, I64), cg.lift(2, I64))

    def read(self, records: np.ndarray) -> Picked:
        found = records[:, 0]
        valid = (found == 1).astype(np.uint8)
        return Picked(found > 0, [column_of(numbers_in(records[:, 1:], self._kind), valid, self._dtype)])


def numbers_in(words: np.ndarray, kind: Kind) -> np.ndarray:
    """The numbers that a kernel has stored in words of 64 bits, one a row."""
    if kind is I128:
        return np.ascontiguousarray(words[:, :2])
    column = np.ascontiguousarray(words[:, 0])
    if kind.bits == 64:
        return column.view(np.float64) if kind is F64 else column
    if kind is F32:
        return column.astype(np.int32).view(np.float32)
    if kind is BOOL:
        return (column & 1).astype(np.uint8)
    signed = {8: np.int8, 16: np.int16, 32: np.int32}[kind.bits]
    return column.astype(signed)


def accumulator_of(need: Need, types: Sequence[DataType]) -> Accumulator | None:
    """What computes a state in a kernel; None where that is left to the vectorized aggregate."""
    match need.state:
        case Count():
            return CountRows()
        case ExactSum() if kind_of(types[0]) is not None and types[0] != pa.uint64():
            return SumIntegers(types[0])
        case FloatSum() if is_float(types[0]):
            return SumFloats()
        case Pick(choice=choice, types=kept) if len(kept) == 1 and kind_of(types[0]) is not None:
            return PickNumber(choice, types[0])
    return None


def value_in_words(cg: Function, value: Value) -> list[Value]:
    """A number as words of 64 bits."""
    kind = value.kind
    if kind is I128:
        return [value.to(I64), (value >> 64).to(I64)]
    if kind is F64:
        return [value.bits_as(I64)]
    if kind is F32:
        return [value.bits_as(I32).to(I64)]
    return [value.to(I64)]
