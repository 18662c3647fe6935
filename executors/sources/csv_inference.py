"""Choose the types of text columns from a sample of their values."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import BOOL, DATE, FLOAT64, INT64, STRING, UINT64, DataType

TRUE_TEXTS = ["true", "True", "TRUE"]
FALSE_TEXTS = ["false", "False", "FALSE"]

_ZONE = r"(?:Z|[+-]\d{2}(?::?\d{2})?)"
_STAMP = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,%d})?)?"
_WHOLE = r"^-?(?:0|[1-9]\d*)$"
_FORMS: tuple[tuple[str, tuple[DataType, ...]], ...] = (
    (rf"^(?:{'|'.join(TRUE_TEXTS + FALSE_TEXTS)})$", (BOOL,)),
    (_WHOLE, (INT64, UINT64)),
    # No more digits than fit: pyarrow's cast of longer texts to decimals wraps around.
    (r"^-?(?:0|[1-9]\d{0,37})$", (pa.decimal128(38, 0),)),
    (_WHOLE, (STRING,)),
    (r"^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^-?(?:nan|NaN|NAN|inf|Inf|INF|Infinity)$", (FLOAT64,)),
    (r"^\d{4}-\d{2}-\d{2}$", (DATE,)),
    (_STAMP % 6 + "$", (pa.timestamp("us"),)),
    (_STAMP % 9 + "$", (pa.timestamp("ns"),)),
    (_STAMP % 6 + _ZONE + "$", (pa.timestamp("us", "UTC"),)),
    (_STAMP % 9 + _ZONE + "$", (pa.timestamp("ns", "UTC"),)),
    (r"^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$", (pa.time64("us"),)),
)


def inferred_type(values: pa.ChunkedArray | pa.Array) -> DataType:
    """The narrowest type that holds all of the texts and writes them back with no loss.

    Codes with leading zeros such as `007` stay text, as they do in DuckDB: as numbers they would lose their zeros. Whole
    numbers beyond 64 bits are decimals, never floats. Dates and times are ISO 8601.

    >>> inferred_type(pa.array(["1", None, "20"]))
    DataType(int64)
    >>> inferred_type(pa.array(["007"]))
    DataType(string)
    """
    texts = pc.drop_null(pc.unique(values))
    if len(texts) == 0:
        return STRING
    for form, types in _FORMS:
        if not pc.all(pc.match_substring_regex(texts, form)).as_py():
            continue
        for dtype in types:
            if pa.types.is_time(dtype) or _castable(texts, dtype):
                return dtype
    if pc.all(
        pc.match_substring_regex(texts, r"^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$")
    ).as_py():
        return pa.timestamp("us") if _castable(texts, pa.timestamp("us")) else STRING
    return STRING


def _castable(texts: pa.Array, dtype: DataType) -> bool:
    try:
        texts.cast(dtype)
    except (pa.ArrowException, ValueError):
        return False
    return True
