"""Thresholds from which on operators go about things in another way, so low that small tables reach them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from unittest import mock

_COMPILED = "lazyframe.executors.compiled."
LOWERED: dict[str, dict[str, int]] = {
    "aggregation": {"MANY_RECORDS": 3, "_FEW_GROUPS": 2, "_SEARCHED_AGAIN": 2},
    "reduce_records": {"_FEW_RECORDS": 6, "_WAITING_WORDS": 100},
    "group_partition": {"_LEAST_INDEX": 2, "_LARGE_INDEX": 8},
    "keys.firsts": {"MOST_KEPT": 2},
    "join_keys": {"_MOST_BITS": 64},
    "join_table": {
        "_DIRECT_PLACES_PER_ROW": 1,
        "_FREE_PLACES": 4,
        "_BITS_PER_ROW": 2,
        "_FREE_BITS": 4,
        "_BLOOM_FROM": 2,
    },
    "segment": {"ROOM": 2, "MOST_ENTRIES": 2},
    "entries": {"_KEPT": 0},
    "text_words": {"_MOST_DICTIONARIES": 1},
    "fusion": {"_MOST_STAGES": 2},
    "coverage": {"_MOST_NODES": 12},
    "functions.membership": {"_FEW": 1, "_WIDEST_TABLE": 64},
    "keys.radix": {"_UNDIVIDED": 8, "_FEW": 2, "_LARGE": 16},
    "keys.selection": {"_FEW": 2, "_MOST_BITS": 3, "_BLOCK_BITS": 1},
    "keys.grouping": {"_FIRST_PLACES": 4},
}


@contextmanager
def lowered_thresholds() -> Iterator[None]:
    """Have the thresholds low meanwhile; one that is no more stays as it is, and a test says so."""
    with ExitStack() as stack:
        for module, thresholds in LOWERED.items():
            found = _module(module)
            for name, value in thresholds.items():
                if hasattr(found, name):
                    stack.enter_context(mock.patch.object(found, name, value))
        yield


def unknown() -> list[str]:
    """Thresholds that are no more."""
    return [f"{m}.{name}" for m, names in LOWERED.items() for name in names if not hasattr(_module(m), name)]


def _module(name: str) -> object:
    with suppress(ModuleNotFoundError):
        return importlib.import_module(_COMPILED + name)
    return None
