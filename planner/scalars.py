"""Bound scalars: expressions over the columns of one relation, with types resolved.

A scalar refers to a column of its relation's child by name. Casts and overloads are explicit: the binder has put them in.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from lazyframe.planner.frames import Frame
from lazyframe.planner.functions import definition
from lazyframe.planner.graph import Node, node, remembered, replace, rewrite, rewrite_top_down, set_site, setter
from lazyframe.planner.site import ambient
from lazyframe.planner.types import BOOL, INT64, DataType, is_null

if TYPE_CHECKING:
    from lazyframe.planner.cells import Cell

_NO_COLUMNS: frozenset[str] = frozenset()

AGGREGATE, WINDOW, SUBQUERY, OUTER, UNNEST, VOLATILE, PARAMETER = 1, 2, 4, 8, 16, 32, 8192
"""Sorts of node that only some places can take, and calls whose value changes, as bits of `Scalar.holds`."""

CLOCK = 16384
"""A call of `now`, as a bit of `Scalar.holds`."""

CAST, CASE, COMPARISON, LOGIC, PATTERN, CALENDAR, FIELD = 64, 128, 256, 512, 1024, 2048, 4096
"""Sorts of node that laws of `planner/algebra/` are about, as bits of `Scalar.holds`: where none is, there is nothing to try."""

_FORMS = {
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "is_in"), COMPARISON),
    **dict.fromkeys(("and", "or", "not", "coalesce"), LOGIC),
    **dict.fromkeys(("like", "starts_with", "substr", "substring", "head_of_string"), PATTERN),
    **dict.fromkeys(("year", "truncate", "date"), CALENDAR),
    "struct_field": FIELD,
    "now": CLOCK,
}


class Scalar(Node):
    """An expression with a type."""

    __slots__ = (
        "_by_value", "_lawful", "_settled", "_total", "_weight", "columns", "dtype", "holds", "nullable",
    )  # fmt: skip
    sort: ClassVar[str] = "scalar"

    dtype: DataType
    nullable: bool
    columns: frozenset[str]
    holds: int
    """What sorts of node are in it, itself included: `AGGREGATE`, `WINDOW`, ... as bits."""
    bit: ClassVar[int] = 0
    placeholder: ClassVar[str] = ""
    """The text of what stands for something else until a plan is made."""

    def __post_init__(self) -> None:
        set_site(self, ambient.site)
        self._derive()
        columns, holds = _NO_COLUMNS, self.bit
        for child in self.children():
            holds |= child.holds
            if child.columns is not columns:
                columns = columns | child.columns if columns else child.columns
        _set_columns(self, columns)
        _set_holds(self, holds)

    def __eq__(self, other: object) -> bool:
        # Most that differ use other columns, which costs less to see than a digest.
        if self is other:
            return True
        return type(self) is type(other) and self.columns == other.columns and self.digest == other.digest

    __hash__ = Node.__hash__

    @property
    def holds_aggregate(self) -> bool:
        """Whether an aggregate is part of it."""
        return self.holds & AGGREGATE != 0

    @property
    def holds_window(self) -> bool:
        """Whether a `WindowCall` is part of it."""
        return self.holds & WINDOW != 0

    def __repr__(self) -> str:
        from lazyframe.planner.formatting import format_scalar

        return format_scalar(self)


_set_dtype, _set_nullable = setter(Scalar, "dtype"), setter(Scalar, "nullable")
_set_columns, _set_holds = setter(Scalar, "columns"), setter(Scalar, "holds")


@node
class Column(Scalar):
    """A column of the child relation."""

    name: str
    of_type: DataType
    may_be_null: bool

    def __post_init__(self) -> None:
        set_site(self, ambient.site)
        _set_dtype(self, self.of_type)
        _set_nullable(self, self.may_be_null)
        _set_columns(self, frozenset((self.name,)))
        _set_holds(self, 0)

    def __eq__(self, other: object) -> bool:
        if type(other) is not Column:
            return False
        return self is other or (
            self.name == other.name and self.may_be_null == other.may_be_null and self.of_type == other.of_type
        )

    def __hash__(self) -> int:
        return hash(self.name)


@node
class Literal(Scalar):
    """A constant, as an Arrow scalar."""

    value: pa.Scalar

    def __post_init__(self) -> None:
        set_site(self, ambient.site)
        _set_dtype(self, self.value.type)
        _set_nullable(self, not self.value.is_valid)
        _set_columns(self, _NO_COLUMNS)
        _set_holds(self, 0)


@node
class Parameter(Scalar):
    """A constant that gets its value when the query runs, or an element of an array of such (see `planner/cells.py`).

    It is never null. Two are one parameter where their cells are, whatever type each has here.
    """

    cell: Cell
    of_type: DataType
    index: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        set_site(self, ambient.site)
        _set_dtype(self, self.of_type)
        _set_nullable(self, False)
        _set_columns(self, _NO_COLUMNS)
        _set_holds(self, PARAMETER)

    @property
    def name(self) -> str:
        """By which its value is given."""
        return self.cell.name


@node
class Call(Scalar):
    """A scalar function of its arguments, which have the types its overload wants."""

    function: str
    args: tuple[Scalar, ...]
    options: tuple[tuple[str, Any], ...] = ()

    def _derive(self) -> None:
        found = definition.lookup(self.function)
        types = tuple([a.dtype for a in self.args])
        signature = found.resolve(types, dict(self.options))
        assert types == signature.arguments, f"{self.function} wants {signature.arguments}, not {types}"
        _set_dtype(self, signature.result)
        _set_nullable(self, found.may_be_null(self.args))

    def __post_init__(self) -> None:
        Scalar.__post_init__(self)
        bits = _FORMS.get(self.function, 0)
        if self.definition.volatile:
            bits |= VOLATILE
        if bits:
            _set_holds(self, self.holds | bits)

    @property
    def definition(self) -> definition.Function:
        return definition.lookup(self.function)


@node
class Cast(Scalar):
    """The value as another type. What does not fit is an error, or null where `lenient`."""

    arg: Scalar
    to: DataType
    lenient: bool = False
    rounding: str = "truncate"
    bit: ClassVar[int] = CAST

    def _derive(self) -> None:
        _set_dtype(self, self.to)
        _set_nullable(self, self.arg.nullable or self.lenient)


@node
class Case(Scalar):
    """The value of the first condition that is true, else of `otherwise`. Branches not taken are not evaluated."""

    conditions: tuple[Scalar, ...]
    values: tuple[Scalar, ...]
    otherwise: Scalar
    bit: ClassVar[int] = CASE

    def _derive(self) -> None:
        assert len(self.conditions) == len(self.values)
        assert all(c.dtype == BOOL for c in self.conditions)
        assert all(v.dtype == self.otherwise.dtype for v in self.values)
        _set_dtype(self, self.otherwise.dtype)
        _set_nullable(self, self.otherwise.nullable or any(v.nullable for v in self.values))


@node
class SortKey(Scalar):
    """A value to sort by, and how."""

    arg: Scalar
    descending: bool = False
    nulls_first: bool = False

    def _derive(self) -> None:
        _set_dtype(self, self.arg.dtype)
        _set_nullable(self, self.arg.nullable)


@node
class AggregateCall(Scalar):
    """An aggregate function over the rows of a group. Stands only in an `Aggregate` relation.

    Rows where `where` is not true are left out; with `distinct` each different tuple of arguments counts once; with
    `order` the rows are taken in that order.
    """

    function: str
    args: tuple[Scalar, ...]
    where: Scalar | None = None
    order: tuple[Scalar, ...] = ()
    distinct: bool = False
    options: tuple[tuple[str, Any], ...] = ()
    bit: ClassVar[int] = AGGREGATE

    def _derive(self) -> None:
        found = definition.lookup_aggregate(self.function)
        types = tuple([a.dtype for a in self.args])
        signature = found.resolve(types, dict(self.options))
        assert types == signature.arguments, f"{self.function} wants {signature.arguments}, not {types}"
        assert all([isinstance(key, SortKey) for key in self.order])
        _set_dtype(self, signature.result)
        _set_nullable(self, found.empty_is_null)

    @property
    def definition(self) -> definition.AggregateFunction:
        return definition.lookup_aggregate(self.function)


@node
class WindowCall(Scalar):
    """A function over the rows around each row. Stands only in a `Window` relation.

    The rows are divided by `partition` and ordered by `order`, where equal rows are peers and keep their order. A ranking
    function looks at that alone; the others at the rows of the `frame` (None: SQL's default, see `planner/frames.py`) for
    which `where` is true. The function is a window function or an aggregate; only an aggregate may have `where`, `distinct`
    and `argument_order`, the order in which it takes the rows of its frame.
    """

    function: str
    args: tuple[Scalar, ...]
    partition: tuple[Scalar, ...] = ()
    order: tuple[Scalar, ...] = ()
    where: Scalar | None = None
    frame: Frame | None = None
    distinct: bool = False
    options: tuple[tuple[str, Any], ...] = ()
    argument_order: tuple[Scalar, ...] = ()
    bit: ClassVar[int] = WINDOW

    def _derive(self) -> None:
        found = definition.lookup_window(self.function)
        types = tuple([a.dtype for a in self.args])
        signature = found.resolve(types, dict(self.options))
        assert types == signature.arguments, f"{self.function} wants {signature.arguments}, not {types}"
        assert all([isinstance(key, SortKey) for key in (*self.order, *self.argument_order)])
        _set_dtype(self, signature.result)
        _set_nullable(self, found.may_be_null(self.args))

    @property
    def definition(self) -> definition.WindowFunction:
        return definition.lookup_window(self.function)

    @property
    def takes_whole_partitions(self) -> bool:
        """Whether its frame is the whole partition for each row."""
        return not self.order if self.frame is None else self.frame.is_whole


@node
class GroupingCall(Scalar):
    """Which of some keys are aggregated away, as bits: SQL's GROUPING(). Stands until the groups are planned."""

    args: tuple[Scalar, ...]
    bit: ClassVar[int] = AGGREGATE

    def _derive(self) -> None:
        _set_dtype(self, INT64)
        _set_nullable(self, False)


def _boolean(byte: bytes) -> Literal:
    """A boolean from its bits: `pa.scalar` would import pandas where that is installed, and take a third of a second."""
    return Literal(pa.Array.from_buffers(BOOL, 1, [None, pa.py_buffer(byte)])[0])


TRUE = _boolean(b"\1")
FALSE = _boolean(b"\0")


def null_of(dtype: DataType) -> Literal:
    return Literal(pa.nulls(1, dtype)[0])


def is_literal_null(scalar: Scalar) -> bool:
    return isinstance(scalar, Literal) and not scalar.value.is_valid


def cast(arg: Scalar, to: DataType) -> Scalar:
    """`arg` as `to`, without a node where it has that type already."""
    if arg.dtype == to:
        return arg
    if isinstance(arg, Literal) and is_null(arg.dtype):
        return null_of(to)
    if isinstance(arg, Parameter) and is_null(arg.dtype):
        # Its type was not known before it is asked for.
        return replace(arg, of_type=to)
    return Cast(arg, to)


def structure(scalar: Scalar) -> Hashable:
    """What expressions over one relation share only if they are equal: the digest, or what says as much for less."""
    match scalar:
        case Column(name=name):
            return name
        case AggregateCall(function=function, args=args, where=None, order=(), distinct=False, options=()):
            names = [arg.name for arg in args if isinstance(arg, Column)]
            return (function, *names) if len(names) == len(args) else scalar.digest
    return scalar.digest


def conjuncts(predicate: Scalar) -> list[Scalar]:
    """The parts of a chain of ANDs, in the order they are written."""
    parts: list[Scalar] = []
    # A node that stands in several places has one value: what was seen adds nothing.
    seen: set[int] = set()
    stack = [predicate]
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if isinstance(current, Call) and current.function == "and":
            stack.extend(reversed(current.args))
        else:
            parts.append(current)
    return parts


def conjunction(parts: Iterable[Scalar]) -> Scalar | None:
    """All of `parts` as one predicate, balanced so that it stays shallow; None where there are none."""
    level = list(parts)
    if not level:
        return None
    while len(level) > 1:
        paired: list[Scalar] = [Call("and", (level[i], level[i + 1])) for i in range(0, len(level) - 1, 2)]
        level = [*paired, level[-1]] if len(level) % 2 else paired
    return level[0]


def substitute(scalar: Scalar, bindings: Mapping[str, Scalar]) -> Scalar:
    """`scalar` with columns replaced by what `bindings` gives for their names."""
    if not any(name in bindings for name in scalar.columns):
        return scalar

    def step(current: Scalar) -> Scalar | None:
        if isinstance(current, Column):
            return bindings.get(current.name, current)
        return current if not any(name in bindings for name in current.columns) else None

    return rewrite_top_down(scalar, step)


def uncast(scalar: Scalar) -> Scalar:
    """What is converted, however often."""
    while isinstance(scalar, Cast):
        scalar = scalar.arg
    return scalar


def rename_columns(scalar: Scalar, names: Mapping[str, str]) -> Scalar:
    """`scalar` with columns renamed."""

    def step(current: Scalar) -> Scalar:
        if isinstance(current, Column) and current.name in names:
            return Column(names[current.name], current.dtype, current.nullable)
        return current

    return rewrite(scalar, step)


def is_total(scalar: Scalar) -> bool:
    """Whether evaluating it can raise no error, whatever the values."""
    known: bool | None = getattr(scalar, "_total", None)
    return remembered(scalar, "_total", _total) if known is None else known


def is_volatile(scalar: Scalar) -> bool:
    """Whether evaluating it twice may give two values."""
    return scalar.holds & VOLATILE != 0


def _total(current: Scalar, children: list[bool]) -> bool:
    if not all(children):
        return False
    match current:
        case Call():
            return current.definition.is_total(current.args)
        case Cast():
            return current.lenient or definition.cast_is_total(current.arg.dtype, current.to)
        case _:
            return True


__all__ = [
    "AGGREGATE", "CALENDAR", "CASE", "CAST", "CLOCK", "COMPARISON", "FALSE", "FIELD", "LOGIC", "OUTER", "PARAMETER", "PATTERN", "SUBQUERY",
    "TRUE", "UNNEST", "VOLATILE", "WINDOW", "AggregateCall", "Call", "Case", "Cast", "Column", "GroupingCall", "Literal",
    "Parameter", "Scalar", "SortKey", "WindowCall", "cast", "conjunction", "conjuncts", "is_literal_null", "is_total", "is_volatile", "null_of",
    "rename_columns", "structure", "substitute", "uncast",
]  # fmt: skip
