"""128-bit integers, held against Python's, which have no width."""

import random
import struct

import numpy as np
import pytest

from lazyframe.executors.compiled.kinds import F32, F64, I128, U128
from lazyframe.executors.compiled.machine import compile_kernel
from lazyframe.executors.compiled.stage import Module

LEAST, MOST = -(1 << 127), (1 << 127) - 1


def edges() -> list[int]:
    found = {0, 1, 2, 3, 5, 7, 10, MOST, MOST - 1}
    for bits in (31, 32, 33, 53, 54, 62, 63, 64, 65, 95, 96, 97, 126):
        found.update(((1 << bits) - 1, 1 << bits, (1 << bits) + 1))
    found.update(10**digits for digits in range(1, 39))
    # Digits that make the first guess of the long division too much, once and twice.
    found.update((0x7FFFFFFF_FFFFFFFF_00000000_00000000, 0x80000000_00000000_FFFFFFFF, 0x40000000_FFFFFFFF << 64))
    return sorted(found)


def numbers(seed: int, count: int) -> list[int]:
    chance = random.Random(seed)
    return [chance.getrandbits(chance.randrange(1, 127)) for _ in range(count)]


def packed(values: list[int]) -> np.ndarray:
    return np.frombuffer(b"".join((v & ((1 << 128) - 1)).to_bytes(16, "little") for v in values), np.int64).copy()


def unpacked(column: np.ndarray, signed: bool) -> list[int]:
    whole = column.tobytes()
    return [int.from_bytes(whole[i : i + 16], "little", signed=signed) for i in range(0, len(whole), 16)]


def run(kinds, columns, body):
    """Apply a function to each row of columns; the last kind is that of its result."""
    module = Module(checked=False)
    cg = module.kernel()
    places = [cg.pointer(f"column{i}", kind) for i, kind in enumerate(kinds)]
    with cg.for_range(0, cg.slot("rows")) as row:
        places[-1][row] = body(*[place[row] for place in places[:-1]])
    cg.return_(0)
    rows = columns[0].nbytes // kinds[0].bytes
    result = np.zeros(rows * kinds[-1].bytes, np.uint8)
    frame = np.zeros(len(module.slots), np.int64)
    for i, column in enumerate([*columns, result]):
        frame[module.slots[f"column{i}"]] = column.ctypes.data
    frame[module.slots["rows"]] = rows
    assert compile_kernel(module.text())(frame.ctypes.data) == 0
    return result


def divided(a: int, b: int) -> int:
    found = abs(a) // abs(b)
    return -found if (a < 0) != (b < 0) else found


def pairs(signed: bool) -> list[tuple[int, int]]:
    some = edges()
    found = [(a, b) for a in some for b in some if b]
    left, right = numbers(1, 30_000), numbers(2, 30_000)
    found += [(a, b) for a, b in zip(left, right, strict=True) if b]
    # Quotients next to a whole number.
    found += [
        (min(a * b + near, MOST), b)
        for a, b in zip(numbers(3, 9000), edges() * 200, strict=False)
        if b
        for near in (-1, 0, 1)
    ]
    if not signed:
        return [(a * 2 + 1 & (1 << 128) - 1, b) for a, b in found] + [
            (a, min(b * 2 + 1, (1 << 128) - 1)) for a, b in found
        ]
    found = [(x, y) for a, b in found for x, y in ((a, b), (-a, b), (a, -b), (-a, -b))]
    return [
        *found,
        (LEAST, 1),
        (LEAST, 2),
        (LEAST, -2),
        (LEAST, 10),
        (LEAST, LEAST),
        (LEAST, MOST),
        (MOST, LEAST),
        (1, LEAST),
    ]


@pytest.mark.parametrize("kind", [I128, U128], ids=lambda kind: kind.name)
def test_division(kind) -> None:
    rows = [(a, b) for a, b in pairs(kind.signed) if kind.signed or a >= 0]
    if kind.signed:
        rows = [(a, b) for a, b in rows if LEAST <= a <= MOST and LEAST <= b <= MOST]
    columns = [packed([a for a, _ in rows]), packed([b for _, b in rows])]
    quotients = unpacked(run([kind, kind, kind], columns, lambda a, b: a.quotient(b)), kind.signed)
    remainders = unpacked(run([kind, kind, kind], columns, lambda a, b: a.remainder(b)), kind.signed)
    assert quotients == [divided(a, b) for a, b in rows]
    assert remainders == [a - divided(a, b) * b for a, b in rows]


def test_division_by_a_power_of_ten_that_is_written() -> None:
    rows = [sign * a for a in edges() + numbers(4, 1000) for sign in (1, -1)]
    for digits in (0, 2, 18, 19, 37):
        found = run([I128, I128], [packed(rows)], lambda a, digits=digits: a.quotient(10**digits))
        assert unpacked(found, True) == [divided(a, 10**digits) for a in rows]


def float32(value: int) -> float:
    """The nearest float of 32 bits, found by comparing neighbours exactly."""
    near = np.float32(float(value))
    around = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    exact = [f for f in around if np.isfinite(f)]
    return float(min(exact, key=lambda f: (abs(int(f) - value), struct.unpack("<I", struct.pack("<f", f))[0] & 1)))


def integers(signed: bool) -> list[int]:
    found = edges() + numbers(5, 20_000)
    # Half-way between two floats, and just beside.
    for bits in (24, 53):
        for shift in range(1, 127 - bits):
            base = ((1 << bits) | 5) << shift
            found += [base + (1 << shift - 1) + near for near in (-1, 0, 1)]
            found += [base + (1 << shift) + (1 << shift - 1) + near for near in (-1, 0, 1)]
    found = [value for value in found if value <= MOST]
    return [*found, *[-value for value in found], LEAST] if signed else [*found, (1 << 128) - 1, 1 << 127]


@pytest.mark.parametrize("kind", [I128, U128], ids=lambda kind: kind.name)
def test_to_floats(kind) -> None:
    values = integers(kind.signed)
    doubles = run([kind, F64], [packed(values)], lambda a: a.to(F64)).view(np.float64)
    assert doubles.tolist() == [float(value) for value in values]
    values = [value for value in values if abs(value) < 0xFFFFFF << 104]
    floats = run([kind, F32], [packed(values)], lambda a: a.to(F32)).view(np.float32)
    assert floats.tolist() == [float32(value) for value in values]


def test_from_floats() -> None:
    chance = random.Random(6)
    values = [float(v) for v in edges() if v < MOST - 1] + [
        chance.uniform(-1, 1) * 2.0 ** chance.randrange(127) for _ in range(20_000)
    ]
    values += [
        0.0,
        -0.0,
        0.5,
        -0.5,
        0.999,
        -1.5,
        5e-324,
        9223372036854775807.0,
        -9223372036854775808.0,
        -(2.0**127),
        2.0**126,
    ]
    column = np.array([v for v in values if abs(v) < 2.0**127 or v == -(2.0**127)])
    found = run([F64, I128], [column], lambda x: x.to(I128))
    assert unpacked(found, True) == [int(v) for v in column.tolist()]
    singles = column.astype(np.float32)
    singles = singles[np.abs(singles) < 2.0**127]
    assert unpacked(run([F32, I128], [singles], lambda x: x.to(I128)), True) == [int(v) for v in singles.tolist()]
