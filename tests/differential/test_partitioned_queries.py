"""Laws between queries, which need no other engine to be checked.

* A condition is true, false or null: the rows for which it is true, those for which its negation is and those for which it is
  null are together all rows (M. Rigger and Z. Su, "Finding bugs in database systems via query partitioning", OOPSLA 2020).
  So are the groups, the distinct rows and the pairs of a join; and counts, sums, least and greatest values of the three parts
  are those of the whole.
* A filter that is optimised keeps as many rows as a plan that is not counts (the same, "Detecting optimization bugs in
  database engines via non-optimizing reference engine construction", ESEC/FSE 2020).

`LAZYFRAME_FUZZ_EXAMPLES=5000` looks longer and elsewhere than the fixed seeds of the test suite.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe import session
from tests.differential.comparing import identical, rows, same_rows
from tests.differential.expressions import values
from tests.differential.queries import Query, queries, steps
from tests.differential.rule_queries import RuleQueryWriter
from tests.differential.sql_queries import tables
from tests.differential.tables import tables as random_tables
from tests.differential.test_random_queries import FUZZ, outcome, scanned
from tests.differential.test_rules_off import Tables, eager, held

EXAMPLES = int(os.environ.get("LAZYFRAME_FUZZ_EXAMPLES", "0"))
FIRST = Random().randrange(10**9) if EXAMPLES else 1
BATCH = 20

Law = tuple[str, str]
"""Two queries of the same rows."""


def partitions(condition: str) -> tuple[str, str, str]:
    return f"({condition})", f"not ({condition})", f"({condition}) is null"


def union(select: str, condition: str, word: str = "union all") -> str:
    """A SELECT that ends in a place for conditions, of the three parts."""
    return f" {word} ".join([f"({select} {part})" for part in partitions(condition)])


def of_rows(writer: RuleQueryWriter) -> Law:
    text, columns = writer.chain()
    listed = writer.listed(writer.some(columns))
    condition = writer.condition([columns])
    return f"select {listed} from {text}", union(f"select {listed} from {text} where", condition)


def of_distinct_rows(writer: RuleQueryWriter) -> Law:
    text, columns = writer.chain()
    listed = writer.listed(writer.some(columns, 2))
    condition = writer.condition([columns])
    return (
        f"select distinct {listed} from {text}",
        union(f"select distinct {listed} from {text} where", condition, "union"),
    )


def of_groups(writer: RuleQueryWriter) -> Law:
    text, columns = writer.chain()
    keys = writer.some(columns, 2) if writer.chance(0.7) else []
    value, kind = writer.pick(*columns)
    summed = value if kind in ("int", "float", "dec") else "0"
    listed = [f"{key} as k{number}" for number, key in enumerate(keys)]
    listed += [
        f"count({value}) as c",
        "count(*) as n",
        f"sum({summed}) as s",
        f"min({value}) as l",
        f"max({value}) as m",
    ]
    names = [f"k{number}" for number in range(len(keys))]
    by = f" group by {', '.join(keys)}" if keys else ""
    condition = writer.condition([columns])
    parts = " union all ".join(
        [f"select {', '.join(listed)} from {text} where {part}{by}" for part in partitions(condition)]
    )
    again = ", ".join([*names, "sum(c) as c", "sum(n) as n", "sum(s) as s", "min(l) as l", "max(m) as m"])
    by_names = f" group by {', '.join(names)}" if names else ""
    return f"select {', '.join(listed)} from {text}{by}", f"select {again} from ({parts}) p{by_names}"


def of_groups_chosen(writer: RuleQueryWriter) -> Law:
    text, columns = writer.chain()
    keys = [each for each in columns if each[0] in writer.some(columns, 2)]
    names = ", ".join([key for key, _ in keys])
    listed = writer.listed([*[key for key, _ in keys], "count(*)"])
    condition = writer.condition([keys], 1, queries=False)
    if writer.chance(0.5):
        condition += f" {writer.pick('and', 'or')} {writer.aggregate('int', [columns])} > 1"
    query = f"select {listed} from {text} group by {names}"
    return query, union(f"{query} having", condition)


def of_pairs(writer: RuleQueryWriter) -> Law:
    one, left = writer.table()
    two, right = writer.table()
    listed = writer.listed([*writer.some(left), *writer.some(right)])
    condition = writer.condition([[*left, *right]], 2, queries=False)
    if writer.chance(0.5):
        condition = f"{writer.pick(*left)[0]} is not null and {condition}"
    return f"select {listed} from {one} cross join {two}", union(f"select {listed} from {one} join {two} on", condition)


def of_windows(writer: RuleQueryWriter) -> Law:
    """Filters over window functions."""
    text, columns = writer.table()
    known = [(name.split(".")[1], kind) for name, kind in columns]
    window = writer.window("int", columns)
    query = f"select * from (select *, {window} as n from {text}) g"
    condition = writer.condition([[*known, ("n", "int")]], 1, queries=False)
    return query, union(f"{query} where", condition)


LAWS: dict[str, Callable[[RuleQueryWriter], Law]] = {
    "rows": of_rows, "distinct rows": of_distinct_rows, "groups": of_groups, "groups chosen": of_groups_chosen,
    "pairs": of_pairs, "windows": of_windows,
}  # fmt: skip


def run(query: str, given: Tables, *, optimize: bool = True) -> pa.Table | None:
    """The rows; None where the query fails."""
    try:
        return session.execute(lf.sql(query, **given)._plan, optimize=optimize)
    except lf.errors.LazyFrameError:
        return None


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("batch", range(max(EXAMPLES, 20) // BATCH))
def test_true_false_and_null_are_all_rows(batch: int, law: str) -> None:
    with held(tables(FIRST + batch), Random(batch)) as given_tables, eager() if batch % 2 else nullcontext():
        for seed in range(FIRST + batch * BATCH, FIRST + (batch + 1) * BATCH):
            whole, parts = LAWS[law](RuleQueryWriter(seed))
            found, again = run(whole, given_tables), run(parts, given_tables)
            if found is not None and again is not None:
                shown = f"seed {seed}, tables {FIRST + batch}\n{whole}\n{parts}\n{rows(found)}\n{rows(again)}"
                assert same_rows(rows(found), rows(again), ordered=False), shown


@pytest.mark.parametrize("batch", range(max(EXAMPLES, 60) // BATCH))
def test_a_filter_keeps_as_many_rows_as_are_counted(batch: int) -> None:
    with held(tables(FIRST + batch), Random(batch)) as given_tables, eager() if batch % 2 else nullcontext():
        for seed in range(FIRST + batch * BATCH, FIRST + (batch + 1) * BATCH):
            writer = RuleQueryWriter(seed)
            text, columns = writer.chain()
            condition = writer.condition([columns])
            kept = run(f"select 1 from {text} where {condition}", given_tables)
            counted = run(
                f"select count(*) as n from (select case when {condition} then 1 end as c from {text}) g where c = 1",
                given_tables, optimize=False,
            )  # fmt: skip
            if kept is not None and counted is not None:
                assert kept.num_rows == counted["n"][0].as_py(), (
                    f"seed {seed}, tables {FIRST + batch}: {condition} of {text}"
                )


@settings(FUZZ, max_examples=EXAMPLES or 40)
@given(data=st.data())
def test_verbs(data: st.DataObject) -> None:
    """The same of random verbs: parts, counts, and what a filter keeps stands in the order it had."""
    one, two = data.draw(random_tables(), label="one"), data.draw(random_tables(), label="two")
    with (
        tempfile.TemporaryDirectory() as folder,
        scanned(one, "one", Path(folder)) as first,
        scanned(two, "two", Path(folder)) as second,
    ):
        query = data.draw(queries(Query(first, None, None), Query(second, None, None), longest=4), label="query")
        frame = query.ours
        assume(frame.columns and "flag" not in frame.columns)
        p = data.draw(values(frame.schema, "bool", 3), label="condition").ours
        note(f"query\n{steps(query)}\ncondition {p!r}")
        marked = outcome(frame.with_columns(flag=p)._plan, 1, optimize=False)
        assume(isinstance(marked, pa.Table))
        assert isinstance(marked, pa.Table)
        flags = marked["flag"].to_pylist()
        for wanted, part in ((True, p), (False, ~p), (None, p.is_null())):
            found = outcome(frame.filter(part)._plan, 2)
            assert isinstance(found, pa.Table), found
            chosen = pa.array([n for n, flag in enumerate(flags) if flag is wanted], pa.int64())
            expected = marked.take(chosen).drop_columns(["flag"])
            assert identical(found, expected.cast(found.schema)), f"{part!r}: {rows(found)}\n{rows(expected)}"
