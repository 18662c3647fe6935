"""FROM: tables, queries, functions that give rows, and joins of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.build.joins import split_equalities
from lazyframe.planner.errors import (
    ColumnNotFoundError,
    InvalidArgumentError,
    TableNotFoundError,
    UnsupportedError,
    did_you_mean,
)
from lazyframe.planner.relations import Filter, HorizontalConcat, Join, Plan, RowIndex, Shared
from lazyframe.planner.relations.project import choose, column, renamed
from lazyframe.planner.relations.values import ONE_ROW
from lazyframe.planner.scalars import Column, Scalar, conjunction, conjuncts, is_total, substitute
from lazyframe.planner.site import ambient
from lazyframe.planner.sql.expressions.binder import Expressions, function_name
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.outer import Outer, has_subquery
from lazyframe.planner.sql.queries.query import Bound, bound_query
from lazyframe.planner.sql.queries.with_clause import Cte, named
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.sql.unnesting import dependent_join, filtered_by, placed
from lazyframe.planner.types import common_type, type_name


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
        plan, scope = self._item(from_.this, None)
        for join in [*(select.args.get("laterals") or []), *(select.args.get("joins") or [])]:
            plan, scope = self._joined(plan, scope, join)
        return plan, scope

    def _scope(self) -> Scope:
        return Scope(self.parent, self.ctes, self.outers)

    # One item.

    def _item(self, tree: exp.Expr, left: Scope | None) -> tuple[Plan, Scope]:
        """A table, query or function with the joins that hang on it; `left` are the tables before it, for LATERAL."""
        outer = ambient.site
        ambient.site = SqlSite(self.statement.text, tree)
        try:
            plan, scope = self._unjoined(tree, left)
        finally:
            ambient.site = outer
        for join in tree.args.get("joins") or []:
            plan, scope = self._joined(plan, scope, join)
        return plan, scope

    def _unjoined(self, tree: exp.Expr, left: Scope | None) -> tuple[Plan, Scope]:
        if isinstance(tree, exp.Subquery) and isinstance(tree.this, (exp.Table, exp.Subquery)):
            # A join in parentheses: its tables keep their names, unless it has one of its own.
            plan, scope = self._item(tree.this, left)
            if not tree.args.get("alias"):
                return plan, scope
            table = _Aliased(tree)
            columns = tuple([(v.name, _as_column(v.value, plan)) for v in scope.star()])
            one = Bound(plan, named(columns, table.columns, table.alias), {})
            whole = self._scope()
            whole.add(one.as_table(table.alias))
            return plan, whole
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
            from lazyframe.planner.sql.queries.pivoting import simplified_pivot

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
        found = self._modified(tree, table, found)
        scope = self._scope()
        scope.add(found.as_table(table.alias, bool(table.alias)))
        self._lateral_outers = {n: v for n, v in found.outers.items() if isinstance(v, Column)}
        return found.plan, scope

    _lateral_outers: Mapping[str, Scalar] = {}

    def _modified(self, tree: exp.Expr, table: _Aliased, found: Bound) -> Bound:
        """TABLESAMPLE, PIVOT and UNPIVOT behind a table."""
        if sample := tree.args.get("sample"):
            from lazyframe.planner.sql.queries.sampling import sampled

            found = found._replace(plan=sampled(self.statement, found.plan, sample))
        for pivot in tree.args.get("pivots") or []:
            from lazyframe.planner.sql.queries.pivoting import pivoted

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
            raise TableNotFoundError(f"no table named {'.'.join(parts)!r}", hint=did_you_mean(name, known))
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
        return self._function(inner, table, left, ordinality=bool(tree.args.get("ordinality")))

    def _rows(self, tree: exp.Values | exp.Unnest, table: _Aliased, left: Scope | None) -> Bound:
        from lazyframe.planner.sql.queries.unnest import unnested
        from lazyframe.planner.sql.queries.values import bound_values

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
        from lazyframe.planner.sql.queries.table_functions import rows_of_function
        from lazyframe.planner.sql.queries.unnest import unnested

        found = rows_of_function(self.statement, tree, left or self._scope())
        if found is not None:
            if not table.alias:
                table.alias = function_name(tree)
            return self._claimed(found)
        bound = unnested(self.statement, left or self._scope(), [tree], ordinality=ordinality, name=function_name(tree))
        return self._single(bound, table)

    # Joins.

    def _joined(self, plan: Plan, scope: Scope, join: exp.Join | exp.Lateral) -> tuple[Plan, Scope]:
        if isinstance(join, exp.Lateral):
            join = exp.Join(this=join)
        self.statement.only(join, "this", "side", "kind", "method", "on", "using", "pivots")
        self._lateral_outers = {}
        right, right_scope = self._item(join.this, scope)
        lateral, self._lateral_outers = self._lateral_outers, {}
        outer = ambient.site
        ambient.site = SqlSite(self.statement.text, join)
        try:
            return self._join(plan, scope, right, right_scope, join, lateral)
        finally:
            ambient.site = outer

    def _join(
        self, left: Plan, scope: Scope, right: Plan, right_scope: Scope, join: exp.Join, lateral: Mapping[str, Scalar]
    ) -> tuple[Plan, Scope]:
        kind, method = _kind_of(join)
        both = scope.beside(right_scope)
        if method == "POSITIONAL":
            return HorizontalConcat((left, right)), both
        using = [identifier.name for identifier in join.args.get("using") or []]
        if method == "NATURAL":
            using = _shared_names(scope, right_scope)
        if method == "ASOF":
            from lazyframe.planner.sql.queries.asof import asof_joined

            return asof_joined(self.statement, (left, scope), (right, right_scope), join, using, kind)
        pairs = [self._pair(name, scope, right_scope) for name in using]
        parts: list[Scalar] = [call("equal", a, b) for a, b in pairs]
        if on := join.args.get("on"):
            e = Expressions(self.statement, both, "ON")
            parts += conjuncts(e.predicate(on, "ON"))
        elif not using and kind not in ("cross", "inner") and method != "NATURAL":
            raise InvalidArgumentError(f"a {kind} join wants a condition", hint="write ON ..., or USING (...)")
        joined = self._pairs_of_rows(left, right, kind, parts, lateral)
        if kind in ("semi", "anti"):
            return joined, scope
        if kind in ("left", "right", "full"):
            both = both.over(joined.schema)
        for name, (a, b) in zip(using, pairs, strict=True):
            known = {n: column(joined.schema, n) for n in (a.columns | b.columns)}
            both.merge(name, _merged(kind, substitute(a, known), substitute(b, known)))
        return joined, both

    def _pair(self, name: str, left: Scope, right: Scope) -> tuple[Scalar, Scalar]:
        found: list[Scalar] = []
        for side, where in ((left, "left"), (right, "right")):
            value = side.own_column(name)
            if value is None:
                raise ColumnNotFoundError(
                    f"no column named {name!r} on the {where} side of USING",
                    hint=did_you_mean(name, [visible.name for visible in side.star()]),
                )
            found.append(value)
        return found[0], found[1]

    def _pairs_of_rows(
        self, left: Plan, right: Plan, kind: str, parts: Sequence[Scalar], lateral: Mapping[str, Scalar]
    ) -> Plan:
        """The join of two sides on conditions that may hold subqueries, of a right side that may depend on the left."""
        fresh = self.statement.fresh
        if lateral:
            if kind not in ("inner", "cross", "left"):
                raise UnsupportedError(f"a {kind} join with a right side that depends on the left is not supported")
            outers = {name: value.name for name, value in lateral.items() if isinstance(value, Column)}
            if kind == "left" and any([has_subquery(part) for part in parts]):
                return self._left_lateral(left, right, outers, parts)
            if kind == "left":
                return dependent_join(left, right, "left", outers, fresh, conjunction(parts))
            joined = dependent_join(left, right, "inner", outers, fresh)
            return filtered_by(joined, parts, fresh) if parts else joined
        queries = [part for part in parts if has_subquery(part)]
        if not queries:
            return _plain_join(left, right, kind, parts)
        plain = [part for part in parts if not has_subquery(part)]
        if kind in ("inner", "cross"):
            return filtered_by(_plain_join(left, right, "inner", plain), queries, fresh)
        # Where a condition uses one side only, its subqueries are computed there.
        rest: list[Scalar] = []
        for part in queries:
            if part.columns <= set(right.schema.names):
                right, (bound,) = placed(right, [part], fresh)
            elif part.columns <= set(left.schema.names):
                left, (bound,) = placed(left, [part], fresh)
            else:
                rest.append(part)
                continue
            plain.append(bound)
        if not rest:
            return _plain_join(left, right, kind, plain)
        return self._by_numbers(left, right, kind, [*plain, *rest])

    def _left_lateral(self, left: Plan, right: Plan, outers: Mapping[str, str], parts: Sequence[Scalar]) -> Plan:
        """A left join with a right side that depends on the left, on a condition that holds subqueries: the pairs that meet it
        are joined back to the rows by their numbers.
        """
        fresh = self.statement.fresh
        number = fresh("left row")
        rows = Shared(RowIndex(left, number))
        met = filtered_by(dependent_join(rows, right, "inner", outers, fresh), parts, fresh)
        again = fresh(number)
        met = renamed(choose(met, [number, *right.schema.names]), {number: again})
        ours, theirs = column(rows.schema, number), column(met.schema, again)
        joined = Join(rows, met, "left", (ours,), (theirs,), ordered=False)
        return choose(joined, [*left.schema.names, *right.schema.names])

    def _by_numbers(self, left: Plan, right: Plan, kind: str, parts: Sequence[Scalar]) -> Plan:
        """A join on a condition whose subqueries use both sides: the pairs that meet it are found by the numbers of their rows,
        and joined back.
        """
        fresh = self.statement.fresh
        a, b = fresh("left row"), fresh("right row")
        # Each side is read twice, and must be the same both times.
        numbered_left, numbered_right = Shared(RowIndex(left, a)), Shared(RowIndex(right, b))
        pairs = filtered_by(Join(numbered_left, numbered_right, "cross", ordered=False), parts, fresh)
        pairs = choose(pairs, [a, b])
        names = {a: fresh(a), b: fresh(b)}
        pairs = renamed(pairs, names)
        ours = column(pairs.schema, names[a])
        wanted = [*left.schema.names, *right.schema.names]
        number_left = column(numbered_left.schema, a)
        number_right = column(numbered_right.schema, b)
        if kind in ("semi", "anti"):
            joined: Plan = Join(numbered_left, pairs, kind, (number_left,), (ours,), ordered=False)
            return choose(joined, left.schema.names)
        first = Join(
            numbered_left,
            pairs,
            "left" if kind in ("left", "full") else "inner",
            (number_left,),
            (ours,),
            ordered=False,
        )
        second = Join(first, numbered_right, kind, (column(first.schema, names[b]),), (number_right,), ordered=False)
        return choose(second, wanted)


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


def _kind_of(join: exp.Join) -> tuple[str, str]:
    """The kind of a join, and its method: NATURAL, ASOF, POSITIONAL."""
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    method = (join.args.get("method") or "").upper()
    if kind in ("SEMI", "ANTI"):
        if side == "RIGHT":
            raise UnsupportedError(f"RIGHT {kind} JOIN is not supported", hint="exchange the two sides")
        return kind.lower(), method
    if kind not in ("", "INNER", "OUTER", "CROSS"):
        raise UnsupportedError(f"{kind} JOIN is not supported")
    if method not in ("", "NATURAL", "ASOF", "POSITIONAL"):
        raise UnsupportedError(f"{method} JOIN is not supported")
    if side in ("LEFT", "RIGHT", "FULL"):
        return side.lower(), method
    return ("cross" if kind == "CROSS" else "inner"), method


def _shared_names(left: Scope, right: Scope) -> list[str]:
    theirs = {visible.name.casefold() for visible in right.star()}
    return list(dict.fromkeys(visible.name for visible in left.star() if visible.name.casefold() in theirs))


def _merged(kind: str, left: Scalar, right: Scalar) -> Scalar:
    """The one column that USING makes of two."""
    if kind == "right":
        return right
    if kind != "full":
        return left
    wanted = common_type(left.dtype, right.dtype)
    if wanted is None:
        raise InvalidArgumentError(f"USING a {type_name(left.dtype)} and a {type_name(right.dtype)} makes no column")
    return call("coalesce", left, right)


def _plain_join(left: Plan, right: Plan, kind: str, parts: Sequence[Scalar]) -> Plan:
    keys, rest = split_equalities(parts, left.schema, right.schema)
    if kind in ("inner", "cross"):
        kind = "inner" if keys or rest else "cross"
        if rest and not all([is_total(part) for part in rest]):
            # What may fail is evaluated for the pairs that the rest of the condition leaves.
            below = _plain_join(left, right, kind, [call("equal", a, b) for a, b in keys]) if keys else None
            predicate = conjunction(rest)
            assert predicate is not None
            return Filter(below or Join(left, right, "cross", ordered=False), predicate)
    return Join(
        left,
        right,
        kind,
        tuple([a for a, _ in keys]),
        tuple([b for _, b in keys]),
        conjunction(rest),
        ordered=False,
    )


__all__ = ["FromClause"]
