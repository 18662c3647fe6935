"""States of aggregates within a kernel: words of a group's record.

What is read from the records in the end are the states of the vectorized aggregates, which merge and finish them: so both
executors give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.central_moments import CentralMoments
from lazyframe.executors.compiled.collected_rows import CollectRows
from lazyframe.executors.compiled.datum import Datum, Number, kind_of
from lazyframe.executors.compiled.functions.comparison import compared
from lazyframe.executors.compiled.kinds import BOOL, F32, F64, I32, I64, I128, U128, Kind
from lazyframe.executors.compiled.outputs import column_of
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.taken import Taken
from lazyframe.executors.compiled.values import Pointer, RowByRow, Together, Value
from lazyframe.executors.compiled.visited_rows import can_be_visited
from lazyframe.executors.vectorized.aggregates import limbs
from lazyframe.executors.vectorized.aggregates.collected import Collected
from lazyframe.executors.vectorized.aggregates.counts import Count
from lazyframe.executors.vectorized.aggregates.groups import LANES, of_lanes
from lazyframe.executors.vectorized.aggregates.moments import Comoments, Moments
from lazyframe.executors.vectorized.aggregates.picks import Pick, Picked
from lazyframe.executors.vectorized.aggregates.state import Need
from lazyframe.executors.vectorized.aggregates.sums import ExactSum, FloatSum
from lazyframe.planner import arrow
from lazyframe.planner.types import BOOL as TRUTH
from lazyframe.planner.types import FLOAT64, INT64, DataType, is_decimal, is_float

_MOST_DIGITS = 28
"""Of 2**32 decimals of so many digits the sum has less than 128 bits."""

_LOW = np.int64((1 << 32) - 1)


class Accumulator(Protocol):
    """A state of each group: first of the rows of one batch, then of all.

    What is kept of all rows may take other words than what is kept of a batch.

    Attributes:
        words: how many of the record of a batch it takes.
        total_words: how many of the record of all rows.
        end_words: how many the state of all rows takes in the end.
        is_branchless: whether it is also given the rows that do not count, and asks nothing of a row that could not be asked of
            several at once.
    """

    words: int
    total_words: int
    end_words: int
    is_branchless: bool

    def begin(self, cg: Function, record: Pointer) -> None:
        """Write the state of no rows into a new record of a batch."""
        ...

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum], taken: Taken) -> None:
        """Take one more row, which counts unless the accumulator is branchless."""
        ...

    def begin_total(self, cg: Function, total: Pointer) -> None:
        """Write the state of no rows into a new record of all rows."""
        ...

    def add(self, cg: Function, total: Pointer, record: Pointer, same_batch: Callable[[], Value]) -> None:
        """Take the state of more rows; `same_batch` tells whether they are of the batch that was taken last."""
        ...

    def end(self, cg: Function, total: Pointer) -> list[Value]:
        """The words of the state of all rows, as `read` takes them."""
        ...

    def read(self, words: Sequence[np.ndarray]) -> object:
        """The vectorized state of all groups, from each of its words."""
        ...

    def columns(self, state: Any) -> list[tuple[DataType, pa.Array]]:
        """A vectorized state as columns, a row a group, with their types, which they need not be laid out as."""
        ...

    def load(self, cg: Function, record: Pointer, columns: Sequence[Datum]) -> None:
        """Write the state of a group into a new record of a batch, from such columns."""
        ...


def _words(record: Pointer, count: int) -> list[Value]:
    return [record[place] for place in range(count)]


def _clear(record: Pointer, count: int) -> None:
    for place in range(count):
        record[place] = 0


class CountRows:
    words = total_words = end_words = 1
    is_branchless = True

    def begin(self, cg: Function, record: Pointer) -> None:
        record[0] = 0

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum], taken: Taken) -> None:
        if taken.present is None:
            record[0] = record[0] + taken.position.lanes
        else:
            record[0] = record[0] + taken.present.count()

    def begin_total(self, cg: Function, total: Pointer) -> None:
        total[0] = 0

    def add(self, cg: Function, total: Pointer, record: Pointer, same_batch: Callable[[], Value]) -> None:
        total[0] = total[0] + record[0]

    def end(self, cg: Function, total: Pointer) -> list[Value]:
        return [total[0]]

    def read(self, words: Sequence[np.ndarray]) -> np.ndarray:
        return words[0]

    def columns(self, state: Any) -> list[tuple[DataType, pa.Array]]:
        return [(INT64, arrow.array(state))]

    def load(self, cg: Function, record: Pointer, columns: Sequence[Datum]) -> None:
        record[0] = _number(columns[0])


class SumIntegers:
    """The sum of integers in 64 bits, where a batch cannot exceed them, else in 128, or in 192 where these may not do."""

    is_branchless = False

    def __init__(self, dtype: DataType) -> None:
        # A batch has fewer than 2**18 rows, and there are fewer than 2**32 rows in all.
        digits = dtype.precision if is_decimal(dtype) else 0
        kind = kind_of(dtype)
        assert kind is not None
        if digits > _MOST_DIGITS:
            self.words = self.total_words = self.end_words = 3
            return
        self.words = 2 if digits > 13 or (not digits and kind.bits == 64) else 1
        self.total_words = self.end_words = 2 if digits > 9 or self.words == 2 else 1

    def begin(self, cg: Function, record: Pointer) -> None:
        _clear(record, self.words)

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum], taken: Taken) -> None:
        (number,) = arguments
        assert isinstance(number, Number)
        _increase(record, self.words, number.value)

    def begin_total(self, cg: Function, total: Pointer) -> None:
        _clear(total, self.total_words)

    def add(self, cg: Function, total: Pointer, record: Pointer, same_batch: Callable[[], Value]) -> None:
        more = record[2] if self.words == 3 else None
        _increase(total, self.total_words, record[0] if self.words == 1 else record.of(I128)[0], more)

    def end(self, cg: Function, total: Pointer) -> list[Value]:
        return _words(total, self.total_words)

    def read(self, words: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        low = words[0]
        if len(words) == 1:
            return (low,)
        high = words[1]
        rest = high >> np.int64(63) if len(words) == 2 else words[2]
        if (high == low >> np.int64(63)).all() and (rest == high >> np.int64(63)).all():
            return (low,)
        top = (high >> np.int64(32) & _LOW) + (rest << np.int64(32))
        return low & _LOW, low >> np.int64(32) & _LOW, high & _LOW, top

    def columns(self, state: Any) -> list[tuple[DataType, pa.Array]]:
        low, high, _ = limbs.words(state)
        rest = limbs.widened(state, 4)[3] >> np.int64(32)
        return [(INT64, arrow.array(word)) for word in (low, high, rest)]

    def load(self, cg: Function, record: Pointer, columns: Sequence[Datum]) -> None:
        for word in range(self.words):
            record[word] = _number(columns[word])


def _number(datum: Datum) -> Value:
    assert isinstance(datum, Number)
    return datum.value


def _increase(record: Pointer, words: int, step: Value, more: Value | None = None) -> None:
    """Add to a sum; `more` is what stands above 128 bits of what is added, if anything but its sign."""
    if words == 3:
        step = step.to(I128)
        more = (step >> 127).to(I64) if more is None else more
        low = record.of(U128)
        value, carry = low[0].with_overflow("add", step.to(U128))
        low[0] = value
        record[2] = record[2] + more + carry.to(I64)
        return
    kind = I128 if words == 2 else I64
    total = record.of(kind)
    total[0] = total[0] + step.to(kind)


class SumFloats:
    """The sum of floats: those of a batch one after the other, then the batches one after the other."""

    words = end_words = 1
    total_words = 2
    is_branchless = True

    def begin(self, cg: Function, record: Pointer) -> None:
        record.of(F64)[0] = 0.0

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum], taken: Taken) -> None:
        if taken.position.lanes > 1:
            raise RowByRow
        total = record.of(F64)
        total[0] = total[0] + _addend(cg, arguments, taken)

    def begin_total(self, cg: Function, total: Pointer) -> None:
        sums = total.of(F64)
        sums[0] = 0.0
        sums[1] = 0.0

    def add(self, cg: Function, total: Pointer, record: Pointer, same_batch: Callable[[], Value]) -> None:
        # The sum of the batches before, and that of the batch at hand.
        sums = total.of(F64)
        before, last, more = sums[0], sums[1], record.of(F64)[0]
        same = same_batch()
        sums[0] = cg.choose(same, before, before + last)
        sums[1] = cg.choose(same, last, cg.lift(0.0, F64)) + more

    def end(self, cg: Function, total: Pointer) -> list[Value]:
        sums = total.of(F64)
        return [(sums[0] + sums[1]).bits_as(I64)]

    def read(self, words: Sequence[np.ndarray]) -> np.ndarray:
        return words[0].view(np.float64)

    def columns(self, state: Any) -> list[tuple[DataType, pa.Array]]:
        return [(FLOAT64, arrow.array(state))]

    def load(self, cg: Function, record: Pointer, columns: Sequence[Datum]) -> None:
        record.of(F64)[0] = _number(columns[0])


class SumFloatsInLanes(SumFloats):
    """The sum of the floats of a batch where all rows are one group: each eighth is added up by itself, as `Groups.sum_in_lanes` does.

    A single sum would lose more digits, and wait for each addition.
    """

    words = end_words = LANES

    def begin(self, cg: Function, record: Pointer) -> None:
        record.of(F64)[Together(cg, 0)] = 0.0

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum], taken: Taken) -> None:
        position, sums = taken.position, record.of(F64)
        lane = position.within() if isinstance(position, Together) else position & (LANES - 1)
        sums[lane] = sums[lane] + _addend(cg, arguments, taken)

    def read(self, words: Sequence[np.ndarray]) -> np.ndarray:
        return of_lanes([word.view(np.float64) for word in words])


def _addend(cg: Function, arguments: Sequence[Datum], taken: Taken) -> Value:
    """What a row adds to a sum of floats, which begins with 0.0: a row that does not count leaves it as it is."""
    value = _number(arguments[0]).to(F64)
    return value if taken.present is None else cg.choose(taken.present, value, cg.lift(0.0, F64))


class PickNumber:
    """The first, last, least or greatest of numbers: whether there is one, whether it is null, and the number."""

    is_branchless = False

    def __init__(self, choice: str, dtype: DataType) -> None:
        self._choice = choice
        self._dtype = dtype
        kind = kind_of(dtype)
        assert kind is not None
        self._kind: Kind = kind
        # One more word, in front: 0 no row, 1 a value, 2 null.
        self.words = self.total_words = self.end_words = 3 if kind is I128 else 2

    def begin(self, cg: Function, record: Pointer) -> None:
        _clear(record, self.words)

    begin_total = begin

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum], taken: Taken) -> None:
        (number,) = arguments
        assert isinstance(number, Number)
        with cg.if_(self._is_better(cg, record, number.value)):
            record.at(1).of(self._kind)[0] = number.value
            record[0] = 1 if number.valid is None else cg.choose(number.valid, cg.lift(1, I64), cg.lift(2, I64))

    def add(self, cg: Function, total: Pointer, record: Pointer, same_batch: Callable[[], Value]) -> None:
        found = record.at(1).of(self._kind)[0]
        with cg.if_((record[0] != 0) & self._is_better(cg, total, found)):
            total.at(1).of(self._kind)[0] = found
            total[0] = record[0]

    def _is_better(self, cg: Function, record: Pointer, value: Value) -> Value:
        """Whether a value takes the place of what a record holds."""
        match self._choice:
            case "first":
                return record[0] == 0
            case "last":
                return cg.truth(True)
            case choice:
                before = Number(self._dtype, record.at(1).of(self._kind)[0])
                less = choice == "min"
                name, compare = ("less", lambda a, b: a < b) if less else ("greater", lambda a, b: a > b)
                return cg.either(record[0] == 0, compared(cg, name, compare, Number(self._dtype, value), before))

    def end(self, cg: Function, total: Pointer) -> list[Value]:
        return _words(total, self.words)

    def read(self, words: Sequence[np.ndarray]) -> Picked:
        found = words[0]
        valid = (found == 1).astype(np.uint8)
        return Picked(found > 0, [column_of(numbers_in(words[1:], self._kind), valid, self._dtype)])

    def columns(self, state: Any) -> list[tuple[DataType, pa.Array]]:
        return [(TRUTH, arrow.array(state.present)), (self._dtype, state.columns[0])]

    def load(self, cg: Function, record: Pointer, columns: Sequence[Datum]) -> None:
        present, number = _number(columns[0]), columns[1]
        found = cg.lift(1, I64) if number.valid is None else cg.choose(number.valid, cg.lift(1, I64), cg.lift(2, I64))
        record[0] = cg.choose(present, found, cg.lift(0, I64))
        record.at(1).of(self._kind)[0] = _number(number)


def numbers_in(words: Sequence[np.ndarray], kind: Kind) -> np.ndarray:
    """The numbers that a kernel has stored in words of 64 bits."""
    if kind is I128:
        return np.stack(words, axis=1)
    column = words[0]
    if kind.bits == 64:
        return column.view(np.float64) if kind is F64 else column
    if kind is F32:
        return column.astype(np.int32).view(np.float32)
    if kind is BOOL:
        return (column & 1).astype(np.uint8)
    signed = {8: np.int8, 16: np.int16, 32: np.int32}[kind.bits]
    return column.astype(signed)


def accumulator_of(need: Need, types: Sequence[DataType], *, keyed: bool) -> Accumulator | None:
    """What computes a state in a kernel; None where that is left to the vectorized aggregate."""
    match need.state:
        case Count():
            return CountRows()
        case ExactSum() if kind_of(types[0]) is not None:
            return SumIntegers(types[0])
        case FloatSum() if is_float(types[0]):
            return SumFloats() if keyed else SumFloatsInLanes()
        case Moments() | Comoments() if all(dtype == FLOAT64 for dtype in types):
            return CentralMoments(need.state, keyed=keyed)
        case Collected(distinct=None) if set(need.columns) == set(need.present) and can_be_visited(types):
            return CollectRows()
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
