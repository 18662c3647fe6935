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
from lazyframe.planner.functions.spans import NO_SPAN, parse_span
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
    offset, sign = signed_distance(value)
    if not sign:
        return CURRENT
    return Bound("preceding" if sign < 0 else "following", offset)


def signed_distance(value: Any) -> tuple[pa.Scalar, int]:
    """A distance without its sign, and the sign: -1, 0 or 1."""
    if isinstance(value, str):
        span = parse_span(value)
        if span == NO_SPAN:
            return pa.scalar(tuple(span), INTERVAL), 0
        sign = -1 if min(span) < 0 else 1
        return pa.scalar(tuple([sign * part for part in span]), INTERVAL), sign
    if isinstance(value, (int, float, decimal.Decimal, datetime.timedelta)) and not isinstance(value, bool):
        zero = datetime.timedelta() if isinstance(value, datetime.timedelta) else 0
        return literal(abs(value)).value, -1 if value < zero else int(value > zero)  # type: ignore[operator]
    raise InvalidArgumentError(
        f"the bound of a frame is a number, a timedelta, a span such as '-1mo', or None, not {value!r}"
    )


def nothing_of(distance: pa.Scalar) -> pa.Scalar:
    """The distance of nothing, measured as another."""
    return pa.scalar((0, 0, 0) if distance.type == INTERVAL else 0, distance.type)
