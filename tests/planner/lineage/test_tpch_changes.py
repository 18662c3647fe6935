"""What lineage promises of the queries of TPC-H: other values outside it change nothing, and other values inside it can."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pyarrow as pa
import pytest

import lazyframe as lf
from benchmarks.tpch.queries import QUERIES, Query
from tests.planner.lineage.test_tpch import TYPES
from tests.planner.lineage.tpch_tables import changed, tables_of

NAMES = {name for names in TYPES.values() for name in names.split()}


def frames(tables: dict[str, pa.Table]) -> dict[str, lf.LazyFrame]:
    return {name: lf.from_arrow(table).lazy() for name, table in tables.items()}


def by_text(query: Query, found: dict[str, lf.LazyFrame]) -> lf.LazyFrame:
    return lf.sql(query.sql, **found)


def by_verbs(query: Query, found: dict[str, lf.LazyFrame]) -> lf.LazyFrame:
    return query.fluent(SimpleNamespace(**found))


def inside(found: lf.LazyFrame) -> dict[str, set[str]]:
    """For each column of a result the columns of tables that it comes from. Their names tell the tables apart."""
    return {name: {origin.column for origin in column.origins()} for name, column in found.lineage().items()}


@pytest.mark.parametrize("language", [by_text, by_verbs])
@pytest.mark.parametrize("query", QUERIES, ids=[query.name for query in QUERIES])
def test_what_is_outside_changes_nothing(query, language):
    rng = random.Random(query.name)
    tables = tables_of(rng)
    frame = language(query, frames(tables))
    before = frame.to_arrow()
    assert before.num_rows > 0
    for name, used in inside(frame).items():
        for _ in range(2):
            after = language(query, frames(changed(rng, tables, NAMES - used))).to_arrow()
            assert after.column(name).equals(before.column(name)), name


@pytest.mark.parametrize("query", QUERIES, ids=[query.name for query in QUERIES])
def test_what_is_inside_can_change_it(query):
    rng = random.Random(query.name)
    tables = tables_of(rng)
    frame = by_text(query, frames(tables))
    before = frame.to_arrow()
    for source in sorted(set().union(*inside(frame).values())):
        others = (by_text(query, frames(changed(rng, tables, {source}))).to_arrow() for _ in range(8))
        assert any(not other.equals(before) for other in others), source
