"""Wrong answers that engines gave for unions, times, dictionaries and views."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col


def test_concat_goes_by_name_and_widens():
    a = lf.from_dict({"x": [1], "y": ["a"]}, schema={"x": "int8"})
    b = lf.from_dict({"y": ["b"], "x": [2.5]})
    assert lf.concat([a, b]).to_dict() == {"x": [1.0, 2.5], "y": ["a", "b"]}
    with pytest.raises(lf.errors.InvalidArgumentError):
        lf.concat([a, b.rename({"x": "z"})])
    with pytest.raises(lf.errors.TypeMismatchError):
        lf.concat([a.select("x"), b.select(x="y")])
    assert lf.concat([a, b]).sort("x", descending=True).head(1).to_dict()["y"] == ["b"]
    assert lf.concat([a.select("x"), a.select("x")]).sort("x").count() == 2


def test_bags_of_rows():
    a = lf.from_dict({"x": [1, 1, 1, 2, 3]})
    b = lf.from_dict({"x": [1, 1, 3, 4]})
    assert a.union(b).to_dict()["x"] == [1, 2, 3, 4]
    assert a.union(b, keep_duplicates=True).count() == 9
    assert sorted(a.intersect(b, keep_duplicates=True).to_dict()["x"]) == [1, 1, 3]
    assert sorted(a.except_(b, keep_duplicates=True).to_dict()["x"]) == [1, 2]
    assert a.except_(b).to_dict()["x"] == [2]


def test_days_that_begin_at_six_across_the_change_of_clocks():
    paris = ZoneInfo("Europe/Paris")
    times = [datetime(2023, 3, 25, 5, tzinfo=paris), datetime(2023, 3, 25, 7, tzinfo=paris),
             datetime(2023, 3, 26, 5, tzinfo=paris), datetime(2023, 3, 26, 7, tzinfo=paris)]  # fmt: skip
    t = lf.from_arrow(pa.table({"t": pa.array(times, pa.timestamp("us", "Europe/Paris"))}))
    days = t.select(col("t").dt.truncate("1d", offset="6h")).to_dict()["t"]
    assert [(d.day, d.hour) for d in days] == [(24, 6), (25, 6), (25, 6), (26, 6)]
    assert t.group_by(d=col("t").dt.truncate("1d", offset="6h")).agg(n=lf.len()).to_dict()["n"] == [1, 2, 1]


def test_a_month_more_clamps_to_its_end():
    d = lf.from_dict({"d": [date(2024, 1, 31), date(2023, 1, 31), date(2024, 2, 29)]})
    month, year = lf.interval(months=1), lf.interval(years=1)
    assert d.select(col("d") + month).to_dict()["d"] == [date(2024, 2, 29), date(2023, 2, 28), date(2024, 3, 29)]
    assert d.select(col("d") + year).to_dict()["d"][2] == date(2025, 2, 28)
    assert d.select(col("d") - month).to_dict()["d"] == [date(2023, 12, 31), date(2022, 12, 31), date(2024, 1, 29)]
    assert d.schema["d"] == d.select(col("d") + month).schema["d"]


def dictionaries() -> pa.Table:
    """Two chunks whose codes mean different values."""
    chunks = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int8()), ["b", "a"]),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), ["a", None, "b"]),
    ]
    return pa.table({"s": pa.chunked_array(chunks), "v": [1, 2, 3, 4, 5, 6]})


def test_codes_of_dictionaries_are_never_compared():
    frame = lf.from_arrow(dictionaries())
    assert frame.to_dict()["s"] == ["b", "a", None, "a", None, "b"]
    assert frame.filter(col("s") == "a").to_dict()["v"] == [2, 4]
    assert frame.group_by("s").agg(col("v").sum()).to_dicts() == [
        {"s": "b", "v": 7},
        {"s": "a", "v": 6},
        {"s": None, "v": 8},
    ]
    assert frame.sort("s").to_dict()["v"] == [2, 4, 1, 6, 3, 5]
    assert frame.select(low=col("s").min(), n=col("s").n_unique(), c=col("s").count()).to_dicts() == [
        {"low": "a", "n": 3, "c": 4}
    ]
    words = lf.from_dict({"s": ["a", "b"], "w": [10, 20]})
    assert frame.join(words, on="s").to_dict()["w"] == [20, 10, 10, 20]
    assert words.join(frame, on="s").to_dict()["v"] == [2, 4, 1, 6]
    assert frame.select("s").unique().to_dict()["s"] == ["b", "a", None]
    assert frame.select("s").intersect(words.select("s")).to_dict()["s"] == ["b", "a"]


@pytest.mark.parametrize("as_type", [pa.string_view(), pa.large_string(), pa.string()])
def test_views_and_large_strings_are_strings(tmp_path, as_type):
    table = pa.table({"s": pa.array(["b", None, "a string too long for a view", "b"], as_type), "v": [1, 2, 3, 4]})
    pq.write_table(table, tmp_path / "s.parquet")
    for frame in (lf.from_arrow(table), lf.scan_parquet(tmp_path / "s.parquet")):
        assert str(frame.schema["s"]) == "string"
        assert frame.filter(col("s") == "b").to_dict()["v"] == [1, 4]
        assert frame.group_by("s").agg(col("v").sum()).to_dict()["v"] == [5, 2, 3]
        assert frame.sort("s").to_dict()["v"] == [3, 1, 4, 2]
        assert frame.join(lf.from_dict({"s": ["b"]}), on="s").to_dict()["v"] == [1, 4]
        assert frame.select(col("s").str.upper()).to_dict()["s"][0] == "B"
        assert frame.select(col("s").str.len_chars()).to_dict()["s"] == [1, None, 28, 1]


def test_order_and_filters_of_aggregates_are_kept():
    frame = lf.from_dict({"k": [1, 1, 1], "x": [None, 2, 3], "t": [1, 3, 2]})
    first = frame.group_by("k").agg(
        a=col("x").first(), b=col("x").first(order_by="t"), c=col("x").first(order_by=lf.desc("t")),
        d=col("x").first(ignore_nulls=True), e=col("x").first(order_by="t", ignore_nulls=True),
        f=col("x").last(order_by="t"), g=col("x").implode(order_by="t"),
    )  # fmt: skip
    assert first.to_dicts() == [{"k": 1, "a": None, "b": None, "c": 2, "d": 2, "e": 3, "f": 2, "g": [None, 3, 2]}]
    logic = frame.select(any=(col("x") > 2).any(), all=(col("x") > 2).all(), every=(col("x") > 0).all())
    assert logic.to_dicts() == [{"any": True, "all": False, "every": True}]


def test_a_slice_of_structs_is_a_slice():
    structs = pa.array([{"a": 1}, {"a": 2}, {"a": 3}])
    frame = lf.from_arrow(pa.table({"s": structs.slice(1, 2)}))
    assert frame.unnest("s").to_dict() == {"a": [2, 3]}
    assert lf.from_arrow(pa.table({"s": structs})).slice(1, 1).unnest("s").to_dict() == {"a": [2]}


def test_an_offset_in_every_column_is_respected():
    table = pa.table({
        "b": [True, False, None, True], "s": ["a", None, "c", "d"], "d": [date(2024, 1, n) for n in (1, 2, 3, 4)], "l": [[1], [], None, [2, 3]],
    }).slice(1, 3)  # fmt: skip
    frame = lf.from_arrow(table)
    assert frame.filter(col("b")).to_dict()["s"] == ["d"]
    assert frame.explode("l").to_dict()["l"] == [None, None, 2, 3]
    assert frame.sort("d", descending=True).to_dict()["s"] == ["d", "c", None]
    assert frame.group_by("b").agg(n=lf.len()).to_dict() == {"b": [False, None, True], "n": [1, 1, 1]}
