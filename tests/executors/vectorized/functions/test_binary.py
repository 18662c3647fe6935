import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyframe.executors.vectorized.kernel import KernelError
from tests.executors.vectorized.functions.answers import call

VALUES = st.lists(st.none() | st.binary(max_size=5), max_size=5)


@settings(max_examples=80, deadline=None)
@given(VALUES, st.binary(min_size=1, max_size=2))
def test_bytes_agree_with_python(values, part):
    column = pa.array([b"before", *values], pa.binary()).slice(1)
    for name, python in {
        "length": len, "byte_length": len, "bit_length": lambda b: 8 * len(b), "hex_encode": bytes.hex,
    }.items():  # fmt: skip
        assert call(name, column) == [None if v is None else python(v) for v in values]
    for name, python in {
        "contains": lambda b: part in b, "starts_with": lambda b: b.startswith(part), "ends_with": lambda b: b.endswith(part),
    }.items():  # fmt: skip
        assert call(name, column, part) == [None if v is None else python(v) for v in values]
    assert call("hex_decode", pa.array([None if v is None else v.hex() for v in values], pa.string())) == values


def test_slices():
    values = pa.array([b"abcd", b"", None])
    assert call("binary_slice", values, 1, 2) == [b"bc", b"", None]
    assert call("binary_slice", values, -2) == [b"cd", b"", None]
    assert call("binary_slice", values, -2, 5) == [b"cd", b"", None]
    with pytest.raises(KernelError, match="-1 bytes"):
        call("binary_slice", values, 0, -1)


def test_reading_utf8():
    values = pa.array(["é😀".encode(), b"\xff", None])
    assert call("decode_utf8", values, strict=False) == ["é😀", None, None]
    with pytest.raises(KernelError, match="not UTF-8"):
        call("decode_utf8", values)
