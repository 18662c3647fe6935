"""PIVOT and UNPIVOT: behind a table in FROM, and as statements of their own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner.bind import aggregate_call, call, unified
from lazyframe.planner.build import pivot as build
from lazyframe.planner.build.pivot import Cell
from lazyframe.planner.errors import ColumnNotFoundError, InvalidArgumentError, UnsupportedError, did_you_mean
from lazyframe.planner.folding import folded
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Distinct, Explode, Filter, Project, Sort
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Cast, Column, Literal, Scalar, SortKey, cast
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.names.stars import items
from lazyframe.planner.sql.outer import has_subquery
from lazyframe.planner.sql.queries.query import Bound, bound_query
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.types import STRING, is_nested, type_name

if TYPE_CHECKING:
    from lazyframe.planner.sql.queries.from_clause import FromClause


def simplified_pivot(clause: FromClause, tree: exp.Pivot) -> Bound:
    """PIVOT table ON ... USING ..., UNPIVOT table ON ... INTO ...: what stands for a whole query."""
    statement = clause.statement
    source = tree.this
    if isinstance(source, exp.Subquery):
        found = bound_query(statement, source, clause.parent, clause.ctes)
    else:
        select = exp.Select(expressions=[exp.Star()])
        select.args["from_"] = exp.From(this=source)
        found = bound_query(statement, select, clause.parent, clause.ctes)
    scope = Scope(clause.parent, clause.ctes)
    scope.add(found.as_table(source.alias_or_name, bool(source.alias_or_name)))
    return pivoted(statement, scope, found, tree)


def pivoted(statement: Statement, scope: Scope, found: Bound, tree: exp.Pivot) -> Bound:
    """A table with values of rows as columns, or the other way round."""
    if tree.args.get("unpivot"):
        return _Unpivot(statement, scope, found, tree).bound()
    return _Pivot(statement, scope, found, tree).bound()


class _On(NamedTuple):
    """An expression whose values become columns: the values, and what each is called."""

    scalar: Scalar
    values: list[tuple[Literal, str]]


class _Pivot:
    def __init__(self, statement: Statement, scope: Scope, found: Bound, tree: exp.Pivot) -> None:
        statement.only(
            tree, "this", "expressions", "fields", "using", "group", "alias", "columns", "prefixed_pivot_columns",
            "identify_pivot_strings", "pivot_column_naming", "value_columns_first",
        )  # fmt: skip
        self.statement = statement
        self.scope = scope
        self.found = found
        self.tree = tree
        self.e = Expressions(statement, scope, "PIVOT", aggregates=True)
        # PIVOT t ON a USING sum(b) has its aggregates in USING, t PIVOT (sum(b) FOR a IN ...) has them as expressions.
        self.simple = not tree.args.get("fields")

    def bound(self) -> Bound:
        written = (self.tree.args.get("using") or []) if self.simple else self.tree.expressions
        aggregates = [self._aggregate(each) for each in written] or [("", aggregate_call("len", []))]
        on = [self._on(each) for each in (self.tree.expressions if self.simple else self.tree.args["fields"])]
        if not on:
            raise InvalidArgumentError("PIVOT wants ON, or FOR ... IN (...)")
        index = self._index([call for _, call in aggregates], [each.scalar for each in on])
        cells: list[Cell] = []
        visible: list[str] = []
        for combined in product(*[each.values for each in on]):
            label = "_".join([name for _, name in combined])
            for number, (name, _) in enumerate(aggregates):
                visible.append(f"{label}_{name}" if name else label)
                cells.append(Cell(self.statement.fresh(visible[-1]), tuple([value for value, _ in combined]), number))
        named = [(value.name, value) for _, value in index]
        plan = build.pivoted(self.found.plan, named, [each.scalar for each in on], [a for _, a in aggregates], cells)
        columns = [(name, column(plan.schema, value.name)) for name, value in index]
        columns += [(name, column(plan.schema, cell.name)) for name, cell in zip(visible, cells, strict=True)]
        return Bound(plan, tuple(columns), self.found.outers)

    def _aggregate(self, tree: exp.Expr) -> tuple[str, Scalar]:
        """An aggregate, and what it adds to the names of its columns."""
        inner = tree.this if isinstance(tree, exp.Alias) else tree
        scalar = self.e.bind(inner)
        if not isinstance(scalar, AggregateCall):
            raise self.e.error(
                inner, UnsupportedError, "PIVOT wants plain aggregates", "compute with them in a SELECT around"
            )
        several = len((self.tree.args.get("using") or []) if self.simple else self.tree.expressions) > 1
        if isinstance(tree, exp.Alias):
            return tree.alias, scalar
        return (self.statement.written(inner) if several else ""), scalar

    def _on(self, tree: exp.Expr) -> _On:
        if isinstance(tree, exp.In):
            scalar = self.e.bind(tree.this)
            if tree.args.get("query") is not None or not tree.expressions:
                raise self.e.error(tree, UnsupportedError, "PIVOT ... IN wants a list of values")
            return _On(scalar, [self._value(each, scalar) for each in tree.expressions])
        scalar = self.e.bind(tree)
        return _On(scalar, self._values_of(scalar))

    def _value(self, tree: exp.Expr, on: Scalar) -> tuple[Literal, str]:
        alias = None
        if isinstance(tree, (exp.PivotAlias, exp.Alias)):
            alias, tree = tree.args["alias"].name, tree.this
        if isinstance(tree, exp.Column) and len(tree.parts) == 1:
            # A bare word is a value too, as in DuckDB.
            value: Scalar = literal(tree.name)
        else:
            value = self.e.bind(tree)
        value = folded(cast(value, on.dtype)) if not isinstance(value, Literal) or value.dtype != on.dtype else value
        if not isinstance(value, Literal):
            if value.columns or has_subquery(value):
                raise self.e.error(tree, UnsupportedError, "PIVOT ... IN wants constants")
            plain = self.statement.catalog.rows(_one_value(value))["value"][0]
            value = Literal(plain)
        return value, alias if alias is not None else _shown(value)

    def _values_of(self, scalar: Scalar) -> list[tuple[Literal, str]]:
        """The values there are, in order: which columns there will be depends on them, so they are looked up now."""
        rows = Distinct(Project(self.found.plan, (("value", scalar),)), ("value",))
        present = Filter(rows, call("is_not_null", column(rows.schema, "value")))
        table = self.statement.catalog.rows(Sort(present, (SortKey(column(present.schema, "value")),)))
        found = [Literal(value) for value in table["value"]]
        return [(value, _shown(value)) for value in found]

    def _index(self, aggregates: Sequence[Scalar], on: Sequence[Scalar]) -> list[tuple[str, Column]]:
        """What there is one row for: GROUP BY, else the columns that are not used otherwise."""
        group = self.tree.args.get("group")
        if group is not None:
            found: list[tuple[str, Column]] = []
            for each in group.expressions if isinstance(group, exp.Group) else group:
                value = self.e.bind(each)
                if not isinstance(value, Column):
                    raise self.e.error(each, UnsupportedError, "PIVOT groups by columns")
                found.append((each.name, value))
            return found
        used = {name for scalar in (*aggregates, *on) for name in scalar.columns}
        return [(name, value) for name, value in self.found.columns if value.name not in used]


def _one_value(value: Scalar) -> Project:
    from lazyframe.planner.relations.values import ONE_ROW

    return Project(ONE_ROW, (("value", value),))


def _shown(value: Literal) -> str:
    """A value as the name of a column."""
    if not value.value.is_valid:
        return "NULL"
    if value.dtype == STRING:
        return str(value.value.as_py())
    if is_nested(value.dtype):
        raise UnsupportedError(f"PIVOT makes no columns of values of type {type_name(value.dtype)}")
    text = folded(Cast(value, STRING))
    return str(text.value.as_py()) if isinstance(text, Literal) else str(value.value.cast(pa.string()).as_py())


class _Unpivot:
    """For each row a row for each of some groups of columns: its label, and its values."""

    def __init__(self, statement: Statement, scope: Scope, found: Bound, tree: exp.Pivot) -> None:
        statement.only(
            tree, "this", "expressions", "fields", "unpivot", "include_nulls", "into", "alias", "value_columns_first",
        )  # fmt: skip
        self.statement = statement
        self.scope = scope
        self.found = found
        self.tree = tree

    def bound(self) -> Bound:
        label, names, groups = self._parts()
        width = len(names)
        used: set[str] = set()
        lists: list[list[Scalar]] = [[] for _ in names]
        labels: list[Scalar] = []
        for text, columns in groups:
            if len(columns) != width:
                raise InvalidArgumentError(f"UNPIVOT: {len(columns)} columns go into {width}")
            labels.append(literal(text))
            for place, value in enumerate(columns):
                used.add(value.name)
                lists[place].append(value)
        if not groups:
            raise InvalidArgumentError("UNPIVOT wants columns")
        kept = [(name, value) for name, value in self.found.columns if value.name not in used]
        inner = [self.statement.fresh(name) for name in (label, *names)]
        made = [call("make_list", *unified(each, "the columns of UNPIVOT")) for each in (labels, *lists)]
        exprs = [*[(value.name, value) for _, value in kept], *zip(inner, made, strict=True)]
        rows = Explode(Project(self.found.plan, tuple(dict(exprs).items())), tuple(inner))
        plan: Explode | Filter = rows
        if not self.tree.args.get("include_nulls"):
            present = [call("is_not_null", column(rows.schema, name)) for name in inner[1:]]
            some = present[0]
            for each in present[1:]:
                some = call("or", some, each)
            plan = Filter(rows, some)
        columns_out = [(name, column(plan.schema, value.name)) for name, value in kept]
        columns_out += [(n, column(plan.schema, i)) for n, i in zip((label, *names), inner, strict=True)]
        return Bound(plan, tuple(columns_out), self.found.outers)

    def _parts(self) -> tuple[str, list[str], list[tuple[str, list[Column]]]]:
        fields = self.tree.args.get("fields")
        if fields:
            if len(fields) != 1:
                raise UnsupportedError("UNPIVOT takes one FOR ... IN (...)")
            (field,) = fields
            first = self.tree.expressions[0]
            names = [
                each.name for each in (first.expressions if isinstance(first, exp.Tuple) else self.tree.expressions)
            ]
            return field.this.name, names, [self._group(each) for each in field.expressions]
        into = self.tree.args.get("into")
        label = into.this.name if into is not None else "name"
        names = [each.name for each in into.expressions] if into is not None else ["value"]
        groups: list[tuple[str, list[Column]]] = []
        for each in self.tree.expressions:
            if isinstance(each, (exp.Star, exp.Columns)) or each.find(exp.Columns):
                for item in items(self.statement, self.scope, [each]):
                    value = item.value if item.value is not None else self._bound(item.tree)
                    assert isinstance(value, Column)
                    groups.append((item.name or item.tree.name, [value]))
            else:
                groups.append(self._group(each))
        return label, names or ["value"], groups

    def _group(self, tree: exp.Expr) -> tuple[str, list[Column]]:
        alias = None
        if isinstance(tree, (exp.PivotAlias, exp.Alias)):
            alias, tree = tree.args["alias"].name, tree.this
        parts = tree.expressions if isinstance(tree, exp.Tuple) else [tree]
        return alias or "_".join([part.name for part in parts]), [self._bound(part) for part in parts]

    def _bound(self, tree: exp.Expr) -> Column:
        value = self.scope.own_column(tree.name) if isinstance(tree, (exp.Column, exp.Identifier)) else None
        if not isinstance(value, Column):
            known = [visible.name for visible in self.scope.star()]
            raise ColumnNotFoundError(f"no column named {tree.name!r} to unpivot", hint=did_you_mean(tree.name, known))
        return value


__all__ = ["pivoted", "simplified_pivot"]
