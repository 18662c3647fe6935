"""Binding: names become columns, constants get types, functions their overloads. All mistakes are found here."""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.errors import ColumnNotFoundError, InvalidArgumentError, TypeMismatchError
from lazyframe.planner.functions.definition import cast_is_allowed, lookup, lookup_aggregate
from lazyframe.planner.graph import fold, postorder
from lazyframe.planner.literals import adapted, literal, read_as
from lazyframe.planner.scalars import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    GroupingCall,
    Literal,
    Parameter,
    Scalar,
    SortKey,
    cast,
    null_of,
)
from lazyframe.planner.schema import Schema
from lazyframe.planner.site import ambient
from lazyframe.planner.types import (
    BOOL,
    DATE,
    NULL,
    STRING,
    DataType,
    common_type,
    integer_bounds,
    is_decimal,
    is_float,
    is_integer,
    is_interval,
    is_null,
    is_orderable,
    is_struct,
    is_temporal,
    rounds,
    type_name,
)
from lazyframe.planner.unbound import (
    Aggregated,
    Apply,
    Choose,
    Constant,
    Convert,
    Differentiated,
    Grouping,
    Many,
    Member,
    Named,
    Ordered,
    Placeholder,
    Ref,
    Restricted,
    Unbound,
    Windowed,
)


def bind(expression: Unbound, schema: Schema) -> Scalar:
    """The expression over the columns of `schema`.

    Raises:
        ColumnNotFoundError, TypeMismatchError, InvalidArgumentError: at the site of the part that is wrong.
    """
    outer = ambient.site
    untyped: list[Placeholder] = []

    def step(current: Unbound, children: list[Scalar]) -> Scalar:
        ambient.site = outer if current.site is None else current.site
        if isinstance(current, Placeholder) and current.dtype is None:
            untyped.append(current)
        return _bind_one(current, children, schema)

    try:
        bound = fold(expression, step)
    except ColumnNotFoundError as error:
        if (text := _text_as_name(expression, schema)) is not None:
            meant = f"a string is the name of a column here; write lf.lit({text!r}) for the text"
            error.hint = meant if error.hint is None else f"{error.hint}\n{meant}"
        raise
    finally:
        ambient.site = outer
    if untyped:
        check_types_known(untyped, [bound])
    return bound


def check_types_known(untyped: Sequence[Placeholder], bound: Sequence[Scalar]) -> None:
    """Make sure that each parameter without a type has got one from what it meets.

    Raises:
        InvalidArgumentError: at one that has none.
    """
    parts = [part for scalar in bound for part in postorder(scalar) if isinstance(part, Parameter)]
    for placeholder in untyped:
        types = [part.dtype for part in parts if part.cell is placeholder.cell]
        if not types or any(map(is_null, types)):
            raise _untyped(placeholder)


def _untyped(parameter: Placeholder | Scalar) -> InvalidArgumentError:
    assert isinstance(parameter, (Placeholder, Parameter))
    name = parameter.cell.name
    return InvalidArgumentError(
        f"nothing says of what type the parameter {name!r} is",
        hint=f"write lf.param({name!r}, dtype='float64'), or of another type",
        site=parameter.site,
    )


_NAMED = frozenset({"coalesce", "concat_strings", "greatest", "least"})
"""The functions of several columns, in which text is easily meant where a name is read."""


def _text_as_name(expression: Unbound, schema: Schema) -> str | None:
    """A name that is not in the schema, where the user may have meant the text: a branch of a choice, for example."""
    for current in postorder(expression):
        match current:
            case Choose():
                parts = (*current.values, current.otherwise)
            case Apply() if current.function in _NAMED:
                parts = current.args
            case _:
                continue
        for part in parts:
            if isinstance(part, Ref) and part.name not in schema:
                return part.name
    return None


def bind_predicate(expression: Unbound, schema: Schema, role: str = "a filter") -> Scalar:
    """As `bind`, for a condition.

    Raises:
        TypeMismatchError: where it is not boolean.
    """
    bound = bind(expression, schema)
    if is_null(bound.dtype):
        return null_of(BOOL)
    if bound.dtype != BOOL:
        raise TypeMismatchError(
            f"{role} must be true or false, not {type_name(bound.dtype)}: {bound!r}",
            hint="compare it with something, such as != 0" if bound.dtype != STRING else "compare it with something",
            site=expression.site,
        )
    return bound


def _bind_one(current: Unbound, children: list[Scalar], schema: Schema) -> Scalar:
    match current:
        case Ref(name=name):
            field = schema.field(name, ambient.site)
            return Column(name, field.dtype, field.nullable)
        case Constant(value=value, dtype=dtype):
            return literal(value, dtype)
        case Placeholder(cell=cell, dtype=dtype, index=index):
            return Parameter(cell, NULL if dtype is None else dtype, index)
        case Named():
            return children[0]
        case Differentiated():
            from lazyframe.planner.gradients.derivatives import derivative

            return derivative(*children)
        case Apply():
            return _apply(current, children)
        case Member(values=values):
            return member(children[0], values)
        case Convert(to=to, lenient=lenient):
            return _convert(children[0], to, lenient)
        case Choose():
            return _choose(current, children)
        case Aggregated():
            return _aggregate(current, children)
        case Grouping():
            return GroupingCall(tuple(children))
        case Windowed():
            return _window(current, children)
        case Ordered(descending=descending, nulls_first=nulls_first):
            return sort_key(children[0], descending, nulls_first)
        case Restricted():
            raise InvalidArgumentError(
                "filter() of an expression must be followed by an aggregate",
                hint="write .filter(...).sum(), or filter the frame",
            )
        case Many():
            raise InvalidArgumentError(
                "a selection of several columns cannot stand here", hint="name the one column that is meant"
            )
    raise AssertionError(f"unbound node {type(current).__name__}")


def sort_key(value: Scalar, descending: bool = False, nulls_first: bool = False) -> SortKey:
    if not is_orderable(value.dtype):
        raise TypeMismatchError(f"values of type {type_name(value.dtype)} have no order to sort by")
    return SortKey(value, descending, nulls_first)


def call(function: str, *args: Scalar, **options: Any) -> Scalar:
    """A call of the function, with casts put in where its overload wants other types."""
    signature = lookup(function).resolve(tuple([a.dtype for a in args]), options)
    wanted = [cast(a, t) for a, t in zip(args, signature.arguments, strict=True)]
    return Call(function, tuple(wanted), tuple(options.items()))


def _apply(current: Apply, args: list[Scalar]) -> Scalar:
    return applied(current.function, current.args, args, dict(current.options))


def applied(
    name: str,
    written: Sequence[Unbound | None],
    args: list[Scalar],
    options: Mapping[str, Any],
    *,
    read_text: bool = False,
) -> Scalar:
    """The function of bound arguments. Those that are written as constants without a type take theirs from the others;
    texts are read as the others' type in comparisons, and everywhere with `read_text`.
    """
    if args and all([isinstance(a, Parameter) and is_null(a.dtype) for a in args]):
        raise _untyped(args[0])
    rule = lookup(name).literals
    if rule != "alone":
        args = _adapt(written, args, read_text=read_text or rule == "text")
    if name in ("add", "subtract"):
        if name == "add" and args[0].dtype == STRING == args[1].dtype:
            return call("concat_strings", *args)
        args = [_as_point_in_time(a, other) for a, other in zip(args, reversed(args), strict=True)]
    try:
        return call(name, *args, **options)
    except TypeMismatchError as error:
        if error.hint is None:
            error.hint = _type_hint(name, args)
        raise


def _adapt(written: Sequence[Unbound | None], args: list[Scalar], *, read_text: bool) -> list[Scalar]:
    """Constants take their type from the arguments that are not constants."""
    free = [isinstance(w, Constant) and w.dtype is None for w in written]
    if not any(free) or all(free):
        return args
    others = [a.dtype for a, f in zip(args, free, strict=True) if not f]
    other: DataType | None = reduce(lambda a, b: common_type(a, b) if a is not None else None, others)
    if other is None:
        return args
    return [
        _read(w.value, other, read_text) if f and isinstance(w, Constant) else a
        for w, a, f in zip(written, args, free, strict=True)
    ]


def _read(value: Any, other: DataType, read_text: bool) -> Literal:
    """As `adapted`, with a hint that suits the type."""
    try:
        return adapted(value, other, read_text=read_text)
    except TypeMismatchError as error:
        if not is_temporal(other):
            error.hint = "compare it with a value of its type, or cast it: .cast('string')"
        raise


def _as_point_in_time(value: Scalar, other: Scalar) -> Scalar:
    """A date that meets an interval of hours or less, or one not known yet, counts as its midnight."""
    if value.dtype != DATE or not is_interval(other.dtype):
        return value
    if isinstance(other, Literal) and (not other.value.is_valid or other.value.as_py().nanoseconds == 0):
        return value
    return cast(value, pa.timestamp("us"))


_OF_CONDITIONS = frozenset({"and", "or", "xor"})
_OF_TEXT = frozenset({"concat_strings", "list_join"})
ZONE_HINT = "give the one without a zone its own: .dt.replace_time_zone('UTC')"


def _type_hint(function: str, args: list[Scalar]) -> str | None:
    if function in _OF_CONDITIONS and any(a.dtype != BOOL for a in args):
        return "compare before you combine, in parentheses: (a == 1) & (b == 2)"
    if function in _OF_TEXT:
        return (
            "cast what is no text: .cast('list<string>')"
            if function == "list_join"
            else "cast what is no text: .cast('string')"
        )
    moments = [a.dtype for a in args if pa.types.is_timestamp(a.dtype)]
    if len(moments) == 2 and len({t.tz is None for t in moments}) == 2:
        return ZONE_HINT
    if function == "coalesce" and len(args) == 2:
        # It is what fill_null() of an expression is.
        return "a null is filled with a value of the same type; to fill it with text, cast first: .cast('string').fill_null(...)"
    if len(args) == 2 and any([is_temporal(a.dtype) for a in args]) and any([is_integer(a.dtype) for a in args]):
        return "dates and times are written as text: '2024-01-31'; spans as intervals or durations"
    texts = [a for a in args if a.dtype == STRING]
    if texts and len(args) == 2 and len(texts) == 1:
        other = next(a for a in args if a.dtype != STRING)
        return f"cast one side, for example .cast({type_name(other.dtype)!r})"
    columns = [f"{a!r} is {type_name(a.dtype)}" for a in args if isinstance(a, Column)]
    return ", ".join(columns) or None


def member(arg: Scalar, values: tuple[Any, ...]) -> Scalar:
    """`arg IN values`, with the values read as what they are compared with."""
    plain = _plain_values(arg.dtype, values)
    if plain is not None:
        return Call("is_in", (arg,), (("values", plain),))
    written = [_read(v, arg.dtype, True) for v in values]
    # An integer of 64 bits and a float would be compared as floats, where 2^53 and 2^53 + 1 are one: compare those exactly.
    literals = [found for found in written if not rounds(arg.dtype, found.dtype)]
    if len(literals) < len(written):
        parts: list[Scalar] = [call("equal", arg, found) for found in written if rounds(arg.dtype, found.dtype)]
        if literals:
            parts.insert(0, _one_of(arg, literals))
        return reduce(lambda a, b: call("or", a, b), parts)
    return _one_of(arg, literals)


def _plain_values(dtype: DataType, values: tuple[Any, ...]) -> pa.Array | None:
    """Integers among integers that hold them, and texts among texts, as they are; None of anything else."""
    kinds = {type(value) for value in values}
    if kinds == {int} and is_integer(dtype):
        low, high = integer_bounds(dtype)
        return arrow.array(values, dtype) if low <= min(values) and max(values) <= high else None
    return arrow.array(values, STRING) if kinds == {str} and dtype == STRING else None


def _one_of(arg: Scalar, literals: list[Literal]) -> Scalar:
    target: DataType | None = arg.dtype
    for found in literals:
        target = None if target is None else common_type(target, found.dtype)
    if target is None:
        bad = next(found for found in literals if common_type(arg.dtype, found.dtype) is None)
        raise TypeMismatchError(f"{bad!r} can be no value of {arg!r}, which is {type_name(arg.dtype)}")
    possible = [found for found in literals if _fits(found, target)]
    if literals and not possible:
        # No value is one of them; but null stays undecided, which it is not for an empty list.
        return call("not_equal", arg, arg)
    constants = arrow.array([_as(found, target) for found in possible], target)
    return Call("is_in", (cast(arg, target),), (("values", constants),))


def _fits(found: Literal, dtype: DataType) -> bool:
    """Whether a constant can be a value of the type: a decimal of too many digits before the point is none of 38 digits."""
    if not is_decimal(dtype) or not found.value.is_valid:
        return True
    return decimal.Decimal(found.value.as_py()).adjusted() < dtype.precision - dtype.scale


def _as(found: Literal, dtype: DataType) -> Any:
    if is_decimal(dtype):
        # Arrow's cast of decimals wraps where there are too many digits.
        value = found.value.as_py()
        return None if value is None else decimal.Decimal(value)
    if is_float(dtype) and is_decimal(found.dtype):
        # Arrow's cast gives a neighbour of the nearest float.
        value = found.value.as_py()
        return None if value is None else float(value)
    scalar = found.value if found.value.type == dtype else found.value.cast(dtype)
    return scalar.as_py() if not pa.types.is_timestamp(dtype) or dtype.unit != "ns" else scalar.value


def _convert(arg: Scalar, to: DataType, lenient: bool) -> Scalar:
    if arg.dtype == to:
        return arg
    if not cast_is_allowed(arg.dtype, to):
        raise TypeMismatchError(f"{type_name(arg.dtype)} cannot be cast to {type_name(to)}")
    if is_null(arg.dtype):
        return cast(arg, to) if isinstance(arg, Parameter) else null_of(to)
    return Cast(arg, to, lenient)


def _choose(current: Choose, children: list[Scalar]) -> Scalar:
    count = len(current.conditions)
    return choice(children[:count], (*current.values, current.otherwise), children[count:])


def choice(
    conditions: list[Scalar], written: Sequence[Unbound | None], values: list[Scalar], *, read_text: bool = False
) -> Scalar:
    """The value of the first condition that is true, else the last of `values`; texts are read as the type of the others with
    `read_text`.
    """
    for condition in conditions:
        if condition.dtype != BOOL and not is_null(condition.dtype):
            raise TypeMismatchError(
                f"a condition must be true or false, not {type_name(condition.dtype)}: {condition!r}",
                hint="compare it with something, such as != 0",
            )
    values = _adapt(written, values, read_text=read_text)
    if is_struct(values[-1].dtype):
        # The fields come in the order of the last branch, as in DuckDB.
        last, *rest = unified([values[-1], *values[:-1]], "the branches")
        values = [*rest, last]
    else:
        values = unified(values, "the branches")
    conditions = [cast(c, BOOL) if is_null(c.dtype) else c for c in conditions]
    return Case(tuple(conditions), tuple(values[:-1]), values[-1])


def unified(values: list[Scalar], what: str) -> list[Scalar]:
    """All values cast to their common type."""
    target: DataType = values[0].dtype
    for value in values[1:]:
        wider = common_type(target, value.dtype)
        if wider is None:
            raise TypeMismatchError(
                f"{what} are of types {type_name(target)} and {type_name(value.dtype)}, which have nothing in common",
                hint="cast one of them",
            )
        target = wider
    return [cast(value, target) for value in values]


def _aggregate(current: Aggregated, children: list[Scalar]) -> Scalar:
    count = len(current.args)
    args, rest = children[:count], children[count:]
    where = rest.pop(0) if current.where is not None else None
    order = tuple([key if isinstance(key, SortKey) else sort_key(key) for key in rest])
    return aggregate_call(
        current.function, args, where, order, distinct=current.distinct, options=dict(current.options)
    )


def aggregate_call(
    function: str,
    args: Sequence[Scalar],
    where: Scalar | None = None,
    order: tuple[Scalar, ...] = (),
    *,
    distinct: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Scalar:
    """A call of the aggregate function, with casts put in where its overload wants other types."""
    options = options or {}
    if where is not None and where.dtype != BOOL:
        raise TypeMismatchError(f"the filter of an aggregate must be true or false, not {type_name(where.dtype)}")
    for part in (*args, *([where] if where is not None else []), *order):
        if has_aggregate(part):
            raise InvalidArgumentError(
                f"an aggregate stands inside the aggregate {function}()",
                hint="compute the inner one first, in a group_by or with_columns of its own",
            )
    try:
        signature = lookup_aggregate(function).resolve(tuple([a.dtype for a in args]), options)
    except TypeMismatchError as error:
        if error.hint is None and args:
            shown = ", ".join([f"{a!r} is {type_name(a.dtype)}" for a in args])
            error.hint = shown + ("; for numbers in text write .cast('float64')" if args[0].dtype == STRING else "")
        raise
    wanted = tuple([cast(a, t) for a, t in zip(args, signature.arguments, strict=True)])
    return AggregateCall(function, wanted, where, order, distinct, tuple(options.items()))


def _window(current: Windowed, children: list[Scalar]) -> Scalar:
    from lazyframe.planner.build.windows import window_call

    parts = iter(children)
    args = [next(parts) for _ in current.args]
    if current.function in ("lag", "lead") and len(args) == 3:
        args[0], args[2] = _adapt((current.args[0], current.args[2]), [args[0], args[2]], read_text=True)
    keys = [next(parts) for _ in current.keys]
    partition = [next(parts) for _ in current.partition]
    order = keys + [next(parts) for _ in current.order]
    where = next(parts) if current.where is not None else None
    return window_call(
        current.function,
        args,
        partition,
        [key if isinstance(key, SortKey) else sort_key(key) for key in order],
        current.frame,
        where,
        distinct=current.distinct,
        options=dict(current.options),
        argument_order=[key if isinstance(key, SortKey) else sort_key(key) for key in parts],
    )


def has_aggregate(scalar: Scalar) -> bool:
    return scalar.holds_aggregate


__all__ = [
    "ZONE_HINT", "aggregate_call", "applied", "bind", "bind_predicate", "call", "check_types_known", "choice", "has_aggregate",
    "member", "read_as", "sort_key", "unified",
]  # fmt: skip
