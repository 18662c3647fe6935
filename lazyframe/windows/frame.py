"""Window frames as users write them."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pyarrow as pa

from lazyframe.boundary import public
from lazyframe.checks import check_choice
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.frames import CURRENT, EXCLUSIONS, FIRST, LAST, UNITS, Bound, Frame
from lazyframe.planner.functions.spans import Span, parse_span
from lazyframe.planner.literals import literal
from lazyframe.planner.types import INTERVAL


@public
def window_frame(unit: str, start: Any = None, end: Any = None, *, exclude: str = "no_others") -> Frame:
    """The rows around each row that a function of `over()` looks at: those from `start` to `end`, both included.

    Args:
        unit: what the bounds count: `"rows"`; `"groups"` of rows with equal sort keys; or `"range"`, the distance of the sort
            key, of which there is one then.
        start: negative for what comes before the row, 0 for the row (with its equals, but in `"rows"`), positive for what
            comes behind; None for all from the first. A distance is a number, a `timedelta` or a span such as `"-1mo"`.
        end: likewise; None for all to the last.
        exclude: what is left out: `"no_others"`, the `"current_row"`, its whole `"group"` of equals, or the `"ties"`: its
            equals without itself.

    Raises:
        InvalidArgumentError: for what is none of these.

    Example:
        >>> df = lf.from_dict({"x": [1, 2, 4, 8]})
        >>> df.select(lf.col("x").sum().over(frame=lf.window_frame("rows", -1, 1, exclude="current_row"))).to_dict()
        {'x': [2, 5, 10, 4]}
    """
    check_choice("unit", unit, UNITS)
    check_choice("exclude", exclude, EXCLUSIONS)
    return Frame(unit, _bound(unit, start, FIRST), _bound(unit, end, LAST), exclude)


CLOSED = ("left", "right", "both", "none")
"""Which ends of a window belong to it."""


def as_frame(given: Any) -> Frame | None:
    """The frame that is meant by what was given to `over()`."""
    if given is None or isinstance(given, Frame):
        return given
    if not isinstance(given, tuple) or not 3 <= len(given) <= 4:
        raise InvalidArgumentError(
            f"a frame is a tuple such as ('rows', -3, 0), not {given!r}", hint="or what lf.window_frame(...) gives"
        )
    unit, start, end, *exclude = given
    return window_frame(unit, start, end, exclude=exclude[0] if exclude else "no_others")


def rows_between(start: int | None, end: int | None) -> Frame:
    """The rows from so many behind to so many behind; None for the first, or the last."""
    return Frame("rows", _bound("rows", start, FIRST), _bound("rows", end, LAST))


def _bound(unit: str, value: Any, unbounded: Bound) -> Bound:
    if value is None:
        return unbounded
    if unit != "range" and (not isinstance(value, int) or isinstance(value, bool)):
        raise InvalidArgumentError(f"the bound of a frame of {unit} is a whole number or None, not {value!r}")
    return bound_at(distance(value))


Distance = Span | int | float | decimal.Decimal | datetime.timedelta
"""How far behind a row something lies; negative for before."""


def distance(value: Any) -> Distance:
    """A distance as it is given: a span such as `"-1mo"`, a `timedelta` or a number."""
    if isinstance(value, str):
        return parse_span(value)
    if isinstance(value, (int, float, decimal.Decimal, datetime.timedelta)) and not isinstance(value, bool):
        return value
    raise InvalidArgumentError(f"a distance is a number, a timedelta or a span such as '-1mo', not {value!r}")


def as_span(value: Any) -> Span | int:
    """The width of a window as it is given: a span such as `"1d"`, a `timedelta`, or a whole number."""
    if isinstance(value, (str, datetime.timedelta)):
        return parse_span(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InvalidArgumentError(f"a window is a span such as '1d', a timedelta or a whole number wide, not {value!r}")


def opposite(value: Distance) -> Distance:
    """The same distance in the other direction."""
    return Span(*[-part for part in value]) if isinstance(value, Span) else -value


def together(first: Distance, second: Distance) -> Distance:
    """Two distances, one after the other."""
    if isinstance(first, Span) and isinstance(second, Span):
        return Span(*[a + b for a, b in zip(first, second, strict=True)])
    if isinstance(first, Span) or isinstance(second, Span):
        raise InvalidArgumentError("one of the distances is a span such as '1d' and the other is none")
    return first + second  # type: ignore[operator]


def direction(value: Distance) -> int:
    """-1 for a distance before the row, 1 for one behind, 0 for none."""
    if isinstance(value, Span):
        if min(value) < 0 < max(value):
            raise InvalidArgumentError("a distance goes in one direction, in all of its measures")
        return (max(value) > 0) - (min(value) < 0)
    zero = datetime.timedelta() if isinstance(value, datetime.timedelta) else 0
    return (value > zero) - (value < zero)  # type: ignore[operator]


def bound_at(value: Distance, *, is_open: bool = False, is_end: bool = False) -> Bound:
    """The bound of a RANGE that lies at a distance from the row.

    Args:
        value: the distance.
        is_open: whether what lies just there is outside.
        is_end: whether the bound ends the frame.
    """
    sign = direction(value)
    if not sign and not is_open:
        return CURRENT
    size = opposite(value) if sign < 0 else value
    offset = pa.scalar(tuple(size), INTERVAL) if isinstance(size, Span) else literal(size).value
    return Bound("preceding" if sign < 0 or (sign == 0 and is_end) else "following", offset, is_open)


def range_between(start: Distance, end: Distance, closed: str) -> Frame:
    """The rows whose sort keys lie between two distances from the row's."""
    return Frame(
        "range",
        bound_at(start, is_open=closed in ("right", "none")),
        bound_at(end, is_open=closed in ("left", "none"), is_end=True),
    )
