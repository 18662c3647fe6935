"""Comparisons of one value with constants, as the range of values for which all of them, or one of them, are true."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.algebra.points import MIRRORED, Point, is_dispensable, line_of, point_of
from lazyframe.planner.scalars import FALSE, TRUE, Call, Literal, Scalar, structure
from lazyframe.planner.types import DataType, is_decimal, is_float, is_integer

_FEW = 3
"""So many values left out one by one cost more than a lookup among them."""

_LONG = 256
"""A longer list of values that are left out stays as it is: a chain of thousands of filters would make it anew at each."""


class Comparison(NamedTuple):
    """A part that compares a value with constants.

    Args:
        part: the condition.
        x: the value.
        function: of the comparison; `is_in`, `is_not_in` or `is_not_null` besides.
        points: where the constants stand; as many as the list has, else one, or none.
    """

    part: Scalar
    x: Scalar
    function: str
    points: tuple[Point, ...]


class Bound(NamedTuple):
    """An end of a range: a point, whether it belongs to the range, and the condition that says so."""

    point: Point
    closed: bool
    part: Scalar


def subject_of(part: Scalar) -> Scalar | None:
    """The value that a part compares with constants; None where it is no such comparison."""
    if not isinstance(part, Call):
        return None
    match part.function:
        case "is_in" | "is_not_null":
            return part.args[0]
        case "not":
            inner = part.args[0]
            return inner.args[0] if isinstance(inner, Call) and inner.function == "is_in" else None
        case function if function in MIRRORED and isinstance(part.args[1], Literal):
            return part.args[0]
    return None


def comparison_of(part: Scalar, x: Scalar) -> tuple[str, Comparison] | None:
    """A part that compares x with constants, and of which kind these are; None where they are on no line."""
    match part:
        case Call(function="not", args=(Call() as inner,)):
            if len(dict(inner.options)["values"]) > _LONG:
                return None
            function, points, kind = "is_not_in", *_members(inner)
        case Call(function="is_in"):
            function, points, kind = "is_in", *_members(part)
        case Call(function=function, args=(_, Literal(value=value))):
            point = point_of(value)
            points, kind = None if point is None else (point,), _kind(value.type)
        case Call(function=function):
            points, kind = (), _kind(x.dtype)
        case _:
            return None
    return None if points is None else (kind, Comparison(part, x, function, points))


def _members(call: Call) -> tuple[tuple[Point, ...] | None, str]:
    values = dict(call.options)["values"]
    points = [point_of(value) for value in values]
    known = tuple([point for point in points if point is not None])
    return (known if len(known) == len(points) and known else None), _kind(values.type)


def _kind(dtype: DataType) -> str:
    """Constants of one kind are compared with a value in the same way, so that their order is that of what they say."""
    if is_integer(dtype) or is_decimal(dtype):
        return "exact"
    return "float" if is_float(dtype) else str(dtype)


def all_of(group: list[Comparison]) -> list[Scalar] | None:
    """Fewer conditions that are true where all of the group are; None where there are no fewer."""
    if len(group) == 1:
        return None
    low: Bound | None = None
    high: Bound | None = None
    lists = [each for each in group if each.function in ("is_in", "equal")]
    excluded: dict[Point, Scalar] = {}
    for each in group:
        function, points = each.function, each.points
        if function in ("greater", "greater_equal"):
            low = _higher(low, Bound(points[0], function == "greater_equal", each.part))
        elif function in ("less", "less_equal"):
            high = _lower(high, Bound(points[0], function == "less_equal", each.part))
        elif function in ("not_equal", "is_not_in"):
            excluded |= dict.fromkeys(points, each.part)
    x = group[0].x
    if lists:
        members = [p for p in lists[0].points if _is_within(p, low, high) and p not in excluded]
        for other in lists[1:]:
            members = [p for p in members if p in other.points]
        return _listed(x, lists, list(dict.fromkeys(members)), len(group))
    found = _ranged(x, low, high)
    if found is None:
        return [FALSE]
    bounds, is_one = found
    left = [] if is_one else [p for p in excluded if _is_within(p, low, high)]
    if is_one and low is not None and low.point in excluded:
        return [FALSE]
    seen = set(left)
    kept = [each for each in group if each.function in ("not_equal", "is_not_in") and not seen.isdisjoint(each.points)]
    outside = _left_out(x, kept, left)
    made = [*bounds, *outside]
    if not made:
        made = [group[0].part]
    return made if len(made) < len(group) else None


def _is_within(point: Point, low: Bound | None, high: Bound | None) -> bool:
    above = low is None or point > low.point or (low.closed and point == low.point)
    return above and (high is None or point < high.point or (high.closed and point == high.point))


def _higher(a: Bound | None, b: Bound) -> Bound:
    if a is None or b.point > a.point or (b.point == a.point and a.closed and not b.closed):
        return b
    return a


def _lower(a: Bound | None, b: Bound) -> Bound:
    if a is None or b.point < a.point or (b.point == a.point and a.closed and not b.closed):
        return b
    return a


def _ranged(x: Scalar, low: Bound | None, high: Bound | None) -> tuple[list[Scalar], bool] | None:
    """The conditions for a range, and whether one value is all that it holds; None where it holds none."""
    if low is None or high is None:
        return [bound.part for bound in (low, high) if bound is not None], False
    if low.point > high.point or (low.point == high.point and not (low.closed and high.closed)):
        return None
    if low.point == high.point:
        assert isinstance(low.part, Call)
        return [Call("equal", low.part.args)], True
    if is_integer(x.dtype) and _holds_no_integer(low, high):
        return None
    return [low.part, high.part], False


def _holds_no_integer(low: Bound, high: Bound) -> bool:
    if low.point[0] or high.point[0]:
        return False
    a, b = low.point[1], high.point[1]
    if not isinstance(a, int) or not isinstance(b, int):
        return False
    return a + (not low.closed) > b - (not high.closed)


def _listed(x: Scalar, lists: list[Comparison], members: list[Point], count: int) -> list[Scalar] | None:
    if count == 1:
        return None
    if not members:
        return [FALSE]
    first = lists[0]
    if len(members) == len(first.points):
        return [first.part]
    values = _values_of(x, lists, members)
    return None if values is None else [_one_of(x, values)]


def _one_of(x: Scalar, values: pa.Array) -> Scalar:
    if len(values) == 1:
        return Call("equal", (x, Literal(values[0])))
    return Call("is_in", (x,), (("values", values),))


def _left_out(x: Scalar, kept: list[Comparison], points: list[Point]) -> list[Scalar]:
    if len(points) >= _FEW and len(kept) > 1:
        values = _values_of(x, kept, points)
        if values is not None:
            return [Call("not", (Call("is_in", (x,), (("values", values),)),))]
    return [each.part for each in kept]


def any_of(group: list[Comparison]) -> list[Scalar] | None:
    """Fewer conditions of which one is true where one of the group is; None where there are no fewer."""
    if len(group) == 1:
        return None
    below: Bound | None = None
    above: Bound | None = None
    lists = [each for each in group if each.function in ("is_in", "equal")]
    others = [each for each in group if each.function in ("not_equal", "is_not_in", "is_not_null")]
    for each in group:
        if each.function in ("less", "less_equal"):
            bound = Bound(each.points[0], each.function == "less_equal", each.part)
            if below is None or (bound.point, bound.closed) > (below.point, below.closed):
                below = bound
        elif each.function in ("greater", "greater_equal"):
            bound = Bound(each.points[0], each.function == "greater_equal", each.part)
            if above is None or (bound.point, not bound.closed) < (above.point, not above.closed):
                above = bound
    if below is not None and above is not None and _meet(below, above):
        x = group[0].x
        return [Call("is_not_null", (x,)) if x.nullable else TRUE]
    points = list(dict.fromkeys([point for each in lists for point in each.points]))
    left = [p for p in points if not (_is_below(p, below) or _is_above(p, above))]
    made = [bound.part for bound in (below, above) if bound is not None]
    if left:
        if len(lists) == 1:
            made.append(lists[0].part)
        else:
            values = _values_of(group[0].x, lists, left)
            made += [each.part for each in lists] if values is None else [_one_of(group[0].x, values)]
    made += [each.part for each in others]
    return made if len(made) < len(group) else None


def _meet(below: Bound, above: Bound) -> bool:
    """Whether no value lies between what is below one and what is above the other."""
    return above.point < below.point or (above.point == below.point and (above.closed or below.closed))


def _is_below(point: Point, below: Bound | None) -> bool:
    return below is not None and (point < below.point or (below.closed and point == below.point))


def _is_above(point: Point, above: Bound | None) -> bool:
    return above is not None and (point > above.point or (above.closed and point == above.point))


def _values_of(x: Scalar, group: list[Comparison], points: list[Point]) -> pa.Array | None:
    """The constants at these points as an array of the type of x; None where one is none of its values."""
    found: dict[Point, pa.Scalar] = {}
    for each in group:
        call = each.part
        assert isinstance(call, Call)
        if each.function == "is_not_in":
            (call,) = call.args
            assert isinstance(call, Call)
        values = dict(call.options).get("values")
        constants = [arg.value for arg in call.args if isinstance(arg, Literal)] if values is None else values
        for point, value in zip(each.points, constants, strict=True):
            found.setdefault(point, value)
    chosen = [found[point] for point in points]
    if all([value.type == x.dtype for value in chosen]):
        return pa.concat_arrays([pa.repeat(value, 1) for value in chosen])
    line = line_of(x.dtype)
    if line is None or not (is_integer(x.dtype) or is_decimal(x.dtype)):
        return None
    try:
        return arrow.array([value.as_py() for value in chosen], x.dtype)
    except (pa.ArrowInvalid, TypeError):
        return None


def merged(function: str, parts: list[Scalar]) -> list[Scalar]:
    """A chain of ANDs or ORs in which the comparisons of one value with constants are as few as can be."""
    subjects: dict[Hashable, list[tuple[int, Scalar]]] = {}
    for number, part in enumerate(parts):
        x = subject_of(part)
        if x is not None and x.columns:
            subjects.setdefault(structure(x), []).append((number, x))
    taken: dict[int, list[Scalar]] = {}
    for found in subjects.values():
        if len(found) == 1 or not is_dispensable(found[0][1]):
            continue
        kinds: dict[str, list[tuple[int, Comparison]]] = {}
        for number, x in found:
            known = comparison_of(parts[number], x)
            if known is not None:
                kinds.setdefault(known[0], []).append((number, known[1]))
        for group in kinds.values():
            comparisons = [comparison for _, comparison in group]
            made = all_of(comparisons) if function == "and" else any_of(comparisons)
            if made is not None:
                # What is left stands where the first stood: nothing in it can raise, so that no other part guards it.
                taken |= {number: [] for number, _ in group}
                taken[group[0][0]] = made
    if not taken:
        return parts
    return [new for number, part in enumerate(parts) for new in taken.get(number, [part])]
