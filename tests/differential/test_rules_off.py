"""Any set of rules gives the same rows: all of them, none, all but one, a few, and half of them.

`LAZYFRAME_FUZZ_EXAMPLES=5000` looks longer and elsewhere than the fixed seeds of the test suite.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from random import Random
from unittest import mock

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe import session
from lazyframe.planner.graph import postorder
from lazyframe.planner.optimizer import optimize, rule_names
from lazyframe.planner.relations import Join, Plan
from tests.differential.comparing import identical, rows, same_rows
from tests.differential.queries import Query, queries, steps
from tests.differential.rule_queries import rule_query_of
from tests.differential.sql_queries import query_of, tables
from tests.differential.tables import tables as random_tables
from tests.differential.test_random_queries import FUZZ, outcome, scanned

EXAMPLES = int(os.environ.get("LAZYFRAME_FUZZ_EXAMPLES", "0"))
FIRST = Random().randrange(10**9) if EXAMPLES else 1
BATCH = 20
WRITERS = {"subqueries": query_of, "rules": rule_query_of}

Tables = Mapping[str, "pa.Table | lf.LazyFrame"]


@contextmanager
def eager() -> Iterator[None]:
    """What pays for large tables only is done for small ones too, and what is done for a few relations for more."""
    rules, search = "lazyframe.planner.rules", import_module("lazyframe.planner.join_order.search")
    filters, thresholds = (
        import_module(f"{rules}.{name}") for name in ("push_join_filters", "push_threshold_into_scan")
    )
    with (
        mock.patch.object(filters, "FEWEST_ROWS", 0),
        mock.patch.object(filters, "share_kept", return_value=0.0),
        mock.patch.object(thresholds, "FEWEST_ROWS", 0),
        mock.patch.object(search, "MOST_PAIRS", 3),
    ):
        yield


@contextmanager
def held(given: Mapping[str, pa.Table], random: Random) -> Iterator[Tables]:
    """The tables, in memory or as files of small row groups."""
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, pa.Table | lf.LazyFrame] = {}
        for name, table in given.items():
            if random.random() < 0.5:
                path = Path(folder) / f"{name}.parquet"
                pq.write_table(table, path, row_group_size=random.choice([1, 2, 3, 100]))
                found[name] = lf.scan_parquet(path)
            else:
                found[name] = table
        yield found


def chosen_rules(random: Random) -> Iterator[tuple[str, ...]]:
    """Sets of rules to leave out."""
    names = rule_names()
    yield tuple(names)
    yield tuple(random.sample(names, 1))
    yield tuple(random.sample(names, len(names) // 2))
    yield tuple(random.sample(names, len(names) - 4))


def run(plan: Plan, without: tuple[str, ...] = (), threads: int = 1) -> pa.Table | str:
    with lf.config(threads=threads, disable=without):
        try:
            return session.execute(plan)
        except lf.errors.LazyFrameError as error:
            return f"{type(error).__name__}: {error}"


def keeps_order(plan: Plan) -> bool:
    return all([node.ordered for node in postorder(plan) if isinstance(node, Join)])


def check_rules(plan: Plan, random: Random, shown: str) -> pa.Table | None:
    """The rows, after comparing them with those that other rules give; None where the plan as it was written fails."""
    optimize(plan, check=True)
    found, sets = run(plan), list(chosen_rules(random))
    plain = run(plan, sets[0])
    if isinstance(plain, str):
        return None
    assert isinstance(found, pa.Table), f"{shown}\nfails only when optimized: {found}"
    for without in sets:
        other = run(plan, without, random.choice([1, 2, 7]))
        assert isinstance(other, pa.Table), f"{shown}\nwithout {without}: {other}"
        same = identical(found, other) if keeps_order(plan) else same_rows(rows(found), rows(other), ordered=False)
        assert same, f"{shown}\nwithout {without}\n{found.to_pylist()}\n{other.to_pylist()}"
    return found


# Those of subqueries run with half of the rules in the tests of SQL, too.
@pytest.mark.parametrize(
    ("writer", "batch"),
    [(writer, n) for writer, most in (("rules", 100), ("subqueries", 40)) for n in range((EXAMPLES or most) // BATCH)],
)
def test_sql(writer: str, batch: int) -> None:
    given = tables(FIRST + batch)
    connection = duckdb.connect()
    for name, table in given.items():
        connection.register(name, table)
    with held(given, Random(batch)) as scanned_tables, eager() if batch % 2 else nullcontext():
        for seed in range(FIRST + batch * BATCH, FIRST + (batch + 1) * BATCH):
            query = WRITERS[writer](seed)
            shown = f"seed {seed}, tables {FIRST + batch}: {query}"
            try:
                plan = lf.sql(query, **scanned_tables)._plan
            except lf.errors.LazyFrameError:
                # What both refuse is no matter of rules; what one refuses is the business of the tests of SQL.
                continue
            found = check_rules(plan, Random(seed), shown)
            try:
                expected = connection.sql(query).to_arrow_table()
            except duckdb.Error:
                continue
            if found is not None:
                assert same_rows(rows(found), rows(expected), ordered=False), (
                    f"{shown}\n{rows(found)}\n{rows(expected)}"
                )


@settings(FUZZ, max_examples=EXAMPLES or 60)
@given(data=st.data())
def test_verbs(data: st.DataObject) -> None:
    one, two = data.draw(random_tables(), label="one"), data.draw(random_tables(), label="two")
    with (
        tempfile.TemporaryDirectory() as folder,
        scanned(one, "one", Path(folder)) as first,
        scanned(two, "two", Path(folder)) as second,
    ):
        query = data.draw(queries(Query(first, None, None), Query(second, None, None)), label="query")
        note(f"query\n{steps(query)}")
        plan = query.ours._plan
        found, plain = outcome(plan, 1), outcome(plan, 1, optimize=False)
        if isinstance(plain, str):
            return
        names = rule_names()
        kept = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=6), label="kept")
        for without in (names, [name for name in names if name not in kept], kept):
            with lf.config(disable=without):
                other = outcome(plan, 2)
            assert isinstance(found, pa.Table), found
            assert isinstance(other, pa.Table), f"without {without}: {other}"
            assert identical(found, other), f"without {without}\n{found.to_pylist()}\n{other.to_pylist()}"
