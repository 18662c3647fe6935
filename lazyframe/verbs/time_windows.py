"""Groups by time: windows at regular steps, and windows around each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lazyframe.arguments import listed, nodes
from lazyframe.boundary import public
from lazyframe.checks import check_choice
from lazyframe.planner.build import projection
from lazyframe.planner.build.time_windows import Windows, check_windows, in_windows
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.verbs.core import Core
from lazyframe.windows.frame import CLOSED, as_span, direction, distance, opposite, range_between, together

if TYPE_CHECKING:
    from lazyframe.windows.dynamic import DynamicGroupBy
    from lazyframe.windows.rolling_groups import RollingGroups


class TimeWindows(Core):
    """The verbs of windows of time."""

    __slots__ = ()

    @public
    def group_by_dynamic(
        self,
        index_column: Any,
        *,
        every: Any,
        period: Any = None,
        offset: Any = None,
        closed: str = "left",
        label: str = "left",
        include_boundaries: bool = False,
        group_by: Any = None,
    ) -> DynamicGroupBy:
        """The rows in windows that begin at regular steps on the local clock: follow it with `agg`.

        A row may lie in several windows, or in none. There are all windows in which rows lie and no others, also those that
        begin before the first row.

        Args:
            index_column: the name of a column of dates, timestamps or integers. Rows where it is null are in no window.
            every: from the start of one window to the next: a span such as `"15m"`, `"1d"` or `"1mo"`, or a whole number.
            period: how long a window is; `every` by default.
            offset: how far all windows are moved, such as `"6h"`.
            closed: which ends belong to a window: `"left"`, `"right"`, `"both"` or `"none"`.
            label: what stands for a window: its `"left"` or its `"right"` end.
            include_boundaries: whether the columns `_lower_boundary` and `_upper_boundary` are given too.
            group_by: names or expressions: windows hold rows in which these are equal.

        Returns:
            The groups. Their results are in the order of the windows; those of one window in the order in which the groups
            first appear.

        Example:
            >>> import datetime
            >>> df = lf.from_dict({"t": [datetime.datetime(2024, 1, 1, h) for h in (1, 2, 13)], "x": [1, 2, 4]})
            >>> df.group_by_dynamic("t", every="12h").agg(lf.col("x").sum()).to_dicts()
            [{'t': datetime.datetime(2024, 1, 1, 0, 0), 'x': 3}, {'t': datetime.datetime(2024, 1, 1, 12, 0), 'x': 4}]
        """
        from lazyframe.windows.dynamic import DynamicGroupBy

        check_choice("closed", closed, CLOSED)
        check_choice("label", label, ("left", "right"))
        index = self._index(index_column)
        step = as_span(every)
        size = step if period is None else as_span(period)
        windows = Windows(
            step, size, (0 if isinstance(step, int) else as_span("0d")) if offset is None else as_span(offset), closed
        )
        check_windows(windows, index)
        keys = self._group_keys(group_by)
        plan, start = in_windows(self._plan, index, windows)
        ends = {"left": start, "right": windows.end_of(start)}
        boundaries = (
            (("_lower_boundary", ends["left"]), ("_upper_boundary", ends["right"])) if include_boundaries else ()
        )
        return DynamicGroupBy(plan, (*keys, *boundaries, (index.name, ends[label])), start, index.name)

    @public
    def rolling(
        self, index_column: Any, *, period: Any, offset: Any = None, closed: str = "right", group_by: Any = None
    ) -> RollingGroups:
        """For each row the rows within a distance before it: follow it with `agg`.

        Args:
            index_column: the name of a column of dates, times or numbers, in any order.
            period: how long a window is: a span such as `"2d"` or `"1mo"`, a `timedelta`, or a number.
            offset: how far behind the row a window begins; by default `period` before it.
            closed: which ends belong to a window: `"right"` (the row and its equals), `"left"`, `"both"` or `"none"`.
            group_by: names or expressions: a window holds rows in which these are equal.

        Returns:
            The windows. Their results are one for each row, in the order of the rows.

        Example:
            >>> df = lf.from_dict({"t": [1, 2, 4], "x": [1, 2, 4]})
            >>> df.rolling("t", period=2).agg(lf.col("x").sum(), n=lf.len()).to_dict()
            {'t': [1, 2, 4], 'x': [1, 3, 4], 'n': [1, 2, 1]}
        """
        from lazyframe.windows.rolling_groups import RollingGroups

        check_choice("closed", closed, CLOSED)
        size = distance(period)
        if direction(size) < 1:
            raise InvalidArgumentError(f"a period is above 0, not {period!r}")
        start = opposite(size) if offset is None else distance(offset)
        frame = range_between(start, together(start, size), closed)
        return RollingGroups(
            self._plan,
            nodes([listed(group_by)] if group_by is not None else [], {}),
            self._index(index_column).name,
            frame,
        )

    def _index(self, given: Any) -> Column:
        (name,) = self._all_names(given)
        return column(self._plan.schema, name)

    def _group_keys(self, given: Any) -> tuple[tuple[str, Scalar], ...]:
        keys = projection.bound(self._plan, nodes([listed(given)] if given is not None else [], {}))
        for _, key in keys:
            projection.refuse_aggregates(key, "group by")
        return tuple(keys)
