"""Selections: which columns they find, and when two are the same."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lazyframe.planner.errors import ColumnNotFoundError
from lazyframe.planner.selection import (
    KINDS,
    ByKind,
    ByName,
    ByPattern,
    ByPosition,
    ByType,
    Combined,
    Everything,
)

TYPES = {"a": pa.int64(), "b": pa.string(), "ab": pa.float64(), "c": pa.decimal128(5, 2)}
COLUMNS = list(TYPES)


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Everything(), ["a", "b", "ab", "c"]),
        (ByName(("c", "a")), ["c", "a"]),
        (ByPattern("a"), ["a", "ab"]),
        (ByPattern("^b$"), ["b"]),
        (ByKind("numeric"), ["a", "ab", "c"]),
        (ByType((pa.string(), pa.int64())), ["a", "b"]),
        (ByPosition(0), ["a"]),
        (ByPosition(-1), ["c"]),
        (Combined("|", ByName(("c",)), ByName(("a",))), ["a", "c"]),
        (Combined("&", ByKind("numeric"), ByPattern("a")), ["a", "ab"]),
        (Combined("-", Everything(), ByPattern("a")), ["b", "c"]),
        (Combined("-", ByName(("c", "b", "a")), ByName(("b",))), ["c", "a"]),
    ],
)
def test_names(selection, names):
    assert selection.names(COLUMNS, TYPES) == names


def test_nothing_in_a_frame_without_columns():
    for selection in (Everything(), ByPosition(0), ByPattern("."), ByKind("numeric")):
        assert selection.names([], {}) == []


def test_names_that_are_written_out_must_be_there():
    with pytest.raises(ColumnNotFoundError, match="'aa'"):
        ByName(("aa",)).names(COLUMNS, TYPES)


def test_identities_tell_selections_apart():
    different = [
        Everything(), ByName(("a",)), ByName(("a", "b")), ByPattern("a"), ByKind("float"), ByType((pa.int64(),)),
        ByType((pa.int32(),)), ByPosition(0), ByPosition(-1), Combined("|", Everything(), ByName(("a",))),
        Combined("&", Everything(), ByName(("a",))), Combined("&", ByName(("a",)), Everything()),
    ]  # fmt: skip
    assert len({selection.identity() for selection in different}) == len(different)
    assert ByName(("a",)).identity() == ByName(("a",)).identity()


def test_kinds_that_should_not_overlap_do_not():
    of_one = {
        "integer": pa.int8(), "float": pa.float32(), "decimal": pa.decimal128(3, 1), "string": pa.string(), "binary": pa.binary(),
        "boolean": pa.bool_(), "date": pa.date32(), "datetime": pa.timestamp("us"), "time": pa.time64("us"),
        "duration": pa.duration("us"), "nested": pa.list_(pa.int8()),
    }  # fmt: skip
    for kind, dtype in of_one.items():
        assert [other for other in of_one if KINDS[other](dtype)] == [kind]
