"""States of groups that look at the rows of a batch once more, when its groups are known, or keep them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from lazyframe.executors.compiled.accumulators import Accumulator
from lazyframe.executors.compiled.central_moments import VISITS, CentralMoments
from lazyframe.executors.compiled.collected_rows import CollectRows
from lazyframe.executors.compiled.datum import Datum
from lazyframe.executors.compiled.kinds import I64
from lazyframe.executors.compiled.program import Frame
from lazyframe.executors.compiled.stage import FULL, Function
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.executors.compiled.visited_rows import VisitedRows
from lazyframe.executors.vectorized.aggregates.collected import Chunk, Collection
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation


class Visits:
    """Which states look at rows again, and the rows; states that look at the same ones share them.

    Args:
        grouped: the aggregation.
        accumulators: its states.
        places: where they begin in the record of a batch.

    Attributes:
        collects: whether rows are handed out.
        searches: whether a group must have one record of a batch.
    """

    def __init__(self, grouped: GroupedAggregation, accumulators: Sequence[Accumulator], places: Sequence[int]) -> None:
        self.accumulators = accumulators
        self.places = places
        self.keyed = bool(grouped.keys)
        found: dict[Hashable, list[int]] = {}
        for number, (feed, need) in enumerate(grouped.kept):
            if isinstance(accumulators[number], (CentralMoments, CollectRows)):
                found.setdefault((feed, need.columns, need.present), []).append(number)
        self.searches = any(isinstance(a, CentralMoments) for a in accumulators)
        self.collects = any(isinstance(a, CollectRows) for a in accumulators)
        self.rows: list[tuple[VisitedRows, list[int]]] = []
        for numbers in found.values():
            feed, need = grouped.kept[numbers[0]]
            types = [grouped.feeds[feed].expressions[i].dtype for i in need.columns]
            kept = any(isinstance(accumulators[number], CollectRows) for number in numbers)
            name = f"visited{len(self.rows)}"
            self.rows.append((VisitedRows(name, types, keyed=self.keyed, kept=kept), numbers))

    def lend(self, frame: Frame, room: int) -> list[list[np.ndarray]]:
        """Room for so many rows."""
        frame["visited.room"] = room
        frame["visited.full"] = 0
        return [rows.lend(frame, room) for rows, _ in self.rows]

    def lacks_room(self, frame: Frame) -> bool:
        """Whether it was these rows that were too many."""
        return bool(self.rows) and bool(frame["visited.full"])

    def collected(self, frame: Frame, arrays: Sequence[list[np.ndarray]], groups: int) -> Mapping[int, Collection]:
        """What was kept of a batch, by the number of the state."""
        found: dict[int, Collection] = {}
        for (rows, numbers), own in zip(self.rows, arrays, strict=True):
            collecting = [n for n in numbers if isinstance(self.accumulators[n], CollectRows)]
            if collecting:
                collection = Collection([Chunk(*rows.found(frame, own))], groups)
                found |= dict.fromkeys(collecting, collection)
        return found


class Visiting:
    """The same in a kernel that is being written."""

    def __init__(self, cg: Function, visits: Visits) -> None:
        self._cg = cg
        self._visits = visits
        self._counts = [cg.variable(I64, 0) for _ in visits.rows]

    def keep(self, state: int, group: Value | None, values: Sequence[Datum]) -> None:
        """Keep a row for a state, unless another keeps it."""
        cg = self._cg
        for (rows, states), count in zip(self._visits.rows, self._counts, strict=True):
            if states[0] == state:
                with cg.if_(count.get() == cg.slot("visited.room")):
                    cg.put("visited.full", cg.lift(1, I64))
                    cg.return_(FULL)
                rows.write(cg, count, group, values)

    def finish(self, groups: Value, record: Callable[[Value], Pointer]) -> None:
        """Look at the rows again, for all states that want to.

        Args:
            groups: how many groups there are.
            record: from the number of a group to its record.
        """
        cg, visits = self._cg, self._visits
        for (rows, states), count in zip(visits.rows, self._counts, strict=True):
            rows.tell(cg, count)
            moments = [(a, visits.places[s]) for s in states if isinstance(a := visits.accumulators[s], CentralMoments)]
            if not moments:
                continue
            for visit in range(VISITS + 1):
                with cg.for_range(0, groups) as group:
                    for accumulator, place in moments:
                        accumulator.settle(cg, record(group).at(place), visit)
                if visit == VISITS:
                    break
                with rows.each(cg, count) as (number, own, values):
                    found = record(cg.lift(0, I64) if own is None else own)
                    for accumulator, place in moments:
                        accumulator.revisit(cg, found.at(place), values, visit, number)
