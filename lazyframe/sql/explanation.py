"""What EXPLAIN gives."""

from __future__ import annotations

import html

import pyarrow as pa

from lazyframe.dataframe import DataFrame
from lazyframe.planner import arrow


class Explanation(DataFrame):
    """One row that holds a plan as text. It is shown as that text, and not as a table.

    Args:
        text: the plan.
    """

    def __init__(self, text: str) -> None:
        super().__init__(pa.table({"plan": arrow.array([text], pa.string())}))

    def __repr__(self) -> str:
        return str(self.item())

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self.item()))}</pre>"
