"""What would run, or what ran, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from lazyframe import session
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.relations import Plan, Scan

if TYPE_CHECKING:
    from lazyframe.planner.rules.rule import Firing


def explain(plan: Plan, *, optimized: bool, verbose: bool, analyze: bool, code: bool | Literal["llvm"] = False) -> str:
    """The plan as it would run, or as it ran, with what is known of each node."""
    from lazyframe.planner.formatting import format_plan

    if not optimized:
        if verbose or analyze or code:
            asked = "verbose=True" if verbose else "analyze=True" if analyze else f"code={code!r}"
            raise InvalidArgumentError(
                f"{asked} is about the plan that runs, and optimized=False shows the one that was written",
                hint="leave out one of the two",
            )
        return format_plan(plan)
    if code not in (False, True, "llvm"):
        raise InvalidArgumentError(
            f"code={code!r}", hint='say True for what kernels do, or "llvm" for what LLVM was given'
        )
    trace: list[Firing] | None = [] if verbose else None
    final = session.planned(plan, trace)
    parts = []
    if trace is not None:
        from lazyframe.planner.tracing import format_trace

        parts.append(format_trace(trace) + "\n")
    parts += _analyzed(final) if analyze else [format_plan(final, _estimates)]
    if not analyze:
        parts += session.pipelines(final)
    if code:
        parts += _generated(final, as_llvm=code == "llvm")
    return "\n".join(parts)


def _generated(final: Plan, *, as_llvm: bool) -> list[str]:
    """What is compiled for a plan: a text for each kernel."""
    kernels, reason = session.generated(final)
    if not kernels:
        return ["", f"no kernel: {reason or 'nothing of this is compiled'}"]
    shown = []
    for number, kernel in enumerate(kernels, 1):
        lines = kernel.ir.splitlines() if as_llvm else map(str, kernel.notes)
        shown += ["", f"kernel {number}:", *[f"    {line}" for line in lines]]
    return shown


def _analyzed(final: Plan) -> list[str]:
    from lazyframe.planner.formatting import format_plan

    run = session.measure(final)
    metrics = run.context.metrics
    summary = (
        f"{run.rows:,} rows in {run.seconds * 1000:,.1f} ms on {run.context.threads} threads; "
        f"read {metrics.rows:,} rows, {metrics.bytes:,} bytes, {metrics.groups_read:,} row groups "
        f"({metrics.groups_skipped:,} skipped)"
    )
    shown = [format_plan(final, lambda node: _estimates(node) + _measured(node, run))]
    for why, plan in run.measured.replanned:
        shown += [why, format_plan(plan, lambda node: _estimates(node) + _measured(node, run))]
    return [*shown, summary]


def _measured(node: Plan, run: session.MeasuredRun) -> str:
    """What became of a node: how many rows it gave, how long it took, and what it left out."""
    key, measured = node.digest, run.measured
    if key not in measured.rows:
        return ""
    note = f"  [{measured.rows[key]:,} rows] {measured.seconds[key] * 1000:,.1f} ms"
    rows, groups = measured.rows_left_out.get(key, 0), measured.groups_left_out.get(key, 0)
    left_out = [f"{rows:,} rows"] * bool(rows) + [f"{groups:,} row groups"] * bool(groups)
    return note + (f", {' and '.join(left_out)} left out" if left_out else "")


def _estimates(plan: Plan) -> str:
    """What is known of a node before it runs: how many rows, and what a scan leaves out."""
    from lazyframe.planner.statistics import estimate

    rows = estimate(plan)
    note = f"  ~{rows:,.0f} rows" if rows is not None else ""
    if not isinstance(plan, Scan):
        return note
    report = plan.source.report(plan.columns, plan.predicate)
    skipped = []
    if report.files_skipped:
        skipped.append(f"{report.files_skipped} of {report.files} files skipped")
    if report.groups_skipped:
        skipped.append(f"{report.groups_skipped} of {report.groups} row groups skipped")
    return note + (f"  ({', '.join(skipped)})" if skipped else "")
