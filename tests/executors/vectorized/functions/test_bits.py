"""Integers as bits and as digits."""

import pyarrow as pa
import pytest

from lazyframe.executors.vectorized.kernel import KernelError
from tests.executors.vectorized.functions.answers import call

LEAST, GREATEST = -(2**63), 2**63 - 1


def test_shifts():
    numbers = pa.array([1, -3, None, 0, GREATEST])
    assert call("shift_left", numbers, pa.array([3, 2, 1, 99, 0])) == [8, -12, None, 0, GREATEST]
    assert call("shift_right", numbers, pa.array([3, 1, 1, 99, 62])) == [0, -2, None, 0, 1]
    assert call("shift_left", LEAST, 0) == LEAST
    assert call("shift_left", -1, 63) == LEAST


@pytest.mark.parametrize(("number", "places"), [(1, 63), (-2, 63), (GREATEST, 1), (1, 64), (1, -1)])
def test_what_does_not_fit(number, places):
    with pytest.raises(KernelError, match=f"{number} and {places} places"):
        call("shift_left", number, places)


def test_bits():
    assert call("bit_count", pa.array([7, -1, None, 0], pa.int8())) == [3, 8, None, 0]
    assert call("bit_not", pa.array([5, -1, None], pa.int16())) == [-6, 0, None]


def test_digits():
    numbers = pa.array([255, 0, None])
    assert call("digits", numbers, base=16) == ["FF", "0", None]
    assert call("digits", numbers, base=2, least=9) == ["011111111", "000000000", None]
    assert call("digits", -1, base=2) == "1" * 64
    with pytest.raises(KernelError, match="the negative number -2 has no digits in base 10"):
        call("digits", pa.array([1, -2]))
