"""Fields that are read by themselves have the values that they have in their structs."""

from __future__ import annotations

import os
import pickle
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.session import planned

TYPE = pa.struct({"a": pa.int64(), "b": pa.struct({"c": pa.string(), "d": pa.list_(pa.int64())}), "e": pa.float64()})


def structs(rng: random.Random, rows: int) -> list[Any]:
    def maybe(value: Any) -> Any:
        return None if rng.random() < 0.3 else value

    return [
        maybe({
            "a": maybe(rng.randrange(4)),
            "b": maybe({"c": maybe(rng.choice(["x", "y", ""])), "d": maybe([rng.randrange(3)] * rng.randrange(3))}),
            "e": maybe(rng.choice([0.0, -0.0, float("nan"), 1.5])),
        })
        for _ in range(rows)
    ]  # fmt: skip


def table(seed: int, rows: int) -> pa.Table:
    return pa.table({"k": range(rows), "s": pa.array(structs(random.Random(seed), rows), TYPE)})


def at(*path: str) -> lf.Expr:
    found = col("s")
    for name in path:
        found = found.struct.field(name)
    return found


QUERIES = {
    "fields": lambda t: t.select("k", a=at("a"), c=at("b", "c")),
    "filters": lambda t: t.filter(at("a") > 1, at("b", "c") != "x").select("k", e=at("e")),
    "nulls": lambda t: t.filter(at("b").is_null()).select("k", a=at("a")),
    "groups": lambda t: t.group_by(c=at("b", "c")).agg(n=lf.len(), a=at("a").sum()),
    "lists": lambda t: t.select(d=at("b", "d")).explode("d"),
    "joins": lambda t: t.join(t.select(j=col("k") + 1, t=col("s")), left_on="k", right_on="j", how="left").select(
        "k", a=at("a"), e=col("t").struct.field("e")
    ),
    "whole": lambda t: t.filter(at("a") == 2),
    "renamed": lambda t: t.select("k", r=col("s")).sort("k", descending=True).head(7).select(c=col("r").struct.field("b").struct.field("c")),
    "union": lambda t: lf.concat([t, t.filter(at("a") == 1)]).select(a=at("a")),
    "windows": lambda t: t.select("k", n=at("a").sum().over(at("b", "c"))),
}  # fmt: skip


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize(("rows", "group"), [(0, 1), (40, 7), (40, 40)])
def test_each_query(tmp_path: Path, name: str, rows: int, group: int) -> None:
    data = table(rows, rows)
    pq.write_table(data, tmp_path / "x.parquet", row_group_size=group)
    query = QUERIES[name](lf.scan_parquet(tmp_path / "x.parquet"))
    assert repr(query.to_dicts()) == repr(QUERIES[name](lf.from_arrow(data)).to_dicts())
    with lf.config(disable=["read_struct_fields"]):
        assert repr(query.to_dicts()) == repr(QUERIES[name](lf.from_arrow(data)).to_dicts())


def test_what_is_read(tmp_path: Path) -> None:
    data = pa.table(
        {"s": pa.array([{"a": n, "b": {"c": "x" * 500 + str(n), "d": [n]}, "e": 0.5} for n in range(4000)], TYPE)}
    )
    pq.write_table(data, tmp_path / "x.parquet", row_group_size=1000)
    text = lf.scan_parquet(tmp_path / "x.parquet").filter(at("a") >= 3500).select(x=at("a")).explain()
    assert "[`s.a`]" in text
    assert "3 of 4 row groups skipped" in text


def test_long_row_groups(tmp_path: Path) -> None:
    rows = 600_000
    inner = pa.StructArray.from_arrays([pa.array(range(rows)), pa.array(["x"] * rows)], ["a", "t"])
    pq.write_table(pa.table({"s": inner}), tmp_path / "x.parquet", row_group_size=rows)
    query = lf.scan_parquet(tmp_path / "x.parquet").select(n=at("a").sum(), m=at("a").max() + 0)
    assert query.to_dicts() == [{"n": rows * (rows - 1) // 2, "m": rows - 1}]


def test_several_files_a_replaced_one_and_another_process(tmp_path: Path) -> None:
    for number in (1, 2):
        pq.write_table(table(number, 10), tmp_path / f"{number}.parquet")
    query = lf.scan_parquet(f"{tmp_path}/*.parquet").filter(at("a") > 0).select("k", c=at("b", "c"))
    wanted = QUERIES["fields"](lf.from_arrow(pa.concat_tables([table(1, 10), table(2, 10)])))
    assert query.to_dicts() == wanted.filter(col("a") > 0).select("k", "c").to_dicts()
    assert pickle.loads(pickle.dumps(planned(query._plan))).digest == planned(query._plan).digest
    pq.write_table(table(3, 10), tmp_path / "2.parquet")
    os.utime(tmp_path / "2.parquet", ns=(1, 1))
    wanted = QUERIES["fields"](lf.from_arrow(pa.concat_tables([table(1, 10), table(3, 10)])))
    assert query.to_dicts() == wanted.filter(col("a") > 0).select("k", "c").to_dicts()


def test_files_whose_structs_differ_are_read_whole(tmp_path: Path) -> None:
    pq.write_table(pa.table({"s": [{"a": 1, "b": "x"}]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"k": [1]}), tmp_path / "2.parquet")
    query = lf.scan_parquet(f"{tmp_path}/*.parquet", missing_columns="null").select(a=at("a"))
    assert "`s.a`" not in query.explain()
    assert query.to_dicts() == [{"a": 1}, {"a": None}]
