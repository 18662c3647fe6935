"""Sources, transforms and sinks for tests of pipelines, which note what happens to them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.pipeline import Batches
from lazyframe.planner.schema import Field, Schema

SCHEMA = Schema([Field("x", pa.int64())])


def batch(*values: int) -> Batch:
    return Batch({"x": pa.array(values, pa.int64())}, len(values))


def values(found: Batch) -> list[int]:
    return found["x"].to_pylist()


class Numbers:
    """A source of one split for each number; `before` is called in the worker, before a split gives its batch."""

    def __init__(self, count: int, before: Callable[[int], object] = lambda number: None) -> None:
        self.count = count
        self.before = before
        self.read: list[int] = []

    def splits(self) -> list[_Number]:
        return [_Number(self, number) for number in range(self.count)]


class _Number:
    def __init__(self, source: Numbers, number: int) -> None:
        self.source = source
        self.number = number

    def read(self, metrics: object) -> Iterator[Batch]:
        self.source.read.append(self.number)
        self.source.before(self.number)
        metrics.rows += 1
        yield batch(self.number)


class Noted:
    """A sink that notes what is pushed and merged, and in which order."""

    def __init__(self, enough: int | None = None, failing: int | None = None) -> None:
        self.merged: list[int] = []
        self.pushed: set[int] = set()
        self.enough = enough
        self.failing = failing
        self.merging = threading.Lock()

    def start(self) -> list[int]:
        return []

    def push(self, state: list[int], found: Batch) -> None:
        state.extend(values(found))
        self.pushed.update(state)

    def merge(self, state: list[int]) -> bool:
        assert self.merging.acquire(blocking=False), "two merges at a time"
        try:
            if self.failing in state:
                raise ValueError(f"merge {state}")
            self.merged.extend(state)
            return self.enough is not None and len(self.merged) >= self.enough
        finally:
            self.merging.release()

    def finish(self) -> Batches:
        return Batches([batch(*self.merged)])


class Times:
    """A transform that multiplies."""

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def process(self, found: Batch) -> Batch:
        return batch(*[self.factor * v for v in values(found)])


class Failing:
    """A transform that raises for some values."""

    def __init__(self, *bad: int) -> None:
        self.bad = bad

    def process(self, found: Batch) -> Batch:
        for value in values(found):
            if value in self.bad:
                raise ValueError(f"value {value}")
        return found


class Copies:
    """An expansion: each row several times, each in a batch of its own."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.given = 0

    def expand(self, found: Batch) -> Iterator[Batch]:
        for _ in range(self.count):
            self.given += 1
            yield found


class Numbered:
    """An ordered transform: each value plus a thousand times its place in the order; done after so many rows."""

    may_end_early = True

    def __init__(self, enough: int | None = None) -> None:
        self.seen: list[int] = []
        self.enough = enough

    def process_in_order(self, found: Batch) -> Batch:
        kept = values(found)
        if self.enough is not None:
            kept = kept[: self.enough - len(self.seen)]
        start = len(self.seen)
        self.seen.extend(kept)
        return batch(*[v + 1000 * (start + place) for place, v in enumerate(kept)])

    def is_done(self) -> bool:
        return self.enough is not None and len(self.seen) >= self.enough
