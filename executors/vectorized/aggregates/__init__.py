"""Aggregate functions over groups of rows, one family a file."""

from lazyframe.executors.vectorized.aggregates.groups import Groups, Rows
from lazyframe.executors.vectorized.aggregates.registry import implementation
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Need, State

__all__ = ["Aggregate", "Groups", "Need", "Rows", "State", "implementation"]
