"""What explain() says of pipelines."""

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

ROWS = 120_000


@pytest.fixture(autouse=True)
def usual_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAZYFRAME_COMPILED", raising=False)


def pipelines(frame: lf.LazyFrame) -> list[str]:
    shown = frame.explain()
    return shown[shown.index("pipelines:") :].splitlines()


def numbers() -> lf.LazyFrame:
    return lf.from_arrow(pa.table({"k": pa.array(range(ROWS)), "s": pa.array(["a b"] * ROWS)})).lazy()


def test_what_is_compiled() -> None:
    frame = numbers().filter(col("k") > 2).group_by("k").agg(n=lf.len())
    first, *rest = pipelines(frame)
    assert first == "pipelines:"
    assert rest == ["  1. scan in memory (~120,000 rows): filter rows, grouped aggregation compiled"]


def test_why_not() -> None:
    (_, line) = pipelines(numbers().filter(col("s").str.contains("a.b")).group_by("s").agg(n=lf.len()))
    assert line.startswith("  1. scan in memory (~120,000 rows): filter rows vectorized (")
    assert line.endswith("; grouped aggregation compiled")


def test_why_nothing_is_compiled() -> None:
    (_, line, *_) = pipelines(numbers().select(col("s").str.contains("a.b")))
    assert line.startswith("  1. scan in memory (~120,000 rows): compute columns vectorized (")


def test_few_rows() -> None:
    assert pipelines(numbers().head(10).filter(col("k") > 2)) != []
    assert pipelines(lf.from_dict({"x": [1]}).lazy().filter(col("x") > 0)) == [
        "pipelines: vectorized, as none is over 100,000 rows or more"
    ]


def test_switched_off() -> None:
    with lf.config(compiled=False):
        assert pipelines(numbers().filter(col("k") > 2)) == ["pipelines: vectorized, as compiling is switched off"]


def test_joins_name_the_pipelines_that_they_read() -> None:
    other = numbers().group_by("k").agg(n=lf.len())
    shown = pipelines(numbers().join(other, on="k").select("k", "n"))
    assert any("probe" in line and "compiled" in line for line in shown), shown
