"""What a function is to the planner: signature, null behaviour, volatility, names. Its kernel stands with the executor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.site import spoken
from lazyframe.planner.types import (
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    NULL,
    STRING,
    DataType,
    common_type,
    field_places,
    integer_bounds,
    integer_digits,
    is_binary,
    is_decimal,
    is_float,
    is_integer,
    is_list,
    is_map,
    is_nested,
    is_null,
    is_numeric,
    is_struct,
    is_temporal,
    is_timestamp,
    type_name,
)

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

Types = tuple[DataType, ...]
Options = Mapping[str, Any]


class Signature(NamedTuple):
    """What an overload wants its arguments to be, and the type it gives."""

    arguments: Types
    result: DataType


Resolver = Callable[[Types, Options], Signature | None]
"""From argument types and options to the overload that takes them, or None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A scalar function.

    Args:
        name: the one name under which definition, kernel and emitter stand.
        resolver: finds the overload. It must be idempotent: the arguments it asks for resolve to themselves.
        arity: least and greatest number of arguments; None where there is no greatest.
        nulls: `propagate`: null where any argument is; `never`: never null; `maybe`: can be null with no null argument;
            `all`: null only where all arguments are.
        total: whether it can raise no error; a predicate over the argument scalars where that depends.
        volatile: whether two calls may differ.
        literals: how a Python constant among the arguments takes its type: from the `others`, as a `text` to be read as
            the others' type as well (comparisons), or `alone`.
        symbol: how it is written between its arguments, where it is an operator.
        sql: the names by which SQL calls it.
        summary: a line for the documentation.
    """

    name: str
    resolver: Resolver
    arity: tuple[int, int | None]
    nulls: str = "propagate"
    total: bool | Callable[[Sequence[Scalar]], bool] = True
    volatile: bool = False
    literals: str = "alone"
    symbol: str | None = None
    sql: tuple[str, ...] = ()
    summary: str = ""

    def resolve(self, types: Types, options: Options) -> Signature:
        """The overload for arguments of these types.

        Raises:
            TypeMismatchError: where there is none.
        """
        _check_number(self.name, self.arity, len(types))
        signature = self.resolver(types, options) if options else _overload(self.resolver, types)
        if signature is None:
            raise TypeMismatchError(self._mismatch(types))
        return signature

    def _mismatch(self, types: Types) -> str:
        shown = [type_name(t) for t in types]
        if self.symbol and len(shown) == 2:
            return f"{self.symbol!r} is not defined between {shown[0]} and {shown[1]}"
        return f"{spoken(self.name)} is not defined for {', '.join(shown)}"

    def may_be_null(self, args: Sequence[Scalar]) -> bool:
        if self.nulls == "propagate":
            return any([a.nullable for a in args])
        if self.nulls == "all":
            return all(a.nullable for a in args)
        return self.nulls == "maybe"

    def is_total(self, args: Sequence[Scalar]) -> bool:
        return self.total if isinstance(self.total, bool) else self.total(args)


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateFunction:
    """A function from the rows of a group to one value.

    Args:
        name: the one name under which definition and kernel stand.
        resolver: finds the overload, as for `Function`.
        arity: least and greatest number of arguments.
        empty_is_null: whether a group without rows to count gives null; otherwise it has a value for it (count: 0).
        ordered: whether the order of the rows can change the value.
        sql: the names by which SQL calls it.
        summary: a line for the documentation.
    """

    name: str
    resolver: Resolver
    arity: tuple[int, int | None]
    empty_is_null: bool = True
    ordered: bool = False
    sql: tuple[str, ...] = ()
    summary: str = ""

    def resolve(self, types: Types, options: Options) -> Signature:
        _check_number(self.name, self.arity, len(types))
        signature = self.resolver(types, options) if options else _overload(self.resolver, types)
        if signature is None:
            shown = ", ".join(type_name(t) for t in types)
            raise TypeMismatchError(f"{spoken(self.name)} is not defined for {shown}")
        return signature


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFunction:
    """A function from the rows around each row to a value for it.

    Args:
        name: the one name under which definition and kernel stand.
        resolver: finds the overload, as for `Function`.
        arity: least and greatest number of arguments.
        framed: whether it looks at the frame; otherwise at the whole partition.
        nulls: `never`: never null; `argument`: null only where its first argument is; `maybe`: can be null.
        skips_nulls: whether it can be told to `ignore_nulls`.
        is_aggregate: whether it is an aggregate function, which may have a filter, an order of its own and DISTINCT.
        sql: the names by which SQL calls it.
        summary: a line for the documentation.
    """

    name: str
    resolver: Resolver
    arity: tuple[int, int | None]
    framed: bool = False
    nulls: str = "maybe"
    skips_nulls: bool = False
    is_aggregate: bool = False
    sql: tuple[str, ...] = ()
    summary: str = ""

    def resolve(self, types: Types, options: Options) -> Signature:
        _check_number(self.name, self.arity, len(types))
        signature = self.resolver(types, options)
        if signature is None:
            raise TypeMismatchError(f"{spoken(self.name)} is not defined for {', '.join(type_name(t) for t in types)}")
        return signature

    def may_be_null(self, args: Sequence[Scalar]) -> bool:
        return args[0].nullable if self.nulls == "argument" else self.nulls == "maybe"


def _check_number(name: str, arity: tuple[int, int | None], given: int) -> None:
    """Raises InvalidArgumentError where a function takes more or fewer arguments."""
    least, greatest = arity
    if least <= given and (greatest is None or given <= greatest):
        return
    wanted = str(least) if least == greatest else f"{least} or more" if greatest is None else f"{least} to {greatest}"
    raise InvalidArgumentError(f"{spoken(name)} takes {wanted} argument{'' if wanted == '1' else 's'}, not {given}")


@lru_cache(maxsize=4096)
def _overload(resolver: Resolver, types: Types) -> Signature | None:
    """What a resolver finds where there are no options: an expression is resolved when it is bound, and whenever rewritten."""
    return resolver(types, {})


def lookup(name: str) -> Function:
    """The scalar function of that name."""
    return _functions()[name]


def lookup_aggregate(name: str) -> AggregateFunction:
    """The aggregate function of that name."""
    return _aggregates()[name]


@cache
def lookup_window(name: str) -> WindowFunction:
    """The window function of that name, which may be an aggregate."""
    from lazyframe.planner.functions.windows import WINDOWS

    found = WINDOWS.get(name)
    if found is not None:
        return found
    aggregate = lookup_aggregate(name)
    return WindowFunction(
        name=name,
        resolver=aggregate.resolver,
        arity=aggregate.arity,
        framed=True,
        nulls="maybe" if aggregate.empty_is_null else "never",
        is_aggregate=True,
        sql=aggregate.sql,
        summary=aggregate.summary,
    )


@cache
def _functions() -> dict[str, Function]:
    from lazyframe.planner.functions.table import FUNCTIONS

    return FUNCTIONS


@cache
def _aggregates() -> dict[str, AggregateFunction]:
    from lazyframe.planner.functions.aggregates import AGGREGATES

    return AGGREGATES


def by_name(*functions: Function) -> dict[str, Function]:
    return {function.name: function for function in functions}


# Resolvers that many functions share.


def fixed(arguments: Types, result: DataType) -> Resolver:
    """One overload; arguments convert to it where no value can be lost, and NULL to anything."""

    def resolve(types: Types, options: Options) -> Signature | None:
        wanted = arguments[: len(types)]
        fits = all(t == w or is_null(t) or converts(t, w) for t, w in zip(types, wanted, strict=True))
        return Signature(wanted, result) if fits else None

    return resolve


def converts(t: DataType, wanted: DataType) -> bool:
    """Whether every value of `t` is a value of `wanted` (integers to float64 count, as SQL has it)."""
    if t == wanted or is_null(t):
        return True
    if is_numeric(t) and is_float(wanted):
        return True
    return common_type(t, wanted) == wanted


def unary_float(types: Types, options: Options) -> Signature | None:
    """Any number; float32 stays, the others become float64."""
    (t,) = types
    if t == FLOAT32:
        return Signature((FLOAT32,), FLOAT32)
    return Signature((FLOAT64,), FLOAT64) if is_numeric(t) or is_null(t) else None


def same(test: Callable[[DataType], bool], result: DataType | None = None) -> Resolver:
    """One argument for which `test` holds; gives `result`, or the argument's type."""

    def resolve(types: Types, options: Options) -> Signature | None:
        (t,) = types
        if is_null(t):
            return Signature(types, result or NULL)
        return Signature(types, result or t) if test(t) else None

    return resolve


def anything(result: DataType) -> Resolver:
    def resolve(types: Types, options: Options) -> Signature | None:
        return Signature(types, result)

    return resolve


def all_common(result: DataType | None = None, test: Callable[[DataType], bool] | None = None) -> Resolver:
    """Arguments of one common type, for which `test` holds; gives `result`, or that type."""

    def resolve(types: Types, options: Options) -> Signature | None:
        common: DataType | None = types[0]
        for t in types[1:]:
            common = common_type(common, t)
            if common is None:
                return None
        if test is not None and common is not None and not is_null(common) and not test(common):
            return None
        assert common is not None
        return Signature((common,) * len(types), result or common)

    return resolve


def strings(result: DataType, count: int = 1) -> Resolver:
    return fixed((STRING,) * count, result)


def cast_is_allowed(source: DataType, target: DataType) -> bool:
    """Whether a cast between the types means anything."""
    if source == target or is_null(source):
        return True
    if source == STRING:
        return not is_nested(target)
    if target == STRING:
        return True
    if is_list(source) and is_list(target):
        return cast_is_allowed(source.value_type, target.value_type)
    if is_struct(source) and is_struct(target):
        places = field_places(target, source)
        return places is not None and all(
            cast_is_allowed(source.field(place).type, f.type) for f, place in zip(target, places, strict=True)
        )
    if is_map(source) and is_map(target):
        return cast_is_allowed(source.key_type, target.key_type) and cast_is_allowed(source.item_type, target.item_type)
    if is_numeric(source) or source == BOOL:
        return is_numeric(target) or target == BOOL or (is_integer(source) and is_temporal(target))
    if is_temporal(source):
        return (is_temporal(target) and _same_family(source, target)) or is_integer(target)
    return False


def _same_family(a: DataType, b: DataType) -> bool:
    def family(t: DataType) -> str:
        if t == DATE or is_timestamp(t):
            return "instant"
        return "duration" if str(t).startswith("duration") else "time"

    return family(a) == family(b) or (is_timestamp(a) and family(b) == "time")


def cast_is_total(source: DataType, target: DataType) -> bool:
    """Whether every value of `source` has a value in `target`, so that the cast cannot fail."""
    if source == target or is_null(source):
        return True
    if target == STRING:
        return not _holds_binary(source) and not (is_timestamp(source) and source.tz is not None)
    if is_integer(source) and is_integer(target):
        low, high = integer_bounds(source)
        least, greatest = integer_bounds(target)
        return least <= low and high <= greatest
    if is_integer(source) and is_decimal(target):
        return integer_digits(source) <= target.precision - target.scale
    if is_float(target):
        return is_numeric(source) or source == BOOL
    if source == BOOL:
        return is_integer(target)
    if is_decimal(source) and is_decimal(target):
        return target.scale >= source.scale and target.precision - target.scale >= source.precision - source.scale
    if target == BOOL:
        return is_numeric(source)
    if is_timestamp(source) and target == DATE:
        # Seconds and milliseconds reach further than the days of a date, and local time past the ends of all.
        return source.unit in ("us", "ns") and source.tz is None
    return False


def _holds_binary(t: DataType) -> bool:
    """Whether bytes that may be no text are part of its values."""
    if is_map(t):
        return _holds_binary(t.key_type) or _holds_binary(t.item_type)
    if is_struct(t):
        return any(_holds_binary(f.type) for f in t)
    return _holds_binary(t.value_type) if is_list(t) else is_binary(t)
