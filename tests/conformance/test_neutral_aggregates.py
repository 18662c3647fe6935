"""The neutral records about aggregates: the longest file of them."""

from __future__ import annotations

import pytest

from tests.conformance.neutral import surprises, workplace

AGGREGATES = "test_files/aggregate.slt"


@pytest.mark.filterwarnings("ignore")  # the readers leave closing their files to the collector
def test_records_of_aggregates(tmp_path):
    assert surprises(AGGREGATES, workplace(tmp_path)) == {}
