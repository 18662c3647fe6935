"""Kernels over plain arrays, called from the midst of vectorized operators where rows are many."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from threading import Lock

import numpy as np

from lazyframe.executors.compile_from import calls_for_kernels, default_compile_from
from lazyframe.executors.compiled.known_code import known_code
from lazyframe.executors.compiled.layouts import address_of
from lazyframe.executors.compiled.machine import Kernel, Pending, compile_kernel, start_kernel
from lazyframe.executors.compiled.stage import FAILED, OUT_OF_BOUNDS, Function, Module, is_checked
from lazyframe.executors.compiled.values import Pointer, Value

_WORTH_WAITING = 1 << 20
"""With so many rows a kernel is waited for while it is compiled; with fewer, numpy works meanwhile."""


class ArrayKernel:
    """A kernel that is written and compiled when it is first wanted.

    What it computes is also computed by numpy, to the same values: which of the two does it depends on how many rows there
    are, and on what has been compiled so far.

    Args:
        write: writes it.
        shape: what `write` is given besides the function.
    """

    __slots__ = ("_asked", "_shape", "_write")

    def __init__(self, write: Callable[..., None], *shape: object) -> None:
        self._write = write
        self._shape = shape
        self._asked: dict[bool, tuple[Pending, dict[str, int]] | None] = {}

    def wanted_for(self, rows: int, *, is_busy: bool = False) -> LoadedKernel | None:
        """The kernel; None where so many rows are left to numpy.

        Args:
            rows: how many.
            is_busy: whether numpy has been given so many that a kernel is worth compiling, and calling for few rows.
        """
        least = default_compile_from()
        if least is None or not rows or not (is_busy or calls_for_kernels(rows)):
            return None
        checked = is_checked()
        if checked not in self._asked:
            if rows < least and not is_busy:
                return None
            module = Module(checked)
            self._write(module.kernel(), *self._shape)
            # Two threads that come here at once write the same text, which is compiled once.
            self._asked[checked] = (start_kernel(module.text()), module.slots)
        found = self._asked[checked]
        if found is None:
            return None
        pending, slots = found
        if not pending.ready() and rows < _WORTH_WAITING and least:
            return None
        try:
            return LoadedKernel(pending.wait(), slots)
        except RuntimeError:
            self._asked[checked] = None
            return None


class LoadedKernel:
    """Machine code, and the order of what it is given."""

    __slots__ = ("_kernel", "_slots")

    def __init__(self, kernel: Kernel, slots: dict[str, int]) -> None:
        self._kernel = kernel
        self._slots = slots

    def call(self, **given: np.ndarray | int) -> Call:
        """Run it over arrays and numbers, by their names."""
        call = Call(self._kernel, self._slots)
        call.run(**given)
        return call


def compiled_at_once(write: Callable[[Function], None]) -> LoadedKernel:
    """A kernel that nothing else can stand in for, so that it is waited for."""
    module = Module()
    write(module.kernel())
    return LoadedKernel(compile_kernel(module.text()), module.slots)


class WrittenKernel:
    """A kernel that is written and compiled when it is first called, and waited for.

    Who writes it holds it, and is not held by it.

    Args:
        key: what its text depends on.
    """

    def __init__(self, key: Hashable) -> None:
        self._key = key
        self._kernel: LoadedKernel | None = None
        self._lock = Lock()

    def call(self, write: Callable[[Function], None], **given: np.ndarray | int) -> Call:
        """Run it, written by `write` if it has not been, over arrays and numbers, by their names."""
        with self._lock:
            if self._kernel is None:
                self._kernel = known_code(self._key, lambda: compiled_at_once(write))
        return self._kernel.call(**given)


class Call:
    """A call of a kernel, which may go on after it has been given more room.

    Attributes:
        status: how it ended.
    """

    __slots__ = ("_held", "_kernel", "_slots", "_words", "status")

    def __init__(self, kernel: Kernel, slots: dict[str, int]) -> None:
        self._kernel = kernel
        self._slots = slots
        self._words = array("q", bytes(8 * len(slots)))
        self._held: dict[str, np.ndarray] = {}
        self.status = 0

    def run(self, **given: np.ndarray | int) -> None:
        """Call it with what it was given before, and with these."""
        words, slots = self._words, self._slots
        for name, value in given.items():
            if isinstance(value, np.ndarray):
                assert value.flags.c_contiguous
                # It lives as long as it may be asked for.
                self._held[name] = value
                if f"{name}.length" in slots:
                    words[slots[f"{name}.length"]] = value.size
                value = address_of(value)
            if name in slots:
                words[slots[name]] = value
        self.status = self._kernel(words.buffer_info()[0])
        assert self.status not in (FAILED, OUT_OF_BOUNDS), "a kernel left its arrays"

    def __getitem__(self, name: str) -> int:
        return self._words[self._slots[name]]


def prefetch(cg: Function, pointer: Pointer, index: Value) -> None:
    """Have an element brought near that is read or written soon. It need not exist."""
    cg.module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    address = cg.line_value(f"getelementptr {pointer.element.memory_ir}, ptr {pointer.ref}, i64 {index.ref}")
    cg.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 1, i32 3, i32 1)")
