"""Decide from statistics alone that a predicate is true for no row of a part.

Every scalar gets what it may be: a truth value gets those of true, false and null that are possible, any other value the
range it lies in. Each step may only err towards more being possible, so a part is left out where "true" is not among it.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa

from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.functions.patterns import like_parts
from lazyframe.planner.graph import fold
from lazyframe.planner.scalars import Call, Cast, Column, Literal, Scalar
from lazyframe.planner.sources import ColumnStatistics
from lazyframe.planner.types import (
    BOOL,
    DATE,
    STRING,
    DataType,
    is_bool,
    is_decimal,
    is_float,
    is_integer,
    is_timestamp,
)

_Key = tuple[int, Any]
_NAN: _Key = (1, 0)  # after every number
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class _Truth(NamedTuple):
    true: bool
    false: bool
    null: bool


class _Range(NamedTuple):
    """Bounds in the order of the engine (None: unbounded), whether null is possible, and whether a value is.

    With `nan`, NaN is possible besides: it is not within the bounds, as it is not in those that files tell.
    """

    lower: _Key | None
    upper: _Key | None
    null: bool
    valid: bool
    nan: bool = False


_ANY_TRUTH = _Truth(true=True, false=True, null=True)
_ANY_VALUE = _Range(None, None, null=True, valid=True)
_Possible = _Truth | _Range


def may_match(predicate: Scalar, statistics: Mapping[str, ColumnStatistics], rows: int | None) -> bool:
    """Whether `predicate` may be true for some row of a part.

    Args:
        predicate: a truth value over columns.
        statistics: what is known of the part's columns; the others may hold anything. Bounds leave NaN out.
        rows: how many rows the part has, None where unknown.

    Never False where a row could match: NaN is greater than all numbers and no bound tells of it, null makes a comparison
    null, and bounds of strings may be cut short.
    """
    if rows == 0:
        return False

    def step(scalar: Scalar, children: list[_Possible]) -> _Possible:
        match scalar:
            case Column():
                return _of_column(scalar, statistics.get(scalar.name), rows)
            case Literal():
                return _of_literal(scalar.value)
            case Call():
                return _of_call(scalar, children)
            case Cast():
                return _of_cast(scalar, children[0])
            case _:
                return _unknown(scalar)

    return _truth(fold(predicate, step)).true


def _unknown(scalar: Scalar) -> _Possible:
    return _ANY_TRUTH if is_bool(scalar.dtype) else _ANY_VALUE


def _of_column(column: Column, known: ColumnStatistics | None, rows: int | None) -> _Possible:
    if known is None:
        known = ColumnStatistics()
    null = column.nullable and known.nulls != 0
    valid = known.nulls is None or rows is None or known.nulls < rows
    lower, upper = order_key(known.minimum, column.dtype), order_key(known.maximum, column.dtype)
    if _NAN in (lower, upper):
        lower = upper = None  # written by a tool that let NaN into its statistics
    if is_bool(column.dtype):
        return _Truth(
            true=valid and (upper is None or upper[1] is True),
            false=valid and (lower is None or lower[1] is False),
            null=null,
        )
    return _Range(lower, upper, null, valid, nan=is_float(column.dtype))


def _of_literal(value: pa.Scalar) -> _Possible:
    if not value.is_valid:
        return _Truth(true=False, false=False, null=True) if is_bool(value.type) else _Range(None, None, True, False)
    if is_bool(value.type):
        return _Truth(true=value.as_py(), false=not value.as_py(), null=False)
    key = scalar_order_key(value)
    return _Range(key, key, null=False, valid=True)


def scalar_order_key(value: pa.Scalar) -> _Key | None:
    if is_timestamp(value.type):
        return (0, value.value * {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[value.type.unit])
    return order_key(value.as_py(), value.type)


def order_key(value: object, dtype: DataType) -> _Key | None:
    """A value as something that compares in the order of the engine: instants as nanoseconds, NaN last."""
    if value is None:
        return None
    if isinstance(value, float) and math.isnan(value):
        return _NAN
    if is_timestamp(dtype):
        if not isinstance(value, dt.datetime):
            return None
        aware = value if value.tzinfo is not None else value.replace(tzinfo=dt.UTC)
        return (0, (aware - _EPOCH) // dt.timedelta(microseconds=1) * 1000)
    if isinstance(value, (bool, int, float, decimal.Decimal, str, bytes)) or (dtype == DATE and type(value) is dt.date):
        return (0, value)
    return None


def _of_call(call: Call, children: list[_Possible]) -> _Possible:
    match call.function:
        case "and":
            a, b = _truth(children[0]), _truth(children[1])
            return _Truth(
                true=a.true and b.true,
                false=a.false or b.false,
                null=(a.null and (b.true or b.null)) or (b.null and (a.true or a.null)),
            )
        case "or":
            a, b = _truth(children[0]), _truth(children[1])
            return _Truth(
                true=a.true or b.true,
                false=a.false and b.false,
                null=(a.null and (b.false or b.null)) or (b.null and (a.false or a.null)),
            )
        case "not":
            a = _truth(children[0])
            return _Truth(true=a.false, false=a.true, null=a.null)
        case "is_null":
            null, valid = _nullness(children[0])
            return _Truth(true=null, false=valid, null=False)
        case "is_not_null":
            null, valid = _nullness(children[0])
            return _Truth(true=valid, false=null, null=False)
        case "is_in":
            return _of_is_in(call, children[0])
        case "starts_with" | "like" if call.args[0].dtype == STRING:
            return _of_start(call, _range(children[0]))
        case "substr" | "substring":
            return _of_first_characters(call, children[0])
        case "equal" | "not_equal" | "less" | "less_equal" | "greater" | "greater_equal":
            return _compared(call.function, _range(children[0]), _range(children[1]))
        case "equal_missing" | "not_equal_missing":
            a_range, b_range = _range(children[0]), _range(children[1])
            found = _compared("equal", a_range, b_range)
            same = found.true or (a_range.null and b_range.null)
            other = found.false or (a_range.null and b_range.valid) or (a_range.valid and b_range.null)
            if call.function == "not_equal_missing":
                same, other = other, same
            return _Truth(true=same, false=other, null=False)
        case _:
            return _unknown(call)


def _nullness(possible: _Possible) -> tuple[bool, bool]:
    if isinstance(possible, _Truth):
        return possible.null, possible.true or possible.false
    return possible.null, possible.valid


def _truth(possible: _Possible) -> _Truth:
    return possible if isinstance(possible, _Truth) else _ANY_TRUTH


def _range(possible: _Possible) -> _Range:
    if isinstance(possible, _Range):
        return possible
    lower = (0, False) if possible.false else (0, True)
    upper = (0, True) if possible.true else (0, False)
    return _Range(lower, upper, possible.null, possible.true or possible.false)


def _compared(function: str, a: _Range, b: _Range) -> _Truth:
    exact = _compared_exactly(function, a, b)
    mixed = (_has(a, decimal.Decimal) and _has(b, float)) or (_has(a, float) and _has(b, decimal.Decimal))
    if not mixed:
        return exact
    # A decimal and a float may also be compared as floats, where 0.1 is 0.1: what either way allows is possible.
    rounded = _compared_exactly(function, _as_floats(a), _as_floats(b))
    return _Truth(exact.true or rounded.true, exact.false or rounded.false, exact.null or rounded.null)


def _has(possible: _Range, kind: type) -> bool:
    return any(bound is not None and isinstance(bound[1], kind) for bound in (possible.lower, possible.upper))


def _as_floats(possible: _Range) -> _Range:
    lower, upper = (
        (bound[0], float(bound[1])) if bound is not None and isinstance(bound[1], decimal.Decimal) else bound
        for bound in (possible.lower, possible.upper)
    )
    return possible._replace(lower=lower, upper=upper)


def _intervals(possible: _Range) -> list[tuple[_Key | None, _Key | None]]:
    bounds = (possible.lower, possible.upper)
    return [bounds, (_NAN, _NAN)] if possible.nan else [bounds]


def _compared_exactly(function: str, a: _Range, b: _Range) -> _Truth:
    null = a.null or b.null
    if not (a.valid and b.valid):
        return _Truth(true=False, false=False, null=null)
    less = equal = greater = False
    try:
        for lower_a, upper_a in _intervals(a):
            for lower_b, upper_b in _intervals(b):
                overlap_below = lower_a is None or upper_b is None or lower_a <= upper_b
                overlap_above = upper_a is None or lower_b is None or upper_a >= lower_b
                equal |= overlap_below and overlap_above
                less |= lower_a is None or upper_b is None or lower_a < upper_b
                greater |= upper_a is None or lower_b is None or upper_a > lower_b
    except TypeError:
        return _ANY_TRUTH
    true, false = {
        "equal": (equal, less or greater),
        "not_equal": (less or greater, equal),
        "less": (less, equal or greater),
        "less_equal": (less or equal, greater),
        "greater": (greater, less or equal),
        "greater_equal": (greater or equal, less),
    }[function]
    return _Truth(true, false, null)


def _of_is_in(call: Call, value: _Possible) -> _Possible:
    values = dict(call.options).get("values")
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _ANY_TRUTH
    mine = _range(value)
    return _Truth(true=mine.valid and _holds_one(mine, call), false=mine.valid, null=mine.null or values.null_count > 0)


def _holds_one(possible: _Range, call: Call) -> bool:
    """Whether one of the constants of a list may be among some values."""
    keys = _member_keys(call)
    if keys is None:
        return True
    try:
        for lower, upper in _intervals(possible):
            place = 0 if lower is None else bisect_left(keys, lower)
            if place < len(keys) and (upper is None or keys[place] <= upper):
                return True
    except TypeError:
        return True
    return False


@lru_cache(maxsize=16)
def _member_keys(call: Call) -> list[_Key] | None:
    """The constants of a list in order, found once for all parts of a table; None where one has no place in it."""
    values = pc.drop_null(dict(call.options)["values"])
    if is_integer(values.type) or values.type in (STRING, DATE, BOOL):
        return [(0, value) for value in sorted(values.to_pylist())]
    keys = [scalar_order_key(value) for value in values]
    known = sorted([key for key in keys if key is not None])
    return known if len(known) == len(keys) else None


def _of_start(call: Call, value: _Range) -> _Truth:
    """Whether texts between two bounds may start with a text, or match a pattern that starts with one."""
    constants: list[Any] = [arg.value.as_py() if isinstance(arg, Literal) else None for arg in call.args[1:]]
    if not all(isinstance(constant, str) for constant in constants):
        return _ANY_TRUTH
    start: str
    if call.function == "starts_with":
        start, is_all = constants[0], True
    else:
        first = (like_parts(*constants) or ("",))[0]
        start, is_all = first if isinstance(first, str) else "", False
    size = len(start)
    lower, upper = value.lower, value.upper
    true = (upper is None or upper[1] >= start) and (lower is None or lower[1][:size] <= start)
    # What lies between two texts of one start has that start.
    inside = lower is not None and upper is not None and lower[1][:size] == start == upper[1][:size]
    return _Truth(true=value.valid and true, false=value.valid and not (is_all and inside), null=value.null)


def _of_first_characters(call: Call, value: _Possible) -> _Possible:
    """The first characters of a text never fall as the text grows."""
    numbers = [arg.value.as_py() if isinstance(arg, Literal) else None for arg in call.args[1:]]
    begin = 1 if call.function == "substr" else 0
    if len(numbers) != 2 or numbers[0] != begin or not isinstance(numbers[1], int) or numbers[1] < 0:
        return _ANY_VALUE
    if isinstance(value, _Truth) or call.args[0].dtype != STRING:
        return _ANY_VALUE
    lower, upper = (None if b is None else (b[0], b[1][: numbers[1]]) for b in (value.lower, value.upper))
    return _Range(lower, upper, value.null, value.valid)


def _of_cast(cast: Cast, value: _Possible) -> _Possible:
    """The range after a conversion that keeps the order of values; where values may not fit, anything is possible."""
    source, target = cast.arg.dtype, cast.to
    if isinstance(value, _Truth) or value.lower is None or value.upper is None:
        return _unknown(cast)
    if source == DATE and is_timestamp(target) and target.tz is None:
        lower, upper = _midnight(value.lower), _midnight(value.upper)
        return _Range(lower, upper, value.null, value.valid)
    if is_timestamp(source) and is_timestamp(target) and source.tz is not None and target.tz is not None:
        return value if _finer(target.unit, source.unit) else _ANY_VALUE
    if is_timestamp(source) and is_timestamp(target) and source.tz == target.tz:
        return value if _finer(target.unit, source.unit) else _ANY_VALUE
    if is_integer(source) and (is_integer(target) or is_decimal(target)):
        return value if not cast.lenient else _ANY_VALUE
    if is_integer(source) and target == pa.float64():
        lower, upper = (0, float(value.lower[1])), (0, float(value.upper[1]))
        return _Range(lower, upper, value.null, value.valid)
    if source == pa.float32() and target == pa.float64():
        return value
    return _unknown(cast)


def _midnight(key: _Key) -> _Key:
    day = key[1]
    return (0, (day - _EPOCH.date()).days * 86_400 * 10**9)


def _finer(unit: str, than: str) -> bool:
    order = ("s", "ms", "us", "ns")
    return order.index(unit) >= order.index(than)
