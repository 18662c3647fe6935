"""WITH: queries by name, computed once where they are used more than once, and recursive ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from lazyframe.planner.build.recursion import recursion
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.relations import Plan, Project, Shared
from lazyframe.planner.relations.project import choose, column, renamed
from lazyframe.planner.relations.shared import holds_volatile
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.sql.names.scope import Scope, Table, Visible
from lazyframe.planner.sql.reading.positions import SqlSite

if TYPE_CHECKING:
    from lazyframe.planner.sql.queries.query import Bound
    from lazyframe.planner.sql.statement import Statement


class Cte:
    """A query that WITH named.

    Args:
        statement: the statement it is part of.
        tree: its definition.
        parent: the scope around the query that has the WITH.
        ctes: the names that its own definition may use.
        recursive: whether it may use its own name.
        uses: how often its name is written in the statement, at most.
    """

    def __init__(
        self,
        statement: Statement,
        tree: exp.CTE,
        parent: Scope | None,
        ctes: Mapping[str, Cte],
        recursive: bool,
        uses: int,
    ) -> None:
        self.statement = statement
        self.tree = tree
        self.name = tree.alias
        self.parent = parent
        self.ctes = ctes
        self.recursive = recursive
        self.uses = uses
        self._bound: Bound | None = None
        self._rounds: list[Table] = []
        """While the recursive part is bound: the rows of the last round."""
        self._inputs: list[Plan] = []
        self.was_read = False

    def read(self, scope: Scope) -> Bound:
        """The rows, as they are read in a FROM of the scope: under new names."""
        from lazyframe.planner.sql.queries.query import Bound

        if self._rounds:
            self.was_read = True
            found = Bound(self._inputs[-1], tuple([(v.name, v.value) for v in self._rounds[-1].columns]), {})  # type: ignore[misc]
        else:
            found = self.bound()
            scope.pass_on(found.outers, self.parent)
        plan = renamed(found.plan, {f.name: self.statement.fresh(f.name) for f in found.plan.schema})
        new = dict(zip(found.plan.schema.names, plan.schema.names, strict=True))
        columns = tuple([(name, column(plan.schema, new[value.name])) for name, value in found.columns])
        return Bound(plan, columns, {})

    def bound(self) -> Bound:
        """The query, bound when it is first asked for."""
        if self._bound is None:
            with self.statement.at(self.tree):
                self._bound = self._define()
        return self._bound

    def _define(self) -> Bound:
        from lazyframe.planner.sql.queries.query import Bound, bound_query

        names = [identifier.name for identifier in self.tree.args["alias"].columns]
        query = self.tree.this
        if self.recursive and self._is_recursive(query):
            found = self._recursion(query, names)
        else:
            found = bound_query(self.statement, query, self.parent, self.ctes)
            found = found._replace(columns=named(found.columns, names, self.name))
        materialized = self.tree.args.get("materialized")
        # The step of a recursion is one place that reads in each round: there, too, a draw must stay the same.
        if materialized or (materialized is not False and (self.uses > 1 or holds_volatile(found.plan))):
            found = Bound(Shared(found.plan), found.columns, found.outers)
        return found

    def _is_recursive(self, query: exp.Expr) -> bool:
        folded = self.name.casefold()
        return any([table.name.casefold() == folded and not table.db for table in query.find_all(exp.Table)])

    def _recursion(self, query: exp.Expr, names: list[str]) -> Bound:
        """WITH RECURSIVE name AS (first UNION [ALL] recursive part)."""
        from lazyframe.planner.sql.queries.query import Bound, bound_query

        while isinstance(query, exp.Subquery):
            query = query.this
        if not isinstance(query, exp.Union) or self._is_recursive(query.this):
            raise UnsupportedError(
                f"the recursive query {self.name!r} must be a first part UNION [ALL] a part that uses {self.name!r}"
            )
        self.statement.only(query, "this", "expression", "distinct", "with_")
        inner = dict(self.ctes)
        if with_ := query.args.get("with_"):
            inner = dict(with_ctes(self.statement, with_, self.parent, inner))
        first = bound_query(self.statement, query.this, self.parent, inner)
        columns = named(first.columns, names, self.name)
        base = self._apart(first)
        visible = [name for name, _ in columns]
        outers = dict(first.outers)

        def step_over(rows: Plan) -> Plan:
            values = [column(rows.schema, f.name) for f in rows.schema]
            self._rounds.append(Table(self.name, tuple([Visible(n, v) for n, v in zip(visible, values, strict=True)])))
            self._inputs.append(rows)
            try:
                step = bound_query(self.statement, query.expression, self.parent, inner)
            finally:
                self._rounds.pop()
                self._inputs.pop()
            outers.update(step.outers)
            return self._apart(step)

        plan = recursion(base, step_over, self.statement.fresh(self.name), distinct=bool(query.args.get("distinct")))
        found = [column(plan.schema, f.name) for f in plan.schema]
        return Bound(plan, tuple(zip(visible, found, strict=True)), outers)

    def _apart(self, bound: Bound) -> Plan:
        """The columns of a query by position, also where it gives one twice."""
        exprs: dict[str, Scalar] = {}
        for _, value in bound.columns:
            exprs[value.name if value.name not in exprs else self.statement.fresh(value.name)] = value
        if all([name == value.name for name, value in exprs.items() if isinstance(value, Column)]):
            return choose(bound.plan, list(exprs))
        return Project(bound.plan, tuple(exprs.items()))


def with_ctes(statement: Statement, tree: exp.With, parent: Scope | None, ctes: Mapping[str, Cte]) -> Mapping[str, Cte]:
    """The names that a WITH adds to those around it."""
    statement.only(tree, "expressions", "recursive")
    found = dict(ctes)
    seen: set[str] = set()
    for each in tree.expressions:
        folded = each.alias.casefold()
        if folded in seen:
            raise InvalidArgumentError(
                f"WITH names two queries {each.alias!r}", site=SqlSite(statement.text, each.args["alias"])
            )
        seen.add(folded)
        recursive = bool(tree.args.get("recursive"))
        # A query sees those before it, and itself where it may be recursive.
        visible = dict(found)
        cte = Cte(statement, each, parent, visible, recursive, statement.uses(folded))
        if recursive:
            visible[folded] = cte
        found[folded] = cte
        # One after the other, so that a long chain of them nests nothing; those that nobody reads are checked too.
        cte.bound()
    return found


def named(columns: tuple[tuple[str, Column], ...], names: list[str], table: str) -> tuple[tuple[str, Column], ...]:
    """The columns under the names that an alias gives them, first ones first.

    Raises:
        InvalidArgumentError: where there are more names than columns.
    """
    if len(names) > len(columns):
        raise InvalidArgumentError(f"{table!r} has {len(columns)} columns, but {len(names)} names are given")
    return tuple([(names[i] if i < len(names) else old, value) for i, (old, value) in enumerate(columns)])


__all__ = ["Cte", "named", "with_ctes"]
