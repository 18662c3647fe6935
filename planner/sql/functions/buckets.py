"""Windows of time of any width: `time_bucket` and `date_bin`."""

from __future__ import annotations

import datetime as dt

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.functions.spans import NO_SPAN, Span
from lazyframe.planner.scalars import Literal, Scalar, cast
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.intervals import parse_interval, span_of
from lazyframe.planner.sql.expressions.types import TIMESTAMP
from lazyframe.planner.sql.functions.arguments import arguments
from lazyframe.planner.types import DATE, STRING, is_timestamp, type_name

_DAY_NANOS = 86_400 * 10**9
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 (local time)
_MONDAY = dt.datetime(2000, 1, 3)  # noqa: DTZ001
_MONTHS_FROM = dt.datetime(2000, 1, 1)  # noqa: DTZ001


def _bucket(e: Expressions, tree: exp.Expression) -> Scalar:
    if isinstance(tree, exp.Anonymous):
        width, value, *rest = arguments(tree, 2, 3)
        origin = rest[0] if rest else None
    else:
        e.only(tree, "this", "expression", "unit", "origin")
        width, value = tree.this, tree.expression
        origin = tree.args.get("unit") or tree.args.get("origin")
    return _truncated(e, width, e.bind(value), origin)


def _truncated(e: Expressions, width: exp.Expression, value: Scalar, origin: exp.Expression | None) -> Scalar:
    span = _constant_span(e, width)
    if min(span) < 0 or span == NO_SPAN or (span.months and span != Span(span.months)):
        raise e.error(
            width, InvalidArgumentError, "the width of a window is of months alone, or of days and less, and not empty"
        )
    t = value.dtype
    if not (t == DATE or is_timestamp(t)):
        hint = "write DATE '...' or TIMESTAMP '...'" if t == STRING else None
        raise TypeMismatchError(f"only dates and timestamps fall into windows, not {type_name(t)}", hint=hint)
    if t == DATE and span.nanos:
        value = cast(value, TIMESTAMP)
    if span.days and span.nanos:
        span = Span(nanos=span.days * _DAY_NANOS + span.nanos)
    start = _MONTHS_FROM if span.months else _MONDAY
    shift = NO_SPAN
    if origin is not None:
        start, shift = _origin(e, origin, start)
    offset = _offset(e, span, start, width)
    parts = [int(a) + b for a, b in zip(offset, shift, strict=True)]
    return call("truncate", value, every=_text(span), offset=_text(Span(*parts)))


def _constant_span(e: Expressions, tree: exp.Expression) -> Span:
    if isinstance(tree, exp.Literal) and tree.is_string:
        return parse_interval(tree.this)
    found = span_of(e.bind(tree))
    if found is None:
        raise e.error(tree, InvalidArgumentError, "the width of a window must be a constant interval")
    return found


def _origin(e: Expressions, tree: exp.Expression, start: dt.datetime) -> tuple[dt.datetime, Span]:
    """Where a window begins: a constant timestamp, or an interval after the usual start."""
    value = e.bind(tree)
    shift = span_of(value)
    if shift is not None:
        return start, shift
    if value.dtype == STRING:
        raise e.error(
            tree, UnsupportedError, "windows of a named time zone are not supported", "write x AT TIME ZONE '...'"
        )
    if (
        not isinstance(value, Literal)
        or not value.value.is_valid
        or not (value.dtype == DATE or is_timestamp(value.dtype))
    ):
        raise e.error(tree, InvalidArgumentError, "the origin of windows must be a constant date or timestamp")
    known = value.value.as_py()
    if not isinstance(known, dt.datetime):
        known = dt.datetime.combine(known, dt.time())
    return known.replace(tzinfo=None), NO_SPAN


def _offset(e: Expressions, span: Span, start: dt.datetime, tree: exp.Expression) -> Span:
    """How far a window that begins at `start` lies behind the one that the engine counts from."""
    if span.months:
        if (start.day, start.time()) != (1, dt.time()):
            raise e.error(tree, UnsupportedError, "windows of months begin with a month")
        return Span((start.year * 12 + start.month - 1) % span.months)
    since = start - _EPOCH
    nanos = since.seconds * 10**9 + since.microseconds * 1000
    if span.nanos:
        return Span(nanos=(since.days * _DAY_NANOS + nanos) % span.nanos)
    # Windows of weeks are counted from a Monday, of other days from 1970.
    first = 4 if span.days % 7 == 0 else 0
    return Span(days=(since.days - first) % span.days, nanos=nanos)


def _text(span: Span) -> str:
    """A span as the options of functions write it."""
    parts = [f"{abs(part)}{unit}" for part, unit in zip(span, ("mo", "d", "ns"), strict=True) if part]
    signs = {part < 0 for part in span if part}
    if len(signs) > 1:
        raise UnsupportedError("windows moved by an interval of both signs are not supported")
    return ("-" if True in signs else "") + ("".join(parts) or "0ns")


FORMS: dict[type | str, Handler] = {exp.DateBin: _bucket, "date_bin": _bucket, "time_bucket": _bucket}

__all__ = ["FORMS"]
