"""Functions of strings by their words and parts."""

from __future__ import annotations

from lazyframe.planner.functions.definition import Function, by_name, fixed, strings
from lazyframe.planner.types import INT64, STRING

FUNCTIONS = by_name(
    Function(name="initcap", resolver=strings(STRING), arity=(1, 1), sql=("initcap",), summary="SQL's initcap: each word with a capital and the rest in lower case; a word is a run of letters and digits."),
    Function(name="url_encode", resolver=strings(STRING), arity=(1, 1), sql=("url_encode",), summary="As a part of an address: what is no letter, digit, -, ., _ or ~ as its bytes after %."),
    Function(name="url_decode", resolver=strings(STRING), arity=(1, 1), total=False, sql=("url_decode",), summary="The text that a part of an address stands for."),
    Function(name="format_bytes", resolver=fixed((INT64,), STRING), arity=(1, 1), sql=("format_bytes", "formatreadablesize"), summary="A count of bytes with a unit, to one digit, cut off: 15.6 KiB; with the option `base` of 1000 as 16.0 kB."),
    Function(name="substring_index", resolver=fixed((STRING, STRING, INT64), STRING), arity=(3, 3), sql=("substring_index", "substr_index"), summary="What stands before the n-th time that the second stands in the first; negative: after the n-th from the end."),
)  # fmt: skip
