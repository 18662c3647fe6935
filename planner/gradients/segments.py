"""A plan as expressions over the rows that its leaves give.

Between two aggregates every relation keeps, orders or combines rows, so that a value of a row on top is an expression over
columns of rows at the bottom, however many projections lie between. A `Segment` is that: the rows, with no projections left
in them, and the expressions. Then the walk backwards through all of it is the walk through an expression, and the cotangent of
each value stands beside the row it belongs to.

What has no parameter in it is a leaf. So is an aggregate or a window over what moves with one: an *inlet*, through
which the walk goes on in the segment below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from lazyframe.planner.errors import LazyFrameError, UnsupportedError
from lazyframe.planner.functions.definition import lookup
from lazyframe.planner.gradients.expressions import Stop, depends
from lazyframe.planner.graph import fold, postorder, rewrite_top_down
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Cache,
    Distinct,
    Explode,
    Filter,
    HorizontalConcat,
    Interpolate,
    Join,
    Limit,
    MapBatches,
    PartitionTopK,
    Plan,
    Project,
    Recursion,
    Reverse,
    RowIndex,
    Sample,
    Scan,
    SetOperation,
    Shared,
    Shift,
    Sort,
    Tail,
    TopK,
    Union,
    Unpivot,
    Window,
)  # fmt: skip
from lazyframe.planner.relations.project import column, columns, renamed
from lazyframe.planner.scalars import Call, Column, Parameter, Scalar, is_volatile, substitute
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.sources import Learned, learned

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
    """Makes the segments of a plan.

    Args:
        is_wanted: whether a parameter is one that a derivative is asked by.
        taken: names that columns of the plan have.
    """

    is_wanted: Callable[[Parameter | Learned], bool]
    taken: set[str]
    sources: list[Source] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)

    def fresh(self, base: str) -> str:
        """A name that nothing else has."""
        name = fresh_name(base, self.taken)
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

    def segment(self, plan: Plan) -> Segment:
        """The segment of a plan."""
        moving: dict[int, bool] = {}

        def mentions(current: Plan, below: list[bool]) -> bool:
            moves = True in below or any(map(self._mentions, current.scalars())) or self._is_learned(current)
            moving[id(current)] = moves
            return moves

        fold(plan, mentions)

        def step(current: Plan, below: list[Segment]) -> Segment:
            if not moving[id(current)]:
                return leaf(current)
            try:
                return self._one(current, below)
            except LazyFrameError as error:
                error.site = error.site or current.site
                raise

        return fold(plan, step)

    def _mentions(self, scalar: Scalar) -> bool:
        return any([isinstance(part, Parameter) and self.is_wanted(part) for part in postorder(scalar)])

    def _is_learned(self, plan: Plan) -> bool:
        """Whether columns of a table are a parameter that a derivative is asked by."""
        return isinstance(plan, Scan) and (known := learned(plan.source)) is not None and self.is_wanted(known)

    def note(self, what: str, scalars: Sequence[Scalar], segment: Segment) -> None:
        """Remember that a path ends in expressions that only say which rows there are, or in what order."""
        for scalar in scalars:
            if self.moves(scalar, segment):
                self.stops.append(Stop(what, scalar.site))

    def _one(self, current: Plan, below: list[Segment]) -> Segment:
        from lazyframe.planner.gradients.combined import combined
        from lazyframe.planner.gradients.groups import grouped
        from lazyframe.planner.gradients.reshaped import exploded, unpivoted
        from lazyframe.planner.gradients.tables import table
        from lazyframe.planner.gradients.windows import shifted, windowed

        match current:
            case Scan():
                return table(self, current)
            case Join() | AsofJoin() | Union() | HorizontalConcat():
                return combined(self, current, below)
            case _ if len(below) != 1:
                return self._opaque(current, below)
        (inner,) = below
        match current:
            case Project():
                return self._projected(current, inner)
            case Aggregate():
                return grouped(self, current, inner)
            case Window():
                return windowed(self, current, inner)
            case Shift():
                return shifted(self, current, inner)
            case Unpivot():
                return unpivoted(self, current, inner)
            case Explode():
                return exploded(self, current, inner)
            case Filter():
                return self._kept("the condition of a filter", current, inner)
            case Sort() | TopK():
                return self._kept("a key to sort by", current, inner)
            case PartitionTopK():
                return self._kept("a key to rank by", current, inner)
            case Limit() | Tail() | Sample():
                self._check_order(current, inner)
                return inner._replace(rows=current.with_children([inner.rows]))
            case Reverse() | Shared():
                return inner._replace(rows=current.with_children([inner.rows]))
            case RowIndex(name=name, start=start):
                fresh = self.fresh(name)
                rows = RowIndex(inner.rows, fresh, start)
                return Segment(rows, {name: column(rows.schema, fresh), **inner.values}, inner.inlets)
            case Distinct(subset=subset, keep=keep):
                self.note("a key that duplicates are found by", [inner.values[name] for name in subset], inner)
                names = {name: self.fresh(name) for name in subset}
                keys = [(names[name], inner.values[name]) for name in subset]
                return inner._replace(rows=Distinct(beside(inner.rows, keys), tuple(names.values()), keep))
        return self._opaque(current, below)

    def _projected(self, current: Project, inner: Segment) -> Segment:
        rows = inner.rows
        values: dict[str, Scalar] = {}
        for name, scalar in current.exprs:
            value = inner.over(scalar)
            if is_volatile(value):
                # What is drawn at random is drawn once, and stands beside the rows.
                value, rows = self._drawn(value, rows)
            values[name] = value
        return Segment(rows, values, inner.inlets)

    def _drawn(self, value: Scalar, rows: Plan) -> tuple[Scalar, Plan]:
        drawn: list[tuple[str, Scalar]] = []

        def step(current: Scalar) -> Scalar | None:
            if not is_volatile(current):
                return current
            if not isinstance(current, Call) or not lookup(current.function).volatile:
                return None
            name = self.fresh(current.function)
            drawn.append((name, current))
            return Column(name, current.dtype, current.nullable)

        value = rewrite_top_down(value, step)
        return value, beside(rows, drawn)

    def _kept(self, what: str, current: Plan, inner: Segment) -> Segment:
        """A relation of the same columns, whose expressions say which rows there are or in what order."""
        scalars = [inner.over(scalar) for scalar in current.scalars()]
        self.note(what, scalars, inner)
        supply = iter(scalars)
        rows = current._with((*current.plan_fields, *current.scalar_fields), [inner.rows, *supply])
        return inner._replace(rows=rows)

    def _check_order(self, current: Plan, inner: Segment) -> None:
        if not self._any_moves([inner]) or _is_ordered(current.children()[0]):
            return
        verb = {Limit: "a limit", Tail: "the last rows", Sample: "a sample"}[type(current)]
        raise UnsupportedError(
            f"the gradient goes through {verb} without an order: which rows they are is nothing that a derivative can rest on",
            hint="sort() before it, or take the rows before a parameter is used",
            site=current.site,
        )

    def _any_moves(self, below: Sequence[Segment]) -> bool:
        return any([self.moves(value, segment) for segment in below for value in segment.values.values()])

    def _opaque(self, current: Plan, below: list[Segment]) -> Segment:
        """A relation without a rule: a leaf, unless what it reads moves with a parameter."""
        if not self._any_moves(below):
            return leaf(current)
        what, hint = _REFUSED.get(type(current), (f"{type(current).__name__} has no derivative", None))
        raise UnsupportedError(f"the gradient cannot pass here: {what}", hint=hint, site=current.site)


_REFUSED: dict[type[Plan], tuple[str, str | None]] = {
    Interpolate: (
        "interpolate() has no derivative",
        "forward_fill() has one; or interpolate before a parameter is used",
    ),
    MapBatches: ("nothing is known of a Python function", "write it as expressions, or use it before a parameter"),
    Cache: ("cache() keeps the values of one run", "take the gradient of the frame before cache()"),
    Recursion: ("rows of a recursion depend on how many rounds there were", None),
    SetOperation: (
        "rows are kept by whether equal ones are in another frame, so that the parameter would be part of a key",
        "use the set operation before a parameter",
    ),
}


def leaf(plan: Plan) -> Segment:
    """A relation as it is."""
    return Segment(plan, dict(columns(plan)))


def beside(rows: Plan, more: Sequence[tuple[str, Scalar]]) -> Plan:
    """Rows with columns beside theirs; `rows` itself where there are none."""
    return Project(rows, (*columns(rows), *more)) if more else rows


def without_clash(rows: Plan, taken: Sequence[str], builder: Builder) -> tuple[Plan, dict[str, str]]:
    """Rows whose columns share no name with `taken`, and from their old names to their new ones."""
    others = set(taken)
    names = {name: builder.fresh(name) if name in others else name for name in rows.schema.names}
    return renamed(rows, names), names


_KEEPS_ORDER = (Project, Filter, RowIndex, Window, Shared, Limit, Tail, Reverse, Distinct, PartitionTopK, Sample)


def _is_ordered(plan: Plan) -> bool:
    """Whether the rows come in an order that the user has asked for."""
    while True:
        match plan:
            case Sort() | TopK():
                return True
            case Aggregate(keys=()):
                return True
            case Join(kind="left" | "semi" | "anti" | "inner" | "single" | "cross"):
                plan = plan.left
            case _ if isinstance(plan, _KEEPS_ORDER):
                plan = plan.input
            case _:
                return False


__all__ = ["Builder", "Cotangent", "Inlet", "Pulled", "Segment", "Source", "beside", "leaf", "without_clash"]
