"""Code by what it was written from: a query that is asked again, over the same or over other rows, has nothing written anew.

Writing a kernel takes longer than running it over some ten thousand rows. What a kernel is told besides its rows, such as where the
tables of its joins lie, is no part of its code.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from lazyframe.executors.compiled.stage import is_checked

Code = TypeVar("Code")


class Known:
    """What was asked for lately, by its key.

    Args:
        most: how much is kept; what was not asked for longest goes first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Code]) -> Code:
        """What is known under a key, or is made now. `make` may raise, and then nothing is kept."""
        with self._lock:
            found: Code | None = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
                return found
        # Two threads may make the same.
        found = make()
        with self._lock:
            self._known[key] = found
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return found


_code = Known(256)


def known_code(key: Hashable, write: Callable[[], Code]) -> Code:
    """Code that has been written before, or is now.

    Args:
        key: what the text depends on, besides whether bounds are checked; None where that cannot be said.
        write: writes the code. It may raise, and then nothing is kept.
    """
    return write() if key is None else _code.get((is_checked(), key), write)
