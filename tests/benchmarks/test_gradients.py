"""The benchmark of gradients, over few rows."""

from benchmarks.gradients import run
from benchmarks.options import Options


def test_each_case_is_measured_and_contenders_agree(tmp_path):
    cases = list(run(Options(tmp_path, scale=0.0005, rounds=1)))
    assert len({case.name for case in cases}) == len(cases) >= 4
    assert all(len(samples) == 1 for case in cases for samples in case.samples.values())
