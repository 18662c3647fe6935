"""Settings."""

from __future__ import annotations

import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.config import current

FRAME = lf.from_dict({"x": [1, 2, 3]})


@pytest.fixture(autouse=True)
def settings_stay():
    with lf.config():
        yield


def test_settings_hold_within_a_block():
    before = current()
    with lf.config(threads=3, max_rows=2):
        assert (current().threads, current().max_rows) == (3, 2)
        with lf.config(threads=1):
            assert (current().threads, current().max_rows) == (1, 2)
        assert current().threads == 3
    assert current() == before


def test_settings_are_put_back_after_an_error():
    before = current()
    with pytest.raises(ZeroDivisionError), lf.config(threads=3):
        _ = 1 / 0
    assert current() == before


def test_settings_for_good():
    lf.config(max_rows=1)
    assert "showing" in repr(FRAME)


@pytest.mark.parametrize("disable", [["push_filter_into_scan"], ("push_filter_into_scan",)])
def test_rules_can_be_switched_off(disable):
    query = FRAME.lazy().filter(col("x") > 1)
    assert not query.explain().startswith("Filter")
    with lf.config(disable=disable):
        assert query.explain().startswith("Filter")
        assert query.to_dict() == {"x": [2, 3]}


def test_the_environment_says_how_many_threads(monkeypatch):
    from lazyframe.executors.context import default_threads

    monkeypatch.setenv("LAZYFRAME_THREADS", "5")
    assert default_threads() == 5
    monkeypatch.setenv("LAZYFRAME_THREADS", "none")
    assert default_threads() >= 1
    monkeypatch.delenv("LAZYFRAME_THREADS")
    assert default_threads() >= 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"thread": 2}, "no setting named 'thread'\ndid you mean 'threads'"),
        ({"threads": 0}, "threads is a number of 1 or more, not 0"),
        ({"threads": "two"}, "threads is"),
        ({"threads": True}, "threads is"),
        ({"max_rows": -1}, "max_rows is"),
        ({"timeout": 0}, "timeout is"),
        ({"timeout": "1s"}, "timeout is"),
        ({"disable": "merge_filters"}, "list of names of rules"),
        ({"disable": [1]}, "list of names of rules"),
        ({"disable": 5}, "list of names of rules"),
        ({"disable": None}, "list of names of rules"),
        ({"compiled": 1}, "compiled is True or False, not 1"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    before = current()
    with pytest.raises(lf.errors.InvalidArgumentError, match=message):
        lf.config(**settings)
    assert current() == before


def test_unknown_rules_are_refused_at_once():
    before = current()
    with pytest.raises(
        lf.errors.InvalidArgumentError, match="no rule named 'merge_filter'\ndid you mean 'merge_filters'"
    ):
        lf.config(disable=["merge_filter"])
    assert current() == before


def test_the_settings_in_force_are_shown():
    with lf.config(threads=3, max_rows=7) as settings:
        shown = (
            "config(threads=3, disable=(), max_rows=7, timeout=None, recursion_limit=100000, recursion_rows=20000000, "
            "compiled=True)"
        )
        assert repr(settings) == shown


_ASKED = """
import sys
import lazyframe as lf
from lazyframe.executors.sources import parquet_decoding
parquet_decoding._WORTH_LOADING = 0
with lf.config(compiled=sys.argv[2] == "True"):
    frame = lf.read_parquet(sys.argv[1])
    print(frame.filter(lf.col("x") > 3).select((lf.col("x") + 1).sum()).item(), "llvmlite" in sys.modules)
"""


@pytest.mark.parametrize(
    ("compiled", "environment", "expected"), [(True, "0", True), (False, "0", False), (True, "off", False)]
)
def test_whether_anything_is_compiled(compiled, environment, expected, tmp_path):
    pq.write_table(pa.table({"x": list(range(10))}), tmp_path / "t.parquet")
    done = subprocess.run(
        [sys.executable, "-c", _ASKED, str(tmp_path / "t.parquet"), str(compiled)],
        capture_output=True,
        text=True,
        env=os.environ | {"LAZYFRAME_COMPILED": environment},
        check=True,
    )
    assert done.stdout == f"{sum(range(5, 11))} {expected}\n"


def test_an_environment_that_cannot_be_read_is_an_error(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "false")
    with pytest.raises(lf.errors.InvalidArgumentError, match="LAZYFRAME_COMPILED is 'false'"):
        lf.from_dict({"x": [1]}).filter(lf.col("x") > 0).collect()
