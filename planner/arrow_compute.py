"""Arrow's compute functions, each by its name, as in `pyarrow.compute`.

`import pyarrow.compute` writes a documented Python function for each of Arrow's 300: 40 ms in a process that asks a small question.
Here a function is made when it is first used. And numbers and texts among the arguments become scalars without pandas being
loaded (`arrow.py`), which pyarrow imports for each of them.

>>> from lazyframe.planner import arrow_compute as pc
>>> pc.add(pa.array([1, 2]), 3).to_pylist()
[4, 5]
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lazyframe.planner import arrow

_KEYWORDS = {"and_": "and", "or_": "or"}
_PLAIN = (int, float, bool, str, bytes, dt.date, decimal.Decimal)
_DATUM = (pa.Array, pa.ChunkedArray, pa.Scalar)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        from pyarrow import _compute

        found = getattr(_compute, name) if name.endswith("Options") else _function(_KEYWORDS.get(name, name))
    except (AttributeError, KeyError):
        # What pyarrow defines in Python, or in another way in some release.
        import pyarrow.compute

        found = getattr(pyarrow.compute, name)
    globals()[name] = found
    return found


def _function(name: str) -> Callable[..., Any]:
    from pyarrow import _compute

    function = _compute.get_function(name)
    arity = function.arity
    options_class = function._doc.options_class
    options_of = getattr(_compute, options_class) if options_class else None

    def call(*arguments: Any, options: Any = None, **named: Any) -> Any:
        given: tuple[Any, ...] = ()
        if arity is not Ellipsis and len(arguments) != arity:
            arguments, given = arguments[:arity], arguments[arity:]
            if len(arguments) < arity:
                raise TypeError(f"{name} takes {arity} arguments, but {len(arguments)} were given")
        if given or named:
            if options_of is None or options is not None:
                raise TypeError(f"{name} takes no such options")
            options = options_of(*given, **named)
        return function.call([arrow.scalar(each) if type(each) in _PLAIN else each for each in arguments], options)

    call.__name__ = call.__qualname__ = name
    return call


def cast(values: Any, dtype: pa.DataType, safe: bool = True) -> Any:
    from pyarrow import _compute

    options = _compute.CastOptions.safe(dtype) if safe else _compute.CastOptions.unsafe(dtype)
    return _compute.call_function("cast", [values], options)


def take(values: Any, rows: Any, *, boundscheck: bool = True) -> Any:
    from pyarrow import _compute

    return _compute.call_function("take", [values, rows], _compute.TakeOptions(boundscheck=boundscheck))


def index(values: Any, value: Any) -> pa.Scalar:
    """Where a value first occurs, or -1."""
    from pyarrow import _compute

    return _compute.call_function("index", [values], _compute.IndexOptions(value=_scalar_of(value, values.type)))


def fill_null(values: Any, value: Any) -> Any:
    """The values, with one in place of each null."""
    from pyarrow import _compute

    other = value if isinstance(value, _DATUM) and value.type == values.type else _scalar_of(value, values.type)
    return _compute.call_function("coalesce", [values, other])


def _scalar_of(value: Any, dtype: pa.DataType) -> pa.Scalar:
    if isinstance(value, pa.Scalar):
        if value.type == dtype:
            return value
        value = value.as_py()
    return arrow.scalar(value, dtype)
