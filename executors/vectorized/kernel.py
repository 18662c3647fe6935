"""What a kernel is: the vectorized form of a scalar function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.planner.errors import EvaluationError, LazyFrameError, UserFunctionError
from lazyframe.planner.graph import repeated

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar
    from lazyframe.planner.types import DataType

Value: TypeAlias = pa.Array | pa.Scalar
"""A column of values, or one value for all rows."""


class Arguments(NamedTuple):
    """The types that go with a kernel's argument values, and the one its result shall have."""

    types: tuple[DataType, ...]
    result: DataType
    options: dict[str, object]

    @classmethod
    def of(cls, call: Scalar, options: tuple[tuple[str, object], ...]) -> Arguments:
        return cls(tuple([a.dtype for a in call.children()]), call.dtype, dict(options))


class Kernel(NamedTuple):
    """The vectorized form of a scalar function.

    Args:
        run: from the argument values, their `Arguments` and the number of rows to an array of that many values, or to a
            scalar where the value is the same for all rows (as it is where all arguments are scalars). It raises
            `KernelError` for a value that has no answer.
        encoded: whether it takes columns in the layouts of `executors/batch.py` (dictionaries, decimals as int64) and may
            give them; otherwise it sees plain arrays of the logical type.
    """

    run: Callable[[Sequence[Value], Arguments, int], Value]
    encoded: bool = False


class KernelError(Exception):
    """A value for which a function has no answer.

    Args:
        message: what happened, with the values: `"integer overflow: 127 + 1 does not fit in int8"`.
        row: its row in the batch, where known.
        hint: what to try, in one sentence.

    Attributes:
        kind: of the error that the user gets.
    """

    kind: type[LazyFrameError] = EvaluationError

    def __init__(self, message: str, row: int | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.row = row
        self.hint = hint


class FunctionRaised(KernelError):
    """A function of the user's that raised, or gave what it had not declared."""

    kind = UserFunctionError


def plain(value: Value, dtype: DataType) -> Value:
    """A value in the plain layout of its type."""
    return decoded(value, dtype) if isinstance(value, pa.Array) else value


def broadcast(value: Value, rows: int, dtype: DataType) -> pa.Array:
    """A value as a column of that many rows."""
    if isinstance(value, pa.Array):
        return value
    if not value.is_valid:
        return pa.nulls(rows, dtype)
    return repeated(value, rows)
