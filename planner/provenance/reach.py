"""Which rows of a partition a window function made its value of.

A frame is a stretch of rows, whatever it is bounded by. So the function that knows it best says how far it goes: the least and
the greatest place in a partition, over the same frame. What takes its value from one row takes that row's place in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from lazyframe.planner.frames import CURRENT, DEFAULT, FIRST, Frame
from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Plan, Window
from lazyframe.planner.scalars import Call, Case, Column, Scalar, WindowCall, conjunction, null_of

_UP_TO = Frame("rows", FIRST, CURRENT)
_PEERS = Frame("groups", CURRENT, CURRENT)


class Reach(NamedTuple):
    """The rows of a partition that a value was made of: all of them where there are no calls.

    Args:
        partition: what the rows share.
        place: the place of each row in it; None where all are meant.
        calls: the place of the one row, or the first and the last place.
        without: the first and the last place of rows in between that are left out.
        where: what holds for the rows besides.
    """

    partition: tuple[Scalar, ...]
    place: Column | None = None
    calls: tuple[WindowCall, ...] = ()
    without: tuple[WindowCall, ...] = ()
    where: Scalar | None = None

    def looked_up(self, names: Mapping[Scalar, str]) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...], Scalar | None]:
        """Expressions over the rows, what they are equal to, and what holds besides, to find the rows that are meant.

        Args:
            names: of columns with the values that `asked` names.
        """
        keys = self.partition
        given = [Column(names[each], each.dtype, True) for each in self.asked]
        if self.place is None or len(self.calls) == 1:
            keys = keys if self.place is None else (*keys, self.place)
            return keys, tuple(given), self.where
        first, last, *left_out = given[len(keys) :]
        parts = [_within(self.place, first, last)]
        if left_out:
            parts.append(Call("not", (_within(self.place, *left_out),)))
        if self.where is not None:
            parts.append(self.where)
        return keys, tuple(given[: len(keys)]), conjunction(parts)

    @property
    def asked(self) -> tuple[Scalar, ...]:
        """What has to be known of a row, to find the rows that its value was made of."""
        return (*self.partition, *self.calls, *self.without)


class Places:
    """The places of rows in partitions, each numbered once.

    Args:
        fresh: gives a name that nothing has.
    """

    def __init__(self, fresh: Callable[[], str]) -> None:
        self._fresh = fresh
        self._names: dict[Scalar, str] = {}

    def of(self, partition: tuple[Scalar, ...], order: tuple[Scalar, ...]) -> Column:
        """The column with the places of rows in the partitions of that order."""
        call = WindowCall("row_number", (), partition, order)
        name = self._names.get(call)
        if name is None:
            name = self._names[call] = self._fresh()
        return Column(name, call.dtype, False)

    def numbered(self, plan: Plan) -> Plan:
        """The rows of a plan with their places."""
        return Window(plan, tuple([(name, call) for call, name in self._names.items()])) if self._names else plan


def reach_of(call: WindowCall, place: Column) -> Reach:
    """Which rows of a partition a window function made its value of.

    Args:
        call: the function.
        place: of each row in the partition, by the order of the function.
    """
    if call.function in ("percent_rank", "cume_dist", "ntile"):
        return Reach(call.partition)
    if call.function in ("lag", "lead"):
        # What stands for a value that is not there was made of the row itself.
        return _one(replace(call, args=(_placed(call, place), *call.args[1:2])), place)
    if call.function in ("first_value", "last_value", "nth_value"):
        return _one(replace(call, args=(_placed(call, place), *call.args[1:])), place)
    if call.function == "fill":
        return _one(replace(call, args=(_where_valid(call.args[0], place),)), place)
    if call.function in ("row_number", "ewm_mean", "ewm_var", "ewm_std"):
        return _between(call, place, _UP_TO)
    if call.function in ("rank", "dense_rank"):
        return _between(call, place, DEFAULT._replace(exclude="group"))
    if call.takes_whole_partitions:
        return Reach(call.partition, where=call.where)
    return _between(call, place, DEFAULT if call.frame is None else call.frame)


def interpolated_from(value: Scalar, place: Column) -> list[Reach]:
    """The rows with the values before and behind those that are missing in a column."""
    here = (_where_valid(value, place),)
    return [
        _one(WindowCall("fill", here, options=(("direction", direction),)), place)
        for direction in ("forward", "backward")
    ]


def _one(call: WindowCall, place: Column) -> Reach:
    return Reach(call.partition, place, (call,))


def _between(call: WindowCall, place: Column, frame: Frame) -> Reach:
    def bounds(within: Frame) -> tuple[WindowCall, ...]:
        return tuple([WindowCall(name, (place,), call.partition, call.order, frame=within) for name in ("min", "max")])

    # The current row is a row of the result, whether a frame leaves it out or not.
    without = bounds(_PEERS) if frame.exclude in ("group", "ties") and call.order else ()
    return Reach(call.partition, place, bounds(frame._replace(exclude="no_others")), without, call.where)


def _placed(call: WindowCall, place: Column) -> Scalar:
    return _where_valid(call.args[0], place) if dict(call.options).get("ignore_nulls") else place


def _where_valid(value: Scalar, place: Column) -> Scalar:
    return Case((Call("is_null", (value,)),), (null_of(place.dtype),), place)


def _within(place: Scalar, first: Scalar, last: Scalar) -> Scalar:
    return Call("and", (Call("greater_equal", (place, first)), Call("less_equal", (place, last))))


__all__ = ["Places", "Reach", "interpolated_from", "reach_of"]
