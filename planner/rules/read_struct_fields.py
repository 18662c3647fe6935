"""Reading no field of a struct that nobody asks for.

As in `push_projection` the demand is a pullback, here of paths: from the root, which needs its structs whole, each node tells
its children which fields of theirs it uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lazyframe.planner.graph import postorder, pullback, replace, rewrite_top_down
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Filter,
    Join,
    Limit,
    Plan,
    Project,
    Reverse,
    RowIndex,
    Sample,
    Scan,
    Shared,
    Sort,
    Tail,
    TopK,
    Window,
)
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Call, Column, Scalar, null_of
from lazyframe.planner.schema import Schema
from lazyframe.planner.site import ambient
from lazyframe.planner.sources import TableSource
from lazyframe.planner.types import DataType, is_struct, type_at

Path = tuple[str, ...]
Paths = frozenset[tuple[str, Path]]
"""Columns, and what of them is used: the names of a field in a field, or all where there are none."""

_NONE: Paths = frozenset()

_PASSES = (Filter, Sort, TopK, Join, AsofJoin, Window, Limit, Tail, Reverse, RowIndex, Sample, Shared)
"""What gives the columns of its inputs as they are, nulls besides, and looks at no others than its expressions name."""


@rule(Plan)
def read_struct_fields(plan: Plan) -> Plan | None:
    """... s.a ... (Scan [s])  =>  ... `s.a` ... (Scan [`s.a`]), where nothing above uses s but for its field a.

    Sound: a field is null where its struct is, in the file as in the expression. Where another node lies between, a
    projection over the scan makes a struct again, of the fields that are read and nulls for the others, and nobody looks
    whether it is null itself. Statistics of a file are about fields, so that a predicate of one can leave out row groups.

    Not where the struct is compared, counted, grouped by or a result, for then all of it is used; nor where a source cannot
    read fields by themselves.
    """
    scans = [n for n in postorder(plan) if isinstance(n, Scan) and getattr(n.source, "struct_names", None)]
    if not scans:
        return None
    demand = pullback(plan, _whole(plan.schema), _asks, Paths.union)
    narrowed = {id(scan): made for scan in scans if (made := _narrowed(scan, demand[id(scan)])) is not None}
    if not narrowed:
        return None
    built: dict[int, Plan] = {}
    for current in postorder(plan):
        ambient.site = current.site
        if isinstance(current, (Project, Aggregate)) and id(current.input) in narrowed:
            built[id(current)] = _over_fields(current, *narrowed[id(current.input)])
        elif id(current) in narrowed:
            built[id(current)] = _with_structs(current, *narrowed[id(current)])
        else:
            built[id(current)] = current.with_children([built[id(child)] for child in current.children()])
    return built[id(plan)]


def _whole(schema: Schema) -> Paths:
    return frozenset([(field.name, ()) for field in schema if is_struct(field.dtype)])


def _asks(plan: Plan, demand: Paths) -> list[Paths]:
    """For each child which parts of its structs the node needs to give those in `demand`."""
    match plan:
        case Project(exprs=exprs):
            used = [pair for name, scalar in exprs for pair in _used_for(scalar, name, demand)]
        case Aggregate():
            used = [pair for scalar in plan.scalars() for pair in _used(scalar)]
        case _ if isinstance(plan, _PASSES):
            used = [*demand, *[pair for scalar in plan.scalars() for pair in _used(scalar)]]
        case _:
            return [_whole(child.schema) for child in plan.children()]
    found = []
    for child in plan.children():
        structs = {name for name, _ in _whole(child.schema)}
        found.append(frozenset([pair for pair in used if pair[0] in structs]) if structs else _NONE)
    return found


def _used_for(scalar: Scalar, name: str, demand: Paths) -> Iterator[tuple[str, Path]]:
    """What a projection uses for a column of that name."""
    if not is_struct(scalar.dtype):
        yield from _used(scalar)
        return
    place = _place(scalar)
    for asked, path in demand:
        if asked == name:
            if place is None:
                yield from _used(scalar)
            else:
                yield place[0], place[1] + path


def _place(scalar: Scalar) -> tuple[str, Path] | None:
    """A column, or a field of one, as a path; None of anything else."""
    path: list[str] = []
    while isinstance(scalar, Call) and scalar.function == "struct_field":
        path.append(str(dict(scalar.options)["name"]))
        (scalar,) = scalar.args
    return (scalar.name, tuple(reversed(path))) if isinstance(scalar, Column) else None


def _used(scalar: Scalar) -> Iterator[tuple[str, Path]]:
    """The columns in an expression, and what of them it uses."""
    stack = [scalar]
    while stack:
        current = stack.pop()
        place = _place(current)
        if place is None:
            stack.extend(current.children())
        else:
            yield place


def _narrowed(scan: Scan, demand: Paths) -> tuple[Scan, Mapping[tuple[str, Path], Column]] | None:
    """The scan that reads fields instead of structs, and the column for each of these fields; None where it reads all."""
    schema = scan.source.schema
    tested = frozenset() if scan.predicate is None else frozenset(_used(scan.predicate))
    wanted: dict[str, list[Path]] = {}
    for name in scan.source.struct_names:  # type: ignore[attr-defined]
        paths = {path for asked, path in demand | tested if asked == name}
        if not paths or () in paths:
            continue
        shortest = sorted(path for path in paths if not any(path[:n] in paths for n in range(1, len(path))))
        is_tested = any(asked == name for asked, _ in tested)
        if is_tested or sum([_leaves(type_at(schema[name], path)) for path in shortest]) < _leaves(schema[name]):
            wanted[name] = shortest
    if not wanted:
        return None
    places = [(name, path) for name, paths in wanted.items() for path in paths]
    source: TableSource | None = scan.source.with_fields(tuple((name, *path) for name, path in places))  # type: ignore[attr-defined]
    if source is None:
        return None
    added = source.schema.names[len(schema) :]
    columns = {
        place: Column(name, source.schema[name], source.schema.field(name).nullable)
        for place, name in zip(places, added, strict=True)
    }
    read: list[str] = []
    for name in scan.columns:
        read += [columns[name, path].name for path in wanted[name]] if name in wanted else [name]
    predicate = None if scan.predicate is None else _with_fields(scan.predicate, columns)
    return Scan(source, tuple(read), predicate, scan.limit), columns


def _leaves(dtype: DataType) -> int:
    """How many columns the fields of a type are stored as."""
    return sum([_leaves(field.type) for field in dtype]) if is_struct(dtype) else 1


def _over_fields(plan: Project | Aggregate, below: Scan, columns: Mapping[tuple[str, Path], Column]) -> Plan:
    """What evaluates expressions alone, over fields instead of structs."""

    def named(items: tuple[tuple[str, Scalar], ...]) -> tuple[tuple[str, Scalar], ...]:
        return tuple([(name, _with_fields(scalar, columns)) for name, scalar in items])

    if isinstance(plan, Project):
        return replace(plan, input=below, exprs=named(plan.exprs))
    return replace(plan, input=below, keys=named(plan.keys), aggregates=named(plan.aggregates))


def _with_fields(scalar: Scalar, columns: Mapping[tuple[str, Path], Column]) -> Scalar:
    """The expression over fields that are columns; a struct that goes on is made of those."""
    roots = {name for name, _ in columns}

    def step(current: Scalar) -> Scalar | None:
        place = _place(current)
        if place is None or place[0] not in roots:
            return None
        name, path = place
        if any([(name, path[:n]) in columns for n in range(1, len(path))]):
            return None
        return _struct(current.dtype, place, columns)

    return rewrite_top_down(scalar, step)


def _with_structs(scan: Plan, below: Scan, columns: Mapping[tuple[str, Path], Column]) -> Plan:
    """A projection that gives the columns of `scan`, of which some are structs made of fields."""
    schema = scan.schema
    if list(below.columns) == schema.names:
        return below
    roots = {name for name, _ in columns}
    exprs: list[tuple[str, Scalar]] = []
    for field in schema:
        made: Scalar = Column(field.name, field.dtype, field.nullable)
        if field.name in roots:
            made = _struct(field.dtype, (field.name, ()), columns)
        exprs.append((field.name, made))
    return Project(below, tuple(exprs))


def _struct(dtype: DataType, place: tuple[str, Path], columns: Mapping[tuple[str, Path], Column]) -> Scalar:
    found = columns.get(place)
    if found is not None:
        return found
    name, path = place
    if not any(other == name and at[: len(path)] == path for other, at in columns):
        return null_of(dtype)
    fields = [_struct(f.type, (name, (*path, f.name)), columns) for f in dtype]
    return Call("make_struct", tuple(fields), (("names", tuple([f.name for f in dtype])),))
