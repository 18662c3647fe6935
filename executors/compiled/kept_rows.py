"""Which rows of a batch have values that are among the keys of joins, found by one kernel for all keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.fusion import Run
from lazyframe.executors.key_test import KeyTest, columns_of
from lazyframe.executors.opened_scan import KeepKnownKeys
from lazyframe.executors.pipeline import flow
from lazyframe.planner import arrow
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import INT64


class KeptRows:
    """Gives the numbers of the rows of a batch that pass, in order.

    Args:
        run: the tests as a kernel, which carries a column of numbers.
        names: the columns of the batch that are looked at.
        number: the name of the column of numbers, which no column of the batch has.
    """

    def __init__(self, run: Run, names: Sequence[str], number: str) -> None:
        self._transforms = run.compiled()
        self._names = names
        self._number = number

    def __call__(self, batch: Batch) -> np.ndarray:
        columns: dict[str, pa.Array] = {name: batch.columns[name] for name in self._names}
        columns[self._number] = arrow.array(np.arange(batch.length, dtype=np.int64))
        found = [
            arrow.numpy_of(kept.columns[self._number])
            for kept in flow(Batch(columns, batch.length), self._transforms)
            if kept.length
        ]
        return found[0] if len(found) == 1 else np.concatenate([np.zeros(0, dtype=np.int64), *found])


def kept_rows(tests: Sequence[KeyTest], schema: Schema) -> KeptRows | None:
    """The rows that pass tests of keys that are known, by a kernel; None where kernels cannot look for them.

    Args:
        tests: of keys of joins.
        schema: of the table.
    """
    names = columns_of(tests)
    number = "row"
    while number in names:
        number += "_"
    field = Field(number, INT64, False)
    run = Run(Schema([*[schema.field(name) for name in names], field]), waits=True)
    if not run.add(KeepKnownKeys(tests, [number]), Schema([field])):
        return None
    return KeptRows(run, names, number)
