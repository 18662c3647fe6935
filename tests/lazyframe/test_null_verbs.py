"""Verbs about nulls and bounds."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

NAN = float("nan")
FRAME = lf.from_dict({"i": [1, None, 3], "f": [None, 0.5, 1.0], "s": ["a", None, None]})


def test_fill_null_goes_to_the_columns_that_the_value_fits(answer):
    assert answer(FRAME.fill_null(0)) == {"i": [1, 0, 3], "f": [0.0, 0.5, 1.0], "s": ["a", None, None]}
    assert answer(FRAME.fill_null("-")) == {"i": [1, None, 3], "f": [None, 0.5, 1.0], "s": ["a", "-", "-"]}
    assert answer(FRAME.select("i", "f").fill_null(0.25)) == {"i": [1, None, 3], "f": [0.25, 0.5, 1.0]}
    assert answer(FRAME.select("i", "f").fill_null(col("i").max())) == {"i": [1, 3, 3], "f": [3.0, 0.5, 1.0]}


def test_fill_null_that_fits_nothing_is_an_error():
    with pytest.raises(lf.errors.TypeMismatchError, match="fits no column"):
        lf.from_dict({"i": [1]}).fill_null("a")


def test_filled_columns_are_promised_to_hold_no_nulls():
    assert not lf.from_dict({"i": [1, None]}).fill_null(0).schema.field("i").nullable


def test_fill_nan_leaves_nulls(answer):
    frame = lf.from_dict({"f": [NAN, None, 1.0], "i": [1, 2, 3]})
    assert answer(frame.fill_nan(0)) == {"f": [0.0, None, 1.0], "i": [1, 2, 3]}
    assert answer(lf.from_dict({"i": [1]}).fill_nan(0)) == {"i": [1]}


def test_drop_nulls(answer):
    assert answer(FRAME.drop_nulls()) == {"i": [], "f": [], "s": []}
    assert answer(FRAME.drop_nulls("i")) == {"i": [1, 3], "f": [None, 1.0], "s": ["a", None]}
    assert answer(FRAME.drop_nulls("i", "f")) == {"i": [3], "f": [1.0], "s": [None]}
    assert answer(FRAME.drop_nulls(["i", "f"])) == {"i": [3], "f": [1.0], "s": [None]}
    assert FRAME.select().drop_nulls().count() == 3
    # NaN is a value.
    assert math.isnan(lf.from_dict({"f": [NAN, None]}).drop_nulls().item())


def test_interpolate_joins_the_values_around_by_a_line(answer):
    frame = lf.from_dict({"i": [None, 1, None, None, 4, None], "s": ["a"] * 6})
    assert answer(frame.interpolate()) == {"i": [None, 1.0, 2.0, 3.0, 4.0, None], "s": ["a"] * 6}
    assert frame.interpolate().schema["i"] == pa.float64()
    assert lf.from_dict({"f": [1.0, None, 2.0]}, {"f": "float32"}).interpolate().schema["f"] == pa.float32()
    assert answer(lf.from_dict({"f": [None, None]}, {"f": float}).interpolate()) == {"f": [None, None]}
    assert answer(lf.from_dict({"f": []}, {"f": float}).interpolate()) == {"f": []}


def test_interpolate_sees_rows_of_all_parts(answer, in_parts):
    assert answer(in_parts({"x": [0.0, None, None, 3.0]}).interpolate()) == {"x": [0.0, 1.0, 2.0, 3.0]}


def test_clip(answer):
    frame = lf.from_dict({"i": [1, 5, None], "f": [0.5, NAN, 7.0], "s": ["a", "b", "c"]})
    found = answer(frame.clip(2, 6))
    # NaN is greater than every number.
    assert found == {"i": [2, 5, None], "f": [2.0, 6.0, 6.0], "s": ["a", "b", "c"]}
    assert answer(frame.select("i").clip(upper=3)) == {"i": [1, 3, None]}
    assert answer(frame.select("i").clip(lower=3)) == {"i": [3, 5, None]}
    assert answer(frame.select("i").clip()) == {"i": [1, 5, None]}
