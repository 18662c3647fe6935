"""What is counted while a query runs that is to be explained: rows and time of each node, and what scans left out."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from lazyframe.executors.batch import Batch
from lazyframe.executors.pipeline import Sink, Source, computes, known_rows
from lazyframe.executors.sources.source import ScanMetrics, Split
from lazyframe.planner.relations import Plan


class Measurements:
    """Of each node, by its digest.

    Attributes:
        rows: how many it gave, to all who read it.
        seconds: the processor time that all threads together took for it.
        rows_left_out: how many rows a scan did not give because of what joins and sorts above it know.
        groups_left_out: how many row groups it did not read because of that.
        replanned: each time when what was left of the plan was planned anew, why, and the plan.
    """

    def __init__(self) -> None:
        self.rows: dict[bytes, int] = defaultdict(int)
        self.seconds: dict[bytes, float] = defaultdict(float)
        self.rows_left_out: dict[bytes, int] = defaultdict(int)
        self.groups_left_out: dict[bytes, int] = defaultdict(int)
        self.replanned: list[tuple[str, Plan]] = []
        self._lock = threading.Lock()
        self._lap = threading.local()

    def count_rows(self, digest: bytes, rows: int) -> None:
        """Count rows that a node gave, and what this thread did since its last call here as work on the node."""
        now = time.thread_time()
        with self._lock:
            self.rows[digest] += rows
            self.seconds[digest] += now - getattr(self._lap, "began", now)
        self._lap.began = now

    def leave_out(self, digest: bytes, *, rows: int = 0, groups: int = 0) -> None:
        with self._lock:
            self.rows_left_out[digest] += rows
            self.groups_left_out[digest] += groups
        self.count_rows(digest, 0)

    def begin(self) -> None:
        """Say that this thread has waited or worked on something else, and now begins."""
        self._lap.began = time.thread_time()


class CountRows:
    """A transform that counts the rows that a node gives."""

    def __init__(self, measured: Measurements, digest: bytes) -> None:
        self._measured = measured
        self._digest = digest

    def process(self, batch: Batch) -> Batch:
        self.count(batch.length)
        return batch

    def count(self, rows: int) -> None:
        self._measured.count_rows(self._digest, rows)


class TimedSource:
    """A source of which is noted when a thread begins to read a split."""

    __slots__ = ("_measured", "_source")

    def __init__(self, source: Source, measured: Measurements) -> None:
        self._source = source
        self._measured = measured

    @property
    def computes(self) -> bool:
        return computes(self._source)

    def splits(self) -> Sequence[Split]:
        return [_TimedSplit(split, self._measured) for split in self._source.splits()]

    def known_rows(self) -> float | None:
        return known_rows(self._source)


class _TimedSplit:
    __slots__ = ("_measured", "_split")

    def __init__(self, split: Split, measured: Measurements) -> None:
        self._split = split
        self._measured = measured

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        self._measured.begin()
        yield from self._split.read(metrics)


class TimedSink:
    """A sink whose work counts as that of a node."""

    def __init__(self, sink: Sink, measured: Measurements, digest: bytes) -> None:
        self._sink = sink
        self._measured = measured
        self._digest = digest
        self.start = sink.start

    def push(self, state: Any, batch: Batch) -> None:
        self._sink.push(state, batch)
        self._measured.count_rows(self._digest, 0)

    def merge(self, state: Any) -> bool:
        self._measured.begin()
        done = self._sink.merge(state)
        self._measured.count_rows(self._digest, 0)
        return done

    def finish(self) -> Source:
        self._measured.begin()
        found = self._sink.finish()
        self._measured.count_rows(self._digest, 0)
        return found
