"""Which columns of the sources each column of a plan comes from, and in which role."""

from lazyframe.planner.lineage.columns import Found, Origin, lineage
from lazyframe.planner.lineage.feeds import FILTER, KEY, ORDER, ROLES, VALUE
from lazyframe.planner.lineage.sources import SourceTable

__all__ = ["FILTER", "KEY", "ORDER", "ROLES", "VALUE", "Found", "Origin", "SourceTable", "lineage"]
