"""SQL's functions that tell of types, versions and identifiers; and constants with a prefix."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.types import sql_name
from lazyframe.planner.sql.functions.arguments import arguments
from lazyframe.planner.sql.functions.draws import draw
from lazyframe.planner.types import BINARY, INT64

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "'": "'", '"': '"'}


def _type_of(e: Expressions, tree: exp.Expression) -> Scalar:
    (arg,) = arguments(tree, 1) if isinstance(tree, exp.Anonymous) else [tree.this]
    name = sql_name(e.bind(arg).dtype)
    return literal(name.lower() if isinstance(tree, exp.Anonymous) and tree.name.lower() == "pg_typeof" else name)


def _arrow_type_of(e: Expressions, tree: exp.Anonymous) -> Scalar:
    return literal(str(e.bind(arguments(tree, 1)[0]).dtype))


def _version(e: Expressions, tree: exp.Expression) -> Scalar:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return literal(f"lazyframe {version('lazyframe-engine')}")
    except PackageNotFoundError:
        return literal("lazyframe")


def _uuid(e: Expressions, tree: exp.Uuid) -> Scalar:
    e.only(tree, "is_string")
    return draw(tree, "uuid")


def _main(e: Expressions, tree: exp.Expression) -> Scalar:
    return literal("main")


def _unsupported(what: str, hint: str | None = None) -> Handler:
    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        raise e.error(tree, UnsupportedError, f"{what} is not supported", hint)

    return bind


def _escaped(e: Expressions, tree: exp.ByteString) -> Scalar:
    r"""`E'a\tb'`: text with C's escapes; in dialects where it is bytes, bytes."""
    text = tree.name
    if tree.args.get("is_bytes"):
        raise e.error(
            tree, UnsupportedError, "constants of bytes with escapes are not supported", r"write '\xAB'::BLOB"
        )
    pieces: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        position += 1
        if character != "\\":
            pieces.append(character)
            continue
        if position == len(text):
            raise e.error(tree, InvalidArgumentError, "the text ends with a single backslash")
        following = text[position]
        position += 1
        width = {"x": 2, "u": 4, "U": 8}.get(following)
        if width is None:
            pieces.append(_ESCAPES.get(following, following))
            continue
        digits = text[position : position + width]
        try:
            pieces.append(chr(int(digits, 16)))
        except (ValueError, OverflowError):
            raise e.error(tree, InvalidArgumentError, f"not a character: \\{following}{digits}") from None
        position += len(digits)
    return literal("".join(pieces))


def _hexadecimal(e: Expressions, tree: exp.HexString) -> Scalar:
    r"""`x'AB'` is bytes, `0xAB` a number."""
    digits = tree.name
    if e.statement.dialect == "postgres":
        raise e.error(tree, UnsupportedError, "a string of bits is not supported", r"bytes are written '\x1F'::bytea")
    if tree.args.get("is_integer") or digits.lower().startswith("0x"):
        return literal(int(digits, 16), INT64)
    try:
        return literal(bytes.fromhex(digits), BINARY)
    except ValueError:
        raise e.error(tree, InvalidArgumentError, f"not hexadecimal digits, two for each byte: {digits!r}") from None


def _text(e: Expressions, tree: exp.Expression) -> Scalar:
    return literal(tree.name)


FORMS: dict[type | str, Handler] = {
    exp.BitString: _unsupported("a string of bits"),
    exp.ByteString: _escaped,
    exp.CurrentSchema: _main,
    exp.CurrentUser: _unsupported("current_user"),
    exp.CurrentVersion: _version,
    exp.HexString: _hexadecimal,
    exp.National: _text,
    exp.RawString: _text,
    exp.Typeof: _type_of,
    exp.UnicodeString: _unsupported("a Unicode string"),
    exp.Uuid: _uuid,
    "arrow_typeof": _arrow_type_of,
    "gen_random_uuid": lambda e, tree: draw(tree, "uuid"),
    "uuidv4": lambda e, tree: draw(tree, "uuid"),
    "histogram": _unsupported("histogram()", "GROUP BY the value, or width_bucket() of it, and count(*)"),
    "list_histogram": _unsupported("list_histogram()", "unnest the list, GROUP BY the item, and count(*)"),
    "pg_typeof": _type_of,
    "setseed": _unsupported("setseed()"),
}

__all__ = ["FORMS"]
