"""Which parts of a pipeline are compiled: runs of transforms, with the sink behind them, become one kernel.

This is decided just before a pipeline runs, when what it depends on is complete and known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.aggregation import CompiledAggregation, why_not_aggregated
from lazyframe.executors.compiled.coverage import why_not_all
from lazyframe.executors.compiled.datum import is_known
from lazyframe.executors.compiled.layouts import layout_of
from lazyframe.executors.compiled.outputs import Origin
from lazyframe.executors.compiled.probe import key_filter, probe_stage, why_not_probed
from lazyframe.executors.compiled.reduce_records import ReduceRecords, as_groups
from lazyframe.executors.compiled.segment import CompiledRows
from lazyframe.executors.compiled.stages import CountStage, FilterStage, ProjectStage, Stage
from lazyframe.executors.measurements import CountRows
from lazyframe.executors.opened_scan import KeepKnownKeys
from lazyframe.executors.pipeline import AnyTransform, flow
from lazyframe.executors.sources.layout import batch_of, normalized
from lazyframe.executors.sources.source import Split
from lazyframe.executors.vectorized.operators.filter import FilterRows
from lazyframe.executors.vectorized.operators.join import BuildTable, Probe
from lazyframe.executors.vectorized.operators.project import ChooseColumns, ComputeColumns
from lazyframe.executors.vectorized.operators.reduce import Reduce
from lazyframe.planner.errors import QueryCancelledError
from lazyframe.planner.parameters import NO_LITERALS
from lazyframe.planner.scalars import Column, conjunction, conjuncts
from lazyframe.planner.schema import Schema
from lazyframe.planner.types import is_decimal

_MOST_STAGES = 24
"""A kernel of more stages takes long to compile, and longer the more they are; others follow it."""


class Run:
    """Transforms that become one kernel.

    Attributes:
        stages: what they are in a kernel.
        transforms: what they are without one.
        origins: of each column behind them that is a column of the batch or of a build side, which.
        given: the columns of the batch.
        schema: the columns behind them.
        waits: whether batches wait for code that is still being compiled.
    """

    def __init__(self, given: Schema, *, waits: bool) -> None:
        self.waits = waits
        self.given = self.schema = given
        self.stages: list[Stage] = []
        self.transforms: list[AnyTransform] = []
        self.origins = {name: Origin("", name) for name in given.names}
        self._probes = 0
        self._stops: list[np.ndarray] = []
        self.computes = False

    @property
    def is_full(self) -> bool:
        return len(self.stages) >= _MOST_STAGES

    def add(self, transform: AnyTransform, schema: Schema) -> bool:
        """Take one more transform; gives whether that is possible."""
        if why_not_compiled(transform) is not None:
            return False
        match transform:
            case FilterRows(predicate=predicate):
                self.stages.append(FilterStage(predicate))
                self.origins = {name: o for name, o in self.origins.items() if name in schema.names}
                self.computes = True
            case ComputeColumns(exprs=exprs) | ChooseColumns(exprs=exprs):
                if any(
                    isinstance(e, Column) and not is_known(e.dtype) and e.name not in self.origins for _, e in exprs
                ):
                    return False
                known = transform.parameters if isinstance(transform, ComputeColumns) else NO_LITERALS
                self.stages.append(ProjectStage(exprs, known))
                self.origins = {
                    name: self.origins[e.name] for name, e in exprs if isinstance(e, Column) and e.name in self.origins
                }
                self.computes |= isinstance(transform, ComputeColumns)
            case CountRows():
                self.stages.append(CountStage(len(self.stages), transform))
            case Probe(build=build, kind=kind):
                stage = probe_stage(transform, f"table{self._probes}")
                if stage is None:
                    return False
                self._probes += 1
                self._stops.append(build.stop)
                self.stages.append(stage)
                if kind not in ("semi", "anti", "mark", "note"):
                    self.origins.update({name: Origin(stage.name, name) for name in build.rows.columns})
                self.computes = True
                # The vectorized probe would make a table of its own.
                self.waits = True
            case KeepKnownKeys(tests=tests):
                filtering = key_filter(tests, f"keys{len(self.stages)}")
                if filtering is None:
                    return False
                self.stages.append(filtering)
                self.origins = {name: o for name, o in self.origins.items() if name in schema.names}
                self.computes = True
                self.waits = True
        self.transforms.append(transform)
        self.schema = schema
        return True

    def fallback(self, batch: Batch) -> Iterator[Batch]:
        """The same by vectorized operators, of a batch in any layout."""
        for found in flow(batch_of(batch.columns, self.given, batch.length, _as_in_batches), self.transforms):
            if any(stop[0] for stop in self._stops):
                raise QueryCancelledError("the query was cancelled")
            yield found

    def compiled(self) -> Sequence[AnyTransform]:
        """The run as a transform; as it is, where a kernel would have nothing to do."""
        if not self.computes:
            return self.transforms
        return [CompiledRows(self.stages, self.origins, self.given, self.schema, self.fallback, waits=self.waits)]


def why_not_compiled(step: object) -> str | None:
    """Why a transform or a sink does not become part of a kernel; None where it does."""
    match step:
        case FilterRows(predicate=predicate):
            return why_not_all([predicate])
        case ComputeColumns(exprs=exprs) | ChooseColumns(exprs=exprs):
            return why_not_all([e for _, e in exprs if not isinstance(e, Column)])
        case CountRows() | BuildTable():
            # Keys are entered into a table by a kernel of its own.
            return None
        case Probe():
            return why_not_probed(step)
        case KeepKnownKeys(tests=tests):
            return why_not_all([test.value for test in tests])
        case Reduce(reduction=reduction, schema=schema):
            found = as_groups(reduction, schema)
            if found is not None:
                return why_not_aggregated(found[0])
    return "no kernel does it"


def as_it_lies(array: pa.Array, dtype: pa.DataType) -> pa.Array:
    """An array that kernels can read, without a copy where they can read it as it is."""
    return array if layout_of(array, dtype) is not None else normalized(array, dtype)


def _as_in_batches(array: pa.Array, dtype: pa.DataType) -> pa.Array:
    """An array in a layout that vectorized operators take, in which it may be already."""
    return array if is_decimal(dtype) and array.type == pa.int64() else normalized(array, dtype)


def unconverted(splits: Sequence[Split]) -> Sequence[Split]:
    """Splits that give arrays as they lie in memory, for a kernel that is the first to read them."""
    return [split.laid_out(as_it_lies) if hasattr(split, "laid_out") else split for split in splits]


def fused(
    transforms: Sequence[AnyTransform], schemas: Sequence[Schema | None], *, waits: bool
) -> tuple[list[AnyTransform], Run | None]:
    """Transforms of which runs are compiled, and the run at their end, which a sink may be part of."""
    done: list[AnyTransform] = []
    run: Run | None = Run(schemas[0], waits=waits) if schemas[0] is not None else None
    for transform, schema in zip(transforms, schemas[1:], strict=True):
        if run is not None and run.is_full:
            done.extend(run.compiled())
            run = Run(run.schema, waits=waits)
        if run is not None and schema is not None and run.add(transform, schema):
            continue
        if run is not None and schema is not None and isinstance(transform, FilterRows):
            # What can be tested in a kernel is; the rest sees the rows that this keeps.
            parts = conjuncts(transform.predicate)
            first = next((i for i, part in enumerate(parts) if why_not_all([part]) is not None), len(parts))
            before, behind = conjunction(parts[:first]), conjunction(parts[first:])
            if before is not None and behind is not None and run.add(FilterRows(before), run.schema):
                transform = FilterRows(behind, schema.names)
        if run is not None:
            done.extend(run.compiled())
        done.append(transform)
        run = Run(schema, waits=waits) if schema is not None else None
    return done, run


def reads_any_layout(transforms: Sequence[AnyTransform], sink: object) -> bool:
    """Whether what comes first is a kernel."""
    if transforms:
        return isinstance(transforms[0], CompiledRows)
    return isinstance(sink, ReduceRecords)


def fused_with_sink(
    transforms: Sequence[AnyTransform], schemas: Sequence[Schema | None], sink: object, threads: int, *, waits: bool
) -> tuple[list[AnyTransform], object]:
    """Transforms and the sink behind them, compiled where kernels can do what they do."""
    done, run = fused(transforms, schemas, waits=waits)
    if run is None:
        return done, sink
    match sink:
        case Reduce(reduction=reduction, schema=schema) if why_not_compiled(sink) is None:
            found = as_groups(reduction, schema)
            assert found is not None
            grouped, pairs = found
            aggregation = CompiledAggregation(run.stages, grouped, run.given, run.fallback, waits=run.waits)
            return done, ReduceRecords(aggregation, schema, threads, pairs)
    return [*done, *run.compiled()], sink
