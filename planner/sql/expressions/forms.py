"""All forms of expressions in SQL, from the files that bind them."""

from __future__ import annotations

from lazyframe.planner.sql.expressions import aggregates, columns, operators, predicates, quantified, windows
from lazyframe.planner.sql.expressions.binder import Handler
from lazyframe.planner.sql.functions import FORMS as FUNCTION_FORMS
from lazyframe.planner.sql.queries import grouping, unnest

FORMS: dict[type | str, Handler] = {
    **aggregates.FORMS,
    **FUNCTION_FORMS,
    **columns.FORMS,
    **grouping.FORMS,
    **operators.FORMS,
    **predicates.FORMS,
    **quantified.FORMS,
    **unnest.FORMS,
    **windows.FORMS,
}

__all__ = ["FORMS"]
