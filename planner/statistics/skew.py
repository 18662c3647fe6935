"""Keys that are more or less frequent than others.

Of a small table it is known which keys its predicate keeps, and of a sample of the rows that refer to it how many refer to
these: `keyword = 'sequel'` is one keyword of thousands, and may be that of every tenth film.
"""

from __future__ import annotations

from lazyframe.planner.relations import Filter, Join, Plan, Project, Scan
from lazyframe.planner.scalars import Column, Scalar, uncast
from lazyframe.planner.statistics.domains import sample_of

_MOST = 1000.0
"""So many times as frequent, or as rare, a key is taken to be at most."""

_RARE = 1e-4
"""What no row of a sample refers to is taken to be this share of them."""

_FAR = 100


def skew(small: Plan, key: Scalar, large: Plan, reference: Scalar, expected: float) -> float:
    """How many times as many rows as expected find a partner; 1 where nothing is known.

    Args:
        small: rows of a table, less what a predicate of its scan leaves out.
        key: of these.
        large: rows that refer to them, filtered and joined or not.
        reference: the key that they refer to.
        expected: the share of them that would find a partner if all keys were equally frequent.
    """
    known = _column(small, key)
    if known is None or known[0].predicate is None or expected <= 0:
        return 1.0
    asked = _column(large, reference, through_joins=True)
    if asked is None:
        return 1.0
    table, sample = sample_of(known[0].source), sample_of(asked[0].source)
    if table is None or sample is None:
        return 1.0
    share = sample.share_with_partner(asked[1], asked[0].predicate, table, known[1], known[0].predicate)
    if share is None:
        return 1.0
    return min(max(max(share, _RARE) / expected, 1 / _MOST), _MOST)


def _column(plan: Plan, key: Scalar, *, through_joins: bool = False) -> tuple[Scan, str] | None:
    """The scan and its column that a key is; None where it is computed, or other nodes than projections are in between."""
    key = uncast(key)
    if not isinstance(key, Column):
        return None
    name = key.name
    for _ in range(_FAR):
        match plan:
            case Scan():
                return plan, name
            case Project():
                value = plan.bindings[name]
                if not isinstance(value, Column):
                    return None
                name, plan = value.name, plan.input
            case Filter(input=below) if through_joins:
                plan = below
            case Join(left=left, right=right) if through_joins:
                plan = left if name in left.schema else right
            case _:
                return None
    return None


__all__ = ["skew"]
