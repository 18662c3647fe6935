"""Where the columns of a batch lie, as kernels are told.

It takes longer to find that out than to put it into a frame; a source that gives the same arrays to query after query keeps what
was found with them (`Batch.bindings`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.layouts import Layout, address_of, bind_column, layout_of
from lazyframe.planner.types import DataType


class Binding:
    """Where a column lies, in the places of its layout.

    Attributes:
        layout: None where kernels do not read it as it lies.
        places: addresses and numbers, by what the names of their places end with.
    """

    __slots__ = ("_held", "layout", "places")

    def __init__(self, array: pa.Array, dtype: DataType) -> None:
        self.layout = layout_of(array, dtype)
        self.places: dict[str, int] = {}
        self._held: list[np.ndarray] = []
        if self.layout is not None:
            # A kernel may be made for nulls where this array has none.
            bind_column("", self.layout._replace(nullable=True), array, self)

    def point(self, name: str, address: int, count: int) -> None:
        self.places[name] = address
        self.places[f"{name}.length"] = count

    def lend(self, name: str, array: np.ndarray) -> np.ndarray:
        self._held.append(array)
        self.point(name, address_of(array), array.size)
        return array

    def keep(self, array: pa.Array) -> None:
        self._held.append(array)

    def __setitem__(self, name: str, number: int) -> None:
        self.places[name] = number


def binding_of(batch: Batch, name: str, dtype: DataType) -> Binding:
    """Where a column of a batch lies."""
    kept = batch.bindings
    if kept is None:
        kept = batch.bindings = {}
    found: Binding | None = kept.get(name)
    if found is None:
        found = kept[name] = Binding(batch.columns[name], dtype)
    return found


def places_of_column(place: str, layout: Layout, slots: dict[str, int]) -> list[tuple[int, str]]:
    """Which slots of a frame are a column's, and what the names of these places end with."""
    return [(slots[place + end], end) for end in _ends(layout) if place + end in slots]


def _ends(layout: Layout) -> Iterator[str]:
    for pointer in (".valid", *_POINTERS[layout.form]):
        yield pointer
        yield f"{pointer}.length"
        yield f"{pointer}.offset"


_POINTERS: dict[str, Iterable[str]] = {
    "fixed": (".values",),
    "bits": (".values",),
    "wide": (".values",),
    "text": (".offsets", ".bytes"),
    "large": (".offsets", ".bytes"),
    "view": (".views", ".buffers"),
    "coded": (".codes", ".offsets", ".bytes"),
}
