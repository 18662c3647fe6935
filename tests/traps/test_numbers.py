"""Wrong answers that engines gave for floats, integers and decimals."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col, lit

NAN = float("nan")


def test_nan_keys_are_one():
    x = lf.from_dict({"x": [NAN, 1.0, NAN, -NAN], "v": [1, 2, 3, 4]})
    assert [(str(r["x"]), r["v"]) for r in x.group_by("x").agg(col("v").sum()).to_dicts()] == [("nan", 8), ("1.0", 2)]
    assert x.select(col("x").n_unique()).item() == 2
    assert x.select("x").unique().count() == 2
    other = lf.from_dict({"x": [NAN], "w": [9]})
    assert x.join(other, on="x").to_dict()["v"] == [1, 3, 4]
    assert x.filter(col("x") == NAN).count() == 3
    assert x.filter(col("x") > 1e308).count() == 3
    payload = np.array([0x7FF8000000000001, 0xFFF8000000000000], dtype=np.uint64).view(np.float64)
    assert lf.from_arrow(pa.table({"x": payload})).unique().count() == 1


def test_negative_zero_is_zero():
    x = lf.from_dict({"x": [0.0, -0.0], "v": [1, 2]})
    assert x.group_by("x").agg(col("v").sum()).to_dict()["v"] == [3]
    assert x.select("x").unique().count() == 1
    assert x.select(col("x").n_unique()).item() == 1
    assert x.join(x, on="x").count() == 4
    assert x.filter(col("x") == 0.0).count() == 2
    assert x.filter(col("x") < 0.0).count() == 0
    assert x.filter(col("x").is_in([-0.0])).count() == 2
    assert x.sort("x", "v").to_dict()["v"] == [1, 2]
    assert x.sort(lf.desc("x")).to_dict()["v"] == [1, 2]
    assert x.select("x").intersect(lf.from_dict({"x": [-0.0]})).count() == 1


def test_extremes_of_nan():
    x = lf.from_dict({"k": [1, 1, 2, 2], "x": [NAN, NAN, NAN, 1.0]})
    found = x.group_by("k").agg(high=col("x").max(), low=col("x").min()).to_dicts()
    assert math.isnan(found[0]["high"])
    assert math.isnan(found[0]["low"])
    assert math.isnan(found[1]["high"])
    assert found[1]["low"] == 1.0
    assert [str(v) for v in x.sort("x").to_dict()["x"]] == ["1.0", "nan", "nan", "nan"]


@pytest.mark.parametrize("row_group", [1, 3])
def test_statistics_leave_nan_out(tmp_path, row_group):
    table = pa.table({"x": [3.0, NAN, 3.0]})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=row_group)
    for frame in (lf.from_arrow(table), lf.scan_parquet(tmp_path / "x.parquet")):
        assert frame.filter(col("x") != 3).count() == 1
        assert frame.filter(col("x") > 100).count() == 1
        assert frame.filter(~(col("x") <= 3)).count() == 1
        assert frame.filter(col("x") == NAN).count() == 1
        assert frame.filter(col("x") < 100).count() == 2


def test_statistics_of_zero_with_either_sign(tmp_path):
    pq.write_table(pa.table({"x": [0.0, -0.0]}), tmp_path / "x.parquet", row_group_size=1)
    x = lf.scan_parquet(tmp_path / "x.parquet")
    assert x.filter(col("x") == 0.0).count() == x.filter(col("x") == -0.0).count() == 2
    assert x.filter(col("x") >= 0.0).count() == x.filter(col("x") <= -0.0).count() == 2
    assert x.filter(col("x") < 0.0).count() == 0


def test_sums_are_wide_enough_or_fail():
    big = lf.from_dict({"x": [2**31 - 1, 2**31 - 1]}, schema={"x": "int32"})
    assert big.select(col("x").sum()).item() == 4294967294
    for name in ("int8", "uint8", "int16"):
        assert lf.from_dict({"x": [100] * 1000}, schema={"x": name}).select(col("x").sum()).item() == 100_000
    with pytest.raises(lf.errors.EvaluationError):
        lf.from_dict({"x": [2**63 - 1, 1]}).select(col("x").sum()).to_arrow()
    assert lf.from_dict({"x": [2**63 - 1, 1, -1]}).select(col("x").sum()).item() == 2**63 - 1
    assert lf.from_dict({"x": [2**63, 1]}, schema={"x": "uint64"}).select(col("x").sum()).item() == 2**63 + 1


def test_differences_of_counts_can_be_negative():
    a = lf.from_dict({"a": [-1, -2, 3]})
    assert a.select(d=(col("a") > 0).sum() - (col("a") < 0).sum()).item() == -1
    lengths = lf.from_dict({"s": ["a", "bcd"]}).select(d=col("s").str.len_chars() - 2)
    assert lengths.to_dict()["d"] == [-1, 1]


def test_overflow_is_an_error_and_literals_take_part():
    small = lf.from_dict({"x": [1, 100]}, schema={"x": "int8"})
    with pytest.raises(lf.errors.EvaluationError):
        small.select(col("x") * 100).to_arrow()
    assert small.select(col("x") * 1000).to_dict()["x"] == [1000, 100_000]
    assert small.head(1).select(col("x") * 100).to_dict()["x"] == [100]
    least = lf.from_dict({"x": [-128]}, schema={"x": "int8"})
    for expression in (-col("x"), col("x").abs(), col("x") - 1, col("x").cast("uint8")):
        with pytest.raises(lf.errors.EvaluationError):
            least.select(expression).to_arrow()
    with pytest.raises(lf.errors.EvaluationError):
        lf.from_dict({"x": [0]}, schema={"x": "uint8"}).select(col("x") - 1).to_arrow()


def test_decimal_division_is_exact():
    x = lf.from_dict({"x": [Decimal("48000000.00")], "y": [Decimal("19.00")]})
    quotient = x.select(col("x") / col("y")).item()
    assert abs(quotient - Decimal("2526315.789473684210526")) < Decimal("0.0000001")
    exact = lf.from_dict({"x": [Decimal("2526315.789473684210526")]})
    assert exact.select(col("x") / lit(Decimal(1))).item() == Decimal("2526315.789473684210526")
    prices = lf.from_arrow(
        pa.table({"p": pa.array([Decimal("0.01"), Decimal("0.02"), Decimal("0.02")], pa.decimal128(10, 2))})
    )
    assert prices.select(col("p").mean()).item() == Decimal("0.016666666667")
    with pytest.raises(lf.errors.EvaluationError):
        prices.select(col("p") / lit(Decimal(0))).to_arrow()


def test_numbers_of_different_kinds_compare_by_value():
    signed = lf.from_dict({"s": [-1, 2**53 + 1, 5]})
    unsigned = lf.from_dict({"u": [2**64 - 1, 2**53 + 1, 5]}, schema={"u": "uint64"})
    both = lf.concat([signed, unsigned], how="horizontal")
    assert both.select(e=col("s") == col("u"), l=col("s") < col("u")).to_dict() == {
        "e": [False, True, True], "l": [True, False, False],
    }  # fmt: skip
    assert signed.join(unsigned, left_on="s", right_on="u").to_dict()["s"] == [2**53 + 1, 5]
    floats = lf.from_dict({"i": [2**53 + 1, 2**53], "f": [9007199254740992.0] * 2})
    assert floats.select(e=col("i") == col("f")).to_dict()["e"] == [False, True]
    assert floats.filter(col("i") > col("f")).count() == 1
    assert signed.filter(col("s") == 5.0).count() == 1
    assert signed.filter(col("s") < 5.5).count() == 2


def test_integers_join_floats_by_value():
    integers = lf.from_dict({"i": [2**53 + 1, 3]})
    floats = lf.from_dict({"f": [9007199254740992.0, 3.0]})
    for how, expected in (("inner", [3]), ("semi", [3]), ("anti", [2**53 + 1])):
        assert integers.join(floats, left_on="i", right_on="f", how=how).to_dict()["i"] == expected
        assert integers.join(floats, on=col("i") == col("f"), how=how).to_dict()["i"] == expected
        assert integers.join(floats, on=col("f") == col("i"), how=how).to_dict()["i"] == expected
        nulls = integers.join(floats, left_on="i", right_on="f", how=how, nulls_equal=True)
        assert nulls.to_dict()["i"] == expected
    full = integers.join(floats, left_on="i", right_on="f", how="full").to_dicts()
    assert full == [{"i": 2**53 + 1, "f": None}, {"i": 3, "f": 3.0}, {"i": None, "f": 9007199254740992.0}]
    null = (
        lf.from_dict({"i": [None, 4]}, schema={"i": "int64"}),
        lf.from_dict({"f": [None, 4.0]}, schema={"f": "float64"}),
    )
    assert null[0].join(null[1], left_on="i", right_on="f", nulls_equal=True).to_dict()["i"] == [None, 4]
    assert null[0].join(null[1], left_on="i", right_on="f").to_dict()["i"] == [4]


def test_integers_are_members_of_floats_by_value():
    i = lf.from_dict({"i": [2**53 + 1, 2**53, 3, None]})
    assert i.select(col("i").is_in([9007199254740992.0, 3])).to_dict()["i"] == [False, True, True, None]
    assert i.select(col("i").is_in([9007199254740992.0, None])).to_dict()["i"] == [None, True, None, None]
    assert i.select(col("i").is_in([1.5])).to_dict()["i"] == [False, False, False, None]
    f = lf.from_dict({"f": [9007199254740992.0, 3.0, NAN, None]})
    assert f.select(col("f").is_in([2**53 + 1])).to_dict()["f"] == [False, False, False, None]
    assert f.select(col("f").is_in([2**53 + 1, 3, NAN])).to_dict()["f"] == [False, True, True, None]


def test_rounding_is_half_away_from_zero():
    x = lf.from_dict({"x": [0.5, 1.5, 2.5, -0.5, -2.5]})
    assert x.select(col("x").round()).to_dict()["x"] == [1.0, 2.0, 3.0, -1.0, -3.0]
    d = lf.from_dict({"d": [Decimal("0.125"), Decimal("-0.125")]})
    assert d.select(col("d").round(2)).to_dict()["d"] == [Decimal("0.13"), Decimal("-0.13")]


def test_integer_division():
    x = lf.from_dict({"x": [7, -7, 1], "y": [2, 2, 0]})
    assert x.head(2).select(q=col("x") // col("y"), r=col("x") % col("y"), t=col("x") / col("y")).to_dict() == {
        "q": [3, -4], "r": [1, 1], "t": [3.5, -3.5],
    }  # fmt: skip
    assert x.select(t=col("x") / col("y")).to_dict()["t"] == [3.5, -3.5, math.inf]
    for expression in (col("x") // col("y"), col("x") % col("y")):
        with pytest.raises(lf.errors.EvaluationError):
            x.select(expression).to_arrow()
