"""How many rows a plan will give: guesses from what the sources know, and from samples of large tables."""

from __future__ import annotations

from lazyframe.planner.statistics.domains import Domain, common_values, domain, seen_values
from lazyframe.planner.statistics.rows import GROUPS, ITEMS, PARTNERS, WITHOUT, estimate, share_with_partner
from lazyframe.planner.statistics.selectivity import EQUALITY, OTHER, RANGE, selectivity
from lazyframe.planner.statistics.skew import skew

__all__ = [
    "EQUALITY",
    "GROUPS",
    "ITEMS",
    "OTHER",
    "PARTNERS",
    "RANGE",
    "WITHOUT",
    "Domain",
    "common_values",
    "domain",
    "estimate",
    "seen_values",
    "selectivity",
    "share_with_partner",
    "skew",
]
