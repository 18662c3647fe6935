"""Tables in which kernels find the rows of a join's build side by their keys.

A table gives the first row that has some keys, and of a row the next one that has the same, in the order of the build side.
Keys of small ranges have a place each; others are hashed, with open addressing in a table that is at most half full.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, decoded
from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.datum import Datum
from lazyframe.executors.compiled.hashing import hash_words
from lazyframe.executors.compiled.join_keys import ComparedKeys, PackedKeys, packed
from lazyframe.executors.compiled.kinds import I32, I64
from lazyframe.executors.compiled.layouts import layout_of
from lazyframe.executors.compiled.program import Program, Writing
from lazyframe.executors.compiled.stage import DONE, Function, Value
from lazyframe.planner.types import DataType

_MOST_ROWS = (1 << 31) - 2
_PLACES_PER_ROW = 32
_FREE_PLACES = 1 << 20


class JoinTable:
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

    def bind(self, name: str, constants: Constants) -> None:
        """Put where the table lies among the constants of a kernel. `name` is that of its places in the frame."""
        if self.following is not None:
            constants.address(f"{name}.following", self.following)

    def find(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        """The first row that has some keys, -1 where there is none."""
        raise NotImplementedError

    def next(self, cg: Function, name: str, row: Value) -> Value:
        """The row behind a row that has the same keys, -1 where there is none."""
        return cg.pointer(f"{name}.following", I32)[row].to(I64) - 1

    def _fill(self, arrays: Sequence[pa.Array], dtypes: Sequence[DataType]) -> None:
        """Enter all rows, the last one first, so that rows with the same keys come to stand in their order."""
        if not self.rows:
            return
        batch = Batch({f"key{n}": array for n, array in enumerate(arrays)}, self.rows)
        layouts = {f"key{n}": layout_of(a, t) for n, (a, t) in enumerate(zip(arrays, dtypes, strict=True))}
        following = np.empty(self.rows, dtype=np.int32)
        writing = Writing(layouts)
        cg = writing.cg
        self.following = following
        self.bind("table", writing.constants)
        repeated = cg.variable(I64, 0)
        with cg.for_range(cg.slot("rows") - 1, -1, step=-1) as number:
            row = writing.row(number)
            before = self._enter(cg, "table", [row.columns[name]() for name in layouts], number)
            cg.pointer("table.following", I32)[number] = before
            repeated.add(cg.choose(before != 0, cg.lift(1, I64), cg.lift(0, I64)))
        cg.put("repeated", repeated.get())
        cg.return_(DONE)
        program: Program = writing.finish()
        frame = program.frame(batch)
        status = program.run(frame)
        assert status == DONE, f"a table of keys was written outside of its places ({status})"
        self.unique = frame["repeated"] == 0
        if self.unique:
            self.following = None

    def _enter(self, cg: Function, name: str, keys: Sequence[Datum], row: Value) -> Value:
        """Make a row the first one of its keys; gives 1 + the one that was the first before, or 0."""
        raise NotImplementedError


class EveryRow(JoinTable):
    """No keys: each row is a partner of each."""

    def __init__(self, rows: int) -> None:
        super().__init__(rows)
        self.unique = rows <= 1

    def bind(self, name: str, constants: Constants) -> None:
        constants.put(f"{name}.rows", self.rows)

    def find(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        return cg.choose(cg.slot(f"{name}.rows") > 0, cg.lift(0, I64), cg.lift(-1, I64))

    def next(self, cg: Function, name: str, row: Value) -> Value:
        following = row + 1
        return cg.choose(following < cg.slot(f"{name}.rows"), following, cg.lift(-1, I64))


class DirectTable(JoinTable):
    """A place for each number that keys may be, and one more for all that is no such number."""

    def __init__(self, keys: PackedKeys, arrays: Sequence[pa.Array], dtypes: Sequence[DataType], rows: int) -> None:
        super().__init__(rows)
        self._keys = keys
        self._first = np.zeros(keys.count + 1, dtype=np.int32)
        self._fill(arrays, dtypes)

    def bind(self, name: str, constants: Constants) -> None:
        super().bind(name, constants)
        self._keys.bind(name, constants)
        constants.address(f"{name}.first", self._first)
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


class HashedTable(JoinTable):
    """Places of two words each: of packed keys their number, of others their hash, then 1 + the first row."""

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
        self._places = np.zeros(2 << bits, dtype=np.int64)
        self._mask = (1 << bits) - 1
        self._fill(arrays, dtypes)

    def bind(self, name: str, constants: Constants) -> None:
        super().bind(name, constants)
        self._keys.bind(name, constants)
        constants.address(f"{name}.places", self._places)
        constants.put(f"{name}.mask", self._mask)

    def find(self, cg: Function, name: str, keys: Sequence[Datum]) -> Value:
        found = cg.variable(I64, -1)
        word, known = self._word(cg, name, keys)
        with cg.if_(known):
            _, entry = self._place(cg, name, keys, word)
            found.set(entry - 1)
        return found.get()

    def _enter(self, cg: Function, name: str, keys: Sequence[Datum], row: Value) -> Value:
        before = cg.variable(I32, 0)
        word, known = self._word(cg, name, keys)
        with cg.if_(known):
            place, entry = self._place(cg, name, keys, word)
            places = cg.pointer(f"{name}.places", I64)
            places[place] = word
            places[place + 1] = row + 1
            before.set(entry.to(I32))
        return before.get()

    def _word(self, cg: Function, name: str, keys: Sequence[Datum]) -> tuple[Value, Value]:
        if isinstance(self._keys, PackedKeys):
            return self._keys.number(cg, name, keys)
        return self._keys.hash(cg, keys)

    def _place(self, cg: Function, name: str, keys: Sequence[Datum], word: Value) -> tuple[Value, Value]:
        """Where keys stand or would stand, and 1 + the row that is there, or 0."""
        places, mask = cg.pointer(f"{name}.places", I64), cg.slot(f"{name}.mask")
        hashed = hash_words(cg, [word]).to(I64) if isinstance(self._keys, PackedKeys) else word
        place = cg.variable(I64, hashed & mask)
        entry = cg.variable(I64, 0)
        with cg.loop() as loop:
            at = place.get() << 1
            entry.set(places[at + 1])
            with cg.if_(entry.get() == 0):
                loop.leave()
            same = places[at] == word
            if isinstance(self._keys, ComparedKeys):
                compare = self._keys
                same = cg.both_lazily(same, lambda: compare.equal(cg, name, keys, entry.get() - 1))
            with cg.if_(same):
                loop.leave()
            place.set((place.get() + 1) & mask)
        return place.get() << 1, entry.get()


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
    if keys is None:
        return HashedTable(ComparedKeys(arrays, layouts, nulls_equal=nulls_equal), arrays, dtypes, rows)
    if keys.count <= max(_PLACES_PER_ROW * rows, _FREE_PLACES):
        return DirectTable(keys, arrays, dtypes, rows)
    return HashedTable(keys, arrays, dtypes, rows)
