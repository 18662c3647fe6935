"""`docs/optimizer-compared.md`: the rules of ours that it names are there, and it leaves out none of the others'."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from lazyframe.planner.optimizer import rule_names

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "optimizer-compared.md").read_text(encoding="utf-8")
_STAGES = re.compile(r"(initial_|analyzed_)?(logical|physical)_plan(_with_\w+)?")


def of_duckdb() -> list[str]:
    return [str(name) for (name,) in duckdb.sql("select name from duckdb_optimizers()").fetchall()]


def of_polars() -> list[str]:
    return [name for name, kind in vars(pl.QueryOptFlags).items() if isinstance(kind, property)]


def of_datafusion() -> list[str]:
    import datafusion

    context = datafusion.SessionContext()
    context.from_arrow(pa.table({"a": [1]}), name="t")
    stages = context.sql("explain verbose select a, count(*) from t group by a").to_pydict()["plan_type"]
    return [stage.split(" after ")[1] for stage in stages if not _STAGES.fullmatch(stage)]


def installed(engine: str) -> str:
    try:
        return version(engine.lower())
    except PackageNotFoundError:
        return ""


ENGINES: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "DuckDB": ("2.0.1", of_duckdb),
    "DataFusion": ("55.0.0", of_datafusion),
    "Polars": ("2.1.0", of_polars),
}


def described(engine: str) -> list[str]:
    section = PAGE.split(f"## {engine}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize("engine", ENGINES)
def test_each_rule_of_theirs_has_one_row(engine):
    compared, rules = ENGINES[engine]
    if installed(engine) != compared:
        pytest.skip(f"the page is about {engine} {compared}")
    assert sorted(described(engine)) == sorted(set(rules()))


def test_rules_of_ours_exist():
    named = set(re.findall(r"\]\(rules\.md#(\w+)\)", PAGE))
    assert named
    assert named <= set(rule_names()), (
        f"docs/optimizer-compared.md names rules that are gone: {named - set(rule_names())}"
    )


def test_files_that_it_names_exist():
    for name in re.findall(r"`((?:planner|executors)/[\w/.]+)`", PAGE):
        assert (ROOT / name).exists(), name
