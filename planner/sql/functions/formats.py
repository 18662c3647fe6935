"""Dates and times written by a format and read by one: `strftime`, `strptime`, `to_char`, `to_date`."""

from __future__ import annotations

import re

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.casts import converted
from lazyframe.planner.sql.expressions.types import TIMESTAMP
from lazyframe.planner.sql.functions.arguments import arguments, plain
from lazyframe.planner.types import DATE, STRING, is_numeric, is_time, is_timestamp, type_name

_PATTERNS = {
    "YYYY": "%Y", "IYYY": "%G", "YY": "%y", "DDD": "%j", "DD": "%d", "MM": "%m", "MI": "%M", "MS": "%3f", "US": "%6f",
    "HH24": "%H", "HH12": "%I", "HH": "%I", "SS": "%S", "AM": "%p", "PM": "%p", "FMMonth": "%B", "Mon": "%b", "FMDay": "%A",
    "Dy": "%a", "ID": "%u", "IW": "%V", "Q": "%q", "FMDD": "%-d", "FMMM": "%-m", "FMHH24": "%-H", "FMHH12": "%-I",
    "FMMI": "%-M", "FMSS": "%-S", "TZ": "%Z", "OF": "%z",
}  # fmt: skip
_TOKEN = re.compile("|".join(sorted(_PATTERNS, key=len, reverse=True)) + r'|"([^"]*)"|[A-Za-z]+|[^A-Za-z"]+')
_DIRECTIVE = re.compile("(%-?[A-Za-z])")


def _directives(template: str) -> str:
    """A format of PostgreSQL's as one of C's; those that have C's directives stay.

    Raises:
        UnsupportedError: at a pattern that we do not have.

    >>> _directives("YYYY-MM-DD HH24:MI"), _directives('"day "FMDD')
    ('%Y-%m-%d %H:%M', 'day %-d')
    """
    if "%" in template:
        return template
    return _translated(template)


def _of_postgres(template: str) -> str:
    """A format that sqlglot has made of PostgreSQL's: it has translated what it knows, and left the rest as it was."""
    # It has taken the D of Dy and Day for a pattern of its own.
    parts = _DIRECTIVE.split(template.replace("FM%uay", "%A").replace("%uy", "%a"))
    for directive in parts[1::2]:
        if directive in ("%u", "%U"):
            # D counts from Sunday, and WW from the first of January.
            raise UnsupportedError(f"the pattern {'D' if directive == '%u' else 'WW'!r} in a format is not supported")
    return "".join([part if place % 2 else _translated(part) for place, part in enumerate(parts)])


def _translated(template: str) -> str:
    pieces: list[str] = []
    for m in _TOKEN.finditer(template):
        if m[0] in _PATTERNS:
            pieces.append(_PATTERNS[m[0]])
        elif m[1] is not None:
            pieces.append(m[1])
        elif m[0][0].isalpha():
            hint = f"write FM{m[0]}, which is not filled with spaces" if m[0] in ("Month", "Day") else None
            raise UnsupportedError(f"the pattern {m[0]!r} in the format {template!r} is not supported", hint=hint)
        else:
            pieces.append(m[0])
    return "".join(pieces)


def _format(e: Expressions, tree: exp.Expression) -> Scalar:
    """A format that is a constant translated, or an expression as it is."""
    if not e.is_constant(tree):
        return e.bind(tree)
    template = e.constant(tree, "the format", str)
    spoken = (
        _of_postgres if e.statement.dialect in ("postgres", "redshift", "materialize", "risingwave") else _directives
    )
    return literal(spoken(template))


def _written(e: Expressions, value: exp.Expression, template: exp.Expression) -> Scalar:
    """A date or time by a format; the two may come in either order."""
    first = e.bind(value)
    if first.dtype == STRING:
        second = e.bind(template)
        if second.dtype == DATE or is_timestamp(second.dtype) or is_time(second.dtype):
            return call("strftime", second, _format(e, value))
    if is_numeric(first.dtype):
        raise e.error(value, UnsupportedError, "numbers are not written by a format", "cast them to VARCHAR")
    if first.dtype == STRING:
        raise e.error(value, TypeMismatchError, f"only dates and times have a format, not {type_name(first.dtype)}")
    return call("strftime", first, _format(e, template))


def _strftime(e: Expressions, tree: exp.TimeToStr) -> Scalar:
    e.only(tree, "this", "format")
    return _written(e, tree.this, tree.args["format"])


def _to_char(e: Expressions, tree: exp.ToChar) -> Scalar:
    e.only(tree, "this", "format")
    if tree.args.get("format") is None:
        return converted(e.bind(tree.this), STRING)
    return _written(e, tree.this, tree.args["format"])


def _written_by_name(e: Expressions, tree: exp.Anonymous) -> Scalar:
    value, template = arguments(tree, 2)
    return _written(e, value, template)


def parsed_by(e: Expressions, text: exp.Expression, template: exp.Expression, *, strict: bool = True) -> Scalar:
    """A timestamp read by a format, or by the first of a list of them that suits."""
    value = e.bind(text)
    if not isinstance(template, exp.Array):
        return _parsed(value, _format(e, template), strict=strict)
    formats = template.expressions
    if not formats:
        raise e.error(template, InvalidArgumentError, "the list of formats is empty")
    tried = [_parsed(value, _format(e, each), strict=False) for each in formats[:-1]]
    return call("coalesce", *tried, _parsed(value, _format(e, formats[-1]), strict=strict))


def _parsed(value: Scalar, template: Scalar, *, strict: bool) -> Scalar:
    from lazyframe.planner.sql.functions.arguments import constant_of

    known = constant_of(template)
    zoned = isinstance(known, str) and "%z" in known
    options: dict[str, object] = {"time_zone": "UTC"} if zoned else {}
    if not strict:
        options["strict"] = False
    found = call("parse_datetime", value, template, **options)
    return cast(found, pa.timestamp("us", "UTC") if zoned else TIMESTAMP)


def _strptime(e: Expressions, tree: exp.StrToTime) -> Scalar:
    e.only(tree, "this", "format", "safe")
    return parsed_by(e, tree.this, tree.args["format"], strict=not tree.args.get("safe"))


def _parsed_by_name(*, strict: bool) -> Handler:
    def bind(e: Expressions, tree: exp.Anonymous) -> Scalar:
        text, template = arguments(tree, 2)
        return parsed_by(e, text, template, strict=strict)

    return bind


def _to_date(e: Expressions, tree: exp.Expression) -> Scalar:
    """A date from text by its usual form or by a format, or from a timestamp."""
    if isinstance(tree, exp.Anonymous):
        value, *rest = arguments(tree, 1, 2)
        template = rest[0] if rest else None
    else:
        e.only(tree, "this", "format", "safe")
        value, template = tree.this, tree.args.get("format")
    if template is None:
        return converted(e.bind(value), DATE, lenient=bool(tree.args.get("safe")))
    return cast(parsed_by(e, value, template, strict=not tree.args.get("safe")), DATE)


FORMS: dict[type | str, Handler] = {
    exp.Dayname: plain("day_name", "this"),
    exp.Monthname: plain("month_name", "this"),
    exp.StrToDate: _to_date,
    exp.StrToTime: _strptime,
    exp.TimeToStr: _strftime,
    exp.ToChar: _to_char,
    "date_format": _written_by_name,
    "strftime": _written_by_name,
    "strptime": _parsed_by_name(strict=True),
    "to_date": _to_date,
    "try_strptime": _parsed_by_name(strict=False),
}

__all__ = ["FORMS", "parsed_by"]
