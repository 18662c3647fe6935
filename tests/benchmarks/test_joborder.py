"""The exhaustive search: what it counts is what the joins give, and what it finds is what trying by hand finds."""

from __future__ import annotations

from itertools import combinations

import duckdb
import pytest

import lazyframe as lf
from benchmarks.job.data import queries, tables
from benchmarks.job.exhaustive import Counter, Tree, best_tree, ordered_text
from benchmarks.job.graph import join_query
from benchmarks.joborder import MOST, compared
from benchmarks.suites import duckdb_tables, our_frames

needs_queries = pytest.mark.skipif(not queries(), reason="the queries are not beside this checkout")

CHAIN = "SELECT count(*) FROM a, b, c WHERE a.x = b.x AND b.y = c.y AND c.z > 1"


@pytest.fixture(name="connection")
def _connection():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE a AS SELECT * FROM (VALUES (1), (1), (1), (2), (NULL)) AS t(x)")
        connection.execute("CREATE TABLE b AS SELECT * FROM (VALUES (1, 5), (1, 6), (2, 7), (NULL, 7)) AS t(x, y)")
        connection.execute("CREATE TABLE c AS SELECT * FROM (VALUES (5, 1), (6, 2), (7, 2), (7, 3), (7, 4)) AS t(y, z)")
        yield connection


def test_a_text_becomes_relations_and_classes():
    query = join_query(
        "SELECT min(a.x) FROM a, b, c WHERE a.x = b.x AND b.x = c.y AND (c.z > 1 OR c.z = 0) AND a.w = 'v'"
    )
    assert [(r.alias, r.columns) for r in query.relations] == [
        ("a", {0: ("x",)}),
        ("b", {0: ("x",)}),
        ("c", {0: ("y",)}),
    ]
    assert [len(r.predicates) for r in query.relations] == [1, 0, 1]
    # a and c are equal through b.
    assert query.connected() == [0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111]
    assert join_query(CHAIN).connected() == [0b001, 0b010, 0b100, 0b011, 0b110, 0b111]


def test_other_conditions_between_relations_are_refused():
    with pytest.raises(ValueError, match="not an equality"):
        join_query("SELECT 1 FROM a, b WHERE a.x = b.x AND a.z < b.z")


def test_counts_and_the_best_tree_are_those_worked_out_by_hand(connection):
    query = join_query(CHAIN)
    a, b, c = query.relations
    counter = Counter(connection)
    assert counter.rows([a, b]) == 3 * 2 + 1
    assert counter.rows([b, c]) == 1 + 3 + 3
    assert counter.rows([a, b, c]) == 3 + 3
    tree = best_tree(query, counter)
    assert tree.cost == 7 + 6
    connection.execute("INSERT INTO a VALUES (2)")
    tree = best_tree(query, Counter(connection))
    assert (tree.cost, [side.of for side in tree.sides]) == (7 + 9, [0b001, 0b110])
    assert connection.execute(ordered_text(query, tree)).fetchone() == (9,)


def test_two_columns_of_a_class_in_one_relation_are_equal(connection):
    query = join_query("SELECT count(*) FROM b, c WHERE b.y = c.y AND b.x = c.y")
    assert Counter(connection).rows(query.relations) == 0
    connection.execute("INSERT INTO b VALUES (7, 7)")
    assert Counter(connection).rows(query.relations) == 3


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory):
    return tables(tmp_path_factory.mktemp("data"), 0.005)


@needs_queries
@pytest.mark.parametrize("name", ["2a", "6f", "11d", "16b", "17e"])
def test_counts_are_those_of_the_joins_themselves(folder, name):
    query = join_query(queries()[name])
    with duckdb_tables(folder) as connection:
        counter = Counter(connection)
        for of in query.connected():
            relations = query.members(of)
            tables = ", ".join([f"{r.table} AS {r.alias}" for r in relations])
            conditions = [predicate for r in relations for predicate in r.predicates]
            for r, s in combinations(relations, 2):
                shared = r.columns.keys() & s.columns.keys()
                conditions += [f"{r.alias}.{r.columns[n][0]} = {s.alias}.{s.columns[n][0]}" for n in shared]
            where = " WHERE " + " AND ".join(conditions) if conditions else ""
            assert connection.execute(f"SELECT count(*) FROM {tables}{where}").fetchone()[0] == counter.rows(relations)


@needs_queries
def test_no_order_is_better_than_the_best_and_orders_give_one_answer(folder):
    text = queries()["3b"]
    query = join_query(text)
    with duckdb_tables(folder) as connection:
        counter = Counter(connection)
        best = best_tree(query, counter)
    for tree in _all_trees(query, (1 << len(query.relations)) - 1, counter):
        assert tree.cost >= best.cost
        with lf.config(disable=["order_joins"]):
            again = lf.sql(ordered_text(query, tree), **our_frames(folder)).to_arrow()
        assert again == lf.sql(text, **our_frames(folder)).to_arrow()


def _all_trees(query, of, counter):
    if of.bit_count() == 1:
        return [Tree(of, 0)]
    found = []
    for part in range(1, of):
        if part & ~of or not part & (of & -of) or not query.around(part) & (of ^ part):
            continue
        lefts, rights = (_all_trees(query, side, counter) for side in (part, of ^ part))
        rows = counter.rows(query.members(of)) if lefts and rights else 0
        found += [Tree(of, left.cost + right.cost + rows, (left, right)) for left in lefts for right in rights]
    return found


@needs_queries
def test_only_queries_of_few_relations_are_compared(folder):
    asked = {name: queries()[name] for name in ("1a", "29a")}
    assert len(join_query(asked["29a"]).relations) > MOST
    (found,) = compared(folder, asked, rounds=1)
    assert found.name == "1a"
    assert found.ours >= found.best
    assert found.ratio >= 1
