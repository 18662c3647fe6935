"""Bloom filters of Parquet: whether a column chunk may hold a value, from 32 bytes of the file.

A filter is blocks of eight words of 32 bits. A value sets one bit in each word of one block, so that it is not in the chunk
where one of these bits is not set. See "Parquet Bloom Filter" in the format's documentation; the hash is XXH64 of the value
in plain encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.types import DATE, STRING, DataType, integer_bounds, is_integer

_MASK = (1 << 64) - 1
_PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
_SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
_BLOCK = 32
_HEADER = 64
"""A header is some 20 bytes: a size, and three choices of which there is one each."""

ReadAt = Callable[[int, int], bytes]
"""Reads so many bytes from a position of a file, or what is left there."""


class BloomFilter(NamedTuple):
    """Where the blocks of a filter stand in a file, and how many there are."""

    start: int
    blocks: int

    def may_hold(self, hashes: Iterable[int], read: ReadAt) -> bool:
        """Whether one of the values with these hashes may be in the chunk."""
        for value in hashes:
            block = ((value >> 32) * self.blocks) >> 32
            words = read(self.start + block * _BLOCK, _BLOCK)
            if len(words) < _BLOCK:
                return True
            low = value & 0xFFFFFFFF
            bits = struct.unpack("<8I", words)
            if all(word >> ((low * salt & 0xFFFFFFFF) >> 27) & 1 for word, salt in zip(bits, _SALT, strict=True)):
                return True
        return False


def read_filter(offset: int, read: ReadAt) -> BloomFilter | None:
    """The filter at a position; None where it is of a kind that we do not know."""
    header = read(offset, _HEADER)
    try:
        size, length = _header(header)
    except (IndexError, ValueError):
        return None
    if size <= 0 or size % _BLOCK:
        return None
    return BloomFilter(offset + length, size // _BLOCK)


def _header(header: bytes) -> tuple[int, int]:
    """The number of bytes of the blocks, and of the header itself, which is a struct in Thrift's compact protocol.

    Raises:
        ValueError: where it is no such header, or names another algorithm, hash or compression than the ones there are.
    """
    size, field, place = 0, 0, 0
    chosen = []
    while header[place]:
        delta, kind = header[place] >> 4, header[place] & 15
        field += delta
        place += 1
        if field == 1 and kind == 5:
            shift = number = 0
            while True:
                byte = header[place]
                place += 1
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            size = (number >> 1) ^ -(number & 1)
        elif field in (2, 3, 4) and kind == 12 and header[place : place + 3] == b"\x1c\x00\x00":
            # A union whose first member, an empty struct, is chosen.
            chosen.append(field)
            place += 3
        else:
            raise ValueError(f"field {field} of type {kind} in the header of a Bloom filter")
    if chosen != [2, 3, 4]:
        raise ValueError("a Bloom filter that does not say how it is made")
    return size, place + 1


def hashes_of(values: pa.Array, physical: str) -> list[int] | None:
    """The hashes of constants as values of a column of a physical type; None where it is not known how they are stored.

    Floats have two zeros and many NaN, which are one value for us.
    """
    written = [_plain(value, values.type, physical) for value in values.to_pylist() if value is not None]
    found = [xxh64(each) for each in written if each is not None]
    return found if len(found) == len(written) else None


def _plain(value: object, dtype: DataType, physical: str) -> bytes | None:
    if dtype == STRING and physical == "BYTE_ARRAY" and isinstance(value, str):
        return value.encode()
    if dtype == DATE and physical == "INT32":
        return struct.pack("<i", arrow.scalar(value, DATE).value)
    if is_integer(dtype) and physical in ("INT32", "INT64") and isinstance(value, int):
        width = 4 if physical == "INT32" else 8
        low, high = integer_bounds(dtype)
        assert low <= value <= high
        # Types without a sign are stored by their bits. A value that the file's type does not reach is in no chunk.
        return (value & _MASK).to_bytes(8, "little")[:width]
    return None


@lru_cache(maxsize=4096)
def xxh64(data: bytes) -> int:
    """XXH64 with seed 0.

    >>> hex(xxh64(b"")), hex(xxh64(b"abc"))
    ('0xef46db3751d8e999', '0x44bc2cf5ad770999')
    """
    p1, p2, p3, p4, p5 = _PRIMES
    place, size = 0, len(data)
    if size >= 32:
        lanes = [(p1 + p2) & _MASK, p2, 0, -p1 & _MASK]
        while place + 32 <= size:
            lanes = [
                _round(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, place), strict=True)
            ]
            place += 32
        found = sum([_turned(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)]) & _MASK
        for lane in lanes:
            found = ((found ^ _round(0, lane)) * p1 + p4) & _MASK
    else:
        found = p5
    found = (found + size) & _MASK
    while place + 8 <= size:
        (word,) = struct.unpack_from("<Q", data, place)
        found = (_turned(found ^ _round(0, word), 27) * p1 + p4) & _MASK
        place += 8
    if place + 4 <= size:
        (word,) = struct.unpack_from("<I", data, place)
        found = (_turned(found ^ (word * p1 & _MASK), 23) * p2 + p3) & _MASK
        place += 4
    for byte in data[place:]:
        found = _turned(found ^ (byte * p5 & _MASK), 11) * p1 & _MASK
    found = (found ^ found >> 33) * p2 & _MASK
    found = (found ^ found >> 29) * p3 & _MASK
    return found ^ found >> 32


def _turned(number: int, by: int) -> int:
    return (number << by | number >> (64 - by)) & _MASK


def _round(lane: int, word: int) -> int:
    return _turned((lane + word * _PRIMES[1]) & _MASK, 31) * _PRIMES[0] & _MASK
