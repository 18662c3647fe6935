"""Conversions in comparisons with constants."""

from __future__ import annotations

from lazyframe.planner.algebra.casts import without_cast
from lazyframe.planner.algebra.law import EVALUATES, under_law
from lazyframe.planner.relations import Plan
from lazyframe.planner.rules.rule import rule


@rule(*EVALUATES)
def unwrap_casts(plan: Plan) -> Plan | None:
    """Op [cast(x) < c] r  =>  Op [x < c'] r, and so with the other comparisons, with IN, and with two converted values.

    Sound: the conversions taken keep the order of values, so that those before c become those before some c'. Where several
    values become c, as integers past 2^53 do among floats, `==` is a range; where none does, it is false, and null for null.
    A date or timestamp that the other unit does not reach compares as what it is, where the conversion would fail. What a
    scan is asked for can then be told from its statistics, and the values need not be converted.

    Not `cast(text as date) < c`: text is in another order. Not `cast(x as int8) == c` of an int64, which fails where a value
    does not fit; nor with a zone, where clocks are set back; nor `try_cast`, which gives null there.
    """
    return under_law(plan, without_cast)
