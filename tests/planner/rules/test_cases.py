"""Each rule by its text cases: it fires where it should, gives the plan that is written, and changes no row.

`LAZYFRAME_FILL_CASES=1 pytest -n 0 -k rule` writes the plans that new cases lack. See `cases/README.md`.
"""

from __future__ import annotations

import ast
import os
from collections import Counter

import pytest

import lazyframe as lf
from lazyframe.errors import LazyFrameError
from lazyframe.frame import LazyFrame
from lazyframe.planner.formatting import format_plan
from lazyframe.planner.graph import postorder
from lazyframe.planner.optimizer import Firing, optimize, rule_names
from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.relations.shared import holds_volatile
from tests.planner.rules.case_files import TextCase, all_cases, fill, written
from tests.planner.rules.harness import NAMES, TABLES, folder, rows

CASES = all_cases()
FILL = bool(os.environ.get("LAZYFRAME_FILL_CASES"))


def plan_written(case: TextCase) -> Plan:
    """The plan of the query, before any rule."""
    if case.is_sql:
        return lf.sql(case.query, **TABLES)._plan
    tree = ast.parse(case.query)
    *statements, last = tree.body
    assert isinstance(last, ast.Expr), "the last line of a query is an expression"
    names = dict(NAMES)
    exec(compile(ast.Module(statements, []), case.rule, "exec"), names)
    found = eval(compile(ast.Expression(last.value), case.rule, "eval"), names)
    return found._plan if isinstance(found, LazyFrame) else found


def shown(plan: Plan) -> str:
    """The plan as text, in which files that `parquet` wrote have no folder."""
    return format_plan(plan).replace(f"{folder().name}/", "")


def outcome(plan: Plan) -> list[str] | None:
    """The rows of a plan; None where it fails."""
    try:
        return rows(plan)
    except LazyFrameError:
        return None


def test_each_rule_has_cases_of_both_kinds() -> None:
    found = {(case.rule, case.kind) for case in CASES}
    wanted = {(name, kind) for name in rule_names() for kind in ("fires", "stays")}
    lacking = sorted(wanted - found)
    assert not lacking, f"write into tests/planner/rules/cases/<rule>.txt (see its README.md): {lacking}"
    assert {rule for rule, _ in found} <= set(rule_names())


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: TextCase) -> None:
    plan = plan_written(case)
    trace: list[Firing] = []
    kept = {case.rule, *case.others}
    assert kept <= set(rule_names()), f"no rules: {kept - set(rule_names())}"
    result = optimize(plan, disable=[name for name in rule_names() if name not in kept], trace=trace, check=True)
    before, after = shown(plan), shown(result)
    fired = [firing.rule for firing in trace]
    if not case.is_complete:
        if FILL:
            fill(case, before, after)
        pytest.fail(
            f"{case.rule}.txt:{case.line} lacks a plan; fired: {', '.join(fired) or 'nothing'}\n\n"
            + written(case, before, after),
            pytrace=False,
        )
    assert case.before == before, f"the plan before is\n\n{before}"
    if case.kind == "stays":
        assert case.rule not in fired, f"it fires, and leaves\n\n{after}"
    else:
        assert case.rule in fired, f"it does not fire; the plan is\n\n{after}"
        assert case.after == after, f"the plan after is\n\n{after}"
    same_rows(plan, result)


def same_rows(plan: Plan, result: Plan) -> None:
    """Run the plan as it was written, as the rule leaves it, and as all rules leave it: the rows are the same.

    An error may go with rows that nobody asks for, but none may come. Rows come in the same order where the plan fixes one.
    """
    whole = optimize(plan, check=True)
    if holds_volatile(plan):
        outcome(result)
        outcome(whole)
        return
    wanted = outcome(plan)
    if wanted is None:
        return
    in_order = all([current.ordered for current in postorder(plan) if isinstance(current, Join)])
    for each in (result, whole):
        found = outcome(each)
        assert found is not None, f"only this fails:\n{each!r}"
        assert found == wanted if in_order else Counter(found) == Counter(wanted)
