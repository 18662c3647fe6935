"""The benchmark of prepared queries."""

from pathlib import Path

from benchmarks.options import Options
from benchmarks.prepared import run


def test_each_case_is_measured():
    cases = list(run(Options(Path(), rounds=1)))
    assert len({case.name for case in cases}) == len(cases) == 4
    assert all(samples for case in cases for samples in case.samples.values())
