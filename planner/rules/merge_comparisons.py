"""Several comparisons of one value."""

from __future__ import annotations

from lazyframe.planner.algebra.law import new_mark
from lazyframe.planner.algebra.ranges import merged
from lazyframe.planner.algebra.truth import under_truth
from lazyframe.planner.relations import Filter, Join, Plan, Scan
from lazyframe.planner.rules.rule import rule

_MERGED = new_mark()


@rule(Filter, Scan, Join)
def merge_comparisons(plan: Filter | Scan | Join) -> Plan | None:
    """Filter (x > 3 & x > 5) r  =>  Filter x > 5 r;  x > 5 & x < 3  =>  false;  x >= 5 & x <= 5  =>  x == 5;
    x == 1 | x == 2  =>  x in (1, 2);  x in (1, 2) & x in (2, 3)  =>  x == 2;  x in (1, 5) & x < 3  =>  x == 1;
    x != 1 & x != 2 & x != 3  =>  not x in (1, 2, 3);  x < 3 | x < 5  =>  x < 5;  x < 5 | x > 3  =>  x is not null;
    x is not null & x > 3  =>  x > 3.

    Sound: the conditions are true for the same values, and for null none is; that some are null there and others false makes
    no difference to a filter. NaN is after all numbers, so that `x > 3` holds for it and `x < 5 | x > 3` for all. What is
    left stands where the first stood. Only of a value that can raise nothing, or it would be evaluated where another part
    guarded it; constants that are compared in unlike ways (a decimal as a float) are not brought together.

    Not `x != 1 | x != 2`, which all values but null fulfil, nor ranges with a gap; not `random() > 0.1 & random() < 0.2`.
    """
    return under_truth(plan, _MERGED, None, merged)
