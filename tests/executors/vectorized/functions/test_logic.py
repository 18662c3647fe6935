from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from tests.executors.vectorized.functions.kernel_calls import call, listed

TRUTHS = [True, False, None]
AND = {(True, True): True, (True, None): None, (None, True): None, (None, None): None}
OR = {(False, False): False, (False, None): None, (None, False): None, (None, None): None}


@pytest.mark.parametrize("a", TRUTHS)
@pytest.mark.parametrize("b", TRUTHS)
def test_three_valued_logic(a, b):
    wanted = {
        "and": AND.get((a, b), False),
        "or": OR.get((a, b), True),
        "xor": None if None in (a, b) else a != b,
    }
    x, y = pa.array([a, a], pa.bool_()), pa.array([b, b], pa.bool_())
    for name, answer in wanted.items():
        assert listed(name, x, y) == [answer] * 2
        assert listed(name, x.slice(1), y[0]) == [answer]
        assert listed(name, x[0], y.slice(1)) == [answer]
        assert call(name, x[0], y[0]).as_py() is answer
    assert listed("not", x) == [None if a is None else not a] * 2


def test_null_or_not():
    for column in (
        pa.array([1, None]),
        pa.array(["a", None]).dictionary_encode(),
        pa.array([[1], None]),
        pa.array([float("nan"), None]),
    ):
        types = (pa.string(),) if pa.types.is_dictionary(column.type) else None
        assert listed("is_null", column, types=types) == [False, True]
        assert listed("is_not_null", column, types=types) == [True, False]
    hidden = pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int32()), pa.array(["a", None]))
    assert listed("is_null", hidden, types=(pa.string(),)) == [False, True, True]
    assert call("is_null", pa.scalar(None, pa.int64())).as_py() is True
    assert call("is_not_null", pa.scalar(None, pa.int64())).as_py() is False
    assert listed("is_null", pa.nulls(2)) == [True, True]


def test_the_first_that_is_not_null():
    a, b = pa.array([1, None, None]), pa.array([None, 2, None])
    assert listed("coalesce", a, b) == [1, 2, None]
    assert listed("coalesce", a, b, pa.scalar(9)) == [1, 2, 9]
    assert listed("coalesce", pa.scalar(None, pa.int64()), b, pa.scalar(9), a) == [9, 2, 9]
    assert call("coalesce", pa.scalar(None, pa.int64()), pa.scalar(3)).as_py() == 3
    words = pa.array(["x", None]).dictionary_encode()
    assert listed("coalesce", words, pa.array(["y", "z"]), types=(pa.string(),) * 2) == ["x", "z"]
    kind = pa.decimal128(5, 2)
    money = pa.array([150, None])
    assert listed("coalesce", money, pa.scalar(Decimal("0.01"), kind), types=(kind, kind)) == [
        Decimal("1.50"),
        Decimal("0.01"),
    ]
    mixed = listed("coalesce", money, pa.array([None, Decimal("2.00")], kind), types=(kind, kind))
    assert mixed == [Decimal("1.50"), Decimal("2.00")]
    wide = pa.decimal128(38, 0)
    assert listed("coalesce", pa.array([None, 5]), pa.scalar(Decimal("9" * 38), wide), types=(wide, wide)) == [
        Decimal("9" * 38),
        5,
    ]
    lists = pa.array([None, [1]])
    assert listed("coalesce", lists, pa.array([[2], [3]])) == [[2], [1]]
