"""Tables in which kernels find the rows of a join's build side by their keys.

A table gives the first row that has some keys, and of a row the next one that has the same, in the order of the build side.
Keys of small ranges have a place each; others are hashed, with open addressing in a table that is at most half full.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, decoded
from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.datum import Datum
from lazyframe.executors.compiled.hashing import hash_words
from lazyframe.executors.compiled.join_keys import ComparedKeys, PackedKeys, packed
from lazyframe.executors.compiled.kinds import BOOL, I32, I64
from lazyframe.executors.compiled.known_code import known_code
from lazyframe.executors.compiled.layouts import layout_of
from lazyframe.executors.compiled.program import Code, Program, Writing
from lazyframe.executors.compiled.stage import DONE, UNSUITED, Function
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.planner.types import DataType

_MOST_ROWS = (1 << 31) - 2
_DIRECT_PLACES_PER_ROW = 4
_FREE_PLACES = 1 << 14
_FREE_BITS = 1 << 22
"""So many bits stay in the cache, however few of them are set."""
_BITS_PER_ROW = 256
_BLOOM_FROM = 256
"""Fewer keys lie in the nearest cache anyway."""


class JoinTable(ABC):
    """The rows of a build side, by their keys.

    Args:
        rows: how many there are.

    Attributes:
        unique: whether no two rows have the same keys, so that there is no next one.
        following: of each row, 1 + the next row that has the same keys, or 0; None where keys are unique.
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.unique = True
        self.following: np.ndarray | None = None

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """What code that looks something up depends on, besides the types of the keys."""

    def bind(self, name: str, constants: Constants) -> None:
        """Put where the table lies among the constants of a kernel. `name` is that of its places in the frame."""
        if self.following is not None:
            constants.lend(f"{name}.following", self.following)

    @abstractmethod
    def find(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        """The first row that has some keys, -1 where there is none."""

    def contains(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        """Whether any row has some keys."""
        return self.find(cg, name, keys) >= 0

    def next(self, cg: Function, name: str, row: Value) -> Value:
        """The row behind a row that has the same keys, -1 where there is none."""
        return cg.pointer(f"{name}.following", I32)[row].to(I64) - 1


class KeyedTable(JoinTable):
    """A table that a kernel fills, from the keys of all rows."""

    def _each(
        self,
        arrays: Sequence[pa.Array],
        dtypes: Sequence[DataType],
        enter: Callable[[Function, Sequence[Datum], Value], Value],
    ) -> int:
        """Run a kernel over all rows, the last one first; gives for how many of them `enter`, a method, was true."""
        batch = Batch({f"key{n}": array for n, array in enumerate(arrays)}, self.rows)
        layouts = {f"key{n}": layout_of(a, t) for n, (a, t) in enumerate(zip(arrays, dtypes, strict=True))}

        def write() -> Code:
            writing = Writing(layouts)
            cg = writing.cg
            entered = cg.variable(I64, 0)
            with cg.for_range(cg.slot("rows") - 1, -1, step=-1) as number:
                row = writing.row(number)
                true = enter(cg, [row.columns[name]() for name in layouts], number)
                entered.add(cg.choose(true, cg.lift(1, I64), cg.lift(0, I64)))
            cg.put("entered", entered.get())
            cg.return_(DONE)
            return writing.finish()

        constants = Constants()
        self.bind("table", constants)
        program = Program(known_code((enter.__qualname__, self.key, tuple(layouts.values())), write), constants)
        frame = program.frame(batch)
        status = program.run(frame)
        if status == UNSUITED:
            raise _NotCompiled
        assert status == DONE, f"a table of keys was written outside of its places ({status})"
        return frame["entered"]

    def _fill(self, arrays: Sequence[pa.Array], dtypes: Sequence[DataType]) -> None:
        """Enter all rows, the last one first, so that rows with the same keys come to stand in their order."""
        if not self.rows:
            return
        self.following = np.empty(self.rows, dtype=np.int32)

        self.unique = self._each(arrays, dtypes, self._chain) == 0
        if self.unique:
            self.following = None

    def _chain(self, cg: Function, keys: Sequence[Datum], row: Value) -> Value:
        """Enter a row, behind which stands the one that was the first of its keys before; gives whether there was one."""
        before = self._enter(cg, "table", keys, row)
        cg.pointer("table.following", I32)[row] = before
        return before != 0

    def _enter_only(self, cg: Function, keys: Sequence[Datum], row: Value) -> Value:
        """Enter a row; gives whether there was one that has the same keys."""
        return self._enter(cg, "table", keys, row) != 0

    @abstractmethod
    def _enter(self, cg: Function, name: str, keys: Sequence[Datum], row: Value) -> Value:
        """Make a row the first one of its keys; gives 1 + the one that was the first before, or 0."""


class EveryRow(JoinTable):
    """No keys: each row is a partner of each."""

    def __init__(self, rows: int) -> None:
        super().__init__(rows)
        self.unique = rows <= 1

    @property
    def key(self) -> Hashable:
        return "every", self.unique

    def bind(self, name: str, constants: Constants) -> None:
        constants.put(f"{name}.rows", self.rows)

    def find(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        return cg.choose(cg.slot(f"{name}.rows") > 0, cg.lift(0, I64), cg.lift(-1, I64))

    def next(self, cg: Function, name: str, row: Value) -> Value:
        following = row + 1
        return cg.choose(following < cg.slot(f"{name}.rows"), following, cg.lift(-1, I64))


class DirectTable(KeyedTable):
    """A place for each number that keys may be, and one more for all that is no such number."""

    def __init__(self, keys: PackedKeys, arrays: Sequence[pa.Array], dtypes: Sequence[DataType], rows: int) -> None:
        super().__init__(rows)
        self._keys = keys
        self._first = np.zeros(keys.count + 1, dtype=np.int32)
        self._fill(arrays, dtypes)

    @property
    def key(self) -> Hashable:
        return "direct", self.unique, self._keys.key

    def bind(self, name: str, constants: Constants) -> None:
        super().bind(name, constants)
        self._keys.bind(name, constants)
        constants.lend(f"{name}.first", self._first)
        constants.put(f"{name}.count", self._keys.count)

    def find(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        number, within = self._keys.number(cg, name, keys)
        place = cg.choose(within, number, cg.slot(f"{name}.count"))
        return cg.pointer(f"{name}.first", I32)[place].to(I64) - 1

    def _enter(self, cg: Function, name: str, keys: Sequence[Datum], row: Value) -> Value:
        number, within = self._keys.number(cg, name, keys)
        before = cg.variable(I32, 0)
        first = cg.pointer(f"{name}.first", I32)
        with cg.if_(within):
            before.set(first[number])
            first[number] = (row + 1).to(I32)
        return before.get()


class RankedTable(KeyedTable):
    """A bit for each number that keys may be. The bits before that of a key say which one of the keys it is.

    For keys that lie further apart this is much smaller than a place for each: what is among no keys is found out in the cache.
    """

    def __init__(self, keys: PackedKeys, arrays: Sequence[pa.Array], dtypes: Sequence[DataType], rows: int) -> None:
        super().__init__(rows)
        self._keys = keys
        # One bit more, for all that is no such number, which stays 0.
        self._bits = np.zeros((keys.count >> 6) + 1, dtype=np.int64)
        self._before: np.ndarray | None = None
        self._first: np.ndarray | None = None
        distinct = self._each(arrays, dtypes, self._set_bit)
        counts = np.bitwise_count(self._bits.view(np.uint64))
        self._before = (np.cumsum(counts, dtype=np.int64) - counts).astype(np.int32)
        self._first = np.zeros(max(distinct, 1), dtype=np.int32)
        if distinct == rows:
            self._each(arrays, dtypes, self._enter_only)
            if bool((self._first == np.arange(1, rows + 1)).all()):
                # The rows are in the order of their keys.
                self._first = None
        else:
            self._fill(arrays, dtypes)

    @property
    def key(self) -> Hashable:
        return "ranked", self.unique, self._first is None, self._keys.key

    def bind(self, name: str, constants: Constants) -> None:
        super().bind(name, constants)
        self._keys.bind(name, constants)
        constants.lend(f"{name}.bits", self._bits)
        constants.put(f"{name}.count", self._keys.count)
        if self._before is not None:
            constants.lend(f"{name}.before", self._before)
        if self._first is not None:
            constants.lend(f"{name}.first", self._first)

    def find(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        found = cg.variable(I64, -1)
        bits, number = self._bit(cg, name, keys)
        with cg.if_(_is_set(bits, number)):
            rank = self._rank(cg, name, bits, number)
            found.set(rank if self._first is None else cg.pointer(f"{name}.first", I32)[rank].to(I64) - 1)
        return found.get()

    def contains(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        return _is_set(*self._bit(cg, name, keys))

    def _bit(self, cg: Function, name: str, keys: Sequence[Datum]) -> tuple[Value, Value]:
        """The word in which the bit of some keys is, and the number of the bit."""
        number, within = self._keys.number(cg, name, keys)
        number = cg.choose(within, number, cg.slot(f"{name}.count"))
        return cg.pointer(f"{name}.bits", I64)[number.shifted_right(6)], number

    def _rank(self, cg: Function, name: str, bits: Value, number: Value) -> Value:
        """How many keys are less than one that is there."""
        less = bits & ((cg.lift(1, I64) << (number & 63)) - 1)
        before = cg.pointer(f"{name}.before", I32)[number.shifted_right(6)].to(I64)
        return before + cg.intrinsic("llvm.ctpop", I64, less)

    def _set_bit(self, cg: Function, keys: Sequence[Datum], row: Value) -> Value:
        """Set the bit of a row; gives whether it was not set before."""
        number, within = self._keys.number(cg, "table", keys)
        bits = cg.pointer("table.bits", I64)
        is_new = cg.variable(BOOL, False)
        with cg.if_(within):
            place = number.shifted_right(6)
            word = bits[place]
            is_new.set(~_is_set(word, number))
            bits[place] = word | (cg.lift(1, I64) << (number & 63))
        return is_new.get()

    def _enter(self, cg: Function, name: str, keys: Sequence[Datum], row: Value) -> Value:
        number, within = self._keys.number(cg, name, keys)
        before = cg.variable(I32, 0)
        first = cg.pointer(f"{name}.first", I32)
        with cg.if_(within):
            bits = cg.pointer(f"{name}.bits", I64)[number.shifted_right(6)]
            rank = self._rank(cg, name, bits, number)
            before.set(first[rank])
            first[rank] = (row + 1).to(I32)
        return before.get()


def _is_set(bits: Value, number: Value) -> Value:
    return (bits.shifted_right(number & 63) & 1) != 0


class HashedTable(KeyedTable):
    """Places of two words each: of packed keys their number, of others their hash, then 1 + the first row.

    Where both fit in one word, the number is its upper half. In front of all stands a Bloom filter of one word a key, so that most of
    what is among no keys is found out in the cache; or a bit for each value of one of the keys, where few of its values are there.
    """

    def __init__(
        self,
        keys: PackedKeys | ComparedKeys,
        arrays: Sequence[pa.Array],
        dtypes: Sequence[DataType],
        rows: int,
    ) -> None:
        super().__init__(rows)
        self._keys = keys
        bits = max(2 * rows, 4).bit_length()
        self._is_narrow = isinstance(keys, PackedKeys) and keys.count <= 1 << 32
        self._places = np.zeros(1 << bits if self._is_narrow else 2 << bits, dtype=np.int64)
        self._mask = (1 << bits) - 1
        # 16 to 32 bits a row, of which each sets two in one word.
        self._rarest = keys.rarest() if isinstance(keys, PackedKeys) and rows >= _BLOOM_FROM else None
        filtered = rows >= _BLOOM_FROM and self._rarest is None
        self._bloom = np.zeros(1 << (bits - 3), dtype=np.int64) if filtered else None
        self._fill(arrays, dtypes)

    @property
    def key(self) -> Hashable:
        rarest = None if self._rarest is None else self._rarest[0]
        return "hashed", self.unique, self._is_narrow, self._bloom is None, rarest, self._keys.key

    def bind(self, name: str, constants: Constants) -> None:
        super().bind(name, constants)
        self._keys.bind(name, constants)
        constants.lend(f"{name}.places", self._places)
        constants.put(f"{name}.mask", self._mask)
        if self._bloom is not None:
            constants.lend(f"{name}.bloom", self._bloom)
            constants.put(f"{name}.bloom.mask", len(self._bloom) - 1)
        if self._rarest is not None:
            constants.lend(f"{name}.rarest", self._rarest[1])

    def find(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        found = cg.variable(I64, -1)
        word, known = self._word(cg, name, keys)
        if self._rarest is not None:
            # A bit of one key is looked at before all of them are hashed.
            assert isinstance(self._keys, PackedKeys)
            packed, place = self._keys, self._rarest[0]
            known = cg.both_lazily(known, lambda: packed.digit_is_there(cg, name, keys, place))
        with cg.if_(known):
            hashed = self._hash(cg, word)
            maybe = cg.truth(True)
            if self._bloom is not None:
                blooms, at, bits = self._bloom_bits(cg, name, hashed)
                maybe = (blooms[at] & bits) == bits
            with cg.if_(maybe):
                _, entry = self._place(cg, name, keys, word, hashed)
                found.set(entry - 1)
        return found.get()

    def _enter(self, cg: Function, name: str, keys: Sequence[Datum], row: Value) -> Value:
        before = cg.variable(I32, 0)
        word, known = self._word(cg, name, keys)
        with cg.if_(known):
            hashed = self._hash(cg, word)
            if self._bloom is not None:
                blooms, at, bits = self._bloom_bits(cg, name, hashed)
                blooms[at] = blooms[at] | bits
            place, entry = self._place(cg, name, keys, word, hashed)
            places = cg.pointer(f"{name}.places", I64)
            if self._is_narrow:
                places[place] = (word << 32) | (row + 1)
            else:
                places[place * 2] = word
                places[place * 2 + 1] = row + 1
            before.set(entry.to(I32))
        return before.get()

    def _word(self, cg: Function, name: str, keys: Sequence[Datum]) -> tuple[Value, Value]:
        """What stands in the place of some keys, and whether they can be found at all."""
        if isinstance(self._keys, PackedKeys):
            return self._keys.number(cg, name, keys)
        return self._keys.hash(cg, keys)

    def _hash(self, cg: Function, word: Value) -> Value:
        return hash_words(cg, [word]).to(I64) if isinstance(self._keys, PackedKeys) else word

    def _bloom_bits(self, cg: Function, name: str, hashed: Value) -> tuple[Pointer, Value, Value]:
        """Where the bits of a hash are in the Bloom filter, and which: the places of the table come from other bits of it."""
        one = cg.lift(1, I64)
        bits = (one << (hashed.shifted_right(52) & 63)) | (one << hashed.shifted_right(58))
        return cg.pointer(f"{name}.bloom", I64), hashed.shifted_right(20) & cg.slot(f"{name}.bloom.mask"), bits

    def _place(self, cg: Function, name: str, keys: Sequence[Datum], word: Value, hashed: Value) -> tuple[Value, Value]:
        """Which place is that of some keys, and 1 + the row that is there, or 0."""
        places, mask = cg.pointer(f"{name}.places", I64), cg.slot(f"{name}.mask")
        place = cg.variable(I64, hashed & mask)
        entry = cg.variable(I64, 0)
        with cg.loop() as loop:
            at = place.get()
            if self._is_narrow:
                both = places[at]
                entry.set(both & 0xFFFFFFFF)
                same = both.shifted_right(32) == word
            else:
                entry.set(places[at * 2 + 1])
                same = places[at * 2] == word
            with cg.if_(entry.get() == 0):
                loop.leave()
            if isinstance(self._keys, ComparedKeys):
                compare = self._keys
                same = cg.both_lazily(same, lambda: compare.equal(cg, name, keys, entry.get() - 1))
            with cg.if_(same):
                loop.leave()
            place.set((place.get() + 1) & mask)
        return place.get(), entry.get()


def join_table(
    columns: Sequence[pa.Array], dtypes: Sequence[DataType], rows: int, *, nulls_equal: bool
) -> JoinTable | None:
    """The table of the keys of a build side; None where kernels do not read them."""
    if rows > _MOST_ROWS:
        return None
    if not columns:
        return EveryRow(rows)
    arrays = [a if layout_of(a, t) is not None else decoded(a, t) for a, t in zip(columns, dtypes, strict=True)]
    layouts = []
    for array, dtype in zip(arrays, dtypes, strict=True):
        layout = layout_of(array, dtype)
        if layout is None:
            return None
        layouts.append(layout)
    keys = packed(arrays, layouts, nulls_equal=nulls_equal)
    try:
        if keys is None:
            return HashedTable(ComparedKeys(arrays, layouts, nulls_equal=nulls_equal), arrays, dtypes, rows)
        if keys.count <= max(_DIRECT_PLACES_PER_ROW * rows, _FREE_PLACES):
            return DirectTable(keys, arrays, dtypes, rows)
        if keys.count <= max(_BITS_PER_ROW * rows, _FREE_BITS):
            return RankedTable(keys, arrays, dtypes, rows)
        return HashedTable(keys, arrays, dtypes, rows)
    except _NotCompiled:
        return None


class _NotCompiled(Exception):
    """LLVM refuses the kernel that fills a table."""
