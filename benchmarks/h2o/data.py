"""The tables of H2O.ai's db-benchmark, drawn by NumPy with the schema and the distributions that it published.

The question tables are kept as Parquet beside the other data, and read into memory before anything is timed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_GROUPS = 100
"""Values of the keys with few of them, K in the benchmark's names of files."""


def grouping_table(folder: Path, rows: int) -> dict[str, pa.Table]:
    """`x`: three keys of text (id1, id2 with 100 values, id3 with one to 100 rows), the same as integers, and three values."""
    return _kept(folder / f"h2o-groups-{rows}", lambda: {"x": _grouping_table(rows)}, ("x",))


def join_tables(folder: Path, rows: int) -> dict[str, pa.Table]:
    """`x` and what it is joined with: `small` of rows / 1e6, `medium` of rows / 1e3 and `large` of as many rows.

    Nine of ten keys on either side have a partner on the other.
    """
    return _kept(folder / f"h2o-joins-{rows}", lambda: _join_tables(rows), ("x", "small", "medium", "large"))


def _kept(folder: Path, make: object, names: tuple[str, ...]) -> dict[str, pa.Table]:
    if not (folder / f"{names[-1]}.parquet").is_file():
        print(f"making {folder}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in make().items():
            pq.write_table(table, folder / f"{name}.parquet")
    return {name: pq.read_table(folder / f"{name}.parquet") for name in names}


def _grouping_table(rows: int) -> pa.Table:
    random = np.random.default_rng(0)
    many = max(rows // _GROUPS, 1)
    few_texts = _padded(np.arange(1, _GROUPS + 1), 3)
    many_texts = _padded(np.arange(1, many + 1), 10)

    def drawn(count: int) -> np.ndarray:
        return random.integers(1, count + 1, rows, dtype=np.int32)

    return pa.table(
        {
            "id1": few_texts.take(pa.array(drawn(_GROUPS) - 1)),
            "id2": few_texts.take(pa.array(drawn(_GROUPS) - 1)),
            "id3": many_texts.take(pa.array(drawn(many) - 1)),
            "id4": drawn(_GROUPS),
            "id5": drawn(_GROUPS),
            "id6": drawn(many),
            "v1": drawn(5),
            "v2": drawn(15),
            "v3": _values(random, rows),
        }
    )


def _join_tables(rows: int) -> Mapping[str, pa.Table]:
    random = np.random.default_rng(1)
    counts = {"small": max(rows // 1_000_000, 10), "medium": max(rows // 1_000, 10), "large": rows}
    keys = {name: _split_keys(random, count) for name, count in counts.items()}
    tables = {"x": _rows_of_keys(random, [_each_once(random, keys[name][0], rows) for name in counts], "v1")}
    for position, (name, count) in enumerate(counts.items()):
        coarser = [_each_once(random, keys[other][1], count) for other in list(counts)[:position]]
        own = random.permutation(keys[name][1])
        tables[name] = _rows_of_keys(random, [*coarser, own], "v2")
    return tables


def _split_keys(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys of the left and of the right side: nine of ten are on both."""
    shared, alone = count - count // 10, count // 10
    keys = random.permutation(np.arange(1, shared + 2 * alone + 1, dtype=np.int32))
    return keys[: shared + alone], np.concatenate([keys[:shared], keys[shared + alone :]])


def _each_once(random: np.random.Generator, keys: np.ndarray, rows: int) -> np.ndarray:
    """As many of the keys, each of them at least once where there is room."""
    if rows <= len(keys):
        return random.permutation(keys)[:rows]
    return random.permutation(np.concatenate([keys, random.choice(keys, rows - len(keys))]))


def _rows_of_keys(random: np.random.Generator, keys: list[np.ndarray], value: str) -> pa.Table:
    """Keys id1..., the same as texts from id4 on, and a value."""
    columns: dict[str, object] = {f"id{index}": key for index, key in enumerate(keys, 1)}
    columns |= {f"id{index}": pc.binary_join_element_wise("id", _text(key), "") for index, key in enumerate(keys, 4)}
    return pa.table(columns | {value: _values(random, len(keys[0]))})


def _padded(numbers: np.ndarray, width: int) -> pa.Array:
    return pc.binary_join_element_wise("id", pc.utf8_lpad(_text(numbers), width, "0"), "")


def _text(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def _values(random: np.random.Generator, rows: int) -> np.ndarray:
    return np.round(random.uniform(0, 100, rows), 6)
