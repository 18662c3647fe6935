"""Plans written back as SQL, in any dialect that sqlglot writes."""

from __future__ import annotations

from lazyframe.planner.source_names import table_names
from lazyframe.planner.sql.writing.text import write_sql

__all__ = ["table_names", "write_sql"]
