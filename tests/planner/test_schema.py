"""Schemas."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lazyframe.planner.errors import ColumnNotFoundError, DuplicateColumnError
from lazyframe.planner.schema import Field, Schema, fresh_name

SCHEMA = Schema([Field("id", pa.int64(), False), Field("name", pa.string())])


def test_it_is_a_mapping_that_keeps_its_order():
    assert SCHEMA.names == ["id", "name"]
    assert SCHEMA.types == [pa.int64(), pa.string()]
    assert SCHEMA["name"] == pa.string()
    assert SCHEMA.field("id") == Field("id", pa.int64(), False)
    assert SCHEMA.get("none") is None
    assert "id" in SCHEMA
    assert "ID" not in SCHEMA
    assert len(SCHEMA) == 2
    assert [field.name for field in SCHEMA] == ["id", "name"]


def test_equality_is_of_names_types_nullability_and_order():
    assert Schema(list(SCHEMA)) == SCHEMA
    assert hash(SCHEMA) == hash(Schema(list(SCHEMA)))
    assert Schema(reversed(list(SCHEMA))) != SCHEMA
    assert Schema([Field("id", pa.int64()), Field("name", pa.string())]) != SCHEMA
    assert SCHEMA != "id name"


def test_from_and_to_arrow():
    arrow = pa.schema(
        [pa.field("a", pa.large_string(), nullable=False), pa.field("b", pa.dictionary(pa.int8(), pa.string()))]
    )
    schema = Schema.from_arrow(arrow)
    assert list(schema) == [Field("a", pa.string(), False), Field("b", pa.string(), True)]
    assert schema.to_arrow() == pa.schema([pa.field("a", pa.string(), nullable=False), pa.field("b", pa.string())])


def test_repr():
    assert repr(SCHEMA) == "Schema\n  id    int64 not null\n  name  string"
    assert repr(Schema([])) == "Schema"


def test_no_two_columns_share_a_name():
    with pytest.raises(DuplicateColumnError, match="two columns would be named 'x'"):
        Schema([Field("x", pa.int64()), Field("y", pa.int64()), Field("x", pa.string())])


def test_a_missing_name_offers_the_nearest():
    with pytest.raises(ColumnNotFoundError, match="no column named 'nam'\ndid you mean 'name'"):
        SCHEMA["nam"]


def test_fresh_names():
    assert fresh_name("a", SCHEMA) == "a"
    assert fresh_name("id", SCHEMA) == "id:1"
    assert fresh_name("id", SCHEMA, 7) == "id:7"
    assert fresh_name("id", {"id", "id:7"}, 7) == "id:8"
    assert fresh_name("a", SCHEMA, 7) == "a"
    assert fresh_name("id", ["id", "id:1", "id:2"]) == "id:3"
