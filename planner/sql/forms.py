"""All forms of expressions in SQL, from the files that bind them."""

from __future__ import annotations

from lazyframe.planner.sql import (
    aggregates,
    casts,
    columns,
    grouping,
    intervals,
    operators,
    predicates,
    quantified,
    unnest,
    windows,
)
from lazyframe.planner.sql.expressions import Handler
from lazyframe.planner.sql.functions import FORMS as FUNCTION_FORMS

FORMS: dict[type | str, Handler] = {
    **aggregates.FORMS,
    **FUNCTION_FORMS,
    **casts.FORMS,
    **columns.FORMS,
    **grouping.FORMS,
    **intervals.FORMS,
    **operators.FORMS,
    **predicates.FORMS,
    **quantified.FORMS,
    **unnest.FORMS,
    **windows.FORMS,
}

__all__ = ["FORMS"]
