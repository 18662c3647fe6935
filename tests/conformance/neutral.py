"""The records of sqllogictest files to which their author and two engines give one answer, and those that we leave."""

from __future__ import annotations

import collections
import os
import shutil
from pathlib import Path

import pytest

from tests.conformance.corpora import FOLDER, answer, reader

slt = reader("slt")
pytest.importorskip("datafusion", reason="datafusion makes the tables of these records")

CORPUS = FOLDER / "datafusion"
TESTS = Path("datafusion") / "sqllogictest"
LEFT = Path(__file__).with_name("neutral_left.txt")


def wanted():
    """The lines of the records, by file."""
    lines = collections.defaultdict(set)
    for row in (CORPUS / "neutral.tsv").read_text(encoding="utf8").splitlines()[1:]:
        name, line = row.split("\t")
        lines[name].add(int(line))
    return lines


def left():
    """The records that we refuse or answer otherwise, and why: `file:line: reason`."""
    reasons = collections.defaultdict(dict)
    for row in LEFT.read_text(encoding="utf8").splitlines():
        if row and not row.startswith("#"):
            name, line, reason = row.split(":", 2)
            reasons[name][int(line)] = reason.strip()
    return reasons


def workplace(folder):
    """A copy of the corpus to run in: some records write beside the files."""
    shutil.copytree(CORPUS, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    place = Path(folder) / TESTS
    (place / "test_files" / "scratch").mkdir(parents=True, exist_ok=True)
    return place


def failures(name, lines, place):
    """What went wrong with which of the records of a file."""
    here = Path.cwd()
    os.chdir(place)
    try:
        outcomes = slt.run_file(name, slt.hybrid(answer, slt.datafusion_connect))
    finally:
        os.chdir(here)
    found = {line: (ok, message) for line, kind, ok, message in outcomes if kind == "query" and line in lines}
    failed = {line: message for line, (ok, message) in found.items() if ok is not True}
    return failed | dict.fromkeys(lines - set(found), "not reached")


def surprises(name, place):
    """The records of a file that fail and are not left, and those that are left and right now."""
    reasons = left()[name]
    failed = failures(name, wanted()[name], place)
    unexpected = {f"{name}:{line}": message for line, message in failed.items() if line not in reasons}
    return unexpected | {f"{name}:{line}": "right now" for line in reasons if line not in failed}
