"""Expressions: what is computed from the columns of a frame.

An `Expr` wraps a node of the graph that is not bound to a frame yet; a verb looks up its names and types. The operators
build larger expressions, so an expression has no truth value of its own.

This file is long because it is one class, most of whose methods are one step each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Self

from lazyframe.accessors import Accessors
from lazyframe.aggregates import Aggregates
from lazyframe.boundary import public
from lazyframe.checks import check_choice, check_name, flags, wanted_type
from lazyframe.differentiable import Differentiable
from lazyframe.eager import mode
from lazyframe.mathematics import Mathematics
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.graph import replace
from lazyframe.planner.nouns import with_article
from lazyframe.planner.site import ambient, capture
from lazyframe.planner.unbound import (
    Aggregated,
    Apply,
    Choose,
    Constant,
    Convert,
    Member,
    Named,
    Ordered,
    Ref,
    Restricted,
    Unbound,
    output_name,
)
from lazyframe.python_values import PythonValues
from lazyframe.recording import detached, recording
from lazyframe.windows import Windows

IntoExpr = Any
"""An `Expr`, or a Python value that stands for a constant."""


class Expr(Accessors, Mathematics, Aggregates, Windows, Differentiable, PythonValues):
    """An expression over the columns of a frame that is not known yet.

    Example:
        >>> (lf.col("distance") / lf.col("air_time") * 60).alias("speed")
        (col('distance') / col('air_time') * 60).alias('speed')
    """

    __slots__ = ("_node",)
    # A class that says what == is does not inherit it.
    __hash__ = PythonValues.__hash__

    def __init__(self, node: Unbound) -> None:
        self._node = node if recording.get() else detached(node)
        if mode.get() is not None:
            from lazyframe.eager_values import hold_value

            hold_value(self._node)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    # What builds nodes.

    def _apply(self, function: str, *args: IntoExpr, **options: Any) -> Expr:
        """A call of a scalar function with this expression as its first argument, written at the user's line."""
        return call(function, self, *args, **options)

    def _aggregate(self, function: str, *more: IntoExpr, order_by: Any = None, **options: Any) -> Expr:
        outer = _enter()
        try:
            arg, where = _restriction(self._node)
            order = () if order_by is None else tuple(order_keys(order_by))
            # Beside a column, a string is the name of another.
            args = (arg, *[column_node(m) for m in more])
            return Expr(Aggregated(function, args, where, order, False, tuple(options.items())))
        finally:
            ambient.site = outer

    @public
    def _count_rows(self) -> Expr:
        node, where = _restriction(self._node)
        return Expr(Named(Aggregated("len", (), where), output_name(node)))

    @public
    def __add__(self, other: IntoExpr) -> Expr:
        return call("add", self, other)

    @public
    def __radd__(self, other: IntoExpr) -> Expr:
        return call("add", other, self)

    @public
    def __sub__(self, other: IntoExpr) -> Expr:
        return call("subtract", self, other)

    @public
    def __rsub__(self, other: IntoExpr) -> Expr:
        return call("subtract", other, self)

    @public
    def __mul__(self, other: IntoExpr) -> Expr:
        return call("multiply", self, other)

    @public
    def __rmul__(self, other: IntoExpr) -> Expr:
        return call("multiply", other, self)

    @public
    def __truediv__(self, other: IntoExpr) -> Expr:
        return call("divide", self, other)

    @public
    def __rtruediv__(self, other: IntoExpr) -> Expr:
        return call("divide", other, self)

    @public
    def __floordiv__(self, other: IntoExpr) -> Expr:
        return call("floor_divide", self, other)

    @public
    def __rfloordiv__(self, other: IntoExpr) -> Expr:
        return call("floor_divide", other, self)

    @public
    def __mod__(self, other: IntoExpr) -> Expr:
        return call("modulo", self, other)

    @public
    def __rmod__(self, other: IntoExpr) -> Expr:
        return call("modulo", other, self)

    @public
    def __pow__(self, other: IntoExpr) -> Expr:
        return call("power", self, other)

    @public
    def __rpow__(self, other: IntoExpr) -> Expr:
        return call("power", other, self)

    def __neg__(self) -> Expr:
        return call("negate", self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return call("abs", self)

    @public
    def __eq__(self, other: IntoExpr) -> Expr:  # type: ignore[override]
        return call("equal", self, other)

    @public
    def __ne__(self, other: IntoExpr) -> Expr:  # type: ignore[override]
        return call("not_equal", self, other)

    @public
    def __lt__(self, other: IntoExpr) -> Expr:
        return call("less", self, other)

    @public
    def __le__(self, other: IntoExpr) -> Expr:
        return call("less_equal", self, other)

    @public
    def __gt__(self, other: IntoExpr) -> Expr:
        return call("greater", self, other)

    @public
    def __ge__(self, other: IntoExpr) -> Expr:
        return call("greater_equal", self, other)

    @public
    def __and__(self, other: IntoExpr) -> Expr:
        return call("and", self, other)

    @public
    def __rand__(self, other: IntoExpr) -> Expr:
        return call("and", other, self)

    @public
    def __or__(self, other: IntoExpr) -> Expr:
        return call("or", self, other)

    @public
    def __ror__(self, other: IntoExpr) -> Expr:
        return call("or", other, self)

    @public
    def __xor__(self, other: IntoExpr) -> Expr:
        return call("xor", self, other)

    @public
    def __rxor__(self, other: IntoExpr) -> Expr:
        return call("xor", other, self)

    def __invert__(self) -> Expr:
        return call("not", self)

    # Names and types.

    @public
    def alias(self, name: str) -> Expr:
        """The same values under another name.

        Args:
            name: the column's name.

        Example:
            >>> lf.from_dict({"x": [1]}).select((lf.col("x") + 1).alias("y")).to_dicts()
            [{'y': 2}]
        """
        return Expr(Named(self._node, check_name("a column", name)))

    @public
    def cast(self, dtype: Any, *, strict: bool = True) -> Expr:
        """The values as another type.

        Args:
            dtype: a pyarrow type, a Python type or a name such as `"decimal(15,2)"`.
            strict: whether a value that does not fit is an error; otherwise it becomes null.

        Raises:
            EvaluationError: when the query runs, for a value that does not fit.

        Example:
            >>> lf.from_dict({"x": ["1", "2"]}).select(lf.col("x").cast(int)).to_dicts()
            [{'x': 1}, {'x': 2}]
        """
        return Expr(Convert(self._node, wanted_type(dtype), not strict))

    def try_cast(self, dtype: Any) -> Expr:
        """The values as another type; null where a value does not fit.

        Example:
            >>> lf.from_dict({"x": ["1", "one"]}).select(lf.col("x").try_cast(int)).to_dicts()
            [{'x': 1}, {'x': None}]
        """
        return self.cast(dtype, strict=False)

    # Nulls, membership, choice.

    def is_null(self) -> Expr:
        """Whether the value is null."""
        return call("is_null", self)

    def is_not_null(self) -> Expr:
        """Whether there is a value."""
        return call("is_not_null", self)

    def eq_missing(self, other: IntoExpr) -> Expr:
        """Whether both are equal, where null equals null. Never null.

        Example:
            >>> lf.from_dict({"x": [1, None]}).select(lf.col("x").eq_missing(None)).to_dicts()
            [{'x': False}, {'x': True}]
        """
        return call("equal_missing", self, other)

    def ne_missing(self, other: IntoExpr) -> Expr:
        """Whether both differ, where null equals null. Never null."""
        return call("not_equal_missing", self, other)

    @public
    def is_in(self, values: Collection[Any]) -> Expr:
        """Whether the value is one of `values`, as SQL's IN: null where the value is null, or where it is not found and
        `values` holds a null.

        Args:
            values: constants, or expressions that are constants: parameters (`lf.param`).

        Example:
            >>> lf.from_dict({"x": [1, 2]}).filter(lf.col("x").is_in([2, 3])).to_dicts()
            [{'x': 2}]
        """
        if isinstance(values, (Expr, str, bytes)) or not isinstance(values, Iterable):
            raise InvalidArgumentError(
                f"is_in() takes a list of constants, not {type(values).__name__}",
                hint="write == for one value, or join with the frame that holds the values (how='semi')",
            )
        if hasattr(values, "to_pylist"):
            values = values.to_pylist()
        elif hasattr(values, "tolist"):
            values = values.tolist()
        items = tuple(values)
        if any(isinstance(item, Expr) for item in items):
            return Expr(balanced("or", [call("equal", self, item)._node for item in items]))
        return Expr(Member(self._node, items))

    @public
    def is_between(self, lower: IntoExpr, upper: IntoExpr, closed: str = "both") -> Expr:
        """Whether the value lies between two others.

        Args:
            lower, upper: the bounds.
            closed: which bounds belong to it: `"both"`, `"left"`, `"right"` or `"none"`.

        Example:
            >>> lf.from_dict({"x": [1, 2, 3]}).filter(lf.col("x").is_between(2, 3)).to_dicts()
            [{'x': 2}, {'x': 3}]
        """
        check_choice("closed", closed, ("both", "left", "right", "none"))
        low = self >= lower if closed in ("both", "left") else self > lower
        high = self <= upper if closed in ("both", "right") else self < upper
        return low & high

    def fill_null(self, value: IntoExpr) -> Expr:
        """The value, or `value` where it is null.

        Example:
            >>> lf.from_dict({"x": [1, None]}).select(lf.col("x").fill_null(0)).to_dicts()
            [{'x': 1}, {'x': 0}]
        """
        return call("coalesce", self, value)

    @public
    def fill_nan(self, value: IntoExpr) -> Expr:
        """The value, or `value` where it is NaN; nulls stay."""
        return _choose([self.is_nan()], [value], self)

    @public
    def null_if(self, value: IntoExpr) -> Expr:
        """The value, or null where it equals `value`."""
        return _choose([self == value], [None], self)

    @public
    def clip(self, lower: IntoExpr = None, upper: IntoExpr = None) -> Expr:
        """The value, or the bound that it is beyond. Nulls stay; NaN is above every upper bound.

        Example:
            >>> lf.from_dict({"x": [1, 5, 9]}).select(lf.col("x").clip(2, 6)).to_dicts()
            [{'x': 2}, {'x': 5}, {'x': 6}]
        """
        conditions, values = [], []
        if lower is not None:
            conditions.append(self < lower)
            values.append(lower)
        if upper is not None:
            conditions.append(self > upper)
            values.append(upper)
        return _choose(conditions, values, self) if conditions else self

    # Aggregates.

    @public
    def filter(self, *predicates: IntoExpr) -> Expr:
        """Only the rows for which the predicates are true, for the aggregate that this is, or that follows.

        Example:
            >>> df = lf.from_dict({"x": [1, 2, 3]})
            >>> df.select(lf.col("x").sum().filter(lf.col("x") > 1)).to_dicts()
            [{'x': 5}]
        """
        where = all_of([to_node(p) for p in predicates])
        node = self._node
        if isinstance(node, Named) and isinstance(node.arg, Aggregated):
            return Expr(replace(node, arg=Expr(node.arg).filter(Expr(where))._node))
        if isinstance(node, Aggregated):
            return Expr(replace(node, where=where if node.where is None else Apply("and", (node.where, where))))
        if isinstance(node, Restricted):
            return Expr(Restricted(node.arg, Apply("and", (node.where, where))))
        return Expr(Restricted(node, where))

    @public
    def order_by(self, *keys: IntoExpr, descending: bool | Iterable[bool] = False, nulls_first: bool = False) -> Expr:
        """The order in which an aggregate takes its rows.

        Example:
            >>> df = lf.from_dict({"x": [1, 2, 3], "t": [3, 1, 2]})
            >>> df.select(lf.col("x").first().order_by("t")).to_dicts()
            [{'x': 2}]
        """
        node = self._node
        if isinstance(node, Named):
            return Expr(
                replace(node, arg=Expr(node.arg).order_by(*keys, descending=descending, nulls_first=nulls_first)._node)
            )
        if not isinstance(node, Aggregated):
            raise InvalidArgumentError("order_by() belongs to an aggregate", hint="write .first().order_by(...)")
        return Expr(replace(node, order=tuple(order_keys(keys, descending, nulls_first))))

    @public
    def distinct(self) -> Expr:
        """Each different value once, for the aggregate that this is.

        Example:
            >>> lf.from_dict({"x": [1, 1, 2]}).select(lf.col("x").sum().distinct()).to_dicts()
            [{'x': 3}]
        """
        node = self._node
        if isinstance(node, Named):
            return Expr(replace(node, arg=Expr(node.arg).distinct()._node))
        if not isinstance(node, Aggregated):
            raise InvalidArgumentError("distinct() belongs to an aggregate", hint="write .sum().distinct()")
        return Expr(replace(node, distinct=True))


class When:
    """A condition that waits for its value: the first part of `when(...).then(...).otherwise(...)`."""

    __slots__ = ("_conditions", "_values")

    def __init__(self, conditions: list[Expr], values: list[Any]) -> None:
        self._conditions = conditions
        self._values = values

    def __repr__(self) -> str:
        return f"when({self._conditions[-1]!r}): follow it with .then(...)"

    @public
    def then(self, value: IntoExpr) -> Then:
        """The value where the condition is true. A string is the name of a column: write `lf.lit("text")` for a text."""
        return Then(self._conditions, [*self._values, Expr(column_node(value))])


class Then(Expr):
    """Conditions with their values; null where none is true, unless `otherwise` says more."""

    __slots__ = ("_conditions", "_values")

    def __init__(self, conditions: list[Expr], values: list[Any]) -> None:
        super().__init__(_choose(conditions, values, None)._node)
        self._conditions = conditions
        self._values = values

    @public
    def when(self, *predicates: IntoExpr) -> When:
        """Another condition, for the rows where none before it was true."""
        return When([*self._conditions, Expr(all_of([column_node(p) for p in predicates]))], self._values)

    @public
    def otherwise(self, value: IntoExpr) -> Expr:
        """The value where no condition is true. A string is the name of a column."""
        return _choose(self._conditions, self._values, Expr(column_node(value)))


def _restriction(node: Unbound) -> tuple[Unbound, Unbound | None]:
    """What an aggregate takes, and the condition on its rows."""
    return (node.arg, node.where) if isinstance(node, Restricted) else (node, None)


def _enter() -> Any:
    """Note the user's line, unless a verb did; gives what to put back."""
    outer = ambient.site
    if outer is None:
        ambient.site = capture()
    return outer


def call(function: str, *args: IntoExpr, **options: Any) -> Expr:
    """A scalar function of expressions and constants, written at the user's line."""
    outer = _enter()
    try:
        return Expr(Apply(function, tuple([to_node(a) for a in args]), tuple(options.items())))
    finally:
        ambient.site = outer


def _choose(conditions: list[Expr], values: list[Any], otherwise: Any) -> Expr:
    outer = _enter()
    try:
        return Expr(
            Choose(tuple([c._node for c in conditions]), tuple([to_node(v) for v in values]), to_node(otherwise))
        )
    finally:
        ambient.site = outer


def to_node(value: IntoExpr) -> Unbound:
    """The node of an expression; any other value is a constant."""
    if isinstance(value, Expr):
        return value._node
    if type(value) in (int, float, str):
        return Constant(value)
    if isinstance(value, Unbound):
        return value
    if isinstance(value, When):
        raise InvalidArgumentError("a when(...) has no value yet", hint="write when(...).then(...)")
    if hasattr(value, "_refused"):
        value._refused()
    if hasattr(value, "collect") or callable(value):
        raise InvalidArgumentError(
            f"{with_article(type(value).__name__)} cannot stand in an expression",
            hint="join the frame instead" if hasattr(value, "collect") else "call the function first",
        )
    try:
        return Constant(value)
    except TypeError:
        raise InvalidArgumentError(
            f"{with_article(type(value).__name__)} cannot stand in an expression",
            hint="use numbers, strings, dates, None, lists or dicts of them",
        ) from None


def column_node(value: IntoExpr) -> Unbound:
    """As `to_node`, but a string is the name of a column."""
    return Ref(value) if isinstance(value, str) else to_node(value)


def all_of(parts: list[Unbound]) -> Unbound:
    """All conditions as one."""
    return balanced("and", parts)


def balanced(function: str, parts: list[Unbound]) -> Unbound:
    """A chain of "and" or "or" that stays shallow."""
    if not parts:
        raise InvalidArgumentError("no condition was given")
    while len(parts) > 1:
        paired: list[Unbound] = [Apply(function, (parts[i], parts[i + 1])) for i in range(0, len(parts) - 1, 2)]
        parts = [*paired, parts[-1]] if len(parts) % 2 else paired
    return parts[0]


def order_keys(keys: Any, descending: Any = False, nulls_first: Any = False) -> list[Unbound]:
    """Sort keys from names and expressions, each with its direction."""
    if isinstance(keys, (str, Expr)):
        keys = [keys]
    found = list(keys)
    directions = flags("descending", descending, len(found))
    placements = flags("nulls_first", nulls_first, len(found))
    result: list[Unbound] = []
    for key, down, nulls in zip(found, directions, placements, strict=True):
        node = column_node(key)
        result.append(node if isinstance(node, Ordered) else Ordered(node, down, nulls))
    return result
