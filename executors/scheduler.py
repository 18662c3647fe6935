"""Running a pipeline on threads, with results that do not depend on their number.

Workers take splits in order. What must happen in order happens by tickets: a worker waits for its split's turn. The split
with the lowest number never waits, so there is always one that goes on. How far workers run ahead is bounded, which bounds
memory.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiling import compiled
from lazyframe.executors.context import Context
from lazyframe.executors.opened_scan import opened
from lazyframe.executors.pipeline import (
    AnyTransform,
    OrderedTransform,
    Pipeline,
    Sink,
    Source,
    Stream,
    computes,
    flow,
    is_ordered,
    known_rows,
)
from lazyframe.executors.placement import SPLITS, Placement
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics, Split
from lazyframe.executors.threads import Task, free, start
from lazyframe.executors.vectorized.operators.join import Probe
from lazyframe.planner.errors import QueryCancelledError
from lazyframe.planner.schema import Schema

_POLL_SECONDS = 0.05
_GRACE_SECONDS = 0.03
_MANY_TO_LOOK_UP = 1000
_MANY_ROWS = 2 * MORSEL_ROWS
"""A sink that was given more rows than this may take long to finish."""


def run(pipeline: Pipeline, context: Context) -> None:
    """Run a pipeline to its end. Afterwards it is the source of its result."""
    splits, pipeline.transforms, pipeline.sink = _prepared(
        pipeline.source, pipeline.transforms, pipeline.schemas, pipeline.sink, context
    )
    if _runs_here(splits, pipeline.transforms, pipeline.sink, context):
        if _run_here(pipeline, splits, context) <= _MANY_ROWS:
            _finish(pipeline, context)
            return
    else:
        _Work(pipeline.transforms, pipeline.sink, splits, context).run_on_threads()
    # The end of a sort may take long; a Ctrl-C must reach this thread meanwhile.
    _wait(start(_finish, pipeline, context), context)


def _is_native(splits: Sequence[Split], transforms: Sequence[AnyTransform], sink: Sink) -> bool:
    """Whether kernels do all the work, over rows in memory or in files of this machine."""
    steps = (*transforms, sink)
    return all(getattr(step, "is_native", False) for step in steps) and all(
        getattr(split, "is_near", False) for split in splits
    )


def _finish(pipeline: Pipeline, context: Context) -> None:
    with free(context.threads):
        pipeline.finish()


def _runs_here(
    splits: Sequence[Split], transforms: Sequence[AnyTransform], sink: Sink | None, context: Context
) -> bool:
    """Whether a pipeline runs on the thread that asked for it: where others would not help, and a Ctrl-C is soon seen."""
    if context.threads > 1 and len(splits) > 1:
        return False
    return not any(getattr(step, "may_take_long", False) for step in (*transforms, sink))


def _prepared(
    source: Source,
    transforms: Sequence[AnyTransform],
    schemas: Sequence[Schema | None],
    sink: Sink | None,
    context: Context,
) -> tuple[Sequence[Split], Sequence[AnyTransform], Any]:
    """The splits of a source, and what is done with them, by kernels where rows are many."""
    # Of what is computed first it is known afterwards how many rows there are.
    found = _splits(source, context) if computes(source) else None
    if not context.compiles(_rows_of(known_rows(source), transforms)):
        return _splits(source, context) if found is None else found, transforms, sink
    if found is None:
        source, transforms, schemas = opened(source, transforms, schemas)
        found = _splits(source, context)
    return compiled(found, transforms, schemas, sink, context)


def _rows_of(read: float | None, transforms: Sequence[AnyTransform]) -> float | None:
    """How many rows a pipeline works on: those it reads, or those of a build side whose table of keys is still to be made."""
    if read is None or read < _MANY_TO_LOOK_UP:
        return read
    return max([read, *[t.build.rows_to_enter for t in transforms if isinstance(t, Probe)]])


def _splits(source: Source, context: Context) -> Sequence[Split]:
    if not computes(source):
        return source.splits()
    found: list[Sequence[Split]] = []
    _wait(start(lambda: found.append(source.splits())), context)
    return found[0]


def stream(source: Stream, context: Context) -> Iterator[Batch]:
    """The batches of a stream in row order, computed on threads while they are consumed."""
    splits, transforms, _ = _prepared(source.source, source.transforms, source.schemas, None, context)
    if _runs_here(splits, transforms, None, context):
        yield from _stream_here(transforms, splits, context)
        return
    sink = _QueueSink(context)
    work = _Work(transforms, sink, splits, context)

    def drive() -> None:
        try:
            work.run_on_threads()
        finally:
            sink.close()

    driver = start(drive)
    try:
        yield from sink.batches()
        driver.result()
    finally:
        if not sink.closed:
            context.cancel("the result was no longer wanted")
            driver.wait()


def _run_here(pipeline: Pipeline, splits: Sequence[Split], context: Context) -> int:
    """Run a pipeline on this thread; gives how many rows its sink was given."""
    sink = pipeline.sink
    chain, ordered = _on_one_thread(pipeline.transforms)
    rows = 0
    for split in splits if not _is_done(ordered) else ():
        state = sink.start()
        for batch in _read_here(split, chain, ordered, context):
            sink.push(state, batch)
            rows += batch.length
        if sink.merge(state) or _is_done(ordered):
            break
    return rows


def _stream_here(transforms: Sequence[AnyTransform], splits: Sequence[Split], context: Context) -> Iterator[Batch]:
    chain, ordered = _on_one_thread(transforms)
    for split in splits if not _is_done(ordered) else ():
        for batch in _read_here(split, chain, ordered, context):
            if batch.length:
                yield batch
        if _is_done(ordered):
            break


def _read_here(split: Split, chain: list[Any], ordered: list[_InOrder], context: Context) -> Iterator[Batch]:
    """The batches of a split through transforms, until a limit among these is reached."""
    metrics = ScanMetrics()
    for batch in split.read(metrics):
        for piece in flow(batch, chain):
            context.check()
            yield piece
        if _is_done(ordered):
            break
    context.metrics.add(metrics)


def _on_one_thread(transforms: Sequence[AnyTransform]) -> tuple[list[Any], list[_InOrder]]:
    """Transforms for splits that one thread reads one after the other, and which of them are ordered."""
    chain = [_InOrder(t) if is_ordered(t) else t for t in transforms]
    return chain, [t for t in chain if isinstance(t, _InOrder)]


def _is_done(ordered: list[_InOrder]) -> bool:
    """Whether a limit is reached, so that nothing more need be read."""
    return bool(ordered) and any(t.is_done() for t in ordered)


def _wait(task: Task, context: Context) -> None:
    try:
        while not task.wait(_POLL_SECONDS):
            context.check()
    except KeyboardInterrupt:
        context.cancel("interrupted")
        raise
    task.result()


class _QueueSink:
    """Hands the batches of each split to the consumer, and waits while it has enough."""

    def __init__(self, context: Context) -> None:
        self.closed = False
        self._queue: queue.Queue[list[Batch]] = queue.Queue(maxsize=2)
        self._context = context

    def batches(self) -> Iterator[Batch]:
        """What the consumer takes, until the sink is closed and empty."""
        while not (self.closed and self._queue.empty()):
            try:
                batches = self._queue.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            yield from batches

    def close(self) -> None:
        """Say that nothing more comes."""
        self.closed = True
        # Wakes a consumer that waits; where the queue is full, none does.
        with suppress(queue.Full):
            self._queue.put_nowait([])

    def start(self) -> list[Batch]:
        return []

    def push(self, state: list[Batch], batch: Batch) -> None:
        if batch.length:
            state.append(batch)

    def merge(self, state: list[Batch]) -> bool:
        while state:
            try:
                self._queue.put(state, timeout=_POLL_SECONDS)
                break
            except queue.Full:
                self._context.check()
        return False

    def finish(self) -> Any:
        raise AssertionError("a stream has no result of its own")


class _Work:
    """The splits of one pipeline, and how far they are."""

    def __init__(
        self,
        transforms: Sequence[AnyTransform],
        sink: Sink,
        splits: Sequence[Split],
        context: Context,
    ) -> None:
        self.sink = sink
        self.placement = Placement(
            min(context.threads, len(splits)),
            wanted=_is_native(splits, transforms, sink),
            reads=not all(getattr(split, "in_memory", False) for split in splits),
        )
        self.splits = splits
        self.context = context
        self.sections, self.ordered = _sections(transforms)
        self.changed = threading.Condition()
        # Who waits for the end is not woken by every split: it would take the interpreter from those that work.
        self.ended = threading.Event()
        self.turns = [0] * len(self.ordered)
        self.next_split = 0
        self.next_merge = 0
        self.merging = False
        self.complete: dict[int, Any] = {}
        # A limit of no rows is done before anything is read.
        self.last = 0 if any(t.is_done() for t in self.ordered) else len(splits)
        self.errors: dict[int, BaseException] = {}

    def run_on_threads(self) -> None:
        context = self.context
        workers = min(context.threads, len(self.splits))
        # Where reading may stop early, begin with one worker and let the others come as results are not yet enough.
        eager = not any(t.may_end_early for t in self.ordered)
        tasks = [start(self._work, index, 0 if eager else index) for index in range(workers)]
        try:
            with suppress(QueryCancelledError):
                while not self._is_over() and not context.is_cancelled:
                    self.ended.wait(_POLL_SECONDS)
                    context.check()
            with self.changed:
                # Of errors the first in row order counts, and none of those in rows that a limit leaves out.
                failure = self.errors.get(self.next_merge) if self.next_merge < self.last else None
        except BaseException:
            context.cancel("interrupted")
            raise
        finally:
            with self.changed:
                self.last = min(self.last, self.next_merge)
                self.changed.notify_all()
            # A worker in the midst of a long kernel is not waited for where the query is given up: its work goes nowhere.
            patience = time.monotonic() + _GRACE_SECONDS if context.is_cancelled else None
            for task in tasks:
                task.wait(None if patience is None else max(patience - time.monotonic(), 0))
        if failure is not None:
            raise failure
        context.check()

    def _is_over(self) -> bool:
        return self.next_merge >= self.last or self.next_merge in self.errors

    def _tell(self) -> None:
        """Wake whom a change concerns. The lock is held."""
        self.changed.notify_all()
        if self._is_over():
            self.ended.set()

    def _work(self, number: int, patience: int) -> None:
        placed = self.placement.begin(number)
        try:
            if placed and self._worker(patience, SPLITS):
                return
        finally:
            if placed:
                self.placement.end()
        self._worker(patience)

    def _worker(self, patience: int, most: int | None = None) -> bool:
        """Take split after split, as long as there are any, or so many; gives whether there are no more."""
        taken = 0
        while most is None or taken < most:
            taken += 1
            with self.changed:
                window = 2 * self.context.threads + 2
                while (
                    self.next_split < self.last
                    and not self.errors
                    and not self.context.is_cancelled
                    and (self.next_split - self.next_merge >= window or self.next_merge < patience)
                ):
                    self.changed.wait()
                if self.next_split >= self.last or self.errors or self.context.is_cancelled:
                    return True
                number = self.next_split
                self.next_split += 1
            try:
                state, metrics = self._process(number)
            except BaseException as error:  # noqa: BLE001 - raised where the pipeline was started
                with self.changed:
                    if not isinstance(error, _Stopped):
                        self.errors[number] = error
                    self._tell()
                return True
            with self.changed:
                self.complete[number] = (state, metrics)
            self._merge_complete()
        return False

    def _process(self, number: int) -> tuple[Any, ScanMetrics]:
        metrics = ScanMetrics()
        state = self.sink.start()
        if not self.ordered:
            for batch in self._flow(number, 0, self.splits[number].read(metrics)):
                self.sink.push(state, batch)
            return state, metrics
        batches = list(self._flow(number, 0, self.splits[number].read(metrics)))
        for index, ordered in enumerate(self.ordered[:-1]):
            batches = list(self._flow(number, index + 1, self._in_turn(number, index, ordered, batches)))
        last = len(self.ordered) - 1
        for batch in self._flow(number, last + 1, self._in_turn(number, last, self.ordered[last], batches)):
            self.sink.push(state, batch)
        return state, metrics

    def _flow(self, number: int, section: int, batches: Iterable[Batch]) -> Iterator[Batch]:
        for batch in batches:
            for piece in flow(batch, self.sections[section]):
                self._check(number)
                yield piece

    def _in_turn(self, number: int, index: int, ordered: OrderedTransform, batches: list[Batch]) -> list[Batch]:
        with self.changed:
            while self.turns[index] != number:
                if self.context.is_cancelled or number >= self.last or any(n < number for n in self.errors):
                    raise _Stopped
                self.changed.wait(_POLL_SECONDS)
        # It is this split's turn alone, so no lock is needed while it is worked on.
        done = [ordered.process_in_order(batch) for batch in batches]
        with self.changed:
            self.turns[index] = number + 1
            if ordered.is_done():
                self.last = min(self.last, number + 1)
            self._tell()
        return done

    def _check(self, number: int) -> None:
        if self.context.is_cancelled or number >= self.last:
            raise _Stopped

    def _merge_complete(self) -> None:
        """Merge what is complete and next in order, unless another thread is at it."""
        while True:
            with self.changed:
                if self.merging or self.next_merge not in self.complete or self.next_merge >= self.last:
                    return
                self.merging = True
                state, metrics = self.complete.pop(self.next_merge)
            number = self.next_merge
            try:
                done = self.sink.merge(state)
            except BaseException as error:  # noqa: BLE001 - raised where the pipeline was started
                with self.changed:
                    self.errors[number] = error
                    self.merging = False
                    self._tell()
                return
            with self.changed:
                self.context.metrics.add(metrics)
                self.merging = False
                if done:
                    self.last = number + 1
                self.next_merge = number + 1
                self._tell()


class _InOrder:
    """An ordered transform where there is but one thread."""

    def __init__(self, transform: Any) -> None:
        self.process = transform.process_in_order
        self.is_done = transform.is_done


class _Stopped(Exception):
    """A split that is no longer needed."""


def _sections(
    transforms: Sequence[AnyTransform],
) -> tuple[list[list[Any]], list[OrderedTransform]]:
    """Transforms in runs, with an ordered one between each run and the next."""
    sections: list[list[Any]] = [[]]
    ordered: list[OrderedTransform] = []
    for transform in transforms:
        if is_ordered(transform):
            ordered.append(transform)  # type: ignore[arg-type]
            sections.append([])
        else:
            sections[-1].append(transform)
    return sections, ordered
