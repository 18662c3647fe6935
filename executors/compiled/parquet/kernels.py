"""The kernels that decode chunks, compiled on other threads while pyarrow reads, and the frames they are called with."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lazyframe.executors.compiled.machine import Kernel, Pending, start_kernel
from lazyframe.executors.compiled.parquet.pages import page_headers
from lazyframe.executors.compiled.parquet.texts import PLAIN_TEXT, chunk_texts
from lazyframe.executors.compiled.parquet.values import FORMS, chunk_values
from lazyframe.executors.compiled.stage import OUT_OF_BOUNDS, Module, is_checked

HEADERS = "headers"

_asked: dict[tuple[str, bool], tuple[Pending, dict[str, int]]] = {}


def ask_for(forms: Iterable[str]) -> list[Pending]:
    """Have the kernels for some forms compiled, if they are not yet."""
    return [_ask(name, is_checked())[0] for name in (HEADERS, *forms)]


def _ask(name: str, checked: bool) -> tuple[Pending, dict[str, int]]:
    found = _asked.get((name, checked))
    if found is None:
        # Two threads that come here at once write the same text, which is compiled once.
        module = _module(name)
        found = _asked[name, checked] = (start_kernel(module.text()), module.slots)
    return found


def _module(name: str) -> Module:
    if name == HEADERS:
        return page_headers()
    return chunk_texts() if name == PLAIN_TEXT else chunk_values(FORMS[name])


class Frame:
    """A kernel, with the memory of one thread in which it is given numbers and gives some."""

    __slots__ = ("_address", "_kernel", "_numbers", "_slots")

    def __init__(self, kernel: Kernel, slots: dict[str, int]) -> None:
        self._kernel = kernel
        self._slots = slots
        self._numbers = np.zeros(len(slots), np.int64)
        self._address = self._numbers.ctypes.data

    def set(self, **given: int) -> None:
        """Put numbers into the frame; those that the kernel does not ask for are passed over."""
        numbers, slots = self._numbers, self._slots
        for name, number in given.items():
            place = slots.get(name)
            if place is not None:
                numbers[place] = number

    def set_length(self, name: str, length: int) -> None:
        """How many elements stand behind a pointer, for kernels that test bounds."""
        place = self._slots.get(f"{name}.length")
        if place is not None:
            self._numbers[place] = length

    def run(self) -> int:
        status = self._kernel(self._address)
        assert status != OUT_OF_BOUNDS, "a kernel left its arrays"
        return status

    def __getitem__(self, name: str) -> int:
        return int(self._numbers[self._slots[name]])


def frame(name: str) -> Frame | None:
    """A new frame of a kernel; None while it is being compiled, and where LLVM does not compile it on this machine."""
    pending, slots = _ask(name, is_checked())
    if not pending.ready():
        return None
    try:
        return Frame(pending.wait(), slots)
    except RuntimeError:
        return None
