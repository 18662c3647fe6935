from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.compiled import array_kernel
from lazyframe.executors.compiled.keys.grouping import dense_groups, hashed_groups
from lazyframe.executors.compiled.keys.texts import text_groups
from lazyframe.executors.vectorized.keys import encode
from lazyframe.executors.vectorized.keys.byte_rows import ByteRows


@pytest.fixture(autouse=True, params=["0", "1"])
def _everything_by_kernels(request, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setenv("LAZYFRAME_CHECKED", request.param)


def expected(rows: list) -> tuple[list[int], list[int]]:
    seen: dict = {}
    codes, first = [], []
    for number, row in enumerate(rows):
        if row not in seen:
            seen[row] = len(seen)
            first.append(number)
        codes.append(seen[row])
    return codes, first


def same(found: tuple | None, rows: list) -> None:
    assert found is not None
    codes, first = expected(rows)
    assert found[0].tolist() == codes
    assert found[1].tolist() == first


def test_values_of_a_small_range():
    random = np.random.default_rng(0)
    for size, n in ((1, 5), (10, 1), (100, 5000), (5000, 100)):
        slots = random.integers(0, size, n)
        same(dense_groups(slots, size), slots.tolist())


@pytest.mark.parametrize("width", [1, 2, 6])
@pytest.mark.parametrize("groups", [1, 300, 60_000])
def test_a_table_grows_with_its_groups(width, groups):
    random = np.random.default_rng(width)
    words = [
        random.integers(-(2**63), 2**63 - 1, groups).take(random.integers(0, groups, 70_000)) for _ in range(width)
    ]
    same(hashed_groups(words), list(zip(*[word.tolist() for word in words], strict=True)))


def test_groups_that_all_come_late():
    words = np.concatenate([np.zeros(50_000, dtype=np.int64), np.arange(50_000) << 40])
    same(hashed_groups([words]), words.tolist())


def test_more_words_than_a_kernel_is_written_for():
    assert hashed_groups([np.arange(10)] * 7) is None
    assert encode([pa.array([2.0**70 * (k % 3), -1.0]).take(pa.array([0, 1])) for k in range(7)], 2).codes.tolist() == [
        0,
        1,
    ]


TEXTS = [
    "",
    "a",
    "a\0",
    "1234567",
    "12345678",
    "12345678\0",
    "123456789",
    "x" * 31,
    "x" * 32,
    "x" * 33,
    "é",
    "z" * 5000,
]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.string_view()], ids=str)
@pytest.mark.parametrize("nulls", [False, True])
def test_texts_of_all_lengths(kind, nulls):
    random = np.random.default_rng(1)
    pool = [*TEXTS, None] if nulls else TEXTS
    values = [pool[k] for k in random.integers(0, len(pool), 500)]
    whole = pa.array([None if v is None else v.encode() for v in values] if kind == pa.binary() else values, kind)
    for start, stop in ((0, 500), (3, 499), (7, 8), (20, 350)):
        result = encode([whole.slice(start, stop - start)], stop - start)
        codes, first = expected(values[start:stop])
        assert result.codes.tolist() == codes
        assert result.first.tolist() == first


def test_many_texts():
    random = np.random.default_rng(2)
    values = [f"key {k * 7919 % 40_000:08}" for k in random.integers(0, 40_000, 80_000)]
    rows = ByteRows(pa.array(values))
    same(text_groups(*rows.places, None), values)


def test_bytes_under_nulls_do_not_count():
    offsets = pa.py_buffer(np.array([0, 2, 4, 6], dtype=np.int32))
    array = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(b"\x02"), offsets, pa.py_buffer(b"aabbaa")])
    assert encode([array], 3).codes.tolist() == [0, 1, 0]


def test_nothing_is_compiled_where_that_is_switched_off(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "off")
    assert dense_groups(np.arange(100), 100) is None
    assert hashed_groups([np.arange(100)]) is None


def test_few_rows_wait_for_no_kernel(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "")
    never = array_kernel.ArrayKernel(lambda cg: pytest.fail("it is written"))
    assert never.wanted_for(5000) is None
    assert never.wanted_for(50_000) is None
