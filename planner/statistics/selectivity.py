"""Which share of rows a predicate keeps."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from typing import Any

from lazyframe.planner.algebra.points import MIRRORED
from lazyframe.planner.scalars import Call, Column, Literal, Parameter, Scalar, conjunction, conjuncts
from lazyframe.planner.sources import ColumnStatistics, Sample, Statistics

EQUALITY = 0.1
RANGE = 0.3
OTHER = 0.25
"""What is guessed where nothing is known: the share of rows that an equality, a range or another condition keeps."""

_RARE = 1e-4
"""What keeps no row of a sample keeps at most about this share."""

_EQUALITIES = {"equal", "equal_missing"}
_CONSTANTS = (Literal, Parameter)
_RANGES = {"less", "less_equal", "greater", "greater_equal"}

_UNKNOWN = Statistics()


def selectivity(predicate: Scalar, statistics: Statistics = _UNKNOWN, sample: Sample | None = None) -> float:
    """About which share of rows a predicate keeps.

    Args:
        predicate: a condition over the columns of a table.
        statistics: what is known of the table.
        sample: some rows of it, on which all parts are measured together, so that it does not matter how far they depend on
            each other. Only ranges of a column by which the table is clustered are better guessed from its bounds.
    """
    parts = conjuncts(predicate)
    kept = 1.0
    if sample is not None:
        guessed = [part for part in parts if _is_clustered(part, statistics, sample)]
        measured = [part for part in parts if part not in guessed] if guessed else parts
        if measured:
            kept = _measured(measured, statistics, sample)
        parts = guessed
    for part in parts:
        kept *= _share(part, statistics, sample)
    return kept


def _measured(parts: list[Scalar], statistics: Statistics, sample: Sample) -> float:
    together = conjunction(parts)
    assert together is not None
    share = sample.share(together)
    if share:
        return share
    # No row of the sample is kept: what is rare, or cannot be measured, is guessed part by part.
    shares = []
    for part in parts:
        alone = sample.share(part)
        shares.append(alone or (_share(part, statistics) if alone is None else min(_share(part, statistics), _RARE)))
    product = math.prod(shares)
    return min(product, _RARE) if share == 0 else product


def _is_clustered(part: Scalar, statistics: Statistics, sample: Sample) -> bool:
    """Whether it is about the values of a column by which the table is clustered, so that the sample tells little of it."""
    match part:
        case Call(function=function, args=(Column(name=name), Literal()) | (Literal(), Column(name=name))):
            known = function in _EQUALITIES
            if function in _RANGES:
                column = statistics.columns.get(name)
                known = column is not None and column.minimum is not None
            return known and sample.is_clustered(name)
        case Call(function="is_in", args=(Column(name=name),)):
            return sample.is_clustered(name)
    return False


def _share(part: Scalar, statistics: Statistics, sample: Sample | None = None) -> float:
    match part:
        case Literal(value=value):
            return 1.0 if value.as_py() is True else 0.0
        case Call(function="not", args=(Call() as inner,)) if inner.function not in ("and", "or", "not"):
            return 1.0 - _share(inner, statistics)
        case Call(function="or", args=args):
            # Nothing is known of how far the two overlap; a long chain of them leans to one side.
            shares = [
                0.5 if isinstance(a, Call) and a.function in ("and", "or") else _share(a, statistics) for a in args
            ]
            return min(1.0, sum(shares))
        case Call(function="is_null", args=(Column(name=name),)):
            return _null_share(name, statistics)
        case Call(function="is_not_null", args=(Column(name=name),)):
            return 1.0 - _null_share(name, statistics)
        case Call(function="is_in", args=(arg,)):
            values = len(dict(part.options)["values"])
            return min(1.0, values * _share_of_equal(arg, statistics, sample))
        case Call(function="equal" | "equal_missing", args=args):
            return _share_of_equal(args[0] if isinstance(args[1], _CONSTANTS) else args[1], statistics, sample)
        case Call(function="not_equal" | "not_equal_missing", args=args):
            return 1.0 - _share_of_equal(args[0] if isinstance(args[1], _CONSTANTS) else args[1], statistics)
        case Call(function=function, args=(Column(name=name), Literal(value=value))) if function in _RANGES:
            return _share_of_range(function, statistics.columns.get(name), value.as_py())
        case Call(function=function, args=(Literal(value=value), Column(name=name))) if function in _RANGES:
            return _share_of_range(MIRRORED[function], statistics.columns.get(name), value.as_py())
        case Call(function=function) if function in _RANGES:
            return RANGE
    return OTHER


def _null_share(name: str, statistics: Statistics) -> float:
    column = statistics.columns.get(name)
    if column is None or column.nulls is None or not statistics.rows:
        return EQUALITY
    return min(1.0, column.nulls / statistics.rows)


def _share_of_equal(arg: Scalar, statistics: Statistics, sample: Sample | None = None) -> float:
    column = statistics.columns.get(arg.name) if isinstance(arg, Column) else None
    if column is not None and column.distinct:
        return 1.0 / column.distinct
    values = sample.distinct(arg.name) if sample is not None and isinstance(arg, Column) else None
    return 1.0 / values if values else EQUALITY


def _share_of_range(function: str, column: ColumnStatistics | None, value: Any) -> float:
    """Where the value lies between the least and the greatest, as if all between were equally frequent."""
    if column is None:
        return RANGE
    low, high, at = _position(column.minimum), _position(column.maximum), _position(value)
    if low is None or high is None or at is None:
        return RANGE
    if high <= low:
        below = 0.0 if at < low or (at == low and function in ("less", "greater_equal")) else 1.0
    else:
        below = min(max((at - low) / (high - low), 0.0), 1.0)
    return below if function in ("less", "less_equal") else 1.0 - below


def _position(value: object) -> float | None:
    """A number or an instant as a point on a line."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float, decimal.Decimal)):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=None) - dt.datetime(1970, 1, 1)).total_seconds()  # noqa: DTZ001
    if isinstance(value, dt.date):
        return float(value.toordinal() - dt.date(1970, 1, 1).toordinal()) * 86_400
    return None


__all__ = ["EQUALITY", "OTHER", "RANGE", "selectivity"]
