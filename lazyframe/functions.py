"""Functions that make expressions: columns, constants, conditions, and aggregates by name."""

from __future__ import annotations

import builtins
import itertools
import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from lazyframe.boundary import public
from lazyframe.checks import wanted_type
from lazyframe.expr import Expr, IntoExpr, When, all_of, balanced, call, column_node
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.selection import ByName, ByPattern, ByType, Combined, Everything
from lazyframe.planner.unbound import Aggregated, Constant, Grouping, Many, Ordered, Ref


@public
def col(name: Any, *more: Any) -> Expr:
    """A column, or several.

    Args:
        name: a name; a regular expression that starts with `^` and ends with `$`; `"*"` for all; or a type.
        more: further names or types.

    Example:
        >>> df = lf.from_dict({"a": [1], "b": [2.0]})
        >>> df.select(lf.col("a"), lf.col("^b.*$") * 2).to_dicts()
        [{'a': 1, 'b': 4.0}]
    """
    if isinstance(name, str) and not more:
        if name == "*":
            return Expr(Many(Everything()))
        if name.startswith("^") and name.endswith("$"):
            return Expr(Many(ByPattern(checked_pattern(name))))
        return Expr(Ref(name))
    wanted = [*name, *more] if isinstance(name, (list, tuple)) else [name, *more]
    if builtins.all(isinstance(item, str) for item in wanted):
        return Expr(Many(ByName(tuple(wanted))))
    if any(isinstance(item, str) for item in wanted) or not wanted:
        raise InvalidArgumentError("col() takes names or types, not both", hint="combine selectors with | instead")
    return Expr(Many(ByType(tuple([wanted_type(item) for item in wanted]))))


def checked_pattern(pattern: str) -> str:
    """The regular expression, which must be one."""
    try:
        re.compile(pattern)
    except (re.error, TypeError) as error:
        raise InvalidArgumentError(f"{pattern!r} is no regular expression: {error}") from None
    return pattern


@public
def lit(value: Any, dtype: Any = None) -> Expr:
    """A constant.

    Args:
        value: a Python value.
        dtype: its type; by default the one that suits the value and what it meets.

    Example:
        >>> lf.from_dict({"x": [1]}).select("x", lf.lit("a").alias("y")).to_dicts()
        [{'x': 1, 'y': 'a'}]
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, pa.Scalar):
        return Expr(Constant(value, value.type if dtype is None else wanted_type(dtype)))
    return Expr(Constant(value, None if dtype is None else wanted_type(dtype)))


@public
def when(*predicates: IntoExpr) -> When:
    """A choice between values: `when(condition).then(value)`, more of them, and `otherwise(value)`.

    Example:
        >>> df = lf.from_dict({"x": [-1, 1]})
        >>> df.select(lf.when(lf.col("x") < 0).then(lf.lit("neg")).otherwise(lf.lit("pos")).alias("s")).to_dicts()
        [{'s': 'neg'}, {'s': 'pos'}]
    """
    return When([Expr(all_of([column_node(p) for p in predicates]))], [])


def _columns(values: Iterable[Any]) -> list[Expr]:
    """What several values stand for, given one by one or in a list; a string is the name of a column."""
    found: list[Expr] = []
    for value in values:
        found.extend([Expr(column_node(v)) for v in (value if isinstance(value, (list, tuple)) else [value])])
    return found


@public
def coalesce(*values: IntoExpr) -> Expr:
    """The first of the values that is not null. A string is the name of a column.

    Example:
        >>> lf.from_dict({"a": [None, 1], "b": [2, 3]}).select(lf.coalesce("a", "b").alias("c")).to_dicts()
        [{'c': 2}, {'c': 1}]
    """
    return call("coalesce", *_columns(values))


@public
def min_horizontal(*values: IntoExpr) -> Expr:
    """The least of several values in a row; nulls are left out. A string is the name of a column."""
    return call("least", *_columns(values))


@public
def max_horizontal(*values: IntoExpr) -> Expr:
    """The greatest of several values in a row; nulls are left out. A string is the name of a column."""
    return call("greatest", *_columns(values))


@public
def all_horizontal(*values: IntoExpr) -> Expr:
    """Whether all of several conditions are true in a row. A string is the name of a column."""
    return Expr(all_of([v._node for v in _columns(values)]))


@public
def any_horizontal(*values: IntoExpr) -> Expr:
    """Whether any of several conditions is true in a row. A string is the name of a column."""
    return Expr(balanced("or", [v._node for v in _columns(values)]))


@public
def concat_str(*values: IntoExpr, separator: str = "") -> Expr:
    """Several strings put together; null where one is. A string is the name of a column.

    Example:
        >>> lf.from_dict({"a": ["x"], "b": ["y"]}).select(lf.concat_str("a", "b", separator="-").alias("c")).to_dicts()
        [{'c': 'x-y'}]
    """
    parts: list[IntoExpr] = []
    for value in _columns(values):
        if parts and separator:
            parts.append(separator)
        parts.append(value)
    return call("concat_strings", *parts)


@public
def struct(*values: IntoExpr, **named: IntoExpr) -> Expr:
    """Several values as one struct, under the names of the columns. A string is the name of a column."""
    from lazyframe.planner.unbound import Named, output_name

    nodes = [v._node for v in _columns(values)] + [Named(column_node(v), k) for k, v in named.items()]
    return call("make_struct", *[Expr(n) for n in nodes], names=tuple(output_name(n) for n in nodes))


@public
def all(*columns: str) -> Expr:
    """All columns; or whether all values of the columns named are true.

    Example:
        >>> lf.from_dict({"a": [1, 2], "b": [3, 4]}).select(lf.all().sum()).to_dicts()
        [{'a': 3, 'b': 7}]
    """
    return _aggregate("all", columns) if columns else Expr(Many(Everything()))


@public
def exclude(column: Any, *more: Any) -> Expr:
    """All columns but these.

    Args:
        column: a name, pattern or type, as `col` takes it.
        more: further names or types.

    Example:
        >>> lf.from_dict({"a": [1], "b": [3]}).select(lf.exclude("a")).columns
        ['b']
    """
    node = col(column, *more)._node
    if isinstance(node, Ref):
        node = Many(ByName((node.name,)))
    assert isinstance(node, Many)
    return Expr(Many(Combined("-", Everything(), node.selection)))


@public
def len() -> Expr:
    """The number of rows.

    Example:
        >>> lf.from_dict({"x": [1, None]}).select(lf.len()).to_dicts()
        [{'len': 2}]
    """
    return Expr(Aggregated("len", ()))


@public
def desc(key: IntoExpr, *, nulls_first: bool = False) -> Expr:
    """A sort key from the greatest to the least.

    Example:
        >>> lf.from_dict({"x": [1, 2]}).sort(lf.desc("x")).to_dicts()
        [{'x': 2}, {'x': 1}]
    """
    return Expr(Ordered(column_node(key), True, nulls_first))


@public
def asc(key: IntoExpr, *, nulls_first: bool = False) -> Expr:
    """A sort key from the least to the greatest."""
    return Expr(Ordered(column_node(key), False, nulls_first))


@public
def now() -> Expr:
    """The current time in UTC: the same for the whole query, taken when the expression is written."""
    import datetime

    return Expr(Constant(datetime.datetime.now(datetime.UTC), pa.timestamp("us", "UTC")))


_draws = itertools.count(1)


@public
def random() -> Expr:
    """A number in [0, 1), another for each row and each time the query runs. Two calls give two different numbers."""
    return call("random", instance=next(_draws))


@public
def grouping(*keys: IntoExpr) -> Expr:
    """Which keys are left out in a row of `rollup`, `cube` or `grouping_sets`: a bit for each, the first the highest.

    It tells a null that stands for all groups from a null among the values, as SQL's GROUPING() does.

    Args:
        keys: keys of the grouping.

    Example:
        >>> df = lf.from_dict({"k": ["a", None], "x": [1, 2]})
        >>> df.rollup("k").agg(lf.col("x").sum(), left_out=lf.grouping("k")).to_dicts()
        [{'k': 'a', 'x': 1, 'left_out': 0}, {'k': None, 'x': 2, 'left_out': 0}, {'k': None, 'x': 3, 'left_out': 1}]
    """
    if not keys:
        raise InvalidArgumentError("grouping() takes keys of the grouping")
    return Expr(Grouping(tuple([column_node(key) for key in keys])))


def _aggregate(function: str, columns: tuple[str, ...], **options: Any) -> Expr:
    if not columns:
        raise InvalidArgumentError(f"{function}() takes the names of columns")
    base = col(*columns)
    return getattr(base, function)(**options)


@public
def sum(*columns: str) -> Expr:
    """The sum of a column: `lf.sum("x")` is `lf.col("x").sum()`."""
    return _aggregate("sum", columns)


@public
def mean(*columns: str) -> Expr:
    """The mean of a column."""
    return _aggregate("mean", columns)


@public
def min(*columns: str) -> Expr:
    """The least value of a column."""
    return _aggregate("min", columns)


@public
def max(*columns: str) -> Expr:
    """The greatest value of a column."""
    return _aggregate("max", columns)


@public
def count(*columns: str) -> Expr:
    """How many values of a column are not null; the number of rows where no column is named."""
    return _aggregate("count", columns) if columns else Expr(Aggregated("len", ()))


@public
def first(*columns: str) -> Expr:
    """The first value of a column."""
    return _aggregate("first", columns)


@public
def last(*columns: str) -> Expr:
    """The last value of a column."""
    return _aggregate("last", columns)


@public
def n_unique(*columns: str) -> Expr:
    """How many different values a column has."""
    return _aggregate("n_unique", columns)


@public
def median(*columns: str) -> Expr:
    """The median of a column."""
    return _aggregate("median", columns)


@public
def product(*columns: str) -> Expr:
    """The product of a column."""
    return _aggregate("product", columns)


@public
def std(*columns: str, ddof: int = 1) -> Expr:
    """The standard deviation of a column. For `ddof` see `Expr.std`."""
    return _aggregate("std", columns, ddof=ddof)


@public
def var(*columns: str, ddof: int = 1) -> Expr:
    """The variance of a column. For `ddof` see `Expr.std`."""
    return _aggregate("var", columns, ddof=ddof)


@public
def quantile(column: str, q: float, interpolation: str = "linear") -> Expr:
    """A quantile of a column. For the arguments see `Expr.quantile`."""
    return col(column).quantile(q, interpolation)


@public
def corr(a: IntoExpr, b: IntoExpr) -> Expr:
    """The correlation of two columns."""
    return Expr(column_node(a)).corr(b)


@public
def date(year: IntoExpr, month: IntoExpr, day: IntoExpr) -> Expr:
    """A date from its year, month and day. A string is the name of a column."""
    return call("make_date", *[Expr(column_node(v)) for v in (year, month, day)])


@public
def duration(
    *, weeks: int = 0, days: int = 0, hours: int = 0, minutes: int = 0, seconds: float = 0, milliseconds: int = 0,
    microseconds: int = 0,
) -> Expr:  # fmt: skip
    """A constant length of time.

    Example:
        >>> import datetime
        >>> df = lf.from_dict({"t": [datetime.datetime(2024, 1, 1)]})
        >>> df.select(lf.col("t") + lf.duration(hours=1)).to_dicts()
        [{'t': datetime.datetime(2024, 1, 1, 1, 0)}]
    """
    import datetime

    length = datetime.timedelta(
        weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds, milliseconds=milliseconds,
        microseconds=microseconds,
    )  # fmt: skip
    return Expr(Constant(length))


@public
def interval(
    *,
    years: int = 0,
    months: int = 0,
    weeks: int = 0,
    days: int = 0,
    hours: int = 0,
    minutes: int = 0,
    seconds: int = 0,
) -> Expr:
    """A constant step of the calendar: months and years clamp to the end of a month.

    Example:
        >>> import datetime
        >>> df = lf.from_dict({"d": [datetime.date(2024, 1, 31)]})
        >>> df.select(lf.col("d") + lf.interval(months=1)).to_dicts()
        [{'d': datetime.date(2024, 2, 29)}]
    """
    nanoseconds = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000
    value = pa.scalar(
        pa.MonthDayNano([years * 12 + months, weeks * 7 + days, nanoseconds]), pa.month_day_nano_interval()
    )
    return Expr(Constant(value, value.type))
