"""Where columns and rows of a result come from."""

from lazyframe.lineage.lineage import ColumnLineage, Lineage
from lazyframe.lineage.lines import Line

__all__ = ["ColumnLineage", "Line", "Lineage"]
