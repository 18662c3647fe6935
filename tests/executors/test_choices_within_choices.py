"""Choices within choices whose branches share values: an error, where they would be computed without end."""

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.compiled import stage
from lazyframe.executors.vectorized import program

FRAME = lf.from_dict({"a": [1, 2, 3] * 4, "b": [3, 4, 5] * 4, "c": list(range(12))})


@lf.trace
def mixed(a, b, c):
    for i in range(5):
        if c % (i + 2) == 0:
            a, b = b + 1, a
        elif c % (i + 3) == 1:
            a = a * 2 % 17
    return a + b


EXPECTED = [mixed.__wrapped__(a, b, c) for a, b, c in zip([1, 2, 3] * 4, [3, 4, 5] * 4, range(12), strict=True)]


def query():
    return FRAME.select(z=mixed(col("a"), col("b"), col("c")))


def test_the_vectorized_executor_names_the_line(monkeypatch):
    assert query().collect()["z"].to_pylist() == EXPECTED
    monkeypatch.setattr(program, "_MOST_SCOPES", 50)
    with pytest.raises(lf.errors.UnsupportedError, match="choices within choices") as caught:
        query().collect()
    assert "return a + b" in str(caught.value)
    assert FRAME.select("a").collect()["a"].to_pylist() == [1, 2, 3] * 4


def test_a_kernel_is_left_to_it(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setattr(stage, "_MOST_NAMES", 300)
    assert query().collect()["z"].to_pylist() == EXPECTED
