"""The methods of byte strings: `col("x").bin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyframe.planner.errors import InvalidArgumentError

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class BinaryNamespace:
    """Methods of byte strings.

    Args:
        expr: gives bytes.
    """

    __slots__ = ("_expr",)

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    def len_bytes(self) -> Expr:
        """The number of bytes."""
        return self._expr._apply("byte_length")

    def slice(self, offset: int | Expr, length: int | Expr | None = None) -> Expr:
        """The bytes from a position on.

        Args:
            offset: the first byte, from 0; negative counts from the end.
            length: at most how many; by default all that follow.
        """
        if length is None:
            return self._expr._apply("binary_slice", offset)
        return self._expr._apply("binary_slice", offset, length)

    def contains(self, part: bytes | Expr) -> Expr:
        """Whether some bytes stand in the value.

        Args:
            part: the bytes.
        """
        return self._expr._apply("contains", part)

    def starts_with(self, prefix: bytes | Expr) -> Expr:
        """Whether the value begins with some bytes.

        Args:
            prefix: the bytes.
        """
        return self._expr._apply("starts_with", prefix)

    def ends_with(self, suffix: bytes | Expr) -> Expr:
        """Whether the value ends with some bytes.

        Args:
            suffix: the bytes.
        """
        return self._expr._apply("ends_with", suffix)

    def encode(self, encoding: str) -> Expr:
        r"""The bytes as text.

        Args:
            encoding: `hex` or `base64`.

        Examples:
            >>> import lazyframe as lf
            >>> lf.from_dict({"b": [b"\x01\xff"]}).select(lf.col("b").bin.encode("hex")).to_dicts()
            [{'b': '01ff'}]
        """
        if encoding not in ("hex", "base64"):
            raise InvalidArgumentError(f"an encoding is 'hex' or 'base64', not {encoding!r}")
        return self._expr._apply(f"{encoding}_encode")

    def decode(self, encoding: str, *, strict: bool = True) -> Expr:
        """The bytes for which the value, read as text, stands.

        Args:
            encoding: `hex` or `base64`.
            strict: whether what cannot be read is an error; otherwise it gives null.
        """
        if encoding not in ("hex", "base64"):
            raise InvalidArgumentError(f"an encoding is 'hex' or 'base64', not {encoding!r}")
        return self._expr._apply(f"{encoding}_decode", strict=strict)

    def to_string(self, *, strict: bool = True) -> Expr:
        """The string whose UTF-8 form the bytes are.

        Args:
            strict: whether what is no UTF-8 is an error; otherwise it gives null.
        """
        return self._expr._apply("decode_utf8", strict=strict)

    def md5(self) -> Expr:
        """The MD5 digest, in hexadecimal digits."""
        return self._expr._apply("md5")

    def sha1(self) -> Expr:
        """The SHA-1 digest, in hexadecimal digits."""
        return self._expr._apply("sha1")

    def sha256(self) -> Expr:
        """The SHA-256 digest, in hexadecimal digits."""
        return self._expr._apply("sha256")
