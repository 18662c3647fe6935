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

_MOST = 256

_known: OrderedDict[Hashable, Any] = OrderedDict()
_lock = threading.Lock()


def known_code(key: Hashable, write: Callable[[], Code]) -> Code:
    """Code that has been written before, or is now.

    Args:
        key: what the text depends on, besides whether bounds are checked; None where that cannot be said.
        write: writes the code. It may raise, and then nothing is kept.
    """
    if key is None:
        return write()
    key = is_checked(), key
    with _lock:
        found: Code | None = _known.get(key)
        if found is not None:
            _known.move_to_end(key)
            return found
    # Two threads may write the same text, which is compiled once.
    found = write()
    with _lock:
        _known[key] = found
        if len(_known) > _MOST:
            _known.popitem(last=False)
    return found
