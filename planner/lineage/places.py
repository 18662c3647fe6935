"""Places: columns, and fields of structs within them."""

from __future__ import annotations

from collections.abc import Iterable

from lazyframe.planner.scalars import Call, Column, Scalar
from lazyframe.planner.schema import Schema
from lazyframe.planner.types import is_struct, type_at

Place = tuple[str, ...]
"""A column; or a field of it, and so on, where more names follow."""


def columns_as_places(names: Iterable[str]) -> list[Place]:
    """The places of whole columns."""
    return [(name,) for name in names]


def places_in(scalar: Scalar, path: tuple[str, ...] = ()) -> set[Place]:
    """What an expression is computed from, or a field of its value where `path` is one."""
    found: set[Place] = set()
    stack = [(scalar, path)]
    seen = set()
    while stack:
        current, path = stack.pop()
        if (id(current), path) in seen:
            continue
        seen.add((id(current), path))
        match current:
            case Column(name=name):
                found.add((name, *path))
            case Call(function="struct_field", args=(struct,), options=options):
                stack.append((struct, (str(dict(options)["name"]), *path)))
            case Call(function="make_struct", args=args, options=options) if path:
                names = dict(options)["names"]
                stack.append((args[names.index(path[0])], path[1:]))
            case _:
                stack.extend([(child, ()) for child in current.children()])
    return found


def all_places(scalars: Iterable[Scalar]) -> set[Place]:
    """What some expressions are computed from."""
    return set().union(*[places_in(scalar) for scalar in scalars])


def written(place: Place, schema: Schema) -> str:
    """A place as answers name it: `s.a`, or `s['a']` where that could be another one."""
    text = ".".join(place)
    if len(place) > 1 and (text in schema or any("." in name for name in place[1:])):
        return place[0] + "".join([f"[{name!r}]" for name in place[1:]])
    return text


def places_of(schema: Schema) -> list[Place]:
    """All columns of a table, each followed by its fields."""
    found: list[Place] = []
    stack: list[Place] = [(name,) for name in reversed(schema.names)]
    while stack:
        place = stack.pop()
        found.append(place)
        dtype = type_at(schema[place[0]], place[1:])
        if is_struct(dtype):
            stack.extend([(*place, field.name) for field in reversed(list(dtype))])
    return found


def unused(schema: Schema, used: Iterable[Place]) -> list[Place]:
    """The columns of which nothing is used, and the fields of which nothing is used in columns of which something is."""
    prefixes = {place[:length] for place in used for length in range(1, len(place) + 1)}
    whole = set(used)
    found: list[Place] = []
    for place in places_of(schema):
        above = place[:-1]
        if place not in prefixes and (not above or above in prefixes) and not _is_within(above, whole):
            found.append(place)
    return found


def _is_within(place: Place, whole: set[Place]) -> bool:
    return any(place[:length] in whole for length in range(1, len(place) + 1))


__all__ = ["Place", "all_places", "columns_as_places", "places_in", "places_of", "unused", "written"]
