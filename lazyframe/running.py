"""Running several queries together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.dataframe import DataFrame
from lazyframe.frame import LazyFrame
from lazyframe.verbs.several import frame_of


@public
def collect_all(frames: Sequence[LazyFrame], /, **parameters: Any) -> list[DataFrame]:
    """Run several queries as one: what they have in common is computed once.

    Args:
        frames: the queries.
        parameters: values of their parameters by name, as for `LazyFrame.collect`.

    Returns:
        Their rows, in the same order.

    Example:
        >>> df = lf.from_dict({"x": [1, 2, 3]})
        >>> [len(part) for part in lf.collect_all([df.head(1), df.tail(2)])]
        [1, 2]
    """
    plans = [frame_of(frame)._plan for frame in frames]
    return [DataFrame(table) for table in session.execute_all(plans, parameters)]
