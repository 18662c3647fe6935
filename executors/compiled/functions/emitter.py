"""What an emitter is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lazyframe.executors.compiled.datum import Datum
from lazyframe.executors.compiled.expressions import Application


class Emitter(NamedTuple):
    """How kernels compute a scalar function.

    Args:
        emit: from the function and its staged arguments to the staged result.
        accepts: whether it can, for the types and options of a call.
        constants: the places of arguments that it reads while staging, as literals; they are not staged.
    """

    emit: Callable[[Application], Datum]
    accepts: Callable[[Any], bool]
    constants: tuple[int, ...] = ()
