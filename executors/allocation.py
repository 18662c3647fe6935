"""Letting the C library keep memory that was freed, and having all large arrays come from it.

A morsel's temporary arrays are about a megabyte each. glibc gives such blocks back to the system when they are freed, so that
every kernel pays again for the pages of its result: measured, eight live copies of a morsel's column took 20 ms with its
defaults and 1.3 ms with these settings, where page faults are dear (a virtual machine). What one allocator keeps, another
cannot use: numpy's arrays and Arrow's buffers come from one heap, which few threads share a part of. See
`docs/adr/0003-allocation.md`.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading

import pyarrow as pa

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
_KEPT_BYTES = 128 << 20
_LARGEST_KEPT_BLOCK = 32 << 20

_lock = threading.Lock()
_done = False


def keep_freed_memory() -> None:
    """Have blocks of up to 32 MiB come from the heap, and 128 MiB of it stay there. Once a process, with glibc alone."""
    global _done
    with _lock:
        if _done:
            return
        _done = True
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        # Another C library: its own habits are left as they are.
        return
    mallopt(_M_MMAP_THRESHOLD, _LARGEST_KEPT_BLOCK)
    mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
    if "MALLOC_ARENA_MAX" not in os.environ:
        mallopt(_M_ARENA_MAX, max(os.cpu_count() or 1, 2))
    # An allocator that somebody chose stays, as far as that can be seen.
    if "ARROW_DEFAULT_MEMORY_POOL" not in os.environ and pa.default_memory_pool().backend_name == "mimalloc":
        pa.set_memory_pool(pa.system_memory_pool())
