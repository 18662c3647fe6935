"""The pipelines of a plan as text: what is compiled, and why the rest is not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from lazyframe.executors.context import Context
from lazyframe.executors.filtered_scan import FilteredScan
from lazyframe.executors.lower import ScannedTable, lower
from lazyframe.executors.pipeline import Batches, Concatenated, Pipeline, Source, Stream, known_rows
from lazyframe.executors.vectorized.operators.collect import Collect
from lazyframe.executors.vectorized.operators.project import ChooseColumns
from lazyframe.executors.vectorized.operators.reduce import Reduce
from lazyframe.planner.relations import Plan
from lazyframe.planner.statistics import estimate


def described(plan: Plan, context: Context) -> list[str]:
    """A line for each pipeline of a plan, in the order in which they run; nothing is run.

    Pipelines over few rows are told together.
    """
    lowered = lower([plan], context)
    numbers = {id(pipeline): number for number, pipeline in enumerate(lowered.pipelines, 1)}
    (output,) = lowered.outputs
    parts: list[tuple[Source, Sequence[object]]] = [(p.source, [*p.transforms, p.sink]) for p in lowered.pipelines]
    if output.transforms:
        parts.append((output.source, output.transforms))
    if context.compile_from is None:
        return ["pipelines: vectorized, as compiling is switched off"]
    if not any(context.compiles(_rows(source)) for source, _ in parts):
        return [f"pipelines: vectorized, as none is over {context.compile_from:,} rows or more"]
    return [
        "pipelines:",
        *[f"  {number}. {_line(*part, numbers, context)}" for number, part in enumerate(parts, 1)],
    ]


def _line(source: Source, steps: Sequence[object], numbers: dict[int, int], context: Context) -> str:
    rows = _rows(source)
    shown = f"{_name_of(source, numbers)}{'' if rows is None else f' (~{rows:,.0f} rows)'}"
    steps = [step for step in steps if not _is_trivial(step)]
    if context.compile_from is None or rows is None or rows < context.compile_from:
        names = ", ".join(map(_name, steps))
        return f"{shown}: {names + ' ' if names else ''}vectorized"
    from lazyframe.executors.compiled.fusion import why_not_compiled

    parts = []
    for why, group in groupby(steps, why_not_compiled):
        names = ", ".join(map(_name, group))
        parts.append(f"{names} compiled" if why is None else f"{names} vectorized{_because(why)}")
    return f"{shown}: {'; '.join(parts)}"


def _because(why: str) -> str:
    return "" if why == "no kernel does it" else f" ({why})"


def _rows(source: Source) -> float | None:
    """How many rows a source will give, as far as is known."""
    rows = known_rows(source)
    if rows is not None or not isinstance(source, Pipeline) or source.of is None:
        return rows
    return estimate(source.of)


def _name_of(source: Source, numbers: dict[int, int]) -> str:
    match source:
        case ScannedTable() | FilteredScan():
            return f"scan {source.name}"
        case Pipeline():
            return f"rows of {numbers[id(source)]}"
        case Batches():
            return "values"
        case Concatenated(streams=streams):
            return " and ".join(_branch(stream, numbers) for stream in streams)
    return "computed rows"


def _branch(stream: Stream, numbers: dict[int, int]) -> str:
    return _name_of(stream.source, numbers)


def _is_trivial(step: object) -> bool:
    """Whether nothing is computed by it."""
    return isinstance(step, ChooseColumns) or type(step) is Collect


def _name(step: object) -> str:
    """An operator by its class: `FilterRows` is filter rows."""
    operator = step.reduction if isinstance(step, Reduce) else step
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(operator).__name__).lower()
