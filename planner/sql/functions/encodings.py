"""SQL's functions that write bytes as text and back, and digests."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.functions.arguments import arguments, named, plain
from lazyframe.planner.types import BINARY, STRING

_ENCODERS = {"hex": "hex_encode", "base64": "base64_encode"}
_DECODERS = {"hex": "hex_decode", "base64": "base64_decode"}
_SHA2 = {224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}


def _charset(e: Expressions, charset: exp.Expression | None) -> str:
    if charset is None:
        return "utf8"
    name = e.constant(charset, "the encoding", str).lower()
    if name in ("utf-8", "utf8"):
        return "utf8"
    if name not in _ENCODERS:
        raise e.error(
            charset, UnsupportedError, f"the encoding {name!r} is not supported", "there are utf-8, hex and base64"
        )
    return name


def _parts(e: Expressions, tree: exp.Expression) -> tuple[exp.Expression, exp.Expression | None]:
    if isinstance(tree, exp.Anonymous):
        value, charset = arguments(tree, 2)
        return value, charset
    e.only(tree, "this", "charset")
    return tree.this, tree.args.get("charset")


def _encode(e: Expressions, tree: exp.Expression) -> Scalar:
    """`encode(text)` gives its bytes, `encode(bytes, 'hex')` text."""
    this, name = _parts(e, tree)
    charset = _charset(e, name)
    value = e.bind(this)
    if charset == "utf8":
        return value if value.dtype == BINARY else call("encode_utf8", value)
    return call(_ENCODERS[charset], value)


def _decode(e: Expressions, tree: exp.Expression) -> Scalar:
    """`decode(bytes)` gives text, `decode(text, 'hex')` bytes."""
    this, name = _parts(e, tree)
    charset = _charset(e, name)
    value = e.bind(this)
    if charset == "utf8":
        return value if value.dtype == STRING else call("decode_utf8", value)
    return call(_DECODERS[charset], value)


def _sha2(e: Expressions, tree: exp.Expression) -> Scalar:
    """In hexadecimal digits; PostgreSQL's give bytes."""
    e.only(tree, "this", "length")
    length = tree.args.get("length")
    bits = 256 if length is None else e.constant(length, "the length of the digest", int)
    function = _SHA2.get(bits or 256)
    if function is None:
        raise UnsupportedError(
            f"SHA-2 digests of {bits} bits are not supported", hint="there are 224, 256, 384 and 512"
        )
    found = e.apply(function, tree.this)
    return call("hex_decode", found) if isinstance(tree, exp.SHA2Digest) else found


def _bytes(function: str) -> Handler:
    """A digest as bytes."""

    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        e.only(tree, "this")
        return call("hex_decode", e.apply(function, tree.this))

    return bind


def _digest(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`digest(x, 'sha256')`, as bytes."""
    value, method = arguments(tree, 2)
    name = e.constant(method, "the method", str).lower()
    if name not in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512"):
        raise e.error(method, UnsupportedError, f"the digest {name!r} is not supported")
    return call("hex_decode", e.apply(name, value))


FORMS: dict[type | str, Handler] = {
    exp.Decode: _decode,
    exp.Encode: _encode,
    exp.FromBase64: plain("base64_decode", "this"),
    exp.MD5: plain("md5", "this"),
    exp.MD5Digest: _bytes("md5"),
    exp.SHA: plain("sha1", "this"),
    exp.SHA1Digest: _bytes("sha1"),
    exp.SHA2: _sha2,
    exp.SHA2Digest: _sha2,
    exp.ToBase64: plain("base64_encode", "this"),
    exp.Unhex: plain("hex_decode", "this"),
    "base64": named("base64_encode", 1),
    "decode/2": _decode,
    "digest": _digest,
    "encode/2": _encode,
    "octet_length": named("byte_length", 1),
    "strlen": named("byte_length", 1),
}

__all__ = ["FORMS"]
