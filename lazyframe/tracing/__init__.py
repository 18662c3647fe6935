"""Python functions of values as expressions of columns: `lf.trace`."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, overload

from lazyframe.boundary import public
from lazyframe.checks import wanted_type
from lazyframe.expr import Expr
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.nouns import with_article
from lazyframe.planner.unbound import Apply
from lazyframe.tracing.values import holds_expression

if TYPE_CHECKING:
    from lazyframe.tracing.source import Source


class Traced:
    """A function under `lf.trace`: called with expressions it gives an expression, with values what it gives anyway."""

    def __init__(self, function: Callable[..., Any], *, fallback: bool = False, returns: Any = None) -> None:
        functools.update_wrapper(self, function)  # before what is ours, which a traced function would bring along
        self._function = function
        self._returns = returns
        self._fallback = fallback
        self._source: Source | None = None
        if not fallback:
            self._read()  # so that what no call could do is refused where the function is written

    def _read(self) -> Source:
        from lazyframe.tracing.source import Source

        if self._source is None:
            self._source = Source(self._function)
        return self._source

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The expression of the function's result; of values alone the result."""
        if not holds_expression((args, kwargs)):
            return self._function(*args, **kwargs)
        if not self._fallback:
            return self._traced(args, kwargs)
        with suppress(UnsupportedError):
            return self._traced(args, kwargs)
        return self._for_each_row(args, kwargs)

    def _traced(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        from lazyframe.tracing.statements import traced

        return traced(self._read(), args, kwargs)

    def _for_each_row(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Expr:
        """A call of the function for each row."""
        nested = next((v for v in (*args, *kwargs.values()) if not isinstance(v, Expr) and holds_expression(v)), None)
        if nested is not None:
            raise InvalidArgumentError(
                f"{self._name}() runs row by row, and takes expressions one by one, not {with_article(type(nested).__name__)}",
                hint="give each as an argument of its own",
            )
        varying = tuple([value._node for value in (*args, *kwargs.values()) if isinstance(value, Expr)])
        given = _Filled(self._function, args, dict(kwargs))
        return Expr(Apply("python_function", varying, (("python", given), ("dtype", self._returns))))

    @property
    def _name(self) -> str:
        return getattr(self._function, "__name__", "the function")

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"traced {self._name}()"


class _Filled:
    """A function of the arguments that are expressions; the others are always the same."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function = function
        self._args = tuple([_VARYING if isinstance(value, Expr) else value for value in args])
        self._kwargs = {key: _VARYING if isinstance(value, Expr) else value for key, value in kwargs.items()}
        self.__name__ = getattr(function, "__name__", "the function")

    def __call__(self, *values: Any) -> Any:
        supply = iter(values)
        args = [next(supply) if value is _VARYING else value for value in self._args]
        kwargs = {key: next(supply) if value is _VARYING else value for key, value in self._kwargs.items()}
        return self._function(*args, **kwargs)


class _Varying:
    """Stands for a value that is another in each row."""

    def __reduce__(self) -> str:
        return "_VARYING"


_VARYING = _Varying()


@overload
def trace(function: Callable[..., Any], /) -> Traced: ...
@overload
def trace(*, fallback: bool = False, returns: Any = None) -> Callable[[Callable[..., Any]], Traced]: ...
@public
def trace(
    function: Callable[..., Any] | None = None, /, *, fallback: bool = False, returns: Any = None
) -> Traced | Callable[[Callable[..., Any]], Traced]:
    """A decorator that makes a Python function of values a function of expressions.

    The function is read, not run: `if`, conditional expressions, `and`, `or`, `not`, comparisons, early `return`, loops whose
    length is known, local variables, and calls of other traced functions, of ours and of Python's `math` become one expression,
    which is optimised, compiled and differentiated like any other. For rows without nulls it gives what the function gives.

    A condition that is null counts as not true, as in `lf.when` and `filter`: the `else` branch is taken. `x is None` asks for null.

    Args:
        function: what is decorated.
        fallback: whether a function that cannot be traced runs for each row instead. It should give the same for the same values,
            and is called with None for null, perhaps in several threads.
        returns: the type that it then gives.

    Returns:
        A function that takes expressions; called with values alone it is the one it was.

    Raises:
        UnsupportedError: for what cannot be traced, at its line in the function: where it is written, or where it depends on the
            values of columns, when it is called.

    Example:
        >>> @lf.trace
        ... def fare(distance, child=False):
        ...     if distance is None or distance < 0:
        ...         return None
        ...     price = 2.0
        ...     for limit, rate in [(10, 0.5), (100, 0.25)]:
        ...         if distance > limit:
        ...             price += (distance - limit) * rate
        ...     return price / 2 if child else price
        >>> trips = lf.from_dict({"d": [5, 20, 200, -1]})
        >>> trips.select(full=fare(lf.col("d")), half=fare(lf.col("d"), child=True)).to_dict()
        {'full': [2.0, 7.0, 122.0, None], 'half': [1.0, 3.5, 61.0, None]}
        >>> fare(20)
        7.0
    """
    if function is not None and not callable(function):
        raise InvalidArgumentError(f"trace() decorates a function, not {with_article(type(function).__name__)}")
    if fallback != (returns is not None):
        raise InvalidArgumentError(
            "fallback=True and returns= go together", hint="write @lf.trace(fallback=True, returns='float64')"
        )
    dtype = None if returns is None else wanted_type(returns)
    if function is None:
        return lambda found: Traced(found, fallback=fallback, returns=dtype)
    return Traced(function, fallback=fallback, returns=dtype)


__all__ = ["Traced", "trace"]
