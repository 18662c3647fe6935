"""The benchmark of gradients, over few rows."""

from pathlib import Path

from benchmarks.gradients import run
from benchmarks.options import Options
from benchmarks.runner import OURS


def test_each_case_is_measured_and_contenders_agree():
    cases = list(run(Options(Path(), scale=0.0005, rounds=1)))
    assert len({case.name for case in cases}) == len(cases) >= 4
    assert all(len(case.samples[OURS]) == 1 for case in cases)
