"""Expressions over one dictionary: computed once for each entry, before a kernel runs, and looked up in it by the code of a row.

A row without a code has an entry of its own, behind the others: what the expression is for null.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, decoded
from lazyframe.executors.compiled.datum import Datum, Number, Text, is_text, kind_of
from lazyframe.executors.compiled.kinds import U8
from lazyframe.executors.compiled.layouts import FIXED, TEXT, WIDE, Layout, Places, bind_column, place_of, stage_column
from lazyframe.executors.compiled.stage import Function
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.types import BOOL, DataType, is_decimal

_KEPT = 16
"""Of so many dictionaries the answers are kept: threads go through as many groups of rows at a time."""

_FALSE, _TRUE, _NULL = 0, 1, 2


class CodedColumn:
    """What loads a column of the batch that is a dictionary, and knows which.

    Args:
        read: loads it.
        column: its name in the batch.
        dtype: its type.
    """

    __slots__ = ("_read", "column", "dtype")

    def __init__(self, read: Callable[[], Datum], column: str, dtype: DataType) -> None:
        self._read = read
        self.column = column
        self.dtype = dtype

    def __call__(self) -> Datum:
        return self._read()

    def read_by(self, read: Callable[[], Datum]) -> CodedColumn:
        """The same column, read in another way."""
        return CodedColumn(read, self.column, self.dtype)


class EntryTable:
    """What an expression is for each entry of a dictionary.

    Args:
        place: its name in the frame.
        scalar: a total expression of one column.
        column: the name in the batch of the column that this is.
    """

    def __init__(self, place: str, scalar: Scalar, column: str) -> None:
        self._place = place
        self._scalar = scalar
        self._column = column
        self._of_nulls = False
        (self._name,) = scalar.columns
        self._kept: OrderedDict[tuple[int, ...], tuple[pa.Array, pa.Array]] = OrderedDict()

    def stage(self, cg: Function, text: Text) -> Datum:
        """The value in a row, whose string and code are given."""
        dtype, place, code = self._scalar.dtype, self._place, text.code
        assert code is not None
        if text.valid is not None:
            self._of_nulls = True
            code = cg.choose(text.valid, code, cg.slot(f"{place}.null"))
        if dtype == BOOL:
            answer = cg.pointer(place, U8)[code]
            return Number(dtype, answer == _TRUE, (answer != _NULL) if self._scalar.nullable else None)
        return stage_column(cg, place, self._layout, code)

    @property
    def _layout(self) -> Layout:
        dtype = self._scalar.dtype
        if is_text(dtype):
            return Layout(TEXT, dtype, self._scalar.nullable)
        form = WIDE if is_decimal(dtype) else FIXED
        return Layout(form, dtype, self._scalar.nullable, None if form == WIDE else kind_of(dtype))

    def without_answers(self) -> EntryTable:
        """The same for another query."""
        table = EntryTable(self._place, self._scalar, self._column)
        table._of_nulls = self._of_nulls
        return table

    def bind(self, places: Places, batch: Batch) -> None:
        """Put the answers for the dictionary of a batch into the frame."""
        entries = batch.columns[self._column].dictionary
        answers = self._answers(entries)
        # Other threads may have so many dictionaries that these answers are forgotten here while the kernel runs.
        places.keep(answers)
        places[f"{self._place}.null"] = len(entries)
        if self._scalar.dtype == BOOL:
            data = np.frombuffer(answers.buffers()[1], dtype=np.uint8) if len(answers) else np.zeros(1, np.uint8)
            places.lend(self._place, data)
        else:
            bind_column(self._place, self._layout, answers, places)

    def _answers(self, entries: pa.Array) -> pa.Array:
        # The entries are kept with the answers, so that no others come to lie at their place.
        key = place_of(entries)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = entries, self._computed(entries)
            while len(self._kept) > _KEPT:
                # Another thread may be at the same.
                try:
                    self._kept.popitem(last=False)
                except KeyError:
                    break
        return found[1]

    def _computed(self, entries: pa.Array) -> pa.Array:
        parts = [self._over(entries)]
        if self._of_nulls:
            parts.append(self._over(pa.nulls(1, entries.type)))
        answers = pa.concat_arrays(parts)
        if self._scalar.dtype != BOOL:
            return answers
        return pc.fill_null(pc.cast(answers, pa.uint8()), arrow.scalar(_NULL, pa.uint8()))

    def _over(self, entries: pa.Array) -> pa.Array:
        from lazyframe.executors.vectorized.expression import Expressions

        dtype = self._scalar.dtype
        (found,) = Expressions([self._scalar]).columns(Batch({self._name: entries}, len(entries)))
        return decoded(found, dtype)
