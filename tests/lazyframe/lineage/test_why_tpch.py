"""What `why()` promises of the queries of TPC-H: over the rows that it gives alone, the query gives the row again."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from benchmarks.tpch.queries import QUERIES
from tests.planner.lineage.test_tpch_changes import by_text, by_verbs, frames
from tests.planner.lineage.tpch_tables import tables_of

# NOT EXISTS: orders that are there keep their customers out, and are no rows of those who have none.
KEEPS_OTHERS_OUT = {"q22": "orders"}


@pytest.mark.parametrize("language", [by_text, by_verbs])
@pytest.mark.parametrize("query", QUERIES, ids=[query.name for query in QUERIES])
def test_the_rows_suffice(query, language):
    rng = random.Random(query.name)
    tables = tables_of(rng)
    found = frames(tables)
    frame = language(query, found)
    rows = frame.to_dicts()
    assert rows
    for number in rng.sample(range(len(rows)), min(2, len(rows))):
        numbers = frame.why(number, **found).numbers
        fewer = {name: data.take(pa.array(numbers.get(name, []), pa.int64())) for name, data in tables.items()}
        assert sum(map(len, fewer.values())) < sum(map(len, tables.values()))
        whole = KEEPS_OTHERS_OUT.get(query.name)
        if whole is not None:
            fewer[whole] = tables[whole]
        assert rows[number] in language(query, frames(fewer)).to_dicts(), number
