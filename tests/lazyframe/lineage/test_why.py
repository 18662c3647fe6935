"""The rows that made a row."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe import col

ORDERS = lf.from_dict(
    {"id": [1, 2, 3, 4, 5], "cust": [1, 2, 1, None, 3], "price": [1.0, 2.0, 3.0, 4.0, float("nan")], "l": [[1], [], [2, 3], None, [4]]}
)  # fmt: skip
CITIES = lf.from_dict({"ckey": [1, 2, 3, 9], "city": ["a", "b", "a", None]})

JOINED = ORDERS.join(CITIES, left_on="cust", right_on="ckey")
BY_CITY = (
    ORDERS.join(CITIES, left_on="cust", right_on="ckey", how="left")
    .group_by("city")
    .agg(n=lf.len(), total=col("price").sum())
)


def numbers(query: lf.LazyFrame, row=0, columns=None) -> tuple[list[int], list[int]]:
    found = query.why(row, columns=columns, o=ORDERS, c=CITIES).numbers
    return found.get("o", []), found.get("c", [])


CASES = {
    "a filter": (ORDERS.filter(col("price") > 1), 1, [2], []),
    "a sort": (ORDERS.sort("price", descending=True), 1, [3], []),
    "a limit after a sort": (ORDERS.sort("id", descending=True).head(2), 1, [3], []),
    "the last rows": (ORDERS.tail(2), 0, [3], []),
    "a limit without a sort": (ORDERS.slice(2, 2), 0, [2], []),
    "a shift": (ORDERS.shift(1), 1, [0], []),
    "nothing, where a shift opens": (ORDERS.shift(1), 0, [], []),
    "a reversed row": (ORDERS.reverse(), 0, [4], []),
    "a row number": (ORDERS.with_row_index("i").filter(col("i") == 3), 0, [3], []),
    "an exploded list": (ORDERS.explode("l").filter(col("l") == 3), 0, [2], []),
    "an unpivoted column": (ORDERS.unpivot(on=["id", "cust"], index=["price"], value_name="v").filter(col("v") == 5), 0, [4], []),
    "a join": (JOINED, 2, [2], [0]),
    "a left join without a partner": (ORDERS.join(CITIES, left_on="cust", right_on="ckey", how="left"), 3, [3], []),
    "a right join without a partner": (ORDERS.join(CITIES, left_on="cust", right_on="ckey", how="right").filter(col("ckey") == 9),
                                       0, [], [3]),
    "a full join": (ORDERS.join(CITIES, left_on="cust", right_on="ckey", how="full").filter(col("city") == "b"), 0, [1], [1]),
    "a cross join": (ORDERS.join(CITIES, how="cross"), 5, [1], [1]),
    "a semi join": (CITIES.join(ORDERS, left_on="ckey", right_on="cust", how="semi"), 0, [0, 2], [0]),
    "an anti join": (CITIES.join(ORDERS, left_on="ckey", right_on="cust", how="anti"), 0, [], [3]),
    "a join with itself": (ORDERS.join(ORDERS.select("id", again="cust"), on="id"), 2, [2], []),
    "an asof join": (ORDERS.select("id").join_asof(CITIES.select("ckey").sort("ckey"), left_on="id", right_on="ckey"), 3, [3], [2]),
    "a group": (BY_CITY, 0, [0, 2, 4], [0, 2]),
    "the group of null": (BY_CITY, 2, [3], []),
    "a group that is kept": (BY_CITY.filter(col("n") < 3).sort("n", "city"), 0, [1], [1]),
    "a total": (ORDERS.select(col("price").sum()), 0, [0, 1, 2, 3, 4], []),
    "a total of none": (ORDERS.filter(col("id") > 9).select(lf.len()), 0, [], []),
    "a filtered total": (ORDERS.select(col("price").filter(col("id") > 3).sum()), 0, [3, 4], []),
    "two filtered totals": (ORDERS.select(a=col("price").filter(col("id") > 4).sum(), b=lf.len().filter(col("cust") == 1)), 0, [0, 2, 4], []),
    "a filtered total beside a total": (ORDERS.select(a=col("price").filter(col("id") > 4).sum(), b=lf.len()), 0, [0, 1, 2, 3, 4], []),
    "beside what is drawn": (ORDERS.with_columns(r=lf.random()).select("id"), 2, [2], []),
    "groups of groups": (BY_CITY.group_by(big=col("n") > 1).agg(lf.len()).filter(col("big")), 0, [0, 2, 4], [0, 2]),
    "a group of NaN": (ORDERS.group_by("price").agg(lf.len()), 4, [4], []),
    "a group over an empty frame": (ORDERS.head(0).select(lf.len()), 0, [], []),
    "distinct rows": (CITIES.select("city").unique(), 0, [], [0, 2]),
    "the first of each": (CITIES.unique(["city"]), 0, [], [0]),
    "a union": (lf.concat([ORDERS.select(k="cust"), CITIES.select(k="ckey")]), 5, [], [0]),
    "a union with itself": (lf.concat([CITIES.select("ckey"), CITIES.select("ckey")]).unique(), 1, [], [1]),
    "an intersection": (ORDERS.select(k="cust").intersect(CITIES.select(k="ckey")), 0, [0, 2], [0]),
    "a difference": (CITIES.select(k="ckey").except_(ORDERS.select(k="cust")), 0, [], [3]),
    "side by side": (lf.concat([ORDERS.select("id"), CITIES], how="horizontal"), 4, [4], []),
    "a window": (ORDERS.select("id", s=col("price").sum().over("cust")), 0, [0, 2], []),
    "beside a window": (ORDERS.select("id", s=col("price").sum().over("cust")).select("id"), 0, [0], []),
    "the best of each": (ORDERS.filter(lf.row_number().over("cust", order_by=lf.desc("id")) == 1).select("id"), 1, [2], []),
    "a kept result": (ORDERS.filter(col("id") > 1).cache(), 0, [1], []),
    "a query in SQL": (lf.sql("select city, count(*) n from o, c where cust = ckey group by city order by n desc", o=ORDERS, c=CITIES),
                       0, [0, 2, 4], [0, 2]),
    "EXISTS": (lf.sql("select city from c where exists (select 1 from o where cust = ckey and price > 1)", o=ORDERS, c=CITIES),
               0, [2], [0]),
    "EXISTS as a column": (lf.sql("select city, exists (select 1 from o where cust = ckey) e from c", o=ORDERS, c=CITIES), 3, [], [3]),
    "IN": (lf.sql("select city from c where ckey in (select cust from o where id < 3)", o=ORDERS, c=CITIES), 0, [0], [0]),
    "a subquery's value": (lf.sql("select ckey, (select max(price) from o where cust = ckey) m from c", o=ORDERS, c=CITIES), 0, [0, 2], [0]),
    "compared with a subquery": (lf.sql("select ckey from c where ckey = (select min(id) from o where id > 2)", o=ORDERS, c=CITIES),
                                 0, [2, 3, 4], [2]),
    "a query read twice": (
        lf.sql("with t as (select cust, sum(price) s from o group by cust) select a.s from t a join t b on a.cust = b.cust", o=ORDERS, c=CITIES),
        1, [1], []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_sources_by_hand(name):
    query, row, *expected = CASES[name]
    assert list(numbers(query, row)) == expected


def test_one_of_two_totals():
    totals = ORDERS.select(a=col("price").filter(col("id") > 4).sum(), b=lf.len())
    assert numbers(totals, 0, ["a"]) == ([4], [])
    assert numbers(ORDERS.with_columns(r=lf.random()), 2, ["id"]) == ([2], [])


def test_rows_by_their_values():
    assert numbers(BY_CITY, {"city": "b"}) == ([1], [1])
    assert numbers(BY_CITY, {"city": None}) == ([3], [])
    # All rows that have the values.
    assert numbers(ORDERS, {"cust": 1}) == ([0, 2], [])
    assert len(ORDERS.why({"cust": 1}).rows) == 2


def test_equal_rows_are_told_apart_by_their_number():
    assert [numbers(CITIES.select("city"), row)[1] for row in (0, 2)] == [[0], [2]]


def test_what_is_given():
    found = BY_CITY.select("city", "n").why({"city": "a"}, o=ORDERS, c=CITIES)
    assert found.rows.to_dicts() == [{"city": "a", "n": 3}]
    assert found["c"].to_dicts() == [{"ckey": 1, "city": "a"}, {"ckey": 3, "city": "a"}]
    assert (list(found), len(found), found["o"].columns) == (["o", "c"], 2, ORDERS.columns)
    assert "of c, 2 rows:" in repr(found)
    assert found._repr_html_().count("<table") == 3
    with pytest.raises(lf.errors.ColumnNotFoundError):
        found["x"]


def test_files_and_values(tmp_path):
    CITIES.sink_parquet(tmp_path / "cities.parquet")
    query = lf.scan_parquet(tmp_path / "cities.parquet").group_by("city").agg(lf.len())
    assert query.why(0).numbers == {"cities": [0, 2]}
    rows = lf.sql("select v * 2 as w from (values (1), (2)) as t(v)")
    assert rows.why(1).numbers == {"values": [1]}
    assert lf.sql("select 1 as one").why(0).numbers == {}


def test_what_cannot_be_told_is_refused_at_its_line():
    for query, said in (
        (ORDERS.map_batches(lambda table: table), "a Python function"),
        (ORDERS.with_columns(r=lf.random()), "drawn anew"),
        (
            lf.sql("with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select n from r"),
            "recursive",
        ),
    ):
        with pytest.raises(lf.errors.UnsupportedError, match=said) as caught:
            query.why(0)
        assert caught.value.site is not None


def test_wrong_rows():
    for row, said in (
        (7, "no row 7"),
        ({"city": "z"}, "no row {'city': 'z'}"),
        ({}, "wants a row"),
        (-1, "row"),
        ("a", "row"),
    ):
        with pytest.raises(lf.errors.InvalidArgumentError, match=said):
            BY_CITY.why(row)
    with pytest.raises(lf.errors.ColumnNotFoundError, match="did you mean 'city'"):
        BY_CITY.why({"citi": "a"})
    with pytest.raises(lf.errors.ColumnNotFoundError):
        BY_CITY.why(0, columns=["x"])
    with pytest.raises(lf.errors.InvalidArgumentError, match="leaves nothing"):
        BY_CITY.why(0, columns=[])


def test_names_that_clash():
    df = lf.from_dict({"why": [1, 2], "number": [3, 4], "number:wanted": [5, 6]})
    query = (
        df.join(df.select("why", other="number"), on="why")
        .group_by("why", "number", "number:wanted")
        .agg(why2=lf.len())
    )
    assert query.why(1, df=df).to_dict() == {"df": [{"why": 2, "number": 4, "number:wanted": 6}]}


def test_deep_queries():
    deep = ORDERS.select("id")
    for number in range(1_000):
        deep = deep.filter(col("id") > -number) if number % 2 else deep.head(1_000_000)
    assert numbers(deep, 3) == ([3], [])
