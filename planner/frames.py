"""Window frames: which rows around a row a window function looks at."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from lazyframe.planner.errors import InvalidArgumentError

UNITS = ("rows", "range", "groups")
EXCLUSIONS = ("no_others", "current_row", "group", "ties")
BOUNDS = ("unbounded_preceding", "preceding", "current_row", "following", "unbounded_following")
"""The kinds of bound, in the order in which they lie in a partition."""


class Bound(NamedTuple):
    """Where a frame begins or ends, as seen from the current row.

    Args:
        kind: one of `BOUNDS`.
        offset: how far away, for `preceding` and `following`: rows, groups of peers, or a distance of the sort key.
        is_open: of a RANGE with an offset: whether the rows at just that distance are outside.
    """

    kind: str
    offset: pa.Scalar | None = None
    is_open: bool = False


class Frame(NamedTuple):
    """The rows from `start` to `end`, both included, without some around the current row.

    Args:
        unit: what bounds count: `rows`, `groups` of peers, or the distance (`range`) of the one sort key. The current row
            stands for its peers, but in `rows`.
        start, end: the bounds.
        exclude: what is left out: nothing (`no_others`), the `current_row`, the `group` of its peers with it, or the `ties`:
            its peers without it.
    """

    unit: str
    start: Bound
    end: Bound
    exclude: str = "no_others"

    @property
    def is_whole(self) -> bool:
        """Whether it holds every row of the partition."""
        return (
            self.start.kind == "unbounded_preceding"
            and self.end.kind == "unbounded_following"
            and self.exclude == "no_others"
        )


FIRST = Bound("unbounded_preceding")
CURRENT = Bound("current_row")
LAST = Bound("unbounded_following")
DEFAULT = Frame("range", FIRST, CURRENT)
"""The frame where there is an order and none is given."""
WHOLE = Frame("rows", FIRST, LAST)
"""The frame where there is no order and none is given."""


def check_bounds(frame: Frame) -> None:
    """Raise InvalidArgumentError where a frame is none, whatever its offsets count."""
    assert frame.unit in UNITS
    assert frame.exclude in EXCLUSIONS
    start, end = frame.start, frame.end
    assert start.kind in BOUNDS
    assert end.kind in BOUNDS
    if start == LAST:
        raise InvalidArgumentError("a frame cannot start at UNBOUNDED FOLLOWING")
    if end == FIRST:
        raise InvalidArgumentError("a frame cannot end at UNBOUNDED PRECEDING")
    if BOUNDS.index(start.kind) > BOUNDS.index(end.kind):
        raise InvalidArgumentError(
            f"a frame cannot start at {described(start)} and end at {described(end)}",
            hint="the start of a frame lies before its end",
        )


def described(bound: Bound) -> str:
    """A bound as SQL writes it, without its offset."""
    return bound.kind.replace("_", " ").upper()
