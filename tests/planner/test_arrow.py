"""Values that are laid out here are those that pyarrow makes."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import textwrap
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lazyframe.planner import arrow, arrow_compute

SCALARS = [
    (0, pa.int64()), (-(2**63), pa.int64()), (2**64 - 1, pa.uint64()), (-128, pa.int8()), (255, pa.uint8()), (None, pa.int64()),
    (-0.0, pa.float64()), (float("inf"), pa.float64()), (True, pa.bool_()), (False, pa.bool_()), ("", pa.string()), ("dé\0f", pa.string()),
    (b"\xff", pa.binary()), (dt.date(1, 1, 1), pa.date32()), (dt.date(9999, 12, 31), pa.date32()), (None, pa.string()),
    (Decimal("-1.50"), pa.decimal128(15, 2)), (Decimal("1E+3"), pa.decimal128(5, 1)), (Decimal(0), pa.decimal128(1, 0)),
    (Decimal("9" * 38), pa.decimal128(38, 0)), (dt.datetime(2020, 1, 1), pa.date32()), (1, pa.float64()), (1.0, pa.int64()),  # noqa: DTZ001
    (-5, pa.date32()), (2**62, pa.timestamp("ns")), (7, pa.timestamp("us", "UTC")), (pa.MonthDayNano([-1, 2, -(2**40)]), pa.month_day_nano_interval()),
    (5, pa.date32()), (-7, pa.timestamp("s")), (2**63 - 1, pa.duration("us")), (pa.MonthDayNano([1, -2, 3]), pa.month_day_nano_interval()),
    (dt.datetime(2020, 1, 2, 3, 4, 5, 678901), pa.timestamp("us")), (dt.datetime(1969, 12, 31, 23), pa.timestamp("s")),  # noqa: DTZ001
    (dt.datetime(1, 1, 1), pa.timestamp("ms")), (dt.datetime(2020, 1, 1), pa.timestamp("us", "UTC")),  # noqa: DTZ001
    (7, None), (2**63 - 1, None), (1.5, None), (True, None), ("x", None), (b"x", None), (dt.date(2020, 1, 1), None), (None, None),
]  # fmt: skip
REFUSED = [(128, pa.int8()), (2**31, pa.date32()), (2**63, pa.timestamp("us")), (-1, pa.uint64()), (2**63, pa.int64()), ("x", pa.int64()), (Decimal("1.234"), pa.decimal128(5, 2)),
           (Decimal("NaN"), pa.decimal128(5, 2)), (Decimal(1000), pa.decimal128(3, 0)), ("\ud800", pa.string())]  # fmt: skip
ARRAYS = [
    [1, None, -3], [2**63 - 1, -(2**63)], [2**63], [1.5, None, -0.0], ["a", None, ""], ["dé", "\0"], [None], [], [1, 2.5], [True, None],
    [Decimal("1.5")], [[1], None], [np.int64(3)], (1, 2),
    [True, False], [dt.date(2020, 1, 1), None], [Decimal("-1.50"), None, Decimal(99)], [Decimal("1.234")], [b"x", None],
    [dt.date(1, 1, 1), 3],
]  # fmt: skip


@pytest.fixture(autouse=True)
def _without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pandas", raising=False)


@pytest.mark.parametrize(("value", "dtype"), SCALARS)
def test_scalars(value: Any, dtype: pa.DataType) -> None:
    found, wanted = arrow.scalar(value, dtype), pa.scalar(value, dtype)
    assert found.type == wanted.type
    assert repr(found.as_py()) == repr(wanted.as_py())
    found.validate(full=True)


@pytest.mark.parametrize(("value", "dtype"), REFUSED)
def test_what_does_not_fit_is_refused_as_by_pyarrow(value: Any, dtype: pa.DataType) -> None:
    with pytest.raises((pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError)) as wanted:
        pa.scalar(value, dtype)
    with pytest.raises(wanted.type):
        arrow.scalar(value, dtype)


@pytest.mark.parametrize("values", ARRAYS)
@pytest.mark.parametrize(
    "dtype", [None, pa.int64(), pa.uint8(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.decimal128(5, 2)]
)
def test_sequences(values: Any, dtype: pa.DataType | None) -> None:
    try:
        wanted = pa.array(values, dtype)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            arrow.array(values, dtype)
        return
    found = arrow.array(values, dtype)
    found.validate(full=True)
    assert found.type == wanted.type
    assert repr(found.to_pylist()) == repr(wanted.to_pylist())
    assert found.null_count == wanted.null_count


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u2", "u8", "f4", "f8", "?", "M8[us]", ">i4"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_arrays_of_numpy(dtype: str, step: int) -> None:
    values = np.arange(11).astype("i8").astype(dtype)[::step] if dtype != "?" else (np.arange(11) % 3 == 1)[::step]
    if dtype == ">i4":
        with pytest.raises(pa.ArrowNotImplementedError):
            arrow.array(values)
        return
    assert arrow.array(values).equals(pa.array(values))
    for mask in (np.zeros(len(values), bool), np.arange(len(values)) % 4 == 2):
        found = arrow.array(values, mask=mask)
        found.validate(full=True)
        assert found.equals(pa.array(values, mask=mask))


@pytest.mark.parametrize(
    ("values", "value"),
    [
        (pa.array([1, None, 3]), 0), (pa.array([1, None], pa.int8()), 1), (pa.array([None, 2.5]), 0.0), (pa.array([None, True]), False),
        (pa.array(["a", None]), ""), (pa.array([], pa.int32()), 4), (pa.array([None, 2.5]), 3), (pa.array(["a", None], pa.large_string()), "b"),
        (pa.array([1, 2, None, None])[1:3], 9), (pa.array(["x", None]).dictionary_encode(), "x"), (pa.chunked_array([[1, None], [None]]), 5),
    ],
)  # fmt: skip
def test_filling_nulls(values: Any, value: Any) -> None:
    found = arrow_compute.fill_null(values, value)
    assert found.type == values.type
    assert found.to_pylist() == [value if given is None else given for given in values.to_pylist()]


def test_large_questions_load_no_pandas(tmp_path: Any) -> None:
    n = np.arange(300_000)
    table = pa.table({"k": n % 1000, "v": n / 7, "many": n, "d": pa.array((n % 900).astype("i4")).view(pa.date32())})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=50_000)
    pq.write_table(table.slice(0, 500).select(["k"]), tmp_path / "keys.parquet")
    code = """
        import sys
        import lazyframe as lf

        rows, keys = lf.scan_parquet(sys.argv[1]), lf.scan_parquet(sys.argv[2])
        for query in (
            "select k, sum(v) from rows where d < date '1971-01-01' + interval '3' month group by k order by k limit 2",
            "select many, max(v), avg(k), count(distinct d) from rows group by many order by many limit 2",
            "select sum(v), count(*) from rows left join keys on rows.many = keys.k where keys.k is null",
            "select v from rows where k in (select k from keys) and not d = date '1970-05-05' order by v desc limit 3",
            "select extract(year from d) as y, stddev(v) from rows group by y order by y",
        ):
            assert len(lf.sql(query, rows=rows, keys=keys).collect())
            assert "pandas" not in sys.modules, query
    """
    command = [sys.executable, "-c", textwrap.dedent(code), *[str(tmp_path / f"{x}.parquet") for x in ("rows", "keys")]]
    subprocess.run(command, check=True)


def test_small_questions_load_neither_pandas_nor_llvm_nor_what_else_they_need_not(tmp_path: Any) -> None:
    code = """
        import sys
        import lazyframe as lf
        from lazyframe import col

        assert "pyarrow.compute" not in sys.modules
        data = lf.from_dict({"k": [1, 2, 2], "v": [1.5, None, 2.5], "s": ["a", "b", None]})
        data.lazy().sink_parquet(sys.argv[1])
        rows = lf.scan_parquet(sys.argv[1])
        print(rows.filter(col("k") > 1, col("s") == "b").with_columns(w=col("v") * 2).collect())
        print(rows.group_by("k").agg(col("v").sum(), n=lf.len()).sort("k", descending=True).head(1).collect())
        print(rows.join(data.lazy(), on="k").select("s").collect())
        assert "sqlglot" not in sys.modules
        print(lf.sql("select k, sum(v) from rows where s is not null group by k order by k limit 2", rows=rows).collect())
        for name in ("pandas", "llvmlite", "pyarrow.dataset", "asyncio", "polars", "duckdb"):
            assert name not in sys.modules, name
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "a.parquet")]
    # Where everything is to be compiled, LLVM is loaded.
    usual = {name: value for name, value in os.environ.items() if name != "LAZYFRAME_COMPILED"}
    subprocess.run(command, check=True, capture_output=True, env=usual)


def test_a_small_question_about_a_file_loads_little_of_pyarrow(tmp_path: Any) -> None:
    pq.write_table(pa.table({"k": [1, 2, 2], "s": ["a", "b", None]}), tmp_path / "a.parquet")
    code = """
        import sys
        import lazyframe as lf
        from lazyframe import col

        rows = lf.scan_parquet(sys.argv[1])
        print(rows.filter(col("s") != "a").group_by("k").agg(n=lf.len()).sort("k").collect())
        for name in ("pyarrow.compute", "pyarrow.parquet", "pyarrow.fs"):
            assert name not in sys.modules, name
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "a.parquet")]
    subprocess.run(command, check=True, capture_output=True)


def test_compiled_queries_do_not_load_pandas(tmp_path: Any) -> None:
    days = [dt.date(2020, 1, 1) + dt.timedelta(day) for day in range(100)]
    rows = pa.table(
        {"k": list(range(100)), "s": ["a", "b"] * 50, "day": days, "d": pa.array(days).cast(pa.timestamp("us"))}
    )
    pq.write_table(rows, tmp_path / "a.parquet")
    code = """
        import sys
        import lazyframe as lf

        rows = lf.scan_parquet(sys.argv[1])
        print(lf.sql(
            "select s, year(day), sum(k), count(distinct k) from rows where day between date '2020-02-01' - interval 9 day"
            " and date '2020-03-01' and s like 'a%' and k in (select k from rows where d < timestamp '2020-02-03 04:05:06')"
            " group by all order by 1", rows=rows,
        ).collect())
        assert "llvmlite" in sys.modules
        for name in ("pandas", "pyarrow.compute"):
            assert name not in sys.modules, name
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "a.parquet")]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "LAZYFRAME_COMPILED": "0"})


@pytest.mark.parametrize("values", [[1, 2, 3], [True, False] * 9, [1.5, -0.0], [], [dt.date(2020, 1, 1)]])
@pytest.mark.parametrize("start", [0, 1, 9])
def test_back_to_numpy(values: list[Any], start: int) -> None:
    column = pa.array(values, pa.int64() if not values else None).slice(start)
    found, wanted = arrow.numpy_of(column), column.to_numpy(zero_copy_only=False)
    assert found.dtype == wanted.dtype
    assert found.tolist() == wanted.tolist()
    holed = pa.array([1, None, 3])
    assert np.array_equal(arrow.numpy_of(holed), [1.0, np.nan, 3.0], equal_nan=True)
