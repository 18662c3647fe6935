"""Plans as SQL: each verb is merged into the SELECT below it where the order of SQL's clauses allows, or reads from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner import arrow
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.graph import postorder
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
from lazyframe.planner.scalars import Call, Column, Literal, Scalar, SortKey, is_volatile, rename_columns
from lazyframe.planner.site import AnySite, ambient
from lazyframe.planner.source_names import Names
from lazyframe.planner.sql.writing import order
from lazyframe.planner.sql.writing.deep import divided
from lazyframe.planner.sql.writing.joins import joined, nearest_joined
from lazyframe.planner.sql.writing.literals import values_of
from lazyframe.planner.sql.writing.select import Named, Reference, Select, Unnested, new_column
from lazyframe.planner.sql.writing.statement import Statement
from lazyframe.planner.types import STRING

Tables = Callable[[Scan], Reference | tuple[str, Values]]
"""From a scan to what stands for its source: a table, or a name and the rows."""


class PlanWriter:
    """Writes one plan.

    Args:
        tables: what stands for each source.
        names: those of the tables.
        strict_order: whether verbs that speak of the place of rows are refused where no sort gives it.
    """

    def __init__(self, tables: Tables, names: Names, *, strict_order: bool) -> None:
        self._tables = tables
        self._statement = Statement(names, strict_order=strict_order)
        self._recursions: dict[str, str] = {}
        self._inlined: dict[str, Select] = {}

    def write(self, plan: Plan) -> exp.Query | exp.Values:
        """The statement.

        Raises:
            UnsupportedError: where SQL has no form for a verb or a function, at the place where it was written.
        """
        outer = ambient.site
        try:
            return self._written(plan, outer)
        finally:
            ambient.site = outer

    def _written(self, plan: Plan, outer: AnySite | None) -> exp.Query | exp.Values:
        parents: dict[int, int] = {}
        nodes = postorder(plan)
        for node in nodes:
            for child in node.children():
                parents[id(child)] = parents.get(id(child), 0) + 1
        made: dict[int, Callable[[], Select]] = {}
        for node in nodes:
            children = [made[id(child)]() for child in node.children()]
            # What is refused is refused where the verb stands, not where the text is asked for.
            ambient.site = node.site or outer
            select = self._node(node, children)
            made[id(node)] = self._for_readers(node, select, parents.get(id(node), 0))
        return self._statement.finished(made[id(plan)]())

    def _for_readers(self, node: Plan, select: Select, count: int) -> Callable[[], Select]:
        """What gives each reader its SELECT: rows with several readers are named once."""
        if isinstance(node, (Shared, Cache)) or (count > 1 and not _is_table(select)):
            select = self._statement.wrapped(select)
            count = max(count, 2)
        return (lambda: select) if count <= 1 else (lambda: _again(select))

    def _node(self, node: Plan, inputs: list[Select]) -> Select:
        match node:
            case Scan():
                return self._scan(node)
            case Values():
                return self.values(node)
            case Filter() | Project():
                (select,) = inputs
                for step in divided(node):
                    if isinstance(step, Filter):
                        select = self.filtered(select, step.predicate)
                    else:
                        assert isinstance(step, Project)
                        select = self.projected(select, step)
                return select
            case Aggregate():
                return self._aggregated(node, inputs[0])
            case Window():
                return self._windowed(node, inputs[0])
            case Sort(keys=keys):
                return self.sorted(inputs[0], keys)
            case TopK(keys=keys, count=count, offset=offset):
                return self.limited(self.sorted(inputs[0], keys), count, offset)
            case Limit(count=count, offset=offset):
                return self.limited(inputs[0], count, offset)
            case Distinct():
                return self._distinct(node, inputs[0])
            case Join():
                return joined(self._statement, node, *inputs)
            case AsofJoin():
                return nearest_joined(self._statement, node, *inputs)
            case Union() | SetOperation():
                return self._set_operation(node, inputs)
            case Explode():
                return self._exploded(node, inputs[0])
            case Unpivot():
                return self._unpivoted(node, inputs[0])
            case Tail(count=count):
                return order.tail(self, inputs[0], count)
            case Reverse():
                return order.reverse(self, inputs[0])
            case Shift(count=count):
                return order.shift(self, inputs[0], count)
            case RowIndex(name=name, start=start):
                return order.row_index(self, inputs[0], name, start)
            case HorizontalConcat():
                return order.side_by_side(self, node, inputs)
            case Shared() | Cache():
                return inputs[0]
            case Recursion():
                return self._recursion(node, *inputs)
            case RecursionInput(name=name):
                return self._recursion_input(node, name)
            case Sample():
                raise UnsupportedError(
                    "sample() cannot be written as SQL: no engine draws the same rows",
                    hint="collect() the sample, and go on from that",
                )
            case MapBatches():
                raise UnsupportedError(
                    "map_batches() runs Python, and cannot be written as SQL",
                    hint="collect() what it gives, and go on from that",
                )
            case Interpolate():
                raise UnsupportedError(
                    "interpolate() cannot be written as SQL", hint="collect() before, and go on from that"
                )
        raise UnsupportedError(f"{type(node).__name__} cannot be written as SQL")

    # What the verbs are made of, for the modules beside this one too.

    @property
    def statement(self) -> Statement:
        return self._statement

    @property
    def strict_order(self) -> bool:
        return self._statement.strict_order

    def wrapped(self, select: Select) -> Select:
        return self._statement.wrapped(select)

    def plain(self, select: Select) -> Select:
        """A SELECT to which WHERE and GROUP BY may be added: the same, or one that reads from it."""
        return select if select.is_plain else self.wrapped(select)

    def filtered(self, select: Select, predicate: Scalar) -> Select:
        if select.is_cut or select.multiplies or select.has_windows or not select.takes([predicate], bare=True):
            select = self.wrapped(select)
        condition = select.over(predicate)
        if select.keys is not None:
            return replace(select, having=(*select.having, condition))
        return replace(select.with_where(condition), label="filtered")

    def projected(self, select: Select, node: Project) -> Select:
        scalars = [scalar for _, scalar in node.exprs]
        if select.distinct or select.multiplies or not select.takes(scalars):
            select = self.wrapped(select)
        outputs = {name: select.over(scalar) for name, scalar in node.exprs}
        if select.keys == () and not any([scalar.holds_aggregate for scalar in outputs.values()]):
            # Without an aggregate it would be a row for each row.
            select = self.wrapped(select)
            outputs = {name: select.over(scalar) for name, scalar in node.exprs}
        label = select.label if select.label != "selected" else "projected"
        return replace(select, outputs=outputs, label=label)

    def sorted(self, select: Select, keys: tuple[Scalar, ...]) -> Select:
        args = [key.arg for key in keys if isinstance(key, SortKey)]
        if select.is_cut or select.multiplies or not select.takes(args):
            select = self.wrapped(select)
        made = tuple([select.over(key) for key in keys])
        if any([is_volatile(key) for key in made]) or (
            select.distinct
            and not {key.arg for key in made if isinstance(key, SortKey)} <= set(select.outputs.values())
        ):
            select = self.wrapped(select)
            made = tuple([select.over(key) for key in keys])
        sorted_by = {key.arg for key in made if isinstance(key, SortKey)}
        rest = [key for key in select.order if isinstance(key, SortKey) and key.arg not in sorted_by]
        return replace(select, order=(*made, *rest), label="sorted")

    def limited(self, select: Select, count: int | None, offset: int) -> Select:
        if select.is_cut:
            select = self.wrapped(select)
        return replace(select, limit=count, offset=offset, label="limited")

    # Relations.

    def _scan(self, node: Scan) -> Select:
        table = self._tables(node)
        if isinstance(table, Reference):
            select = self._statement.of(table, node.source.schema, table.name)
        else:
            name, rows = table
            first = self._inlined.get(name)
            select = self.values(rows, name) if first is None else _again(first)
            self._inlined[name] = select
        if node.predicate is not None:
            select = self.filtered(select, node.predicate)
        return replace(select, outputs={name: select.outputs[name] for name in node.columns})

    def values(self, node: Values, label: str = "constants") -> Select:
        if not node.columns:
            if node.count == 1:
                return Select(None)
            dummy = Values((("_", pa.nulls(node.count, pa.int64())),), node.count)
            return replace(self.values(dummy, label), outputs={})
        arrays = [array for _, array in node.columns]
        if not node.count:
            empty = Values(tuple([(name, pa.nulls(1, array.type)) for name, array in node.columns]), 1)
            select = self.values(empty, label)
            return self.limited(select, 0, 0)
        query = exp.Values(expressions=values_of(arrays, node.count))
        return self._statement.name(query, label, node.schema, columns=True)

    def _aggregated(self, node: Aggregate, select: Select) -> Select:
        scalars = [scalar for _, scalar in (*node.keys, *node.aggregates)]
        if not select.is_plain or not select.takes(scalars):
            select = self.wrapped(select)
        keys: Sequence[tuple[str, Scalar]] = node.keys
        if any([is_volatile(select.over(key)) for _, key in node.keys]):
            schema = select.outputs
            exprs = tuple([(name, _column(name, scalar)) for name, scalar in schema.items()])
            fresh = [(f"_key_{i}", key) for i, (_, key) in enumerate(node.keys)]
            select = self.wrapped(self.projected(select, Project(node.input, (*exprs, *fresh))))
            keys = [(name, _column(f"_key_{i}", key)) for i, (name, key) in enumerate(node.keys)]
        outputs = {name: select.over(scalar) for name, scalar in (*keys, *node.aggregates)}
        grouped = tuple([outputs[name] for name, _ in keys])
        return replace(
            select, outputs=outputs, keys=grouped, order=(), row_order=select.order, label="grouped",
        )  # fmt: skip

    def _windowed(self, node: Window, select: Select) -> Select:
        calls = [call for _, call in node.calls]
        if select.distinct or select.is_cut or select.multiplies or not select.takes(calls):
            select = self.wrapped(select)
        outputs = dict(select.outputs)
        made = {name: select.over(call) for name, call in node.calls}
        if any([_nests_windows(call) for call in made.values()]):
            select = self.wrapped(select)
            outputs = dict(select.outputs)
            made = {name: select.over(call) for name, call in node.calls}
        found = {}
        for name, call in made.items():
            found[name] = order.with_row_order(call, select.order)
        return replace(select, outputs={**outputs, **found}, label="windowed")

    def _distinct(self, node: Distinct, select: Select) -> Select:
        if node.keep != "none" and set(node.subset) == set(node.schema.names):
            if select.is_cut or select.multiplies or any([is_volatile(s) for s in select.outputs.values()]):
                select = self.wrapped(select)
            kept = set(select.outputs.values())
            if not {key.arg for key in select.order if isinstance(key, SortKey)} <= kept:
                select = replace(select, order=())
            return replace(select, distinct=True, label="distinct_rows")
        return order.one_of_each(self, select, node.subset, node.keep)

    def _set_operation(self, node: Union | SetOperation, inputs: list[Select]) -> Select:
        queries: list[exp.Query] = []
        for select in inputs:
            single = self.wrapped(select) if select.is_cut else select
            queries.append(self._statement.query(replace(single, order=())))
        if isinstance(node, Union):
            total: exp.Query = queries[0]
            for query in queries[1:]:
                total = exp.Union(this=total, expression=query, distinct=False)
            if len(queries) == 1:
                return inputs[0]
        else:
            kind = exp.Intersect if node.kind == "intersect" else exp.Except
            total = kind(this=queries[0], expression=queries[1], distinct=not node.keep_duplicates)
        label = "combined" if isinstance(node, Union) else "compared"
        rounds = frozenset().union(*[select.rounds for select in inputs])
        return self._named(total, label, node, rounds)

    def _named(self, query: exp.Query, label: str, node: Plan, rounds: frozenset[str]) -> Select:
        if not rounds:
            return self._statement.name(query, label, node.schema)
        reference = Reference(label, tuple(node.schema.names), exp.Subquery(this=query))
        return replace(self._statement.of(reference, node.schema, label), rounds=rounds)

    def _exploded(self, node: Explode, select: Select) -> Select:
        if node.equal_lengths and len(node.columns) > 1:
            raise UnsupportedError(
                "explode() of several columns cannot be written as SQL, which does not check that lists are equally long",
                hint="explode them one after the other, or collect() before",
            )
        if not select.is_plain:
            select = self.wrapped(select)
        outputs, origins = dict(select.outputs), dict(select.origins)
        unnested = {name: outputs[name] for name in node.columns}
        if node.ordinality is not None:
            unnested[node.ordinality] = order.ordinals(list(unnested.values()))
        for name, lists in unnested.items():
            made = new_column(name, node.schema.field(name).dtype, nullable=True)
            origins[made.name] = Unnested(order.never_empty(lists) if node.keep_empty else lists)
            outputs[name] = made
        return replace(select, outputs=outputs, origins=origins, multiplies=True, order=(), label="exploded")

    def _unpivoted(self, node: Unpivot, select: Select) -> Select:
        if not _is_table(select):
            select = self.wrapped(select)
        queries = []
        for name in node.on:
            one = _again(select)
            outputs = {index: one.outputs[index] for index in node.index}
            outputs[node.variable_name] = Literal(arrow.scalar(name, STRING))
            outputs[node.value_name] = value = one.outputs[name]
            if not node.keep_nulls:
                one = one.with_where(Call("is_not_null", (value,)))
            queries.append(self._statement.query(replace(one, outputs=outputs, order=())))
        total: exp.Query = queries[0]
        for query in queries[1:]:
            total = exp.Union(this=total, expression=query, distinct=False)
        return self._named(total, "unpivoted", node, select.rounds)

    def _recursion_input(self, node: RecursionInput, name: str) -> Select:
        if name not in self._recursions:
            self._recursions[name] = self._statement.names.take("recursion")
        select = self._statement.everything(self._recursions[name], node.schema, "rounds")
        return replace(select, rounds=frozenset((name,)))

    def _recursion(self, node: Recursion, base: Select, step: Select) -> Select:
        name = self._recursions.get(node.name) or self._statement.names.take("recursion")
        queries = []
        for select in (base, step):
            single = self.wrapped(select) if select.is_cut else replace(select, order=())
            queries.append(self._statement.query(single))
        query = exp.Union(this=queries[0], expression=queries[1], distinct=node.distinct)
        return self._statement.recursion(name, query, node.schema, (base.rounds | step.rounds) - {node.name})


def _column(name: str, scalar: Scalar) -> Column:
    return Column(name, scalar.dtype, scalar.nullable)


def _nests_windows(call: Scalar) -> bool:
    return any([child.holds_window for child in call.children()])


def _is_table(select: Select) -> bool:
    """Whether it is a table as it stands, so that it can be read twice for the price of its name."""
    return (
        select.is_plain
        and select.reference is not None
        and not (select.joins or select.where or select.order)
        and not isinstance(select.reference.source, exp.Subquery)
        and all([isinstance(s, Column) for s in select.outputs.values()])
    )


def _again(select: Select) -> Select:
    """The same table read once more: what joins it with itself must tell the two apart."""
    reference = select.reference
    if reference is None or select.joins:
        return select
    fresh = Reference(reference.name, reference.columns, reference.source)
    names = {reference.base(column): fresh.base(column) for column in reference.columns}
    outputs = {name: rename_columns(scalar, names) for name, scalar in select.outputs.items()}
    keys = tuple([rename_columns(key, names) for key in select.order])
    origins = {fresh.base(column): Named(fresh, column) for column in reference.columns}
    return replace(select, reference=fresh, outputs=outputs, order=keys, origins=origins)
