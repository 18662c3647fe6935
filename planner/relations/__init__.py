"""Relational nodes: what a query does to tables, one concept a file."""

from lazyframe.planner.relations.aggregate import Aggregate
from lazyframe.planner.relations.asof import AsofJoin
from lazyframe.planner.relations.distinct import Distinct
from lazyframe.planner.relations.filter import Filter
from lazyframe.planner.relations.join import Join
from lazyframe.planner.relations.mapping import Cache, MapBatches
from lazyframe.planner.relations.order import Interpolate, Limit, Reverse, Shift, Sort, Tail, TopK
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.relations.project import Project
from lazyframe.planner.relations.recursion import Recursion, RecursionInput
from lazyframe.planner.relations.reshape import Explode, RowIndex, Sample, Unpivot
from lazyframe.planner.relations.scan import Scan
from lazyframe.planner.relations.sets import HorizontalConcat, SetOperation, Union
from lazyframe.planner.relations.shared import Shared
from lazyframe.planner.relations.values import Values
from lazyframe.planner.relations.window import PartitionTopK, Window

__all__ = [
    "Aggregate", "AsofJoin", "Cache", "Distinct", "Explode", "Filter", "HorizontalConcat", "Interpolate", "Join", "Limit",
    "MapBatches", "PartitionTopK", "Plan", "Project", "Recursion", "RecursionInput", "Reverse", "RowIndex", "Sample", "Scan",
    "SetOperation", "Shared", "Shift", "Sort", "Tail", "TopK", "Union", "Unpivot", "Values", "Window",
]  # fmt: skip
