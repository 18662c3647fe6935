"""Kernels of functions of structs."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lazyframe.executors.vectorized.functions.subject import column, of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, Value
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc


def _field(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    """Arrow's kernel minds the offset of a slice and the nulls of the struct itself; the array's own `field` does not."""
    names = [f.name for f in values.type]
    return pc.struct_field(values, [names.index(arguments.options["name"])])


def _make(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    constant = all(isinstance(value, pa.Scalar) for value in values)
    length = 1 if constant else rows
    if not values:
        return arrow.scalar({}, arguments.result)
    columns = [column(value, length, t) for value, t in zip(values, arguments.types, strict=True)]
    made = pa.StructArray.from_arrays(columns, fields=list(arguments.result))
    return made[0] if constant else made


KERNELS: dict[str, Kernel] = {
    "struct_field": of_columns(_field),
    "make_struct": Kernel(_make),
}
