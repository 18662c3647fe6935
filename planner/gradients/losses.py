"""The plan of a loss and its gradients.

Where the loss is made of aggregates over some rows, so are its gradients (`tangents.py`), and all of it is one `Aggregate`:
one look at the rows, with a sum for each parameter. What lies further down, below other groups, windows and extremes, gets its
part by walking on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lazyframe.planner.bind import aggregate_call
from lazyframe.planner.build.projection import aggregated
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.gradients.expressions import Stop, cotangents
from lazyframe.planner.gradients.groups import Groups
from lazyframe.planner.gradients.plans import segment_of
from lazyframe.planner.gradients.segments import Builder, Cotangent, Segment, Source
from lazyframe.planner.gradients.tables import Table, gradient
from lazyframe.planner.gradients.tangents import is_one_pass, tangent
from lazyframe.planner.gradients.terms import ONE, Term, filled, is_real, present, total
from lazyframe.planner.graph import postorder
from lazyframe.planner.properties.keys import has_at_most_one_row
from lazyframe.planner.properties.row_counts import has_at_most
from lazyframe.planner.relations import Aggregate, Join, Plan, Project, Shared
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Call, Case, Column, Parameter, Scalar, cast, null_of, substitute
from lazyframe.planner.site import AnySite
from lazyframe.planner.sources import Learned
from lazyframe.planner.types import FLOAT64, is_numeric, type_name


class Element(NamedTuple):
    """What a gradient is asked by: a parameter, or an element of one that is an array."""

    identity: tuple[object, ...]
    place: tuple[int, ...]


def element(parameter: Parameter) -> Element:
    return Element(parameter.cell.identity(), parameter.index)


Gradients = dict[Element, Scalar]


class Walked(NamedTuple):
    """A loss with its gradients: one row.

    Args:
        rows: of one row.
        value: the loss, over it.
        gradients: by what they are asked by; those that the loss does not move with are not there.
        stops: where paths ended without a derivative.
        tables: of parameters that are columns of a table, by their identity: see `tables.gradient`.
    """

    rows: Plan
    value: Scalar
    gradients: Gradients
    stops: list[Stop]
    tables: Mapping[tuple[object, ...], Plan]


def check_loss(plan: Plan, site: AnySite | None = None) -> None:
    """Make sure that a plan is a loss: one number.

    Raises:
        InvalidArgumentError, TypeMismatchError: where it is something else.
    """
    names = plan.schema.names
    if len(names) != 1:
        raise InvalidArgumentError(
            f"a loss is one number, and this frame has {len(names)} columns: {', '.join(map(repr, names[:8]))}",
            hint="select() the one that is to become small",
            site=site or plan.site,
        )
    if not has_at_most(plan, 1) and not has_at_most_one_row(plan):
        raise InvalidArgumentError(
            "a loss is one number, and this frame may have many rows",
            hint=f"sum them up: .select(lf.col({names[0]!r}).mean()), or .sum()",
            site=site or plan.site,
        )
    dtype = plan.schema[names[0]]
    if not is_real(dtype):
        raise TypeMismatchError(
            f"a loss is a number that can move by as little as one likes, and {names[0]!r} is {type_name(dtype)}",
            hint="compute it from floats" if is_numeric(dtype) else "compute a float from it",
            site=site or plan.site,
        )


def walked(plan: Plan, is_wanted: Callable[[Parameter | Learned], bool]) -> Walked:
    """Walk backwards from a loss.

    Args:
        plan: for which `check_loss` holds.
        is_wanted: whether a parameter is one that a derivative is asked by.

    Raises:
        UnsupportedError: where what moves goes through something that has no derivative.
    """
    return _Walk(plan, is_wanted).result()


class _Walk:
    def __init__(self, plan: Plan, is_wanted: Callable[[Parameter | Learned], bool]) -> None:
        taken = {name for each in postorder(plan) for name in each.schema.names}
        self.builder = Builder(is_wanted, taken)
        self.root = segment_of(self.builder, plan)
        (self.name,) = plan.schema.names
        # What reaches the sources, and the parameters, by the rows in which it does.
        self.reached: dict[int, list[Cotangent]] = {id(source): [] for source in self.builder.sources}
        self.parts: list[tuple[Plan, Element, Scalar]] = []

    def result(self) -> Walked:
        loss = self.root.values[self.name]
        head = self._over_one_aggregate(loss)
        if head is None:
            found: dict[Element, list[Scalar]] = {}
            for leaf, reached in self._walk(self.root, self.root.rows, [(loss, ONE)]):
                found.setdefault(element(leaf), []).append(reached)
            head = self.root.rows, loss, found
        for source in reversed(self.builder.sources):
            self._pull(source)
        return self._finished(*head)

    def _walk(
        self, segment: Segment, rows: Plan, outputs: Sequence[tuple[Scalar, Scalar]]
    ) -> list[tuple[Parameter, Scalar]]:
        """What reaches the parameters in a segment; what reaches its inlets is noted."""
        found = cotangents(outputs, self.builder.is_leaf_of(segment), self.builder.stops)
        columns = {leaf.name: reached for leaf, reached in found if isinstance(leaf, Column)}
        self._into(segment, rows, columns)
        return [(leaf, reached) for leaf, reached in found if isinstance(leaf, Parameter)]

    def _into(self, segment: Segment, rows: Plan, columns: dict[str, Scalar]) -> None:
        for inlet in segment.inlets:
            reached = {own: columns[name] for own, name in inlet.names.items() if name in columns}
            if reached:
                self.reached[id(inlet.source)].append(Cotangent(rows, inlet.names, reached))

    def _pull(self, source: Source) -> None:
        for pulled in source.pulled(self.reached[id(source)], self.builder):
            rows = pulled.rows
            below = source.below.rows
            if isinstance(below, Shared) and not below.kept:
                # What is not to be kept is not kept either with what reaches it beside it.
                rows = Shared(rows, kept=False)
            for leaf, reached in self._walk(source.below, rows, pulled.outputs):
                self.parts.append((rows, element(leaf), reached))

    def _over_one_aggregate(self, loss: Scalar) -> tuple[Plan, Scalar, dict[Element, list[Scalar]]] | None:
        """The loss as an expression of aggregates, where it is one; with what of the gradients is made of aggregates as well."""
        source = self._only_source()
        if source is None:
            return None
        calls = source.calls
        found: dict[Element, list[Scalar]] = {}
        left: dict[str, Scalar] = {}
        is_leaf = self.builder.is_leaf_of(source.below)
        for leaf, reached in cotangents([(loss, ONE)], self.builder.is_leaf_of(self.root), self.builder.stops):
            over = substitute(reached, calls)
            if isinstance(leaf, Parameter):
                found.setdefault(element(leaf), []).append(over)
                continue
            assert isinstance(leaf, Column)
            call = calls[leaf.name]
            if not is_one_pass(call) or self._goes_deeper(call, source.below):
                left[leaf.name] = reached
                continue
            changes = [_changes(call, number, is_leaf, self.builder) for number in range(len(call.args))]
            for each in dict.fromkeys([key for change in changes for key in change]):
                slope = tangent(call, [change.get(each) for change in changes])
                found.setdefault(each, []).append((Term(over) * Term(slope)).scalar)
        self._into(self.root, self.root.rows, left)
        return source.below.rows, substitute(loss, calls), found

    def _only_source(self) -> Groups | None:
        """The one aggregate that the loss is computed from."""
        if len(self.root.inlets) != 1:
            return None
        source = self.root.inlets[0].source
        if isinstance(source, Groups) and not source.keys and source.plan is self.root.rows:
            return source
        return None

    def _goes_deeper(self, call: AggregateCall, below: Segment) -> bool:
        return any([not arg.columns.isdisjoint(below.moving) for arg in call.args])

    def _finished(self, rows: Plan, value: Scalar, found: dict[Element, list[Scalar]]) -> Walked:
        """All parts side by side in one row, and their sums."""
        builder = self.builder
        gathered = {each: (builder.fresh("gradient"), total(parts)) for each, parts in found.items()}
        name = builder.fresh("loss")
        named = [(name, value), *gathered.values()]
        if value.holds_aggregate or any([scalar.holds_aggregate for _, scalar in named]):
            table = aggregated(rows, (), named)
        else:
            table = Project(rows, tuple(named))
        columns: dict[Element, list[str]] = {each: [new] for each, (new, _) in gathered.items()}
        by_rows: dict[int, tuple[Plan, list[tuple[str, Scalar]]]] = {}
        for below, each, reached in self.parts:
            new = builder.fresh("part")
            by_rows.setdefault(id(below), (below, []))[1].append((new, aggregate_call("sum", [reached])))
            columns.setdefault(each, []).append(new)
        for below, sums in by_rows.values():
            table = Join(table, Aggregate(below, (), tuple(sums)), "cross")
        loss = column(table.schema, name)
        gradients: Gradients = {}
        for each, names in columns.items():
            gradient = filled(total([cast(column(table.schema, new), FLOAT64) for new in names]))
            if loss.nullable:
                gradient = Case((Call("is_not_null", (loss,)),), (gradient,), null_of(FLOAT64))
            gradients[each] = gradient
        return Walked(table, loss, gradients, builder.stops, self._of_tables())

    def _of_tables(self) -> dict[tuple[object, ...], Plan]:
        reached: dict[tuple[object, ...], tuple[Learned, list[Cotangent]]] = {}
        for source in self.builder.sources:
            if isinstance(source, Table) and (found := self.reached[id(source)]):
                identity = source.learned.cell.identity()
                reached.setdefault(identity, (source.learned, []))[1].extend(found)
        return {identity: gradient(known, found) for identity, (known, found) in reached.items()}


def _changes(
    call: AggregateCall, number: int, is_leaf: Callable[[Scalar], bool], builder: Builder
) -> dict[Element, Scalar]:
    """What an argument of an aggregate changes by in a row, by each parameter."""
    arg = call.args[number]
    found: dict[Element, list[Scalar]] = {}
    for leaf, reached in cotangents([(arg, present(arg))], is_leaf, builder.stops):
        assert isinstance(leaf, Parameter)
        found.setdefault(element(leaf), []).append(reached)
    return {each: total(parts) for each, parts in found.items()}


__all__ = ["Element", "Gradients", "Walked", "check_loss", "element", "walked"]
