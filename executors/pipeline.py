"""Pipelines: a source, transforms that take one batch at a time, and a sink that takes them all.

A pipeline is run split by split. Everything about a split may happen in any thread and at any time, except for two things
that happen in the order of the splits, one split at a time: what an `OrderedTransform` does, and `Sink.merge`. So results do
not depend on how many threads there are or which of them was faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiling import compiled
from lazyframe.executors.context import Context
from lazyframe.executors.sources.source import ScanMetrics, Split
from lazyframe.planner.relations import Plan
from lazyframe.planner.schema import Schema


class Source(Protocol):
    """Where batches come from."""

    def splits(self) -> Sequence[Split]: ...


class Transform(Protocol):
    """Stateless: a batch in, a batch out."""

    def process(self, batch: Batch) -> Batch: ...


class Expansion(Protocol):
    """A stateless transform that may give many more rows than it gets, and so gives them in several batches."""

    def expand(self, batch: Batch) -> Iterator[Batch]: ...


class OrderedTransform(Protocol):
    """A transform that sees all batches in row order, such as a row number or a limit."""

    may_end_early: bool
    """Whether `is_done` may come to be true: then workers start one after the other instead of all at once."""

    def process_in_order(self, batch: Batch) -> Batch: ...

    def is_done(self) -> bool:
        """Whether no later batch can matter, so that reading may stop."""
        ...


AnyTransform = Transform | Expansion | OrderedTransform


class Sink(Protocol):
    """What takes all batches of a pipeline: a breaker."""

    def start(self) -> Any:
        """The state of a split that nothing was pushed to."""
        ...

    def push(self, state: Any, batch: Batch) -> None:
        """Take a batch of the split. Called in row order within the split."""
        ...

    def merge(self, state: Any) -> bool:
        """Take the state of a split that is complete. Called in the order of the splits, one at a time.

        Returns:
            Whether no later split can matter, so that reading may stop.
        """
        ...

    def finish(self) -> Source:
        """What came of it, after the last merge."""
        ...


class Held(Protocol):
    """Who has all rows of a side of a join."""

    rows: Batch


class Pipeline:
    """A source, transforms and a sink. After it has run, it is the source of what its sink made.

    `gives` is the node of the plan all of whose rows it has in memory when it has run, where it is such a pipeline, and `held`
    who has them where they are not its result. `schemas` are the columns of the source and behind each transform, where known, and
    `of` is the node that it is a part of.
    """

    __slots__ = ("_result", "gives", "held", "of", "schema", "schemas", "sink", "source", "transforms")

    def __init__(
        self,
        source: Source,
        transforms: Sequence[AnyTransform],
        sink: Sink,
        schema: Schema,
        gives: Plan | None = None,
        held: Held | None = None,
        schemas: Sequence[Schema | None] = (),
        of: Plan | None = None,
    ) -> None:
        self.gives = gives
        self.of = of
        self.schemas = schemas
        self.held = held
        self.source = source
        self.transforms: Sequence[AnyTransform] = list(transforms)
        self.sink = sink
        self.schema = schema
        self._result: Source | None = None

    def finish(self) -> None:
        self._result = self.sink.finish()
        # Only the result is needed any more: let go of what was read.
        self.transforms = []
        self.sink = self.source = None  # type: ignore[assignment]

    def splits(self) -> Sequence[Split]:
        assert self._result is not None, "a pipeline is read before it has run"
        return self._result.splits()

    def known_rows(self) -> float | None:
        """How many rows it gives, when it has run and these are in memory."""
        return known_rows(self._result)

    def rows_given(self) -> list[Batch] | None:
        """The rows of the node that it gives, after it has run; None where they are not in memory."""
        if self.held is not None:
            return [self.held.rows]
        return list(self._result.batches) if isinstance(self._result, Batches) else None

    def batches(self) -> list[Batch]:
        """What its sink made, at once."""
        metrics = ScanMetrics()
        return [batch for split in self.splits() for batch in split.read(metrics)]


class Stream:
    """A relation that is read while it is computed: a source and the transforms on the way.

    A stream is one transform more than another, so that a chain of thousands takes memory for each transform once.

    Attributes:
        schema: its columns, where known.
    """

    __slots__ = ("_before", "_own", "schema", "source")

    def __init__(self, source: Source, transforms: Sequence[AnyTransform] = (), schema: Schema | None = None) -> None:
        self.source = source
        self.schema = schema
        self._own = tuple(transforms)
        self._before: Stream | None = None

    def then(self, transform: AnyTransform, schema: Schema | None = None) -> Stream:
        longer = Stream(self.source, (transform,), schema)
        longer._before = self
        return longer

    @property
    def transforms(self) -> tuple[AnyTransform, ...]:
        found: list[AnyTransform] = []
        stream: Stream | None = self
        while stream is not None:
            found.extend(reversed(stream._own))
            stream = stream._before
        return tuple(reversed(found))

    @property
    def schemas(self) -> list[Schema | None]:
        """The columns of the source, and behind each transform, where known."""
        found: list[Schema | None] = []
        stream: Stream | None = self
        while stream is not None:
            found.append(stream.schema)
            found.extend([None] * (len(stream._own) - (stream._before is not None)))
            stream = stream._before
        return found[::-1]

    @property
    def is_ordered(self) -> bool:
        return any(is_ordered(t) for t in self.transforms)


def is_ordered(transform: AnyTransform) -> bool:
    return hasattr(transform, "process_in_order")


class Batches:
    """Batches in memory as a source: one split each."""

    __slots__ = ("batches",)

    def __init__(self, batches: Sequence[Batch]) -> None:
        self.batches = batches

    def splits(self) -> Sequence[Split]:
        return [_InMemory(batch) for batch in self.batches]

    def known_rows(self) -> int:
        return sum(batch.length for batch in self.batches)


class _InMemory:
    __slots__ = ("batch",)
    in_memory = is_near = True

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        yield self.batch


def known_rows(source: Source | None) -> float | None:
    """About how many rows a source will give, where that is known before it is read."""
    function = getattr(source, "known_rows", None)
    return None if function is None else function()


def computes(source: Source) -> bool:
    """Whether asking for its splits may take long."""
    return getattr(source, "computes", False)


class Computed:
    """A source that is computed by a function when it is first read, after the pipelines it depends on."""

    __slots__ = ("_function", "_rows", "_splits")
    computes = True

    def __init__(self, function: Callable[[], Source]) -> None:
        self._function = function
        self._splits: Sequence[Split] | None = None
        self._rows: float | None = None

    def splits(self) -> Sequence[Split]:
        if self._splits is None:
            found = self._function()
            self._splits, self._rows = found.splits(), known_rows(found)
        return self._splits

    def known_rows(self) -> float | None:
        return self._rows


class Concatenated:
    """The rows of several streams, one after the other."""

    __slots__ = ("context", "streams")

    def __init__(self, streams: Sequence[Stream], context: Context) -> None:
        assert not any(stream.is_ordered for stream in streams)
        self.streams = streams
        self.context = context

    @property
    def computes(self) -> bool:
        return any(computes(stream.source) for stream in self.streams)

    def known_rows(self) -> float | None:
        found = [rows for stream in self.streams if (rows := known_rows(stream.source)) is not None]
        return sum(found) if found else None

    def splits(self) -> Sequence[Split]:
        found: list[Split] = []
        for stream in self.streams:
            splits: Sequence[Split] = stream.source.splits()
            transforms: Sequence[AnyTransform] = stream.transforms
            if self.context.compiles(known_rows(stream.source)):
                splits, transforms, _ = compiled(splits, transforms, stream.schemas, None, self.context)
            found.extend([_Transformed(split, transforms) for split in splits] if transforms else splits)
        return found


class _Transformed:
    __slots__ = ("split", "transforms")

    def __init__(self, split: Split, transforms: Sequence[Any]) -> None:
        self.split = split
        self.transforms = transforms

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        for batch in self.split.read(metrics):
            yield from flow(batch, self.transforms)


def flow(batch: Batch, transforms: Sequence[Any]) -> Iterator[Batch]:
    """A batch through transforms, one after the other, without making more than one batch of an expansion at a time."""
    stack: list[tuple[Iterator[Batch], int]] = []
    position = 0
    while True:
        for index in range(position, len(transforms)):
            transform = transforms[index]
            if hasattr(transform, "expand"):
                stack.append((transform.expand(batch), index + 1))
                break
            batch = transform.process(batch)
            if stack and hasattr(transform, "is_done") and transform.is_done():
                # A limit is reached: what stands before it has no more to give that matters.
                stack.clear()
        else:
            yield batch
        while stack:
            batches, position = stack[-1]
            following = next(batches, None)
            if following is not None:
                batch = following
                break
            stack.pop()
        else:
            return
