"""Functions whose value is another each time, or in each query."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.planner.functions.definition import Function, by_name, fixed
from lazyframe.planner.types import STRING

FUNCTIONS = by_name(
    Function(name="now", resolver=fixed((), pa.timestamp("us", "UTC")), arity=(0, 0), nulls="never", summary="The instant at which the query began; the same in all of it."),
    Function(name="uuid", resolver=fixed((), STRING), arity=(0, 0), nulls="never", volatile=True, summary="A random UUID (version 4), another for each row."),
)  # fmt: skip
