"""Kernels of functions of strings by their words and parts."""

from __future__ import annotations

import re

import pyarrow as pa

from lazyframe.executors.vectorized.functions.subject import mapped, of_columns, of_subject
from lazyframe.executors.vectorized.kernel import Arguments, Kernel

_WORD = re.compile(r"[^\W_]+")


def _initcap(strings: pa.Array, *, arguments: Arguments) -> pa.Array:
    def capital(text: str) -> str:
        return _WORD.sub(lambda word: word[0][0].upper() + word[0][1:].lower(), text.lower())

    return mapped(strings, capital, pa.string())


def _substring_index(strings: pa.Array, separator: str, count: int, *, arguments: Arguments) -> pa.Array:
    def part(text: str) -> str:
        if not separator or not count:
            return ""
        parts = text.split(separator)
        return separator.join(parts[:count] if count > 0 else parts[count:])

    return mapped(strings, part, pa.string())


KERNELS: dict[str, Kernel] = {"initcap": of_columns(_initcap), "substring_index": of_subject(_substring_index)}
