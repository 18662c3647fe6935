import pyarrow as pa

from tests.executors.vectorized.functions.answers import call

PAIR = pa.struct([("x", pa.int64()), ("y", pa.string())])


def test_a_field_is_null_where_the_struct_is():
    """Also where a value lies under the null."""
    values = pa.StructArray.from_arrays(
        [pa.array([1, 2, None]), pa.array(["a", "b", "c"])], names=["x", "y"], mask=pa.array([False, True, False])
    )
    assert call("struct_field", values, name="x") == [1, None, None]
    assert call("struct_field", values, name="y") == ["a", None, "c"]


def test_a_field_of_a_slice_is_sliced():
    values = pa.array([{"x": i, "y": str(i)} for i in range(20)], PAIR)
    assert call("struct_field", values.slice(9, 2), name="x") == [9, 10]
    nested = pa.array([{"p": {"x": 1}}, None, {"p": None}, {"p": {"x": 4}}]).slice(1)
    assert call("struct_field", nested, name="p") == [None, None, {"x": 4}]


def test_a_field_of_a_constant():
    assert call("struct_field", pa.scalar({"x": 1, "y": "a"}, PAIR), name="y") == "a"
    assert call("struct_field", pa.scalar(None, PAIR), name="y") is None
    assert call("struct_field", pa.array([], PAIR), name="x") == []


def test_making_structs():
    made = call("make_struct", pa.array([1, None]), pa.array(["a", "b"]).slice(0), True, names=("x", "y", "z"))
    assert made == [{"x": 1, "y": "a", "z": True}, {"x": None, "y": "b", "z": True}]
    assert call("make_struct", 1, "a", names=("x", "y")) == {"x": 1, "y": "a"}
    assert call("make_struct", pa.array([], pa.int64()), names=("x",)) == []
    assert call("make_struct", pa.array([1, 2, 3]).slice(1), names=("x",)) == [{"x": 2}, {"x": 3}]
