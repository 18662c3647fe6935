"""The files of SQL beside this one: every record is a test, and its query runs with the optimizer and without."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lazyframe as lf
from lazyframe.planner.errors import LazyFrameError
from lazyframe.planner.optimizer import rule_names
from tests.sql.reading import Record, cells, records, rows

RECORDS = [record for path in sorted(Path(__file__).parent.glob("*.slt")) for record in records(path)]


class Replay:
    """The session of one file, after the statements that stand before a record."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sessions: dict[Path, tuple[lf.Session, int]] = {}

    def before(self, record: Record) -> lf.Session:
        session, done = self._sessions.get(record.path, (lf.Session(), 0))
        if done > record.line:
            session, done = lf.Session(), 0
        for other in RECORDS:
            if other.path == record.path and done <= other.line < record.line and other.kind == "statement":
                # One that fails is a failure of its own.
                with contextlib.suppress(LazyFrameError):
                    self.run(session, other)
        self._sessions[record.path] = (session, record.line + 1)
        return session

    def run(self, session: lf.Session, record: Record) -> lf.LazyFrame:
        sql = record.sql.replace("{dir}", str(self._folder))
        return session.sql(sql, params=record.params)


@pytest.fixture(name="replay", scope="module")
def _replay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replay]:
    return Replay(tmp_path_factory.mktemp("sql"))


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.label)
def test_record(record, replay):
    session = replay.before(record)
    if record.kind == "statement":
        with lf.config(**record.config):
            statement(record, replay, session)
        return
    expected = [cells(row) for row in record.expected]
    names = expected.pop(0) if record.names else None
    for disabled in ([], rule_names()):
        with lf.config(disable=disabled, **record.config):
            frame = replay.run(session, record)
            table = frame.to_arrow()
        assert table.schema == frame.schema.to_arrow()
        if names is not None:
            assert tuple(table.column_names) == names
        found = rows(table)
        if record.sort:
            assert sorted(found) == sorted(expected), "without the optimizer" if disabled else "optimised"
        else:
            assert found == expected, "without the optimizer" if disabled else "optimised"


def statement(record, replay, session):
    if record.error is None:
        replay.run(session, record).to_arrow()
        return
    with pytest.raises(LazyFrameError) as raised:
        replay.run(session, record).to_arrow()
    error = raised.value
    message = "\n".join(part for part in (error.message, error.hint) if part)
    assert re.search(record.error, message, re.DOTALL), message
    if record.expected:
        assert place(error) == record.expected[0]


def place(error):
    """`LINE:COLUMN UNDERLINED`, of what an error shows."""
    described = error.site.describe()
    where = re.search(r"SQL line (\d+), column (\d+)\n    (.*)\n    ( *)(\^+)$", described)
    assert where is not None, described
    line, column, source, indent, marks = where.groups()
    return f"{line}:{column} {source[len(indent) : len(indent) + len(marks)]}"
