"""Plans of texts that were bound before: no text is parsed and bound again while what it names is the same."""

from __future__ import annotations

import datetime
import decimal
import threading
import weakref
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from lazyframe.planner.relations import Plan
from lazyframe.sql.resolver import Reading, Resolver

_SIZE = 256
_PLAIN = (
    bool, int, float, str, bytes, decimal.Decimal, datetime.date, datetime.time, datetime.datetime, datetime.timedelta,
    type(None),
)  # fmt: skip


class _Bound(NamedTuple):
    plan: Plan
    readings: tuple[Reading, ...]
    version: int


class PlanCache:
    """The plans that were bound last, by text, dialect and parameters. It never holds rows that nobody else holds.

    A plan over an object of the user's is forgotten when the object is gone; plans over files hold no rows, nor do those of
    views and tables, which the session holds anyway and forgets here when it drops them.
    """

    def __init__(self, size: int = _SIZE) -> None:
        self._size = size
        self._bound: OrderedDict[Hashable, _Bound] = OrderedDict()
        # An object may die at any moment, also while another thread is in here.
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._bound)

    def find(self, key: Hashable, resolver: Resolver, version: int) -> Plan | None:
        """The plan of a text, if all that it names means what it meant."""
        found = self._bound.get(key)
        if found is None:
            return None
        if found.version == version and resolver.still_holds(found.readings):
            with self._lock:
                if key in self._bound:
                    self._bound.move_to_end(key)
            return found.plan
        with self._lock:
            self._bound.pop(key, None)
        return None

    def keep(self, key: Hashable, plan: Plan, resolver: Resolver, version: int) -> None:
        """Remember a plan, unless what it reads may change without notice."""
        if resolver.readings is None:
            return
        readings = tuple([self._watched(key, reading) for reading in resolver.readings])
        with self._lock:
            self._bound[key] = _Bound(plan, readings, version)
            self._bound.move_to_end(key)
            while len(self._bound) > self._size:
                self._bound.popitem(last=False)

    def clear(self) -> None:
        """Forget all plans."""
        with self._lock:
            self._bound.clear()

    def _watched(self, key: Hashable, reading: Reading) -> Reading:
        """The reading, which forgets the plan when its object dies."""
        if not isinstance(reading.meaning, weakref.ref):
            return reading
        value = reading.meaning()
        assert value is not None, "the caller holds what it has just bound"
        cache = weakref.ref(self)

        def forget(_: object) -> None:
            alive = cache()
            if alive is not None:
                with alive._lock:
                    alive._bound.pop(key, None)

        return reading._replace(meaning=weakref.ref(value, forget))


def signature(parameters: Mapping[str, Any] | Sequence[Any] | None) -> Hashable | None:
    """What tells parameters apart: their names, types and values. None where a value is none of the plain ones.

    Example:
        >>> signature({"x": 1}) == signature({"x": True}), signature([0.0]) == signature([-0.0])
        (False, False)
    """
    if not parameters:
        return ()
    items = list(parameters.items() if isinstance(parameters, Mapping) else enumerate(parameters))
    if not all([type(value) in _PLAIN for _, value in items]):
        return None
    # Not the values themselves: 1 equals True, 0.0 equals -0.0 and 1.0 equals 1.00.
    return tuple([(name, type(value), repr(value)) for name, value in items])
