"""SQL: sessions, what names in a query stand for, and what its statements do."""

from lazyframe.sql.sessions import Session, default_session, sql

__all__ = ["Session", "default_session", "sql"]
