"""The lazy frame: a plan, the verbs that build on it, and the actions that run it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from lazyframe.boundary import public
from lazyframe.checks import check_choice
from lazyframe.differentiable import HasGradient
from lazyframe.eager import made
from lazyframe.frame_values import FrameValues
from lazyframe.graph_views import GraphViews
from lazyframe.planner.build import sets
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.held import restored
from lazyframe.planner.relations import (
    Plan,
)
from lazyframe.planner.types import type_name
from lazyframe.verbs.columns import Columns
from lazyframe.verbs.groups import Groups
from lazyframe.verbs.keeping import Keeping
from lazyframe.verbs.rows import Rows
from lazyframe.verbs.several import Several, frame_of
from lazyframe.verbs.shape import Shape
from lazyframe.verbs.time_windows import TimeWindows
from lazyframe.verbs.values import Values
from lazyframe.writing_sql import WritingSql


class LazyFrame(
    Columns,
    Values,
    Rows,
    Groups,
    TimeWindows,
    Several,
    Shape,
    Keeping,
    WritingSql,
    GraphViews,
    HasGradient,
    FrameValues,
):
    """A query that has not run.

    Frames are made by `lf.scan_parquet` and its like, and by the verbs of other frames. They never change.

    Example:
        >>> df = lf.from_dict({"city": ["Rome", "Oslo", "Rome"], "t": [31, 12, 29]})
        >>> df.group_by("city").agg(lf.col("t").mean()).to_dicts()
        [{'city': 'Rome', 't': 30.0}, {'city': 'Oslo', 't': 12.0}]
    """

    # Weak references let a session forget the plans of queries over a frame that is gone.
    __slots__ = ("__weakref__", "_plan")

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def _with(self, plan: Plan) -> LazyFrame:
        return made(plan)

    @property
    def _written(self) -> Plan:
        """The whole query, also where parts of it have run at once."""
        return restored(self._plan)

    @public
    def sql(self, query: str, /, dialect: str = "duckdb", params: Any = None, **frames_or_params: Any) -> LazyFrame:
        """A query in SQL over this frame, which it calls `self`. For all else see `lf.sql`.

        Example:
            >>> lf.from_dict({"x": [1, 2, 3]}).sql("select sum(x) as total from self where x > 1").to_dicts()
            [{'total': 5}]
        """
        from lazyframe.sql import default_session
        from lazyframe.sql.caller import caller_scopes

        if "self" in frames_or_params:
            raise InvalidArgumentError("self is the frame that sql() is called on", hint="give the other another name")
        scopes = caller_scopes()
        return default_session()._run(query, dialect, params, {"self": self, **frames_or_params}, lambda: scopes)

    @public
    def same_plan(self, other: LazyFrame) -> bool:
        """Whether the optimizer makes one plan of two queries, whichever way they are written. Nothing runs.

        The names of columns within do not count, nor where projections stand. Queries of other plans may give the same rows.

        Example:
            >>> df = lf.from_dict({"x": [1, 2, 3]})
            >>> df.filter(lf.col("x") > 1).select(y=lf.col("x") * 2).same_plan(df.sql("select x * 2 as y from self where x > 1"))
            True
        """
        from lazyframe import session
        from lazyframe.planner.equivalence import are_equivalent

        return are_equivalent(session.planned(self._written), session.planned(frame_of(other)._written))

    # What a lazy frame is not.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        from lazyframe.display.schema import render_schema_text

        return render_schema_text([(f.name, type_name(f.dtype), f.nullable) for f in self.schema], self._sources())

    def _repr_html_(self) -> str:
        from lazyframe.display.schema import render_schema_html
        from lazyframe.explaining import explain

        fields = [(f.name, type_name(f.dtype), f.nullable) for f in self.schema]
        text = explain(self._plan, optimized=True, verbose=False, analyze=False)
        return render_schema_html(fields, self._sources(), ".show()", text)

    def _sources(self) -> list[str]:
        from lazyframe.planner.graph import postorder
        from lazyframe.planner.relations import Scan

        return list(dict.fromkeys(node.source.name for node in postorder(self._plan) if isinstance(node, Scan)))


@public
def concat(frames: Iterable[LazyFrame], how: str = "vertical") -> LazyFrame:
    """Several frames as one.

    Args:
        frames: at least one.
        how: `"vertical"`: the rows one after the other, columns by name, which all have; `"diagonal"`: the same, where
            columns that a frame lacks are null; `"horizontal"`: the columns side by side, shorter frames filled up with nulls.

    Example:
        >>> a, b = lf.from_dict({"x": [1]}), lf.from_dict({"x": [2.5]})
        >>> lf.concat([a, b]).to_dicts()
        [{'x': 1.0}, {'x': 2.5}]
    """
    check_choice("how", how, ("vertical", "diagonal", "horizontal"))
    if isinstance(frames, LazyFrame):
        raise InvalidArgumentError("concat() takes a list of frames")
    plans = [frame_of(frame)._plan for frame in frames]
    if not plans:
        raise InvalidArgumentError("concat() needs at least one frame")
    if how == "horizontal":
        return made(sets.horizontal(plans))
    return made(sets.vertical(plans, fill=how == "diagonal"))
