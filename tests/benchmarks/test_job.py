"""The tables of the join-order benchmark: as the schema says, skewed, correlated, with what the queries look for."""

from __future__ import annotations

import duckdb
import pytest

import lazyframe as lf
from benchmarks.agreement import check_same
from benchmarks.job.constants import constants, fitting
from benchmarks.job.data import ROWS, generated, queries, schemas, tables
from benchmarks.job.draws import Draws
from benchmarks.suites import conformance, duckdb_views, our_frames

needs_queries = pytest.mark.skipif(not queries(), reason="the queries are not beside this checkout")


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory):
    return tables(tmp_path_factory.mktemp("data"), 0.01)


@pytest.fixture(name="connection", scope="module")
def _connection(folder):
    with duckdb_views(folder) as connection:
        yield connection


def test_constants_are_those_that_are_looked_for():
    text = """
        SELECT min(n.name) FROM name AS n, title AS t, kind_type AS k
        WHERE n.name LIKE '%Downey%Robert%' AND n.name NOT LIKE '%Jr%' AND t.title IN ('Saw', 'It') AND k.kind = 'movie'
        AND (t.title LIKE 'Movie%' OR t.production_year = 1998) AND k.id = t.kind_id AND k.kind <> 'episode'"""
    assert constants([text]) == {
        ("name", "name"): ["Downey Robert"],
        ("title", "title"): ["Saw", "It", "Movie"],
        ("kind_type", "kind"): ["movie"],
    }
    assert fitting("%(200%)%") == "(200 )"


def test_schemas_are_read_with_their_nulls():
    (schema,) = schemas(
        "CREATE TABLE t (\n    id integer NOT NULL,\n    a character varying(9),\n    b text NOT NULL\n);"
    ).values()
    assert [(f.name, str(f.type), f.nullable) for f in schema] == [
        ("id", "int32", False), ("a", "string", True), ("b", "string", False),
    ]  # fmt: skip


def test_ranks_follow_the_law():
    ranks = Draws(1).zipf(200_000, 1000, 10.0)
    first, tenth = (ranks == 0).mean(), (ranks == 10).mean()
    assert 1.7 < first / tenth < 2.2  # 1 / 10 beside 1 / 20, of ranks that are cut off
    assert ranks.max() < 1000


@needs_queries
def test_the_same_seed_makes_the_same_tables():
    schema = (conformance() / "benchmarks" / "job" / "schema.sql").read_text(encoding="utf-8")
    known = constants(queries().values())
    first, second, other = (generated(schema, known, 0.001, seed) for seed in (1, 1, 2))
    assert first == second
    assert first["cast_info"] != other["cast_info"]
    assert len(first) == 21


@needs_queries
def test_foreign_keys_point_at_rows(connection):
    for table, key, of in [
        ("cast_info", "movie_id", "title"), ("cast_info", "person_id", "name"), ("cast_info", "person_role_id", "char_name"),
        ("cast_info", "role_id", "role_type"), ("movie_info", "info_type_id", "info_type"), ("title", "kind_id", "kind_type"),
        ("movie_keyword", "keyword_id", "keyword"), ("movie_companies", "company_id", "company_name"),
        ("movie_link", "linked_movie_id", "title"), ("complete_cast", "status_id", "comp_cast_type"),
    ]:  # fmt: skip
        text = f"SELECT count(*) FROM {table} WHERE {key} NOT IN (SELECT id FROM {of})"
        assert connection.execute(text).fetchone() == (0,), (table, key)
    for table in ROWS:
        ((rows, ids),) = connection.execute(f"SELECT count(*), count(DISTINCT id) FROM {table}").fetchall()
        assert rows == ids > 0


@needs_queries
def test_tables_are_skewed_and_correlated(connection):
    def value(text):
        return connection.execute(text).fetchone()[0]

    per_film = "(SELECT movie_id, count(*) AS n FROM {} GROUP BY ALL)"
    cast, info = per_film.format("cast_info"), per_film.format("movie_info")
    assert value(f"SELECT corr(a.n, b.n) FROM {cast} AS a JOIN {info} AS b USING (movie_id)") > 0.4
    of_country = """
        SELECT avg((country_code = '[us]')::int) FROM movie_companies AS mc JOIN company_name AS cn ON cn.id = company_id
        WHERE movie_id {} (SELECT movie_id FROM movie_info WHERE info = 'Germany')"""
    assert value(of_country.format("NOT IN")) > value(of_country.format("IN"))
    women = "SELECT avg((gender = 'f')::int) FROM cast_info JOIN name AS n ON n.id = person_id JOIN role_type AS r ON r.id = role_id"
    assert value(f"{women} WHERE role = 'actress'") > 0.95
    assert value(f"{women} WHERE role = 'editor'") < 0.7


@needs_queries
def test_what_queries_look_for_is_there(connection):
    known = constants(queries().values())
    for table, column in [
        ("keyword", "keyword"),
        ("company_name", "name"),
        ("role_type", "role"),
        ("cast_info", "note"),
    ]:
        found = {value for (value,) in connection.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall()}
        assert not set(known[table, column]) - found


@needs_queries
@pytest.mark.parametrize("name", ["1a", "6f", "8c", "13d", "15d", "17e", "22c", "29c", "33c"])
def test_answers_are_those_of_duckdb(name, folder, connection):
    text = queries()[name]
    ours = lf.sql(text, **our_frames(folder)).to_arrow()
    check_same(name, {"lazyframe": ours, "duckdb": connection.sql(text).to_arrow_table()})


def test_duckdb_reads_all_texts():
    for text in queries().values():
        assert len(duckdb.extract_statements(text)) == 1
