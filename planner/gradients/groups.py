"""Aggregates, walked backwards: the key of a group finds its rows.

What reaches a group, from each row in which it was used, is summed by its keys, and reaches the rows of the group by a
null-safe join on them. What it is for a row follows from the aggregate:

| aggregate of e | a row gets of g |
|---|---|
| sum | g |
| mean | g / n |
| var, std | 2 g (e - mean) / (n - ddof), g (e - mean) / ((n - ddof) std) |
| cov(a, b) | for a: g (b - mean b) / (n - ddof) |
| corr(a, b) | for a: g ((b - mean b) / (std a std b) - corr (a - mean a) / var a) / (n - 1) |
| skew, kurtosis | see `moments.py` |
| product | g times the product of the others |
| min, max, quantiles | where e is it, an equal share of g; between two values both get their part |
| first, last, min_by, max_by | g in the row that was chosen |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lazyframe.planner.bind import aggregate_call, call
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.gradients.accumulation import accumulated
from lazyframe.planner.gradients.equals import OF_EQUALS, among_equals, known_values, shares_of_values
from lazyframe.planner.gradients.matching import matched
from lazyframe.planner.gradients.moments import OF_MOMENTS, known_moments, share_of_moments
from lazyframe.planner.gradients.segments import Builder, Cotangent, Inlet, Pulled, Segment
from lazyframe.planner.gradients.terms import ONE, Term, compared, is_real, kept, present, where
from lazyframe.planner.relations import Aggregate, Plan, Project, RowIndex, Shared
from lazyframe.planner.relations.project import column
from lazyframe.planner.relations.shared import holds_volatile
from lazyframe.planner.scalars import AggregateCall, Call, Column, Scalar, cast, conjunction
from lazyframe.planner.types import FLOAT64, is_nested

CHOOSING = frozenset({"first", "last", "min_by", "max_by"})
"""Aggregates whose value is that of one row."""

_RULES = CHOOSING | OF_EQUALS | OF_MOMENTS | {"sum", "mean", "var", "std", "cov", "corr", "product"}

Named = tuple[str, Scalar]


@dataclass
class Groups:
    """The groups of an aggregate, over what moves with a parameter.

    Args:
        below: the segment of the rows that are grouped.
        keys: what they are grouped by, over those rows.
        calls: the aggregates, by name, over those rows.
        moving: the names of those that move.
        helpers: for each that needs more than its value, the names of other aggregates of the same groups.
        plan: the groups, with the helpers.
        index: the number of a row, where an aggregate chooses one.
    """

    below: Segment
    keys: tuple[Named, ...]
    calls: dict[str, AggregateCall]
    moving: frozenset[str]
    helpers: dict[str, dict[str, str]]
    plan: Plan
    index: Scalar | None = None

    def pulled(self, cotangents: Sequence[Cotangent], builder: Builder) -> list[Pulled]:
        """What reaches the rows."""
        reached = [name for name in self.calls if any([name in each.of for each in cotangents])]
        if not reached:
            return []
        for name in reached:
            _check(self.calls[name])
        adjoints = {name: builder.fresh("adjoint") for name in reached}
        keys = [(builder.fresh(name), name) for name, _ in self.keys]
        groups = accumulated(cotangents, keys, [(new, name) for name, new in adjoints.items()])
        rows, stats = self._rows(groups, keys, builder)
        found = []
        outputs: list[tuple[Scalar, Scalar]] = []
        for name in reached:
            used = self.calls[name]
            g = column(rows.schema, adjoints[name])
            known = {what: column(rows.schema, stats[helper]) for what, helper in self.helpers[name].items()}
            if used.function in OF_EQUALS:
                by = [new for new, _ in keys]
                found += [
                    among_equals(used, rows, (Term(g) * share).scalar, value, by, builder)
                    for value, share in shares_of_values(used, known)
                ]
            else:
                outputs += _of_row(used, g, known, self.index)
        return [*found, Pulled(rows, outputs)] if outputs else found

    def _rows(self, groups: Plan, keys: Sequence[tuple[str, str]], builder: Builder) -> tuple[Plan, dict[str, str]]:
        """The rows of the groups that are reached, with what reaches them and what is known of the group."""
        wanted = sorted({helper for helpers in self.helpers.values() for helper in helpers.values()})
        stats = {helper: builder.fresh("known") for helper in wanted}
        if wanted:
            schema = self.plan.schema
            own = [(builder.fresh(name), column(schema, name)) for name, _ in self.keys]
            known = Project(self.plan, (*own, *[(stats[helper], column(schema, helper)) for helper in wanted]))
            groups = matched(
                groups,
                [column(groups.schema, new) for new, _ in keys],
                known,
                [column(known.schema, name) for name, _ in own],
            )
        right = [column(groups.schema, new) for new, _ in keys]
        return matched(self.below.rows, [key for _, key in self.keys], groups, right), stats


def grouped(builder: Builder, current: Aggregate, inner: Segment) -> Segment:
    """The segment of an aggregate: an inlet, where one of its values moves."""
    keys = tuple([(name, inner.over(key)) for name, key in current.keys])
    builder.note("a key of groups", [key for _, key in keys], inner)
    calls: dict[str, AggregateCall] = {}
    for name, scalar in current.aggregates:
        found = inner.over(scalar)
        assert isinstance(found, AggregateCall)
        calls[name] = found
        builder.note(
            "the filter or the order of an aggregate",
            [*([] if found.where is None else [found.where]), *found.order],
            inner,
        )
    groups = groups_of(builder, inner, keys, calls)
    names = {name: name for name in groups.plan.schema.names}
    values = {name: column(groups.plan.schema, name) for name in current.schema.names}
    if not groups.moving:
        return Segment(groups.plan, values)
    builder.sources.append(groups)
    return Segment(groups.plan, values, (Inlet(groups, names),))


def groups_of(builder: Builder, inner: Segment, keys: tuple[Named, ...], calls: dict[str, AggregateCall]) -> Groups:
    """The groups with all that walking back from them needs."""
    moving = frozenset([
        name
        for name, found in calls.items()
        if (is_real(found.dtype) or is_nested(found.dtype)) and any([builder.moves(arg, inner) for arg in found.args])
    ])  # fmt: skip
    for name, found in calls.items():
        if name not in moving:
            builder.note(f"{found.function}()", found.args, inner)
    if moving and holds_volatile(inner.rows):
        # What is drawn at random is the same on the way back.
        inner = inner._replace(rows=Shared(inner.rows))
    if any([calls[name].function in CHOOSING for name in moving]):
        number = builder.fresh("row")
        rows: Plan = Shared(RowIndex(inner.rows, number))
        inner = inner._replace(rows=rows)
        index: Scalar | None = column(rows.schema, number)
    else:
        index = None
    helpers: dict[str, dict[str, str]] = {}
    more: list[Named] = []
    for name in [name for name in calls if name in moving]:
        helpers[name] = {}
        for what, helper in _known_of(calls[name], index).items():
            fresh = name if helper is calls[name] else builder.fresh("known")
            helpers[name][what] = fresh
            if fresh != name:
                more.append((fresh, helper))
    plan: Plan = Aggregate(inner.rows, keys, (*calls.items(), *more))
    return Groups(inner, keys, calls, moving, helpers, Shared(plan) if moving else plan, index)


def _known_of(found: AggregateCall, index: Scalar | None) -> dict[str, Scalar]:
    """What must be known of a group before a row's share is."""
    only = _pairs(found)

    def of(function: str, arg: Scalar, **options: int) -> Scalar:
        return aggregate_call(function, [cast(arg, FLOAT64)], only, options=options)

    match found.function:
        case "mean":
            return {"n": aggregate_call("count", list(found.args), found.where)}
        case "var" | "std":
            return {"n": of("count", found.args[0]), "mean": of("mean", found.args[0]), "value": found}
        case "cov" | "corr":
            a, b = found.args
            known = {"n": of("count", a), "mean a": of("mean", a), "mean b": of("mean", b), "value": found}
            return known if found.function == "cov" else {**known, "var a": of("var", a), "var b": of("var", b)}
        case "product":
            zero = compared("equal", Term(found.args[0]), 0.0)
            rest = aggregate_call("product", found.args, _all([found.where, Call("not", (zero,))]))
            zeros = _all([found.where, zero])
            return {
                "zeros": aggregate_call("count", found.args, zeros),
                "of zeros": aggregate_call("sum", found.args, zeros),
                "rest": rest,
            }
        case "min" | "max" | "median" | "quantile":
            return known_values(found)
        case "skew" | "kurtosis":
            return known_moments(found, only)
        case function if function in CHOOSING:
            assert index is not None
            options = dict(found.options)
            only = found.where
            if options.get("ignore_nulls"):
                only = _all([only, Call("is_not_null", (found.args[0],))])
            chosen = aggregate_call(function, [index, *found.args[1:]], only, found.order, options=options)
            return {"row": chosen}
    return {}


def _of_row(
    found: AggregateCall, g: Scalar, known: dict[str, Column], index: Scalar | None
) -> list[tuple[Scalar, Scalar]]:
    """What reaches the arguments of an aggregate in a row, from what reaches its value."""
    g = kept(g, found.where) if found.where is not None else g
    values = [Term(arg) for arg in found.args]
    given, e = Term(g), values[0]
    k = {what: Term(of) for what, of in known.items() if what != "row"}
    ddof = float(dict(found.options).get("ddof", 1))
    match found.function:
        case "sum":
            share = given
        case "mean":
            share = given / k["n"]
        case "var":
            share = 2.0 * given * (e - k["mean"]) / (k["n"] - ddof)
        case "std":
            spread = (k["n"] - ddof) * k["value"]
            share = where(compared("equal", k["value"], 0.0), 0.0, given * (e - k["mean"]) / spread)
        case "cov" | "corr":
            return _of_pairs(found, given, values, k, ddof)
        case "product":
            share = _of_product(given, e, k)
        case "skew" | "kurtosis":
            share = share_of_moments(found, given, e, k)
        case function if function in CHOOSING:
            assert index is not None
            chosen = call("equal", index, known["row"])
            return [(found.args[0], kept(g, chosen))]
        case _:
            raise AssertionError(f"{found.function} has no rule")
    return [(found.args[0], present(found.args[0], share.scalar))]


def _of_product(g: Term, e: Term, k: dict[str, Term]) -> Term:
    """The product of the others, of which two with a zero give 0.

    The sum of the zeros is 0 as well, and stands there for what it changes by: with it the derivative of this is the second
    derivative.
    """
    rest = g * Term(call("coalesce", k["rest"].scalar, ONE))
    is_zero = compared("equal", e, 0.0)
    one = where(is_zero, rest, rest * k["of zeros"] / e)
    two = where(is_zero, rest * (k["of zeros"] - e), 0.0)
    several = where(compared("equal", k["zeros"], 1.0), one, where(compared("equal", k["zeros"], 2.0), two, 0.0))
    return where(compared("equal", k["zeros"], 0.0), rest / e, several)


def _of_pairs(
    found: AggregateCall, g: Term, values: Sequence[Term], k: dict[str, Term], ddof: float
) -> list[tuple[Scalar, Scalar]]:
    a, b = values
    da, db = a - k["mean a"], b - k["mean b"]
    if found.function == "cov":
        shares = [g * db / (k["n"] - ddof), g * da / (k["n"] - ddof)]
    else:
        spread = Term(call("sqrt", k["var a"].scalar)) * Term(call("sqrt", k["var b"].scalar))
        n = k["n"] - 1.0
        shares = [
            g * (db / spread - k["value"] * da / k["var a"]) / n,
            g * (da / spread - k["value"] * db / k["var b"]) / n,
        ]
    known = call("and", *[Call("is_not_null", (arg,)) for arg in found.args])
    return [(arg, kept(share.scalar, known)) for arg, share in zip(found.args, shares, strict=True)]


def _check(found: AggregateCall) -> None:
    """Raise UnsupportedError for an aggregate that has no rule."""
    if found.distinct and found.function not in ("min", "max"):
        raise UnsupportedError(
            f"the gradient cannot pass {found.function}() of distinct values: which of equal rows counts is not said",
            site=found.site,
        )
    if found.function not in _RULES:
        raise UnsupportedError(f"the gradient cannot pass here: {found.function}() has no derivative", site=found.site)


def _pairs(found: AggregateCall) -> Scalar | None:
    """The rows that an aggregate counts."""
    return _all([found.where, *[Call("is_not_null", (arg,)) for arg in found.args if arg.nullable]])


def _all(parts: Sequence[Scalar | None]) -> Scalar | None:
    """All conditions as one; None where there are none."""
    return conjunction([part for part in parts if part is not None])


__all__ = ["Groups", "grouped", "groups_of"]
