"""A plan as expressions over the rows that its leaves give.

Between two aggregates every relation keeps, orders or combines rows, so that a value of a row on top is an expression over
columns of rows at the bottom, however many projections lie between. A `Segment` is that: the rows, with no projections left
in them, and the expressions. Then the walk backwards through all of it is the walk through an expression, and the cotangent of
each value stands beside the row it belongs to.

What has no parameter in it is a leaf. So is an aggregate or a window over what moves with one: an *inlet*, through
which the walk goes on in the segment below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from lazyframe.planner.gradients.expressions import Stop, depends
from lazyframe.planner.relations import Plan, Project
from lazyframe.planner.relations.project import columns
from lazyframe.planner.scalars import Column, Parameter, Scalar, substitute
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.sources import Learned

Values = Mapping[str, Scalar]


class Inlet(NamedTuple):
    """Where the rows of a segment have the columns of an aggregate or a window.

    Args:
        source: the aggregate or window.
        names: from the names of its own columns to those in the rows.
    """

    source: Source
    names: Mapping[str, str]


class Segment(NamedTuple):
    """A relation as expressions.

    Args:
        rows: as many as the relation has, and in its order.
        values: its columns, over those of `rows`.
        inlets: through which the walk backwards goes on.
    """

    rows: Plan
    values: Values
    inlets: tuple[Inlet, ...] = ()

    @property
    def moving(self) -> frozenset[str]:
        """The columns of `rows` that move with a parameter."""
        return frozenset([inlet.names[name] for inlet in self.inlets for name in inlet.source.moving])

    def over(self, scalar: Scalar) -> Scalar:
        """An expression over the columns of the relation, over those of `rows`."""
        return substitute(scalar, self.values)


class Cotangent(NamedTuple):
    """What reaches the columns of an aggregate or a window from above.

    Args:
        rows: its rows, each as often as it was used and only where it was.
        names: from the names of its columns to those in `rows`.
        of: the cotangents of its columns, over those of `rows`.
    """

    rows: Plan
    names: Mapping[str, str]
    of: Mapping[str, Scalar]


class Pulled(NamedTuple):
    """What reaches the segment below an aggregate or a window.

    Args:
        rows: those of the segment, with columns beside theirs.
        outputs: expressions over the segment's rows, each with its cotangent.
    """

    rows: Plan
    outputs: Sequence[tuple[Scalar, Scalar]]


class Source(Protocol):
    """An aggregate or a window over what moves with a parameter."""

    @property
    def moving(self) -> frozenset[str]:
        """Its columns that do."""
        ...

    @property
    def below(self) -> Segment:
        """The segment of its rows."""
        ...

    def pulled(self, cotangents: Sequence[Cotangent], builder: Builder) -> list[Pulled]:
        """What reaches the segment below from what reaches its columns."""
        ...


@dataclass
class Builder:
    """What the segments of one plan are made with.

    Args:
        is_wanted: whether a parameter is one that a derivative is asked by.
        taken: names that columns of the plan have.

    Attributes:
        sources: the aggregates, windows and tables that have been found, each after those below it.
        stops: the places at which paths end without a derivative.
    """

    is_wanted: Callable[[Parameter | Learned], bool]
    taken: set[str]
    sources: list[Source] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    _made: Counter[str] = field(default_factory=Counter)

    def fresh(self, base: str) -> str:
        """A name that nothing else has."""
        self._made[base] += 1
        name = fresh_name(base, self.taken, self._made[base])
        self.taken.add(name)
        return name

    def is_leaf_of(self, segment: Segment) -> Callable[[Scalar], bool]:
        """What the walk through expressions over the rows of a segment looks for."""
        moving = segment.moving

        def is_leaf(scalar: Scalar) -> bool:
            if isinstance(scalar, Column):
                return scalar.name in moving
            return isinstance(scalar, Parameter) and self.is_wanted(scalar)

        return is_leaf

    def moves(self, scalar: Scalar, segment: Segment) -> bool:
        """Whether an expression over the rows of a segment moves with a parameter."""
        return depends(scalar, self.is_leaf_of(segment))

    def note(self, what: str, scalars: Sequence[Scalar], segment: Segment) -> None:
        """Remember that a path ends in expressions that only say which rows there are, or in what order."""
        for scalar in scalars:
            if self.moves(scalar, segment):
                self.stops.append(Stop(what, scalar.site))


def leaf(plan: Plan) -> Segment:
    """A relation as it is."""
    return Segment(plan, dict(columns(plan)))


def beside(rows: Plan, more: Sequence[tuple[str, Scalar]]) -> Plan:
    """Rows with columns beside theirs; `rows` itself where there are none."""
    return Project(rows, (*columns(rows), *more)) if more else rows


__all__ = ["Builder", "Cotangent", "Inlet", "Pulled", "Segment", "Source", "beside", "leaf"]
