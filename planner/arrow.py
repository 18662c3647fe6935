"""Arrow values made from Python's and numpy's, and back, without loading pandas.

`pyarrow.array`, `pyarrow.scalar` and `to_numpy` import pandas where it is installed, to see whether they have to do with
something of its: a quarter of a second in a process that asks a small question. Ordinary values are converted here; all else goes
to pyarrow, as does everything once pandas is loaded. Results are the same either way.
"""

from __future__ import annotations

import datetime as dt
import decimal
import struct
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

_EPOCH = dt.date(1970, 1, 1).toordinal()
_FIRST_INSTANT = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - of timestamps without a zone
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_INTEGERS = {
    pa.int8(): "=b", pa.int16(): "=h", pa.int32(): "=i", pa.int64(): "=q",
    pa.uint8(): "=B", pa.uint16(): "=H", pa.uint32(): "=I", pa.uint64(): "=Q",
}  # fmt: skip
_INFERRED = {
    int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string(), bytes: pa.binary(), dt.date: pa.date32(),
}  # fmt: skip
_NONE = type(None)


def scalar(value: Any, dtype: pa.DataType | None = None) -> pa.Scalar:
    """As `pyarrow.scalar`.

    >>> scalar(7, pa.int16())
    <pyarrow.Int16Scalar: 7>
    """
    known = _INFERRED.get(type(value)) if dtype is None else dtype
    if known is not None and "pandas" not in sys.modules:
        if value is None:
            return pa.nulls(1, known)[0]
        buffers = _buffers(value, known)
        if buffers is not None:
            return pa.Array.from_buffers(known, 1, [None, *map(pa.py_buffer, buffers)], null_count=0)[0]
    return pa.scalar(value, dtype)


def array(values: Any, dtype: pa.DataType | None = None, *, mask: np.ndarray | None = None) -> pa.Array:
    """As `pyarrow.array`, of an array of numpy or a sequence.

    >>> array([1, None, 3]).null_count
    1
    """
    if "pandas" not in sys.modules:
        found = _of_numpy(values, dtype, mask) if isinstance(values, np.ndarray) else None
        if found is None and mask is None and isinstance(values, (list, tuple)):
            found = _of_sequence(values, dtype)
        if found is not None:
            return found
    return pa.array(values, dtype, mask=mask)


def numpy_of(values: Any) -> np.ndarray:
    """The values of an array of Arrow, of which none is null, as numpy's; of anything else what `numpy.asarray` gives.

    >>> numpy_of(array([1, 2])).tolist()
    [1, 2]
    """
    if isinstance(values, pa.Array) and "pandas" not in sys.modules and not values.null_count:
        dtype, start, stop = values.type, values.offset, values.offset + len(values)
        if pa.types.is_boolean(dtype):
            bits = np.frombuffer(values.buffers()[1] or b"", np.uint8)
            return np.unpackbits(bits[start // 8 : -(-stop // 8)], bitorder="little")[start % 8 :][: len(values)].view(
                bool
            )
        if pa.types.is_integer(dtype) or pa.types.is_floating(dtype):
            found = np.frombuffer(values.buffers()[1] or b"", _numpy_type(dtype))[start:stop]
            found.flags.writeable = False
            return found
    return (
        values.to_numpy(zero_copy_only=False) if isinstance(values, (pa.Array, pa.ChunkedArray)) else np.asarray(values)
    )


def _numpy_type(dtype: pa.DataType) -> np.dtype:
    """The type of numpy for integers or floats, for which older releases of pyarrow would ask pandas."""
    letter = "f" if pa.types.is_floating(dtype) else "u" if pa.types.is_unsigned_integer(dtype) else "i"
    return np.dtype(f"{letter}{dtype.bit_width // 8}")


def _buffers(value: Any, dtype: pa.DataType) -> tuple[bytes, ...] | None:
    """The memory of a value; None where only pyarrow knows it, or knows that it does not fit."""
    kind = type(value)
    if kind is int:
        layout = _INTEGERS.get(dtype) or _counted(dtype)
        if layout is None:
            return None
        try:
            return (struct.pack(layout, value),)
        except struct.error:
            return None
    if kind is float and dtype == pa.float64():
        return (struct.pack("=d", value),)
    if kind is bool and dtype == pa.bool_():
        return (bytes([value]),)
    if kind is dt.date and dtype == pa.date32():
        return (struct.pack("=i", value.toordinal() - _EPOCH),)
    if (kind is str and dtype == pa.string()) or (kind is bytes and dtype == pa.binary()):
        try:
            data = value.encode() if kind is str else value
        except UnicodeEncodeError:
            return None
        return (struct.pack("=ii", 0, len(data)), data) if len(data) < 1 << 31 else None
    if kind is dt.datetime and pa.types.is_timestamp(dtype) and dtype.tz is None and value.tzinfo is None:
        return _instant(value, dtype)
    if kind is pa.MonthDayNano and dtype == pa.month_day_nano_interval():
        try:
            return (struct.pack("=iiq", *value),)
        except struct.error:
            return None
    if kind is decimal.Decimal and pa.types.is_decimal128(dtype):
        return _decimal(value, dtype)
    return None


def _counted(dtype: pa.DataType) -> str | None:
    """How instants are laid out that are counted from an epoch."""
    if dtype == pa.date32():
        return "=i"
    return "=q" if pa.types.is_timestamp(dtype) or pa.types.is_duration(dtype) else None


def _instant(value: dt.datetime, dtype: pa.DataType) -> tuple[bytes, ...] | None:
    microseconds = (value - _FIRST_INSTANT) // dt.timedelta(microseconds=1)
    count, rest = divmod(microseconds * _NANOSECONDS["us"], _NANOSECONDS[dtype.unit])
    return None if rest or not -(1 << 63) <= count < 1 << 63 else (struct.pack("=q", count),)


def _decimal(value: decimal.Decimal, dtype: pa.DataType) -> tuple[bytes, ...] | None:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or not 0 <= exponent + dtype.scale <= 38:
        return None
    unscaled = int("".join(map(str, digits))) * 10 ** (exponent + dtype.scale)
    if unscaled >= 10**dtype.precision:
        return None
    return ((-unscaled if sign else unscaled).to_bytes(16, sys.byteorder, signed=True),)


def _of_numpy(values: np.ndarray, dtype: pa.DataType | None, mask: np.ndarray | None) -> pa.Array | None:
    if values.ndim != 1 or values.dtype.kind not in "iufb" or not values.dtype.isnative:
        return None
    found = pa.from_numpy_dtype(values.dtype)
    if dtype is not None and dtype != found:
        return None
    validity, nulls = _validity(mask)
    is_bits = values.dtype.kind == "b"
    data = pa.py_buffer(np.packbits(values, bitorder="little") if is_bits else np.ascontiguousarray(values))
    return pa.Array.from_buffers(found, len(values), [validity, data], null_count=nulls)


def _of_sequence(values: Sequence[Any], dtype: pa.DataType | None) -> pa.Array | None:
    """Integers, floats, booleans or strings, dates and decimals of a type that is given, and nulls among them."""
    kinds = set(map(type, values))
    missing = None
    if _NONE in kinds:
        kinds.discard(_NONE)
        missing = np.fromiter((value is None for value in values), bool, len(values))
    if len(kinds) != 1:
        return pa.nulls(len(values), dtype) if dtype is not None and not kinds else None
    (kind,) = kinds
    if kind is str and dtype in (None, pa.string()):
        return _of_strings(values, missing)
    if kind is int and (dtype is None or dtype in _INTEGERS):
        wanted = np.dtype(np.int64) if dtype is None else _numpy_type(dtype)
    elif kind is float and dtype in (None, pa.float64()):
        wanted = np.dtype(np.float64)
    elif kind is bool and dtype in (None, pa.bool_()):
        wanted = np.dtype(np.bool_)
    elif kind in (dt.date, decimal.Decimal) and dtype is not None:
        return _of_values(values, dtype, missing)
    else:
        return None
    given = values if missing is None else [0 if value is None else value for value in values]
    if wanted.kind in "iu" and not np.iinfo(wanted).min <= min(given) <= max(given) <= np.iinfo(wanted).max:
        return None
    numbers = np.array(given, wanted)
    return _of_numpy(numbers, None, missing)


def _of_values(values: Sequence[Any], dtype: pa.DataType, missing: np.ndarray | None) -> pa.Array | None:
    """Values of a fixed width."""
    parts: list[bytes] = []
    for value in values:
        part = (bytes(dtype.bit_width // 8),) if value is None else _buffers(value, dtype)
        if part is None:
            return None
        parts += part
    validity, nulls = _validity(missing)
    return pa.Array.from_buffers(dtype, len(values), [validity, pa.py_buffer(b"".join(parts))], null_count=nulls)


def _validity(missing: np.ndarray | None) -> tuple[pa.Buffer | None, int]:
    """The bits of the values that are there, and how many are not."""
    nulls = 0 if missing is None else int(np.count_nonzero(missing))
    return (None if missing is None or not nulls else pa.py_buffer(np.packbits(~missing, bitorder="little"))), nulls


def _of_strings(values: Sequence[Any], missing: np.ndarray | None) -> pa.Array | None:
    try:
        parts = [b"" if value is None else value.encode() for value in values]
    except UnicodeEncodeError:
        return None
    ends = np.cumsum([0, *map(len, parts)])
    if ends[-1] >= 1 << 31:
        return None
    validity, nulls = _validity(missing)
    buffers = [validity, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(pa.string(), len(values), buffers, null_count=nulls)
