"""Call a kernel with columns in any layout: decimals as int64, dictionaries, slices, garbage under nulls."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.vectorized.functions import kernel_of
from lazyframe.executors.vectorized.kernel import Arguments, Value, broadcast, plain
from lazyframe.planner.functions.definition import lookup

Given = pa.Array | pa.Scalar


def call(name: str, *values: Given, types: Sequence[pa.DataType] | None = None, **options: object) -> Value:
    """What the kernel gives, in whatever layout. `types` are those of the values where their layout is another."""
    kinds = tuple(types or [v.type for v in values])
    signature = lookup(name).resolve(kinds, options)
    assert signature.arguments == kinds, f"{name} wants {signature.arguments}"
    kernel = kernel_of(name)
    rows = max([len(v) for v in values if isinstance(v, pa.Array)], default=1)
    taken = list(values) if kernel.encoded else [plain(v, t) for v, t in zip(values, kinds, strict=True)]
    result = kernel.run(taken, Arguments(kinds, signature.result, options), rows)
    if isinstance(result, pa.Scalar):
        return result.cast(signature.result)
    assert len(result) == rows
    result.validate(full=True)
    return result


def column(name: str, *values: Given, types: Sequence[pa.DataType] | None = None, **options: object) -> pa.Array:
    """What the kernel gives, as a column of the type that was promised."""
    kinds = tuple(types or [v.type for v in values])
    result = lookup(name).resolve(kinds, options).result
    rows = max([len(v) for v in values if isinstance(v, pa.Array)], default=1)
    plain_column = decoded(broadcast(call(name, *values, types=types, **options), rows, result), result)
    plain_column.validate(full=True)
    return plain_column


def listed(name: str, *values: Given, types: Sequence[pa.DataType] | None = None, **options: object) -> list[object]:
    """What the kernel gives, as Python objects."""
    return column(name, *values, types=types, **options).to_pylist()


def dirty(array: pa.Array, garbage: pa.Array) -> pa.Array:
    """`array` with the values of `garbage` standing under its nulls."""
    under = pa.array(
        [g if v is None else v for v, g in zip(array.to_pylist(), garbage.to_pylist(), strict=True)], array.type
    )
    return pa.Array.from_buffers(array.type, len(array), [array.is_valid().buffers()[1], under.buffers()[1]])


def sliced(array: pa.Array) -> pa.Array:
    """The same values, starting in the middle of longer buffers."""
    return pa.concat_arrays([array.slice(0, 1), array, array.slice(0, 1)]).slice(min(len(array), 1), len(array))
