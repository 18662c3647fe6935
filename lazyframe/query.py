"""Queries that run while other things happen: in the background, and batch by batch."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from lazyframe import session
from lazyframe.boundary import public
from lazyframe.planner.errors import LazyFrameError, QueryCancelledError
from lazyframe.planner.parameters import NO_VALUES
from lazyframe.planner.relations import Plan
from lazyframe.planner.site import ambient

if TYPE_CHECKING:
    import pyarrow as pa

    from lazyframe.dataframe import DataFrame


class Query:
    """A running query: wait for its `result()`, ask for its `progress()`, or `cancel()` it."""

    def __init__(self, plan: Plan, values: Mapping[str, Any] = NO_VALUES, *, optimize: bool = True) -> None:
        self._context = session.new_context()
        # Planned here: the settings, and the values of parameters, may be others by the time the thread runs.
        if optimize:
            plan = session.ready(plan, values)
        self._table: pa.Table | None = None
        self._error: BaseException | None = None
        self._site = ambient.site
        self._thread = threading.Thread(target=self._run, args=(plan,), name="lazyframe-query", daemon=True)
        self._thread.start()

    def _run(self, plan: Plan) -> None:
        ambient.site = self._site  # of this thread
        try:
            self._table = session.execute(plan, optimize=False, context=self._context)
        except BaseException as error:  # it is raised again where the result is asked for
            if isinstance(error, LazyFrameError) and error.site is None:
                error.site = self._site
            self._error = error

    @public
    def result(self, timeout: float | None = None) -> DataFrame:
        """Wait for the rows.

        Args:
            timeout: seconds to wait at most.

        Raises:
            TimeoutError: when that time is over. The query goes on.
            QueryCancelledError: where it was cancelled.
        """
        from lazyframe.dataframe import DataFrame

        self._thread.join(timeout)
        if self._thread.is_alive():
            raise TimeoutError(f"the query still runs after {timeout} seconds")
        if self._error is not None:
            raise self._error
        return DataFrame(self._table)

    def __repr__(self) -> str:
        if not self.done():
            state = f"running, {self.progress()['rows']:,} rows read"
        elif isinstance(self._error, QueryCancelledError):
            state = "cancelled"
        elif self._error is not None:
            state = f"failed: {type(self._error).__name__}"
        else:
            assert self._table is not None
            state = f"done, {self._table.num_rows:,} rows"
        return f"Query({state})"

    def cancel(self) -> None:
        """Stop the query. `result()` then raises QueryCancelledError."""
        self._context.cancel()

    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return not self._thread.is_alive()

    def progress(self) -> dict[str, int]:
        """The rows and bytes of its sources that were read so far."""
        metrics = self._context.metrics
        return {"rows": metrics.rows, "bytes": metrics.bytes}


class Batches:
    """The rows of a query batch by batch, computed while they are taken. It can stand in a `with` block, which closes it."""

    def __init__(self, plan: Plan, values: Mapping[str, Any] = NO_VALUES, *, optimize: bool = True) -> None:
        self._batches = session.stream(plan, values, optimize=optimize)

    def __iter__(self) -> Batches:
        return self

    @public
    def __next__(self) -> pa.RecordBatch:
        return next(self._batches)

    def close(self) -> None:
        """Stop the query."""
        self._batches.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
