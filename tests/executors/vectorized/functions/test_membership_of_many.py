"""Long lists of constants: the same answers as Python's sets give, at the ends of each type."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col

RANGES = [
    (pa.int8(), -128, 127), (pa.uint8(), 0, 255), (pa.int32(), -(2**31), 2**31 - 1), (pa.int64(), -(2**63), 2**63 - 1),
    (pa.uint64(), 0, 2**64 - 1), (pa.int64(), -2000, 2000), (pa.uint64(), 2**64 - 5000, 2**64 - 1),
    (pa.int64(), 2**63 - 5000, 2**63 - 1), (pa.int16(), -(2**15), 2**15 - 1),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "least", "greatest"), RANGES)
def test_integers(dtype: pa.DataType, least: int, greatest: int) -> None:
    rng = random.Random(least)
    members = [rng.randint(least, greatest) for _ in range(1500)]
    values = [
        rng.choice([None, rng.randint(least, greatest), rng.choice(members), least, greatest]) for _ in range(3000)
    ]
    table = lf.from_arrow(pa.table({"x": pa.array(values, dtype)}))
    wanted = [None if value is None else value in set(members) for value in values]
    assert table.select(y=col("x").is_in(members)).to_arrow()["y"].to_pylist() == wanted
    with_null = table.select(y=col("x").is_in([*members, None])).to_arrow()["y"].to_pylist()
    assert with_null == [True if found else None for found in wanted]


def test_decimals_and_texts() -> None:
    members = [Decimal(number) / 100 for number in range(0, 4000, 2)]
    values = [Decimal("0.01"), Decimal("0.02"), None, Decimal("39.98"), Decimal("40.00")]
    table = lf.from_arrow(
        pa.table({"x": pa.array(values, pa.decimal128(10, 2)), "s": [None if v is None else str(v) for v in values]})
    )
    wanted = [False, True, None, True, False]
    assert table.select(y=col("x").is_in(members)).to_arrow()["y"].to_pylist() == wanted
    assert table.select(y=col("s").is_in([str(m) for m in members])).to_arrow()["y"].to_pylist() == wanted


def test_row_groups_are_compared_with_a_long_list(tmp_path) -> None:
    pq.write_table(pa.table({"x": range(10_000)}), tmp_path / "x.parquet", row_group_size=100)
    members = [*range(-5_000, 0), *range(150, 250), *range(20_000, 30_000)]
    query = lf.scan_parquet(tmp_path / "x.parquet").filter(col("x").is_in(members))
    assert "98 of 100 row groups skipped" in query.explain()
    assert query.to_arrow()["x"].to_pylist() == list(range(150, 250))


@pytest.mark.parametrize("size", [1, 2, 8, 9])
def test_short_lists(size: int) -> None:
    numbers = [0, 1, -1, 2**62, -(2**63), 5, None, 7, 9, 2**63 - 1]
    days = [None if n is None else dt.date(1970, 1, 1) + dt.timedelta(days=n % 1000) for n in numbers]
    for values, dtype in (
        (numbers, pa.int64()),
        (days, pa.date32()),
        ([None if n is None else Decimal(n % 97) for n in numbers], pa.decimal128(5, 1)),
    ):
        members = [value for value in values if value is not None][:size]
        table = lf.from_arrow(pa.table({"x": pa.array(values, dtype)}))
        wanted = [None if value is None else value in members for value in values]
        assert table.select(y=col("x").is_in(members)).to_arrow()["y"].to_pylist() == wanted
        found = table.select(y=col("x").is_in([*members, None])).to_arrow()["y"].to_pylist()
        assert found == [True if each else None for each in wanted]
