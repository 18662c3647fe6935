"""Where pipelines become compiled ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lazyframe.executors.context import Context
from lazyframe.executors.sources.source import Split
from lazyframe.planner.schema import Schema

if TYPE_CHECKING:
    from lazyframe.executors.pipeline import AnyTransform


def compiled(
    splits: Sequence[Split],
    transforms: Sequence[AnyTransform],
    schemas: Sequence[Schema | None],
    sink: Any,
    context: Context,
) -> tuple[Sequence[Split], Sequence[AnyTransform], Any]:
    """A pipeline of which kernels do what they can.

    Args:
        splits: what is read.
        transforms: what happens to it.
        schemas: the columns of the source and behind each transform, where known; none where nothing is known.
        sink: what takes the rest; None where that is somebody else's affair.
        context: of the run.
    """
    if not schemas or not (transforms or sink):
        return splits, transforms, sink
    # It is loaded where the first pipeline is compiled.
    from lazyframe.executors.compiled.fusion import fused_with_sink, reads_any_layout, unconverted
    from lazyframe.executors.compiled.listing import listed

    with listed(context.kernels):
        done, sink = fused_with_sink(transforms, schemas, sink, context.threads, waits=context.compile_from == 0)
    return (unconverted(splits) if reads_any_layout(done, sink) else splits), done, sink
