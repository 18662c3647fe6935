"""Casts: the value as another type, or an error that names it.

What a cast gives where types do not decide it by themselves:

* floats to integers truncate toward zero, or round halves to even (`rounding="half_even"`, for SQL, where decimals round
  halves away from zero); NaN, infinities and what is out of range have no integer;
* to a decimal of fewer places, from decimals, floats (by their exact value) and text, halves round away from zero;
* to float32 what is too large becomes infinite, as in all float arithmetic; to bool everything but zero is true;
* a timestamp of a zone becomes what the clocks there showed, and a naive one or a date the instant at which they showed it;
* timestamps and durations in a coarser unit round down.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import decoded, validity_buffer
from lazyframe.executors.vectorized.cast_numbers import Conversion, cast_number
from lazyframe.executors.vectorized.functions.layout import Mask, at, first_row, one_row, valid_rows
from lazyframe.executors.vectorized.kernel import KernelError, Value, plain
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import (
    DataType,
    field_places,
    is_bool,
    is_list,
    is_map,
    is_null,
    is_numeric,
    is_string,
    is_struct,
    is_timestamp,
    type_name,
)

_LONGEST = 60
_LENIENT = "try_cast gives null for such a value"


def cast_value(
    value: Value, from_type: DataType, to: DataType, *, lenient: bool = False, rounding: str = "truncate"
) -> Value:
    """`value` as type `to`.

    Args:
        value: of type `from_type`, in any layout.
        from_type: a type from which `cast_is_allowed` to `to`.
        to: the type wanted; a decimal may come as int64.
        lenient: whether what does not fit becomes null.
        rounding: of floats and decimals to integers, `truncate` or `half_even`.

    Raises:
        KernelError: for the first value that has none in the type, unless `lenient`.
    """
    if from_type == to:
        return value
    if is_null(from_type) or (isinstance(value, pa.Scalar) and not value.is_valid):
        return arrow.scalar(None, to)
    if isinstance(value, pa.Scalar):
        return decoded(_cast(one_row(value), from_type, to, lenient=lenient, rounding=rounding), to)[0]
    return _cast(value, from_type, to, lenient=lenient, rounding=rounding)


def _cast(array: pa.Array, source: DataType, target: DataType, *, lenient: bool, rounding: str) -> pa.Array:
    if source == target:
        return array
    if is_null(source):
        return pa.nulls(len(array), target)
    if isinstance(array, pa.DictionaryArray):
        return _cast_dictionary(array, source, target, lenient=lenient, rounding=rounding)
    if is_list(target) or is_map(target):
        return _cast_elements(plain(array, source), source, target, lenient=lenient, rounding=rounding)
    if is_struct(target):
        return _cast_fields(plain(array, source), target, lenient=lenient, rounding=rounding)
    converted, bad = _convert(array, source, target, rounding)
    return _settle(array, converted, bad, source, target, lenient=lenient)


def _convert(array: pa.Array, source: DataType, target: DataType, rounding: str) -> Conversion:
    if (is_numeric(source) or is_bool(source)) and (is_numeric(target) or is_bool(target)):
        return cast_number(array, source, target, rounding)
    # Times and texts take longer to load, and many queries need neither.
    if is_string(source):
        from lazyframe.executors.vectorized.read_text import read_text

        return read_text(array, target)
    if is_string(target):
        from lazyframe.executors.vectorized.write_text import write_text

        return write_text(array, source)
    from lazyframe.executors.vectorized.cast_times import cast_time

    return cast_time(array, source, target)


def _settle(
    array: pa.Array, converted: pa.Array, bad: Mask | None, source: DataType, target: DataType, *, lenient: bool
) -> pa.Array:
    """The converted values, null where there is none if that is wanted."""
    row = None if bad is None or not bad.any() else first_row(bad, [array])
    if row is None:
        return converted
    if not lenient:
        raise _refusal(plain(array, source), row, source, target)
    return pc.if_else(arrow.array(bad), arrow.scalar(None, converted.type), converted)


def _refusal(array: pa.Array, row: int, source: DataType, target: DataType) -> KernelError:
    value = at(array, row)
    if is_string(source):
        text = str(value)
        shown = repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
        message = f"cannot read {shown} as {type_name(target)}"
        from lazyframe.executors.vectorized.read_times import has_offset

        if is_timestamp(target) and target.tz is None and has_offset(text):
            zoned = type_name(pa.timestamp(target.unit, "UTC"))
            return KernelError(
                f"{message}: it has an offset from UTC",
                row,
                f"cast it to {zoned!r}, from which replace_time_zone(None) goes on",
            )
        return KernelError(message, row, _LENIENT)
    if is_string(target):
        return KernelError(f"{value!r} is no text in UTF-8", row, _LENIENT)
    return KernelError(f"{value} does not fit in {type_name(target)}", row, _LENIENT)


def _cast_dictionary(
    array: pa.DictionaryArray, source: DataType, target: DataType, *, lenient: bool, rounding: str
) -> pa.Array:
    """Each entry once. An entry that has no value in the type matters only where a row points at it."""
    entries, indices = array.dictionary, array.indices
    converted, bad = _convert(entries, source, target, rounding)
    if bad is not None:
        valid = valid_rows([entries])
        bad = bad if valid is None else bad & valid
    if bad is not None and bad.any():
        rows = bad.take(arrow.numpy_of(pc.fill_null(indices, 0)))
        row = first_row(rows, [array])
        if row is not None and not lenient:
            raise _refusal(plain(array, source), row, source, target)
        converted = pc.if_else(arrow.array(bad), arrow.scalar(None, converted.type), converted)
    return pc.array_take(converted, indices)


def _cast_elements(array: pa.Array, source: DataType, target: DataType, *, lenient: bool, rounding: str) -> pa.Array:
    """Lists element by element, maps entry by entry."""
    entry = target.value_type if is_list(target) else pa.struct([target.key_field, target.item_field])
    if is_map(source):
        source = pa.list_(pa.struct([pa.field("key", source.key_type), pa.field("value", source.item_type)]))
        array = array.cast(source)
    lengths = arrow.numpy_of(pc.fill_null(pc.list_value_length(array), 0))
    offsets = np.zeros(len(array) + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    elements = array.flatten()
    try:
        cast = _cast(elements, source.value_type, entry, lenient=lenient, rounding=rounding)
    except KernelError as error:
        row = None if error.row is None else int(np.searchsorted(offsets, error.row, side="right")) - 1
        raise KernelError(error.message, row, error.hint) from None
    buffers = [validity_buffer(array), pa.py_buffer(offsets)]
    return pa.Array.from_buffers(target, len(array), buffers, children=[decoded(cast, entry)])


def _cast_fields(array: pa.Array, target: DataType, *, lenient: bool, rounding: str) -> pa.Array:
    """Structs field by field, by name."""
    places = field_places(target, array.type)
    assert places is not None
    children = array.flatten()
    fields = [
        decoded(_cast(children[place], children[place].type, f.type, lenient=lenient, rounding=rounding), f.type)
        for f, place in zip(target, places, strict=True)
    ]
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(fields, fields=list(target), mask=mask)
