"""Queries that run while they are written: `lf.eager`."""

from __future__ import annotations

from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from lazyframe.boundary import public
from lazyframe.planner.held import made_by
from lazyframe.planner.relations import Limit, Plan, Scan

if TYPE_CHECKING:
    from lazyframe.frame import LazyFrame


class Mode(NamedTuple):
    """How verbs run at once.

    Args:
        sample: how many rows of each table they see; None for all.
    """

    sample: int | None


mode: ContextVar[Mode | None] = ContextVar("lazyframe.eager", default=None)
"""Of this thread or task; None where verbs are lazy."""


class eager:  # noqa: N801 - written as a verb, as lf.watch and lf.no_grad
    """A `with` block in which every verb runs at once, so that branches, loops, prints and breakpoints see real rows.

    Verbs give frames whose rows are there (`DataFrame`): they print as rows, have a length, and can be asked for values. An error
    stops at the line that made it, a division by zero or a cast that fails as much as a misspelt column. Expressions of
    parameters alone have values: `float(loss)`, `if w > 3:`. The same code without the block is lazy, and gives the same rows.

    What computed the rows stays known: `backward()`, `lineage()`, `why()` and `show_graph()` see the whole query, and `lazy()`
    of a frame gives it. Scans read what the verbs after them need.

    It holds for the thread or task that it stands in, also where an error ends the block.

    Args:
        sample: how many rows, the first ones, the verbs see of each table that they read. None for all.

    Raises:
        InvalidArgumentError: where `sample` is no number of rows; within the block, at a verb whose rows depend on a parameter
            without a value.

    Example:
        >>> flights = lf.scan_parquet("datasets/flights.parquet")
        >>> with lf.eager(sample=1000):
        ...     late = flights.filter(lf.col("arr_delay") > 60)
        ...     if len(late) > 10:
        ...         late = late.group_by("carrier").len("n").sort("n", descending=True).head(1)
        >>> late.columns, len(late), late.lazy().count()
        (['carrier', 'n'], 1, 1)
    """

    @public
    def __init__(self, sample: int | None = None) -> None:
        from lazyframe.checks import whole_number

        self._mode = Mode(None if sample is None else whole_number("sample", sample))
        self._tokens: list[Token[Mode | None]] = []

    def __enter__(self) -> None:
        self._tokens.append(mode.set(self._mode))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        mode.reset(self._tokens.pop())


def made(plan: Plan) -> LazyFrame:
    """The frame of a plan that the user has written: lazy, or with its rows where verbs run at once."""
    current = mode.get()
    if current is None:
        from lazyframe.frame import LazyFrame

        return LazyFrame(plan)
    from lazyframe.dataframe import DataFrame

    if isinstance(plan, Scan) and (current.sample is None or made_by(plan) is not None):
        return DataFrame._over(plan)
    _check_has_values(plan)
    return DataFrame._held(plan, seen(plan))


def _check_has_values(plan: Plan) -> None:
    from lazyframe.planner.errors import InvalidArgumentError
    from lazyframe.planner.parameters import Parameters, has_parameters

    if not has_parameters(plan):
        return
    for name, (first, *_) in Parameters([plan]).by_name.items():
        if first.cell.value is None:
            raise InvalidArgumentError(
                f"the parameter {name!r} has no value, and in lf.eager() a verb runs at once",
                hint=f"give it one: lf.param({name!r}, value)",
            )


def seen(plan: Plan) -> Plan:
    """The plan over the rows that verbs see: in `eager(sample=...)` the first of each table. What has been computed from such
    rows is left as it is.
    """
    current = mode.get()
    if current is None or current.sample is None:
        return plan
    from lazyframe.planner.graph import rewrite_top_down

    rows = current.sample

    def step(current: Plan) -> Plan | None:
        return Limit(current, rows) if isinstance(current, Scan) and made_by(current) is None else None

    return rewrite_top_down(plan, step)


__all__ = ["eager", "made", "mode", "seen"]
