"""Where Python wants a value of an expression: `if`, `float()`, iterating, numpy's functions.

An expression has no value before a query runs, and says what to write instead. Where verbs run at once (`lf.eager`), those of
parameters alone have one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from lazyframe.boundary import public
from lazyframe.eager import mode
from lazyframe.planner.errors import EvaluationError, LazyFrameError, LazyValueError
from lazyframe.planner.unbound import Unbound

_OPERATORS = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "floor_divide": "floor_divide",
    "remainder": "modulo", "power": "power", "float_power": "power", "equal": "equal", "not_equal": "not_equal",
    "less": "less", "less_equal": "less_equal", "greater": "greater", "greater_equal": "greater_equal",
    "logical_and": "and", "logical_or": "or", "logical_xor": "xor", "logical_not": "not", "bitwise_and": "and",
    "bitwise_or": "or", "bitwise_xor": "xor", "invert": "not", "negative": "negate", "absolute": "abs", "fabs": "abs",
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "expm1": "expm1", "log": "ln", "log10": "log10", "log2": "log2",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "degrees": "degrees", "rad2deg": "degrees", "radians": "radians", "deg2rad": "radians",
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "sign": "sign", "isnan": "is_nan", "isfinite": "is_finite",
    "isinf": "is_infinite",
}  # fmt: skip
"""The functions of ours that universal functions of numpy are."""

_METHODS = {
    "mean": "x.mean()", "sum": "x.sum()", "prod": "x.product()", "min": "x.min()", "amin": "x.min()", "max": "x.max()",
    "amax": "x.max()", "std": "x.std(ddof=0)", "var": "x.var(ddof=0)", "median": "x.median()", "unique": "x.n_unique()",
    "round": "x.round(digits)", "around": "x.round(digits)", "clip": "x.clip(lower, upper)", "cumsum": "x.cum_sum()",
    "where": "lf.when(condition).then(a).otherwise(b)", "concatenate": "lf.concat([...])", "quantile": "x.quantile(q)",
    "maximum": "lf.max_horizontal(a, b)", "minimum": "lf.min_horizontal(a, b)", "fmax": "lf.max_horizontal(a, b)",
    "fmin": "lf.min_horizontal(a, b)", "rint": "x.round()", "isin": "x.is_in([...])", "sort": "frame.sort(x)",
    "diff": "x.diff()", "corrcoef": "a.corr(b)", "fmod": "a % b", "square": "x ** 2", "reciprocal": "1 / x",
}  # fmt: skip
"""What to write for functions of numpy that have no meaning before there are values, or another one."""


class PythonValues:
    """An expression where Python wants a value."""

    __slots__ = ()
    # Before pandas takes a column of its own apart, and makes an expression of each value.
    __pandas_priority__ = 10_000

    _node: Unbound

    def _value(self) -> Any:
        """The value, or None where there is none."""
        if mode.get() is None:
            return None
        from lazyframe.eager_values import value_of

        return value_of(self._node)

    def _wanted(self, wanted: str, hint: str) -> Any:
        """The value as Python has it.

        Raises:
            LazyValueError: where there is none.
            EvaluationError: where it is null.
        """
        found = self._value()
        if found is None:
            self._no_value(wanted, hint)
        if not found.is_valid:
            raise EvaluationError(f"the value is null, and has no {wanted}: {self._node!r}")
        return found.as_py()

    def _no_value(self, wanted: str, hint: str) -> NoReturn:
        raise LazyValueError(f"an expression has no {wanted} before the query runs: {self._node!r}", hint=hint)

    def __repr__(self) -> str:
        try:
            found = self._value()
        except LazyFrameError:
            found = None  # what cannot be computed is shown as it is written
        return repr(self._node) if found is None else f"{self._node!r} = {found.as_py()!r}"

    @public
    def __format__(self, spec: str) -> str:
        found = self._value()
        if found is None and spec:
            self._no_value(
                "value to format", "format the rows of collect(), or write .cast('string') for a column of text"
            )
        return repr(self._node) if found is None else format(found.as_py(), spec)

    @public
    def __bool__(self) -> bool:
        return bool(
            self._wanted(
                "truth value",
                "to keep rows write frame.filter(...); to choose between values lf.when(...).then(...).otherwise(...), "
                "or put the code into a function under @lf.trace; "
                "to combine conditions & | ~ instead of and, or, not, with parentheses: (a == 1) & (b == 2); "
                "for a < x < b write x.is_between(...); for x in [...] x.is_in([...]); "
                "for min() and max() lf.min_horizontal(...) and lf.max_horizontal(...); for sorted() frame.sort(...)",
            )
        )

    @public
    def __len__(self) -> int:  # noqa: PLE0303 - it has none
        self._no_value(
            "length", "write lf.len() for the number of rows, or .str.len_chars() or .list.len() for that of a value"
        )

    @public
    def __iter__(self) -> Iterator[Any]:
        self._no_value("items", "collect() the frame and iterate over its rows; for sum() of one column write .sum()")

    @public
    def __contains__(self, item: object) -> bool:
        self._no_value("items", "write .is_in([...]), .str.contains(...) or .list.contains(...)")

    @public
    def __getitem__(self, key: Any) -> Any:
        self._no_value(
            "items",
            "write .list.get(0) for an element of a list, .str.slice(0, 3) for a part of a text, "
            ".struct.field('name') for a field, frame.slice(...) for rows",
        )

    @public
    def __setitem__(self, key: Any, value: Any) -> None:
        raise LazyValueError(
            f"an expression cannot be changed: {self._node!r}",
            hint="write frame.with_columns(x=lf.when(...).then(...).otherwise(lf.col('x')))",
        )

    @public
    def __float__(self) -> float:
        return float(
            self._wanted(
                "number",
                "write .cast('float64') for another type, a method for a function of Python's math, "
                "such as x.sqrt() for math.sqrt(x), or collect() the frame and use its value",
            )
        )

    @public
    def __complex__(self) -> complex:
        return complex(self._wanted("number", "collect() the frame and use its value"))

    @public
    def __int__(self) -> int:
        return int(self._wanted("number", "write .cast('int64'), or collect() the frame and use its value"))

    @public
    def __index__(self) -> int:
        found = self._wanted("number", "collect() the frame and use its value")
        if isinstance(found, int):
            return int(found)
        raise LazyValueError(f"an index is a whole number, not {found!r}", hint="write int(...)")

    @public
    def __trunc__(self) -> int:
        return int(self._wanted("number", "write x.trunc()"))

    @public
    def __floor__(self) -> int:
        return int(self._wanted("number", "write x.floor()") // 1)

    @public
    def __ceil__(self) -> int:
        return -int(-self._wanted("number", "write x.ceil()") // 1)

    @public
    def __round__(self, digits: int | None = None) -> Any:
        hint = "write x.round(digits), which rounds halves away from zero, where round() of Python takes the even neighbour"
        return round(self._wanted("number", hint), digits)

    @public
    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    @public
    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    @public
    def __hash__(self) -> int:
        raise LazyValueError(
            f"an expression is unhashable, as == of two makes a third: {self._node!r}",
            hint="keep expressions in a list, or in a dict by their names",
        )

    # What numpy makes of it.

    @public
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        found = self._wanted("array of values", "write frame.select(...).to_numpy()")
        return np.asarray(found, dtype=dtype)

    @public
    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from lazyframe.expr import call

        name = function.__name__
        ours = _OPERATORS.get(name) if method == "__call__" else None
        if ours is None or options:
            self._refuse_numpy(name if method == "__call__" else f"{name}.{method}", options if ours else ())
        return call(ours, *inputs)

    @public
    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        self._refuse_numpy(function.__name__)

    def _refuse_numpy(self, name: str, options: Any = ()) -> NoReturn:
        if options:
            raise LazyValueError(
                f"np.{name}() of an expression takes no {', '.join(options)}",
                hint="leave it out: nothing is computed yet",
            )
        raise LazyValueError(
            f"np.{name}() wants values, and an expression has none before the query runs: {self._node!r}",
            hint=f"write {_METHODS[name]}"
            if name in _METHODS
            else "collect() the values, or give the function to frame.map_batches(...)",
        )
