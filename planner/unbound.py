"""Expressions as the user writes them: names not yet looked up, types not yet known.

The user's `Expr` holds one of these; a verb binds it against the frame's schema (`planner/bind.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar

from lazyframe.planner.frames import Frame
from lazyframe.planner.graph import Node, _set, node, postorder, rewrite, token
from lazyframe.planner.selection import ByName, Selection
from lazyframe.planner.site import ambient
from lazyframe.planner.types import DataType

if TYPE_CHECKING:
    from lazyframe.planner.cells import Cell


class Unbound(Node):
    """An expression without types. `holds_many` tells whether it stands for several, one for each column of a selection.

    `held` is the value that it had when it was written, where verbs run at once and it is made of parameters alone. `has_none`
    is set where it was found to be made of more than these.
    """

    __slots__ = ("has_none", "held", "holds_many")
    sort: ClassVar[str] = "unbound"
    selects: ClassVar[bool] = False

    holds_many: bool

    def __post_init__(self) -> None:
        _set(self, "site", ambient.site)
        _set(self, "holds_many", self.selects or True in [child.holds_many for child in self.children()])

    def __repr__(self) -> str:
        from lazyframe.planner.formatting import format_unbound

        return format_unbound(self)


@node
class Ref(Unbound):
    """The column of that name."""

    name: str


@node
class Many(Unbound):
    """Each of the columns that a selection finds: the expression around it is repeated for each."""

    selection: Selection
    selects: ClassVar[bool] = True


@node
class Constant(Unbound):
    """A Python value; of the type given, or of the one that suits what it meets."""

    value: Any
    dtype: DataType | None = None

    def __post_init__(self) -> None:
        token(self.value)  # which refuses what is no constant
        Unbound.__post_init__(self)


@node
class Placeholder(Unbound):
    """A parameter, or an element of one that is an array; of the type given, or of the one that what it meets asks for."""

    cell: Cell
    dtype: DataType | None = None
    index: tuple[int, ...] = ()


_VALUES = (Constant, Placeholder)
"""What a column is not named after, where there is something else."""


@node
class Apply(Unbound):
    """A scalar function."""

    function: str
    args: tuple[Unbound, ...]
    options: tuple[tuple[str, Any], ...] = ()


@node
class Differentiated(Unbound):
    """What a value changes by if a column or a parameter does."""

    arg: Unbound
    by: Unbound


@node
class Member(Unbound):
    """Whether the value is one of some constants."""

    arg: Unbound
    values: tuple[Any, ...]


@node
class Convert(Unbound):
    """The value as another type; null where it does not fit, if `lenient`."""

    arg: Unbound
    to: DataType
    lenient: bool = False


@node
class Choose(Unbound):
    """when / then / otherwise."""

    conditions: tuple[Unbound, ...]
    values: tuple[Unbound, ...]
    otherwise: Unbound


@node
class Aggregated(Unbound):
    """An aggregate function."""

    function: str
    args: tuple[Unbound, ...]
    where: Unbound | None = None
    order: tuple[Unbound, ...] = ()
    distinct: bool = False
    options: tuple[tuple[str, Any], ...] = ()


@node
class Grouping(Unbound):
    """Which of some keys are aggregated away, in groupings by several sets of keys."""

    args: tuple[Unbound, ...]


@node
class Windowed(Unbound):
    """A window function, or an aggregate over a window.

    `keys` are what a ranking function ranks by, before anything in `order`. One that is not `placed` yet gets its partition
    and order from the `over()` around it; without one it goes over all rows in their order.
    """

    function: str
    args: tuple[Unbound, ...] = ()
    keys: tuple[Unbound, ...] = ()
    partition: tuple[Unbound, ...] = ()
    order: tuple[Unbound, ...] = ()
    where: Unbound | None = None
    frame: Frame | None = None
    distinct: bool = False
    options: tuple[tuple[str, Any], ...] = ()
    argument_order: tuple[Unbound, ...] = ()
    placed: bool = False


@node
class Restricted(Unbound):
    """The values of only those rows for which a condition is true: stands under an aggregate, which takes it over."""

    arg: Unbound
    where: Unbound


@node
class Ordered(Unbound):
    """A value to sort by, and how."""

    arg: Unbound
    descending: bool = False
    nulls_first: bool = False


@node
class Named(Unbound):
    """The value under a name of its own, or with a prefix and suffix around the name it has."""

    arg: Unbound
    name: str | None = None
    prefix: str = ""
    suffix: str = ""


def output_name(expression: Unbound) -> str:
    """The name a column gets: its alias, else that of the leftmost column in it."""
    prefix, suffix = "", ""
    current = expression
    while True:
        match current:
            case Named(name=None):
                prefix, suffix = current.prefix + prefix, suffix + current.suffix
                current = current.arg
            case Named(name=name):
                return f"{prefix}{name}{suffix}"
            case Ref(name=name):
                return f"{prefix}{name}{suffix}"
            case Constant():
                return f"{prefix}literal{suffix}"
            case Placeholder(cell=cell):
                return f"{prefix}{cell.name}{suffix}"
            case Choose(values=values, otherwise=otherwise):
                current = next((v for v in (*values, otherwise) if not isinstance(v, _VALUES)), values[0])
            case Aggregated(function="len", args=()):
                return f"{prefix}len{suffix}"
            case Windowed(args=(), keys=(key, *_)):
                current = key
            case Apply(args=()) | Aggregated(args=()) | Windowed(args=()):
                return f"{prefix}{current.function}{suffix}"
            case _:
                children = current.children()
                # 1 - col("x") is named x, as is col("x") - 1.
                current = next((c for c in children if not isinstance(c, _VALUES)), children[0])


def expand(
    expression: Unbound, names: list[str], types: dict[str, DataType], hidden: Collection[str] = ()
) -> list[Unbound]:
    """The expression once for each column that the selections in it find; itself where there are none.

    Columns that are `hidden` are only found where they are written out by name.
    """
    if not expression.holds_many:
        return [expression]
    selections = {n.selection for n in postorder(expression) if isinstance(n, Many)}
    found = {
        selection: [
            name for name in selection.names(names, types) if name not in hidden or isinstance(selection, ByName)
        ]
        for selection in selections
    }
    sizes = {len(columns) for columns in found.values()}
    if len(sizes) > 1:
        from lazyframe.planner.errors import InvalidArgumentError

        raise InvalidArgumentError(
            f"an expression combines selections of {' and '.join(str(s) for s in sorted(sizes))} columns",
            hint="select the same number of columns on each side, or write the columns out",
            site=expression.site,
        )

    def at(index: int) -> Unbound:
        def step(current: Unbound) -> Unbound:
            return Ref(found[current.selection][index]) if isinstance(current, Many) else current

        return rewrite(expression, step)

    return [at(index) for index in range(sizes.pop())]
