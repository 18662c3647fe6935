"""Answers are the same where the question says so, and in nothing else."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from benchmarks.agreement import ANY_ORDER, ANY_ROWS, GIVEN_ORDER, check_same

_ROWS = pa.table({"k": [3, 1, 2], "x": [0.1, 0.2, 0.3], "t": ["c", "a", None]})


def _turned(table: pa.Table) -> pa.Table:
    return table.take([1, 2, 0])


def test_rows_in_another_order_are_the_same_only_where_there_is_no_order():
    check_same("case", {"one": _ROWS, "other": _turned(_ROWS)}, ANY_ORDER)
    with pytest.raises(AssertionError, match=r"case: one and other differ in column 0 \(k\)"):
        check_same("case", {"one": _ROWS, "other": _turned(_ROWS)}, GIVEN_ORDER)


@pytest.mark.parametrize(
    "other",
    [
        pa.table({"k": [3, 1, 2], "x": [0.1, 0.2, 0.4], "t": ["c", "a", None]}),
        pa.table({"k": [3, 1, 2], "x": [0.1, 0.3, 0.2], "t": ["c", "a", None]}),  # the same values, in other rows
        pa.table({"k": [3, 1, 2], "x": [0.1, 0.2, 0.3], "t": ["c", "a", ""]}),
        pa.table({"k": [3, 1, 1], "x": [0.1, 0.2, 0.3], "t": ["c", "a", None]}),
        pa.table({"k": [1, 3, 2], "x": [0.1, 0.2, 0.3], "t": ["c", "a", None]}),
    ],
)
@pytest.mark.parametrize("order", [GIVEN_ORDER, ANY_ORDER])
def test_another_value_is_seen(other, order):
    with pytest.raises(AssertionError, match="differ in column"):
        check_same("case", {"one": _ROWS, "other": other}, order)


def test_rows_without_an_exact_column_are_compared_by_their_numbers():
    check_same("case", {"one": pa.table({"x": [0.1, 0.2]}), "other": pa.table({"x": [0.2, 0.1]})}, ANY_ORDER)
    with pytest.raises(AssertionError, match="differ"):
        check_same("case", {"one": pa.table({"x": [0.1, 0.2]}), "other": pa.table({"x": [0.2, 0.2]})}, ANY_ORDER)


def test_a_number_is_the_same_in_any_type():
    others = {
        "decimals": pa.table({"n": [Decimal(1), Decimal(2)], "x": [Decimal("0.5"), Decimal("1.5")]}),
        "pandas": pd.DataFrame({"n": [1.0, 2.0], "x": [0.5, 1.5]}),
    }
    for order in (GIVEN_ORDER, ANY_ORDER):
        check_same("case", {"one": pa.table({"n": [1, 2], "x": [0.5, 1.5]})} | others, order)


def test_nulls_are_no_values():
    nulls = pa.table({"k": pa.array([1, None]), "t": pa.array(["a", None]).dictionary_encode()})
    zeros = pa.table({"k": [1, 0], "t": ["a", ""]})
    for order in (GIVEN_ORDER, ANY_ORDER):
        check_same("case", {"one": nulls, "pandas": pd.DataFrame({"k": [1, None], "t": ["a", None]})}, order)
        with pytest.raises(AssertionError, match="differ"):
            check_same("case", {"one": nulls, "other": zeros}, order)


def test_of_any_rows_only_the_number_is_compared():
    check_same("case", {"one": _ROWS, "other": pa.table({"k": [7, 7, 7], "x": [0.0] * 3, "t": ["a"] * 3})}, ANY_ROWS)
    with pytest.raises(AssertionError, match=r"\(3, 3\) and \(2, 3\) rows and columns"):
        check_same("case", {"one": _ROWS, "other": _ROWS[:2]}, ANY_ROWS)
