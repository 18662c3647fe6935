"""Bound expressions as SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner.errors import LazyFrameError, UnsupportedError
from lazyframe.planner.frames import Bound, Frame
from lazyframe.planner.graph import fold, postorder, replace, rewrite
from lazyframe.planner.literals import literal as literal_of
from lazyframe.planner.scalars import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Literal,
    Scalar,
    SortKey,
    WindowCall,
)
from lazyframe.planner.sql.writing.aggregates import aggregate, order_of
from lazyframe.planner.sql.writing.functions import FORMS, REFUSED
from lazyframe.planner.sql.writing.literals import bare, literal
from lazyframe.planner.sql.writing.templates import Sized, fill, operand, placed
from lazyframe.planner.sql.writing.types import sql_type
from lazyframe.planner.sql.writing.windows import window
from lazyframe.planner.types import (
    DATE,
    FLOAT64,
    STRING,
    DataType,
    integer_bounds,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_temporal,
    is_timestamp,
)

_OPERATORS = frozenset((
    "add", "subtract", "multiply", "divide", "floor_divide", "modulo", "truncated_divide", "truncated_modulo", "equal",
    "not_equal", "less", "less_equal", "greater", "greater_equal", "equal_missing", "not_equal_missing",
))  # fmt: skip
"""Between whose arguments a number needs no type: it takes that of the other side, which is none of a constant."""

# Arguments that count characters, digits, items: any integer will do.
_COUNTING = frozenset((
    "substring", "substr", "head_of_string", "tail_of_string", "pad_start", "pad_end", "lpad", "rpad", "zfill", "repeat",
    "split_part", "list_get", "list_extract", "list_slice", "list_head", "list_tail", "make_date", "make_timestamp",
    "make_time",
))  # fmt: skip


class ScalarWriter:
    """Writes the expressions of one SELECT.

    Args:
        columns: how each column that they use is written.
        row_order: the sort keys of the rows that aggregates read, where there is an order.
        parameters: those of the lambdas around.
        strict_order: whether an aggregate that depends on the order of the rows is refused where none is known.
    """

    def __init__(
        self,
        columns: Mapping[str, exp.Expression],
        row_order: tuple[Scalar, ...] = (),
        *,
        strict_order: bool = False,
        parameters: tuple[str, ...] = (),
    ) -> None:
        self._parameters = parameters
        self._columns = columns
        self._row_order = row_order
        self._strict_order = strict_order
        self._sizes = Sized()

    def write(self, scalar: Scalar) -> exp.Expression:
        """The expression, which nobody else holds.

        Raises:
            UnsupportedError: where SQL cannot say it, at the place where the user wrote it.
        """
        return placed(fold(self._ordered(_with_constants(scalar)), self._step))

    def ordered(self, key: Scalar) -> exp.Ordered:
        made = self.write(key)
        assert isinstance(made, exp.Ordered)
        return made

    def _ordered(self, scalar: Scalar) -> Scalar:
        """With the order of the rows in each aggregate that depends on it."""
        if not scalar.holds_aggregate:
            return scalar

        def step(current: Scalar) -> Scalar:
            if isinstance(current, AggregateCall):
                order = order_of(current, self._row_order)
                if not order and not self._row_order and self._strict_order and current.definition.ordered:
                    raise UnsupportedError(
                        f"{current.function}() depends on the order of the rows, which a relation of SQL does not have",
                        hint="give it order_by=, or sort the rows before",
                        site=current.site,
                    )
                return current if order == current.order else replace(current, order=order)
            return current

        return rewrite(scalar, step)

    def _step(self, scalar: Scalar, children: list[exp.Expression]) -> exp.Expression:
        try:
            return self._written(scalar, children)
        except LazyFrameError as error:
            if scalar.site is not None:
                error.site = scalar.site
            raise

    def _written(self, scalar: Scalar, children: list[exp.Expression]) -> exp.Expression:
        match scalar:
            case Column(name=name):
                return self._columns[name].copy()
            case Literal(value=value):
                return literal(value)
            case Call():
                return self._call(scalar, children)
            case Cast():
                return self._cast(scalar, children[0])
            case Case():
                return self._case(scalar, children)
            case SortKey(descending=descending, nulls_first=nulls_first):
                return exp.Ordered(this=placed(children[0]), desc=descending or None, nulls_first=nulls_first)
            case AggregateCall():
                args, where, order = _parts(scalar, children)
                return aggregate(scalar, args, where, order, self._sizes)
            case WindowCall():
                return self._window(scalar, children)
        raise UnsupportedError(f"a {type(scalar).__name__} cannot be written as SQL")

    def _call(self, call: Call, children: list[exp.Expression]) -> exp.Expression:
        name = call.function
        if name in REFUSED:
            raise UnsupportedError(f"{name}() cannot be written as SQL: it {REFUSED[name]}")
        if name == "is_in":
            return self._is_in(call, children[0])
        if "body" in dict(call.options):
            return self._lambda(call, children)
        args = self._arguments(call, children)
        form = FORMS.get(name)
        if form is None:
            template = f"{call.definition.sql[0].upper()}(...)"
        else:
            template = form if isinstance(form, str) else form(call)
        return fill(template, args, self._sizes)

    def _lambda(self, call: Call, children: list[exp.Expression]) -> exp.Expression:
        """A function of a list and of an expression of its items, whose other columns are arguments."""
        options = dict(call.options)
        names = [f"{label}_{len(self._parameters)}" for label in ("item", "next", "place")]
        parameters = dict(zip(options["parameters"], names, strict=False))
        count = len(children) - len(options["captured"])
        columns: dict[str, exp.Expression] = {name: exp.column(written) for name, written in parameters.items()}
        columns.update(zip(options["captured"], children[count:], strict=True))
        inner = ScalarWriter(columns, strict_order=self._strict_order, parameters=(*self._parameters, *parameters))
        body = inner.write(options["body"])
        self._sizes.remember(body, len(list(body.walk())))
        written = (
            f"{call.function.upper()}(a, LAMBDA {', '.join(parameters.values())} : b{', c' if count == 2 else ''})"
        )
        return fill(written, [children[0], body, *children[1:count]], self._sizes)

    def _arguments(self, call: Call, children: list[exp.Expression]) -> list[exp.Expression]:
        """The arguments, where constants have their types only if nothing else tells them."""
        constants = [isinstance(arg, Literal) for arg in call.args]
        if call.function in _COUNTING:
            told = [is_integer(arg.dtype) for arg in call.args]
        elif call.function in _OPERATORS and not all(constants):
            other = [call.args[1].dtype, call.args[0].dtype]
            exact = "divide" not in call.function and "modulo" not in call.function
            told = [_tells(mine.dtype, theirs, exact=exact) for mine, theirs in zip(call.args, other, strict=True)]
        else:
            return children
        found = []
        for arg, child, is_told in zip(call.args, children, told, strict=True):
            plain = bare(arg.value) if isinstance(arg, Literal) and is_told else None
            found.append(child if plain is None else plain)
        return found

    def _is_in(self, call: Call, arg: exp.Expression) -> exp.Expression:
        values = dict(call.options)["values"]
        if not len(values):
            return exp.false()
        self._sizes.check(self._sizes.size(arg) + len(values))
        told = _tells(values.type, call.args[0].dtype, exact=True)
        items = [(bare(value) if told else None) or literal(value) for value in values]
        made = exp.In(this=operand(placed(arg)), expressions=items)
        return self._sizes.remember(made, self._sizes.size(arg) + len(items) + 1)

    def _cast(self, cast: Cast, arg: exp.Expression) -> exp.Expression:
        source, target = cast.arg.dtype, cast.to
        name = "TRY_CAST" if cast.lenient else "CAST"
        value = "a"
        if is_integer(target) and cast.rounding == "truncate" and (is_float(source) or is_decimal(source)):
            value = "TRUNC(a)"
        if target == STRING and is_timestamp(source) and source.tz is not None:
            # The text ends with the offset, which only that of the session's zone does in SQL.
            if source.tz != "UTC":
                raise UnsupportedError(
                    f"a cast of timestamps in the zone {source.tz} to text cannot be written as SQL",
                    hint="write .dt.strftime(...) for the text",
                    site=cast.site,
                )
        elif is_timestamp(source) and source.tz is not None and not is_timestamp(target):
            value = f"(a AT TIME ZONE '{source.tz}')"
        if is_timestamp(target) and is_timestamp(source) and (source.tz is None) != (target.tz is None):
            return fill("a AT TIME ZONE 'UTC'", [arg], self._sizes)
        if is_duration(source) and is_integer(target):
            value = "EPOCH_US(a)" + {"s": " // 1000000", "ms": " // 1000", "us": "", "ns": " * 1000"}[source.unit]
        elif is_integer(target) and is_temporal(source):
            value = self._ticks(source)
        elif is_integer(source) and is_temporal(target):
            raise UnsupportedError(f"a cast of integers to {target} cannot be written as SQL")
        made = fill(f"{name}({value} AS INT)", [arg], self._sizes)
        assert isinstance(made, (exp.Cast, exp.TryCast))
        made.set("to", sql_type(target))
        return made

    @staticmethod
    def _ticks(source: DataType) -> str:
        if source == DATE:
            return "DATE_DIFF('DAY', CAST('1970-01-01' AS DATE), a)"
        if is_timestamp(source) and source.tz is None:
            unit = {"s": "SECOND", "ms": "MILLISECOND", "us": "MICROSECOND", "ns": "NANOSECOND"}[source.unit]
            return f"DATE_DIFF('{unit}', CAST('1970-01-01 00:00:00' AS TIMESTAMP), a)"
        raise UnsupportedError(f"a cast of {source} to integers cannot be written as SQL")

    def _case(self, case: Case, children: list[exp.Expression]) -> exp.Expression:
        count = len(case.conditions)
        conditions, values, otherwise = children[:count], children[count:-1], children[-1]
        branches = [
            exp.If(this=placed(condition), true=placed(value))
            for condition, value in zip(conditions, values, strict=True)
        ]
        default = (
            None if isinstance(case.otherwise, Literal) and not case.otherwise.value.is_valid else placed(otherwise)
        )
        if not branches:
            return otherwise
        total = 1 + sum([self._sizes.size(child) for child in children])
        self._sizes.check(total)
        return self._sizes.remember(exp.Case(ifs=branches, default=default), total)

    def _window(self, call: WindowCall, children: list[exp.Expression]) -> exp.Expression:
        supply = iter(children)

        def take(scalars: Sequence[Any]) -> list[exp.Expression]:
            return [next(supply) for _ in scalars]

        args = take(call.args)
        partition, order = take(call.partition), take(call.order)
        where = None if call.where is None else next(supply)
        argument_order = take(call.argument_order)
        if self._strict_order and not call.order and call.function in _POSITIONAL:
            raise UnsupportedError(
                f"{call.function}() over rows without an order depends on one, which a relation of SQL does not have",
                hint="give it order_by=",
            )
        bounds = None if call.frame is None else self._frame(call.frame)
        return window(call, args, partition, order, where, argument_order, bounds, self._sizes)

    def _frame(self, frame: Frame) -> exp.WindowSpec:
        def bound(found: Bound) -> tuple[Any, str | None]:
            side = found.kind.rpartition("_")[2].upper()
            if found.kind.startswith("unbounded"):
                return "UNBOUNDED", side
            if found.kind == "current_row":
                return "CURRENT ROW", None
            assert found.offset is not None
            return (bare(found.offset) or literal(found.offset)), side

        start, start_side = bound(frame.start)
        end, end_side = bound(frame.end)
        exclude = None if frame.exclude == "no_others" else exp.var(frame.exclude.replace("_", " ").upper())
        return exp.WindowSpec(
            kind=frame.unit.upper(), start=start, start_side=start_side, end=end, end_side=end_side, exclude=exclude
        )


_POSITIONAL = frozenset((
    "row_number", "ntile", "lag", "lead", "first_value", "last_value", "nth_value", "fill", "first", "last", "list", "string_agg",
))  # fmt: skip
"""Window functions that look at places of rows, so that without an order they depend on how the rows happen to lie."""


def _tells(mine: DataType, other: DataType, *, exact: bool) -> bool:
    """Whether a number beside a value of the type `other` is read as one of the type `mine`, or of one that does as well.

    Decimals do where the result is `exact`, so that the number of places does not matter.
    """
    if is_decimal(mine):
        return exact and (is_decimal(other) or is_integer(other))
    return mine == other or (is_integer(mine) and is_integer(other))


def _with_constants(scalar: Scalar) -> Scalar:
    """With whole numbers that are cast to wider types as numbers of those types."""

    def step(current: Scalar) -> Scalar:
        match current:
            case Cast(Literal(value=value), to, False) if _is_exact(value, to):
                return literal_of(value.as_py(), to)
        return current

    if not any([isinstance(n, Cast) and isinstance(n.arg, Literal) for n in postorder(scalar)]):
        return scalar
    return rewrite(scalar, step)


def _is_exact(value: pa.Scalar, to: DataType) -> bool:
    if not value.is_valid or not is_integer(value.type):
        return False
    if is_integer(to):
        low, high = integer_bounds(to)
        return bool(low <= value.as_py() <= high)
    return to == FLOAT64 and abs(value.as_py()) < 1 << 53


def _parts(
    call: AggregateCall, children: list[exp.Expression]
) -> tuple[list[exp.Expression], exp.Expression | None, list[exp.Ordered]]:
    count = len(call.args)
    args, rest = children[:count], children[count:]
    where = None
    if call.where is not None:
        where, *rest = rest
    return args, where, [o for o in rest if isinstance(o, exp.Ordered)]
