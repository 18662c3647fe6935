"""SQL's functions that take the paths of files apart: `parse_filename`, `parse_path`, `parse_dirname`, `parse_dirpath`."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call, choice
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.functions.arguments import arguments
from lazyframe.planner.sql.functions.conditional import guarded

_SEPARATORS = {"system": "/", "forward_slash": "/", "backslash": r"\\", "both_slash": r"/\\"}
"""What separates the parts of a path, as a class of characters, by the word that SQL has for it."""


def _separators(e: Expressions, tree: exp.Expr | None) -> str:
    if tree is None:
        return _SEPARATORS["both_slash"]
    word = e.constant(tree, "the separator", str)
    if word not in _SEPARATORS:
        known = ", ".join(_SEPARATORS)
        raise e.error(tree, InvalidArgumentError, f"the separator of paths is one of {known}, not {word!r}")
    return _SEPARATORS[word]


def _filename(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """The last part of a path; without its extension where the second argument is true."""
    path, *rest = arguments(tree, 1, 2, 3)
    trimmed = False
    if rest and isinstance(rest[0], exp.Boolean):
        trimmed = bool(rest[0].this)
        rest = rest[1:]
    if len(rest) > 1:
        raise e.error(rest[0], InvalidArgumentError, "whether the extension is left out must be true or false")
    separators = _separators(e, rest[0] if rest else None)
    name = call("extract", e.bind(path), literal(rf"[^{separators}]*\z"), group=0)
    return call("regexp_replace", name, literal(r"\.[^.]*\z"), literal(""), n=1) if trimmed else name


def _first_directory(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """The first part of a path, or the root where it begins there; nothing of a file's name alone."""
    path, *rest = arguments(tree, 1, 2)
    value, separators = e.bind(path), _separators(e, rest[0] if rest else None)
    first = call("regexp_extract", value, literal(rf"\A(?:[{separators}]|[^{separators}]+)"), group=0)
    within = call("regexp_matches", value, literal(f"[{separators}]"))
    return guarded(value, choice([within], [None, None], [first, literal("")]))


def _directory(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """What stands before the last part of a path."""
    path, *rest = arguments(tree, 1, 2)
    separators = _separators(e, rest[0] if rest else None)
    return call("regexp_extract", e.bind(path), literal(rf"(?s)\A(.*)[{separators}]"), group=1)


def _parts(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """The parts of a path in a list, the first of which is the root where it begins there."""
    path, *rest = arguments(tree, 1, 2)
    separators = _separators(e, rest[0] if rest else None)
    return call("extract_all", e.bind(path), literal(rf"\A[{separators}]|[^{separators}]+"), group=0)


FORMS: dict[type | str, Handler] = {
    "parse_dirname": _first_directory,
    "parse_dirpath": _directory,
    "parse_filename": _filename,
    "parse_path": _parts,
}

__all__ = ["FORMS"]
