"""From how many rows on work is left to machine code."""

from __future__ import annotations

import os

from lazyframe.planner.errors import InvalidArgumentError

COMPILE_FROM = 100_000
_KERNEL_ROWS = 8192


def default_compile_from() -> int | None:
    """Pipelines over so many rows are compiled; `LAZYFRAME_COMPILED` may say `off`, or another number.

    Raises:
        InvalidArgumentError: where it says something else.
    """
    wanted = os.environ.get("LAZYFRAME_COMPILED", "")
    if wanted.lower() == "off":
        return None
    if wanted and not wanted.isdigit():
        raise InvalidArgumentError(
            f"LAZYFRAME_COMPILED is {wanted!r}",
            hint="say off, or from how many rows on pipelines are compiled: 0 for all of them",
        )
    return int(wanted) if wanted else COMPILE_FROM


def calls_for_kernels(rows: int) -> bool:
    """Whether so many rows at once may be worth a kernel that stands ready. Fewer do not even ask for one."""
    return rows >= _KERNEL_ROWS or (rows > 0 and default_compile_from() == 0)
