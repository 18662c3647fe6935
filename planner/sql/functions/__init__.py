"""The functions of SQL, one file a topic: which of ours each one calls, and how."""

from __future__ import annotations

from lazyframe.planner.sql.expressions import Handler

TOPICS: tuple[dict[type | str, Handler], ...] = ()

FORMS: dict[type | str, Handler] = {key: form for topic in TOPICS for key, form in topic.items()}
