"""The functions of SQL, one file a topic: which of ours each one calls, and how."""

from __future__ import annotations

from lazyframe.planner.sql.expressions import casts, intervals
from lazyframe.planner.sql.expressions.binder import Handler
from lazyframe.planner.sql.functions import (
    buckets,
    conditional,
    dates,
    encodings,
    formats,
    information,
    lambdas,
    lists,
    maths,
    paths,
    patterns,
    strings,
    structs,
    vectors,
)

TOPICS: tuple[dict[type | str, Handler], ...] = (
    casts.FORMS, intervals.FORMS, maths.FORMS, conditional.FORMS, strings.FORMS, patterns.FORMS, encodings.FORMS, dates.FORMS,
    buckets.FORMS, formats.FORMS, lists.FORMS, lambdas.FORMS, structs.FORMS, information.FORMS, paths.FORMS,
    vectors.FORMS,
)  # fmt: skip

FORMS: dict[type | str, Handler] = {key: form for topic in TOPICS for key, form in topic.items()}

__all__ = ["FORMS"]
