from __future__ import annotations

import json

import pytest

from lazyframe.executors.sources.csv import CsvSource
from tests.executors.sources.conformance import corpus
from tests.executors.sources.scan import rows

FOLDER = corpus("csv-spectrum")
NAMES = sorted(path.stem for path in (FOLDER / "csvs").glob("*.csv"))


def test_the_corpus_is_whole():
    assert len(NAMES) == 11


@pytest.mark.parametrize("name", NAMES)
def test_every_file_means_what_its_json_says(name):
    expected = json.loads((FOLDER / "json" / f"{name}.json").read_text())
    path = FOLDER / "csvs" / f"{name}.csv"
    if name.endswith("_crlf") and b"\r" not in path.read_bytes():
        # A checkout may have changed the line ends that these files are about: put them back.
        path = path.read_bytes().replace(b"\n", b"\r\n")
    names = CsvSource(path).schema.names
    # The corpus knows no types, and takes an empty value for an empty string.
    assert rows(CsvSource(path, schema=dict.fromkeys(names, "string"), null_values=())) == expected
