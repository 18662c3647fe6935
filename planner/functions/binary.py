"""Functions of byte strings."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, by_name, fixed
from lazyframe.planner.types import BINARY, INT64

FUNCTIONS = by_name(
    Function(name="binary_length", resolver=fixed((BINARY,), INT64), arity=(1, 1), sql=("octet_length",), summary="The number of bytes."),
)  # fmt: skip
