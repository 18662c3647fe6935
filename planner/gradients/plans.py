"""The segment of a plan, made by one rule for each relation."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.errors import LazyFrameError, UnsupportedError
from lazyframe.planner.functions.definition import lookup
from lazyframe.planner.gradients.combined import combined
from lazyframe.planner.gradients.groups import grouped
from lazyframe.planner.gradients.reshaped import exploded, unpivoted
from lazyframe.planner.gradients.segments import Builder, Segment, beside, leaf
from lazyframe.planner.gradients.tables import table
from lazyframe.planner.gradients.windows import shifted, windowed
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
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Call, Column, Parameter, Scalar, is_volatile
from lazyframe.planner.sources import learned


def segment_of(builder: Builder, plan: Plan) -> Segment:
    """The segment of a plan.

    Raises:
        UnsupportedError: where what moves goes through a relation that has no derivative.
    """
    moving: dict[int, bool] = {}

    def mentions(current: Plan, below: list[bool]) -> bool:
        moves = (
            True in below
            or any([_mentions(builder, scalar) for scalar in current.scalars()])
            or _is_learned(builder, current)
        )
        moving[id(current)] = moves
        return moves

    fold(plan, mentions)

    def step(current: Plan, below: list[Segment]) -> Segment:
        if not moving[id(current)]:
            return leaf(current)
        try:
            return _one(builder, current, below)
        except LazyFrameError as error:
            error.site = error.site or current.site
            raise

    return fold(plan, step)


def _mentions(builder: Builder, scalar: Scalar) -> bool:
    return any([isinstance(part, Parameter) and builder.is_wanted(part) for part in postorder(scalar)])


def _is_learned(builder: Builder, plan: Plan) -> bool:
    """Whether columns of a table are a parameter that a derivative is asked by."""
    return isinstance(plan, Scan) and (known := learned(plan.source)) is not None and builder.is_wanted(known)


def _one(builder: Builder, current: Plan, below: list[Segment]) -> Segment:
    """The segment of a relation over those of its inputs."""
    match current:
        case Scan():
            return table(builder, current)
        case Join() | AsofJoin() | Union() | HorizontalConcat():
            return combined(builder, current, below)
        case _ if len(below) != 1:
            return _opaque(builder, current, below)
    (inner,) = below
    match current:
        case Project():
            return _projected(builder, current, inner)
        case Aggregate():
            return grouped(builder, current, inner)
        case Window():
            return windowed(builder, current, inner)
        case Shift():
            return shifted(builder, current, inner)
        case Unpivot():
            return unpivoted(builder, current, inner)
        case Explode():
            return exploded(builder, current, inner)
        case Filter():
            return _kept(builder, "the condition of a filter", current, inner)
        case Sort() | TopK():
            return _kept(builder, "a key to sort by", current, inner)
        case PartitionTopK():
            return _kept(builder, "a key to rank by", current, inner)
        case Limit() | Tail() | Sample():
            _check_order(builder, current, inner)
            return inner._replace(rows=current.with_children([inner.rows]))
        case Reverse() | Shared():
            return inner._replace(rows=current.with_children([inner.rows]))
        case RowIndex(name=name, start=start):
            fresh = builder.fresh(name)
            rows = RowIndex(inner.rows, fresh, start)
            return Segment(rows, {name: column(rows.schema, fresh), **inner.values}, inner.inlets)
        case Distinct(subset=subset, keep=keep):
            builder.note("a key that duplicates are found by", [inner.values[name] for name in subset], inner)
            names = {name: builder.fresh(name) for name in subset}
            keys = [(names[name], inner.values[name]) for name in subset]
            return inner._replace(rows=Distinct(beside(inner.rows, keys), tuple(names.values()), keep))
    return _opaque(builder, current, below)


def _projected(builder: Builder, current: Project, inner: Segment) -> Segment:
    rows = inner.rows
    values: dict[str, Scalar] = {}
    for name, scalar in current.exprs:
        value = inner.over(scalar)
        if is_volatile(value):
            # What is drawn at random is drawn once, and stands beside the rows.
            value, rows = _drawn(builder, value, rows)
        values[name] = value
    return Segment(rows, values, inner.inlets)


def _drawn(builder: Builder, value: Scalar, rows: Plan) -> tuple[Scalar, Plan]:
    """A value over rows that have what is drawn at random for it."""
    drawn: list[tuple[str, Scalar]] = []

    def step(current: Scalar) -> Scalar | None:
        if not is_volatile(current):
            return current
        if not isinstance(current, Call) or not lookup(current.function).volatile:
            return None
        name = builder.fresh(current.function)
        drawn.append((name, current))
        return Column(name, current.dtype, current.nullable)

    value = rewrite_top_down(value, step)
    return value, beside(rows, drawn)


def _kept(builder: Builder, what: str, current: Plan, inner: Segment) -> Segment:
    """A relation of the same columns, whose expressions say which rows there are or in what order."""
    scalars = [inner.over(scalar) for scalar in current.scalars()]
    builder.note(what, scalars, inner)
    rows = current._with((*current.plan_fields, *current.scalar_fields), [inner.rows, *scalars])
    return inner._replace(rows=rows)


def _check_order(builder: Builder, current: Plan, inner: Segment) -> None:
    if not _any_moves(builder, [inner]) or _is_ordered(current.children()[0]):
        return
    verb = {Limit: "a limit", Tail: "the last rows", Sample: "a sample"}[type(current)]
    raise UnsupportedError(
        f"the gradient goes through {verb} without an order: which rows they are is nothing that a derivative can rest on",
        hint="sort() before it, or take the rows before a parameter is used",
        site=current.site,
    )


def _any_moves(builder: Builder, below: Sequence[Segment]) -> bool:
    return any([builder.moves(value, segment) for segment in below for value in segment.values.values()])


def _opaque(builder: Builder, current: Plan, below: list[Segment]) -> Segment:
    """A relation without a rule: a leaf, unless what it reads moves with a parameter."""
    if not _any_moves(builder, below):
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


__all__ = ["segment_of"]
