"""A subquery computed for a whole set of outer values at once.

The domain D is a relation of the different outer values. `for_each` gives, for a subquery T, the rows d + t for all d of D
and all rows t of T with the outer values d: D is pushed down through the operators of T until it meets a part of T that does
not depend on it, where it is a cross product. After Neumann and Kemper, "Unnesting arbitrary queries", BTW 2015.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lazyframe.planner.bind import call
from lazyframe.planner.build.joins import null_safe_keys, unordered_join
from lazyframe.planner.build.windows import window_call
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.graph import replace
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Distinct,
    Explode,
    Filter,
    HorizontalConcat,
    Join,
    Limit,
    Plan,
    Project,
    Recursion,
    RecursionInput,
    RowIndex,
    SetOperation,
    Shared,
    Sort,
    TopK,
    Union,
    Unpivot,
    Values,
    Window,
)
from lazyframe.planner.relations.project import choose, column
from lazyframe.planner.relations.recursion import recursion_names
from lazyframe.planner.scalars import AggregateCall, Column, Scalar, WindowCall
from lazyframe.planner.schema import Fresh
from lazyframe.planner.sql.outer import depends, free_names, given
from lazyframe.planner.sql.unnesting.numbered import first_of_each
from lazyframe.planner.zero import zero


class Reached(NamedTuple):
    """A part of a subquery with the domain pushed into it: its columns and those of the domain, by the outer value."""

    plan: Plan
    domain: Mapping[str, str]

    def value(self, name: str) -> Column:
        return column(self.plan.schema, self.domain[name])

    def values(self) -> dict[str, Scalar]:
        """What stands for each outer value over this plan."""
        return {name: self.value(name) for name in self.domain}

    def columns(self) -> list[Column]:
        return [self.value(name) for name in self.domain]

    def named(self) -> list[tuple[str, Column]]:
        """The columns of the domain with their names, to be kept by what is computed over this plan."""
        return [(column.name, column) for column in self.columns()]


def for_each(plan: Plan, domain: Reached, fresh: Fresh) -> Reached:
    """The rows of the subquery `plan` for each row of the domain."""
    return _Pushing(domain, fresh).pushed(plan)


class _Pushing:
    def __init__(self, domain: Reached, fresh: Fresh) -> None:
        self.domain = domain
        self.fresh = fresh
        self.names = frozenset(domain.domain)
        self.done: dict[int, tuple[Plan, Reached]] = {}
        self.rounds: dict[str, Reached] = {}
        """The rows of a round, of the recursions that the domain is being pushed into."""

    def pushed(self, plan: Plan) -> Reached:
        """As `for_each`; a part that several others read stays one."""
        known = self.done.get(id(plan))
        if known is None:
            known = self.done[id(plan)] = (plan, self._pushed(plan))
        return known[1]

    def depends(self, plan: Plan) -> bool:
        return not free_names(plan).isdisjoint(self.names) or not self.rounds.keys().isdisjoint(recursion_names(plan))

    def _domain(self) -> Reached:
        """The domain under names of its own: it may meet itself in a join."""
        names = {name: self.fresh(old) for name, old in self.domain.domain.items()}
        exprs = tuple([(names[n], self.domain.value(n)) for n in names])
        return Reached(Project(self.domain.plan, exprs), names)

    def _pushed(self, plan: Plan) -> Reached:
        if not self.depends(plan):
            domain = self._domain()
            if isinstance(plan, Values) and not plan.columns and plan.count == 1:
                return domain
            return Reached(unordered_join(domain.plan, plan, "cross"), domain.domain)
        match plan:
            case Filter():
                inner = self.pushed(plan.input)
                return inner._replace(plan=Filter(inner.plan, given(plan.predicate, inner.values())))
            case Project():
                inner = self.pushed(plan.input)
                exprs = [(name, given(scalar, inner.values())) for name, scalar in plan.exprs]
                return inner._replace(plan=Project(inner.plan, (*exprs, *inner.named())))
            case Aggregate():
                return self._aggregate(plan)
            case Distinct():
                inner = self.pushed(plan.input)
                return inner._replace(plan=Distinct(inner.plan, (*plan.subset, *inner.domain.values()), plan.keep))
            case Sort():
                inner = self.pushed(plan.input)
                keys = tuple([given(key, inner.values()) for key in plan.keys])
                return inner._replace(plan=Sort(inner.plan, keys))
            case Limit() | TopK():
                inner = self.pushed(plan.input)
                order = [] if isinstance(plan, Limit) else [given(key, inner.values()) for key in plan.keys]
                first = first_of_each(inner.plan, inner.columns(), order, plan.count, plan.offset, self.fresh)
                return inner._replace(plan=first)
            case Window():
                return self._window(plan)
            case RowIndex():
                inner = self.pushed(plan.input)
                number = window_call("row_number", [], inner.columns())
                numbered = Window(inner.plan, ((plan.name, number),))
                if plan.start == 1:
                    return inner._replace(plan=numbered)
                exprs = [(f.name, column(numbered.schema, f.name)) for f in numbered.schema if f.name != plan.name]
                value = call("add", column(numbered.schema, plan.name), literal(plan.start - 1))
                return inner._replace(plan=Project(numbered, ((plan.name, value), *exprs)))
            case Explode():
                inner = self.pushed(plan.input)
                return inner._replace(plan=replace(plan, input=inner.plan))
            case Unpivot():
                inner = self.pushed(plan.input)
                index = (*plan.index, *inner.domain.values())
                return inner._replace(plan=replace(plan, input=inner.plan, index=index))
            case Shared():
                inner = self.pushed(plan.input)
                return inner._replace(plan=Shared(inner.plan))
            case Join():
                return self._join(plan)
            case AsofJoin():
                return self._asof_join(plan)
            case Recursion():
                return self._recursion(plan)
            case RecursionInput():
                return self.rounds[plan.name]
            case Union():
                return self._union(plan)
            case SetOperation():
                left, right = self._aligned([plan.left, plan.right])
                made = SetOperation(left.plan, right.plan, plan.kind, plan.keep_duplicates)
                return Reached(made, left.domain)
        what = "positional join" if isinstance(plan, HorizontalConcat) else type(plan).__name__.lower()
        raise UnsupportedError(f"a {what} that depends on the query around it is not supported", site=plan.site)

    def _aggregate(self, plan: Aggregate) -> Reached:
        inner = self.pushed(plan.input)
        keys = [(name, given(key, inner.values())) for name, key in plan.keys]
        aggregates = tuple([(name, given(a, inner.values())) for name, a in plan.aggregates])
        made = Reached(Aggregate(inner.plan, (*keys, *inner.named()), aggregates), inner.domain)
        if plan.keys:
            return made
        # Outer values without rows have a group too: counts are 0 there, all else is null.
        every = self._domain()
        whole = self._matched(every, made, "left")
        exprs: list[tuple[str, Scalar]] = []
        for name, aggregate in plan.aggregates:
            assert isinstance(aggregate, AggregateCall)
            value: Scalar = column(whole.schema, name)
            if not aggregate.definition.empty_is_null:
                value = call("coalesce", value, literal(0))
            exprs.append((name, value))
        reached = Reached(whole, every.domain)
        return reached._replace(plan=Project(whole, (*exprs, *reached.named())))

    def _window(self, plan: Window) -> Reached:
        inner = self.pushed(plan.input)
        calls: list[tuple[str, Scalar]] = []
        for name, written in plan.calls:
            made = given(written, inner.values())
            assert isinstance(made, WindowCall)
            calls.append((name, replace(made, partition=(*made.partition, *inner.columns()))))
        return inner._replace(plan=Window(inner.plan, tuple(calls)))

    def _matched(self, left: Reached, right: Reached, kind: str, join: Join | None = None) -> Plan:
        """The two sides joined where they are of the same outer values, and as `join` has it."""
        pairs = [pair for name in left.domain for pair in null_safe_keys(left.value(name), right.value(name))]
        condition, mark = None, ""
        if join is not None:
            values = left.values()
            pairs += [
                (given(a, values), given(b, right.values()))
                for a, b in zip(join.left_keys, join.right_keys, strict=True)
            ]
            condition = None if join.condition is None else given(join.condition, values)
            mark = join.mark
        return unordered_join(left.plan, right.plan, kind, pairs, condition, mark=mark)

    def _join(self, plan: Join) -> Reached:
        if plan.validate != "m:m" or plan.nulls_equal:
            raise UnsupportedError("a join of that kind cannot depend on the query around it", site=plan.site)
        left_depends, right_depends = self.depends(plan.left), self.depends(plan.right)
        kind = "inner" if plan.kind == "cross" else plan.kind
        filling_left = kind in ("right", "full")
        if not right_depends and not filling_left:
            # The left side brings the domain along.
            left = self.pushed(plan.left)
            return left._replace(plan=self._with_sides(plan, left, Reached(plan.right, {}), left.values()))
        if not left_depends and kind in ("inner", "right"):
            right = self.pushed(plan.right)
            return right._replace(plan=self._with_sides(plan, Reached(plan.left, {}), right, right.values()))
        left = self.pushed(plan.left)
        right = self._under_other_names(self.pushed(plan.right), left)
        joined = self._matched(left, right, kind, plan)
        if kind in ("semi", "anti", "mark", "inner", "left", "single"):
            return left._replace(plan=self._without(joined, right) if kind in ("inner", "left", "single") else joined)
        if kind == "right":
            return right._replace(plan=self._without(joined, left))
        merged = {name: self.fresh(left.domain[name]) for name in left.domain}
        schema = joined.schema
        both = []
        for name, new in merged.items():
            sides = [column(schema, side.domain[name]) for side in (left, right)]
            field = left.plan.schema.field(left.domain[name])
            # One of the two is there: where outer values are never null, what is made of them counts on that.
            both.append((new, call("coalesce", *sides, *([] if field.nullable else [zero(field.dtype)]))))
        hidden = {*left.domain.values(), *right.domain.values()}
        kept = [(f.name, column(schema, f.name)) for f in schema if f.name not in hidden]
        return Reached(Project(joined, (*kept, *both)), merged)

    def _asof_join(self, plan: AsofJoin) -> Reached:
        left = self.pushed(plan.left)
        pairs = list(zip(plan.left_by, plan.right_by, strict=True))
        if self.depends(plan.right) or depends([plan.right_on, *plan.right_by], self.names):
            right = self._under_other_names(self.pushed(plan.right), left)
            pairs += [pair for name in left.domain for pair in null_safe_keys(left.value(name), right.value(name))]
        else:
            right = Reached(plan.right, {})
        values, others = left.values(), right.values()
        joined = replace(
            plan,
            left=left.plan,
            right=right.plan,
            left_on=given(plan.left_on, values),
            right_on=given(plan.right_on, others),
            left_by=tuple([given(a, values) for a, _ in pairs]),
            right_by=tuple([given(b, others) for _, b in pairs]),
        )
        return left._replace(plan=self._without(joined, right))

    def _under_other_names(self, side: Reached, other: Reached) -> Reached:
        """A side whose columns of the domain have names that the other has not: both do where they read one shared part."""
        taken = set(other.plan.schema.names)
        if taken.isdisjoint(side.domain.values()):
            return side
        domain = {name: self.fresh(known) for name, known in side.domain.items()}
        hidden = set(side.domain.values())
        schema = side.plan.schema
        exprs = [(f.name, column(schema, f.name)) for f in schema if f.name not in hidden]
        exprs += [(domain[name], side.value(name)) for name in domain]
        return Reached(Project(side.plan, tuple(exprs)), domain)

    def _with_sides(self, plan: Join, left: Reached, right: Reached, values: Mapping[str, Scalar]) -> Plan:
        """The join over other sides of which one has the domain."""
        condition = None if plan.condition is None else given(plan.condition, values)
        left_keys, right_keys = [], []
        for a, b in zip(plan.left_keys, plan.right_keys, strict=True):
            x, y = given(a, values), given(b, values)
            if x.columns <= set(left.plan.schema.names) and y.columns <= set(right.plan.schema.names):
                left_keys.append(x)
                right_keys.append(y)
            else:
                part = call("equal", x, y)
                condition = part if condition is None else call("and", condition, part)
        kind = "inner" if plan.kind == "cross" and condition is not None else plan.kind
        return replace(
            plan,
            left=left.plan,
            right=right.plan,
            kind=kind,
            left_keys=tuple(left_keys),
            right_keys=tuple(right_keys),
            condition=condition,
        )

    def _without(self, plan: Plan, side: Reached) -> Plan:
        hidden = set(side.domain.values())
        return choose(plan, [name for name in plan.schema.names if name not in hidden])

    def _recursion(self, plan: Recursion) -> Reached:
        """One recursion for all outer values: a row of a round comes with those it is of."""
        names = {outer: self.fresh(known) for outer, known in self.domain.domain.items()}
        base = self._with_domain(plan.base, names)
        domain, done = self.domain, self.done
        added = tuple([(name, domain.value(outer).dtype) for outer, name in names.items()])
        columns = tuple(zip(plan.schema.names, plan.schema.types, strict=True))
        rows = Reached(RecursionInput(plan.name, (*columns, *added)), names)
        # Outer values of which the last round has no rows have come to their end.
        left = Distinct(choose(rows.plan, list(names.values())), tuple(names.values()))
        self.rounds[plan.name] = rows
        self.domain, self.done = Reached(left, names), {}
        step = self._with_domain(plan.step, names)
        self.domain, self.done = domain, done
        del self.rounds[plan.name]
        return Reached(replace(plan, base=base, step=step), names)

    def _with_domain(self, plan: Plan, names: Mapping[str, str]) -> Plan:
        """The plan with the domain pushed into it, whose columns come last, by names that are given."""
        part = self.pushed(plan)
        exprs: list[tuple[str, Scalar]] = [(name, column(part.plan.schema, name)) for name in plan.schema.names]
        exprs += [(names[outer], part.value(outer)) for outer in names]
        return Project(part.plan, tuple(exprs))

    def _union(self, plan: Union) -> Reached:
        parts = self._aligned(plan.inputs)
        return Reached(Union(tuple([part.plan for part in parts])), parts[0].domain)

    def _aligned(self, plans: Sequence[Plan]) -> list[Reached]:
        """Several parts with the domain's columns under the same names, at the same places."""
        names = {name: self.fresh(old) for name, old in self.domain.domain.items()}
        return [Reached(self._with_domain(plan, names), names) for plan in plans]


__all__ = ["Reached", "for_each"]
