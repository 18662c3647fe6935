"""Recursions, round by round."""

from __future__ import annotations

import threading
from decimal import Decimal

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.frame import LazyFrame, concat
from lazyframe.planner.build.recursion import recursion
from lazyframe.planner.errors import InvalidArgumentError, QueryCancelledError, TypeMismatchError
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Recursion, RecursionInput, Shared
from lazyframe.planner.relations.recursion import fixed_inputs, recursion_names
from lazyframe.planner.relations.values import ONE_ROW
from lazyframe.planner.schema import Field
from lazyframe.planner.types import DATE, FLOAT64, INT64

NAN = float("nan")
ONE = LazyFrame(ONE_ROW)


def recursive(base, step, *, distinct=False, name="t"):
    """A frame of `base` and of what `step` makes of a frame of the last round."""
    return LazyFrame(recursion(base._plan, lambda rows: step(LazyFrame(rows))._plan, name, distinct=distinct))


def count_to(last):
    return recursive(ONE.select(n=lf.lit(1)), lambda t: t.filter(col("n") < last).select(m=col("n") + 1))


EDGES = lf.from_dict({"a": [1, 1, 2, 3, 4, 5], "b": [2, 3, 4, 4, 1, 6]}).lazy()


def steps_along(edges, *, distinct, starting=1):
    return recursive(
        ONE.select(at=lf.lit(starting)),
        lambda t: t.join(edges, left_on="at", right_on="a").select(at="b"),
        distinct=distinct,
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_counting(threads):
    with lf.config(threads=threads):
        assert count_to(5).to_dict() == {"n": [1, 2, 3, 4, 5]}
        assert count_to(1).to_dict() == {"n": [1]}
        assert count_to(2000).select(col("n").sum()).to_dict() == {"n": [2_001_000]}


def test_factorials():
    query = recursive(
        ONE.select(n=lf.lit(0), f=lf.lit(1)),
        lambda t: t.filter(col("n") < 10).select(col("n") + 1, f=col("f") * (col("n") + 1)),
    )
    assert query.tail(1).to_dict() == {"n": [10], "f": [3628800]}


def test_fibonacci():
    query = recursive(
        ONE.select(a=lf.lit(0), b=lf.lit(1)), lambda t: t.filter(col("b") < 50).select(a="b", b=col("a") + col("b"))
    )
    assert query.to_dict()["a"] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]


def test_a_base_without_rows_has_no_rounds():
    assert recursive(ONE.select(n=lf.lit(1)).head(0), lambda t: t).to_dicts() == []


def test_rows_reachable_in_a_graph_with_a_cycle():
    # 1 -> 2, 3; both -> 4; 4 -> 1. Round by round: 1, then 2 and 3, then 4.
    assert steps_along(EDGES, distinct=True).to_dict() == {"at": [1, 2, 3, 4]}
    assert steps_along(EDGES, distinct=True, starting=5).to_dict() == {"at": [5, 6]}
    # Without it, both ways to 4 count, and the walk goes round and round.
    assert steps_along(EDGES, distinct=False).head(9).to_dict() == {"at": [1, 2, 3, 4, 4, 1, 1, 2, 3]}


def test_the_edges_may_stand_on_either_side():
    query = recursive(
        ONE.select(at=lf.lit(1)), lambda t: EDGES.join(t, left_on="a", right_on="at").select(at="b"), distinct=True
    )
    assert sorted(query.to_dict()["at"]) == [1, 2, 3, 4]


def test_a_tree_with_paths():
    staff = lf.from_dict(
        {"id": [1, 2, 3, 4, 5], "boss": [None, 1, 1, 2, 4], "name": ["ann", "bob", "cem", "dan", "eve"]}
    ).lazy()
    query = recursive(
        staff.filter(col("boss").is_null()).select("id", "name", depth=lf.lit(0)),
        lambda t: staff.join(t.rename({"id": "above", "name": "path"}), left_on="boss", right_on="above").select(
            "id", name=col("path") + "/" + col("name"), depth=col("depth") + 1
        ),
    )
    assert query.sort("id").to_dict() == {
        "id": [1, 2, 3, 4, 5],
        "name": ["ann", "ann/bob", "ann/cem", "ann/bob/dan", "ann/bob/dan/eve"],
        "depth": [0, 1, 1, 2, 3],
    }


def test_distinct_rows_are_those_that_the_engine_holds_for_equal():
    turn = pa.table({"x": pa.array([0.0, -0.0, NAN, None]), "y": pa.array([-0.0, NAN, None, 0.0])})
    query = recursive(
        ONE.select(x=lf.lit(0.0)),
        lambda t: t.join(
            lf.from_arrow(turn).lazy().rename({"x": "k"}), left_on="x", right_on="k", nulls_equal=True
        ).select(x="y"),
        distinct=True,
    )
    # 0.0 and -0.0 are one row, and so are all NaN and all nulls.
    assert [repr(value) for value in query.to_dict()["x"]] == ["0.0", "nan", "None"]


def test_distinct_leaves_out_duplicates_of_the_base_and_within_a_round():
    base = lf.from_dict({"n": [1, 1, 2]}).lazy()
    query = recursive(base, lambda t: concat([t, t.select(n=(col("n") * 2) % 8)]), distinct=True)
    # 1, 2 -> 4 (2 is known) -> 0 (8 % 8) -> nothing new.
    assert query.to_dict() == {"n": [1, 2, 4, 0]}


def test_distinct_over_thousands_of_rows():
    query = recursive(
        ONE.select(n=lf.lit(0)), lambda t: concat([t.select(n=(col("n") * 3 + 1) % 3001), t.select(n=(col("n") + 7) % 3001)]),
        distinct=True,
    )  # fmt: skip
    assert query.sort("n").to_dict() == {"n": list(range(3001))}


def test_distinct_of_several_columns_of_all_layouts():
    base = pa.table(
        {"s": pa.array(["a", "b"]).dictionary_encode(), "d": pa.array([Decimal(1), Decimal(2)], pa.decimal128(10, 2))}
    )
    query = recursive(
        lf.from_arrow(base).lazy(),
        lambda t: t.select(s=lf.lit("a"), d=(col("d") % 2).cast("decimal(10,2)")),
        distinct=True,
    )
    assert [(row["s"], int(row["d"])) for row in query.to_dicts()] == [("a", 1), ("b", 2), ("a", 0)]


def test_several_references_in_a_step():
    # All pairs of the last round: [1, 2] gives 2, 3, 3, 4.
    def step(t):
        return t.join(t.rename({"n": "k"}), how="cross").filter(col("n") < 3).select(n=col("n") + col("k"))

    query = recursive(lf.from_dict({"n": [1, 2]}).lazy(), step)
    assert query.to_dict() == {"n": [1, 2, 2, 3, 3, 4, 4, 5, 5, 6]}
    union = recursive(ONE.select(n=lf.lit(1)), lambda t: concat([t, t.select(n=col("n") + 10)]).filter(col("n") < 20))
    assert union.head(5).to_dict() == {"n": [1, 1, 11, 1, 11]}


def test_aggregates_sorts_and_anti_joins_in_a_step():
    total = recursive(lf.from_dict({"n": [1, 2, 3]}).lazy(), lambda t: t.select(col("n").sum()).filter(col("n") < 20))
    # The sum of [1, 2, 3] is 6, and the sum of one row is that row: it goes on for ever.
    assert total.head(6).to_dict() == {"n": [1, 2, 3, 6, 6, 6]}
    least = recursive(
        lf.from_dict({"n": [3, 1, 2]}).lazy(),
        lambda t: t.sort("n").head(2).select(n=col("n") * 2).filter(col("n") < 10),
    )
    assert least.to_dict() == {"n": [3, 1, 2, 2, 4, 4, 8, 8]}
    stops = lf.from_dict({"n": [4]}).lazy()
    query = recursive(ONE.select(n=lf.lit(1)), lambda t: t.select(n=col("n") + 1).join(stops, on="n", how="anti"))
    assert query.to_dict() == {"n": [1, 2, 3]}


@pytest.mark.parametrize("how", ["left", "right", "full", "semi"])
def test_joins_of_all_kinds_in_a_step(how):
    edges = lf.from_dict({"n": [1, 2], "m": [2, 3]}).lazy()

    def step(t):
        joined = t.filter(col("n").is_not_null()).join(edges, on="n", how=how)
        return joined.select(n=col("m") if how != "semi" else col("n") + 1)

    query = recursive(ONE.select(n=lf.lit(1)), step)
    wanted = {
        # 1 -> 2 -> 3 -> no partner, null.
        "left": [1, 2, 3, None],
        # All edges in each round.
        "right": [1, 2, 3, 2, 3],
        # 1 meets its edge; the edge of 2 is alone; and so on, every round with both.
        "full": [1, 2, 3],
        "semi": [1, 2, 3],
    }[how]
    assert query.head(len(wanted)).to_dict() == {"n": wanted}


def test_what_no_round_changes_is_computed_once():
    calls = []

    def counted(table):
        calls.append(table.num_rows)
        return table

    edges = EDGES.map_batches(counted, schema={"a": "int64", "b": "int64"})
    assert steps_along(edges, distinct=True).count() == 4
    assert calls == [6]
    plan = optimize(steps_along(EDGES.filter(col("a") > 0), distinct=True)._plan, check=True)
    (fixed,) = fixed_inputs(plan)
    assert repr(fixed).startswith("Scan")


def test_random_numbers_are_drawn_in_each_round_unless_shared():
    def step(noise):
        return lambda t: t.filter(col("n") < 4).join(noise, how="cross").select(n=col("n") + 1, r="x")

    base = ONE.select(n=lf.lit(1), r=lf.lit(0.0))
    noise = ONE.select(x=lf.random())
    drawn = recursive(base, step(noise)).to_dict()["r"][1:]
    assert len(set(drawn)) == 3
    kept = recursive(base, step(LazyFrame(Shared(noise._plan)))).to_dict()["r"][1:]
    assert len(set(kept)) == 1


def test_recursions_within_recursions():
    # Each round counts from its row up to 3: 1 -> 1, 2, 3, of which 2 and 3 count up again.
    def up(t):
        return recursive(t, lambda u: u.filter(col("n") < 3).select(n=col("n") + 1), name="u")

    query = recursive(ONE.select(n=lf.lit(1)), lambda t: up(t).filter(col("n") > 1), name="t", distinct=True)
    assert query.to_dict() == {"n": [1, 2, 3]}
    # The inner one reads rows of both, and a table that neither changes.
    table = lf.from_dict({"k": [1, 2, 3], "v": [10, 20, 30]}).lazy()

    def inner(t):
        return recursive(
            t.select("n"),
            lambda u: u.join(table, left_on="n", right_on="k").join(t.rename({"n": "o"}), how="cross").select(n=col("v") + col("o")),
            name="u",
        )  # fmt: skip

    both = recursive(ONE.select(n=lf.lit(1)), lambda t: inner(t).filter(col("n") != 1), distinct=True)
    # t: 1; u over it: 1, then 10 + 1, which has no partner.
    assert both.to_dict() == {"n": [1, 11]}
    assert recursion_names(both._plan) == frozenset()


def test_a_recursion_read_twice_and_joined():
    numbers = count_to(3)
    assert concat([numbers, numbers.filter(col("n") > 1)]).to_dict() == {"n": [1, 2, 3, 2, 3]}
    assert numbers.join(numbers.rename({"n": "k"}), left_on="n", right_on="k").to_dict() == {"n": [1, 2, 3]}
    shared = LazyFrame(Shared(numbers._plan))
    assert concat([shared.head(1), shared.tail(1)]).to_dict() == {"n": [1, 3]}


def test_filters_and_limits_stay_above():
    # The filter would stop the recursion at its first row.
    assert count_to(5).filter(col("n") == 4).to_dict() == {"n": [4]}
    plan = optimize(count_to(5).filter(col("n") == 4)._plan, check=True)
    assert repr(plan).startswith("Filter n == 4\n  Recursion t")
    assert count_to(5).select(k=col("n") * 2).filter(col("k") > 7).to_dict() == {"k": [8, 10]}
    assert count_to(5).sort("n", descending=True).head(2).to_dict() == {"n": [5, 4]}


def test_columns_that_only_the_step_needs_stay():
    query = recursive(
        ONE.select(n=lf.lit(1), stop=lf.lit(3)),
        lambda t: t.filter(col("n") < col("stop")).select(n=col("n") + 1, stop="stop"),
    )
    assert query.select("n").to_dict() == {"n": [1, 2, 3]}
    assert query.select(lf.len()).to_dict() == {"len": [3]}


def test_types_become_wide_enough_for_both_parts():
    query = recursive(ONE.select(n=lf.lit(1)), lambda t: t.filter(col("n") < 2).select(n=col("n") + 0.5))
    assert list(query.schema) == [Field("n", FLOAT64, True)]
    assert query.to_dict() == {"n": [1.0, 1.5, 2.0]}
    nothing = recursive(ONE.select(n=lf.lit(None)), lambda t: t.filter(col("n").is_null()).select(n=lf.lit(5)))
    assert list(nothing.schema) == [Field("n", INT64, True)]
    assert nothing.to_dict() == {"n": [None, 5]}


def test_every_column_may_be_null():
    query = recursive(ONE.select(n=lf.lit(1)), lambda t: t.filter(col("n") == 1).select(n=lf.lit(None).cast("int64")))
    assert query.to_arrow().schema.field("n").nullable
    assert query.to_dict() == {"n": [1, None]}


def test_parts_that_do_not_match_are_refused():
    with pytest.raises(InvalidArgumentError, match="the recursive part of 't' has 2 columns, its first part 1"):
        recursive(ONE.select(n=lf.lit(1)), lambda t: t.select("n", m="n"))
    with pytest.raises(TypeMismatchError, match="column 'n' is int64 in the first part and date in the recursive one"):
        recursive(ONE.select(n=lf.lit(1)), lambda t: t.select(n=lf.lit(None).cast(DATE)))
    with pytest.raises(TypeMismatchError, match="the type of column 'n' of 't' becomes wider with each round"):
        recursive(
            ONE.select(n=lf.lit(1).cast("decimal(5,1)")),
            lambda t: t.select(n=col("n") * lf.lit(1).cast("decimal(2,1)")),
        )


@pytest.mark.parametrize("threads", [1, 2])
def test_a_recursion_without_end_has_a_limit(threads):
    endless = recursive(ONE.select(n=lf.lit(1)), lambda t: t.select(n=col("n") + 1))
    with lf.config(recursion_limit=50, threads=threads):
        with pytest.raises(QueryCancelledError) as caught:
            endless.to_dict()
        assert endless.head(51).tail(1).to_dict() == {"n": [51]}
        assert count_to(50).count() == 50
    assert "the recursion 't' has not come to an end after 50 rounds" in str(caught.value)
    assert "lf.config(recursion_limit=...)" in str(caught.value)


def test_a_recursion_that_grows_has_a_limit():
    doubled = recursive(ONE.select(n=lf.lit(1)), lambda t: concat([t, t]))
    with lf.config(recursion_rows=1000), pytest.raises(QueryCancelledError, match="after 1,000 rows"):
        doubled.count()
    squared = recursive(
        lf.from_dict({"n": [1, 2]}).lazy(), lambda t: t.join(t.rename({"n": "k"}), how="cross").select("n")
    )
    with lf.config(recursion_rows=1_000_000), pytest.raises(QueryCancelledError, match="after 1,000,000 rows"):
        squared.count()


def test_it_can_be_stopped():
    endless = recursive(ONE.select(n=lf.lit(1)), lambda t: t.select(n=col("n") + 1))
    with lf.config(recursion_limit=10**9):
        with lf.config(timeout=0.1), pytest.raises(QueryCancelledError, match="timeout"):
            endless.count()
        query = endless.submit()
        query.cancel()
        with pytest.raises(QueryCancelledError, match="cancelled"):
            query.result(5)


def test_batches_of_an_endless_recursion_can_be_left():
    endless = recursive(ONE.select(n=lf.lit(1)), lambda t: t.select(n=col("n") + 1))
    with endless.collect_batches() as batches:
        assert next(batches).to_pydict() == {"n": [1]}
        assert next(batches).to_pydict() == {"n": [2]}


def test_an_error_in_a_round_names_its_line():
    query = recursive(ONE.select(n=lf.lit(3)), lambda t: t.select(n=12 // (col("n") - 1)))
    # 3 -> 6 -> 2 -> 12 -> 1 -> a division by zero
    assert query.head(5).to_dict() == {"n": [3, 6, 2, 12, 1]}
    with pytest.raises(lf.errors.EvaluationError, match="test_recursion"):
        query.to_dict()


def test_explained():
    text = count_to(3).explain()
    assert "Recursion t" in text
    assert "RecursionInput t" in text
    analysed = count_to(3).explain(analyze=True)
    assert "[3 rows]" in analysed
    distinct = recursive(ONE.select(n=lf.lit(1)), lambda t: t, distinct=True)
    assert distinct.explain().startswith("Recursion t distinct")
    assert distinct.to_dict() == {"n": [1]}


def test_equal_recursions_are_one():
    assert count_to(3)._plan.digest == count_to(3)._plan.digest
    assert count_to(3)._plan.digest != count_to(4)._plan.digest
    plan = count_to(3)._plan
    assert isinstance(plan, Recursion)
    assert RecursionInput("t", (("n", INT64),)).digest != RecursionInput("u", (("n", INT64),)).digest


def test_rounds_of_many_rows_on_threads():
    base = lf.from_dict({"n": list(range(200_000))}).lazy()
    query = recursive(base, lambda t: t.filter(col("n") % 2 == 0).select(n=col("n") // 2).filter(col("n") > 0))
    wanted = 0
    rows = list(range(200_000))
    while rows:
        wanted += len(rows)
        rows = [n // 2 for n in rows if n % 2 == 0 and n // 2 > 0]
    with lf.config(threads=3):
        assert query.count() == wanted


def test_two_recursions_at_once():
    results = {}

    def run(last):
        results[last] = count_to(last).count()

    threads = [threading.Thread(target=run, args=(last,)) for last in (50, 60, 70)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {50: 50, 60: 60, 70: 70}
