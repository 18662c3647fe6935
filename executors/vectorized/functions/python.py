"""Kernels of functions that the user has written in Python: they are called for each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import pyarrow as pa

from lazyframe.executors.vectorized.kernel import Arguments, FunctionRaised, Kernel, Value, broadcast
from lazyframe.planner import arrow
from lazyframe.planner.types import type_name


def _python_function(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    function = cast("Callable[..., Any]", arguments.options["python"])
    columns = [broadcast(value, rows, dtype).to_pylist() for value, dtype in zip(values, arguments.types, strict=True)]
    found = []
    for row in range(rows):
        given = [column[row] for column in columns]
        try:
            found.append(function(*given))
        except Exception as error:
            shown = ", ".join(map(repr, given))
            raise FunctionRaised(f"{_name(function)}({shown}) raised {type(error).__name__}: {error}") from error
    try:
        return arrow.array(found, arguments.result)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise FunctionRaised(
            f"{_name(function)}() gave what is not {type_name(arguments.result)}: {str(error).splitlines()[0]}"
        ) from error


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "the function")


KERNELS: dict[str, Kernel] = {"python_function": Kernel(_python_function)}
