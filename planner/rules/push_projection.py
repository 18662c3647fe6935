"""Reading no column that nobody asks for.

The demand for columns is a pullback: from the root, which needs all of its own, each node tells its children which of theirs
it uses, and a node that several use gets the union, so that it stays one node. Then every node is built again over children
that give less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lazyframe.planner.graph import postorder, pullback, replace
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
    RecursionInput,
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
    Values,
    Window,
)
from lazyframe.planner.relations.project import choose
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.site import ambient

Names = frozenset[str]

# What keeps rows, or copies them: a column it carries along for nothing costs.
_KEEPS = (Join, AsofJoin, Sort, TopK, PartitionTopK, Window, Distinct, Explode, Unpivot, Reverse, Tail)


@rule(Plan)
def push_projection(plan: Plan) -> Plan | None:
    """Any plan  =>  the plan whose scans, projections, aggregates and joins give only columns that something above uses.

    Sound: what a node gives is computed from the columns in the demand only, and the root demands all of its own. An
    expression or aggregate that nobody uses may hide an error when it goes; it would have been an error in what nobody asked
    for. Some columns are used without being named: those of DISTINCT and of set operations decide which rows are equal, a
    recursion makes each of its columns of any other, a batch function and a cache get all, and a horizontal concatenation
    counts the rows of each input. A count over a scan reads no column.
    """
    return narrowed(plan, gives_left_rows)


LeftRows = Callable[[Join | AsofJoin, Names], bool]
"""Whether a join gives each left row once, and nothing of the right side is in a demand."""


def demanded(plan: Plan, removes: LeftRows) -> tuple[Mapping[int, Names], Mapping[int, list[Names]]]:
    """What is used of each node, by its identity, and what it uses of its children, where some joins are to go."""
    asked: dict[int, list[Names]] = {}

    def ask(current: Plan, names: Names) -> list[Names]:
        asked[id(current)] = found = _demands(current, names, removes)
        return found

    return pullback(plan, _all(plan), ask, Names.union), asked


def narrowed(plan: Plan, removes: LeftRows) -> Plan | None:
    """The plan of which each node gives only what is used; joins for which `removes` holds are their left sides."""
    demand, asked = demanded(plan, removes)
    built: dict[int, Plan] = {}
    for current in postorder(plan):
        if isinstance(current, Scan):
            continue
        ambient.site = current.site
        children = []
        for child, wanted in zip(current.children(), asked[id(current)], strict=True):
            # A scan is narrowed for each of its users: reading it twice is cheaper than keeping it.
            below = _narrowed_scan(child, wanted) if isinstance(child, Scan) else built[id(child)]
            if isinstance(current, _KEEPS) and not wanted.issuperset(below.schema.names):
                below = choose(below, [name for name in below.schema.names if name in wanted])
            children.append(below)
        built[id(current)] = _narrowed(current, children, demand[id(current)], removes)
    result = built.get(id(plan), plan)
    return None if result is plan else result


def _all(plan: Plan) -> Names:
    return frozenset(plan.schema.names)


def _used(scalars: tuple[Scalar, ...]) -> Names:
    return frozenset().union(*[scalar.columns for scalar in scalars])


def _demands(plan: Plan, demand: Names, removes: LeftRows) -> list[Names]:
    """For each child which of its columns the node needs to give those in `demand`."""
    match plan:
        case Scan() | Values() | RecursionInput():
            return []
        case Project(exprs=exprs):
            return [_used(tuple([scalar for name, scalar in exprs if name in demand]))]
        case Aggregate(keys=keys, aggregates=aggregates):
            return [_used((*[s for _, s in keys], *[s for name, s in aggregates if name in demand]))]
        case Window(calls=calls):
            used = [(name, call) for name, call in calls if name in demand]
            return [demand.difference([name for name, _ in calls]) | _used(tuple([call for _, call in used]))]
        case Join(left=left, right=right) | AsofJoin(left=left, right=right):
            if removes(plan, demand):
                return [demand.intersection(left.schema.names), frozenset()]
            wanted = demand | _used(plan.scalars())
            return [
                frozenset([name for name in left.schema.names if name in wanted]),
                frozenset([name for name in right.schema.names if name in wanted]),
            ]
        case Filter() | Sort() | TopK() | PartitionTopK():
            return [demand | _used(plan.scalars())]
        case Distinct(subset=subset):
            return [demand.union(subset)]
        case Explode(columns=columns, ordinality=ordinality):
            return [demand.difference([ordinality]).union(columns)]
        case Unpivot(on=on, index=index):
            return [frozenset(on).union([name for name in index if name in demand])]
        case RowIndex(name=name):
            return [demand - {name}]
        case Limit() | Tail() | Reverse() | Shift() | Interpolate() | Sample() | Shared():
            return [demand]
        case Union(inputs=inputs):
            return [demand] * len(inputs)
        case SetOperation() | HorizontalConcat() | MapBatches() | Cache() | Recursion():
            return [_all(child) for child in plan.children()]
    raise AssertionError(f"no demand for {type(plan).__name__}")


def gives_left_rows(plan: Join | AsofJoin, demand: Names) -> bool:
    """Whether the join gives each left row once, and nothing of the right side is in the demand."""
    kinds = ("left",) if isinstance(plan, AsofJoin) else ("mark", "single")
    return plan.kind in kinds and demand.issubset(plan.left.schema.names)


def _narrowed(plan: Plan, children: list[Plan], demand: Names, removes: LeftRows) -> Plan:
    """The node over children that give less, itself giving what is in `demand`, and perhaps more that passes through."""
    match plan:
        case Values(columns=columns) if any([name not in demand for name, _ in columns]):
            return replace(plan, columns=tuple([c for c in columns if c[0] in demand]))
        case Project(exprs=exprs):
            return _shortened(plan, children, exprs=tuple([e for e in exprs if e[0] in demand]))
        case Aggregate(aggregates=aggregates):
            return _shortened(plan, children, aggregates=tuple([a for a in aggregates if a[0] in demand]))
        case Union():
            return plan.with_children(
                [choose(child, [n for n in plan.schema.names if n in demand]) for child in children]
            )
        case RowIndex(name=name) if name not in demand:
            return children[0]
        case Window(calls=calls):
            used = tuple([call for call in calls if call[0] in demand])
            return _shortened(plan, children, calls=used) if used else children[0]
        case Join() | AsofJoin() if removes(plan, demand):
            return children[0]
        case Explode(ordinality=str(ordinality)) if ordinality not in demand:
            return replace(plan, input=children[0], ordinality=None)
        case Unpivot(index=index):
            return _shortened(plan, children, index=tuple([name for name in index if name in demand]))
        case Interpolate(columns=columns):
            given = children[0].schema
            return _shortened(plan, children, columns=tuple([name for name in columns if name in given]))
    return plan.with_children(children)


def _shortened(plan: Plan, children: list[Plan], **changes: object) -> Plan:
    """`plan` over `children` with shorter fields; itself where nothing is shorter."""
    shorter: Mapping[str, object] = {
        field: value
        for field, value in changes.items()
        if len(value) < len(getattr(plan, field))  # type: ignore[arg-type]
    }
    if not shorter:
        return plan.with_children(children)
    (child,) = children
    return replace(plan, input=child, **shorter)


def _narrowed_scan(scan: Scan, demand: Names) -> Scan:
    columns = tuple([name for name in scan.columns if name in demand])
    return scan if len(columns) == len(scan.columns) else replace(scan, columns=columns)
