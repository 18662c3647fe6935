"""Patterns that a plainer test of text says as well."""

from __future__ import annotations

from lazyframe.planner import arrow
from lazyframe.planner.algebra.law import law
from lazyframe.planner.algebra.points import MIRRORED, constant_unless_null
from lazyframe.planner.functions.patterns import ANY, like_parts
from lazyframe.planner.scalars import PATTERN, Call, Literal, Scalar, is_volatile
from lazyframe.planner.types import STRING

# From where each counts the characters that it takes from the start of a text.
_FIRST = {"substr": 1, "substring": 0, "head_of_string": None}


@law(PATTERN)
def plainer_pattern(scalar: Scalar) -> Scalar | None:
    """`like(x, 'a%')` as `starts_with(x, 'a')`, and its like; `substr(x, 1, 2) == 'ab'` as `starts_with(x, 'ab')`."""
    match scalar:
        case Call(function="like", args=(x, Literal() as pattern)) if x.dtype == STRING:
            return _like(x, pattern, "")
        case Call(function="like", args=(x, Literal() as pattern, Literal() as escape)) if x.dtype == STRING:
            character = _text(escape)
            return None if character is None or len(character) > 1 else _like(x, pattern, character)
        case Call(function="starts_with", args=(x, Literal() as text)) if _text(text) == "" and not is_volatile(x):
            return constant_unless_null(x, value=True)
        case Call(function="equal" | "not_equal" as function, args=(Call() as call, Literal() as text)):
            return _start(function, call, text)
        case Call(function="equal" | "not_equal" as function, args=(Literal() as text, Call() as call)):
            return _start(MIRRORED[function], call, text)
    return None


def _text(literal: Literal) -> str | None:
    value = literal.value.as_py() if literal.dtype == STRING else None
    return value if isinstance(value, str) else None


def _constant(text: str) -> Literal:
    return Literal(arrow.scalar(text, STRING))


def _like(x: Scalar, pattern: Literal, escape: str) -> Scalar | None:
    text = _text(pattern)
    parts = None if text is None else like_parts(text, escape)
    match parts:
        case ():
            return Call("equal", (x, _constant("")))
        case (str(whole),):
            return Call("equal", (x, _constant(whole)))
        case (only,) if only is ANY and not is_volatile(x):
            return constant_unless_null(x, value=True)
        case (str(start), last) if last is ANY:
            return Call("starts_with", (x, _constant(start)))
        case (first, str(end)) if first is ANY:
            return Call("ends_with", (x, _constant(end)))
        case (first, str(inside), last) if first is ANY and last is ANY:
            return Call("contains", (x, _constant(inside)))
    return None


def _start(function: str, call: Call, literal: Literal) -> Scalar | None:
    """A comparison of the first characters of a text with a constant."""
    text = _text(literal)
    count = _first_characters(call)
    if text is None or count is None or is_volatile(call.args[0]):
        return None
    x = call.args[0]
    if len(text) > count:
        return constant_unless_null(x, value=function == "not_equal")
    if len(text) < count:
        return Call(function, (x, literal))
    found = Call("starts_with", (x, literal))
    return found if function == "equal" else Call("not", (found,))


def _first_characters(call: Call) -> int | None:
    """How many characters from the start a call gives; None where it gives others."""
    if call.function not in _FIRST or call.args[0].dtype != STRING:
        return None
    numbers = [arg.value.as_py() if isinstance(arg, Literal) else None for arg in call.args[1:]]
    if call.function != "head_of_string":
        if len(numbers) != 2 or numbers[0] != _FIRST[call.function]:
            return None
        numbers = numbers[1:]
    (count,) = numbers
    return count if isinstance(count, int) and count > 0 else None
