"""Groups within kernels: records of words, found by their keys in a table of open addressing.

A record begins with a tag, the hash of the keys whose lowest bits say which of the keys are null, and the words of the keys.
States follow. Records lie in order of first appearance; the index of the table holds the upper half of a tag and the number
of the record, counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lazyframe.executors.compiled.array_kernel import prefetch
from lazyframe.executors.compiled.datum import Datum
from lazyframe.executors.compiled.group_keys import GroupKey
from lazyframe.executors.compiled.hashing import SPREAD, hash_words
from lazyframe.executors.compiled.kinds import I64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer, Value, Variable

MOST_KEYS = 24
"""So many bits of a tag may tell of nulls."""

_HIGH = -(1 << 32)
_LOW = (1 << 32) - 1


class GroupRecords:
    """How records begin, for keys. Two numbers of up to 32 bits share a word.

    Attributes:
        keys: the keys.
        places: where the words of each begin.
        words: how many words come before the states.
    """

    def __init__(self, keys: Sequence[GroupKey]) -> None:
        assert len(keys) <= MOST_KEYS
        self.keys = list(keys)
        self.places: list[int] = []
        self._is_upper: list[bool] = []
        self.words = 1
        open_half: int | None = None
        for key in keys:
            shares = key.is_half and open_half is not None
            self.places.append(open_half if shares and open_half is not None else self.words)
            self._is_upper.append(shares)
            if key.is_half:
                open_half = None if shares else self.words
            self.words += 0 if shares else key.words

    def words_of(self, cg: Function, values: Sequence[Datum]) -> list[Value]:
        """The first words of the record of a group, from its keys."""
        words = [cg.lift(0, I64)] * (self.words - 1)
        nulls = cg.lift(0, I64)
        owns: list[list[Value]] = []
        for number, (key, datum) in enumerate(zip(self.keys, values, strict=True)):
            own = key.words_of(cg, datum)
            if datum.valid is not None:
                own = [cg.choose(datum.valid, word, cg.lift(0, I64)) for word in own]
                nulls = nulls | cg.choose(datum.valid, cg.lift(0, I64), cg.lift(1 << number, I64))
            owns.append(own)
            place = self.places[number] - 1
            if self._is_upper[number]:
                words[place] = words[place] | (own[0] << 32)
            elif key.is_half:
                words[place] = own[0] & _LOW
            else:
                words[place : place + key.words] = own
        hashed: list[Value] = []
        for key, own, place, is_upper in zip(self.keys, owns, self.places, self._is_upper, strict=True):
            if key.is_half:
                hashed += [] if is_upper else [words[place - 1]]
            else:
                hashed += key.hashed(cg, own)
        mixed = hash_words(cg, hashed).to(I64)
        if nulls.constant != 0:
            # The hash of keys of which none is null is the same whether or not some could be.
            mixed = mixed ^ (nulls * SPREAD)
        return [(mixed & -(1 << len(self.keys))) | nulls, *words]

    def same(self, cg: Function, words: Sequence[Value], record: Pointer) -> Value:
        """Whether a record is that of the group that begins with some words."""
        same = record[0] == words[0]
        for key, place, is_upper in zip(self.keys, self.places, self._is_upper, strict=True):
            own = words[place : place + key.words]
            if key.is_text:
                same = cg.both_lazily(same, partial(key.same, cg, own, record.at(place)))
            elif not is_upper:
                same = cg.both(same, key.same(cg, own, record.at(place)))
        return same

    def columns(self, words: Sequence[np.ndarray]) -> list:
        """The key columns of groups, from the words of their records."""
        nulls = words[0] & ((1 << len(self.keys)) - 1)
        any_null = nulls.any()
        found = []
        for number, (key, place) in enumerate(zip(self.keys, self.places, strict=True)):
            valid = (nulls >> number & 1 == 0).astype(np.uint8) if any_null else None
            own = words[place : place + key.words]
            if self._is_upper[number]:
                own = [own[0] >> np.int64(32)]
            found.append(key.column(own, valid))
        return found


class GroupTable:
    """A table of records in a kernel.

    Args:
        cg: the kernel.
        layout: how records begin.
        record: from the number of a record to where it lies.
        count: how many there are.
        room: how many there may be.
        index: where they are found.
        mask: one less than the size of the index.
    """

    def __init__(
        self,
        cg: Function,
        layout: GroupRecords,
        record: Callable[[Value], Pointer],
        count: Variable,
        *,
        room: Value,
        index: Pointer,
        mask: Value,
    ) -> None:
        self.record = record
        self._cg = cg
        self._layout = layout
        self._count = count
        self._room = room
        self._index = index
        self._mask = mask

    def enter_from(self, first: Value) -> None:
        """Put the records from a number on into the index."""
        cg = self._cg
        with cg.for_range(first, self._count.get()) as number:
            tag = self.record(number)[0]
            place = cg.variable(I64, self._place(tag))
            with cg.loop() as loop:
                with cg.if_(self._index[place.get()] == 0):
                    self._index[place.get()] = (tag & _HIGH) | (number + 1)
                    loop.leave()
                place.set((place.get() + 1) & self._mask)

    def find(self, words: Sequence[Value], begin: Callable[[Pointer], None], full: Callable[[], None]) -> Value:
        """The number of the record of a group, made where there is none.

        Args:
            words: its first words.
            begin: writes the states of a new one.
            full: ends the kernel: there is no room for another record.
        """
        cg, index = self._cg, self._index
        found = cg.variable(I64, 0)
        mark = words[0] & _HIGH
        place = cg.variable(I64, self._place(words[0]))
        with cg.loop() as loop:
            entry = index[place.get()]
            with cg.if_(entry == 0):
                found.set(self._count.get())
                self.append(words, begin, full)
                index[place.get()] = mark | self._count.get()
                loop.leave()
            number = (entry & _LOW) - 1
            maybe = (entry & _HIGH) == mark
            same = cg.both_lazily(maybe, lambda: self._layout.same(cg, words, self.record(number)))
            with cg.if_(same):
                found.set(number)
                loop.leave()
            place.set((place.get() + 1) & self._mask)
        return found.get()

    def append(self, words: Sequence[Value], begin: Callable[[Pointer], None], full: Callable[[], None]) -> None:
        """Make a new record."""
        cg, number = self._cg, self._count.get()
        with cg.if_(number == self._room):
            full()
        record = self.record(number)
        for place, word in enumerate(words):
            record[place] = word
        begin(record)
        self._count.set(number + 1)

    def fetch_entry(self, tag: Value) -> None:
        """Have the place of a tag in the index brought near."""
        prefetch(self._cg, self._index, self._place(tag))

    def fetch_record(self, tag: Value) -> None:
        """Have the record brought near that the place of a tag in the index names."""
        number = (self._index[self._place(tag)] & _LOW) - 1
        number = self._cg.choose(number < 0, self._cg.lift(0, I64), number)
        prefetch(self._cg, self.record(number), self._cg.lift(0, I64))

    def _place(self, tag: Value) -> Value:
        # The lowest bits tell of nulls, the highest choose the partition.
        return (tag >> len(self._layout.keys)) & self._mask


def places_of(sizes: Sequence[int]) -> list[int]:
    """Where each of some neighbours begins."""
    places, place = [], 0
    for size in sizes:
        places.append(place)
        place += size
    return places
