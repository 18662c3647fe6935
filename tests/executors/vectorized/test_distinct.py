import math
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.distinct import DistinctRows
from lazyframe.planner.schema import Field, Schema

SCHEMA = Schema([Field("a", pa.int64()), Field("b", pa.string())])


def _batch(rows):
    columns = {"a": pa.array([r[0] for r in rows], pa.int64()), "b": pa.array([r[1] for r in rows], pa.string())}
    return Batch(columns, len(rows))


def _distinct(pieces, subset, keep, schema=SCHEMA):
    distinct = DistinctRows(schema, subset, keep)
    result = distinct.finish(distinct.combine([distinct.partial(piece) for piece in pieces]))
    return [tuple(row.values()) for row in result.to_arrow(schema).to_pylist()]


ROWS = [(1, "x"), (2, "x"), (1, "y"), (None, "x"), (2, "x"), (None, "z")]


@pytest.mark.parametrize(
    ("subset", "keep", "expected"),
    [
        (None, "first", [(1, "x"), (2, "x"), (1, "y"), (None, "x"), (None, "z")]),
        (["a"], "first", [(1, "x"), (2, "x"), (None, "x")]),
        (["a"], "last", [(1, "y"), (2, "x"), (None, "z")]),
        (["b"], "none", [(1, "y"), (None, "z")]),
        (None, "none", [(1, "x"), (1, "y"), (None, "x"), (None, "z")]),
    ],
)
def test_which_rows_stay(subset, keep, expected):
    for cut in range(len(ROWS) + 1):
        assert _distinct([_batch(ROWS[:cut]), _batch(ROWS[cut:])], subset, keep) == expected


@given(
    rows=st.lists(st.tuples(st.none() | st.integers(0, 3), st.sampled_from(["x", "y"])), max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=4),
    subset=st.sampled_from([None, ["a"], ["b"], ["a", "b"]]),
    keep=st.sampled_from(["first", "last", "none"]),
)
def test_as_a_dictionary_would(rows, cuts, subset, keep):
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    pieces = [_batch(rows[low:high]) for low, high in pairwise(bounds)]
    positions = [SCHEMA.names.index(name) for name in subset or SCHEMA.names]
    places = {}
    for place, row in enumerate(rows):
        places.setdefault(tuple(row[i] for i in positions), []).append(place)
    chosen = {
        "first": [p[0] for p in places.values()],
        "last": sorted(p[-1] for p in places.values()),
        "none": [p[0] for p in places.values() if len(p) == 1],
    }[keep]
    assert _distinct(pieces, subset, keep) == [rows[place] for place in chosen]


def test_nan_and_zeros_are_each_one_value():
    schema = Schema([Field("f", pa.float64())])
    pieces = [Batch({"f": pa.array([0.0, math.nan])}, 2), Batch({"f": pa.array([-0.0, math.nan, None])}, 3)]
    found = _distinct(pieces, None, "first", schema)
    assert found[0] == (0.0,)
    assert math.isnan(found[1][0])
    assert found[2:] == [(None,)]


def test_no_rows():
    assert _distinct([], None, "first") == []
    assert _distinct([_batch([])], ["a"], "none") == []
