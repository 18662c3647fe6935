"""Asof joins: values of two sides brought to one type, and tolerances read as distances of it."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Sequence
from typing import TypeAlias

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.bind import ZONE_HINT
from lazyframe.planner.build.joins import key_of_side, right_names
from lazyframe.planner.build.projection import refuse_aggregates
from lazyframe.planner.errors import DuplicateColumnError, InvalidArgumentError, TypeMismatchError
from lazyframe.planner.functions.spans import parse_span
from lazyframe.planner.relations import AsofJoin, Plan, Project
from lazyframe.planner.relations.project import column, renamed
from lazyframe.planner.scalars import Column, Scalar, cast, rename_columns
from lazyframe.planner.types import (
    DataType,
    common_type,
    is_date,
    is_decimal,
    is_float,
    is_integer,
    is_nested,
    is_numeric,
    is_orderable,
    is_temporal,
    is_timestamp,
    rounds,
    type_name,
)
from lazyframe.planner.unbound import Unbound

Tolerance: TypeAlias = int | float | decimal.Decimal | dt.timedelta | str | None

_DAY = 86_400 * 10**9
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def asof_join(
    left: Plan,
    right: Plan,
    on: tuple[Scalar, Scalar],
    by: Sequence[tuple[Scalar, Scalar]] = (),
    *,
    strategy: str = "backward",
    strict: bool = False,
    tolerance: Tolerance = None,
    kind: str = "left",
) -> AsofJoin:
    """An asof join of two plans that share no column name, over scalars that are bound to them.

    Args:
        left, right: the two sides.
        on: the values that are compared, of the left and the right side.
        by: pairs of values that must be equal.
        strategy: `backward`, `forward` or `nearest`.
        strict: whether equal values do not count.
        tolerance: the greatest distance that counts; of points in time a span such as `"5m"`, or a timedelta.
        kind: `left` or `inner`.

    Raises:
        TypeMismatchError: where values cannot be compared, or have no distance where one is asked for.
        InvalidArgumentError: where the tolerance is no distance.
    """
    left_on, right_on = _of_one_type(*on)
    if is_nested(left_on.dtype) or not is_orderable(left_on.dtype):
        raise TypeMismatchError(
            f"an asof join searches in the order of {left_on!r}, and {type_name(left_on.dtype)} has none to search in"
        )
    if (strategy == "nearest" or tolerance is not None) and not _has_distance(left_on.dtype):
        what = "a tolerance needs" if tolerance is not None else "the nearest value is found by"
        raise TypeMismatchError(
            f"{what} distances, and values of type {type_name(left_on.dtype)} have none",
            hint="use strategy='backward' or 'forward' and no tolerance",
        )
    pairs = [_of_one_type(a, b) for a, b in by]
    return AsofJoin(
        left,
        right,
        left_on,
        right_on,
        tuple([a for a, _ in pairs]),
        tuple([b for _, b in pairs]),
        strategy,
        strict,
        None if tolerance is None else _distance(tolerance, left_on.dtype),
        kind,
    )


def asof_joined(
    left: Plan,
    right: Plan,
    on: tuple[Unbound, Unbound],
    by: Sequence[tuple[Unbound, Unbound]],
    *,
    strategy: str,
    strict: bool,
    tolerance: Tolerance,
    suffix: str,
) -> Plan:
    """An asof join as a user writes it.

    The right side's `by` columns are left out, as is its `on` column where both are columns of one name; other columns
    whose name is taken get `suffix`.
    """
    inner, outer = right_names(left.schema, right.schema, suffix)
    bound = []
    for a, b in (on, *by):
        x, y = key_of_side(a, left.schema, "left"), key_of_side(b, right.schema, "right")
        for key in (x, y):
            refuse_aggregates(key, "join by")
        bound.append((x, y))
    dropped = {y.name for _, y in bound[1:] if isinstance(y, Column)}
    match bound[0]:
        case Column(name=left_name), Column(name=right_name) if left_name == right_name:
            dropped.add(right_name)
    pairs = [(x, rename_columns(y, inner)) for x, y in bound]
    join = asof_join(
        left, renamed(right, inner), pairs[0], pairs[1:], strategy=strategy, strict=strict, tolerance=tolerance
    )
    exprs: list[tuple[str, Scalar]] = [(name, column(join.schema, name)) for name in left.schema.names]
    taken = set(left.schema.names)
    for name in right.schema.names:
        if name in dropped:
            continue
        if outer[name] in taken:
            raise DuplicateColumnError(
                f"two columns would be named {outer[name]!r}",
                hint="give another suffix=, or rename columns before the join",
            )
        taken.add(outer[name])
        exprs.append((outer[name], column(join.schema, inner[name])))
    return Project(join, tuple(exprs))


def _of_one_type(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    wanted = common_type(a.dtype, b.dtype)
    if wanted is None or rounds(a.dtype, b.dtype):
        zones = is_timestamp(a.dtype) and is_timestamp(b.dtype)
        why = "have nothing in common" if wanted is None else "have no type that holds both exactly"
        raise TypeMismatchError(
            f"{a!r} and {b!r} are {type_name(a.dtype)} and {type_name(b.dtype)}, which {why}",
            hint=ZONE_HINT if zones else "cast one of them",
        )
    return cast(a, wanted), cast(b, wanted)


def _has_distance(dtype: DataType) -> bool:
    return is_numeric(dtype) or is_temporal(dtype)


def _distance(tolerance: Tolerance, dtype: DataType) -> pa.Scalar:
    """A tolerance as a distance of values of `dtype`: what is finer than their unit is cut off, as no distance is."""
    wanted = _number(tolerance, dtype)
    if wanted is None:
        kind = "a span such as '5m', or a timedelta" if is_temporal(dtype) else f"a number like {type_name(dtype)}"
        raise InvalidArgumentError(f"a tolerance for values of type {type_name(dtype)} is {kind}, not {tolerance!r}")
    if math.isnan(wanted) or wanted < 0:
        raise InvalidArgumentError(f"a tolerance is a distance, and no distance is {tolerance!r}")
    try:
        if is_float(dtype):
            return arrow.scalar(float(wanted), pa.float64())
        if is_decimal(dtype):
            exact = decimal.Context(prec=100).scaleb(decimal.Decimal(int(wanted)), -dtype.scale)
            return arrow.scalar(exact, pa.decimal128(38, dtype.scale))
        if is_integer(dtype):
            return arrow.scalar(int(wanted), pa.uint64())
        return arrow.scalar(int(wanted), pa.duration("s" if is_date(dtype) else dtype.unit))
    except (OverflowError, pa.ArrowInvalid):
        raise InvalidArgumentError(
            f"{tolerance!r} is more than values of type {type_name(dtype)} can be apart"
        ) from None


def _number(tolerance: Tolerance, dtype: DataType) -> int | float | None:
    """The tolerance in the unit in which it is kept; None where it is of the wrong kind."""
    if isinstance(tolerance, bool):
        return None
    if is_temporal(dtype):
        if not isinstance(tolerance, (str, dt.timedelta)):
            return None
        span = parse_span(tolerance)
        if span.months:
            raise InvalidArgumentError(
                f"{tolerance!r} is no distance: months are of unlike length", hint="write days, such as '30d'"
            )
        nanos = span.days * _DAY + span.nanos
        return nanos // _DAY * 86_400 if is_date(dtype) else nanos // _UNITS[dtype.unit]
    if is_float(dtype):
        return float(tolerance) if isinstance(tolerance, (int, float, decimal.Decimal)) else None
    if is_decimal(dtype) and isinstance(tolerance, (int, decimal.Decimal)):
        number = decimal.Decimal(tolerance)
        if not number.is_finite():
            return math.nan
        return math.floor(decimal.Context(prec=100).scaleb(number, dtype.scale))
    return tolerance if isinstance(tolerance, int) else None


__all__ = ["Tolerance", "asof_join", "asof_joined"]
