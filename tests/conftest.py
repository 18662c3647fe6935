"""Fixtures that tests of all packages share."""

from __future__ import annotations

import getpass
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, settings

import lazyframe as lf

# Compiled code is kept from one run of the tests to the next, but apart from the user's.
os.environ.setdefault("LAZYFRAME_CODE_CACHE", str(Path(tempfile.gettempdir()) / f"lazyframe-tests-{getpass.getuser()}"))

# The same examples in every run, however slow or busy the machine is; `LAZYFRAME_FUZZ_EXAMPLES` asks the differential tests
# for others.
settings.register_profile("repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


def checked(frame: lf.LazyFrame) -> pa.Table:
    """The rows of a frame, after comparing them with what its schema promises, and with those of two threads."""
    with lf.config(threads=1):
        table = frame.lazy().to_arrow()
    assert table.schema == frame.schema.to_arrow()
    table.validate(full=True)
    for field, column in zip(table.schema, table.columns, strict=True):
        assert field.nullable or column.null_count == 0, f"nulls in {field.name}, which is said to have none"
    with lf.config(threads=2):
        again = frame.lazy().to_arrow()
    # NaN is no value that equals itself, so texts are compared.
    assert str(again.to_pydict()) == str(table.to_pydict())
    return table


@pytest.fixture(name="answer")
def _answer() -> Callable[[lf.LazyFrame], dict[str, list[Any]]]:
    """A function from a frame to its columns, checked against its schema and at several numbers of threads."""
    return lambda frame: checked(frame).to_pydict()


@pytest.fixture(name="in_parts")
def _in_parts() -> Callable[[Mapping[str, Sequence[Any]]], lf.LazyFrame]:
    """A function from columns to a frame that reads each row by itself, so that threads take turns."""

    def make(columns: Mapping[str, Sequence[Any]], schema: Mapping[str, Any] | None = None) -> lf.LazyFrame:
        whole = lf.from_dict(columns, schema)
        return lf.concat([whole[row : row + 1] for row in range(len(whole))])

    return make
