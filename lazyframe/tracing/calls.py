"""Functions of Python that have a meaning for columns: some builtins, and those of `math`."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any, NoReturn

from lazyframe.expr import Expr, _choose, balanced, call, to_node
from lazyframe.planner.errors import UnsupportedError

ONLY_VALUES: tuple[Any, ...] = (print, input, open, exec, eval, setattr, delattr)
"""What does something, rather than giving a value."""


def _one(name: str) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        return call(name, x)

    return function


def _two(name: str) -> Callable[..., Any]:
    def function(x: Any, y: Any) -> Any:
        return call(name, x, y)

    return function


def _float(x: Any = 0.0) -> Any:
    return Expr(to_node(x)).cast("float64")


def _int(x: Any = 0) -> Any:
    return Expr(to_node(x)).cast("int64")


def _log(x: Any, base: Any = None) -> Any:
    return call("ln", x) if base is None else call("log", x, base)


def _pow(x: Any, y: Any) -> Any:
    return call("power", _float(x), _float(y))


def _power(x: Any, y: Any, modulus: Any = None) -> Any:
    return operator.pow(x, y) if modulus is None else operator.mod(operator.pow(x, y), modulus)


def _hypot(*values: Any) -> Any:
    return call("sqrt", _sum([_float(value) * _float(value) for value in values]))


def _round(x: Any, digits: int | None = None) -> Any:
    found = call("round_even", x, digits=digits or 0)
    return found.cast("int64") if digits is None else found


def _sum(values: Any, start: Any = 0) -> Any:
    _known(values, "sum")
    return reduce(operator.add, values, start)


def _extreme(name: str, function: str) -> Callable[..., Any]:
    def of(*values: Any, key: Any = None, default: Any = None) -> Any:
        if key is not None:
            raise UnsupportedError(f"{name}() with a key cannot be traced", hint="write it with if")
        if len(values) == 1:
            _known(values[0], name)
            values = tuple(values[0])
        return call(function, *values) if len(values) > 1 else values[0]

    return of


def _every(name: str, function: str) -> Callable[..., Any]:
    def of(values: Any) -> Any:
        _known(values, name)
        decided = name == "any"
        ours = []
        for value in values:
            if isinstance(value, Expr):
                ours.append(value._node)
            elif bool(value) is decided:
                return decided
        return Expr(balanced(function, ours)) if ours else not decided

    return of


def _known(values: Any, name: str) -> None:
    if isinstance(values, Expr):
        raise UnsupportedError(
            f"{name}() of one column is no value of a row",
            hint=f"write it outside of the function, or x.list.{name}() for the items of lists",
        )


def _prod(values: Any, *, start: Any = 1) -> Any:
    _known(values, "prod")
    return reduce(operator.mul, values, start)


def _refused(name: str, hint: str) -> Callable[..., NoReturn]:
    def function(*_: Any, **__: Any) -> NoReturn:
        raise UnsupportedError(f"{name}() of a column cannot be traced", hint=hint)

    return function


def _unit(x: Any) -> Any:
    return _choose([call("is_nan", _float(x))], [False], call("is_infinite", _float(x)))


_OURS: list[tuple[Any, Callable[..., Any]]] = [
    (builtins.abs, _one("abs")),
    (builtins.round, _round),
    (builtins.min, _extreme("min", "least")),
    (builtins.max, _extreme("max", "greatest")),
    (builtins.sum, _sum),
    (builtins.any, _every("any", "or")),
    (builtins.all, _every("all", "and")),
    (builtins.float, _float),
    (builtins.int, _int),
    (builtins.pow, _power),
    (builtins.divmod, lambda x, y: (operator.floordiv(x, y), operator.mod(x, y))),
    (builtins.bool, _refused("bool", "compare it with something, such as != 0")),
    (builtins.str, _refused("str", "write x.cast('string')")),
    (builtins.len, _refused("len", "write x.str.len_chars() or x.list.len()")),
    (builtins.isinstance, _refused("isinstance", "a column has one type: leave the question out")),
    (builtins.range, _refused("range", "loop over a range that is long enough, with if ...: break")),
    (builtins.sorted, _refused("sorted", "write min() and max(), or .list.sort()")),
    (math.floor, lambda x: _int(call("floor", x))),
    (math.ceil, lambda x: _int(call("ceil", x))),
    (math.trunc, lambda x: _int(call("trunc", x))),
    (math.fabs, lambda x: call("abs", _float(x))),
    (math.log, _log),
    (math.pow, _pow),
    (math.hypot, _hypot),
    (math.fsum, lambda values: _float(_sum(values, 0.0))),
    (math.prod, _prod),
    (math.atan2, _two("atan2")),
    (math.fmod, lambda x, y: call("truncated_modulo", _float(x), _float(y))),
    (math.gcd, _two("gcd")),
    (math.lcm, _two("lcm")),
    (math.gamma, _one("gamma")),
    (math.lgamma, _one("log_gamma")),
    (math.isnan, lambda x: call("is_nan", _float(x))),
    (math.isfinite, lambda x: call("is_finite", _float(x))),
    (math.isinf, _unit),
    *[
        (getattr(math, name), _one(name))
        for name in ["sqrt", "cbrt", "exp", "expm1", "log10", "log2", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "degrees", "radians"]
        if hasattr(math, name)
    ],
    *[
        (each, each)
        for each in (
            operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
            operator.neg, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
        )
    ],
    *[(container, container) for container in (tuple, list, dict, zip, enumerate, reversed)],
]  # fmt: skip


def replacement(function: Any) -> Callable[..., Any] | None:
    """What to call in the place of a function of Python, or None where it has no meaning for columns."""
    for known, ours in _OURS:
        if function is known:
            return ours
    return None


__all__ = ["ONLY_VALUES", "replacement"]
