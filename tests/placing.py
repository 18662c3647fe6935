"""Nodes written at a place that a test names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lazyframe.planner.site import ambient

N = TypeVar("N")


def written_at(site: Any, make: Callable[[], N]) -> N:
    """What `make` makes, as if the user had written it at `site`."""
    outer = ambient.site
    ambient.site = site
    try:
        return make()
    finally:
        ambient.site = outer
