"""Window functions: from the rows around each row to a value for it. Every aggregate is one too.

The ranking functions look at the order alone, `lag`, `lead` and the fills at the whole partition, and the values of a frame
at the frame.
"""

from __future__ import annotations

from typing import Any

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.functions.definition import (
    Options,
    Resolver,
    Signature,
    Types,
    WindowFunction,
    anything,
    converts,
    fixed,
)
from lazyframe.planner.types import FLOAT64, INT64, common_type

DIRECTIONS = ("forward", "backward")


def _itself(types: Types, options: Options) -> Signature | None:
    _check_flag(options, "ignore_nulls")
    return Signature(types, types[0])


def _neighbour(types: Types, options: Options) -> Signature | None:
    """A value, how many rows away it is, and what stands for one that is not there."""
    _check_flag(options, "ignore_nulls")
    value, *rest = types
    if rest and not converts(rest[0], INT64):
        return None
    if len(rest) < 2:
        return Signature((value, *[INT64] * len(rest)), value)
    common = common_type(value, rest[1])
    return None if common is None else Signature((common, INT64, common), common)


def _nth(types: Types, options: Options) -> Signature | None:
    _check_flag(options, "ignore_nulls")
    if options.get("counted_from", "first") not in ("first", "last"):
        raise InvalidArgumentError(f"a value is counted from 'first' or 'last', not {options['counted_from']!r}")
    value, place = types
    return Signature((value, INT64), value) if converts(place, INT64) else None


def _fill(types: Types, options: Options) -> Signature | None:
    limit, direction = options.get("limit"), options.get("direction", "forward")
    if direction not in DIRECTIONS:
        raise InvalidArgumentError(f"direction is one of {', '.join(map(repr, DIRECTIONS))}, not {direction!r}")
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 0):
        raise InvalidArgumentError(f"limit is a whole number of 0 or more, not {limit!r}")
    return Signature(types, types[0])


def _weighted(types: Types, options: Options) -> Signature | None:
    alpha = options.get("alpha")
    if not isinstance(alpha, (int, float)) or isinstance(alpha, bool) or not 0 < alpha <= 1:
        raise InvalidArgumentError(f"alpha is a number above 0 and up to 1, not {alpha!r}")
    return fixed((FLOAT64,), FLOAT64)(types, options)


def _check_flag(options: Options, name: str) -> None:
    if not isinstance(options.get(name, False), bool):
        raise InvalidArgumentError(f"{name} is True or False, not {options[name]!r}")


def _define(
    name: str, resolver: Resolver, summary: str, *, arity: tuple[int, int] = (0, 0), **more: Any
) -> WindowFunction:
    return WindowFunction(name=name, resolver=resolver, arity=arity, summary=summary, sql=(name,), **more)


_number = anything(INT64)
_share = anything(FLOAT64)

WINDOWS: dict[str, WindowFunction] = {
    f.name: f
    for f in (
        _define("row_number", _number, "The number of the row in its partition, from 1.", nulls="never"),
        _define("rank", _number, "One more than the rows before the row's peers.", nulls="never"),
        _define("dense_rank", _number, "One more than the groups of peers before the row's.", nulls="never"),
        _define("percent_rank", _share, "rank - 1, divided by the other rows of the partition; 0 where there are none.", nulls="never"),
        _define("cume_dist", _share, "The share of the partition's rows up to the row's last peer.", nulls="never"),
        _define("ntile", fixed((INT64,), INT64), "Which of n buckets of almost equal size the row is in, from 1.", arity=(1, 1), nulls="argument"),
        _define("lag", _neighbour, "The value some rows before (1), or a default (null).", arity=(1, 3), skips_nulls=True),
        _define("lead", _neighbour, "The value some rows after (1), or a default (null).", arity=(1, 3), skips_nulls=True),
        _define("first_value", _itself, "The value of the frame's first row.", arity=(1, 1), framed=True, skips_nulls=True),
        _define("last_value", _itself, "The value of the frame's last row.", arity=(1, 1), framed=True, skips_nulls=True),
        _define("nth_value", _nth, "The value of the frame's row of that number, counted from 1.", arity=(2, 2), framed=True, skips_nulls=True),
        _define("fill", _fill, "The value; where it is null the nearest before, or behind with `direction='backward'`.", arity=(1, 1)),
        _define("ewm_mean", _weighted, "The mean, where values weigh the less the further back they are.", arity=(1, 1), skips_nulls=True),
        _define("ewm_var", _weighted, "The variance, where values weigh the less the further back they are.", arity=(1, 1), skips_nulls=True),
        _define("ewm_std", _weighted, "The root of `ewm_var`.", arity=(1, 1), skips_nulls=True),
    )
}  # fmt: skip
