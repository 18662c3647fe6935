"""Kernels that write bytes as text, read them back, and digest them."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lazyframe.executors.vectorized.functions.subject import mapped, of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError


def _of_bytes(function: Callable[[bytes], Any]) -> Kernel:
    """A kernel from a function of the bytes of a string or binary value."""

    def run(values: pa.Array, *, arguments: Arguments) -> pa.Array:
        return mapped(values.cast(pa.binary()), function, arguments.result)

    return of_columns(run)


def _decoder(decode: Callable[[bytes], bytes], what: str) -> Kernel:
    def run(values: pa.Array, *, arguments: Arguments) -> pa.Array:
        strict = arguments.options.get("strict", True)

        def of_one(text: bytes) -> bytes | None:
            try:
                return decode(text)
            except ValueError:
                if not strict:
                    return None
                raise KernelError(f"not {what}: {text.decode(errors='replace')!r}") from None

        return mapped(values.cast(pa.binary()), of_one, arguments.result)

    return of_columns(run)


def _hexadecimal(digest: Callable[..., Any]) -> Kernel:
    return _of_bytes(lambda data: digest(data, usedforsecurity=False).hexdigest())


def _from_base64(text: bytes) -> bytes:
    return base64.b64decode(text, validate=True)


KERNELS: dict[str, Kernel] = {
    "hex_encode": _of_bytes(lambda data: data.hex()),
    "hex": _of_bytes(lambda data: data.hex().upper()),
    "hex_decode": _decoder(binascii.unhexlify, "hexadecimal digits"),
    "base64_encode": _of_bytes(lambda data: base64.b64encode(data).decode()),
    "base64_decode": _decoder(_from_base64, "base64"),
    "md5": _hexadecimal(hashlib.md5),
    "sha1": _hexadecimal(hashlib.sha1),
    "sha256": _hexadecimal(hashlib.sha256),
    "sha224": _hexadecimal(hashlib.sha224),
    "sha384": _hexadecimal(hashlib.sha384),
    "sha512": _hexadecimal(hashlib.sha512),
}
