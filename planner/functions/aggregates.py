"""Aggregate functions: from the rows of a group to one value.

Nulls are left out unless a summary says otherwise; over no rows (or nothing but nulls) counts are 0 and all else is null.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.functions.definition import (
    AggregateFunction,
    Options,
    Resolver,
    Signature,
    Types,
    anything,
    fixed,
    same,
)
from lazyframe.planner.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    MAX_DECIMAL_DIGITS,
    STRING,
    UINT64,
    DataType,
    decimal_type,
    is_bool,
    is_date,
    is_decimal,
    is_duration,
    is_integer,
    is_null,
    is_numeric,
    is_orderable,
    is_timestamp,
    is_unsigned,
)

INTERPOLATIONS = ("linear", "lower", "higher", "nearest", "midpoint", "discrete")
"""How a quantile between two values is found. `discrete` is SQL's PERCENTILE_DISC: the first value whose cumulative share is
at least q."""

BIN = pa.struct([pa.field("lower", FLOAT64), pa.field("upper", FLOAT64), pa.field("count", INT64)])
"""One bin of a histogram. It holds lower <= x < upper; the last bin holds its upper bound too."""

_INSTANT = pa.timestamp("us")


def _from_type(result: Callable[[DataType], DataType]) -> Resolver:
    """One argument of any type, which `result` makes the type of the value."""

    def resolve(types: Types, options: Options) -> Signature | None:
        return Signature(types, result(types[0]))

    return resolve


def _sum(types: Types, options: Options) -> Signature | None:
    """Wide enough for what a column usually adds up to; a float32 adds up as float64."""
    (t,) = types
    if is_null(t):
        return Signature((INT64,), INT64)
    if is_bool(t):
        return Signature(types, INT64)
    if is_integer(t):
        return Signature(types, UINT64 if is_unsigned(t) else INT64)
    if is_decimal(t):
        return Signature(types, decimal_type(MAX_DECIMAL_DIGITS, t.scale))
    if is_duration(t):
        return Signature(types, t)
    return Signature(types, FLOAT64) if is_numeric(t) else None


def mean_of_decimals(t: DataType) -> DataType:
    """Ten places more than the values have, or as many as 38 digits leave, but four at least."""
    room = MAX_DECIMAL_DIGITS - (t.precision - t.scale)
    return decimal_type(MAX_DECIMAL_DIGITS, max(t.scale + 4, min(t.scale + 10, room)))


def _mean(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if is_null(t):
        return Signature((FLOAT64,), FLOAT64)
    if is_decimal(t):
        return Signature(types, mean_of_decimals(t))
    if is_date(t):
        return Signature((_INSTANT,), _INSTANT)
    if is_duration(t) or is_timestamp(t):
        return Signature(types, t)
    return Signature(types, FLOAT64) if is_numeric(t) or is_bool(t) else None


def _product(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if is_integer(t):
        return Signature(types, UINT64 if is_unsigned(t) else INT64)
    return Signature((FLOAT64,), FLOAT64) if is_numeric(t) or is_null(t) else None


def _quantile(types: Types, options: Options) -> Signature | None:
    """Between values: a float, or an instant. Where one of the values is chosen: its type, whatever can be sorted."""
    q, interpolation = options.get("q", 0.5), options.get("interpolation", "linear")
    if not isinstance(q, (int, float)) or isinstance(q, bool) or not 0 <= q <= 1:
        raise InvalidArgumentError(f"q of a quantile is a number from 0 to 1, not {q!r}")
    if interpolation not in INTERPOLATIONS:
        raise InvalidArgumentError(f"interpolation is one of {', '.join(INTERPOLATIONS)}, not {interpolation!r}")
    (t,) = types
    if interpolation not in ("linear", "midpoint"):
        return Signature(types, t) if is_orderable(t) else None
    if is_date(t):
        return Signature((_INSTANT,), _INSTANT)
    if is_duration(t) or is_timestamp(t):
        return Signature(types, t)
    if is_null(t):
        return Signature((FLOAT64,), FLOAT64)
    if t == FLOAT32:
        return Signature(types, FLOAT32)
    return Signature(types, FLOAT64) if is_numeric(t) else None


def _histogram(types: Types, options: Options) -> Signature | None:
    bins = options.get("bins", 10)
    if isinstance(bins, tuple):
        increasing = all(a < b for a, b in pairwise(bins))
        if len(bins) < 2 or not all(isinstance(edge, (int, float)) for edge in bins) or not increasing:
            raise InvalidArgumentError("the edges of a histogram's bins are two or more increasing numbers")
    elif not isinstance(bins, int) or isinstance(bins, bool) or bins < 1:
        raise InvalidArgumentError(f"bins is how many there are or their edges, not {bins!r}")
    return fixed((FLOAT64,), pa.list_(pa.field("item", BIN)))(types, options)


def _value_by(types: Types, options: Options) -> Signature | None:
    value, by = types
    return Signature(types, value) if is_orderable(by) else None


def _string_agg(types: Types, options: Options) -> Signature | None:
    if not isinstance(options.get("separator", ","), str):
        raise InvalidArgumentError(f"a separator is a string, not {options['separator']!r}")
    return fixed((STRING,), STRING)(types, options)


def _moment(types: Types, options: Options) -> Signature | None:
    ddof = options.get("ddof", 1)
    if not isinstance(ddof, int) or isinstance(ddof, bool) or ddof < 0:
        raise InvalidArgumentError(f"ddof is a whole number of 0 or more, not {ddof!r}")
    return fixed((FLOAT64, FLOAT64), FLOAT64)(types, options)


def _entropy(types: Types, options: Options) -> Signature | None:
    base = options.get("base", 2.0)
    if not isinstance(base, (int, float)) or isinstance(base, bool) or base <= 0 or base == 1:
        raise InvalidArgumentError(f"the base of an entropy is a positive number other than 1, not {base!r}")
    return Signature(types, FLOAT64)


def _bits(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if is_null(t):
        return Signature((INT64,), INT64)
    return Signature(types, t) if is_integer(t) else None


def _boolean(types: Types, options: Options) -> Signature | None:
    return fixed((BOOL,), BOOL)(types, options)


def _define(name: str, resolver: Resolver, summary: str, *, arity: int = 1, **more: Any) -> AggregateFunction:
    return AggregateFunction(name=name, resolver=resolver, arity=(arity, arity), summary=summary, **more)


_whole = anything(INT64)
_itself = _from_type(lambda t: t)
_listed = _from_type(lambda t: pa.list_(pa.field("item", t)))

AGGREGATES: dict[str, AggregateFunction] = {
    f.name: f
    for f in (
        _define("len", _whole, "How many rows there are, nulls included.", arity=0, empty_is_null=False),
        _define("count", _whole, "How many values are not null.", empty_is_null=False, sql=("count",)),
        _define("n_unique", _whole, "How many different values there are; null is one of them.", empty_is_null=False),
        _define(
            "approx_n_unique", _whole, "About how many different values there are, within some 1.6 %.",
            empty_is_null=False, sql=("approx_count_distinct",),
        ),
        _define("sum", _sum, "The sum, exact for integers and decimals.", sql=("sum",)),
        _define("mean", _mean, "The sum divided by the count.", sql=("avg", "mean")),
        _define("product", _product, "The product, exact for integers.", sql=("product",)),
        _define("min", same(is_orderable), "The least value.", sql=("min",)),
        _define("max", same(is_orderable), "The greatest value; NaN is greater than all numbers.", sql=("max",)),
        _define("min_by", _value_by, "The first argument where the second is least.", arity=2, ordered=True),
        _define("max_by", _value_by, "The first argument where the second is greatest.", arity=2, ordered=True),
        _define("first", _itself, "The first value, null or not; the first not null with `ignore_nulls`.", ordered=True),
        _define("last", _itself, "The last value, null or not; the last not null with `ignore_nulls`.", ordered=True),
        _define("any", _boolean, "Whether some value is true.", sql=("bool_or",)),
        _define("all", _boolean, "Whether all values are true.", sql=("bool_and", "every")),
        _define("std", _moment, "The standard deviation, with `ddof` degrees of freedom taken off."),
        _define("var", _moment, "The variance, with `ddof` degrees of freedom taken off."),
        _define("skew", fixed((FLOAT64,), FLOAT64), "The skewness of the values; of the population they are a sample of with `bias=False`."),
        _define("kurtosis", fixed((FLOAT64,), FLOAT64), "The excess kurtosis; of the population the values are a sample of with `bias=False`."),
        _define("cov", _moment, "The covariance of two columns, with `ddof` taken off.", arity=2),
        _define("corr", fixed((FLOAT64, FLOAT64), FLOAT64), "Pearson's correlation.", arity=2, sql=("corr",)),
        _define("median", _quantile, "The middle value, or half-way between the two."),
        _define("quantile", _quantile, "The value below which a share `q` lies."),
        _define("mode", _itself, "The most frequent value; the first to appear of several.", ordered=True, sql=("mode",)),
        _define("entropy", _entropy, "Shannon's entropy of the distribution of the values, in units of `base`."),
        _define("histogram", _histogram, "How many values lie in each of some bins; of equal width unless edges are given."),
        _define("list", _listed, "All values in order, nulls included.", ordered=True, sql=("list", "array_agg")),
        _define("string_agg", _string_agg, "The strings joined, with `separator` between.", ordered=True),
        _define("bit_and", _bits, "The bits that are set in all values.", sql=("bit_and",)),
        _define("bit_or", _bits, "The bits that are set in some value.", sql=("bit_or",)),
        _define("bit_xor", _bits, "The bits that are set in an odd number of values.", sql=("bit_xor",)),
    )
}  # fmt: skip

SQL_FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "stddev": ("std", {}),
    "stddev_samp": ("std", {}),
    "stddev_pop": ("std", {"ddof": 0}),
    "variance": ("var", {}),
    "var_samp": ("var", {}),
    "var_pop": ("var", {"ddof": 0}),
    "covar_samp": ("cov", {}),
    "covar_pop": ("cov", {"ddof": 0}),
    "skewness": ("skew", {"bias": False}),
    "kurtosis": ("kurtosis", {"bias": False}),
    "kurtosis_pop": ("kurtosis", {}),
    "median": ("median", {}),
    "quantile_cont": ("quantile", {"interpolation": "linear"}),
    "percentile_cont": ("quantile", {"interpolation": "linear"}),
    "quantile_disc": ("quantile", {"interpolation": "discrete"}),
    "percentile_disc": ("quantile", {"interpolation": "discrete"}),
    "any_value": ("first", {"ignore_nulls": True}),
    "first": ("first", {}),
    "arbitrary": ("first", {}),
    "last": ("last", {}),
    "arg_min": ("min_by", {"ignore_nulls": True}),
    "min_by": ("min_by", {"ignore_nulls": True}),
    "arg_max": ("max_by", {"ignore_nulls": True}),
    "max_by": ("max_by", {"ignore_nulls": True}),
    "string_agg": ("string_agg", {}),
    "group_concat": ("string_agg", {}),
    "listagg": ("string_agg", {}),
    "entropy": ("entropy", {}),
    **{alias: (f.name, {}) for f in AGGREGATES.values() for alias in f.sql},
}
"""The aggregates of SQL: the function and the options each stands for. What SQL gives as a constant argument (a separator,
a q) is an option here; COUNT(*) is `len`, and COUNT(DISTINCT x) `count` with `distinct`."""
