from __future__ import annotations

import numpy as np
import pytest

from lazyframe.executors.compiled.keys.selection import numbers_of, selected, words_by_group


@pytest.fixture(autouse=True, params=["0", "1"])
def _everything_by_kernels(request, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setenv("LAZYFRAME_CHECKED", request.param)


def drawn(kind, n):
    random = np.random.default_rng(n)
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        some = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-300, -1e300], dtype=np.float64)
        with np.errstate(over="ignore", under="ignore"):
            values = (random.normal(size=n) * 10.0 ** random.integers(-30, 30, n)).astype(dtype)
            return np.where(random.random(n) < 0.2, random.choice(some, n).astype(dtype), values)
    ends = np.iinfo(dtype)
    values = random.integers(ends.min, ends.max, n, dtype=dtype, endpoint=True)
    return np.where(random.random(n) < 0.3, random.choice(np.array([ends.min, ends.max, 3, 0], dtype=dtype), n), values)


@pytest.mark.parametrize("kind", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize(("groups", "n"), [(1, 5000), (3, 9000), (700, 20_000), (9000, 9000)])
@pytest.mark.parametrize("threads", [1, 3])
def test_values_are_those_that_sorting_finds(kind, groups, n, threads):
    values = drawn(kind, n)
    codes = np.sort(np.random.default_rng(1).integers(0, groups, n))[np.random.default_rng(2).permutation(n)]
    sizes = np.bincount(codes, minlength=groups)
    words = words_by_group(codes, sizes, values, threads)
    assert words is not None
    # numpy sorts NaN last, too.
    parts = [np.sort(values[codes == group]) for group in range(groups)]
    for share in (0.0, 0.3, 0.5, 1.0):
        places = (np.maximum(sizes - 1, 0) * share).astype(np.int64)
        low, following = (numbers_of(found, values.dtype) for found in selected(words, sizes, places, threads))
        for group, part in enumerate(parts):
            if len(part):
                np.testing.assert_array_equal(low[group], part[places[group]])
            if places[group] + 1 < len(part):
                np.testing.assert_array_equal(following[group], part[places[group] + 1])


@pytest.mark.parametrize(
    "values",
    [np.full(3000, 7), np.repeat([1, 2], 1500), np.array([*range(2999), 1 << 62]), 1 << np.arange(3000) % 62],
    ids=["equal", "two", "one far away", "powers"],
)
def test_values_that_lie_badly(values):
    sizes = np.array([len(values)])
    words = words_by_group(np.zeros(len(values), dtype=np.int64), sizes, values, 1)
    assert words is not None
    ordered = np.sort(values)
    for place in (0, 1, 1499, 1500, 2998):
        low, following = selected(words, sizes, np.array([place]), 1)
        assert numbers_of(low, values.dtype)[0] == ordered[place]
        assert numbers_of(following, values.dtype)[0] == ordered[place + 1]


def test_there_is_one_zero_and_one_nan():
    other = np.array([-np.nan]).view(np.int64) ^ 5
    values = np.concatenate([[-0.0, 0.0, np.nan, -1.0], other.view(np.float64)])
    words = words_by_group(np.zeros(5, dtype=np.int64), np.array([5]), values, 1)
    assert words is not None
    places = [selected(words, np.array([5]), np.array([place]), 1)[0] for place in range(5)]
    found = np.concatenate([numbers_of(place, values.dtype) for place in places])
    np.testing.assert_array_equal(found, [-1.0, 0.0, 0.0, np.nan, np.nan])
    assert not np.signbit(found[1:3]).any()
    assert len(set(found[3:].view(np.int64).tolist())) == 1
