"""What lineage promises: a column that is not in it cannot change a result, and one that is in it can."""

from __future__ import annotations

import random

import pytest

import lazyframe as lf
from tests.lazyframe.lineage.random_plans import Builder, changed, tables_of


def used(query: lf.LazyFrame, names: list[str]) -> set[tuple[str, str]]:
    """The columns of tables, by the names of the columns, that some columns of a result come from."""
    found = query.lineage()
    return {origin.column for name in names for origin in found[name].origins()}


@pytest.mark.parametrize("seed", range(150))
def test_what_is_not_in_the_lineage_changes_nothing(seed):
    rng = random.Random(seed)
    tables = tables_of(rng)
    builder = Builder(seed)
    query = builder.over(tables)
    before = query.collect()
    for name in query.columns:
        inside = used(query, [name])
        other = {table_name: changed(rng, data, set(data.column_names) - inside) for table_name, data in tables.items()}
        after = builder.over(other).select(name).collect()
        assert after.equals(before.lazy().select(name)), f"{name} of\n{query.explain(optimized=False)}"


def test_what_is_in_the_lineage_can_change_the_result():
    changes = alike = 0
    for seed in range(60):
        rng = random.Random(1000 + seed)
        tables = tables_of(rng)
        builder = Builder(seed)
        query = builder.over(tables)
        before = query.collect()
        for inside in sorted(used(query, query.columns)):
            others = [
                {n: changed(rng, data, {inside} & set(data.column_names)) for n, data in tables.items()}
                for _ in range(3)
            ]
            if all(builder.over(other).collect().equals(before) for other in others):
                alike += 1
            else:
                changes += 1
    # Some cannot: a limit cuts off what they decide about, or a filter keeps nothing.
    assert changes > 10 * alike, (changes, alike)
