"""SQL: read into plans, and written from them."""

from lazyframe.planner.sql.compile import bind_query

__all__ = ["bind_query"]
