"""The statement that grows while a plan is walked: its CTEs, and how a SELECT becomes text of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.scalars import Column, Literal, Scalar, SortKey
from lazyframe.planner.schema import Schema
from lazyframe.planner.source_names import Names
from lazyframe.planner.sql.writing.literals import number
from lazyframe.planner.sql.writing.scalars import ScalarWriter
from lazyframe.planner.sql.writing.select import Exists, Named, Origin, Reference, Select, Single, Unnested

MAX_NESTING = 40
"""How deeply subqueries may nest inside a recursion, where they cannot be named."""


@dataclass(slots=True)
class Part:
    """A CTE: its name, the names of its columns where the query does not give them, and its query."""

    name: str
    query: exp.Query | exp.Values
    columns: tuple[str, ...] = ()


def identifier(name: str) -> exp.Identifier:
    """A name, quoted where it has to be: where it is no plain word, or is one in capitals."""
    return exp.to_identifier(name, quoted=None if name.islower() or name == "_" else True)


class Statement:
    """WITH, and what follows it.

    Args:
        names: of the tables, to which those of the CTEs are added.
        strict_order: whether SQL's relations have no order at all, which DuckDB's have until one is lost.
    """

    def __init__(self, names: Names, *, strict_order: bool) -> None:
        self.names = names
        self.strict_order = strict_order
        self.recursive = False
        self._parts: list[Part] = []
        self._nesting: dict[int, int] = {}

    def name(self, query: exp.Query | exp.Values, label: str, schema: Schema, *, columns: bool = False) -> Select:
        """A SELECT of everything from a query that is given a name."""
        listed = tuple(schema.names)
        name = self.names.take(label)
        self._parts.append(Part(name, query, listed if columns else ()))
        return self.everything(name, schema, label)

    def recursion(self, name: str, query: exp.Query, schema: Schema, rounds: frozenset[str]) -> Select:
        """A SELECT of everything from a query that reads its own rows by that name."""
        if rounds:
            raise UnsupportedError("a recursion that reads the rounds of another cannot be written as SQL")
        self.recursive = True
        self._parts.append(Part(name, query, tuple(schema.names)))
        return self.everything(name, schema, "recursion")

    def everything(self, name: str, schema: Schema, label: str = "selected", names: tuple[str, ...] = ()) -> Select:
        """A SELECT of everything from a table of that name, whose columns are those of the schema, or `names`."""
        reference = Reference(name, names or tuple(schema.names), exp.to_table(name))
        reference = replace(reference, source=exp.Table(this=identifier(name)))
        return self.of(reference, schema, label)

    def of(self, reference: Reference, schema: Schema, label: str = "selected") -> Select:
        outputs = reference.outputs(schema)
        origins: dict[str, Origin] = {reference.base(f.name): Named(reference, f.name) for f in schema}
        return Select(reference, origins=origins, outputs=outputs, label=label)

    def wrapped(self, select: Select, label: str | None = None) -> Select:
        """A SELECT of everything from this one, which may be merged with anything. The order of its rows goes with it."""
        label = label or select.label
        schema_names = list(select.outputs)
        carried, outputs = self._carried(select)
        inner = replace(select, outputs=outputs, order=select.order if select.is_cut else ())
        query = self.query(inner)
        fields = outputs
        if select.rounds:
            reference = self._nested(query, tuple(fields), label, select)
        else:
            name = self.names.take(label)
            self._parts.append(Part(name, query))
            reference = Reference(name, tuple(fields), exp.Table(this=identifier(name)))
        columns = {name: Column(reference.base(name), s.dtype, s.nullable) for name, s in fields.items()}
        origins: dict[str, Origin] = {reference.base(name): Named(reference, name) for name in fields}
        order = tuple([SortKey(columns[name], k.descending, k.nulls_first) for name, k in carried])
        kept = {name: columns[name] for name in schema_names}
        return Select(reference, origins=origins, outputs=kept, order=order, rounds=select.rounds, label=label)

    def plain(self, select: Select) -> Select:
        """A SELECT to which WHERE, GROUP BY and joins may be added: the same, or one that reads from it."""
        return select if select.is_plain and select.reference is not None else self.wrapped(select)

    def _nested(self, query: exp.Query, columns: tuple[str, ...], label: str, select: Select) -> Reference:
        depth = 1 + max([self._nesting.get(r.number, 0) for r in select.references], default=0)
        if depth > MAX_NESTING:
            raise UnsupportedError("the step of a recursion is too long to be written as SQL")
        reference = Reference(label, columns, exp.Subquery(this=query))
        self._nesting[reference.number] = depth
        return reference

    def _carried(self, select: Select) -> tuple[list[tuple[str, SortKey]], dict[str, Scalar]]:
        """The sort keys by the names of outputs that hold them, and the outputs, to which those that lack are added."""
        outputs = dict(select.outputs)
        by_value = {scalar: name for name, scalar in reversed(outputs.items())}
        carried = []
        for key in select.order:
            assert isinstance(key, SortKey)
            name = by_value.get(key.arg)
            if name is None:
                if select.distinct or select.multiplies:
                    return [], dict(select.outputs)
                origin = select.origins.get(key.arg.name) if isinstance(key.arg, Column) else None
                name = origin.column if isinstance(origin, Named) else "_order"
                name = Names(outputs).take(name)
                outputs[name] = key.arg
                by_value[key.arg] = name
            carried.append((name, key))
        return carried, outputs

    def query(self, select: Select, outer: Mapping[str, str] | None = None, *, bare: bool = False) -> exp.Select:
        """The SELECT as a tree of sqlglot's.

        Args:
            select: what to write.
            outer: the aliases of the references around it, where it is correlated.
            bare: whether only that there are rows matters.
        """
        return _Rendering(self, select, dict(outer or {})).query(bare=bare)

    def finished(self, select: Select) -> exp.Query | exp.Values:
        """The whole statement, of which this is the last SELECT."""
        query: exp.Query | exp.Values = self.query(select)
        parts = self._parts
        if parts and not parts[-1].columns and _is_everything(query, parts[-1].name):
            query = parts.pop().query
        if parts:
            expressions = []
            for part in parts:
                alias = exp.TableAlias(this=identifier(part.name), columns=[identifier(c) for c in part.columns])
                expressions.append(exp.CTE(this=part.query, alias=alias))
            query.set("with_", exp.With(expressions=expressions, recursive=self.recursive))
        return query


def _is_everything(query: exp.Query | exp.Values, name: str) -> bool:
    if not isinstance(query, exp.Select) or len(query.expressions) != 1 or not query.is_star:
        return False
    rest = {key for key, value in query.args.items() if value} - {"expressions", "from_", "from"}
    source = query.find(exp.Table)
    return not rest and source is not None and source.name == name


class _Rendering:
    """One SELECT being written."""

    def __init__(self, statement: Statement, select: Select, outer: dict[str, str]) -> None:
        self._statement = statement
        self._select = select
        self._aliases: dict[str, str] = outer
        names = Names(outer.values())
        for reference in select.references:
            self._aliases[str(reference.number)] = names.take(reference.name)
        correlated = any([isinstance(origin, (Exists, Single)) for origin in select.origins.values()])
        self._qualified = len(self._aliases) > 1 or correlated or self._is_shadowed()
        columns = _Columns(self)
        self._writer = ScalarWriter(columns, select.row_order, strict_order=statement.strict_order)

    def _is_shadowed(self) -> bool:
        """Whether an output has the name of a column that it is not, in a SELECT with clauses that might mean the output."""
        select = self._select
        if select.reference is None or not (select.keys or select.having or select.order):
            return False
        for name, scalar in select.outputs.items():
            if name in select.reference.columns:
                origin = select.origins.get(scalar.name) if isinstance(scalar, Column) else None
                if not isinstance(origin, Named) or origin.column != name:
                    return True
        return False

    def column(self, base: str) -> exp.Expression:
        origin = self._select.origins.get(base)
        match origin:
            case Exists(select=inner):
                return exp.Exists(this=self._statement.query(inner, self._aliases, bare=True))
            case Single(select=inner):
                return exp.Subquery(this=self._statement.query(inner, self._aliases))
            case Unnested(value=value):
                return exp.Explode(this=self._writer.write(value))
        number, _, name = base.partition(".")
        alias = self._aliases[number]
        return exp.Column(this=identifier(name), table=identifier(alias) if self._qualified else None)

    def query(self, *, bare: bool) -> exp.Select:
        select = self._select
        query = exp.Select(expressions=[exp.Literal.number("1")] if bare else self._outputs())
        if select.reference is not None:
            source = exp.From(this=self._table(select.reference))
            query.set("from_", source)
        if select.joins:
            query.set("joins", [self._join(j.reference, j.kind, j.conditions) for j in select.joins])
        if select.where:
            query.set("where", exp.Where(this=self._conjunction(select.where)))
        if select.keys:
            query.set("group", exp.Group(expressions=[self._writer.write(key) for key in select.keys]))
        if select.having:
            query.set("having", exp.Having(this=self._conjunction(select.having)))
        if select.distinct:
            query.set("distinct", exp.Distinct())
        if not bare:
            self._put_order(query)
        if select.limit is not None:
            query.set("limit", exp.Limit(expression=number(select.limit)))
        if select.offset:
            query.set("offset", exp.Offset(expression=number(select.offset)))
        return query

    def _put_order(self, query: exp.Select) -> None:
        by_value = {scalar: name for name, scalar in reversed([*self._select.outputs.items()])}
        seen, written = set(), []
        for key in self._select.order:
            assert isinstance(key, SortKey)
            if key.arg in seen or isinstance(key.arg, Literal):
                continue
            seen.add(key.arg)
            name = by_value.get(key.arg)
            # Where tables are joined, a name of an output may also be that of several columns.
            if name is None or (self._select.joins and isinstance(key.arg, Column)):
                written.append(self._writer.ordered(key))
            else:
                column = exp.Column(this=identifier(name))
                written.append(exp.Ordered(this=column, desc=key.descending or None, nulls_first=key.nulls_first))
        if written:
            query.set("order", exp.Order(expressions=written))

    def _outputs(self) -> list[exp.Expression]:
        select = self._select
        if not select.outputs:
            # Of rows that are one group without keys only an aggregate says so.
            value = exp.Count(this=exp.Star()) if select.keys == () else exp.Literal.number("1")
            return [exp.Alias(this=value, alias=identifier("_"))]
        if self._is_star():
            return [exp.Star()]
        written: list[exp.Expression] = []
        for name, scalar in select.outputs.items():
            made = self._writer.write(scalar)
            if isinstance(made, exp.Column) and made.name == name:
                written.append(made)
            else:
                written.append(exp.Alias(this=made, alias=identifier(name)))
        return written

    def _is_star(self) -> bool:
        select = self._select
        reference = select.reference
        if reference is None or select.joins or select.keys is not None or tuple(select.outputs) != reference.columns:
            return False
        return all(
            isinstance(s, Column) and s.name == reference.base(name) and isinstance(select.origins.get(s.name), Named)
            for name, s in select.outputs.items()
        )

    def _table(self, reference: Reference) -> exp.Expression:
        alias = self._aliases[str(reference.number)]
        source = reference.source.copy()
        if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier) and source.name == alias:
            return source
        needed = isinstance(source, exp.Subquery) or self._qualified
        if needed:
            source.set("alias", exp.TableAlias(this=identifier(alias)))
        return source

    def _join(self, reference: Reference, kind: str, conditions: tuple[Scalar, ...]) -> exp.Join:
        method, _, kind = kind.rpartition(" ")
        sides = {"left": "LEFT", "right": "RIGHT", "full": "FULL"}
        if not conditions and kind == "inner":
            return exp.Join(this=self._table(reference), kind="CROSS")
        on = self._conjunction(conditions) if conditions else exp.true()
        return exp.Join(this=self._table(reference), method=method.upper() or None, side=sides.get(kind), on=on)

    def _conjunction(self, conditions: tuple[Scalar, ...]) -> exp.Expression:
        parts = [self._writer.write(condition) for condition in conditions]
        total = parts[0]
        for part in parts[1:]:
            left = exp.Paren(this=total) if isinstance(total, exp.Or) else total
            right = exp.Paren(this=part) if isinstance(part, exp.Connector) else part
            total = exp.And(this=left, expression=right)
        return total


class _Columns(Mapping[str, exp.Expression]):
    """The columns of a SELECT, written when they are asked for."""

    def __init__(self, rendering: _Rendering) -> None:
        self._rendering = rendering

    def __getitem__(self, name: str) -> exp.Expression:
        return self._rendering.column(name)

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("asked for by name alone")

    def __len__(self) -> int:
        raise AssertionError("asked for by name alone")
