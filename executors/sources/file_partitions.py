"""What hive folders tell of a whole file: which files a predicate leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.files import DataFile
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.pruning import may_match
from lazyframe.planner import arrow
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.scalars import Scalar, conjuncts, is_volatile
from lazyframe.planner.sources import ColumnStatistics

if TYPE_CHECKING:
    import numpy.typing as npt


def kept_files(files: Sequence[DataFile], partitions: PartitionColumns, predicate: Scalar | None) -> list[bool]:
    """For each file whether `predicate` may be true for some row, where nothing else is known of its content."""
    if predicate is None or not partitions.fields:
        return [True] * len(files)
    kept = [_file_may_match(file, partitions, predicate) for file in files]
    evaluated = files_where_true(files, partitions, predicate)
    return kept if evaluated is None else [a and bool(b) for a, b in zip(kept, evaluated, strict=True)]


def files_where_true(
    files: Sequence[DataFile], partitions: PartitionColumns, predicate: Scalar | None
) -> npt.NDArray[np.bool_] | None:
    """For each file whether those parts of `predicate` are true that ask nothing but its folders, whatever functions they
    call; None where there are none.
    """
    if predicate is None or not partitions.fields:
        return None
    known = {field.name for field in partitions.fields}
    parts = [part for part in conjuncts(predicate) if part.columns and part.columns <= known and not is_volatile(part)]
    if not parts:
        return None
    # Kernels are loaded when something is to be computed.
    from lazyframe.executors.vectorized.expression import Predicate

    wanted = frozenset().union(*[part.columns for part in parts])
    columns = {
        field.name: arrow.array([partitions.scalar(file, field).as_py() for file in files], field.dtype)
        for field in partitions.fields
        if field.name in wanted
    }
    batch = Batch(columns, len(files))
    kept = np.ones(len(files), dtype=bool)
    for part in parts:
        try:
            kept &= Predicate(part).mask(batch)
        except EvaluationError:
            # It may be guarded by another part, and fails if not when it is run.
            continue
    return kept


def _file_may_match(file: DataFile, partitions: PartitionColumns, predicate: Scalar) -> bool:
    known = {}
    for field in partitions.fields:
        value = partitions.scalar(file, field).as_py()
        known[field.name] = ColumnStatistics(value, value, nulls=1 if value is None else 0)
    return may_match(predicate, known, 1)
