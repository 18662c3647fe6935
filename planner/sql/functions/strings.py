"""SQL's functions of text."""

from __future__ import annotations

import re

from sqlglot import exp

from lazyframe.planner.bind import call, choice
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.functions.patterns import regex_error
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.casts import converted
from lazyframe.planner.sql.functions.arguments import arguments, constant_of, named, plain
from lazyframe.planner.sql.functions.conditional import guarded
from lazyframe.planner.sql.functions.lists import contains, list_of_text
from lazyframe.planner.types import BINARY, INT64, STRING, is_integer, is_list, is_null, type_name

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d*)\}|[{}]")
_DIRECTIVE = re.compile(r"%(%|s|d|i)|%")


def _text(value: Scalar) -> Scalar:
    """The value as text; bytes are no text."""
    return value if value.dtype == BINARY else converted(value, STRING)


def _concat(e: Expressions, tree: exp.Concat) -> Scalar:
    """Nulls are left out; in dialects that say so, one makes all null. Lists are joined as lists."""
    e.only(tree, "expressions", "safe", "coalesce")
    values = [e.bind(part) for part in tree.expressions]
    if any(is_list(value.dtype) for value in values):
        return call("list_concat", *values)
    if tree.args.get("coalesce"):
        return call("concat", *values)
    return call("concat_strings", *[_text(value) for value in values])


def _concat_ws(e: Expressions, tree: exp.ConcatWs) -> Scalar:
    e.only(tree, "expressions", "safe", "coalesce")
    return e.apply("concat_ws", *tree.expressions)


def _substring(e: Expressions, tree: exp.Substring) -> Scalar:
    """By position, or `substring(text FROM pattern)`."""
    e.only(tree, "this", "start", "length")
    start, length = tree.args.get("start"), tree.args.get("length")
    place = e.bind(start) if start is not None else literal(1)
    if place.dtype != STRING:
        return call("substr", e.bind(tree.this), place, *([e.bind(length)] if length is not None else []))
    assert start is not None
    if length is not None:
        raise UnsupportedError("substring() of a pattern with an escape is not supported")
    pattern = e.constant(start, "the pattern", str)
    # The first group is meant where there is one.
    has_group = regex_error(pattern) is None and regex_error(pattern, r"\1") is None
    return call("extract", e.bind(tree.this), place, group=int(has_group))


def _end(function: str) -> Handler:
    """`left` and `right`."""
    return plain(function, "this", "expression")


def _position(e: Expressions, tree: exp.StrPosition) -> Scalar:
    e.only(tree, "this", "substr")
    text, part = e.bind(tree.this), e.bind(tree.args["substr"])
    if is_list(text.dtype):
        return call("list_position", text, part)
    return call("position", text, part)


def _trim(e: Expressions, tree: exp.Trim) -> Scalar:
    e.only(tree, "this", "expression", "position")
    side = str(tree.args.get("position") or "BOTH").upper()
    function = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[side]
    characters = tree.args.get("expression")
    return e.apply(function, tree.this, *([characters] if characters is not None else []))


def _pad(e: Expressions, tree: exp.Pad) -> Scalar:
    e.only(tree, "this", "expression", "fill_pattern", "is_left")
    fill = tree.args.get("fill_pattern")
    function = "lpad" if tree.args.get("is_left") else "rpad"
    return e.apply(function, tree.this, tree.expression, *([fill] if fill is not None else []))


def _unicode(e: Expressions, tree: exp.Expression) -> Scalar:
    """The number of the first character; -1 of an empty text, in dialects that say so 0."""
    arg = arguments(tree, 1)[0] if isinstance(tree, exp.Anonymous) else tree.this
    text = e.bind(arg)
    number = cast(call("ascii", text), INT64)
    if tree.args.get("empty_is_zero"):
        return number
    return choice([call("equal", text, literal(""))], [None, None], [literal(-1), number])


def _character(e: Expressions, tree: exp.Chr) -> Scalar:
    e.only(tree, "expressions")
    return e.apply("chr", *arguments(tree, 1))


def _split_part(e: Expressions, tree: exp.SplitPart) -> Scalar:
    e.only(tree, "this", "delimiter", "part_index")
    if tree.args.get("part_index") is None:
        raise InvalidArgumentError("split_part() takes a text, a separator and the number of a part")
    return e.apply("split_part", tree.this, tree.args["delimiter"], tree.args["part_index"])


def _split(e: Expressions, tree: exp.Split) -> Scalar:
    """`string_split(text, separator)`; a third argument is the text that stands for null."""
    e.only(tree, "this", "expression", "limit", "null_returns_null")
    parts = e.apply("split", tree.this, tree.expression)
    absent = tree.args.get("limit")
    return parts if absent is None else _with_nulls(e, parts, absent)


def _with_nulls(e: Expressions, parts: Scalar, absent: exp.Expression) -> Scalar:
    text = e.constant(absent, "the text that stands for null", str)
    return call("list_replace", parts, literal(text), literal(None, STRING))


def _string_to_array(e: Expressions, tree: exp.StringToArray) -> Scalar:
    """PostgreSQL's: no text has no parts, and an empty separator leaves the text whole."""
    e.only(tree, "this", "expression", "null")
    text = e.bind(tree.this)
    separator = e.constant(tree.expression, "the separator", str)
    whole = call("make_list", text) if not separator else call("split", text, literal(separator))
    none = call("list_remove", call("make_list", literal("")), literal(""))
    parts = guarded(text, choice([call("equal", text, literal(""))], [None, None], [none, whole]))
    absent = tree.args.get("null")
    return parts if absent is None else _with_nulls(e, parts, absent)


def _contains(e: Expressions, tree: exp.Contains) -> Scalar:
    e.only(tree, "this", "expression")
    return contains(e, tree.this, tree.expression)


def _overlay(e: Expressions, tree: exp.Overlay) -> Scalar:
    e.only(tree, "this", "expression", "from_", "for_")
    text, new, start = (e.bind(part) for part in (tree.this, tree.expression, tree.args["from_"]))
    length = e.bind(tree.args["for_"]) if tree.args.get("for_") is not None else call("length", new)
    before = call("substr", text, literal(1), call("subtract", start, literal(1)))
    return call("concat_strings", before, new, call("substr", text, call("add", start, length)))


def _format(e: Expressions, tree: exp.Format) -> Scalar:
    """`format('{} of {1}', a, b)`, without forms inside the braces."""
    template = e.constant(tree.this, "the format", str)
    pieces: list[Scalar] = []
    position, count = 0, 0
    for m in _PLACEHOLDER.finditer(template):
        pieces.append(literal(template[position : m.start()]))
        position = m.end()
        if m[0] in ("{{", "}}"):
            pieces.append(literal(m[0][0]))
            continue
        if m[1] is None:
            raise e.error(tree, UnsupportedError, f"the format {template!r} is not supported", "write plain {}")
        place = int(m[1]) if m[1] else count
        count += 1
        pieces.append(_argument(e, tree, tree.expressions, place, template))
    return call("concat_strings", *pieces, literal(template[position:]))


def _argument(e: Expressions, tree: exp.Expression, args: list[exp.Expression], place: int, template: str) -> Scalar:
    if place >= len(args):
        raise e.error(tree, InvalidArgumentError, f"the format {template!r} wants more than {len(args)} arguments")
    return _text(e.bind(args[place]))


def _printf(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """With %s of anything and %d of integers, without widths."""
    if not tree.expressions:
        raise InvalidArgumentError("printf() takes a format and its arguments")
    template = e.constant(tree.expressions[0], "the format", str)
    args = tree.expressions[1:]
    pieces: list[Scalar] = []
    position, place = 0, 0
    for m in _DIRECTIVE.finditer(template):
        pieces.append(literal(template[position : m.start()]))
        position = m.end()
        if m[1] == "%":
            pieces.append(literal("%"))
            continue
        if m[1] is None:
            raise e.error(tree, UnsupportedError, f"the format {template!r} is not supported", "write plain %s or %d")
        piece = _argument(e, tree, args, place, template)
        if m[1] in "di":
            number = e.bind(args[place])
            if not is_integer(number.dtype) and not is_null(number.dtype):
                raise e.error(args[place], InvalidArgumentError, f"%d wants an integer, not {type_name(number.dtype)}")
        place += 1
        pieces.append(piece)
    return call("concat_strings", *pieces, literal(template[position:]))


def _find_in_set(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """The place of a text in a list written with commas; 0 where it has none."""
    text, texts = (e.bind(part) for part in arguments(tree, 2))
    place = call("list_position", call("split", texts, literal(",")), text)
    found = call("coalesce", place, literal(0))
    return guarded(text, guarded(texts, found))


def _spaces(e: Expressions, tree: exp.Space) -> Scalar:
    return call("repeat", literal(" "), e.bind(tree.this))


def _normalize(e: Expressions, tree: exp.Normalize) -> Scalar:
    e.only(tree, "this", "form")
    form = tree.args.get("form")
    if form and not isinstance(form, exp.Var):
        raise e.error(form, InvalidArgumentError, "a normal form is one of NFC, NFD, NFKC and NFKD")
    return e.apply("normalize", tree.this, form=form.name.upper() if form else "NFC")


def _array_to_string(e: Expressions, tree: exp.ArrayToString) -> Scalar:
    e.only(tree, "this", "expression", "null")
    return joined(e, tree.this, tree.expression, tree.args.get("null"))


def joined(
    e: Expressions, items: exp.Expression, separator: exp.Expression | Scalar, absent: exp.Expression | None = None
) -> Scalar:
    """The items of a list as one text; nulls are left out, or written as a text."""
    texts = list_of_text(e.bind(items))
    if absent is not None:
        texts = call("list_replace", texts, literal(None, STRING), e.bind(absent))
    return call("list_join", texts, separator if isinstance(separator, Scalar) else e.bind(separator))


def _list_to_string(e: Expressions, tree: exp.Anonymous) -> Scalar:
    items, separator, *absent = arguments(tree, 2, 3)
    return joined(e, items, separator, absent[0] if absent else None)


def _length(e: Expressions, tree: exp.Length) -> Scalar:
    e.only(tree, "this")
    return call("length", e.bind(tree.this))


def _repeat(e: Expressions, tree: exp.Repeat) -> Scalar:
    e.only(tree, "this", "times")
    value = e.bind(tree.this)
    times = e.bind(tree.args["times"])
    if is_list(value.dtype):
        count = constant_of(times)
        if not isinstance(count, int) or count > 1000:
            raise e.error(tree, UnsupportedError, "a list is repeated a constant number of times, up to 1000")
        nothing = call("list_head", value, literal(0))
        return call("list_concat", *[value] * count) if count > 0 else nothing
    return call("repeat", value, times)


FORMS: dict[type | str, Handler] = {
    exp.ArrayToString: _array_to_string,
    exp.Ascii: plain("ascii", "this"),
    exp.BitLength: plain("bit_length", "this"),
    exp.Chr: _character,
    exp.Concat: _concat,
    exp.ConcatWs: _concat_ws,
    exp.Contains: _contains,
    exp.EndsWith: plain("ends_with", "this", "expression"),
    exp.Format: _format,
    exp.Initcap: plain("initcap", "this", flags=("expression",)),
    exp.JarowinklerSimilarity: plain("jaro_winkler", "this", "expression"),
    exp.Left: _end("head_of_string"),
    exp.Length: _length,
    exp.Levenshtein: plain("levenshtein", "this", "expression"),
    exp.Lower: plain("lower", "this"),
    exp.Normalize: _normalize,
    exp.Overlay: _overlay,
    exp.Pad: _pad,
    exp.Repeat: _repeat,
    exp.Replace: plain("replace", "this", "expression", "replacement"),
    exp.Reverse: plain("reverse", "this"),
    exp.Right: _end("tail_of_string"),
    exp.Space: _spaces,
    exp.Split: _split,
    exp.SplitPart: _split_part,
    exp.StartsWith: plain("starts_with", "this", "expression"),
    exp.StringToArray: _string_to_array,
    exp.StrPosition: _position,
    exp.Substring: _substring,
    exp.SubstringIndex: plain("substring_index", "this", "delimiter", "count"),
    exp.Translate: plain("translate", "this", "from_", "to"),
    exp.Trim: _trim,
    exp.Unicode: _unicode,
    exp.Upper: plain("upper", "this"),
    "editdist3": named("levenshtein", 2),
    "find_in_set": _find_in_set,
    "formatreadabledecimalsize": named("format_bytes", 1, base=1000),
    "list_aggr_join": _list_to_string,
    "list_join": _list_to_string,
    "list_to_string": _list_to_string,
    "ord": _unicode,
    "printf": _printf,
    "str_split": named("split", 2),
    "string_split": named("split", 2),
    "string_to_list": named("split", 2),
}

__all__ = ["FORMS", "joined"]
