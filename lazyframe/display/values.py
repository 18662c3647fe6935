"""Arrow values as text: one formatter a type, and never more of a value touched than is shown."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

import pyarrow as pa
from pyarrow import types

from lazyframe.display.escaping import visible
from lazyframe.display.numbers import format_decimal, format_floats
from lazyframe.display.temporal import format_date, format_durations, format_interval, format_times, format_timestamps

NULL = "null"

_SHOWN_BYTES = 16
_NESTED_TEXT = 40
_MILLISECONDS_PER_DAY = 86_400_000
# How many elements are shown at each level of nesting; deeper ones are `…`.
_SHOWN_ELEMENTS = (8, 4, 2, 2)


def format_values(scalars: Sequence[pa.Scalar], dtype: pa.DataType, *, limit: int = 120) -> list[str | None]:
    """Format values of one column, which share decimals and fractions of seconds; None where null.

    Args:
        scalars: the values to be shown, all of type `dtype`.
        dtype: their Arrow type.
        limit: how many characters of a string are looked at; a longer one ends in an ellipsis.

    >>> format_values(list(pa.array([[1, 2], None])), pa.list_(pa.int64()))
    ['[1, 2]', None]
    """
    return _format(scalars, dtype, limit, depth=0)


def is_numeric(dtype: pa.DataType) -> bool:
    """Whether values of this type are right-aligned."""
    dtype = value_type(dtype)
    kinds = (types.is_integer, types.is_floating, types.is_decimal, types.is_duration)
    return any(is_kind(dtype) for is_kind in kinds)


def is_flexible(dtype: pa.DataType) -> bool:
    """Whether a shortened value still reads well: texts, bytes and nested values, not numbers or times."""
    dtype = value_type(dtype)
    return any(is_kind(dtype) for is_kind in (_is_text, _is_bytes, types.is_nested, types.is_interval))


def value_type(dtype: pa.DataType) -> pa.DataType:
    """The type of the values below dictionary and run-end encodings."""
    while types.is_dictionary(dtype) or types.is_run_end_encoded(dtype):
        dtype = dtype.value_type
    return dtype


def _is_text(dtype: pa.DataType) -> bool:
    return any(is_kind(dtype) for is_kind in (types.is_string, types.is_large_string, types.is_string_view))


def _is_bytes(dtype: pa.DataType) -> bool:
    kinds = (types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
    return any(is_kind(dtype) for is_kind in kinds)


def _is_list(dtype: pa.DataType) -> bool:
    kinds = (
        types.is_list,
        types.is_large_list,
        types.is_fixed_size_list,
        types.is_list_view,
        types.is_large_list_view,
    )
    return any(is_kind(dtype) for is_kind in kinds)


def _format(scalars: Sequence[pa.Scalar], dtype: pa.DataType, limit: int, depth: int) -> list[str | None]:
    if types.is_dictionary(dtype) or types.is_run_end_encoded(dtype):
        inner = [scalar.value if scalar.is_valid else None for scalar in scalars]
        return _format_present(inner, dtype.value_type, limit, depth)
    if isinstance(dtype, pa.BaseExtensionType):
        return _format_extension(scalars, dtype, limit, depth)
    if types.is_floating(dtype):
        return format_floats([_shortest(scalar.as_py(), dtype) for scalar in scalars])
    if types.is_timestamp(dtype):
        return format_timestamps([scalar.value for scalar in scalars], dtype.unit, dtype.tz)
    if types.is_time(dtype):
        return format_times([scalar.value for scalar in scalars], dtype.unit)
    if types.is_duration(dtype):
        return format_durations([scalar.value for scalar in scalars], dtype.unit)
    return [_format_one(scalar, dtype, limit, depth) if scalar.is_valid else None for scalar in scalars]


def _format_present(
    scalars: Sequence[pa.Scalar | None], dtype: pa.DataType, limit: int, depth: int
) -> list[str | None]:
    """Format the scalars that are there, together, and leave None where there is none."""
    texts = iter(_format([scalar for scalar in scalars if scalar is not None], dtype, limit, depth))
    return [None if scalar is None else next(texts) for scalar in scalars]


def _format_extension(
    scalars: Sequence[pa.Scalar], dtype: pa.BaseExtensionType, limit: int, depth: int
) -> list[str | None]:
    if dtype.extension_name == "arrow.uuid":
        return [str(scalar.as_py()) if scalar.is_valid else None for scalar in scalars]
    if dtype.extension_name == "arrow.bool8":
        return [_format_bool(scalar.as_py()) if scalar.is_valid else None for scalar in scalars]
    storage = [scalar.value if scalar.is_valid else None for scalar in scalars]
    return _format_present(storage, dtype.storage_type, limit, depth)


def _format_one(scalar: pa.Scalar, dtype: pa.DataType, limit: int, depth: int) -> str | None:
    if types.is_boolean(dtype):
        return _format_bool(scalar.as_py())
    if _is_text(dtype):
        return _format_text(scalar, limit, depth)
    if _is_bytes(dtype):
        return _format_bytes(scalar)
    if types.is_decimal(dtype):
        return format_decimal(scalar.as_py())
    if types.is_date32(dtype):
        return format_date(scalar.value)
    if types.is_date64(dtype):
        return _format_date64(scalar.value)
    if types.is_interval(dtype):
        return format_interval(*scalar.as_py())
    if types.is_union(dtype):
        return _format([scalar.value], scalar.value.type, limit, depth)[0]
    if types.is_nested(dtype):
        return _format_nested(scalar, dtype, depth)
    return visible(str(scalar.as_py()))


def _format_bool(value: bool) -> str:
    return "true" if value else "false"


def _format_date64(milliseconds: int) -> str:
    if milliseconds % _MILLISECONDS_PER_DAY == 0:
        return format_date(milliseconds // _MILLISECONDS_PER_DAY)
    return format_timestamps([milliseconds], "ms", None)[0] or ""


def _shortest(value: float | None, dtype: pa.DataType) -> float | None:
    """The double nearest to the shortest decimal that names this float: 0.1, not 0.10000000149011612.

    Whole numbers stay exact: the shortest name of the float16 65504 is 65500.
    """
    if value is None or types.is_float64(dtype) or value.is_integer():
        return value
    import numpy as np

    narrow = np.float32(value) if types.is_float32(dtype) else np.float16(value)
    return float(str(narrow))


def _format_text(scalar: pa.Scalar, limit: int, depth: int) -> str:
    buffer = scalar.as_buffer()
    size = 4 * (limit if depth == 0 else _NESTED_TEXT)
    cut = buffer.size > size
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    text = decoder.decode(buffer[:size].to_pybytes() if cut else buffer.to_pybytes(), final=not cut)
    if len(text) > size // 4:
        text, cut = text[: size // 4], True
    return visible(text, quote=depth > 0, reserved=NULL, cut=cut)


def _format_bytes(scalar: pa.Scalar) -> str:
    buffer = scalar.as_buffer()
    shown = buffer[:_SHOWN_BYTES].to_pybytes().hex() if buffer.size else ""
    return f"0x{shown}… {buffer.size:,} bytes" if buffer.size > _SHOWN_BYTES else f"0x{shown}"


def _format_nested(scalar: pa.Scalar, dtype: pa.DataType, depth: int) -> str:
    opening, closing = "[]" if _is_list(dtype) else "{}"
    if depth >= len(_SHOWN_ELEMENTS):
        return f"{opening}…{closing}"
    shown = _SHOWN_ELEMENTS[depth]
    if types.is_struct(dtype):
        count = dtype.num_fields
        parts = [f"{visible(dtype.field(i).name)}: {_inner(scalar[i], depth)}" for i in range(min(count, shown))]
    elif types.is_map(dtype):
        entries = scalar.values
        count = len(entries)
        head = entries.slice(0, shown)
        keys, items = (_inner_all(head.field(i), depth) for i in (0, 1))
        parts = [f"{key}: {item}" for key, item in zip(keys, items, strict=True)]
    else:
        values = scalar.values
        count = len(values)
        parts = _inner_all(values.slice(0, shown), depth)
    if count > shown:
        parts.append(f"… {count - shown:,} more")
    return f"{opening}{', '.join(parts)}{closing}"


def _inner(scalar: pa.Scalar, depth: int) -> str:
    text = _format([scalar], scalar.type, _NESTED_TEXT, depth + 1)[0]
    return NULL if text is None else text


def _inner_all(values: pa.Array, depth: int) -> list[str]:
    texts = _format(list(values), values.type, _NESTED_TEXT, depth + 1)
    return [NULL if text is None else text for text in texts]
