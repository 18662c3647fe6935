"""SQL's regular expressions and its other patterns. LIKE stands with the predicates."""

from __future__ import annotations

import re

from sqlglot import exp

from lazyframe.planner.bind import call, choice
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.functions.patterns import regex_error
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar, null_of
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.functions.arguments import arguments, constant_of, named
from lazyframe.planner.sql.functions.conditional import guarded

_FLAGS = {"i": "i", "s": "s", "m": "m", "n": "m", "c": "", "g": ""}


def _flags(e: Expressions, tree: exp.Expression | None, *, everywhere: bool = False) -> str:
    """The letters behind a pattern.

    Args:
        tree: the argument that has them.
        everywhere: whether `g` means something here; elsewhere it is an error.
    """
    if tree is None:
        return ""
    letters = e.constant(tree, "the flags of a regular expression", str)
    for letter in letters:
        if letter not in _FLAGS or (letter == "g" and not everywhere):
            raise e.error(
                tree, UnsupportedError, f"regular expressions with the flag {letter!r} are not supported here"
            )
    return letters


def _pattern(e: Expressions, tree: exp.Expression, flags: str = "", *, whole: bool = False) -> Scalar:
    """A regular expression with its flags written into it, and matching all of a text where `whole`."""
    inline = "".join(dict.fromkeys(_FLAGS[letter] for letter in flags))
    prefix = f"(?{inline})" if inline else ""
    pattern = e.bind(tree)
    if whole:
        prefix += r"\A(?:"
    if not prefix:
        return pattern
    suffix = r")\z" if whole else ""
    known = constant_of(pattern)
    if isinstance(known, str):
        return literal(prefix + known + suffix)
    return call("concat_strings", literal(prefix), pattern, literal(suffix))


def _matches(e: Expressions, tree: exp.RegexpLike) -> Scalar:
    e.only(tree, "this", "expression", "flag", "full_match")
    flags = _flags(e, tree.args.get("flag"))
    pattern = _pattern(e, tree.expression, flags, whole=bool(tree.args.get("full_match")))
    return call("regexp_matches", e.bind(tree.this), pattern)


def _matches_in_any_case(e: Expressions, tree: exp.RegexpILike) -> Scalar:
    e.only(tree, "this", "expression", "flag")
    flags = "i" + _flags(e, tree.args.get("flag"))
    return call("regexp_matches", e.bind(tree.this), _pattern(e, tree.expression, flags))


def _matches_all(e: Expressions, tree: exp.RegexpFullMatch) -> Scalar:
    e.only(tree, "this", "expression", "options")
    pattern = _pattern(e, tree.expression, _flags(e, tree.args.get("options")), whole=True)
    return call("regexp_matches", e.bind(tree.this), pattern)


def _similar(e: Expressions, tree: exp.SimilarTo) -> Scalar:
    """As DuckDB has it: the pattern is a regular expression for all of the text."""
    e.only(tree, "this", "expression")
    return call("regexp_matches", e.bind(tree.this), _pattern(e, tree.expression, whole=True))


def _by_name(e: Expressions, tree: exp.Anonymous) -> Scalar:
    text, pattern, *flags = arguments(tree, 2, 3)
    return call("regexp_matches", e.bind(text), _pattern(e, pattern, _flags(e, flags[0] if flags else None)))


def _replace(e: Expressions, tree: exp.RegexpReplace) -> Scalar:
    """The first match, or with the flag g all of them; in dialects that say so always all of them."""
    e.only(tree, "this", "expression", "replacement", "modifiers", "single_replace")
    flags = _flags(e, tree.args.get("modifiers"), everywhere=True)
    everywhere = "g" in flags or not tree.args.get("single_replace")
    new = e.bind(tree.args["replacement"]) if tree.args.get("replacement") is not None else literal("")
    pattern = _pattern(e, tree.expression, flags)
    return call("regexp_replace", e.bind(tree.this), pattern, new, n=None if everywhere else 1)


def _group(e: Expressions, tree: exp.Expression) -> int:
    group = tree.args.get("group")
    if group is None:
        return 0
    number = e.constant(group, "the number of a group", int)
    if not 0 <= number <= 9:
        raise e.error(group, InvalidArgumentError, f"a group of a regular expression is from 0 to 9, not {number}")
    return number


def _extract(function: str) -> Handler:
    """One match, or all of them."""

    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        e.only(tree, "this", "expression", "group", "parameters", "null_if_pos_overflow")
        pattern = _pattern(e, tree.expression, _flags(e, tree.args.get("parameters")))
        group = tree.args.get("group")
        if isinstance(group, exp.Array) and function != "extract_all":
            return _named_groups(e, e.bind(tree.this), pattern, group)
        return call(function, e.bind(tree.this), pattern, group=_group(e, tree))

    return bind


def _named_groups(e: Expressions, text: Scalar, pattern: Scalar, names: exp.Array) -> Scalar:
    """The groups of the first match as the fields of a struct; texts without a match have empty ones."""
    known = constant_of(pattern)
    if not isinstance(known, str):
        raise e.error(names, UnsupportedError, "the pattern of groups with names must be a constant")
    found = [e.constant(name, "the name of a group", str) for name in names.expressions]
    if not found or len(set(found)) < len(found):
        raise e.error(names, InvalidArgumentError, "the groups have names that differ")
    if regex_error(known) is None and regex_error(known, rf"\{len(found)}") is not None:
        raise e.error(names, InvalidArgumentError, f"the pattern has fewer groups than the {len(found)} names")
    parts = [call("regexp_extract", text, pattern, group=place) for place in range(1, len(found) + 1)]
    return guarded(text, call("make_struct", *parts, names=tuple(found)))


def _groups(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`regexp_match(text, pattern)`: the groups of the first match as a list, or the match where there are none; else null."""
    text, written, *flags = arguments(tree, 2, 3)
    pattern = _pattern(e, written, _flags(e, flags[0] if flags else None))
    known = constant_of(pattern)
    if not isinstance(known, str):
        raise e.error(written, UnsupportedError, "the pattern of regexp_match() must be a constant")
    value = e.bind(text)
    count = 0
    while count < 9 and regex_error(known) is None and regex_error(known, rf"\{count + 1}") is None:
        count += 1
    parts = [call("extract", value, pattern, group=group) for group in (range(1, count + 1) if count else [0])]
    found = call("make_list", *parts)
    return choice([call("regexp_matches", value, pattern)], [None, None], [found, null_of(found.dtype)])


def _from(e: Expressions, text: Scalar, position: exp.Expression | None) -> Scalar:
    """The text from a position on."""
    if position is None:
        return text
    start = e.constant(position, "the position", int)
    if start < 1:
        raise e.error(position, InvalidArgumentError, f"a position in a text is 1 or more, not {start}")
    return call("substr", text, literal(start))


def _count(e: Expressions, tree: exp.RegexpCount) -> Scalar:
    e.only(tree, "this", "expression", "position", "parameters")
    text = _from(e, e.bind(tree.this), tree.args.get("position"))
    return call("regexp_count", text, _pattern(e, tree.expression, _flags(e, tree.args.get("parameters"))))


def _place(e: Expressions, tree: exp.RegexpInstr) -> Scalar:
    """Where a regular expression first matches, from 1; 0 where it does not."""
    e.only(tree, "this", "expression")
    text = e.bind(tree.this)
    found = call("regexp_find", text, e.bind(tree.expression))
    return guarded(text, call("coalesce", call("add", found, literal(1)), literal(0)))


def _split(e: Expressions, tree: exp.RegexpSplit) -> Scalar:
    e.only(tree, "this", "expression")
    return call("regexp_split", e.bind(tree.this), e.bind(tree.expression))


def _split_by_name(e: Expressions, tree: exp.Anonymous) -> Scalar:
    text, pattern, *flags = arguments(tree, 2, 3)
    return call("regexp_split", e.bind(text), _pattern(e, pattern, _flags(e, flags[0] if flags else None)))


def _glob(e: Expressions, tree: exp.Glob) -> Scalar:
    """A pattern of file names: `*`, `?` and `[a-z]`; case matters."""
    e.only(tree, "this", "expression")
    pattern = e.constant(tree.expression, "the pattern of GLOB", str)
    return call("regexp_matches", e.bind(tree.this), literal(rf"(?s)\A{_of_glob(pattern)}\z"))


def _of_glob(pattern: str) -> str:
    pieces: list[str] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "*":
            pieces.append(".*")
        elif character == "?":
            pieces.append(".")
        elif character == "\\" and position < len(pattern):
            pieces.append(re.escape(pattern[position]))
            position += 1
        elif character == "[" and (end := pattern.find("]", position + 1)) > 0:
            inside = pattern[position:end].replace("\\", r"\\")
            pieces.append(f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]")
            position = end + 1
        else:
            pieces.append(re.escape(character))
    found = "".join(pieces)
    if reason := regex_error(found):
        raise InvalidArgumentError(f"not a pattern of GLOB: {pattern!r}: {reason}")
    return found


FORMS: dict[type | str, Handler] = {
    exp.Glob: _glob,
    exp.RegexpCount: _count,
    exp.RegexpExtract: _extract("regexp_extract"),
    exp.RegexpExtractAll: _extract("extract_all"),
    exp.RegexpFullMatch: _matches_all,
    exp.RegexpILike: _matches_in_any_case,
    exp.RegexpInstr: _place,
    exp.RegexpLike: _matches,
    exp.RegexpReplace: _replace,
    exp.RegexpSplit: _split,
    exp.RegexpSubstr: _extract("extract"),
    exp.SimilarTo: _similar,
    "regexp_escape": named("regexp_escape", 1),
    "regexp_match": _groups,
    "regexp_matches": _by_name,
    "regexp_split_to_array": _split_by_name,
    "str_split_regex": _split_by_name,
    "string_split_regex": _split_by_name,
}

__all__ = ["FORMS"]
