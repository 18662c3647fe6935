"""Kernels of functions of strings by their words and parts."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

import pyarrow as pa

from lazyframe.executors.vectorized.functions.subject import mapped, of_columns, of_subject
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError

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


def _url_encode(strings: pa.Array, *, arguments: Arguments) -> pa.Array:
    return mapped(strings, lambda text: quote(text, safe=""), pa.string())


def _url_decode(strings: pa.Array, *, arguments: Arguments) -> pa.Array:
    def decode(text: str) -> str:
        try:
            return unquote(text, errors="strict")
        except UnicodeDecodeError:
            raise KernelError(f"the bytes of {text!r} are no text in UTF-8") from None

    return mapped(strings, decode, pa.string())


_UNITS = {1024: ("KiB", "MiB", "GiB", "TiB", "PiB"), 1000: ("kB", "MB", "GB", "TB", "PB")}


def _format_bytes(counts: pa.Array, *, arguments: Arguments) -> pa.Array:
    base = int(str(arguments.options.get("base", 1024)))

    def write(count: int) -> str:
        sign, size = "-" if count < 0 else "", abs(count)
        if size < base:
            return f"{sign}{size} byte{'' if size == 1 else 's'}"
        power = 1
        while power < len(_UNITS[base]) and size >= base ** (power + 1):
            power += 1
        tenths = size * 10 // base**power
        return f"{sign}{tenths // 10}.{tenths % 10} {_UNITS[base][power - 1]}"

    return mapped(counts, write, pa.string())


KERNELS: dict[str, Kernel] = {
    "format_bytes": of_columns(_format_bytes),
    "initcap": of_columns(_initcap),
    "substring_index": of_subject(_substring_index),
    "url_encode": of_columns(_url_encode),
    "url_decode": of_columns(_url_decode),
}
