"""FROM: tables, queries, functions that give rows, and joins of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from sqlglot import exp

from lazyframe.planner.errors import (
    TableNotFoundError,
    UnsupportedError,
    did_you_mean,
)
from lazyframe.planner.relations import Plan
from lazyframe.planner.relations.project import column, renamed
from lazyframe.planner.relations.values import ONE_ROW
from lazyframe.planner.scalars import AggregateCall, Column, Scalar
from lazyframe.planner.sql.expressions.aggregates import misplaced
from lazyframe.planner.sql.expressions.binder import function_name
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.outer import Outer
from lazyframe.planner.sql.queries.joins import joined
from lazyframe.planner.sql.queries.pivoting import pivoted, simplified_pivot
from lazyframe.planner.sql.queries.query import Bound, bound_query
from lazyframe.planner.sql.queries.sampling import sampled
from lazyframe.planner.sql.queries.sides import Side
from lazyframe.planner.sql.queries.table_functions import rows_of_function
from lazyframe.planner.sql.queries.unnest import unnested
from lazyframe.planner.sql.queries.values import bound_values
from lazyframe.planner.sql.queries.with_clause import Cte, named
from lazyframe.planner.sql.statement import Statement


class FromClause:
    """The binder of one FROM.

    Args:
        statement: the statement it is part of.
        parent: the scope of the query around.
        ctes: the queries that WITH named.
    """

    def __init__(self, statement: Statement, parent: Scope | None, ctes: Mapping[str, Cte]) -> None:
        self.statement = statement
        self.parent = parent
        self.ctes = ctes
        self.outers: dict[str, Scalar] = {}

    def bound(self, select: exp.Select) -> tuple[Plan, Scope]:
        """The rows that the SELECT reads, and what names mean over them."""
        from_ = select.args.get("from_")
        if from_ is None:
            return ONE_ROW, self._scope()
        found = self._item(from_.this, None)
        found = self._with_joins(found, [*(select.args.get("laterals") or []), *(select.args.get("joins") or [])], None)
        return found.plan, found.scope

    def _scope(self) -> Scope:
        return Scope(self.parent, self.ctes, self.outers)

    def _item(self, tree: exp.Expr, left: Scope | None) -> Side:
        """A table, query or function with the joins that hang on it; `left` are the tables before it, for LATERAL."""
        with self.statement.at(tree):
            grouped = isinstance(tree, exp.Subquery) and isinstance(tree.this, (exp.Table, exp.Subquery))
            found = self._parenthesized(tree, left) if grouped else self._unjoined(tree, left)
        return self._with_joins(found, tree.args.get("joins") or [], left)

    def _parenthesized(self, tree: exp.Expr, left: Scope | None) -> Side:
        """Joins in parentheses: their tables keep their names, unless the whole has one of its own."""
        self.statement.only(tree, "this", "alias", "joins", "sample", "pivots")
        found = self._item(tree.this, left)
        table = _Aliased(tree)
        if not table.alias and not tree.args.get("pivots"):
            if sample := tree.args.get("sample"):
                found = found._replace(plan=sampled(self.statement, found.plan, sample))
            return found
        columns = tuple([(v.name, _as_column(v.value, found.plan)) for v in found.scope.star()])
        one = Bound(found.plan, named(columns, table.columns, table.alias), {})
        return self._as_side(tree, table, one)._replace(lateral=found.lateral)

    def _unjoined(self, tree: exp.Expr, left: Scope | None) -> Side:
        only = self.statement.only
        table = _Aliased(tree)
        if isinstance(tree, exp.Table):
            only(tree, "this", "db", "catalog", "alias", "joins", "sample", "pivots", "ordinality", "rows_from")
            found = self._table(tree, table, left)
        elif isinstance(tree, exp.Subquery):
            only(tree, "this", "alias", "joins", "sample", "pivots", "with_")
            found = bound_query(self.statement, tree.this, left or self._scope(), self.ctes)
            if tree.args.get("with_"):
                raise UnsupportedError("WITH belongs inside the parentheses of a query")
        elif isinstance(tree, exp.Lateral):
            only(tree, "this", "alias", "view", "outer", "ordinality", "joins")
            if tree.args.get("view") or tree.args.get("outer"):
                raise UnsupportedError("LATERAL VIEW is not supported", hint="write CROSS JOIN UNNEST(...)")
            found = self._lateral(tree, table, left)
        elif isinstance(tree, (exp.Values, exp.Unnest)):
            only(tree, "expressions", "alias", "joins", "sample", "pivots", "offset")
            found = self._rows(tree, table, left)
        elif isinstance(tree, exp.Pivot):
            found = simplified_pivot(self, tree)
        elif isinstance(tree, exp.Func):
            found = self._function(tree, table, left)
        else:
            raise UnsupportedError(f"{type(tree).__name__.upper()} in FROM is not supported")
        found = found._replace(columns=named(found.columns, table.columns, table.alias or "the table"))
        for name, value in found.outers.items():
            # Values of tables further left are columns there; the others come from around this query.
            if isinstance(value, Outer):
                self.outers.setdefault(name, value)
            elif isinstance(value, AggregateCall):
                raise misplaced(value, "FROM")
        return self._as_side(tree, table, found)

    def _as_side(self, tree: exp.Expr, table: _Aliased, found: Bound) -> Side:
        found = self._modified(tree, table, found)
        scope = self._scope()
        scope.add(found.as_table(table.alias, bool(table.alias)))
        return Side(found.plan, scope, {n: v for n, v in found.outers.items() if not isinstance(v, Outer)})

    def _modified(self, tree: exp.Expr, table: _Aliased, found: Bound) -> Bound:
        """TABLESAMPLE, PIVOT and UNPIVOT behind a table."""
        if sample := tree.args.get("sample"):
            found = found._replace(plan=sampled(self.statement, found.plan, sample))
        for pivot in tree.args.get("pivots") or []:
            alias = pivot.args.get("alias")
            scope = self._scope()
            scope.add(found.as_table(table.alias, bool(table.alias)))
            found = pivoted(self.statement, scope, found, pivot)
            if alias is not None:
                table.alias = alias.name
                names = [identifier.name for identifier in alias.columns]
                found = found._replace(columns=named(found.columns, names, table.alias))
        return found

    def _table(self, tree: exp.Table, table: _Aliased, left: Scope | None) -> Bound:
        if isinstance(tree.this, exp.Func):
            return self._function(tree.this, table, left, ordinality=bool(tree.args.get("ordinality")))
        parts = tuple([part.name for part in tree.parts])
        name = parts[-1]
        cte = self.ctes.get(name.casefold()) if len(parts) == 1 else None
        quoted = bool(tree.this.args.get("quoted"))
        if not table.alias:
            table.alias = name
        if cte is not None:
            return cte.read(left or self._scope())
        plan = self.statement.catalog.table(parts, quoted=quoted)
        if plan is None:
            known = [*self.statement.catalog.names(), *[c.name for c in self.ctes.values()]]
            hint = did_you_mean(name, known)
            if self.statement.defines(name):
                hint = f"a query that reads itself, or one behind it, is defined by WITH RECURSIVE {name}"
            raise TableNotFoundError(f"no table named {'.'.join(parts)!r}", hint=hint)
        return self._claimed(plan)

    def _claimed(self, plan: Plan) -> Bound:
        """A plan from outside the statement, with names that nothing else in it has."""
        names = {f.name: self.statement.fresh(f.name) for f in plan.schema}
        inner = renamed(plan, names)
        columns = tuple([(f.name, column(inner.schema, names[f.name])) for f in plan.schema])
        return Bound(inner, columns, {})

    def _lateral(self, tree: exp.Lateral, table: _Aliased, left: Scope | None) -> Bound:
        inner = tree.this
        if isinstance(inner, exp.Subquery):
            return bound_query(self.statement, inner, left or self._scope(), self.ctes)
        if isinstance(inner, (exp.Unnest, exp.Values)):
            return self._rows(inner, table, left)
        if not isinstance(inner, exp.Func):
            raise UnsupportedError("LATERAL wants a query in parentheses, or a function")
        return self._function(inner, table, left, ordinality=bool(tree.args.get("ordinality")))

    def _rows(self, tree: exp.Values | exp.Unnest, table: _Aliased, left: Scope | None) -> Bound:
        scope = left or self._scope()
        if isinstance(tree, exp.Values):
            return bound_values(self.statement, tree, scope, self.ctes)
        offset = tree.args.get("offset")
        found = unnested(self.statement, scope, tree.expressions, ordinality=bool(offset))
        if isinstance(offset, exp.Identifier) and len(table.columns) < len(found.columns):
            # sqlglot keeps the name of the ordinality apart from those of the other columns.
            table.columns = [*table.columns, *[n for n, _ in found.columns[len(table.columns) : -1]], offset.name]
        return self._single(found, table)

    def _single(self, found: Bound, table: _Aliased) -> Bound:
        """The only column of a function is called like its table, where that has a name."""
        if table.alias and not table.columns and len(found.columns) == 1:
            return found._replace(columns=((table.alias, found.columns[0][1]),))
        return found

    def _function(self, tree: exp.Func, table: _Aliased, left: Scope | None, *, ordinality: bool = False) -> Bound:
        """A function that gives rows: of the session (read_csv), or one of ours that gives a list."""
        found = rows_of_function(self.statement, tree, left or self._scope())
        if found is not None:
            if not table.alias:
                table.alias = function_name(tree)
            return self._claimed(found)
        bound = unnested(self.statement, left or self._scope(), [tree], ordinality=ordinality, name=function_name(tree))
        return self._single(bound, table)

    def _with_joins(self, found: Side, joins: Sequence[exp.Join | exp.Lateral], before: Scope | None) -> Side:
        """An item with all that follows it: a comma binds less than JOIN, so that `a, b JOIN c` is `a` and `b JOIN c`."""
        for run in _runs(joins):
            first, *others = run
            if _is_comma(first) and not _is_same_one_by_one(others):
                scope = _all_before(before, found)
                right = self._with_joins(self._item(first.this, scope), others, scope)
                found = self._beside(found, right, first)
                continue
            for join in run:
                found = self._joined(found, join, before)
        return found

    def _joined(self, left: Side, join: exp.Join | exp.Lateral, before: Scope | None) -> Side:
        """Some items with one more, which may depend on them, and in parentheses on the tables `before` those."""
        if isinstance(join, exp.Lateral):
            join = exp.Join(this=join)
        self.statement.only(join, "this", "side", "kind", "method", "on", "using", "pivots")
        return self._beside(left, self._item(join.this, _all_before(before, left)), join)

    def _beside(self, left: Side, right: Side, join: exp.Join) -> Side:
        names = set(left.plan.schema.names)
        own = {name: value for name, value in right.lateral.items() if value.columns <= names}
        further = {name: value for name, value in right.lateral.items() if name not in own}
        with self.statement.at(join):
            found = joined(self.statement, left, right._replace(lateral=own), join)
        return found._replace(lateral={**left.lateral, **further})


def _all_before(before: Scope | None, left: Side) -> Scope:
    return left.scope if before is None else before.beside(left.scope)


def _runs(joins: Sequence[exp.Join | exp.Lateral]) -> list[list[exp.Join | exp.Lateral]]:
    """Joins in the order they are written, those behind one comma together."""
    found: list[list[exp.Join | exp.Lateral]] = []
    for join in joins:
        if found and not _is_comma(join):
            found[-1].append(join)
        else:
            found.append([join])
    return found


def _is_comma(join: exp.Join | exp.Lateral) -> TypeGuard[exp.Join]:
    return isinstance(join, exp.Join) and not any(
        [join.args.get(part) for part in ("side", "kind", "method", "on", "using")]
    )


def _is_same_one_by_one(joins: Sequence[exp.Join | exp.Lateral]) -> bool:
    """Whether `(a, b) JOIN c` is what `a, (b JOIN c)` is, for the joins behind a comma: not where `c` gives rows without
    partners, or where the columns compared are those that both sides have.

    In the first form a condition can use `a` as well.
    """
    for join in joins:
        if join.args.get("side") in ("RIGHT", "FULL") or join.args.get("method") in ("NATURAL", "POSITIONAL"):
            return False
    return not any([join.args.get("using") for join in joins]) or any([join.args.get("on") for join in joins])


def _as_column(value: Scalar, plan: Plan) -> Column:
    if not isinstance(value, Column):
        raise UnsupportedError("a FULL join with USING in parentheses takes no alias", hint="write it as a subquery")
    return column(plan.schema, value.name)


class _Aliased:
    """The name of an item of FROM, and the names it gives its columns."""

    def __init__(self, tree: exp.Expr) -> None:
        alias = tree.args.get("alias")
        self.alias: str = alias.name if alias is not None else ""
        self.columns: list[str] = [c.name for c in alias.columns] if isinstance(alias, exp.TableAlias) else []


__all__ = ["FromClause"]
