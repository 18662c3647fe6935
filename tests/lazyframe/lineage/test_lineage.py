"""Lineage as users see it."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe import col


@pytest.fixture
def shop() -> lf.LazyFrame:
    return lf.from_dict({"city": ["Rome"], "price": [2.0], "open": [True]}).lazy()


@pytest.fixture
def totals(shop) -> lf.LazyFrame:
    kept = shop.filter(
        col("open") == True  # noqa: E712 - an expression
    )
    return kept.group_by("city").agg(
        total=col("price").sum(),
        n=lf.len(),
    )


def test_lines_of_code(totals):
    total = totals.lineage()["total"]
    assert [line.code for line in total.code("filter")] == ['col("open") == True']
    assert [line.code for line in total.code("value")] == ['col("price").sum()']
    first, second = total.code("filter") + total.code("value")
    assert first.file == second.file == __file__
    assert second.number == first.number + 3
    assert str(second) == f'test_lineage.py:{second.number} col("price").sum()'


def test_lines_of_sql(shop):
    query = lf.sql("select city,\n  sum(price * 2) as total\nfrom shop where open\ngroup by city", shop=shop)
    total = query.lineage(shop=shop)["total"]
    assert [str(line) for line in total.code("value")] == ["SQL:2 sum(price * 2)"]
    assert [str(line) for line in total.code("filter")] == ["SQL:3 open"]


def test_as_a_frame(totals, shop):
    frame = totals.lineage(shop=shop).to_frame()
    assert frame.columns == ["column", "role", "table", "from", "code"]
    assert frame.select("column", "role", "from").to_dicts()[:3] == [
        {"column": "city", "role": "value", "from": "city"},
        {"column": "city", "role": "filter", "from": "open"},
        {"column": "city", "role": "key", "from": "city"},
    ]
    none = shop.select(one=lf.lit(1)).lineage().to_frame()
    assert (none.shape, none.schema["code"]) == ((0, 5), frame.schema["code"])


def test_the_table_says_once_what_holds_for_all(totals, shop, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    text = repr(totals.lineage(shop=shop))
    assert text.count("shop.open") == 1
    assert "every column" in text
    assert text.index("shop.price") < text.index("every column") < text.index("shop.open")


def test_brackets_in_names_are_shown(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    df = lf.from_dict({"[red]x": [1], "y": [2]})
    assert "df.[red]x" in repr(df.select("[red]x").lineage(df=df))


def test_as_a_mapping(totals):
    found = totals.lineage()
    assert (list(found), len(found), "total" in found, "x" in found) == (["city", "total", "n"], 3, True, False)
    with pytest.raises(lf.errors.ColumnNotFoundError, match="did you mean 'total'"):
        found["totl"]
    assert repr(found["n"]) == "n: filter frame_1.open; key frame_1.city"
    assert repr(lf.from_dict({"x": [1]}).select(one=lf.lit(1)).lineage()["one"]) == "one: of no column"


def test_names_that_clash():
    result = lf.from_dict({"x": [1], "all": [2]})
    query = result.select("x", "all").filter(col("x") > 0)
    found = query.lineage(result=result)
    assert found["all"].value == ["result.all"]
    assert "result.x" not in found.to_svg()
    assert found.to_mermaid().count("-->") == 2


def test_files_have_their_names(tmp_path, shop):
    shop.sink_parquet(tmp_path / "shop-2024.parquet")
    query = lf.scan_parquet(tmp_path / "shop-2024.parquet").select("price")
    assert query.lineage()["price"].value == ["shop_2024.price"]
    assert query.lineage().unused() == {"shop_2024": ["city", "open"]}


def test_bad_names(totals, shop):
    with pytest.raises(lf.errors.InvalidArgumentError, match="'t' is a query"):
        totals.lineage(t=totals)
    with pytest.raises(lf.errors.InvalidArgumentError, match="'b' and 'a' are the same"):
        totals.lineage(a=shop, b=shop)


def test_an_empty_frame_and_no_columns():
    empty = lf.from_dict({"x": []}, schema={"x": "int64"})
    assert empty.filter(col("x") > 1).lineage()["x"].filter == ["frame_1.x"]
    assert list(lf.from_dict({"x": [1]}).select([]).lineage()) == []
    assert lf.from_dict({"x": [1]}).select([]).lineage().to_svg().startswith("<svg")
