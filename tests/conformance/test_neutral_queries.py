"""The neutral records about all else. Workers take whole modules: the longest file has another."""

from __future__ import annotations

import pytest

from tests.conformance.neutral import LEFT, left, surprises, wanted, workplace
from tests.conformance.test_neutral_aggregates import AGGREGATES

NAMES = sorted(set(wanted()) - {AGGREGATES})


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory):
    return workplace(tmp_path_factory.mktemp("corpus"))


@pytest.mark.filterwarnings("ignore")  # the readers leave closing their files to the collector
@pytest.mark.parametrize("name", NAMES)
def test_records(name, place):
    assert surprises(name, place) == {}


def test_what_is_left_is_known_and_has_a_reason():
    known = wanted()
    for name, reasons in left().items():
        assert set(reasons) <= known[name], name
        assert all(reasons.values()), LEFT.name
    assert sum(map(len, known.values())) - sum(map(len, left().values())) >= 1_950
