"""Binary search in the engine's order, whatever columns are made of."""

from __future__ import annotations

import decimal
from bisect import bisect_left, bisect_right

import pyarrow as pa
import pytest

from lazyframe.executors.vectorized.keys.distances import distances
from lazyframe.executors.vectorized.keys.search import SortedValues
from lazyframe.planner.types import canonical

NAN, INF = float("nan"), float("inf")
D = decimal.Decimal

COLUMNS = {
    "int8": (pa.array([3, None, -128, 127, 3], pa.int8()), pa.array([0, 3, None, 127], pa.int8())),
    "uint64": (pa.array([2**64 - 1, 0, 5], pa.uint64()), pa.array([2**63, 0, 2**64 - 1], pa.uint64())),
    "floats": (pa.array([NAN, 1.0, -0.0, -INF, None]), pa.array([0.0, NAN, INF, -1.0])),
    "text": (pa.array(["b", "", "é", None, "a" * 30]), pa.array(["a" * 29, "b", "z", ""])),
    "coded text": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0, None]), pa.array(["b", None, "a"])),
        pa.DictionaryArray.from_arrays(pa.array([1, 0, 1]), pa.array(["aa", "b"])),
    ),
    "text looked up in coded text": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["b", "a"])), pa.array(["b", "ab"]),
    ),
    "wide decimals": (
        pa.array([D(10) ** 30, D(-1), None, D("0.5")], pa.decimal128(38, 2)),
        pa.array([D(10) ** 30, D(0), D("0.5")], pa.decimal128(38, 2)),
    ),
    "wide decimals looked up in narrow ones": (
        pa.array([D(1), D(3)], pa.decimal128(38, 2)), pa.array([D(-(10**30)), D(2), D(10**30)], pa.decimal128(38, 2)),
    ),
    "nothing": (pa.array([], pa.int64()), pa.array([1, 2])),
    "only nulls": (pa.array([None, None], pa.string()), pa.array(["a"])),
    "bools": (pa.array([True, False, None, True]), pa.array([False, True])),
}  # fmt: skip


def order(value):
    return (value != value, 0 if value != value else value.encode() if isinstance(value, str) else value)


@pytest.mark.parametrize("name", COLUMNS)
def test_counts_of_what_is_below(name):
    column, probes = COLUMNS[name]
    values = column.to_pylist()
    wanted = sorted((order(v), row) for row, v in enumerate(values) if v is not None)
    found = SortedValues(column, canonical(column.type))
    assert found.rows.tolist() == [row for _, row in wanted]
    below, with_equals = (found.count_below(probes, inclusive=inclusive).tolist() for inclusive in (False, True))
    keys = [key for key, _ in wanted]
    for place, probe in enumerate(probes.to_pylist()):
        if probe is not None:
            assert below[place] == bisect_left(keys, order(probe))
            assert with_equals[place] == bisect_right(keys, order(probe))


@pytest.mark.parametrize(
    ("dtype", "a", "b", "expected"),
    [
        (pa.int8(), [-128, 5], [127, 5], [255, 0]),
        (pa.int64(), [-(2**63)], [2**63 - 1], [2**64 - 1]),
        (pa.uint64(), [0], [2**64 - 1], [2**64 - 1]),
        (pa.float64(), [1.5, NAN, NAN, INF, INF, -0.0], [-1.0, NAN, 3.0, INF, -INF, 0.0], [2.5, 0.0, INF, 0.0, INF, 0.0]),
        (pa.float32(), [0.5], [0.25], [0.25]),
        (pa.date32(), [10], [3], [7]),
        (pa.timestamp("ns"), [2**62], [-(2**62)], [2**63]),
        (pa.decimal128(10, 2), [D("1.25")], [D("-1.00")], [225]),
        (pa.decimal128(38, 0), [D(10**37), D(5)], [D(-(10**37)), D(7)], [2 * 10**37, 2]),
    ],
)  # fmt: skip
def test_distances(dtype, a, b, expected):
    assert distances(pa.array(a, dtype), pa.array(b, dtype)).tolist() == expected
