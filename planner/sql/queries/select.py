"""SELECT: its clauses, in the order in which they mean something."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext

from sqlglot import exp

from lazyframe.planner.bind import sort_key
from lazyframe.planner.build.windows import with_windows
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Distinct, Filter, Plan, Project, Sort
from lazyframe.planner.relations.project import choose, column
from lazyframe.planner.scalars import (
    Column,
    Scalar,
    SortKey,
    WindowCall,
    conjunction,
    conjuncts,
    is_volatile,
    structure,
)
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.expressions.conditions import filter_conditions
from lazyframe.planner.sql.names.scope import Scope
from lazyframe.planner.sql.names.stars import Item, items
from lazyframe.planner.sql.outer import has_subquery
from lazyframe.planner.sql.queries.from_clause import FromClause
from lazyframe.planner.sql.queries.grouping import Keys, bound_keys, grouped
from lazyframe.planner.sql.queries.ordering import bounds, limited
from lazyframe.planner.sql.queries.query import Bound, output
from lazyframe.planner.sql.queries.sampling import sampled
from lazyframe.planner.sql.queries.unnest import exploded, fields_of, has_unnest
from lazyframe.planner.sql.queries.with_clause import Cte
from lazyframe.planner.sql.reading.positions import SqlSite
from lazyframe.planner.sql.statement import Statement
from lazyframe.planner.sql.unnesting import filtered_by, placed

_CLAUSES = (
    "with_", "expressions", "from_", "joins", "laterals", "where", "group", "having", "qualify", "windows", "distinct",
    "order", "limit", "offset", "sample",
)  # fmt: skip


def bound_select(statement: Statement, tree: exp.Select, parent: Scope | None, ctes: Mapping[str, Cte]) -> Bound:
    """A SELECT, over the queries that WITH named before it."""
    statement.only(tree, *_CLAUSES)
    from_clause = FromClause(statement, parent, ctes)
    plan, scope = from_clause.bound(tree)
    if sample := tree.args.get("sample"):
        plan = sampled(statement, plan, sample)
    plan, columns = _Select(statement, tree, scope).bound(plan)
    return output(plan, columns, from_clause.outers)


class _Select:
    def __init__(self, statement: Statement, tree: exp.Select, scope: Scope) -> None:
        self.statement = statement
        self.tree = tree
        self.scope = scope
        self.fresh = statement.fresh
        self.items = list(items(statement, scope, tree.expressions))
        if not self.items:
            raise InvalidArgumentError("SELECT gives no columns", site=SqlSite(statement.text, tree))
        self.aliases: dict[str, exp.Expr] = {}
        for item in self.items:
            if item.name is not None and item.value is None:
                self.aliases.setdefault(item.name.casefold(), item.tree)
        self.windows = {w.this.name.casefold(): w for w in tree.args.get("windows") or []}

    def expressions(self, clause: str, *, aggregates: bool = False, windows: bool = False) -> Expressions:
        return Expressions(
            self.statement,
            self.scope,
            clause,
            aggregates=aggregates,
            windows=self.windows if windows else None,
            aliases=self.aliases,
        )

    def bound(self, plan: Plan) -> tuple[Plan, tuple[tuple[str, Column], ...]]:
        if where := self.tree.args.get("where"):
            plan = filtered_by(plan, filter_conditions(self.expressions("WHERE"), where.this, "WHERE"), self.fresh)
        values = self._values()
        count = len(values)
        having = self._conditions("having", aggregates=True)
        qualify = self._conditions("qualify", aggregates=True, windows=True)
        order = self._order(values)
        distinct_on = self._distinct_on(values)
        scalars = [*values, *having, *qualify, *order, *distinct_on]
        plan, scalars = self._grouped(plan, scalars, having=bool(having) or self.tree.args.get("having") is not None)
        # HAVING leaves groups out before anything is computed for them.
        after = count + len(having)
        having = scalars[count:after]
        if having:
            plan = filtered_by(plan, having, self.fresh)
        rest = [*scalars[:count], *scalars[after:]]
        plan, rest = placed(plan, rest, self.fresh) if any([has_subquery(s) for s in rest]) else (plan, rest)
        unordered = not order and self.tree.args.get("distinct") is None
        window = _last_window(rest[:count]) if unordered else None
        plan, rest = with_windows(plan, rest, self.fresh)
        values, rest = rest[:count], rest[count:]
        qualify, rest = rest[: len(qualify)], rest[len(qualify) :]
        order, distinct_on = rest[: len(order)], rest[len(order) :]
        predicate = conjunction(qualify)
        if predicate is not None:
            plan = Filter(plan, predicate)
        if any([has_unnest(value) for value in values]):
            plan, values, order = self._exploded(plan, values, order)
        elif window is not None and self._shows_order():
            plan = Sort(plan, window)
        return self._finished(plan, values, order, distinct_on)

    # The parts.

    def _values(self) -> list[Scalar]:
        e = self.expressions("SELECT", aggregates=True, windows=True)
        found: list[Scalar] = []
        written: list[Item] = []
        for item in self.items:
            if item.value is not None:
                found.append(item.value)
                written.append(item)
                continue
            with e.defining(item.name) if item.name is not None else nullcontext():
                fields = fields_of(e, item.tree)
                if fields is None:
                    found.append(e.bind(item.tree))
                    written.append(item)
                else:
                    found += [value for _, value in fields]
                    written += [Item(name, item.tree, value) for name, value in fields]
        self.items = written
        return found

    def _conditions(self, clause: str, *, aggregates: bool = False, windows: bool = False) -> list[Scalar]:
        tree = self.tree.args.get(clause)
        if tree is None:
            return []
        e = self.expressions(clause.upper(), aggregates=aggregates, windows=windows)
        if windows:
            return conjuncts(e.predicate(tree.this, clause.upper()))
        return filter_conditions(e, tree.this, clause.upper())

    def _by_place(self, tree: exp.Expr, clause: str, count: int) -> int | None:
        """The column of the SELECT list that a whole number in ORDER BY or GROUP BY means, counted from 0."""
        tree = tree.unnest()
        if not isinstance(tree, exp.Literal) or tree.is_string or not tree.this.isdigit():
            return None
        place = int(tree.this)
        if not 1 <= place <= count:
            raise InvalidArgumentError(
                f"{clause} {place}: there are {count} columns", site=SqlSite(self.statement.text, tree)
            )
        return place - 1

    def _by_alias(self, tree: exp.Expr) -> int | None:
        """The column of the SELECT list that has the name."""
        if not isinstance(tree, exp.Column) or len(tree.parts) != 1:
            return None
        folded = tree.name.casefold()
        aliased = [i for i, item in enumerate(self.items) if (item.name or "").casefold() == folded]
        if aliased:
            return aliased[0]
        named = [i for i, item in enumerate(self.items) if _plain_name(item).casefold() == folded]
        return named[0] if len(named) == 1 else None

    def _order(self, values: Sequence[Scalar]) -> list[Scalar]:
        clause = self.tree.args.get("order")
        if clause is None:
            return []
        self.statement.only(clause, "expressions")
        e = self.expressions("ORDER BY", aggregates=True, windows=True)
        keys: list[Scalar] = []
        for each in clause.expressions:
            self.statement.only(each, "this", "desc", "nulls_first")
            how = (bool(each.args.get("desc")), bool(each.args.get("nulls_first")))
            what = each.this
            if isinstance(what, exp.Var) and what.name.upper() == "ALL":
                keys += [sort_key(value, *how) for value in values]
                continue
            place = self._by_place(what, "ORDER BY", len(values))
            if place is None:
                place = self._by_alias(what)
            with self.statement.at(each):
                keys.append(sort_key(values[place] if place is not None else e.bind(what), *how))
        return keys

    def _distinct_on(self, values: Sequence[Scalar]) -> list[Scalar]:
        distinct = self.tree.args.get("distinct")
        if distinct is None or distinct.args.get("on") is None:
            return []
        on = distinct.args["on"]
        e = self.expressions("DISTINCT ON", aggregates=True, windows=True)
        found: list[Scalar] = []
        for each in on.expressions if isinstance(on, exp.Tuple) else [on]:
            place = self._by_place(each, "DISTINCT ON", len(values))
            place = self._by_alias(each) if place is None else place
            found.append(values[place] if place is not None else e.bind(each))
        return found

    def _grouped(self, plan: Plan, scalars: list[Scalar], *, having: bool) -> tuple[Plan, list[Scalar]]:
        group = self.tree.args.get("group")
        count = len(self.items)
        if group is None:
            if not having and not any([scalar.holds_aggregate for scalar in scalars]):
                return plan, scalars
            return grouped(plan, Keys([], None), scalars, self.fresh)
        e = self.expressions("GROUP BY")

        def bind(tree: exp.Expr) -> Scalar:
            place = self._by_place(tree, "GROUP BY", count)
            alone = isinstance(tree, exp.Column) and len(tree.parts) == 1
            if place is None and alone and self.scope.own_column(tree.name) is None:
                # The very value that is selected, not the like: it may be a subquery.
                place = self._by_alias(tree)
            if place is not None:
                key = scalars[place]
                if key.holds_aggregate or key.holds_window:
                    raise InvalidArgumentError(
                        "GROUP BY cannot group by what is computed from groups", site=SqlSite(self.statement.text, tree)
                    )
                return key
            return e.bind(tree)

        if any([has_unnest(scalar) for scalar in scalars]):
            # Rows are made of the items before they are grouped.
            keys = bound_keys(group, bind, [])
            if any([has_unnest(key) for key in keys.scalars]):
                plan, rest = exploded(plan, [*keys.scalars, *scalars], self.fresh)
                made = len(keys.scalars)
                return grouped(plan, Keys(rest[:made], keys.sets), rest[made:], self.fresh)
        automatic = [s for s in scalars[:count] if not s.holds_aggregate and not s.holds_window and s.columns]
        return grouped(plan, bound_keys(group, bind, list(dict.fromkeys(automatic))), scalars, self.fresh)

    def _shows_order(self) -> bool:
        """Whether the order of the rows can be seen: of a whole statement, or where some are cut off."""
        return self.statement.root is self.tree or bool(self.tree.args.get("limit"))

    def _exploded(
        self, plan: Plan, values: list[Scalar], order: list[Scalar]
    ) -> tuple[Plan, list[Scalar], list[Scalar]]:
        plan, found = exploded(plan, [*values, *order], self.fresh)
        return plan, found[: len(values)], found[len(values) :]

    # The end: DISTINCT, ORDER BY, LIMIT, and the columns.

    def _finished(
        self, plan: Plan, values: list[Scalar], order: list[Scalar], distinct_on: list[Scalar]
    ) -> tuple[Plan, tuple[tuple[str, Column], ...]]:
        wanted = bounds(self.statement, self.tree)
        distinct = self.tree.args.get("distinct")
        names = self._names()
        if distinct is None and self._sorts_below(plan, values, order):
            if order:
                plan = Sort(plan, tuple(order))
            plan = limited(plan, wanted, order, self.fresh)
            plan, outputs = self._projected(plan, values, names)
            return plan, outputs
        # Keys and outputs are computed once, and what follows knows them by name.
        keys = [key.arg for key in order if isinstance(key, SortKey)]
        if distinct is not None and not distinct_on:
            missing = [key for key in keys if key not in values]
            if missing:
                raise InvalidArgumentError(
                    "with SELECT DISTINCT, ORDER BY can only use what is selected", site=missing[0].site
                )
        plan, outputs = self._projected(plan, [*values, *keys, *distinct_on], names)
        visible, hidden = outputs[: len(values)], [value for _, value in outputs[len(values) :]]
        sort = [
            SortKey(value, key.descending, key.nulls_first)
            for value, key in zip(hidden, order, strict=False)
            if isinstance(key, SortKey)
        ]
        if distinct is not None and not distinct_on:
            plan = Distinct(plan, tuple(plan.schema.names))
        if sort:
            plan = Sort(plan, tuple(sort))
        if distinct_on:
            plan = Distinct(plan, tuple(dict.fromkeys(value.name for value in hidden[len(sort) :])))
        plan = limited(plan, wanted, list(sort), self.fresh)
        return choose(plan, dict.fromkeys(value.name for _, value in visible)), visible

    def _sorts_below(self, plan: Plan, values: list[Scalar], order: list[Scalar]) -> bool:
        """Whether the rows can be sorted and cut before the columns are computed: where keys are columns already, and no value
        changes when it is computed for fewer rows.
        """
        return all([isinstance(k, SortKey) and isinstance(k.arg, Column) for k in order]) and not any(
            [is_volatile(value) for value in values]
        )

    def _names(self) -> list[str]:
        """The names of the columns: aliases, names of columns, else the expression as it is written."""
        return [item.name if item.name is not None else self._name_of(item) for item in self.items]

    def _name_of(self, item: Item) -> str:
        tree = item.tree.unnest()
        if isinstance(tree, exp.Column):
            return self.scope.spelling(tree.name) if not tree.this.args.get("quoted") else tree.name
        if isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Select) and len(tree.this.expressions) == 1:
            # A value that is selected is called what the subquery calls it.
            inner = tree.this.expressions[0]
            if inner.alias_or_name:
                return inner.alias_or_name
        if isinstance(tree, exp.Dot):
            return tree.expression.name
        if isinstance(tree, (exp.Cast, exp.TryCast)) and isinstance(tree.this, exp.Column):
            return tree.this.name
        return self.statement.item_text(tree) or self.statement.written(tree)

    def _projected(
        self, plan: Plan, values: Sequence[Scalar], names: Sequence[str]
    ) -> tuple[Plan, tuple[tuple[str, Column], ...]]:
        """The values as columns; one that is given twice stands once. Behind the named ones come those without a name."""
        exprs: dict[str, Scalar] = {}
        by_value: dict[Hashable, str] = {}
        has_keys = len(values) > len(names)
        found: list[tuple[str, str]] = []
        for index, value in enumerate(values):
            visible = names[index] if index < len(names) else "key"
            # What is computed is compared with what else is only where keys may be among them.
            same = structure(value) if has_keys or isinstance(value, Column) else None
            known = None if same is None else by_value.get(same)
            # Two calls of random() in the list are two numbers, but the key of ORDER BY is the value of the list.
            if known is not None and (index >= len(names) or not is_volatile(value)):
                found.append((visible, known))
                continue
            if isinstance(value, Column) and value.name not in exprs:
                name = value.name
            else:
                name = self.fresh(visible)
            exprs[name] = value
            if same is not None:
                by_value[same] = name
            found.append((visible, name))
        below = Project(plan, tuple(exprs.items()))
        return below, tuple([(visible, column(below.schema, name)) for visible, name in found])


def _last_window(values: Sequence[Scalar]) -> tuple[Scalar, ...] | None:
    """The order of the last window function, by which the rows come where no order is asked for: as they do in the engines
    that leave them as that function had sorted them.
    """
    for value in reversed(values):
        for part in postorder(value):
            if isinstance(part, WindowCall) and part.order:
                if any([key.holds_window for key in (*part.partition, *part.order)]):
                    return None
                return (*[sort_key(key) for key in part.partition], *part.order)
    return None


def _plain_name(item: Item) -> str:
    """The name of an item that has an alias, or is a column."""
    if item.name is not None:
        return item.name
    return item.tree.name if isinstance(item.tree, exp.Column) else ""


__all__ = ["bound_select"]
