"""What follows from a plan about its rows, whatever they are: derived once a node, without reading anything."""

from __future__ import annotations

from lazyframe.planner.properties.absence import absent_in_no_pair, rejects
from lazyframe.planner.properties.keys import has_at_most_one_row, is_unique, is_unique_on, unique_keys
from lazyframe.planner.properties.row_counts import gives_left_rows_once, has_at_most, keeps_left_rows

__all__ = [
    "absent_in_no_pair", "gives_left_rows_once", "has_at_most", "has_at_most_one_row", "is_unique", "is_unique_on",
    "keeps_left_rows", "rejects", "unique_keys",
]  # fmt: skip
