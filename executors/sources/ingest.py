"""Make an Arrow table of whatever holds rows: frames of other libraries, dicts, rows, arrays."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.sources.decimal_casts import cast_checked
from lazyframe.planner import arrow
from lazyframe.planner.errors import DuplicateColumnError, InvalidArgumentError, TypeMismatchError
from lazyframe.planner.nouns import with_article
from lazyframe.planner.types import DataType, is_integer, is_nested, parse_type, type_name

_ACCEPTED = (
    "a dict of columns, a list of dicts, a pandas or polars frame, a DuckDB relation, an Arrow table, record batch or "
    "reader, a numpy structured array, or anything with __arrow_c_stream__"
)


def from_any(data: Any, schema: Mapping[str, object] | None = None) -> pa.Table:
    """An Arrow table of the rows in `data`. What can be read only once is read now.

    Args:
        data: a dict of columns, a list of dicts, a pandas or polars frame, a DuckDB relation, an Arrow table, record
            batch or reader, a numpy structured array, or anything with `__arrow_c_stream__` or `__arrow_c_array__`.
            Of a pandas frame named index levels become the leading columns, an unnamed index is dropped, and NaN is
            null, as it is in pandas.
        schema: types of columns by name, where those found in Python values are not the ones wanted.

    Raises:
        InvalidArgumentError: where columns differ in length, or `data` is nothing of the above.
        TypeMismatchError: where the values of a column have no common type; names the column, value and row.

    >>> from_any({"a": [1, 2], "b": ["x", None]}).num_rows
    2
    """
    wanted = _parse_schema(schema)
    table = _convert(data, wanted)
    for name, dtype in wanted.items():
        if name not in table.column_names:
            raise InvalidArgumentError(f"the schema names a column {name!r} that the data does not have")
        index = table.column_names.index(name)
        if table.schema.field(index).type != dtype:
            table = table.set_column(index, pa.field(name, dtype), _cast(table.column(index), name, dtype))
    return table


def _parse_schema(schema: Mapping[str, object] | None) -> dict[str, DataType]:
    try:
        return {name: parse_type(spec) for name, spec in (schema or {}).items()}
    except ValueError as error:
        raise InvalidArgumentError(str(error)) from error


def _convert(data: Any, wanted: dict[str, DataType]) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    if isinstance(data, Mapping):
        return _from_columns(data, wanted)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _from_pandas(data)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.LazyFrame):
        data = data.collect()
    if isinstance(data, np.ndarray):
        if data.dtype.names is None:
            raise InvalidArgumentError(
                "a numpy array has no column names", hint="give a dict such as {'x': array}, or a structured array"
            )
        return _from_columns({name: np.ascontiguousarray(data[name]) for name in data.dtype.names}, wanted)
    if hasattr(data, "__arrow_c_stream__"):
        return _from_stream(data)
    if hasattr(data, "__arrow_c_array__"):
        return pa.Table.from_batches([pa.record_batch(data)])
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        if data and all(isinstance(item, pa.RecordBatch) for item in data):
            return pa.Table.from_batches(data)
        return _from_rows(data, wanted)
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        return _from_rows(list(data), wanted)
    raise InvalidArgumentError(f"cannot make a frame of {with_article(type(data).__name__)}", hint=f"give {_ACCEPTED}")


def _from_stream(data: Any) -> pa.Table:
    reader = pa.RecordBatchReader.from_stream(data)
    return reader.read_all()


def _from_pandas(frame: Any) -> pa.Table:
    named = [name for name in frame.index.names if name is not None]
    if named:
        frame = frame.reset_index(level=named)
    names = [str(name) for name in frame.columns]
    for name in names:
        if names.count(name) > 1:
            raise DuplicateColumnError(f"two columns would be named {name!r}", hint="rename one of the frame's columns")
    arrays = []
    for position, name in enumerate(names):
        series = frame.iloc[:, position]
        try:
            arrays.append(pa.array(series, from_pandas=True))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            values = [None if value is None or value != value else value for value in series]  # noqa: PLR0124 - NaN
            raise _mixed(name, values, None, error) from error
    table = pa.table(arrays, names=names)
    return (
        table
        if names
        else pa.Table.from_batches([pa.RecordBatch.from_arrays([pa.nulls(len(frame))], ["_"])]).select([])
    )


def _from_columns(columns: Mapping[Any, Any], wanted: dict[str, DataType]) -> pa.Table:
    arrays: dict[str, pa.Array | pa.ChunkedArray] = {}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise InvalidArgumentError(f"a column's name is a string, not {name!r}")
        arrays[name] = _column(name, values, wanted.get(name))
    lengths = {name: len(array) for name, array in arrays.items()}
    first = next(iter(lengths.items()), None)
    for name, length in lengths.items():
        if first is not None and length != first[1]:
            raise InvalidArgumentError(
                f"columns differ in length: {first[0]!r} has {first[1]} values, {name!r} has {length}"
            )
    return pa.table(arrays)


def _column(name: str, values: Any, dtype: DataType | None) -> pa.Array | pa.ChunkedArray:
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InvalidArgumentError(f"column {name!r} is an array of {values.ndim} dimensions, not of one")
        return _build(name, values, dtype)
    if hasattr(values, "__arrow_c_stream__"):
        return pa.chunked_array(values)
    if hasattr(values, "__arrow_c_array__"):
        return arrow.array(values)
    if type(values).__module__.partition(".")[0] == "pandas":
        return _build(name, values, dtype)
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidArgumentError(
            f"column {name!r} is a single {type(values).__name__}, not a list of values",
            hint=f"write {{{name!r}: [{values!r}]}}",
        )
    return _build(name, list(values), dtype)


def _build(name: str, values: Any, dtype: DataType | None) -> pa.Array | pa.ChunkedArray:
    try:
        return _array(values, dtype, from_pandas=type(values).__module__.startswith("pandas"))
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        found = values if isinstance(values, list) else list(values)
        if dtype is not None and _fits(found, pa.string()):
            return _from_text(name, found, dtype)
        raise _mixed(name, found, dtype, error) from error


def _array(values: Any, dtype: DataType | None, *, from_pandas: bool = False) -> pa.Array | pa.ChunkedArray:
    """An array of the values; a number with a fraction is no integer, though Arrow would cut the fraction off."""
    if dtype is not None and is_integer(dtype) and isinstance(values, list):
        for value in values:
            if isinstance(value, float) and not value.is_integer():
                raise ValueError(f"{value!r} is not a whole number")
    if dtype is not None and is_nested(dtype) and isinstance(values, list):
        # Nor within lists and structs: a cast is checked where a conversion is not.
        found = arrow.array(values)
        if not pa.types.is_struct(found.type):
            return found.cast(dtype)
    if not from_pandas:
        return arrow.array(values, dtype)
    return pa.array(values, dtype, from_pandas=True)


def _from_text(name: str, values: list[Any], dtype: DataType) -> pa.ChunkedArray:
    """Texts read as values of `dtype`."""
    try:
        return cast_checked(pa.chunked_array([arrow.array(values, pa.string())]), dtype)
    except (pa.ArrowException, ValueError) as error:
        raise TypeMismatchError(f"column {name!r} holds text that is no {type_name(dtype)}: {error}") from error


def _mixed(name: str, values: list[Any], dtype: DataType | None, error: Exception) -> TypeMismatchError:
    """The error that names the first row whose value does not go with those before it."""
    low, high = 0, len(values)  # the first `low` values fit together, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(values[:middle], dtype):
            low = middle
        else:
            high = middle
    row = high - 1
    if row < 0 or _fits(values[: row + 1], dtype):
        return TypeMismatchError(f"column {name!r} cannot be converted: {error}")
    value = values[row]
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
    if dtype is not None:
        expected = with_article(type_name(dtype))
    else:
        before = arrow.array(values[:row]) if row else None
        if before is None or pa.types.is_null(before.type):
            return TypeMismatchError(
                f"column {name!r}, row {row}: {shown} ({type(value).__name__}) is a value of no type we know"
            )
        expected = f"{with_article(type_name(before.type))} as in the rows before"
    return TypeMismatchError(
        f"column {name!r}, row {row}: {shown} ({type(value).__name__}) is not {expected}",
        hint="make the values of a column alike, or give its type with schema={...}",
    )


def _fits(values: list[Any], dtype: DataType | None) -> bool:
    try:
        _array(values, dtype)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def _from_rows(rows: Sequence[Any], wanted: dict[str, DataType]) -> pa.Table:
    names: dict[str, None] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InvalidArgumentError(
                f"row {number} is {with_article(type(row).__name__)}, not a dict", hint=f"give {_ACCEPTED}"
            )
        for name in row:
            if not isinstance(name, str):
                raise InvalidArgumentError(f"row {number}: a column's name is a string, not {name!r}")
        names.update(dict.fromkeys(row))
    if not rows:
        names = dict.fromkeys(wanted)
    if rows and not names:
        return pa.Table.from_batches([pa.RecordBatch.from_arrays([pa.nulls(len(rows))], ["_"])]).select([])
    return pa.table({name: _build(name, [row.get(name) for row in rows], wanted.get(name)) for name in names})


def _cast(column: pa.ChunkedArray, name: str, dtype: DataType) -> pa.ChunkedArray:
    try:
        return cast_checked(column, dtype)
    except (pa.ArrowException, ValueError) as error:
        raise TypeMismatchError(
            f"column {name!r} holds {type_name(column.type)} that cannot be read as {type_name(dtype)}: {error}"
        ) from error
