"""Conditions on outer values, moved from within a subquery to its top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from lazyframe.planner.folding import folded
from lazyframe.planner.functions.definition import cast_is_total
from lazyframe.planner.graph import postorder, replace
from lazyframe.planner.relations import (
    Aggregate,
    Distinct,
    Explode,
    Filter,
    Join,
    Limit,
    Plan,
    Project,
    Sort,
    TopK,
    Window,
)
from lazyframe.planner.relations.project import column, columns
from lazyframe.planner.scalars import (
    AggregateCall,
    Call,
    Cast,
    Column,
    Scalar,
    WindowCall,
    conjunction,
    conjuncts,
    is_volatile,
    null_of,
    substitute,
)
from lazyframe.planner.schema import Fresh
from lazyframe.planner.sql.outer import depends, free_names, outers_of
from lazyframe.planner.sql.unnesting.numbered import first_of_each
from lazyframe.planner.types import INT64, common_type


class Pulled(NamedTuple):
    """A subquery without outer values, and the conditions on them under which its rows are those of the subquery.

    Args:
        plan: the rows for all values of the inner side, with what the conditions need among its columns.
        conditions: over the columns of `plan` and outer values.
        defaults: where the subquery has a row even if nothing meets the conditions (an aggregate without keys): the values of
            its columns in that row. None where it has no row then.
        values: of the columns that depend on outer values, over the columns of `plan` and outer values: `plan` has nulls in
            their place, and who reads such a column reads its value. There are some only where just the existence of rows
            matters.
    """

    plan: Plan
    conditions: tuple[Scalar, ...] = ()
    defaults: Mapping[str, Scalar] | None = None
    values: Mapping[str, Scalar] = MappingProxyType({})

    def read(self, scalar: Scalar) -> Scalar:
        """An expression over the columns of the subquery, over those of `plan` and outer values."""
        return substitute(scalar, self.values) if not scalar.columns.isdisjoint(self.values) else scalar


def pulled_up(plan: Plan, names: frozenset[str], fresh: Fresh, *, exists: bool) -> Pulled | None:
    """The subquery with the conditions on its outer values `names` at its top; None where they stand elsewhere.

    Args:
        plan: the subquery.
        names: the outer values that are to be given.
        fresh: makes names for columns.
        exists: whether it only matters if there are rows, not which, nor how many.
    """
    return _pulled(plan, _Pulling(names, fresh), exists)


class _Pulling(NamedTuple):
    names: frozenset[str]
    fresh: Fresh

    def depends(self, scalars: Iterable[Scalar]) -> bool:
        return depends(scalars, self.names)


def _pulled(plan: Plan, pulling: _Pulling, exists: bool) -> Pulled | None:
    if free_names(plan).isdisjoint(pulling.names):
        return Pulled(plan)
    match plan:
        case Filter():
            return _filter(plan, pulling, exists)
        case Project():
            return _project(plan, pulling, exists)
        case Join():
            return _join(plan, pulling, exists)
        case Aggregate():
            return _aggregate(plan, pulling)
        case Distinct():
            return _distinct(plan, pulling, exists)
        case Sort() | TopK() | Limit():
            return _ordered(plan, pulling, exists)
        case Window():
            return _window(plan, pulling)
        case Explode():
            inner = _pulled(plan.input, pulling, False)
            if inner is None or inner.defaults is not None:
                return None
            if any(not part.columns.isdisjoint(plan.columns) for part in inner.conditions):
                return None
            return inner._replace(plan=replace(plan, input=inner.plan))
    return None


def _filter(plan: Filter, pulling: _Pulling, exists: bool) -> Pulled | None:
    inner = _pulled(plan.input, pulling, exists)
    if inner is None or inner.defaults is not None:
        return None
    own, moved = [], []
    for part in conjuncts(inner.read(plan.predicate)):
        if not pulling.depends([part]):
            own.append(part)
        elif is_volatile(part):
            return None
        else:
            moved.append(part)
    predicate = conjunction(own)
    below = inner.plan if predicate is None else Filter(inner.plan, predicate)
    return Pulled(below, (*inner.conditions, *moved), None, inner.values)


def _project(plan: Project, pulling: _Pulling, exists: bool) -> Pulled | None:
    inner = _pulled(plan.input, pulling, exists)
    if inner is None:
        return None
    exprs = [(name, inner.read(scalar)) for name, scalar in plan.exprs]
    dependent = {name: scalar for name, scalar in exprs if pulling.depends([scalar])}
    if dependent:
        # Whether there are rows does not depend on what is computed for them; what reads it above computes it there.
        if not exists or any(is_volatile(s) for s in dependent.values()):
            return None
        exprs = [(name, null_of(s.dtype) if name in dependent else s) for name, s in exprs]
    if inner.defaults is not None and any(is_volatile(s) for _, s in exprs):
        return None
    needed = [*inner.conditions, *dependent.values()]
    carried, moved = _carried(inner.plan, needed, dict(exprs), pulling.fresh)
    conditions, values = moved[: len(inner.conditions)], moved[len(inner.conditions) :]
    defaults = None
    if inner.defaults is not None:
        if _may_fail(plan.scalars()):
            return None
        defaults = {name: folded(substitute(scalar, inner.defaults)) for name, scalar in plan.exprs}
    made = Project(inner.plan, (*exprs, *carried))
    return Pulled(made, conditions, defaults, dict(zip(dependent, values, strict=True)))


def _carried(
    plan: Plan, needed: Sequence[Scalar], outputs: Mapping[str, Scalar], fresh: Fresh
) -> tuple[list[tuple[str, Scalar]], tuple[Scalar, ...]]:
    """The columns that expressions over a plan need beside some outputs, and the expressions by the names these then have."""
    names: dict[str, str] = {}
    carried: list[tuple[str, Scalar]] = []
    for part in needed:
        for name in sorted(part.columns):
            if name in names:
                continue
            value = column(plan.schema, name)
            known = next((n for n, s in outputs.items() if isinstance(s, Column) and s.name == name), None)
            if known is None:
                known = fresh(name) if name in outputs else name
                carried.append((known, value))
            names[name] = known
    bindings: dict[str, Scalar] = {}
    for old, new in names.items():
        value = column(plan.schema, old)
        bindings[old] = Column(new, value.dtype, value.nullable)
    return carried, tuple([substitute(part, bindings) for part in needed])


def _join(plan: Join, pulling: _Pulling, exists: bool) -> Pulled | None:
    right_depends = not free_names(plan.right).isdisjoint(pulling.names)
    paired = plan.kind in ("inner", "cross")
    if not paired and (pulling.depends(plan.scalars()) or right_depends or plan.kind in ("right", "full")):
        return None
    # Only whether there are rows matters below as well, where a pair of rows is a row.
    left = _pulled(plan.left, pulling, exists and paired)
    right = _pulled(plan.right, pulling, exists) if right_depends else Pulled(plan.right)
    if left is None or right is None or left.defaults is not None or right.defaults is not None:
        return None
    both = Pulled(plan, (*left.conditions, *right.conditions), None, {**left.values, **right.values})
    keys = [(both.read(a), both.read(b)) for a, b in zip(plan.left_keys, plan.right_keys, strict=True)]
    parts = [] if plan.condition is None else conjuncts(both.read(plan.condition))
    moved: list[Scalar] = [Call("equal", pair) for pair in keys if pulling.depends(pair)]
    moved += [part for part in parts if pulling.depends([part])]
    changes: dict[str, object] = {"left": left.plan, "right": right.plan}
    if moved:
        if plan.nulls_equal or plan.validate != "m:m" or any(is_volatile(part) for part in moved):
            return None
        keys = [pair for pair in keys if not pulling.depends(pair)]
        rest = [part for part in parts if not pulling.depends([part])]
        changes |= {
            "left_keys": tuple([a for a, _ in keys]),
            "right_keys": tuple([b for _, b in keys]),
            "condition": conjunction(rest),
        }
        if not keys and not rest:
            changes["kind"] = "cross"
    return both._replace(plan=replace(plan, **changes), conditions=(*both.conditions, *moved))


def _equalities(inner: Pulled, pulling: _Pulling) -> list[tuple[Scalar, Scalar]] | None:
    """Each condition as an inner value that equals an outer one; None where one is something else."""
    found: list[tuple[Scalar, Scalar]] = []
    for part in inner.conditions:
        match part:
            case Call(function="equal", args=(a, b)):
                if outers_of(a) and not outers_of(b):
                    a, b = b, a
                common = common_type(a.dtype, b.dtype)
                exact = common is not None and cast_is_total(a.dtype, common) and cast_is_total(b.dtype, common)
                if outers_of(a) or b.columns or not a.columns or not exact or is_volatile(a):
                    return None
                found.append((a, b))
            case _:
                return None
    return found


def _grouped(inner: Pulled, pulling: _Pulling) -> tuple[list[tuple[str, Scalar]], tuple[Scalar, ...]] | None:
    """The inner sides of the equalities as keys to group by, and the equalities by the names of these."""
    pairs = _equalities(inner, pulling)
    if pairs is None:
        return None
    keys: dict[Scalar, str] = {}
    conditions: list[Scalar] = []
    for a, b in pairs:
        name = keys.get(a)
        if name is None:
            name = keys[a] = pulling.fresh(a.name if isinstance(a, Column) else "key")
        conditions.append(Call("equal", (Column(name, a.dtype, a.nullable), b)))
    return [(name, scalar) for scalar, name in keys.items()], tuple(conditions)


def _aggregate(plan: Aggregate, pulling: _Pulling) -> Pulled | None:
    inner = _pulled(plan.input, pulling, False)
    if inner is None or inner.defaults is not None or pulling.depends(plan.scalars()):
        return None
    # Groups that no outer value asks for are computed too, which must not fail.
    grouped = None if _may_fail(plan.scalars()) else _grouped(inner, pulling)
    if grouped is None:
        return None
    keys, conditions = grouped
    made = Aggregate(inner.plan, (*plan.keys, *keys), plan.aggregates)
    defaults = None
    if not plan.keys:
        defaults = {name: _of_no_rows(a) for name, a in plan.aggregates if isinstance(a, AggregateCall)}
    return Pulled(made, conditions, defaults)


def _of_no_rows(aggregate: AggregateCall) -> Scalar:
    """The value of an aggregate over no rows."""
    if aggregate.definition.empty_is_null:
        return null_of(aggregate.dtype)
    from lazyframe.planner.literals import literal

    assert aggregate.dtype == INT64, f"{aggregate.function} counts"
    return literal(0)


_FAILING = frozenset({"floor_divide", "truncated_divide", "modulo", "truncated_modulo", "power", "chr"})


def _may_fail(scalars: Iterable[Scalar]) -> bool:
    """Whether evaluating the expressions for rows that nobody asked for may raise an error, other than by numbers that grow
    beyond all bounds.
    """
    for scalar in scalars:
        for part in postorder(scalar):
            match part:
                case Call(function="divide", args=args):
                    if not all(str(arg.dtype) in ("double", "float") for arg in args):
                        return True
                case Call(function="add" | "subtract" | "multiply" | "negate" | "abs"):
                    continue
                case Call():
                    if part.function in _FAILING or not part.definition.is_total(part.args):
                        return True
                case Cast():
                    if not part.lenient and not cast_is_total(part.arg.dtype, part.to):
                        return True
    return False


def _distinct(plan: Distinct, pulling: _Pulling, exists: bool) -> Pulled | None:
    exists = exists and plan.keep != "none"
    inner = _pulled(plan.input, pulling, exists)
    if inner is None or inner.defaults is not None:
        return None
    if exists:
        return inner
    grouped = _grouped(inner, pulling)
    if grouped is None:
        return None
    keys, conditions = grouped
    wider = _beside(inner.plan, keys)
    return Pulled(Distinct(wider, (*plan.subset, *[name for name, _ in keys]), plan.keep), conditions)


def _beside(plan: Plan, more: list[tuple[str, Scalar]]) -> Plan:
    return Project(plan, (*columns(plan), *more))


def _ordered(plan: Sort | TopK | Limit, pulling: _Pulling, exists: bool) -> Pulled | None:
    if exists and (isinstance(plan, Sort) or (plan.offset == 0 and (plan.count is None or plan.count > 0))):
        # Of some rows, in whatever order, at least one is left.
        inner = _pulled(plan.input, pulling, True)
        return inner if inner is None or inner.defaults is None or isinstance(plan, Sort) else None
    keys = () if isinstance(plan, Limit) else plan.keys
    if pulling.depends(keys):
        return None
    inner = _pulled(plan.input, pulling, False)
    if inner is None or inner.defaults is not None:
        return inner if inner is not None and isinstance(plan, Sort) else None
    if isinstance(plan, Sort):
        return inner._replace(plan=Sort(inner.plan, plan.keys))
    grouped = _grouped(inner, pulling)
    if grouped is None:
        return None
    named, conditions = grouped
    wider = _beside(inner.plan, named)
    partition = [Column(name, scalar.dtype, scalar.nullable) for name, scalar in named]
    return Pulled(first_of_each(wider, partition, keys, plan.count, plan.offset, pulling.fresh), conditions)


def _window(plan: Window, pulling: _Pulling) -> Pulled | None:
    inner = _pulled(plan.input, pulling, False)
    if inner is None or inner.defaults is not None or pulling.depends(plan.scalars()) or _may_fail(plan.scalars()):
        return None
    grouped = _grouped(inner, pulling)
    if grouped is None:
        return None
    named, conditions = grouped
    wider = _beside(inner.plan, named)
    more = tuple([Column(name, scalar.dtype, scalar.nullable) for name, scalar in named])
    calls: list[tuple[str, Scalar]] = []
    for name, call in plan.calls:
        assert isinstance(call, WindowCall)
        calls.append((name, replace(call, partition=(*call.partition, *more))))
    return Pulled(Window(wider, tuple(calls)), conditions)


__all__ = ["Fresh", "Pulled", "pulled_up"]
