"""A plan that gives, besides each row, which rows of the sources it was made of.

Verbs that keep, compute and join rows carry the numbers of the sources' rows along. A group has no one row: it is marked by its
keys, by which its rows are found in turn. So no list of rows is ever made for a row that nobody asks about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lazyframe.planner.graph import fold, postorder, pullback, replace
from lazyframe.planner.lineage.feeds import VALUE, Feeds, joined, seed
from lazyframe.planner.lineage.sources import identity_of
from lazyframe.planner.lineage.walk import Walk
from lazyframe.planner.provenance.marks import Annotated, Mark, SourceRows, Target
from lazyframe.planner.provenance.reach import Places, Reach, interpolated_from, reach_of
from lazyframe.planner.provenance.refusals import check
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Cache,
    Distinct,
    HorizontalConcat,
    Interpolate,
    Join,
    Plan,
    Project,
    RowIndex,
    Scan,
    SetOperation,
    Shared,
    Union,
    Unpivot,
    Values,
    Window,
)
from lazyframe.planner.relations.project import choose, column, columns, renamed
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import (
    TRUE,
    AggregateCall,
    Call,
    Scalar,
    WindowCall,
    null_of,
    rename_columns,
)
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.site import ambient


def annotate(plan: Plan) -> Annotated:
    """The plan with marks.

    Args:
        plan: as it was written.

    Raises:
        UnsupportedError: where some node makes its rows of others in a way that cannot be told, at its line.
    """
    nodes = postorder(plan)
    values = pullback(plan, seed(plan.schema), Walk(nodes).asks, joined)
    for node in nodes:
        check(node, values.get(id(node)))
    outer = ambient.site
    try:
        return fold(plan, _Annotation(nodes, values).step)
    finally:
        ambient.site = outer


class _Annotation:
    """The step of the fold. Every node is annotated once, however many read it."""

    def __init__(self, nodes: Iterable[Plan], values: Mapping[int, Feeds]) -> None:
        self._values = values
        self._taken = {name for node in nodes for name in node.schema.names}
        self._targets = 0

    def step(self, node: Plan, below: list[Annotated]) -> Annotated:
        ambient.site = node.site
        match node:
            case Scan(source=source):
                return self._numbered(node, scan(source))
            case Values(columns=held):
                return self._numbered(node, node) if held else Annotated(node, ())
            case Cache() | Shared():
                return below[0]
            case Aggregate(keys=()):
                return self._marked(node, (), [(below[0], ())], self._where(node))
            case Aggregate(keys=keys):
                return self._by_keys(node, [(below[0], tuple([key for _, key in keys]))], [name for name, _ in keys])
            case Distinct(subset=subset) if len(subset) == len(node.schema) and node.keep != "none":
                return self._by_keys(node, [(below[0], _columns(node.input, subset))], subset)
            case SetOperation(kind=kind):
                sides = below if kind == "intersect" else below[:1]
                names = node.schema.names
                return self._by_keys(node, [(side, _columns(side.plan, names)) for side in sides], names)
            case Join(kind="semi" | "anti" | "mark"):
                return self._tested(node, *below)
            case Join() | AsofJoin() | HorizontalConcat():
                apart = self._apart(below)
                return Annotated(node.with_children([each.plan for each in apart]), _marks(apart))
            case Project(exprs=exprs):
                return Annotated(Project(below[0].plan, (*exprs, *_mark_columns(below[0]))), below[0].marks)
            case Unpivot(index=index):
                kept = (*index, *_mark_names(below))
                return Annotated(replace(node, input=below[0].plan, index=kept), below[0].marks)
            case Union():
                return _united(node, below)
            case Window():
                return self._window(node, below[0])
            case Interpolate(columns=filled):
                places = Places(self._fresh)
                values = [column(node.input.schema, name) for name in filled if self._is_in_values(node, name)]
                reaches = [reach for value in values for reach in interpolated_from(value, places.of((), ()))]
                return self._reaching(node, below[0], places, reaches)
        (child,) = below
        return Annotated(node.with_children([child.plan]), child.marks)

    def _fresh(self) -> str:
        name = fresh_name("why", self._taken)
        self._taken.add(name)
        return name

    def _numbered(self, node: Plan, table: Plan) -> Annotated:
        """The rows of a table with their numbers."""
        name = self._fresh()
        numbered = RowIndex(table, name)
        plan = choose(numbered, [*node.schema.names, name])
        return Annotated(plan, (Mark(name, (), SourceRows(identity_of(node), table)),))

    def _target(
        self,
        part: Annotated,
        keys: tuple[Scalar, ...],
        given: tuple[Scalar, ...],
        condition: Scalar | None = None,
        *,
        nulls_equal: bool = True,
    ) -> Target:
        self._targets += 1
        return Target(self._targets, part, keys, given, condition, nulls_equal)

    def _marked(
        self,
        plan: Plan,
        scalars: Iterable[Scalar],
        parts: Iterable[tuple[Annotated, tuple[Scalar, ...]]],
        condition: Scalar | None = None,
    ) -> Annotated:
        """A plan with the values of some expressions, and marks: the rows of each part whose keys are equal to them."""
        values = [(self._fresh(), scalar) for scalar in scalars]
        present = self._fresh()
        marked = Project(plan, (*columns(plan), *values, (present, TRUE)))
        given = _columns(marked, [name for name, _ in values])
        of_columns = tuple([(name, name) for name, _ in values])
        return Annotated(
            marked,
            tuple([Mark(present, of_columns, self._target(part, keys, given, condition)) for part, keys in parts]),
        )

    def _by_keys(
        self, node: Plan, parts: list[tuple[Annotated, tuple[Scalar, ...]]], names: Iterable[str]
    ) -> Annotated:
        return self._marked(node, _columns(node, names), parts)

    def _where(self, node: Aggregate) -> Scalar | None:
        """What holds for the rows that some total is of; None where that are all rows."""
        wheres = []
        for name, call in node.aggregates:
            assert isinstance(call, AggregateCall)
            if self._is_in_values(node, name):
                if call.where is None:
                    return None
                wheres.append(call.where)
        found = wheres[0] if wheres else None
        for where in wheres[1:]:
            assert found is not None
            found = Call("or", (found, where))
        return found

    def _window(self, node: Window, child: Annotated) -> Annotated:
        """The rows themselves; and where a value of the result comes of a window, the rows that it was made of."""
        places = Places(self._fresh)
        reaches = []
        for name, call in node.calls:
            assert isinstance(call, WindowCall)
            if self._is_in_values(node, name):
                reaches.append(reach_of(call, places.of(call.partition, call.order)))
        return self._reaching(node, child, places, reaches)

    def _reaching(self, node: Plan, child: Annotated, places: Places, reaches: Iterable[Reach]) -> Annotated:
        """The rows of a node, with marks of those of its child that its values were made of."""
        reaches = list(dict.fromkeys(reaches))
        if not reaches:
            return Annotated(node.with_children([child.plan]), child.marks)
        part = Annotated(places.numbered(child.plan), child.marks)
        names = {each: self._fresh() for reach in reaches for each in reach.asked}
        calls = tuple([(name, each) for each, name in names.items() if isinstance(each, WindowCall)])
        plan = node.with_children([Window(part.plan, calls) if calls else part.plan])
        present = self._fresh()
        kept = [*node.schema.names, *_mark_names([child]), *[name for name, _ in calls]]
        keys = [(name, each) for each, name in names.items() if not isinstance(each, WindowCall)]
        plan = Project(plan, (*[(name, column(plan.schema, name)) for name in kept], *keys, (present, TRUE)))
        marks = []
        for reach in reaches:
            own = tuple([(names[each], names[each]) for each in dict.fromkeys(reach.asked)])
            # Where there is no first row there is none.
            there = names[reach.calls[0]] if reach.calls else present
            marks.append(Mark(there, own, self._target(part, *reach.looked_up(names))))
        return Annotated(plan, (*child.marks, *marks))

    def _is_in_values(self, node: Plan, name: str) -> bool:
        """Whether a value of the result is computed from a column of a node."""
        fed = self._values.get(id(node))
        return fed is not None and any(role == VALUE for _, role in fed.by_column().get(name, ()))

    def _tested(self, node: Join, left: Annotated, right: Annotated) -> Annotated:
        """Left rows that were looked up on the right side: marked by what was looked up, which finds their partners."""
        rebuilt = node.with_children([left.plan, node.right])
        if node.kind == "anti":
            return Annotated(rebuilt, left.marks)
        used = dict.fromkeys([name for key in node.left_keys for name in key.columns])
        if node.condition is not None:
            used.update(dict.fromkeys(node.condition.columns.intersection(node.left.schema.names)))
        names = {name: self._fresh() for name in used}
        present = self._fresh()
        copies = [(names[name], column(rebuilt.schema, name)) for name in used]
        plan = Project(rebuilt, (*columns(rebuilt), *copies, (present, TRUE)))
        target = self._target(
            right,
            node.right_keys,
            tuple([rename_columns(key, names) for key in node.left_keys]),
            None if node.condition is None else rename_columns(node.condition, names),
            nulls_equal=node.nulls_equal,
        )
        return Annotated(plan, (*left.marks, Mark(present, tuple([(new, new) for new in names.values()]), target)))

    def _apart(self, sides: list[Annotated]) -> list[Annotated]:
        """The sides, of which no two have a mark of one name: those of a node that both read are renamed."""
        taken: set[str] = set()
        found = []
        for side in sides:
            names = _mark_names([side])
            again = {name: self._fresh() for name in names if name in taken}
            taken.update(names)
            marks = [
                Mark(again.get(m.present, m.present), tuple([(to, again.get(c, c)) for to, c in m.columns]), m.of)
                for m in side.marks
            ]
            found.append(Annotated(renamed(side.plan, again), tuple(marks)))
        return found


def _marks(parts: Iterable[Annotated]) -> tuple[Mark, ...]:
    return tuple([mark for part in parts for mark in part.marks])


def _mark_names(parts: Iterable[Annotated]) -> list[str]:
    return list(dict.fromkeys([name for mark in _marks(parts) for name in mark.names()]))


def _mark_columns(part: Annotated) -> tuple[tuple[str, Scalar], ...]:
    return tuple([(name, column(part.plan.schema, name)) for name in _mark_names([part])])


def _columns(plan: Plan, names: Iterable[str]) -> tuple[Scalar, ...]:
    return tuple([column(plan.schema, name) for name in names])


def _united(node: Union, below: list[Annotated]) -> Annotated:
    """The rows of each input with its marks, which are null in those of the others."""
    types = {name: part.plan.schema[name] for part in below for name in _mark_names([part])}
    inputs = []
    for part in below:
        own = part.plan.schema
        marks = [(name, column(own, name) if name in own else null_of(dtype)) for name, dtype in types.items()]
        inputs.append(Project(part.plan, (*[(name, column(own, name)) for name in node.schema.names], *marks)))
    return Annotated(Union(tuple(inputs)), tuple(dict.fromkeys(_marks(below))))


__all__ = ["annotate"]
