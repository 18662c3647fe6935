"""What queries come to together, by hand."""

from __future__ import annotations

import pytest

from benchmarks.runner import OURS, Case
from benchmarks.summary import summary


def test_sum_mean_and_lost_queries():
    cases = [
        Case("a", samples={OURS: [1.0, 2.0, 9.0], "them": [4.0], "now and then": [1.0]}),
        Case("b", samples={OURS: [8.0], "them": [1.0]}),
    ]
    total, mean, lost = summary("both", cases)
    assert total.samples == {OURS: [10.0], "them": [5.0]}
    assert mean.median(OURS) == pytest.approx(4.0)
    assert mean.median("them") == pytest.approx(2.0)
    assert mean.ratio("them") == pytest.approx((2 / 4 * 8 / 1) ** 0.5)  # of ratios, which is the ratio of means
    assert lost.samples == {"them": [1]}
