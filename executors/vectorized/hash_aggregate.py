"""Grouped aggregation: the core of the sink.

Morsels become partials in any thread; partials are combined in row order; the last one becomes the result. Groups come out
in the order in which their keys first appear.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import Batch, concat_arrays
from lazyframe.executors.vectorized.aggregates import Aggregate, Groups, Need, Rows, implementation
from lazyframe.executors.vectorized.aggregates.collected import Collection
from lazyframe.executors.vectorized.aggregates.state import Numbering
from lazyframe.executors.vectorized.expression import Expressions, Predicate
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.executors.vectorized.keys import encode
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.graph import postorder
from lazyframe.planner.parameters import Literals
from lazyframe.planner.scalars import AggregateCall, Column, Scalar, structure


@dataclass(frozen=True, slots=True)
class Partial:
    """What is known of the groups of some rows. Never changed after it is made.

    Its length is how many rows it holds: its groups, or what is collected of them where that is more.

    Attributes:
        keys: the key columns, one row a group, in order of first appearance.
        count: how many groups there are.
        states: of each state of the aggregation, its value over all groups.
    """

    keys: list[pa.Array]
    count: int
    states: list[Any]

    def __len__(self) -> int:
        return max([self.count, *[len(state) for state in self.states if isinstance(state, Collection)]])

    @property
    def nbytes(self) -> int:
        """The memory it holds on to."""
        return sum(map(_nbytes, (self.keys, self.states)))


def _nbytes(value: Any) -> int:
    if isinstance(value, (pa.Array, np.ndarray, Collection)):
        return value.nbytes
    return sum(map(_nbytes, value)) if isinstance(value, (tuple, list)) else 0


class Feed:
    """The argument columns of all aggregates that look at the same rows."""

    def __init__(self, where: Scalar | None) -> None:
        self.where = where
        self.arguments: dict[Hashable, int] = {}
        self.expressions: list[Scalar] = []

    def number(self, scalar: Scalar) -> int:
        """Which column an argument is."""
        key = structure(scalar)
        if key not in self.arguments:
            self.arguments[key] = len(self.expressions)
            self.expressions.append(scalar)
        return self.arguments[key]


class Kept(NamedTuple):
    """A state of the aggregation: which feed it is computed from, and what it needs of it."""

    feed: int
    need: Need


class _Output(NamedTuple):
    """One aggregate: the states it rests on."""

    name: str
    call: AggregateCall
    aggregate: Aggregate
    states: list[int]


class GroupedAggregation:
    """Aggregates of the groups of rows that have equal keys.

    Equal expressions and equal states are computed once, for all aggregates that need them.

    Args:
        keys: names and expressions; without any, all rows are one group, which is there even if no row is.
        aggregates: names and calls.

    Attributes:
        feeds: the argument columns, by the rows they are of.
        kept: the states that are kept of each group.
        scalars: all expressions that are computed of a row.
        parameters: the values of placeholders in them.
    """

    def __init__(self, keys: Sequence[tuple[str, Scalar]], aggregates: Sequence[tuple[str, AggregateCall]]) -> None:
        self.keys = list(keys)
        self._keys = [(name, key.dtype) for name, key in keys]
        everything = Feed(None)
        self.feeds = feeds = [everything]
        places: dict[bytes | None, int] = {None: 0}
        kept: dict[Kept, int] = {}
        self._outputs: list[_Output] = []
        for name, call in aggregates:
            where = None if call.where is None else call.where.digest
            place = places.setdefault(where, len(feeds))
            if place == len(feeds):
                feeds.append(Feed(call.where))
            numbers = [feeds[place].number(scalar) for scalar in (*call.args, *call.order)]
            aggregate = implementation(call)
            states = []
            for state, columns, present in aggregate.needs:
                need = Need(state, tuple([numbers[i] for i in columns]), tuple([numbers[i] for i in present]))
                states.append(kept.setdefault(Kept(place, need), len(kept)))
            self._outputs.append(_Output(name, call, aggregate, states))
        self.kept = list(kept)
        self._main = Expressions([*[key for _, key in keys], *everything.expressions])
        self._filtered = [
            (Predicate(feed.where), Expressions(feed.expressions), _columns(feed.expressions))
            for feed in feeds
            if feed.where is not None
        ]
        self.scalars = [key for _, key in keys]
        for feed in feeds:
            self.scalars += feed.expressions if feed.where is None else [*feed.expressions, feed.where]

    @property
    def parameters(self) -> Literals:
        return self._main.parameters

    def with_parameters(self, parameters: Literals) -> GroupedAggregation:
        """The same with other values of placeholders."""
        found = copy(self)
        found._main = self._main.with_parameters(parameters)
        found._filtered = [
            (predicate.with_parameters(parameters), expressions.with_parameters(parameters), names)
            for predicate, expressions, names in self._filtered
        ]
        return found

    def of_pairs(self, arguments: Sequence[int], kept: Sequence[Kept]) -> GroupedAggregation:
        """Some of the states, of the groups of rows that are equal in some arguments besides the keys.

        Args:
            arguments: which of those of all rows.
            kept: the states. There are no results.
        """
        found = copy(self)
        found.keys = [*self.keys, *[(f"argument {i}", self.feeds[0].expressions[i]) for i in arguments]]
        found._keys = [(name, key.dtype) for name, key in found.keys]
        found.kept = list(kept)
        found._outputs = []
        found._main = Expressions([*[key for _, key in found.keys], *self.feeds[0].expressions])
        found._main = found._main.with_parameters(self.parameters)
        return found

    def partial(self, batch: Batch) -> Partial:
        """What the rows of one batch say. Safe to call in several threads.

        Raises:
            EvaluationError: at the site of the expression that has no answer for a row.
        """
        found = self._main.columns(batch)
        keys, arguments = found[: len(self._keys)], found[len(self._keys) :]
        if keys:
            codes = encode(keys, batch.length)
            groups = Groups(codes.codes, batch.length, codes.count)
            keys = rows_of(keys, codes.first)
        else:
            groups = Groups(None, batch.length, 1)
        feeds = [Rows(groups, arguments)]
        for predicate, expressions, names in self._filtered:
            rows = np.flatnonzero(predicate.mask(batch))
            if len(rows) == batch.length:
                feeds.append(Rows(groups, expressions.columns(batch)))
                continue
            # Arguments are computed for these rows only: the condition may guard them.
            chosen = Batch({name: batch.columns[name] for name in names}, batch.length).take(rows)
            feeds.append(Rows(groups.take(rows), expressions.columns(chosen)))
        views = [feeds[kept.feed].view(kept.need.columns, kept.need.present) for kept in self.kept]
        states = [kept.need.state.start(view) for kept, view in zip(self.kept, views, strict=True)]
        return Partial(keys, groups.count, states)

    def partials(self, batch: Batch) -> list[Partial]:
        return [self.partial(batch)]

    def combine(self, partials: Sequence[Partial]) -> Partial:
        """What several partials say together; they are given in row order.

        The same partials give the same bits; groups keep the order of first appearance.
        """
        if not partials:
            return self.partial(self._no_rows())
        if len(partials) == 1:
            return partials[0]
        keys = [
            concat_arrays([partial.keys[i] for partial in partials], dtype) for i, (_, dtype) in enumerate(self._keys)
        ]
        sizes = [partial.count for partial in partials]
        if keys:
            codes = encode(keys, sum(sizes))
            keys = rows_of(keys, codes.first)
            groups = Groups(codes.codes, sum(sizes), codes.count)
        else:
            groups = Groups(None, len(partials), 1)
        into = Numbering(np.split(groups.codes, np.cumsum(sizes)[:-1]), groups)
        states = [kept.need.state.merge([p.states[i] for p in partials], into) for i, kept in enumerate(self.kept)]
        return Partial(keys, groups.count, states)

    def finish(self, partial: Partial) -> Batch:
        """The result: the keys, then the aggregates, one row a group.

        Raises:
            EvaluationError: at the site of the aggregate whose value does not fit in its type.
        """
        columns = dict(zip([name for name, _ in self._keys], partial.keys, strict=True))
        for name, call, aggregate, states in self._outputs:
            try:
                columns[name] = aggregate.finish([partial.states[number] for number in states])
            except KernelError as error:
                raise EvaluationError(error.message, site=call.site) from None
            except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
                # Strings or lists of more than 2**31 bytes or values.
                raise EvaluationError(f"{call.function}: {error}", site=call.site) from None
        return Batch(columns, partial.count)

    def _no_rows(self) -> Batch:
        return Batch({name: pa.nulls(0, dtype) for name, dtype in _columns(self.scalars).items()}, 0)


def rows_of(columns: Sequence[pa.Array], rows: npt.NDArray[np.int64]) -> list[pa.Array]:
    """Some rows of columns, not dictionary-encoded any more: few are left of a large dictionary."""
    indices = arrow.array(rows)
    found = [pc.array_take(column, indices) for column in columns]
    return [pc.dictionary_decode(column) if isinstance(column, pa.DictionaryArray) else column for column in found]


def _columns(scalars: Sequence[Scalar]) -> dict[str, pa.DataType]:
    """The columns that expressions read, with their types."""
    nodes: Callable[[Scalar], list[Scalar]] = postorder
    return {node.name: node.dtype for scalar in scalars for node in nodes(scalar) if isinstance(node, Column)}
