"""Bit-packed numbers of every width, packed here by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lazyframe.executors.compiled.kinds import I32, U8
from lazyframe.executors.compiled.machine import compile_kernel, why_not
from lazyframe.executors.compiled.parquet.runs import SLACK, read_runs
from lazyframe.executors.compiled.stage import DONE, Module

pytestmark = pytest.mark.skipif(why_not() is not None, reason="nothing can be compiled here")


def unpacked(runs: bytes, bits: int, count: int) -> tuple[int, list[int]]:
    module = Module()
    cg = module.kernel()
    read = read_runs(
        cg, "indices", cg.pointer("out", I32), cg.slot("count"), cg.pointer("runs", U8), cg.slot("size"), cg.slot("bits"), None
    )  # fmt: skip
    cg.put("read", read)
    cg.return_(DONE)
    data, out = np.frombuffer(runs + b"\xff" * SLACK, np.uint8), np.zeros(count, np.int32)
    given = {
        "out": out.ctypes.data, "out.length": count, "count": count, "runs": data.ctypes.data, "runs.length": len(data),
        "size": len(runs), "bits": bits,
    }  # fmt: skip
    frame = np.zeros(len(module.slots), np.int64)
    for name, number in given.items():
        if name in module.slots:
            frame[module.slots[name]] = number
    assert compile_kernel(module.text())(frame.ctypes.data) == DONE
    return int(frame[module.slots["read"]]), out.tolist()


@pytest.mark.parametrize("bits", range(1, 32))
@pytest.mark.parametrize("count", [1, 7, 8, 24, 61])
def test_packed_numbers(bits: int, count: int) -> None:
    numbers = [(i * 2_654_435_761 + (i << 7)) % (1 << bits) for i in range(count)]
    groups = -(-count // 8)
    word = sum(number << (bits * place) for place, number in enumerate(numbers))
    runs = bytes([groups << 1 | 1]) + word.to_bytes(groups * bits, "little")
    assert unpacked(runs, bits, count) == (max(numbers) + 2, numbers)


def test_runs_one_behind_the_other() -> None:
    # Ten times 5, eight numbers of three bits, 200 times 2.
    packed = sum(number << (3 * place) for place, number in enumerate([7, 0, 1, 2, 3, 4, 5, 6])).to_bytes(3, "little")
    runs = bytes([10 << 1, 5, 1 << 1 | 1]) + packed + bytes([200 << 1 & 127 | 128, 200 << 1 >> 7, 2])
    assert unpacked(runs, 3, 218) == (7 + 2, [5] * 10 + [7, 0, 1, 2, 3, 4, 5, 6] + [2] * 200)


@pytest.mark.parametrize(
    "runs", [b"", b"\x03", b"\x03\x00", b"\x15\x05", b"\x02", b"\xff\xff\xff\xff\xff\xff", b"\x00\x01"]
)
def test_runs_that_cannot_be(runs: bytes) -> None:
    assert unpacked(runs, 3, 10)[0] == 0
