"""The generated table has ClickBench's columns, and each question finds something in it: the same for us as for the peers."""

from __future__ import annotations

from importlib.util import find_spec

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from benchmarks.agreement import Agreement
from benchmarks.clickbench.data import COUNTER, USER, hits
from benchmarks.clickbench.questions import questions
from benchmarks.contenders.parquet import ENGINES

_ROWS = 100_000
_QUESTIONS = questions(_ROWS)
_PEERS = ("duckdb", "polars", *(("datafusion",) if find_spec("datafusion") else ()))


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory):
    return hits(tmp_path_factory.mktemp("clickbench"), _ROWS)


def test_the_table(folder):
    table = pq.read_table(folder / "hits.parquet")
    assert table.shape == (_ROWS, 105)
    assert len(set(table.column_names)) == 105
    assert table.schema.field("EventDate").type == pa.date32()
    sites = table["CounterID"].to_numpy()
    assert (sites[1:] >= sites[:-1]).all()
    of_one = table.filter(pc.field("CounterID") == COUNTER)
    assert of_one.num_rows / _ROWS == pytest.approx(0.05, rel=0.1)
    days = of_one["EventDate"].cast(pa.int32()).to_numpy()
    assert (days[1:] >= days[:-1]).all()
    assert 0 < pc.sum(pc.equal(table["UserID"], USER)).as_py() < 100


def test_43_questions():
    assert [question.name[:2] for question in _QUESTIONS] == [f"{number:02}" for number in range(43)]


@pytest.mark.parametrize("question", _QUESTIONS, ids=lambda question: question.name)
def test_a_question(folder, question):
    agreement = Agreement(question.name, question.order)
    for name, engine in ENGINES.items():
        if name == "lazyframe" or name in _PEERS:
            with engine(folder) as asked:
                answer = pa.table(asked(question)())
            assert answer.num_rows > 0
            agreement.take(name, answer)
