"""What is derived of plans holds for their rows."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.errors import LazyFrameError
from lazyframe.frame import LazyFrame
from lazyframe.planner.properties import has_at_most_one_row, rejects, unique_keys
from lazyframe.planner.properties.conditions import conditions
from lazyframe.planner.relations import Filter, Plan
from lazyframe.planner.relations.filter import filtered
from tests.planner.rules.harness import TABLES, frame

absent = frame(
    "absent",
    {
        "n": pa.nulls(9, pa.int64()),
        "s": pa.nulls(9, pa.string()),
        "p": pa.nulls(9, pa.bool_()),
        "b": pa.array([None, 0, 1] * 3),
        "q": pa.array([None] * 3 + [True] * 3 + [False] * 3),
    },
)
PARTS = [
    "n = 1", "n <> 1", "n is null", "n is not null", "n + b > 0", "s like 'x%'", "coalesce(n, 1) = 1", "coalesce(n, b) = 1",
    "n in (1, 2)", "n not in (1, null)", "n is distinct from 1", "n is not distinct from b", "n is not distinct from null",
    "p", "not p", "q", "b = 1", "case when n > 0 then true else q end", "case when n > 0 then true end", "greatest(n, b) = 1",
    "length(s) = 0", "cast(n as varchar) = '1'", "n between b and 2", "case when n is null then false else true end", "xor(p, q)",
]  # fmt: skip


def predicate(text: str) -> Filter:
    plan: Plan = lf.sql(f"select * from absent where {text}", absent=absent)._plan
    while not isinstance(plan, Filter):
        (plan,) = plan.children()
    return plan


def no_row_passes(text: str) -> bool:
    found = predicate(text)
    return LazyFrame(found).collect().to_arrow().num_rows == 0


COMBINED = [
    *PARTS,
    *[f"not ({part})" for part in PARTS],
    *[f"({a}) {how} ({b})" for how in ("and", "or") for a, b in product(PARTS, ["q", "n > 0", "b = 1", "n is null"])],
]


def usable(text: str) -> bool:
    try:
        predicate(text)
    except LazyFrameError:
        return False
    return True


def test_what_rejects_nulls_is_true_of_none():
    """Whatever the columns that are not absent hold: `b` and `q` take all their values in the nine rows."""
    names = ("n", "s", "p")
    texts = [text for text in COMBINED if usable(text)]
    rejected = [text for text in texts if rejects(predicate(text).predicate, names)]
    assert [text for text in rejected if not no_row_passes(text)] == []
    # Nearly all that could be found are, so that the test is no empty one.
    passing = [text for text in texts if no_row_passes(text) and not text.startswith(("q", "b"))]
    assert len(rejected) > 0.7 * len(passing)


QUERIES = [
    "select c, sum(a) from t group by c",
    "select distinct c, d from t",
    "select * from (select distinct k, v from u) where v = 'y'",
    "select x, count(*) as n from floats group by x",
    "select * from (select distinct a from t) r join (select k, max(w) as m from u group by k) g on r.a = g.k",
    "select * from (select distinct a from t) r left join (select k, max(w) as m from u group by k) g on r.a = g.k",
    "select * from (select distinct a from t) r right join (select k, max(w) as m from u group by k) g on r.a = g.k",
    "select * from (select distinct a from t) r full join (select distinct k from u) g on r.a = g.k",
    "select * from (select distinct a from t) r, (select distinct k from u) g",
    "select * from (select distinct d from t) r join u on r.d = u.k",
    "select * from (select max(a) as m from t) r left join u on r.m > u.k",
    "select g, g as h, n from (select g, count(*) as n from lots group by g) order by n limit 2",
    "select a from t intersect select k from u",
    "select a from t except all select k from u",
    "select * from t limit 1",
    "select *, row_number() over (order by a) as n from (select distinct a, c from t)",
]


@pytest.mark.parametrize("query", QUERIES)
def test_keys_are_unique(query):
    plan = lf.sql(query, **TABLES)._plan
    rows = LazyFrame(plan).collect().to_arrow().to_pylist()
    for key in unique_keys(plan):
        # As groups are: NaN is NaN, and -0.0 is 0.0.
        values = [tuple("nan" if v != v else v for v in [row[name] for name in sorted(key)]) for row in rows]
        assert len(set(values)) == len(values), f"{sorted(key)} is no key of {rows}"
    if has_at_most_one_row(plan):
        assert len(rows) <= 1


@pytest.mark.parametrize("kind", ["inner", "left", "right", "full", "semi", "anti"])
def test_conditions_hold(kind):
    t, u = TABLES["t"].filter(lf.col("a") > 1), TABLES["u"].filter(lf.col("k") < 6)
    plan = t.join(
        u, left_on="a", right_on="k", how=kind, **({} if kind in ("semi", "anti") else {"coalesce": False})
    )._plan
    found = conditions(plan)
    assert bool(found) == (kind != "full")
    rows = LazyFrame(plan).collect().to_arrow().num_rows
    assert LazyFrame(filtered(plan, found.values())).collect().to_arrow().num_rows == rows
