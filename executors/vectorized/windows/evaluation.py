"""The window functions of a relation: what they share, and which code computes which."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, take
from lazyframe.executors.vectorized.expression import Expressions, Predicate
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.executors.vectorized.windows import neighbours, ranking
from lazyframe.executors.vectorized.windows.aggregates import of_frames, of_partitions
from lazyframe.executors.vectorized.windows.frames import Pieces, pieces
from lazyframe.executors.vectorized.windows.partitions import Partitions
from lazyframe.executors.vectorized.windows.ranges import RangeSearch
from lazyframe.executors.vectorized.windows.weighted import weighted
from lazyframe.planner import arrow
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.frames import DEFAULT, WHOLE, Frame
from lazyframe.planner.scalars import Scalar, SortKey, WindowCall, structure


class Evaluation:
    """Window functions over all rows of a relation. Those of one partition and order share the sort, and frames.

    Args:
        calls: the functions.
        check: raises where the query shall stop.
    """

    def __init__(self, calls: Sequence[WindowCall], check: Callable[[], None]) -> None:
        self._calls = list(calls)
        self._check = check
        self._numbers: dict[Hashable, int] = {}
        unguarded: list[Scalar] = []
        for call in self._calls:
            parts = (*call.partition, *call.order)
            # Where there is a condition, arguments are computed for its rows only: it may guard them.
            for part in parts if call.where is not None else (*parts, *call.args, *call.argument_order):
                if structure(part) not in self._numbers:
                    self._numbers[structure(part)] = len(unguarded)
                    unguarded.append(part)
        self._expressions = Expressions(unguarded)

    def columns(self, rows: Batch) -> list[pa.Array]:
        """The values of each function, in the order of the rows."""
        if not rows.length:
            return [arrow.array([], call.dtype) for call in self._calls]
        found = self._expressions.columns(rows)
        known = {key: found[number] for key, number in self._numbers.items()}
        shared: dict[Hashable, _Ordered] = {}
        results = []
        for call in self._calls:
            self._check()
            spec = tuple([tuple([part.digest for part in parts]) for parts in (call.partition, call.order)])
            if spec not in shared:
                shared[spec] = _Ordered(call, known, rows.length)
            try:
                results.append(self._column(call, shared[spec], known, rows))
            except KernelError as error:
                raise EvaluationError(error.message, hint=error.hint, site=call.site) from None
            except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
                # Strings or lists of more than 2**31 bytes or values.
                raise EvaluationError(f"{call.function}: {error}", site=call.site) from None
        return results

    def _column(self, call: WindowCall, ordered: _Ordered, known: dict[Hashable, pa.Array], rows: Batch) -> pa.Array:
        partitions = ordered.partitions
        if call.definition.is_aggregate:
            if call.takes_whole_partitions:
                return self._of_partitions(call, partitions, known, rows)
            return partitions.by_row(self._of_frames(call, ordered, known, rows))
        return partitions.by_row(_by_place(call, ordered, [known[structure(arg)] for arg in call.args]))

    def _of_partitions(
        self, call: WindowCall, partitions: Partitions, known: dict[Hashable, pa.Array], rows: Batch
    ) -> pa.Array:
        in_order = partitions.order if partitions.is_ordered else np.arange(rows.length)
        chosen, columns = self._arguments(call, known, rows, in_order)
        codes = partitions.codes.take(chosen)
        found = of_partitions(call, codes, partitions.partitions, columns)
        return take(found, partitions.codes)

    def _of_frames(self, call: WindowCall, ordered: _Ordered, known: dict[Hashable, pa.Array], rows: Batch) -> pa.Array:
        order = ordered.partitions.order
        frames = ordered.pieces(call.frame)
        chosen, columns = self._arguments(call, known, rows, order)
        if len(chosen) < len(order):
            kept = np.zeros(len(order), dtype=np.bool_)
            kept[chosen] = True
            frames = frames.among(kept.take(order))
        return of_frames(call, columns, ordered.partitions.codes.take(chosen), frames, self._check)

    def _arguments(
        self, call: WindowCall, known: dict[Hashable, pa.Array], rows: Batch, order: np.ndarray
    ) -> tuple[np.ndarray, list[pa.Array]]:
        """The rows that an aggregate takes, in an order, and its arguments and sort keys of them."""
        wanted = (*call.args, *call.argument_order)
        if call.where is None:
            return order, [take(known[structure(part)], order) for part in wanted]
        mask = Predicate(call.where).mask(rows)
        chosen = order.compress(mask.take(order))
        names = sorted(frozenset().union(*[part.columns for part in wanted]))
        return chosen, Expressions(wanted).columns(rows.select(names).take(chosen))


class _Ordered:
    """The rows as the calls of one partition and order see them."""

    def __init__(self, call: WindowCall, known: dict[Hashable, pa.Array], count: int) -> None:
        keys = [key for key in call.order if isinstance(key, SortKey)]
        columns = [known[structure(key)] for key in keys]
        self.partitions = Partitions(
            [known[structure(part)] for part in call.partition],
            columns,
            [key.descending for key in keys],
            [key.nulls_first for key in keys],
            count,
        )
        self._search: RangeSearch | None = None
        if len(keys) == 1:
            (key,), (column,) = keys, columns
            self._search = RangeSearch(self.partitions, column, key.dtype, descending=key.descending)
        self._pieces: dict[Frame, Pieces] = {}

    def pieces(self, frame: Frame | None) -> Pieces:
        """The frame of each row, by place."""
        wanted = frame or (DEFAULT if self.partitions.is_ordered else WHOLE)
        if wanted not in self._pieces:
            self._pieces[wanted] = pieces(wanted, self.partitions, self._search)
        return self._pieces[wanted]


def _by_place(call: WindowCall, ordered: _Ordered, args: list[pa.Array]) -> pa.Array:
    """The values of a function that is no aggregate, by place."""
    partitions, options = ordered.partitions, dict(call.options)
    if call.function in ranking.RANKINGS:
        return arrow.array(ranking.RANKINGS[call.function](partitions))
    args = [partitions.sorted(column) for column in args]
    match call.function:
        case "ntile":
            return ranking.ntile(partitions, args[0])
        case "lag" | "lead":
            return neighbours.shifted(
                partitions,
                args,
                forward=call.function == "lead",
                ignore_nulls=options.get("ignore_nulls", False),
                dtype=call.dtype,
            )
        case "first_value" | "last_value" | "nth_value":
            return neighbours.of_frame(call.function, args, ordered.pieces(call.frame), options)
        case "fill":
            return neighbours.filled(partitions, args[0], options)
        case "ewm_mean" | "ewm_var" | "ewm_std":
            return weighted(call.function, partitions, args[0], options)
    raise AssertionError(f"no kernel for the window function {call.function}")
