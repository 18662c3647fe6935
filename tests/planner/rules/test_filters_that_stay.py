"""What no filter passes, by whatever rule: what chooses rows by their place, or makes them of several."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe import col, concat
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Filter
from tests.planner.rules.harness import plan_of, rows, t, u

BARRIERS = {
    "limit": t.head(3),
    "slice": t.slice(1),
    "top k": t.top_k(3, by="d"),
    "tail": t.tail(3),
    "sample": t.sample(n=3, seed=1),
    "row index": t.with_row_index(),
    "shift": t.shift(1),
    "interpolate": t.interpolate(),
    "a batch function": t.map_batches(lambda table: table, schema=t.schema),
    "a cache": t.cache(),
    "columns side by side": concat([t, u], how="horizontal"),
}


@pytest.mark.parametrize("name", BARRIERS)
def test_no_filter_passes(name):
    plan = plan_of(BARRIERS[name].filter(col("a") > 2))
    result = optimize(plan, check=True)
    assert isinstance(result, Filter)
    assert isinstance(plan, Filter)
    assert result.predicate == plan.predicate
    assert type(result.input) is type(plan.input)
    assert rows(result) == rows(plan)


def test_the_first_of_many_equal_parts_stays_where_it_guards_others():
    nonzero = "d <> 0"
    parts = [nonzero, "a // d >= 0", *[f"a <> {n}" for n in range(100, 170)], nonzero]
    plan = plan_of(lf.sql(f"select a from t where {' and '.join(parts)}", t=t))
    assert rows(optimize(plan, check=True)) == rows(lf.sql("select a from t where d <> 0 and a // d >= 0", t=t)._plan)
