"""Decimal columns of CSV files: pyarrow's parser lets more digits than 38 wrap around, so they are read as text first."""

from __future__ import annotations

import decimal
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import STRING, DataType, is_decimal

if TYPE_CHECKING:
    from lazyframe.executors.sources.csv_text import CsvFile

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_EXACT = decimal.Context(prec=4000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


def as_parsed(types: Mapping[str, DataType]) -> dict[str, DataType]:
    """The types that the parser is asked for: text in place of decimals."""
    return {name: STRING if is_decimal(dtype) else dtype for name, dtype in types.items()}


def with_decimals(table: pa.Table, types: Mapping[str, DataType], source: CsvFile) -> pa.Table:
    """The table with the decimals that its texts stand for.

    Raises:
        pa.ArrowInvalid: for a text that is no decimal of the type, in the words in which the parser names a column.
    """
    for position, name in enumerate(table.column_names):
        if not is_decimal(types[name]):
            continue
        try:
            table = table.set_column(position, name, read_decimals(table.column(position), types[name]))
        except pa.ArrowInvalid as error:
            raise pa.ArrowInvalid(f"In CSV column #{source.names.index(name)}: {error}") from error
    return table


def read_decimals(texts: pa.ChunkedArray, dtype: DataType) -> pa.ChunkedArray:
    """Texts as decimals, exactly: nothing is rounded.

    Raises:
        pa.ArrowInvalid: for a text that is none, or has more places or digits than the type.
    """
    # It takes longer to load than most files take to read.
    from lazyframe.executors.vectorized.read_text import arrow_reads_decimals

    trimmed = pc.ascii_trim_whitespace(texts)
    if arrow_reads_decimals(trimmed, dtype):
        return trimmed.cast(dtype)
    encoded = pc.dictionary_encode(trimmed.combine_chunks())
    entries = arrow.array([_read(text, dtype) for text in encoded.dictionary.to_pylist()], dtype)
    return pa.chunked_array([pc.array_take(entries, encoded.indices)])


def _read(text: str, dtype: DataType) -> decimal.Decimal:
    if _NUMBER.fullmatch(text) and len(text) < _EXACT.prec // 2:
        number = decimal.Decimal(text)
        scaled = number.scaleb(dtype.scale, _EXACT)
        if scaled == scaled.to_integral_value(context=_EXACT) and abs(scaled) < 10**dtype.precision:
            return number
    raise pa.ArrowInvalid(f"{text!r} is no decimal of {dtype.precision} digits and {dtype.scale} places")
