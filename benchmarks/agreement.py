"""Whether the contenders gave the same answer: the fastest way to a wrong one wins nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_TOLERANCE = 1e-6
"""Relative and absolute: the mean of decimals is a double in one engine and a decimal of six places in another."""

_EXACT = "what is exact"
"""The name, in a message, of all columns of a row but its rounded numbers."""


@dataclass(frozen=True)
class Order:
    """What a question says about its answer's rows, so what has to be the same.

    Args:
        rows: whether their order.
        values: whether their values; without, only how many there are.
    """

    rows: bool = True
    values: bool = True


GIVEN_ORDER = Order()
ANY_ORDER = Order(rows=False)
ANY_ROWS = Order(rows=False, values=False)
"""As a limit without an order has it."""


def check_same(case: str, answers: Mapping[str, Any], order: Order = GIVEN_ORDER) -> None:
    """Compare tables by position, values by value.

    Raises:
        AssertionError: where two answers differ; says in which column.
    """
    agreement = Agreement(case, order)
    for contender, answer in answers.items():
        agreement.take(contender, answer)


class Agreement:
    """The answers to one question, each compared with the first when it comes.

    Of a large answer without an order only its sorted fingerprint is kept, so that there is never more than one in memory.

    Args:
        case: its name, for the message.
        order: what of the answers has to be the same.
    """

    def __init__(self, case: str, order: Order = GIVEN_ORDER) -> None:
        self._case = case
        self._order = order
        self._first = ""
        self._shape = (0, 0)
        self._rounded: list[bool] = []
        self._wanted: list[Any] = []

    def take(self, contender: str, answer: Any) -> None:
        """Compare an answer with the first one.

        Raises:
            AssertionError: where they differ; says in which column.
        """
        table = _table(answer)
        first = not self._first
        if first:
            self._first, self._shape = contender, table.shape
            self._rounded = [_is_rounded(dtype) for dtype in table.schema.types]
        label = f"{self._case}: {self._first} and {contender} differ"
        assert table.shape == self._shape, f"{label}: {self._shape} and {table.shape} rows and columns"
        if not self._order.values:
            return
        columns, names = (table.columns, table.column_names) if self._order.rows else _sorted(table, self._rounded)
        if first:
            self._wanted = columns
        for index, (name, left, right) in enumerate(zip(names, self._wanted, columns, strict=True)):
            assert _same(left, right), f"{label} in column {index} ({name})"


def _table(answer: Any) -> pa.Table:
    if hasattr(answer, "to_numpy") and hasattr(answer, "iloc"):  # pandas exports its index as well
        return pa.Table.from_pandas(answer, preserve_index=False)
    return pa.table(answer)


def _same(left: pa.ChunkedArray, right: pa.ChunkedArray) -> bool:
    if left.null_count != right.null_count or not pc.all(pc.equal(left.is_null(), right.is_null())).as_py():
        return left.null_count == right.null_count == 0 and len(left) == 0
    left, right = left.drop_null(), right.drop_null()
    if _is_number(left.type) and _is_number(right.type):
        return np.allclose(_floats(left), _floats(right), rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)
    return _texts(left).equals(_texts(right))


def _sorted(table: pa.Table, rounded: Sequence[bool]) -> tuple[list[pa.ChunkedArray], list[str]]:
    """Columns that are the same for the same rows in whichever order: a hash of what is exact, and the other columns by it.

    Rounded numbers take no part in the hash. They decide between rows whose exact values are all the same. A null among them counts as
    NaN, which is what some engines say of a deviation of one value.
    """
    import polars as pl

    columns = list(zip(table.column_names, table.columns, rounded, strict=True))
    exact = {name: pl.Series(pl.from_arrow(_exact(column))) for name, column, inexact in columns if not inexact}
    hashes = pl.DataFrame(exact).hash_rows(0).to_numpy() if exact else np.zeros(table.num_rows, np.uint64)
    others = {name: _floats(column) for name, column, inexact in columns if inexact}
    found = pl.DataFrame({_EXACT: hashes.astype(np.int64), **others})
    found = found.sort(found.columns).to_arrow()
    return found.columns, found.column_names


def _is_rounded(dtype: pa.DataType) -> bool:
    # A decimal without places is what a sum of integers is to some engines.
    return pa.types.is_floating(dtype) or (pa.types.is_decimal(dtype) and dtype.scale > 0)


def _exact(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.int64()) if _is_number(column.type) else _texts(column)


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us"))  # fractions are written as long as the unit is fine
    return column.cast(pa.string())


def _is_number(dtype: pa.DataType) -> bool:
    return pa.types.is_integer(dtype) or pa.types.is_floating(dtype) or pa.types.is_decimal(dtype)


def _floats(column: pa.ChunkedArray) -> np.ndarray:
    return column.cast(pa.float64(), safe=False).to_numpy()
