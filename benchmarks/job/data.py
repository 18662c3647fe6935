"""Tables by the schema of the join-order benchmark: skewed and correlated as IMDB's are, with what its queries look for.

The real ones may not be passed on. These are random, by the same seed always the same: the chances of films, people, keywords
and companies follow Zipf's law, and what is said of a film depends on its year, kind, genre, country and popularity. Columns that no
query asks for are null.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.job import films, people
from benchmarks.job import vocabulary as words
from benchmarks.job.constants import Constants, constants
from benchmarks.job.draws import Draws
from benchmarks.job.films import Columns
from benchmarks.suites import conformance, texts

ROWS = {
    "title": 105_000, "name": 174_000, "char_name": 130_000, "company_name": 9_800, "keyword": 5_600, "aka_name": 37_000,
    "aka_title": 15_000, "cast_info": 1_500_000, "complete_cast": 9_000, "movie_companies": 109_000,
    "movie_info": 620_000, "movie_info_idx": 57_000, "movie_keyword": 188_000, "movie_link": 2_400, "person_info": 123_000,
}  # fmt: skip
"""At scale 1, which is a 24th of IMDB."""

MISSING = "the queries are not here: LAZYFRAME_CONFORMANCE names the folder that holds benchmarks/job"

_ROW_GROUP = 131_072
_FEWEST = 120


def queries() -> dict[str, str]:
    """The texts of the benchmark by name; empty where they are not beside this checkout.

    Four call a table `at`, which DuckDB has come to keep for itself.
    """
    found = texts(conformance() / "benchmarks" / "job")
    return {name: re.sub(r"\bat(?=[.,])", '"at"', text) for name, text in found.items() if name != "schema"}


def tables(data: Path, scale: float) -> Path:
    """The folder of the tables of that scale, made where it is missing."""
    made = data / f"job{scale:g}"
    if not made.is_dir():
        print(f"making the tables of the join-order benchmark at scale {scale:g} in {made}", file=sys.stderr)
        partial = made.with_name(made.name + ".partial")
        partial.mkdir(parents=True, exist_ok=True)
        schema = (conformance() / "benchmarks" / "job" / "schema.sql").read_text(encoding="utf-8")
        for name, table in generated(schema, constants(queries().values()), scale).items():
            pq.write_table(table, partial / f"{name}.parquet", row_group_size=_ROW_GROUP)
        partial.rename(made)
    return made


def generated(schema: str, known: Constants, scale: float, seed: int = 20_151) -> dict[str, pa.Table]:
    """All tables of the schema.

    Args:
        schema: as CREATE TABLE statements.
        known: what the queries look for.
        scale: of 1 is a 24th of IMDB.
        seed: another one makes other tables.
    """
    made = _columns(known, {name: max(_FEWEST, int(rows * scale)) for name, rows in ROWS.items()}, Draws(seed))
    return {name: _table(fields, made[name]) for name, fields in schemas(schema).items()}


def schemas(text: str) -> dict[str, pa.Schema]:
    """The tables that CREATE TABLE statements describe, a line a column."""
    found = {}
    for name, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\);", text, re.DOTALL):
        fields = [
            pa.field(column, pa.int32() if kind == "integer" else pa.string(), nullable="NOT NULL" not in rest)
            for column, kind, rest in re.findall(r"^\s+(\w+) (\w+)([^\n]*)", body, re.MULTILINE)
        ]
        found[name] = pa.schema(fields)
    return found


def _columns(known: Constants, rows: Mapping[str, int], draws: Draws) -> dict[str, Columns]:
    some = films.made(draws, rows["title"])
    title = films.titles(draws, some, known)
    someone, name = people.people(draws, rows["name"], known)
    makers, company = people.companies(draws, rows["company_name"], known)
    keyword = known[("keyword", "keyword")]
    count = rows["keyword"]
    character = people.characters(draws, rows["char_name"], known)
    return {
        "title": title,
        "name": name,
        "company_name": company,
        "char_name": character,
        "keyword": _texts([*keyword, *[f"keyword-{n}" for n in range(len(keyword), count)]], "keyword"),
        "kind_type": _texts(list(words.KINDS), "kind"),
        "role_type": _texts(list(words.ROLES), "role"),
        "info_type": _texts(list(words.INFO_TYPES), "info"),
        "link_type": _texts(list(words.LINKS), "link"),
        "company_type": _texts(list(words.COMPANY_TYPES), "kind"),
        "comp_cast_type": _texts(list(words.CAST_STATES), "kind"),
        "aka_title": films.aka_titles(draws, some, title["title"], rows["aka_title"]),
        "aka_name": people.aka_names(draws, someone, rows["aka_name"]),
        "movie_info": films.infos(draws, some, rows["movie_info"]),
        "movie_info_idx": films.ratings(draws, some, rows["movie_info_idx"]),
        "movie_keyword": films.keywords(draws, some, rows["movie_keyword"], len(keyword), count),
        "movie_link": films.links(draws, some, rows["movie_link"]),
        "movie_companies": people.productions(draws, some, makers, rows["movie_companies"], known),
        "complete_cast": films.casts(draws, some, rows["complete_cast"]),
        "person_info": people.facts(draws, someone, rows["person_info"], known),
        "cast_info": people.casts(draws, some, someone, rows["cast_info"], len(character["name"]), known),
    }


def _texts(values: list[str], name: str) -> Columns:
    return {name: pa.array(values, pa.string())}


def _table(schema: pa.Schema, columns: Columns) -> pa.Table:
    count = len(next(iter(columns.values())))
    given: Columns = {"id": np.arange(1, count + 1), **columns}
    arrays = []
    for field in schema:
        column = given.get(field.name)
        array = pa.nulls(count, field.type) if column is None else pa.array(column).cast(field.type)
        assert field.nullable or not array.null_count, f"nulls in {field.name}"
        arrays.append(array)
    return pa.table(arrays, schema=schema)
