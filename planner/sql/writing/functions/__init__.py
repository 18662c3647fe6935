"""How each function is written: a template of SQL, or from the call to one; or why it is not."""

from __future__ import annotations

from lazyframe.planner.sql.writing.functions import dates, lists, numbers, strings
from lazyframe.planner.sql.writing.functions.form import Form

FORMS: dict[str, Form] = {**numbers.FORMS, **strings.FORMS, **dates.FORMS, **lists.FORMS}
"""Functions without a form are written by the name that SQL has for them."""

REFUSED: dict[str, str] = {**numbers.REFUSED, **strings.REFUSED, **dates.REFUSED, **lists.REFUSED}

__all__ = ["FORMS", "REFUSED"]
