"""A SELECT under construction: what verbs have been merged into it, and what can still be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple

from sqlglot import exp

from lazyframe.planner.graph import postorder
from lazyframe.planner.scalars import Column, Literal, Scalar, SortKey, is_volatile, substitute
from lazyframe.planner.schema import Schema
from lazyframe.planner.types import DataType

_numbers = count()

MAX_HEIGHT = 24
"""How deeply a merged expression may nest before it is divided over two SELECTs."""

_CHEAP = 3
"""Up to how many nodes an expression may have that is written once more wherever it is used."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One place where a SELECT reads a table: each has columns of its own.

    Args:
        name: of the table.
        columns: of the table, in order.
        source: what stands in FROM, without an alias.
    """

    name: str
    columns: tuple[str, ...]
    source: exp.Expression
    number: int = field(default_factory=lambda: next(_numbers))

    def base(self, column: str) -> str:
        """The name by which expressions of the SELECT know a column of this reference, and of no other."""
        return f"{self.number}.{column}"

    def outputs(self, schema: Schema) -> dict[str, Scalar]:
        return {f.name: Column(self.base(f.name), f.dtype, f.nullable) for f in schema}


class Named(NamedTuple):
    """A column of a table."""

    reference: Reference
    column: str


class Exists(NamedTuple):
    """Whether a correlated SELECT gives a row."""

    select: Select


class Single(NamedTuple):
    """The one value that a correlated SELECT gives."""

    select: Select


class Unnested(NamedTuple):
    """A row for each item of a list."""

    value: Scalar


Origin = Named | Exists | Single | Unnested


class Joined(NamedTuple):
    """A table joined to those before it."""

    reference: Reference
    kind: str
    conditions: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """Clauses, whose expressions are over the columns of what FROM names.

    Args:
        origins: what those columns are, by the names that the expressions use.
        outputs: the columns it gives.
        keys: of GROUP BY; None where it does not group.
        order: the sort keys of its rows, where they have an order.
        row_order: the order of the rows that are grouped.
        multiplies: whether UNNEST makes several rows of one, so that nothing can be merged any more.
        rounds: the recursions whose rows it reads.
        label: what it is called if it has to have a name.
    """

    reference: Reference | None
    joins: tuple[Joined, ...] = ()
    origins: Mapping[str, Origin] = field(default_factory=dict)
    outputs: Mapping[str, Scalar] = field(default_factory=dict)
    where: tuple[Scalar, ...] = ()
    keys: tuple[Scalar, ...] | None = None
    having: tuple[Scalar, ...] = ()
    order: tuple[Scalar, ...] = ()
    row_order: tuple[Scalar, ...] = ()
    distinct: bool = False
    limit: int | None = None
    offset: int = 0
    multiplies: bool = False
    rounds: frozenset[str] = frozenset()
    label: str = "selected"

    @property
    def is_cut(self) -> bool:
        """Whether LIMIT or OFFSET leaves rows out."""
        return self.limit is not None or self.offset > 0

    @property
    def has_windows(self) -> bool:
        return any([s.holds_window for s in self.outputs.values()])

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing but FROM, WHERE, the columns and an order: another WHERE, or GROUP BY, may follow."""
        return self.keys is None and not (self.distinct or self.is_cut or self.multiplies or self.has_windows)

    @property
    def references(self) -> tuple[Reference, ...]:
        first = () if self.reference is None else (self.reference,)
        return (*first, *[joined.reference for joined in self.joins])

    def over(self, scalar: Scalar) -> Scalar:
        """An expression over the outputs as one over what FROM names."""
        return substitute(scalar, self.outputs)

    def takes(self, scalars: Iterable[Scalar], *, bare: bool = False) -> bool:
        """Whether expressions over the outputs can be written over what FROM names.

        Not where something long would be written several times, something volatile evaluated several times, or where it
        would nest too deeply. With `bare` every use counts as one too many, since the outputs are written as well.
        """
        uses: dict[str, int] = {}
        wanted = list(scalars)
        for scalar in wanted:
            for node in postorder(scalar):
                if isinstance(node, Column):
                    uses[node.name] = uses.get(node.name, 0) + 1
        deepest = 0
        for name, times in uses.items():
            output = self.outputs[name]
            if isinstance(output, (Column, Literal)):
                if isinstance(self.origins.get(getattr(output, "name", "")), (Exists, Single)) and times > 1:
                    return False
                continue
            if is_volatile(output) and (times > 1 or bare):
                return False
            if times > (0 if bare else 1) and size(output) > (_CHEAP * 4 if bare else _CHEAP):
                return False
            deepest = max(deepest, height(output))
        return not deepest or deepest + max(map(height, wanted), default=0) <= MAX_HEIGHT

    def with_where(self, *conditions: Scalar) -> Select:
        return replace(self, where=(*self.where, *conditions))


def size(scalar: Scalar) -> int:
    return len(postorder(scalar))


_WEIGHTS = {"and": 0, "or": 0, "floor_divide": 8, "modulo": 8}
"""What a function adds to the height: chains of ANDs, or of ORs, are written flat, and the forms of others write an argument
several times."""


def step_of_height(node: Scalar, children: Iterable[tuple[Scalar, int]]) -> int:
    """The height of a node from those of its children."""
    own = getattr(node, "function", None)
    tallest = 0
    for child, below in children:
        flat = own in ("and", "or") and own == getattr(child, "function", None)
        tallest = max(tallest, below - flat)
    weight = _WEIGHTS.get(own or "", 1)
    return tallest + (weight if weight and tallest > 1 else 1)


def height(scalar: Scalar) -> int:
    """How deeply it nests."""
    heights: dict[int, int] = {}
    for node in postorder(scalar):
        heights[id(node)] = step_of_height(node, [(child, heights[id(child)]) for child in node.children()])
    return heights[id(scalar)]


def reversed_keys(keys: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """The sort keys of the opposite order."""
    made = []
    for key in keys:
        assert isinstance(key, SortKey)
        made.append(SortKey(key.arg, not key.descending, not key.nulls_first))
    return tuple(made)


def new_column(label: str, dtype: DataType, *, nullable: bool) -> Column:
    """A column of a name that no other has, for an origin that is no column of a table."""
    return Column(f"{next(_numbers)}.{label}", dtype, nullable)
