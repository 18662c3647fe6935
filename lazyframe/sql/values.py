"""Values of parameters as the planner takes them: arrays and columns of other libraries become lists, what is missing null."""

from __future__ import annotations

import sys
from collections.abc import KeysView, Mapping, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.expr import Expr
from lazyframe.parameters import Param
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.literals import literal
from lazyframe.planner.unbound import Placeholder
from lazyframe.sql.nouns import a_type


def plain_value(value: Any, name: str) -> Any:
    """A value of a parameter.

    Args:
        value: a constant; a parameter of `lf.param`; a list, set, range or tuple; an array of numpy or Arrow, or a column of pandas or polars.
        name: of the parameter, for errors.

    Raises:
        InvalidArgumentError: for what is none of these, and arrays of it.

    Example:
        >>> plain_value(np.array([1, 3]), "ids"), plain_value(range(2), "ids")
        ([1, 3], [0, 1])
    """
    kind = type(value)  # not isinstance: a value may be a proxy that fails when it is asked what it is
    if kind in (bool, int, float, str, bytes, type(None), pa.MonthDayNano):
        return value
    if issubclass(kind, Placeholder):
        return value
    if issubclass(kind, Expr) and isinstance(value._node, Placeholder):
        return value._node
    if issubclass(kind, Param):
        raise InvalidArgumentError(
            f"{value!r} can be no value of the parameter {name!r}: SQL takes one value for each",
            hint="give an element of it: w[0]",
        )
    if _is_missing(value):
        return None
    if issubclass(kind, (list, tuple, range, AbstractSet, KeysView, ValuesView)):
        return [plain_value(each, name) for each in value]
    if issubclass(kind, Mapping):
        return {key: plain_value(each, name) for key, each in value.items()}
    if issubclass(kind, np.generic):
        # Of the others numpy's own items lose digits: they are read where they are used.
        return value if isinstance(value, (np.datetime64, np.timedelta64)) else value.item()
    if issubclass(kind, np.ndarray) and value.ndim != 1:
        return plain_value(value[()] if value.ndim == 0 else list(value), name)
    if issubclass(kind, (np.ndarray, pa.Array, pa.ChunkedArray)) or _is_column(kind):
        return _items(value, name)
    try:
        literal(value)
    except InvalidArgumentError:
        raise InvalidArgumentError(
            f"{a_type(value)} can be no value of the parameter {name!r}",
            hint="give numbers, strings, dates, None, lists or dicts of them",
        ) from None
    return value


def _is_missing(value: Any) -> bool:
    """Whether it is pandas' NaT or NA, which say so of themselves by being the only ones of their kind."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and (value is pandas.NaT or value is pandas.NA)


def _is_column(kind: type) -> bool:
    return kind.__name__.endswith(("Series", "Index", "ExtensionArray", "Categorical")) and hasattr(kind, "__array__")


def _items(value: Any, name: str) -> list[Any]:
    """The values of a column, with null for what is missing."""
    try:
        if hasattr(value, "__arrow_c_stream__") and not isinstance(value, pa.ChunkedArray):
            value = pa.chunked_array(value)
        elif not isinstance(value, (pa.Array, pa.ChunkedArray)):
            value = pa.array(value, from_pandas=not isinstance(value, np.ndarray))
        if pa.types.is_timestamp(value.type) and value.type.unit == "ns":
            value = value.cast(pa.timestamp("us", value.type.tz))
        elif pa.types.is_duration(value.type) and value.type.unit == "ns":
            value = value.cast(pa.duration("us"))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"{a_type(value)} can be no value of the parameter {name!r}: {str(error).partition(chr(10))[0]}"
        ) from None
    found: list[Any] = value.to_pylist()
    return found
