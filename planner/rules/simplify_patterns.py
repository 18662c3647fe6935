"""Patterns of text."""

from __future__ import annotations

from lazyframe.planner.algebra.law import EVALUATES, under_law
from lazyframe.planner.algebra.patterns import plainer_pattern
from lazyframe.planner.relations import Plan
from lazyframe.planner.rules.rule import rule


@rule(*EVALUATES)
def simplify_patterns(plan: Plan) -> Plan | None:
    """like(x, 'ab%')  =>  starts_with(x, 'ab');  like(x, 'ab')  =>  x == 'ab';  like(x, '%ab')  =>  ends_with(x, 'ab');
    like(x, '%ab%')  =>  contains(x, 'ab');  like(x, '%')  =>  true, or null for null;
    substr(x, 1, 2) == 'ab'  =>  starts_with(x, 'ab');  substr(x, 1, 3) == 'ab'  =>  x == 'ab'.

    Sound: a pattern of one run of characters asks just this. An escaped character stands for itself. The first three
    characters are two where there are no more than two. Scans compare an equality and a start with their statistics.

    Not `like(x, 'a_b%')`, where one character is open; nor `ilike`; nor a pattern that ends with its escape character, which
    is an error; nor `substr(x, 2, 2)`, which does not start with the text.
    """
    return under_law(plan, plainer_pattern)
