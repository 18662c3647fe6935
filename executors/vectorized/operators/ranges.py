"""Joins by comparison: where the partners of a row are those whose value lies in a range, sorting finds them."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.executors.vectorized.keys.search import SortedValues, plain
from lazyframe.planner import arrow
from lazyframe.planner.functions.definition import cast_is_total
from lazyframe.planner.scalars import Call, Scalar, cast, conjunction, conjuncts, is_total
from lazyframe.planner.types import common_type, is_nested, rounds

Rows = np.ndarray

_DENSE = 16
"""Where more than one of so many rows is a partner, asking all of them is faster than sorting those that are."""

_MIRROR = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


class Bound(NamedTuple):
    """A bound of the build side's value: the function by which it compares with a value of the probe side."""

    function: str
    probe: Scalar


class Range(NamedTuple):
    """A condition as bounds of one value of the build side, and what else it asks."""

    build: Scalar
    bounds: tuple[Bound, ...]
    rest: Scalar | None


def range_of(condition: Scalar, probe: Container[str], build: Container[str]) -> Range | None:
    """The bounds in a condition over two sides; None where it holds no comparison of one with the other.

    Where several values of the build side are bounded, it is the one that has most bounds. Only what cannot raise is taken:
    a value is computed for all rows, where the condition asks for those of the pairs alone.
    """
    found: dict[Scalar, list[tuple[Scalar, Bound]]] = {}
    parts = conjuncts(condition)
    for part in parts:
        compared = _comparison(part, probe, build)
        if compared is not None:
            value, bound = compared
            found.setdefault(value, []).append((part, bound))
    if not found:
        return None
    value, taken = max(found.items(), key=lambda item: len(item[1]))
    used = [part for part, _ in taken]
    rest = conjunction([part for part in parts if not any(part is other for other in used)])
    return Range(value, tuple([bound for _, bound in taken]), rest)


def _comparison(part: Scalar, probe: Container[str], build: Container[str]) -> tuple[Scalar, Bound] | None:
    if not isinstance(part, Call) or part.function not in _MIRROR or not is_total(part):
        return None
    a, b = part.args
    wanted = common_type(a.dtype, b.dtype)
    if wanted is None or is_nested(wanted) or rounds(a.dtype, b.dtype):
        return None
    if not (cast_is_total(a.dtype, wanted) and cast_is_total(b.dtype, wanted) and a.columns and b.columns):
        return None
    function = part.function
    if all(name in probe for name in a.columns):
        a, b, function = b, a, _MIRROR[function]
    if all(name in build for name in a.columns) and all(name in probe for name in b.columns):
        return cast(a, wanted), Bound(function, cast(b, wanted))
    return None


class RangeTable:
    """The build side's values in order.

    Args:
        found: the bounds.
        rows: all rows of the build side.
    """

    def __init__(self, found: Range, rows: Batch) -> None:
        (column,) = Expressions([found.build]).columns(rows)
        self._dtype = found.build.dtype
        self._values = SortedValues(column, self._dtype)
        # Where each build row stands among the sorted ones; those of nulls stand nowhere.
        self._places = np.full(rows.length, -1)
        self._places[self._values.rows] = np.arange(len(self._values.rows))
        self._functions = [bound.function for bound in found.bounds]
        self._probes = Expressions([bound.probe for bound in found.bounds])

    def ranges(self, batch: Batch) -> tuple[Rows, Rows]:
        """For each probe row where its partners start among the sorted values, and how many they are."""
        start = np.zeros(batch.length, dtype=np.int64)
        stop = np.full(batch.length, len(self._values.rows))
        for function, given in zip(self._functions, self._probes.columns(batch), strict=True):
            column = plain(given, self._dtype)
            below = self._values.count_below(column, inclusive=function in ("less_equal", "greater"))
            if function in ("less", "less_equal"):
                np.minimum(stop, below, out=stop)
            else:
                np.maximum(start, below, out=start)
            if column.null_count:
                stop[_nulls(column)] = 0
        return start, np.maximum(stop - start, 0)

    def pairs(self, start: Rows, counts: Rows, *, ordered: bool) -> tuple[Rows, Rows]:
        """The pairs of probe rows and build rows in these ranges, by probe row, and where `ordered` then by build row."""
        if ordered and int(counts.sum()) * _DENSE > len(counts) * len(self._places):
            inside = self._places >= start[:, None]
            inside &= self._places < (start + counts)[:, None]
            probe, build = np.nonzero(inside)
            return probe, build
        ends = np.cumsum(counts)
        probe = np.repeat(np.arange(len(counts)), counts)
        places = np.repeat(start - (ends - counts), counts) + np.arange(len(probe))
        build = self._values.rows.take(places)
        if ordered:
            order = np.argsort(probe * len(self._places) + build, kind="stable")
            return probe, build[order]
        return probe, build


def _nulls(column: pa.Array) -> np.ndarray:
    return arrow.numpy_of(column.is_null())
