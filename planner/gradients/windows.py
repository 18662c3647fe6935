"""Windows, walked backwards: each row gets from all rows whose frame it stands in.

A function over whole partitions is an aggregate by the keys of the partition, put beside its rows. A sum over frames that
move is turned around: row j gets from row i what j gave to i, so the frame of j holds the rows i in whose frame j is. Bounds
change places: `3 preceding .. current row` becomes `current row .. 3 following`.

| window function | row j gets |
|---|---|
| sum | the sum of g over the frame turned around |
| mean | the same of g / n, n the values in the frame of i |
| var, std | 2 (e sum h - sum h m) over the frame turned around, h = g / (n - ddof), m the mean of the frame of i; of std half of it by std |
| min, max, first, last, nth, fill | the sum of g of the rows that took it; of equal extremes the first of the frame is taken |
| lag, lead | g of the row that saw it |

The rows that use a window may be others than those it was computed over: they are known by their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lazyframe.planner.build.windows import window_call
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.gradients.accumulation import accumulated
from lazyframe.planner.gradients.groups import groups_of
from lazyframe.planner.gradients.matching import matched
from lazyframe.planner.gradients.segments import Builder, Cotangent, Inlet, Pulled, Segment
from lazyframe.planner.gradients.terms import is_real, present
from lazyframe.planner.gradients.turned import CHOSEN, SUMMED, turned
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Join, Plan, RowIndex, Shared, Shift, Window
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Literal, Scalar, WindowCall
from lazyframe.planner.types import INT64

Call = tuple[str, WindowCall]


@dataclass
class Frames:
    """Window functions over frames, of what moves with a parameter.

    Args:
        below: the segment of the rows, which have a number.
        number: the column of it.
        calls: by the names of their columns.
    """

    below: Segment
    number: str
    calls: dict[str, WindowCall]

    @property
    def moving(self) -> frozenset[str]:
        return frozenset(self.calls)

    def pulled(self, cotangents: Sequence[Cotangent], builder: Builder) -> list[Pulled]:
        """What reaches the rows."""
        reached = [name for name in self.calls if any([name in each.of for each in cotangents])]
        if not reached:
            return []
        adjoints = {name: builder.fresh("adjoint") for name in reached}
        number = builder.fresh("row")
        sums = accumulated(cotangents, [(number, self.number)], [(new, name) for name, new in adjoints.items()])
        rows: Plan = self.below.rows
        key = column(rows.schema, self.number)
        rows = Join(rows, sums, "left", (key,), (column(sums.schema, number),))
        outputs = []
        for name in reached:
            g = column(rows.schema, adjoints[name])
            rows, share = turned(self.calls[name], rows, g, self.number, builder)
            outputs.append((self.calls[name].args[0], present(self.calls[name].args[0], share)))
        return [Pulled(rows, outputs)]


def windowed(builder: Builder, current: Window, inner: Segment) -> Segment:
    """The segment of a window: columns beside the rows, an inlet where they move."""
    still: list[Call] = []
    whole: list[Call] = []
    framed: list[Call] = []
    for name, scalar in current.calls:
        found = inner.over(scalar)
        assert isinstance(found, WindowCall)
        parts = [*found.partition, *found.order, *found.argument_order, *([] if found.where is None else [found.where])]
        builder.note("what a window is divided, ordered or filtered by", parts, inner)
        if not (found.args and is_real(found.dtype) and builder.moves(found.args[0], inner)):
            builder.note(f"{found.function}()", found.args, inner)
            still.append((name, found))
        elif found.takes_whole_partitions and found.definition.is_aggregate:
            whole.append((name, found))
        else:
            _check(found, builder, inner)
            framed.append((name, found))
    found_segment = inner
    for partition in dict.fromkeys([found.partition for _, found in whole]):
        found_segment = _with_whole(
            builder, found_segment, partition, [c for c in whole if c[1].partition == partition]
        )
    if still or framed:
        found_segment = _with_frames(builder, found_segment, still, framed)
    order = [*inner.values, *[name for name, _ in current.calls]]
    return found_segment._replace(values={name: found_segment.values[name] for name in order})


def shifted(builder: Builder, current: Shift, inner: Segment) -> Segment:
    """The segment of a relation whose rows are moved: each column is a window."""
    schema = current.input.schema
    function = "lag" if current.count >= 0 else "lead"
    names = {name: builder.fresh(name) for name in schema.names}
    distance = literal(abs(current.count), INT64)
    calls = [(new, window_call(function, [column(schema, name), distance])) for name, new in names.items()]
    found = windowed(builder, Window(current.input, tuple(calls)), inner)
    return found._replace(values={name: found.values[new] for name, new in names.items()})


def _with_whole(builder: Builder, inner: Segment, partition: tuple[Scalar, ...], calls: Sequence[Call]) -> Segment:
    inner = inner._replace(rows=Shared(inner.rows))
    keys = tuple([(builder.fresh("key"), key) for key in partition])
    aggregates = {
        builder.fresh(name): AggregateCall(
            found.function, found.args, found.where, found.argument_order, found.distinct, found.options
        )
        for name, found in calls
    }
    groups = groups_of(builder, inner, keys, aggregates)
    builder.sources.append(groups)
    rows = matched(inner.rows, list(partition), groups.plan, [column(groups.plan.schema, name) for name, _ in keys])
    names = {name: name for name in groups.plan.schema.names}
    values = {name: column(rows.schema, fresh) for (name, _), fresh in zip(calls, aggregates, strict=True)}
    return Segment(rows, {**inner.values, **values}, (*inner.inlets, Inlet(groups, names)))


def _with_frames(builder: Builder, inner: Segment, still: Sequence[Call], framed: Sequence[Call]) -> Segment:
    names = {name: builder.fresh(name) for name, _ in (*still, *framed)}
    inlets = inner.inlets
    rows = inner.rows
    if framed:
        number = builder.fresh("row")
        rows = Shared(RowIndex(rows, number))
        below = inner._replace(rows=rows)
        source = Frames(below, number, {names[name]: found for name, found in framed})
        builder.sources.append(source)
        inlets = (*inlets, Inlet(source, {name: name for name in (number, *[names[name] for name, _ in framed])}))
    rows = Window(rows, tuple([(names[name], found) for name, found in (*still, *framed)]))
    values = {name: column(rows.schema, fresh) for name, fresh in names.items()}
    return Segment(rows, {**inner.values, **values}, inlets)


def _check(found: WindowCall, builder: Builder, inner: Segment) -> None:
    """Raise UnsupportedError for a function that has no rule."""
    why: str | None = None
    if found.function not in SUMMED | CHOSEN | {"lag", "lead"}:
        why = f"{found.function}() over frames that move has no rule"
    elif found.distinct:
        why = f"{found.function}() of distinct values over frames that move has no rule"
    elif found.function in ("lag", "lead"):
        options: dict[str, Any] = dict(found.options)
        if options.get("ignore_nulls") or any([not isinstance(arg, Literal) for arg in found.args[1:2]]):
            why = f"{found.function}() has a rule only with a constant for how far it looks, and with nulls among what it sees"
        elif any([builder.moves(arg, inner) for arg in found.args[2:]]):
            why = f"{found.function}() has no rule where what stands for no row moves as well"
    if why is not None:
        raise UnsupportedError(
            f"the gradient cannot pass here: {why}",
            hint="sum, mean, var, std, min, max, first, last, lag and lead have one; any aggregate has over whole partitions",
            site=found.site,
        )
