"""What reaches the rows of frames that move, from what reaches the value of each frame: see `windows.py`."""

from __future__ import annotations

from typing import Any

from lazyframe.planner.bind import aggregate_call
from lazyframe.planner.build.windows import window_call
from lazyframe.planner.frames import CURRENT, DEFAULT, FIRST, LAST, WHOLE, Bound, Frame
from lazyframe.planner.gradients.segments import Builder, beside
from lazyframe.planner.gradients.terms import ABSENT, Term, compared, kept, where
from lazyframe.planner.relations import Aggregate, Join, Plan, Window
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Call, Case, Scalar, WindowCall, cast, null_of
from lazyframe.planner.types import FLOAT64, INT64

SUMMED = frozenset({"sum", "mean", "var", "std"})
"""Functions of which each row of the frame has a part."""

CHOSEN = frozenset({"min", "max", "first_value", "last_value", "nth_value", "fill"})
"""Functions whose value is that of one row."""

_OPPOSITE = {"preceding": "following", "following": "preceding"}


def turned(found: WindowCall, rows: Plan, g: Scalar, number: str, builder: Builder) -> tuple[Plan, Scalar]:
    """What reaches the argument of a window function in a row, with rows that have the column it is computed from.

    Args:
        found: the function.
        rows: those that it is over.
        g: what reaches its value.
        number: the column of their numbers.
        builder: of the segments.
    """
    if found.function in SUMMED:
        rows, share = _summed(found, rows, g, builder)
        return rows, share if found.where is None else kept(share, found.where)
    if found.function in CHOSEN:
        return _taken(found, rows, g, number, builder)
    other = "lead" if found.function == "lag" else "lag"
    back = window_call(other, [g, *found.args[1:2]], found.partition, found.order)
    return _beside(rows, back, builder)


def _summed(found: WindowCall, rows: Plan, g: Scalar, builder: Builder) -> tuple[Plan, Scalar]:
    arg = cast(found.args[0], FLOAT64)

    def of_frame(rows: Plan, function: str, value: Scalar) -> tuple[Plan, Term]:
        over = window_call(function, [value], found.partition, found.order, found.frame, found.where)
        rows, known = _beside(rows, over, builder)
        return rows, Term(known)

    def back(rows: Plan, share: Term) -> tuple[Plan, Term]:
        rows, value = _projected(rows, share.scalar, builder)
        frame = found.frame or (DEFAULT if found.order else WHOLE)
        over = window_call("sum", [value], found.partition, found.order, _turned_frame(frame))
        rows, total = _beside(rows, over, builder)
        return rows, Term(total)

    share = Term(g)
    if found.function == "sum":
        rows, total = back(rows, share)
        return rows, total.scalar
    rows, count = of_frame(rows, "count", arg)
    if found.function == "mean":
        rows, total = back(rows, share / count)
        return rows, total.scalar
    # Around the mean of the partition, so that little is lost where values lie far from 0 and close together.
    rows, center = _beside(rows, window_call("mean", [arg], found.partition, ()), builder)
    rows, mean = of_frame(rows, "mean", arg)
    share = share / (count - float(dict(found.options).get("ddof", 1)))
    if found.function == "std":
        rows, known = _beside(rows, found, builder)
        share = where(compared("equal", Term(known), 0.0), Term(ABSENT), share / (2.0 * Term(known)))
    rows, whole = back(rows, share)
    rows, around = back(rows, share * (mean - Term(center)))
    return rows, (2.0 * ((Term(arg) - Term(center)) * whole - around)).scalar


def _taken(found: WindowCall, rows: Plan, g: Scalar, number: str, builder: Builder) -> tuple[Plan, Scalar]:
    """The rows that were taken, by their numbers, with the sum over those who took them."""
    arg, *others = found.args
    index: Scalar = column(rows.schema, number)
    options: dict[str, Any] = dict(found.options)
    if found.function in ("min", "max"):
        function, args, options = f"{found.function}_by", [index, arg], {"ignore_nulls": True}
    else:
        known = Case((Call("is_not_null", (arg,)),), (index,), null_of(INT64)) if arg.nullable else index
        function, args = found.function, [known, *others]
    over = window_call(function, args, found.partition, found.order, found.frame, found.where, options=options)
    rows, chosen = _beside(rows, over, builder)
    by, total = builder.fresh("chosen"), builder.fresh("taken")
    sums = Aggregate(rows, ((by, chosen),), ((total, aggregate_call("sum", [cast(g, FLOAT64)])),))
    rows = Join(rows, sums, "left", (column(rows.schema, number),), (column(sums.schema, by),))
    return rows, column(rows.schema, total)


def _beside(rows: Plan, found: WindowCall, builder: Builder) -> tuple[Plan, Scalar]:
    name = builder.fresh(found.function)
    rows = Window(rows, ((name, found),))
    return rows, column(rows.schema, name)


def _projected(rows: Plan, scalar: Scalar, builder: Builder) -> tuple[Plan, Scalar]:
    name = builder.fresh("share")
    rows = beside(rows, [(name, scalar)])
    return rows, column(rows.schema, name)


def _turned_frame(frame: Frame) -> Frame:
    """The frame that holds the rows in whose frame the row is."""
    return Frame(frame.unit, _turned_bound(frame.end), _turned_bound(frame.start), frame.exclude)


def _turned_bound(bound: Bound) -> Bound:
    match bound.kind:
        case "unbounded_preceding":
            return LAST
        case "unbounded_following":
            return FIRST
        case "current_row":
            return CURRENT
    return bound._replace(kind=_OPPOSITE[bound.kind])
