"""The measures of plans: counted by hand, and the same for both engines where their plans must be alike."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from benchmarks.options import Options
from benchmarks.plans import _suite, rows_of_plans
from benchmarks.plans.duckdb_profile import _operator
from benchmarks.plans.operators import (
    AGGREGATE,
    CONSTANTS,
    FILTER,
    JOIN,
    PASS,
    SCAN,
    SHARED,
    SORT,
    Operator,
    Rows,
    measured,
)
from benchmarks.plans.our_profile import _KINDS, _operators
from benchmarks.runner import OURS
from lazyframe.executors.replanning import FinishedRows
from lazyframe.planner import relations
from lazyframe.planner.relations.scan import scan as scan_of


@pytest.fixture(name="folder")
def _folder(tmp_path):
    pq.write_table(pa.table({"k": [1, 1, 2, 3, None], "v": [1, 2, 3, 4, 5]}), tmp_path / "facts.parquet")
    pq.write_table(pa.table({"id": [1, 2, 4], "name": ["a", "b", "d"]}), tmp_path / "names.parquet")
    return tmp_path


def scan(rows):
    return Operator(SCAN, rows)


def test_the_answer_is_not_intermediate():
    aggregate = Operator(AGGREGATE, 3, (Operator(PASS, 10, (scan(10),)),))
    assert measured(Operator(PASS, 3, (aggregate,))) == Rows(10, 0, 10)
    assert measured(Operator(SORT, 3, (aggregate,))) == Rows(10, 0, 13)


def test_a_filter_is_part_of_the_scan_or_join_below_it():
    filtered = Operator(FILTER, 4, (Operator(PASS, 9, (Operator(FILTER, 9, (scan(10),)),)),))
    join = Operator(FILTER, 2, (Operator(JOIN, 7, (filtered, scan(5))),))
    assert measured(Operator(AGGREGATE, 1, (join,))) == Rows(4 + 5, 2, 4 + 5 + 2)


def test_a_filter_of_groups_or_of_shared_rows_counts_itself():
    groups = Operator(FILTER, 2, (Operator(AGGREGATE, 6, (scan(10),)),))
    assert measured(Operator(SORT, 2, (groups,))) == Rows(10, 0, 10 + 6 + 2)
    of_shared = Operator(FILTER, 2, (Operator(SHARED, 0, (scan(10),)),))
    assert measured(Operator(SORT, 2, (of_shared,))) == Rows(10, 0, 10 + 2)


def test_a_join_with_constants_is_a_filter():
    constants = Operator(PASS, 4, (Operator(CONSTANTS, 4),))
    join = Operator(FILTER, 2, (Operator(JOIN, 10, (scan(10), constants)),))
    assert measured(Operator(SORT, 2, (join,))) == Rows(2, 0, 2)
    assert measured(Operator(AGGREGATE, 1, (Operator(JOIN, 7, (constants, scan(10))),))) == Rows(7, 0, 7)
    groups = Operator(JOIN, 5, (Operator(AGGREGATE, 6, (scan(10),)), constants))
    assert measured(Operator(SORT, 5, (groups,))) == Rows(10, 0, 10 + 6 + 5)


def test_the_inputs_of_a_union_are_the_answer_but_what_is_shared_is_not():
    union = Operator(PASS, 0, (scan(3), Operator(SHARED, 0, (scan(4),))))
    assert measured(union) == Rows(7, 0, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM facts WHERE v > 2", Rows(3, 0, 0)),
        ("SELECT k, count(*) AS n FROM facts GROUP BY k ORDER BY n, k", Rows(5, 0, 5 + 4)),
        ("SELECT k, sum(v) FROM facts GROUP BY k HAVING count(*) > 1", Rows(5, 0, 5 + 4)),
        ("SELECT v, v + 1 AS w FROM facts ORDER BY v * 2 DESC LIMIT 2", Rows(5, 0, 5)),
        ("SELECT v FROM facts UNION ALL SELECT id FROM names", Rows(8, 0, 0)),
    ],
)
def test_both_engines_move_what_is_counted_by_hand(folder, text, expected):
    found = rows_of_plans(folder, {"q": text})["q"]
    assert found == {OURS: expected, "duckdb": expected}


def test_rows_joined_are_those_of_each_join(folder):
    text = "SELECT name, sum(v) AS s FROM facts JOIN names ON k = id GROUP BY name ORDER BY s"
    found = rows_of_plans(folder, {"q": text})["q"]
    assert [rows.joined for rows in found.values()] == [3, 3]
    assert [rows.intermediate - rows.scanned for rows in found.values()] == [3 + 2, 3 + 2]


def test_a_table_that_is_read_twice_counts_twice(folder):
    text = "SELECT a.v, b.v AS w FROM facts AS a CROSS JOIN facts AS b"
    found = rows_of_plans(folder, {"q": text})["q"]
    assert found == {OURS: Rows(10, 25, 10), "duckdb": Rows(10, 25, 10)}


def test_what_ran_before_a_plan_was_changed_counts(folder):
    table = lf.scan_parquet(folder / "facts.parquet")._plan
    groups = lf.LazyFrame(table).group_by("k").agg(lf.col("v").sum())._plan
    finished = scan_of(FinishedRows(groups, ()))
    kept = lf.LazyFrame(finished).filter(lf.col("v") > 2)._plan
    last = lf.LazyFrame(kept).sort("k")._plan
    counted = {table.digest: 5, groups.digest: 4, finished.digest: 4, kept.digest: 3, last.digest: 3}
    assert measured(_operators(last, counted)) == Rows(5, 0, 5 + 4 + 3)


def test_operators_of_the_profile_that_are_not_known_are_told():
    entry = {"type": "NEW_OPERATOR", "intermediate_rows": 1}
    with pytest.raises(LookupError, match="NEW_OPERATOR"):
        _operator(entry)


def test_all_nodes_of_ours_are_known():
    nodes = {node for node in vars(relations).values() if isinstance(node, type) and issubclass(node, relations.Plan)}
    assert set(_KINDS) == nodes - {relations.Plan}


def test_profiles_of_older_releases_are_read():
    entry = {"operator_type": "TABLE_SCAN", "operator_cardinality": 7, "children": []}
    assert _operator(entry) == scan(7)
    entry = {
        "operator_type": "CTE",
        "operator_cardinality": 0,
        "children": [entry, {**entry, "operator_cardinality": 2}],
    }
    assert measured(_operator(entry)) == Rows(9, 0, 7)


def test_totals_come_before_the_worst_queries(folder):
    queries = {"first": "SELECT * FROM facts", "second": "SELECT * FROM facts AS a, facts AS b ORDER BY a.v"}
    cases = list(_suite("S", folder, queries, Options(folder)))
    assert [case.name for case in cases] == [
        "S: rows scanned", "S: rows joined", "S: intermediate rows", "first: intermediate rows", "second: intermediate rows",
    ]  # fmt: skip
    assert cases[0].samples == {OURS: [15.0], "duckdb": [15.0]}
    assert cases[1].ratio("duckdb") == 1.0
    assert cases[3].ratio("duckdb") is None
    each = list(_suite("S", folder, queries, Options(folder, each=True)))
    assert [case.name for case in each[3:]] == [
        f"{query}: {measure}" for query in queries for measure in ("rows scanned", "rows joined", "intermediate rows")
    ]
