"""Functions of byte strings. Those that strings and bytes share (`contains`, `hex_encode`, ...) stand with the strings."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, by_name, fixed
from lazyframe.planner.types import BINARY, INT64, STRING

FUNCTIONS = by_name(
    Function(name="binary_slice", resolver=fixed((BINARY, INT64, INT64), BINARY), arity=(2, 3), total=False, summary="The bytes from a position on (negative: counted from the end), at most so many."),
    Function(name="decode_utf8", resolver=fixed((BINARY,), STRING), arity=(1, 1), nulls="maybe", total=False, sql=("decode",), summary="The string whose UTF-8 form the bytes are; with the option `strict` off, null where they are none."),
)  # fmt: skip
