"""Joins, unions and tables side by side, as expressions over the rows of their sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lazyframe.planner.bind import call
from lazyframe.planner.gradients.segments import Builder, Inlet, Segment, beside
from lazyframe.planner.graph import replace, rewrite
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import AsofJoin, HorizontalConcat, Join, Plan, Project, Union
from lazyframe.planner.relations.project import column, renamed
from lazyframe.planner.scalars import TRUE, Call, Case, Column, Scalar, null_of
from lazyframe.planner.types import INT64


def combined(builder: Builder, current: Plan, below: Sequence[Segment]) -> Segment:
    """The segment of a relation that combines several."""
    match current:
        case Join():
            return _joined(builder, current, below)
        case AsofJoin():
            return _joined_in_time(builder, current, below)
        case HorizontalConcat():
            sides = _apart(builder, below, [True] * len(below))
            return _beside(HorizontalConcat(tuple([side.segment.rows for side in sides])), sides)
        case Union():
            return _united(builder, below)
    raise AssertionError(f"{type(current).__name__} combines no relations")


class _Side(NamedTuple):
    """A side of a join.

    Args:
        segment: whose columns share no name with those of the others.
        may_be_missing: whether the join has rows in which it has no part.
        mark: a column that is true in its own rows, where it may be missing and computes anything.
    """

    segment: Segment
    may_be_missing: bool
    mark: str | None


def _apart(builder: Builder, below: Sequence[Segment], may_be_missing: Sequence[bool]) -> list[_Side]:
    """The sides with columns of different names."""
    taken: set[str] = set()
    sides = []
    for segment, missing in zip(below, may_be_missing, strict=True):
        rows, mark = segment.rows, None
        if missing and not all([isinstance(value, Column) for value in segment.values.values()]):
            mark = builder.fresh("present")
            rows = beside(rows, [(mark, TRUE)])
        names = {name: builder.fresh(name) if name in taken else name for name in rows.schema.names}
        taken.update(names.values())
        values = {name: _renamed(value, names) for name, value in segment.values.items()}
        inlets = [
            Inlet(inlet.source, {own: names[name] for own, name in inlet.names.items()}) for inlet in segment.inlets
        ]
        sides.append(_Side(Segment(renamed(rows, names), values, tuple(inlets)), missing, mark))
    return sides


def _renamed(scalar: Scalar, names: dict[str, str], *, missing: bool = False) -> Scalar:
    """An expression over columns of other names, which may be null where the row can be missing."""

    def step(current: Scalar) -> Scalar:
        if not isinstance(current, Column):
            return current
        name = names.get(current.name, current.name)
        nullable = current.nullable or missing
        same = name == current.name and nullable == current.nullable
        return current if same else Column(name, current.dtype, nullable)

    return rewrite(scalar, step)


def _beside(rows: Plan, sides: Sequence[_Side]) -> Segment:
    """The values of all sides; null in the rows that a side has no part in."""
    values: dict[str, Scalar] = {}
    inlets: list[Inlet] = []
    for segment, may_be_missing, mark in sides:
        for name, value in segment.values.items():
            found = _renamed(value, {}, missing=True) if may_be_missing else value
            if may_be_missing and not isinstance(found, Column):
                assert mark is not None
                known = Call("is_not_null", (column(rows.schema, mark),))
                found = Case((known,), (found,), null_of(found.dtype))
            values[name] = found
        inlets += segment.inlets
    return Segment(rows, values, tuple(inlets))


def _joined(builder: Builder, current: Join, below: Sequence[Segment]) -> Segment:
    missing = [current.kind in ("right", "full"), current.kind in ("left", "full", "single")]
    sides = _apart(builder, below, missing)
    left, right = [side.segment for side in sides]
    left_keys = tuple([left.over(key) for key in current.left_keys])
    right_keys = tuple([right.over(key) for key in current.right_keys])
    builder.note("a key of a join", left_keys, left)
    builder.note("a key of a join", right_keys, right)
    condition = current.condition
    if condition is not None:
        # It is asked of pairs, in which both sides are there.
        both = Segment(current, {**left.values, **right.values}, (*left.inlets, *right.inlets))
        condition = both.over(condition)
        builder.note("the condition of a join", [condition], both)
    mark = builder.fresh(current.mark) if current.mark else ""
    rows = replace(
        current,
        left=left.rows,
        right=right.rows,
        left_keys=left_keys,
        right_keys=right_keys,
        condition=condition,
        mark=mark,
    )
    if current.kind in ("semi", "anti", "mark"):
        found = _beside(rows, sides[:1])
        return found._replace(values={**found.values, current.mark: column(rows.schema, mark)}) if mark else found
    return _beside(rows, sides)


def _joined_in_time(builder: Builder, current: AsofJoin, below: Sequence[Segment]) -> Segment:
    missing = [False, current.kind == "left"]
    sides = _apart(builder, below, missing)
    left, right = [side.segment for side in sides]
    left_on, *left_by = [left.over(key) for key in (current.left_on, *current.left_by)]
    right_on, *right_by = [right.over(key) for key in (current.right_on, *current.right_by)]
    builder.note("a key of a join", [left_on, *left_by], left)
    builder.note("a key of a join", [right_on, *right_by], right)
    rows = replace(
        current,
        left=left.rows,
        right=right.rows,
        left_on=left_on,
        right_on=right_on,
        left_by=tuple(left_by),
        right_by=tuple(right_by),
    )
    return _beside(rows, sides)


def _united(builder: Builder, below: Sequence[Segment]) -> Segment:
    """A row is of one input: a value that moves is that of the input it comes from, and the columns of the others are null."""
    tag = builder.fresh("input")
    still: dict[str, str] = {}
    outputs: list[dict[str, Scalar]] = [{tag: literal(number, INT64)} for number in range(len(below))]
    for name in below[0].values:
        if not any([builder.moves(segment.values[name], segment) for segment in below]):
            still[name] = builder.fresh(name)
            for output, segment in zip(outputs, below, strict=True):
                output[still[name]] = segment.values[name]
    moving = [name for name in below[0].values if name not in still]
    own: list[dict[str, str]] = []
    for segment in below:
        used = [name for inlet in segment.inlets for name in inlet.names.values()]
        used += sorted(frozenset().union(*[segment.values[name].columns for name in moving]))
        own.append({name: builder.fresh(name) for name in dict.fromkeys(used)})
    for number, segment in enumerate(below):
        for other, names in enumerate(own):
            schema = below[other].rows.schema
            for name, new in names.items():
                outputs[number][new] = column(segment.rows.schema, name) if other == number else null_of(schema[name])
    rows = Union(
        tuple([
            Project(segment.rows, tuple(sorted(output.items())))
            for segment, output in zip(below, outputs, strict=True)
        ])
    )  # fmt: skip
    values: dict[str, Scalar] = {name: column(rows.schema, new) for name, new in still.items()}
    is_of = [call("equal", column(rows.schema, tag), literal(number, INT64)) for number in range(len(below))]
    for name in moving:
        found = [_renamed(s.values[name], names, missing=True) for s, names in zip(below, own, strict=True)]
        values[name] = found[0] if len(found) == 1 else Case(tuple(is_of[:-1]), tuple(found[:-1]), found[-1])
    inlets = [
        Inlet(inlet.source, {mine: names[name] for mine, name in inlet.names.items()})
        for segment, names in zip(below, own, strict=True)
        for inlet in segment.inlets
    ]
    return Segment(rows, {name: values[name] for name in below[0].values}, tuple(inlets))
