"""The engines that suites of questions are asked of: each is handed the tables once, and then question after question.

`memory.py` has them over Arrow tables, `parquet.py` over a folder of Parquet files. Whoever needs tables of its own makes them when it
is entered, which no figure counts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from benchmarks.agreement import ANY_ORDER, Order
from benchmarks.options import Options
from benchmarks.runner import Case, measure
from benchmarks.summary import summary


@dataclass(frozen=True)
class Question:
    """A question in the languages in which it is asked.

    Args:
        name: that is shown.
        sql: in SQL.
        polars: a function from tables of Polars, as attributes, to a `LazyFrame` of theirs; without one it is asked in SQL.
        pandas: a function from tables of pandas, as attributes, to a `DataFrame` of theirs.
        order: what the question says about the order of the answer's rows.
    """

    name: str
    sql: str
    polars: Callable[[Any], Any] | None = None
    pandas: Callable[[Any], Any] | None = None
    order: Order = ANY_ORDER


def polars_query(question: Question, tables: SimpleNamespace) -> Any:
    """The question as a `LazyFrame` of Polars over such frames."""
    import polars as pl

    if question.polars is not None:
        return question.polars(tables)
    return pl.SQLContext(vars(tables)).execute(question.sql)


Asked = Callable[[Question], "Callable[[], Any] | None"]
"""From a question to what runs it; None where the engine does not know its language."""

Engine = Callable[[Any], AbstractContextManager[Asked]]
"""From the tables to a block in which questions are asked."""


def ask(
    engines: Mapping[str, Engine],
    tables: Any,
    questions: Sequence[Question],
    *,
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Case]:
    """Ask each question of all engines: a case each, in the order of the questions."""
    with ExitStack() as stack:
        asked = {name: stack.enter_context(engine(tables)) for name, engine in engines.items()}
        for question in questions:
            runs = {name: run for name, engine in asked.items() if (run := engine(question)) is not None}
            yield measure(question.name, runs, rounds=rounds, order=question.order, clock=clock)


def suite(
    title: str,
    engines: Mapping[str, Engine],
    tables: Any,
    questions: Sequence[Question],
    options: Options,
    usual: Sequence[str],
) -> Iterator[Case]:
    """The questions that are asked for, a case each, and what all of them come to.

    Args:
        title: what they are together.
        engines: ours first.
        tables: what the engines are handed.
        questions: all there are.
        options: which of them, who is asked, and how often.
        usual: the peers that are asked where the options name none.
    """
    wanted = [question for question in questions if re.search(options.only, question.name)]
    if not wanted:
        return
    cases = []
    asked = chosen(engines, options.peers, usual)
    for case in ask(asked, tables, wanted, rounds=options.rounds or 3, clock=options.clock):
        cases.append(case)
        yield case
    if len(cases) > 1:
        yield from summary(title if wanted == list(questions) else f"{len(wanted)} of {title}", cases)


def chosen(engines: Mapping[str, Engine], names: Sequence[str] | None, usual: Sequence[str]) -> dict[str, Engine]:
    """Ours and the peers of those names, or the usual ones where None.

    Raises:
        ValueError: where there is no engine of a name.
    """
    ours, *peers = engines
    for name in names or ():
        if name not in peers:
            raise ValueError(f"no peer named {name!r}; there are {', '.join(peers)}")
    wanted = usual if names is None else names
    return {name: engine for name, engine in engines.items() if name == ours or name in wanted}
