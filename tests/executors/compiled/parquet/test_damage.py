"""Damaged chunks: kernels give them up or read other values, but never beyond what they were given."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.compiled.machine import why_not
from lazyframe.executors.compiled.parquet.workspace import Workspace
from lazyframe.executors.sources.parquet_decoding import chunk_place
from tests.executors.compiled.parquet.test_chunk import footer_of, ours, sample, written

pytestmark = pytest.mark.skipif(why_not() is not None, reason="nothing can be compiled here")

FLIPS = int(os.environ.get("LAZYFRAME_FLIPS", "150"))


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("dictionary", [True, False])
def test_flipped_bits(codec: str, version: str, nulls: bool, dictionary: bool) -> None:
    table = sample(600, 40, nulls=nulls)
    content = written(
        table, compression=codec, data_page_version=version, data_page_size=700, use_dictionary=dictionary
    )
    footer = footer_of(content)
    draw = np.random.default_rng(len(content))
    space = Workspace()
    names = table.column_names
    given_up = 0
    for number in range(FLIPS):
        name = names[number % len(names)]
        place = chunk_place(footer, 0, footer.leaves[name][0])
        assert place is not None
        damaged = bytearray(content)
        for _ in range(draw.integers(1, 4)):
            # Headers stand at the beginning of pages: the first bytes are hit more often.
            span = place.size if draw.random() < 0.5 else min(place.size, 60)
            damaged[place.start + int(draw.integers(0, span))] ^= 1 << int(draw.integers(0, 8))
        found = ours(footer_of(bytes(damaged)), name, space)
        assert found is None or len(found) == table.num_rows
        given_up += found is None
    assert given_up > FLIPS // 50


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_with_checksums_no_flipped_bit_is_believed(codec: str, version: str) -> None:
    table = sample(600, 40, nulls=True)
    content = written(table, compression=codec, data_page_version=version, data_page_size=700, write_page_checksum=True)
    whole = footer_of(content)
    draw = np.random.default_rng(1)
    for number in range(FLIPS):
        name = table.column_names[number % len(table.column_names)]
        place = chunk_place(whole, 0, whole.leaves[name][0])
        assert place is not None
        damaged = bytearray(content)
        # The headers have no checksum: what is hit lies in the last page.
        damaged[place.start + place.size - 1 - int(draw.integers(0, 20))] ^= 1 << int(draw.integers(0, 8))
        found = ours(footer_of(bytes(damaged)), name)
        assert found is None or found.equals(ours(whole, name)), name


def test_cut_short() -> None:
    table = pa.table({"i": pa.array(range(5_000), pa.int64())})
    content = written(table)
    footer = footer_of(content)
    place = chunk_place(footer, 0, 0)
    assert place is not None
    for size in (1, 5, 20, place.size // 2, place.size - 1):
        footer.places[0, 0] = place._replace(size=size)
        assert ours(footer, "i") is None


def test_flipped_bits_in_checked_mode() -> None:
    """No test of bounds fires: what kernels compare by themselves is enough."""
    code = """
        import numpy as np
        from lazyframe.executors.compiled.parquet.kernels import Frame
        from tests.executors.compiled.parquet import test_damage
        from lazyframe.executors.compiled.stage import OUT_OF_BOUNDS

        run = Frame.run

        def watched(self):
            status = run(self)
            assert status != OUT_OF_BOUNDS
            return status

        Frame.run = watched
        for codec in ("none", "snappy", "zstd"):
            for nulls in (False, True):
                test_damage.test_flipped_bits(codec, "1.0", nulls, not nulls)
    """
    environment = {**os.environ, "LAZYFRAME_CHECKED": "1"}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    subprocess.run(command, check=True, env=environment)
