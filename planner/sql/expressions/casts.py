"""CAST, TRY_CAST, `::`, and typed constants such as DATE '2024-01-31'."""

from __future__ import annotations

import datetime as dt
import decimal
import re

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.functions.definition import cast_is_allowed
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Case, Cast, Literal, Parameter, Scalar, cast, null_of
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.intervals import interval_literal, parse_interval
from lazyframe.planner.sql.expressions.nested_texts import is_nested_text, read_nested
from lazyframe.planner.sql.expressions.types import is_bare_decimal, read_type, sql_name, text_limit
from lazyframe.planner.types import (
    BINARY,
    BOOL,
    DATE,
    INT64,
    INTERVAL,
    NULL,
    STRING,
    DataType,
    decimal_type,
    integer_digits,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_list,
    is_map,
    is_null,
    is_struct,
    is_time,
    is_timestamp,
)

_CLOCK = r"\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(_CLOCK)
_STAMP = re.compile(rf"(\d{{4}}-\d{{2}}-\d{{2}})(?:[ T]({_CLOCK})\s*(Z|z|[+-]\d{{2}}(?::?\d{{2}})?)?)?")
_BYTE = re.compile(r"\\x([0-9a-fA-F]{2})|[\x00-\x5b\x5d-\x7f]")
_EPOCH = dt.date(1970, 1, 1).toordinal()


def converted(value: Scalar, to: DataType, *, lenient: bool = False) -> Scalar:
    """The value as another type, by SQL's rules: floats round to integers half to even, decimals half away from zero.

    Raises:
        TypeMismatchError: where no value of its type has a value in the other.
    """
    source = value.dtype
    if source == to:
        return value
    if is_null(source):
        return cast(value, to) if isinstance(value, Parameter) else null_of(to)
    if isinstance(value, Literal):
        found = _constant(value, to, lenient=lenient)
        if found is not None:
            return found
    if source == STRING and is_nested_text(to):
        if isinstance(value, Literal):
            return _nested(value.value.as_py(), to, lenient=lenient) if value.value.is_valid else null_of(to)
        raise TypeMismatchError(
            f"VARCHAR cannot be cast to {sql_name(to)}, but for constants", hint="take the text apart by string_split()"
        )
    if is_struct(source) and is_struct(to):
        return _struct(value, to, lenient=lenient)
    if is_duration(source) and to == INTERVAL:
        zero = literal(0)
        return call("make_interval", zero, zero, call("total_nanoseconds", value))
    if not cast_is_allowed(source, to):
        raise TypeMismatchError(f"{sql_name(source)} cannot be cast to {sql_name(to)}")
    return Cast(value, to, lenient, "half_even" if _rounds(source, to) else "truncate")


def _nested(text: str, to: DataType, *, lenient: bool) -> Scalar:
    try:
        return read_nested(text, to, lambda part, wanted: converted(part, wanted, lenient=lenient))
    except InvalidArgumentError:
        if lenient:
            return null_of(to)
        raise


def _rounds(source: DataType, to: DataType) -> bool:
    if is_list(to) and is_list(source):
        return _rounds(source.value_type, to.value_type)
    if is_map(to) and is_map(source):
        return _rounds(source.key_type, to.key_type) or _rounds(source.item_type, to.item_type)
    return is_integer(to) and (is_float(source) or is_decimal(source))


def _struct(value: Scalar, to: pa.StructType, *, lenient: bool) -> Scalar:
    """Field by field, by name: a field that the value does not have is null. Where no name is shared, by position."""
    names = {f.name.casefold(): f.name for f in value.dtype}
    known = [f for f in to if f.name.casefold() in names]
    if not known and value.dtype.num_fields != to.num_fields:
        raise TypeMismatchError(
            f"{sql_name(value.dtype)} cannot be cast to {sql_name(to)}: they have no field of one name in common"
        )
    parts: list[Scalar] = []
    for position, wanted in enumerate(to):
        name = names.get(wanted.name.casefold()) if known else value.dtype.field(position).name
        part = null_of(NULL) if name is None else call("struct_field", value, name=name)
        parts.append(converted(part, wanted.type, lenient=lenient))
    made = call("make_struct", *parts, names=tuple([f.name for f in to]))
    if not value.nullable:
        return made
    return Case((call("is_null", value),), (null_of(to),), made)


def _constant(value: Literal, to: DataType, *, lenient: bool) -> Literal | None:
    """A constant of the type where it can be told at once; the cast of others waits until it is needed."""
    known = value.value.as_py()
    if isinstance(known, str):
        try:
            return read_constant(known, to)
        except InvalidArgumentError:
            if not lenient:
                raise
        except ValueError:
            pass
        return None
    if isinstance(known, decimal.Decimal) and is_decimal(to):
        scaled = known.scaleb(to.scale)
        exact = scaled == scaled.to_integral_value() and known.adjusted() < to.precision - to.scale
        return Literal(arrow.scalar(known, to)) if exact or not known else None
    return None


def read_constant(text: str, to: DataType) -> Literal | None:
    """A text that is written plainly as a value of another type; None where it is not.

    Raises:
        ValueError: where it has the form of a value but is none, as 30 February.
        InvalidArgumentError: where it is no interval, or has an offset from UTC and the type has none.
    """
    bare = text.strip()
    if to == DATE:
        return Literal(arrow.scalar(dt.date.fromisoformat(bare), DATE)) if _DATE.fullmatch(bare) else None
    if is_timestamp(to):
        return _moment(bare, to)
    if is_time(to):
        if not _TIME.fullmatch(bare):
            return None
        width = pa.int32() if to.bit_width == 32 else INT64
        return Literal(pc.cast(arrow.scalar(_clock(bare, to.unit), width), to))
    if to == INTERVAL:
        return interval_literal(parse_interval(bare))
    if to == BOOL and bare.lower() in ("true", "false"):
        return literal(bare.lower() == "true")
    if to == BINARY:
        return _bytes(text)
    return None


_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY_SECONDS = 86_400
_I64 = 1 << 63


def _clock(text: str, unit: str) -> int:
    """The ticks since midnight; what is finer than the unit is cut off."""
    whole, _, fraction = text.partition(".")
    time = dt.time.fromisoformat(whole)
    places = len(str(_TICKS[unit])) - 1
    return (time.hour * 3600 + time.minute * 60 + time.second) * _TICKS[unit] + int(
        fraction[:places].ljust(places, "0") or 0
    )


def _moment(text: str, to: pa.TimestampType) -> Literal | None:
    m = _STAMP.fullmatch(text)
    if m is None:
        return None
    days = dt.date.fromisoformat(m[1]).toordinal() - _EPOCH
    ticks = days * _DAY_SECONDS * _TICKS[to.unit] + (_clock(m[2], to.unit) if m[2] else 0)
    offset = dt.datetime.fromisoformat(f"2000-01-01T00:00{m[3].upper()}").utcoffset() if m[3] else None
    if offset:
        if to.tz is None:
            raise InvalidArgumentError(
                f"the timestamp {text!r} has an offset from UTC, but its type has no zone",
                hint="write TIMESTAMPTZ, or leave the offset out",
            )
        ticks -= int(offset.total_seconds()) * _TICKS[to.unit]
    return Literal(pc.cast(arrow.scalar(ticks, INT64), to)) if -_I64 <= ticks < _I64 else None


def _bytes(text: str) -> Literal:
    r"""Bytes as DuckDB writes them: `\xAB` is one, other characters are ASCII."""
    pieces: list[int] = []
    position = 0
    while position < len(text):
        m = _BYTE.match(text, position)
        if m is None:
            raise InvalidArgumentError(
                f"not bytes: {text!r}", hint=r"write bytes beyond ASCII as '\xAB', or use encode() for those of a text"
            )
        pieces.append(int(m[1], 16) if m[1] else ord(m[0]))
        position = m.end()
    return Literal(arrow.scalar(bytes(pieces), BINARY))


def _cast(e: Expressions, tree: exp.Cast) -> Scalar:
    e.only(tree, "this", "to", "safe")
    target = tree.args["to"]
    # TRY_CAST of dialects whose plain CAST gives null is marked as well.
    lenient = isinstance(tree, exp.TryCast) or bool(tree.args.get("safe"))
    value = e.bind(tree.this)
    if is_bare_decimal(target):
        return converted(value, _own_decimal(e, tree, value), lenient=lenient)
    found = converted(value, read_type(target, e), lenient=lenient)
    limit = text_limit(target, e)
    return found if limit is None else call("head_of_string", found, literal(limit))


def _own_decimal(e: Expressions, tree: exp.Cast, value: Scalar) -> DataType:
    """The decimal that holds all values of a type exactly."""
    t = value.dtype
    if is_decimal(t):
        return t
    if is_integer(t):
        return decimal_type(integer_digits(t), 0)
    if isinstance(value, Literal) and t == STRING:
        try:
            return literal(decimal.Decimal(value.value.as_py())).dtype
        except decimal.InvalidOperation:
            raise e.error(tree, InvalidArgumentError, f"not a number: {value.value.as_py()!r}") from None
    raise e.error(
        tree,
        UnsupportedError,
        f"{sql_name(t)} as a decimal of any length is not supported",
        "write NUMERIC(precision, scale)",
    )


def arrow_cast(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`arrow_cast(x, 'Int64')`: a type by its name in Arrow."""
    from lazyframe.planner.types import parse_type

    if len(tree.expressions) != 2:
        raise InvalidArgumentError("arrow_cast() takes a value and the name of a type")
    name = e.constant(tree.expressions[1], "the name of a type", str)
    spelled = name.lower().replace("utf8view", "string").replace("largeutf8", "string").replace("largebinary", "binary")
    try:
        return converted(e.bind(tree.expressions[0]), parse_type(spelled))
    except ValueError as error:
        raise e.error(tree.expressions[1], InvalidArgumentError, str(error)) from None


FORMS: dict[type | str, Handler] = {
    exp.Cast: _cast,
    exp.TryCast: _cast,
    "arrow_cast": arrow_cast,
}

__all__ = ["FORMS", "converted", "read_constant"]
