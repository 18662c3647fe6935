"""Functions of strings. Lengths and positions count code points, and positions start at 0 unless a summary says otherwise."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, by_name
from lazyframe.planner.functions.definition import strings as of_strings
from lazyframe.planner.types import BOOL, INT64, STRING

FUNCTIONS = by_name(
    Function(name="lower", resolver=of_strings(STRING), arity=(1, 1), sql=("lower", "lcase"), summary="In lower case."),
    Function(name="upper", resolver=of_strings(STRING), arity=(1, 1), sql=("upper", "ucase"), summary="In upper case."),
    Function(name="length", resolver=of_strings(INT64), arity=(1, 1), sql=("length", "len", "char_length", "character_length"), summary="The number of code points."),
    Function(name="starts_with", resolver=of_strings(BOOL, 2), arity=(2, 2), sql=("starts_with", "prefix"), summary="Whether the first begins with the second."),
)  # fmt: skip
