"""Comparison by value, in one total order."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.planner.functions.definition import Function, Options, Signature, Types, all_common, by_name
from lazyframe.planner.types import BOOL, DATE, common_type, is_numeric, is_orderable, is_timestamp


def _comparable(types: Types, options: Options) -> Signature | None:
    """Two values of one type, or two numbers of different kinds: those are compared exactly, without a common type; a decimal
    meets a float as the nearest float.
    """
    a, b = types
    if is_numeric(a) and is_numeric(b):
        return Signature(types, BOOL)
    if (a == DATE and is_timestamp(b)) or (is_timestamp(a) and b == DATE):
        # A date compares as its midnight.
        stamp = a if is_timestamp(a) else b
        midnight = pa.timestamp(stamp.unit, stamp.tz)
        return Signature((midnight, midnight), BOOL)
    common = common_type(a, b)
    return None if common is None or not is_orderable(common) else Signature((common, common), BOOL)


def _member(types: Types, options: Options) -> Signature | None:
    """The type of the `values` option is the binder's care."""
    return Signature(types, BOOL)


def _comparison(name: str, symbol: str, summary: str) -> Function:
    return Function(name=name, resolver=_comparable, arity=(2, 2), literals="text", symbol=symbol, summary=summary)


FUNCTIONS = by_name(
    _comparison("equal", "==", "Whether both are the same value; NaN is NaN, -0.0 is 0.0."),
    _comparison("not_equal", "!=", "Whether they are different values."),
    _comparison("less", "<", "Whether the first is before the second."),
    _comparison("less_equal", "<=", "Whether the first is not after the second."),
    _comparison("greater", ">", "Whether the first is after the second; NaN is after all numbers."),
    _comparison("greater_equal", ">=", "Whether the first is not before the second."),
    Function(
        name="equal_missing", resolver=_comparable, arity=(2, 2), nulls="never", literals="text", symbol="<=>",
        summary="As equal, where null is equal to null alone.",
    ),
    Function(
        name="not_equal_missing", resolver=_comparable, arity=(2, 2), nulls="never", literals="text", symbol="<!>",
        summary="As not equal, where null differs from everything but null.",
    ),
    Function(
        name="is_in", resolver=_member, arity=(1, 1), nulls="maybe",
        summary="Whether the value is one of the option `values`, an Arrow array of its type; null where undecided.",
    ),
    Function(
        name="least", resolver=all_common(test=is_orderable), arity=(1, None), nulls="all", literals="others", sql=("least",),
        summary="The smallest of the arguments that are not null.",
    ),
    Function(
        name="greatest", resolver=all_common(test=is_orderable), arity=(1, None), nulls="all", literals="others",
        sql=("greatest",), summary="The greatest of the arguments that are not null; NaN is greater than all numbers.",
    ),
)  # fmt: skip
