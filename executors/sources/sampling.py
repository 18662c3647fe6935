"""Samples of tables: what a predicate keeps and how many different values a column has, found on a few thousand rows.

A sample is drawn when somebody first asks, column by column, and kept for as long as the table is the same. It is always made
of the same rows, so that plans do not depend on what was asked before.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import Batch, concat_arrays, decoded
from lazyframe.executors.sources.source import ReadableSource, ScanMetrics
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import LazyFrameError
from lazyframe.planner.scalars import PARAMETER, is_total, is_volatile

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

SAMPLE_ROWS = 4096
"""So many rows a sample has, about: a share of one percent is then known to a sixth of it."""

WHOLE_ROWS = 16_384
"""Of a table with at most so many rows the sample is the whole table."""

Parts = Callable[[str], list[pa.Array]]
"""Gives a column of the rows that a sample is drawn from: those of some parts of the table, as they follow each other."""


class TableSample:
    """Some rows of a table.

    Args:
        rows: how many rows the table has.
        parts: gives a column of the parts that it is drawn from, always the same ones.
    """

    def __init__(self, rows: int, parts: Parts) -> None:
        self._rows = rows
        self._parts = parts
        self._columns: dict[str, pa.Array] = {}
        self._clustered: dict[str, bool] = {}
        self._repeated: dict[str, float] = {}
        self._rows_read = 0
        self._shares: dict[bytes, float | None] = {}
        self._distinct: dict[str, float | None] = {}
        self._partners: dict[tuple[object, ...], float | None] = {}

    def share(self, predicate: Scalar) -> float | None:
        """About which share of the rows a predicate keeps, 0 where it keeps none of the sample; None where it cannot be told."""
        key = predicate.digest
        if key not in self._shares:
            self._shares[key] = self._measured(predicate)
        return self._shares[key]

    def distinct(self, name: str) -> float | None:
        """About how many different values a column has that are not null; None where it cannot be told."""
        if name not in self._distinct:
            self._distinct[name] = self._counted(name)
        return self._distinct[name]

    def share_with_partner(
        self, name: str, predicate: Scalar | None, other: TableSample, key: str, condition: Scalar | None
    ) -> float | None:
        """Of the rows that a predicate keeps, the share that has a partner among those that a condition keeps of a whole table.

        Args:
            name: the column that refers to the other table.
            predicate: over this table.
            other: the sample of the other table.
            key: the column referred to.
            condition: over the other table.

        Returns:
            None where it cannot be told, as where the other sample is not the whole table.
        """
        if other._rows > WHOLE_ROWS:
            return None
        asked = (
            name, predicate and predicate.digest, id(other), key, condition and condition.digest,
        )  # fmt: skip
        if asked not in self._partners:
            self._partners[asked] = self._looked_up(name, predicate, other, key, condition)
        return self._partners[asked]

    def is_clustered(self, name: str) -> bool:
        """Whether the parts that the sample is drawn from have no values in common: it then tells little of ranges."""
        try:
            self._column(name)
        except (LazyFrameError, pa.ArrowException):
            return False
        return self._clustered[name]

    def _looked_up(
        self, name: str, predicate: Scalar | None, other: TableSample, key: str, condition: Scalar | None
    ) -> float | None:
        try:
            values, keys = self._kept(name, predicate), other._kept(key, condition)
            if values is None or keys is None or not len(values) or values.type != keys.type:
                return None
            return float(pc.is_in(values, pc.drop_null(keys)).true_count) / len(values)
        except (LazyFrameError, pa.ArrowException):
            return None

    def _kept(self, name: str, predicate: Scalar | None) -> pa.Array | None:
        """A column of the rows of the sample that a predicate keeps."""
        from lazyframe.executors.vectorized.expression import Predicate

        column = self._column(name)
        if predicate is not None:
            if not _is_known(predicate):
                return None
            columns = {each: self._column(each) for each in sorted(predicate.columns)}
            column = pc.array_filter(column, arrow.array(Predicate(predicate).mask(Batch(columns, len(column)))))
        return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column

    def _measured(self, predicate: Scalar) -> float | None:
        from lazyframe.executors.vectorized.expression import Predicate

        if not predicate.columns or not _is_known(predicate):
            return None
        try:
            columns = {name: self._column(name) for name in sorted(predicate.columns)}
            rows = min(map(len, columns.values()))
            return float(np.mean(Predicate(predicate).mask(Batch(columns, rows)))) if rows else None
        except (LazyFrameError, pa.ArrowException):
            return None  # what is wrong with the table is said when it is read

    def _counted(self, name: str) -> float | None:
        """By the first-order jackknife, with an upper bound from values that repeat the one before them.

        Where the table is clustered by the column, other parts of it have other values: as many as those that were read.

        Source: P. J. Haas and L. Stokes, "Estimating the number of classes in a finite population", JASA 93 (1998), D_uj1.
        """
        try:
            column = self._column(name)
            counts = arrow.numpy_of(pc.value_counts(pc.drop_null(column)).field("counts"))
        except (LazyFrameError, pa.ArrowException):
            return None
        size = int(counts.sum())
        if not size:
            return None
        rows = self._rows * size / len(column)
        once = int((counts == 1).sum())
        found = len(counts) / (1 - (1 - size / max(rows, size)) * once / size)
        if self._clustered[name]:
            found = max(found, len(counts) * self._rows / self._rows_read)
        return float(min(found, rows * (1 - self._repeated[name]) + 1))

    def _column(self, name: str) -> pa.Array:
        found = self._columns.get(name)
        if found is None:
            parts = self._parts(name)
            self._clustered[name] = _are_apart(parts)
            whole = concat_arrays(parts, parts[0].type)
            self._rows_read = len(whole)
            self._repeated[name] = _repeated(whole)
            found = self._columns[name] = pc.take(whole, arrow.array(_spread(len(whole))))
        return found


def _spread(rows: int) -> npt.NDArray[np.int64]:
    """Where the rows of the sample stand: one at random in each of as many equal stretches, lest it fall in step with the data."""
    if rows <= WHOLE_ROWS:
        return np.arange(rows)
    starts = np.arange(0, rows - rows % SAMPLE_ROWS, rows // SAMPLE_ROWS)
    return starts + np.random.default_rng(0).integers(rows // SAMPLE_ROWS, size=len(starts))


def _repeated(values: pa.Array) -> float:
    """The share of values that equal the one before them; 0 where it is not quick to tell."""
    if len(values) < 2 or not (pa.types.is_integer(values.type) or pa.types.is_temporal(values.type)):
        return 0.0
    width = values.type.bit_width
    if width not in (8, 16, 32, 64):
        return 0.0
    plain = arrow.numpy_of(pc.fill_null(values.view(f"int{width}"), 0))
    return float(np.mean(plain[1:] == plain[:-1]))


def _are_apart(parts: list[pa.Array]) -> bool:
    """Whether all values of each part are less, or all greater, than those of the part before it."""
    if len(parts) < 2 or not pa.types.is_primitive(parts[0].type):
        return False
    bounds = [pc.min_max(part).as_py() for part in parts]
    known = [(each["min"], each["max"]) for each in bounds if each["min"] is not None]
    return all([a[1] <= b[0] or b[1] <= a[0] for a, b in pairwise(known)])


def sample_of(source: ReadableSource, parts: int = 2) -> TableSample | None:
    """A sample of a table, drawn from so many parts of it; None where the table has no rows, or does not know how many."""
    rows = source.statistics().rows
    if not rows:
        return None

    def read(name: str) -> list[pa.Array]:
        splits = source.splits([name], None)
        count = len(splits) if rows <= WHOLE_ROWS else min(parts, len(splits))
        metrics = ScanMetrics()
        found = []
        for part in range(count):
            batches = splits[(2 * part + 1) * len(splits) // (2 * count)].read(metrics)
            found.append(concat_arrays([batch.columns[name] for batch in batches], source.schema[name]))
        kinds = {part.type for part in found}
        return found if len(kinds) == 1 else [decoded(part, source.schema[name]) for part in found]

    return TableSample(int(rows), read)


def _is_known(predicate: Scalar) -> bool:
    """Whether it has one value for a row, without an error and before the query runs."""
    return is_total(predicate) and not is_volatile(predicate) and not predicate.holds & PARAMETER


_MOST_TABLES = 256
_kept: OrderedDict[tuple[object, ...], TableSample | None] = OrderedDict()


def kept_sample(source: ReadableSource) -> TableSample | None:
    """The sample of a table in files, which other sources of the same files have too."""
    identity = source.identity()
    if identity not in _kept:
        _kept[identity] = sample_of(source)
        if len(_kept) > _MOST_TABLES:
            _kept.popitem(last=False)
    return _kept[identity]


__all__ = ["SAMPLE_ROWS", "TableSample", "kept_sample", "sample_of"]
