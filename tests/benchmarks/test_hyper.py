"""Rows that come as Python objects are read as an Arrow table, whether Hyper is installed or not."""

from __future__ import annotations

from datetime import date

import pyarrow as pa

from benchmarks.contenders.hyper import Rows


class _Day:
    def to_date(self):
        return date(1994, 5, 6)


def test_rows_as_columns():
    assert pa.table(Rows(["n", "day"], [[1, _Day()], [None, None]])).to_pydict() == {
        "n": [1, None],
        "day": [date(1994, 5, 6), None],
    }


def test_no_rows_have_columns():
    assert pa.table(Rows(["n", "day"], [])).shape == (0, 2)
