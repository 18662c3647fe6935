"""What lineage and `why()` promise of what SQL can say besides joins and groups."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import lazyframe as lf
from tests.lazyframe.lineage.random_plans import changed, tables_of

QUERIES = {
    "rollup": "select p_a, p_b, sum(p_c) s, grouping(p_a, p_b) g from p group by rollup (p_a, p_b) order by p_a, p_b, g",
    "grouping sets": "select p_a, p_b, count(p_c) n from p group by grouping sets ((p_a), (p_b), ())",
    "cube with having": "select p_a, p_b, max(p_c) m from p group by cube (p_a, p_b) having max(p_c) > 2",
    "qualify": "select p_k, p_a from p qualify row_number() over (partition by p_a order by p_b, p_k) = 1",
    "distinct on": "select distinct on (p_a) p_a, p_b from p order by p_a, p_c, p_b",
    "lateral": "select p_k, l.m from p, lateral (select max(q_c) m from q where q_a = p_a and q_b > p_b) l",
    "a correlated count": "select p_k, (select count(*) from q where q_k = p_k and q_a > 1) n from p",
    "in and not in": "select p_k from p where p_a in (select q_a from q where q_b > 2) and p_c not in (select r_c from r where r_c is not null and r_d > 3)",
    "not exists": "select p_k, p_b from p where not exists (select 1 from q where q_k = p_k and q_d < p_d)",
    "any and all": "select p_k from p where p_a > any (select q_a from q where q_b > 1 and q_a > 1) and p_b >= all (select r_b from r where r_a = 2 and r_b < 3)",
    "union all": "select p_k x, p_a y from p union all select q_c, q_d from q where q_a > 2",
    "union": "select p_a x from p union select q_b from q",
    "except all": "select p_a x from p except all select q_b from q where q_c > 1",
    "intersect": "select p_a x, p_b y from p intersect select q_a, q_b from q",
    "with": "with t as (select p_a, sum(p_b) s from p group by p_a), u as (select q_a, min(q_c) m from q group by q_a) "
            "select t.p_a, s, m from t left join u on t.p_a = u.q_a where s > 3",
    "a recursion": "with recursive w(x, n) as (select p_a, 0 from p union select w.x + q_b, n + 1 from w join q on q_a = w.x where n < 2) select x, n from w",
    "windows": "select p_k, sum(p_c) over (partition by p_a order by p_b rows between 1 preceding and current row) s, "
               "lag(p_d) over (order by p_k, p_b) l, avg(p_c) filter (where p_d > 2) over (partition by p_b) v from p",
    "a filtered aggregate": "select p_a, sum(p_b) filter (where p_c > 2) s, count(*) n from p group by p_a",
    "ordered aggregates": "select p_a, string_agg(cast(p_b as varchar), ',' order by p_c, p_d, p_b) t, first(p_k order by p_d, p_k) f from p group by p_a",
    "case": "select case when p_a > 2 then p_b when p_c is null then p_d end x, coalesce(p_a, p_k) y from p",
    "full join": "select p_b, q_b from p full join q on p_k = q_k and p_a = q_a",
    "using": "select k, x, y from (select p_k k, p_a x from p) join (select q_k k, q_b y from q) using (k) order by y, x, k limit 7",
    "a self join": "select one.p_a, other.p_b from p one join p other on one.p_k = other.p_c where one.p_d > 1",
    "unnest": "select p_k, u from p, unnest([p_a, p_b]) as t(u) where u > 1",
    "values": "select p_k, v from p join (values (1, 'a'), (2, 'b')) as t(n, v) on n = p_a",
    "offset": "select p_k, p_b from p order by p_b desc nulls last, p_k limit 5 offset 3",
    "pivot": "pivot (select p_a, p_b, p_c from p) on p_b in (1, 2) using sum(p_c) group by p_a",
    "unpivot": "select * from (select p_k, p_a, p_b from p) unpivot (v for n in (p_a, p_b))",
    "struct": "select s.x z from (select {'x': p_a, 'y': p_b} s, p_c from p) where s.y > 1",
    "a total of others": "select p_k, (select avg(q_a) from q where q_b > (select min(r_a) from r)) v from p",
}  # fmt: skip
REFUSED = {"a recursion"}
# What is not there decides about these: rows that would keep others out, or be counted.
OF_ABSENCE = {"in and not in", "not exists", "any and all", "except all", "full join", "offset", "cube with having"}


def over(name: str, tables: dict[str, pa.Table]) -> tuple[lf.LazyFrame, dict[str, lf.LazyFrame]]:
    frames = {table: lf.from_arrow(data).lazy() for table, data in tables.items()}
    return lf.sql(QUERIES[name], **frames), frames


@pytest.mark.parametrize("name", QUERIES)
def test_what_is_not_in_the_lineage_changes_nothing(name):
    rng = random.Random(name)
    tables = tables_of(rng)
    query, _ = over(name, tables)
    before = query.to_arrow()
    assert before.num_rows
    found = query.lineage()
    for column in query.columns:
        inside = {origin.column for origin in found[column].origins()}
        for _ in range(3):
            other = {table: changed(rng, data, set(data.column_names) - inside) for table, data in tables.items()}
            assert over(name, other)[0].to_arrow().column(column).equals(before.column(column)), column


@pytest.mark.parametrize("name", QUERIES)
def test_what_is_in_the_lineage_can_change_the_result(name):
    rng = random.Random(name)
    tables = tables_of(rng)
    query, _ = over(name, tables)
    before = query.to_arrow()
    names = {column for data in tables.values() for column in data.column_names}
    for inside in sorted(names & {origin.column for column in query.lineage().values() for origin in column.origins()}):
        others = (
            {table: changed(rng, data, {inside} & set(data.column_names)) for table, data in tables.items()}
            for _ in range(12)
        )
        assert any(not over(name, other)[0].to_arrow().equals(before) for other in others), inside


@pytest.mark.parametrize("name", QUERIES)
def test_the_rows_suffice(name):
    rng = random.Random(name)
    tables = tables_of(rng, 20)
    query, frames = over(name, tables)
    if name in REFUSED:
        with pytest.raises(lf.errors.UnsupportedError, match="recursive"):
            query.why(0)
        return
    rows = query.to_dicts()
    assert rows
    for number in rng.sample(range(len(rows)), min(4, len(rows))):
        numbers = query.why(number, **frames).numbers
        fewer = {table: data.take(pa.array(numbers.get(table, []), pa.int64())) for table, data in tables.items()}
        if name not in OF_ABSENCE:
            assert rows[number] in over(name, fewer)[0].to_dicts(), (rows[number], numbers)
