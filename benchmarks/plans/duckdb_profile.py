"""What DuckDB's own profile says of the rows that left its operators."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from benchmarks.plans.operators import (
    AGGREGATE,
    CONSTANTS,
    FILTER,
    JOIN,
    LIMIT,
    PASS,
    SCAN,
    SETS,
    SHARED,
    SORT,
    UNNEST,
    WINDOW,
    Operator,
)

if TYPE_CHECKING:
    import duckdb

_KINDS = {
    "TABLE_SCAN": SCAN,
    "FILTER": FILTER,
    "HASH_JOIN": JOIN,
    "NESTED_LOOP_JOIN": JOIN,
    "BLOCKWISE_NL_JOIN": JOIN,
    "PIECEWISE_MERGE_JOIN": JOIN,
    "IE_JOIN": JOIN,
    "ASOF_JOIN": JOIN,
    "CROSS_PRODUCT": JOIN,
    "HASH_GROUP_BY": AGGREGATE,
    "PERFECT_HASH_GROUP_BY": AGGREGATE,
    "PARTITIONED_AGGREGATE": AGGREGATE,
    "UNGROUPED_AGGREGATE": AGGREGATE,
    "SIMPLE_AGGREGATE": AGGREGATE,
    "WINDOW": WINDOW,
    "STREAMING_WINDOW": WINDOW,
    "ORDER_BY": SORT,
    "TOP_N": SORT,
    "LIMIT": LIMIT,
    "STREAMING_LIMIT": LIMIT,
    "LIMIT_PERCENT": LIMIT,
    "RESERVOIR_SAMPLE": LIMIT,
    "STREAMING_SAMPLE": LIMIT,
    "UNNEST": UNNEST,
    "INOUT_FUNCTION": UNNEST,
    "RECURSIVE_CTE": SETS,
    "PROJECTION": PASS,
    "UNION": PASS,
    "RESULT_COLLECTOR": PASS,
    "EXPLAIN_ANALYZE": PASS,
    "COLUMN_DATA_SCAN": CONSTANTS,
    "CHUNK_SCAN": CONSTANTS,
    "EXPRESSION_SCAN": CONSTANTS,
    "DUMMY_SCAN": CONSTANTS,
    "EMPTY_RESULT": CONSTANTS,
    # What is read by several: its operators count once, below the CTE, and reading it counts nowhere. A DELIM_JOIN reads
    # the rows of its left side twice, for a join and for a distinct, which are inputs of it and count themselves.
    "CTE": PASS,
    "CTE_SCAN": SHARED,
    "RECURSIVE_CTE_SCAN": SHARED,
    "DELIM_SCAN": SHARED,
    "LEFT_DELIM_JOIN": PASS,
    "RIGHT_DELIM_JOIN": PASS,
    "DELIM_JOIN": PASS,
}
"""What each of its operators is in the common terms. INTERSECT and EXCEPT are joins there."""


def duckdb_operators(connection: duckdb.DuckDBPyConnection, text: str) -> Operator:
    """Run a query, and return its plan."""
    ((_, profile),) = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}").fetchall()
    found = json.loads(profile)
    roots = found["operator"] if "operator" in found else found["children"]
    return Operator(PASS, 0, tuple([_operator(root) for root in roots]))


def _operator(entry: dict[str, Any], kinds: Mapping[str, str] = MappingProxyType(_KINDS)) -> Operator:
    # Releases before 2 write these with a prefix, and cardinality for rows.
    name = (entry.get("type") or entry["operator_type"]).strip()
    rows = entry["intermediate_rows"] if "intermediate_rows" in entry else entry["operator_cardinality"]
    if name not in kinds:
        raise LookupError(f"DuckDB has an operator {name}, of which benchmarks/plans/duckdb_profile.py says nothing")
    if name.endswith("DELIM_JOIN"):
        # The join below it reads the rows of its left side from where they are kept.
        kinds = {**kinds, "COLUMN_DATA_SCAN": SHARED}
    inputs = tuple([_operator(child, kinds) for child in entry.get("children", ())])
    if name == "CTE":
        # The definition comes first, and gives no rows to the query but through its readers.
        return Operator(PASS, 0, (Operator(SHARED, 0, inputs[:1]), *inputs[1:]))
    return Operator(kinds[name], rows, inputs)
