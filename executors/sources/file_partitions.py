"""What hive folders tell of a whole file: which files a predicate leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyframe.executors.sources.files import DataFile
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.pruning import may_match
from lazyframe.planner.sources import ColumnStatistics

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar


def file_may_match(file: DataFile, partitions: PartitionColumns, predicate: Scalar | None) -> bool:
    """Whether `predicate` may be true for some row of a file whose content is unknown."""
    if predicate is None or not partitions.fields:
        return True
    known = {}
    for field in partitions.fields:
        value = partitions.scalar(file, field).as_py()
        known[field.name] = ColumnStatistics(value, value, nulls=1 if value is None else 0)
    return may_match(predicate, known, 1)
