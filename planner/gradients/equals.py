"""Aggregates whose value is that of a row, whichever it is: extremes and quantiles. Rows of equal values share evenly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyframe.planner.bind import aggregate_call, call
from lazyframe.planner.gradients.matching import matched
from lazyframe.planner.gradients.segments import Builder, Pulled
from lazyframe.planner.gradients.terms import Number, Term, applied, term
from lazyframe.planner.relations import Aggregate, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Scalar

OF_EQUALS = frozenset({"min", "max", "median", "quantile"})

_BETWEEN = ("linear", "midpoint")


def known_values(found: AggregateCall) -> dict[str, Scalar]:
    """What must be known of a group: the values of which the aggregate is one, or lies between."""
    if not _is_between(found):
        return {"value": found}

    def quantile(interpolation: str) -> Scalar:
        return aggregate_call(
            "quantile", found.args, found.where, options={"q": _share(found), "interpolation": interpolation}
        )

    count = aggregate_call("count", found.args, found.where)
    return {"lower": quantile("lower"), "higher": quantile("higher"), "n": count}


def shares_of_values(found: AggregateCall, known: Mapping[str, Scalar]) -> list[tuple[Scalar, Number]]:
    """The values, each with its part in the aggregate."""
    if not _is_between(found):
        return [(known["value"], 1.0)]
    part: Number = 0.5
    if found.function == "median" or dict(found.options)["interpolation"] == "linear":
        place = _share(found) * (Term(known["n"]) - 1.0)
        part = place - applied("floor", place)
    return [(known["lower"], 1.0 - term(part)), (known["higher"], part)]


def _is_between(found: AggregateCall) -> bool:
    return found.function == "median" or dict(found.options).get("interpolation") in _BETWEEN


def _share(found: AggregateCall) -> float:
    return 0.5 if found.function == "median" else float(dict(found.options)["q"])


def among_equals(
    found: AggregateCall, rows: Plan, g: Scalar, value: Scalar, keys: Sequence[str], builder: Builder
) -> Pulled:
    """What reaches the rows whose value is the one of the group.

    Args:
        found: the aggregate.
        rows: with what reaches their group, and with what is known of it.
        g: what reaches it.
        value: the value.
        keys: the columns of the groups.
        builder: of the segments.
    """
    (arg,) = found.args
    equal = call("equal", arg, value)
    ties = filtered(rows, [equal] if found.where is None else [equal, found.where])
    names = [(builder.fresh("key"), column(ties.schema, key)) for key in keys]
    count = builder.fresh("ties")
    counted = Aggregate(ties, tuple(names), ((count, aggregate_call("len", [])),))
    shared = matched(
        ties,
        [column(ties.schema, key) for key in keys],
        counted,
        [column(counted.schema, name) for name, _ in names],
    )
    share = Term(g) / Term(column(shared.schema, count))
    return Pulled(shared, [(arg, share.scalar)])
