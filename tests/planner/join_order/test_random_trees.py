"""Random trees of joins of all kinds, put into random orders: the rows are those of the tree as it was written."""

from __future__ import annotations

import os
import random
from collections import Counter

import pyarrow as pa
import pytest

from lazyframe.executors.sources.memory import MemorySource
from lazyframe.planner.join_order import cardinality, search
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Filter, Join, Plan, Project
from lazyframe.planner.relations.project import column
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import Call, Scalar
from lazyframe.planner.schema import Schema
from lazyframe.session import execute
from tests.planner.rules.harness import alone

TREES = int(os.environ.get("LAZYFRAME_RANDOM_TREES", "150"))
KINDS = ["inner", "inner", "inner", "left", "left", "right", "semi", "anti", "mark", "cross"]


class _Trees:
    """Makes trees over tables of few rows, whose values are often equal and sometimes null."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made = 0

    def table(self) -> Plan:
        self.made += 1
        rows = self.random.choice([0, 1, 2, 3, 4, 5])
        values = lambda: pa.array([self.random.choice([None, 1, 2, 3]) for _ in range(rows)], pa.int64())  # noqa: E731
        names = [f"{letter}{self.made}" for letter in "xyz"]
        return scan(MemorySource(pa.table({name: values() for name in names}), f"t{self.made}"))

    def tree(self, tables: int) -> Plan:
        if tables == 1:
            return self.table()
        count = self.random.randint(1, tables - 1)
        left, right = self.tree(count), self.tree(tables - count)
        kind = self.random.choice(KINDS)
        plan: Plan
        if kind == "cross":
            plan = Join(left, right, kind, ordered=False)
        else:
            pairs = self.random.choice([1, 1, 1, 2, 0])
            left_keys = tuple([self.any_column(left.schema) for _ in range(pairs)])
            right_keys = tuple([self.any_column(right.schema) for _ in range(pairs)])
            both = left.schema.beside(right.schema)
            condition = self.condition(both) if not pairs or self.random.random() < 0.3 else None
            mark = ""
            if kind == "mark":
                self.made += 1
                mark = f"m{self.made}"
            plan = Join(left, right, kind, left_keys, right_keys, condition, mark=mark, ordered=False)
        if self.random.random() < 0.25:
            plan = Filter(plan, self.condition(plan.schema))
        if self.random.random() < 0.2:
            kept = [name for name in plan.schema.names if self.random.random() < 0.8] or plan.schema.names[:1]
            self.made += 1
            plan = Project(plan, tuple([(f"{name}_{self.made}", column(plan.schema, name)) for name in kept]))
        return plan

    def any_column(self, schema: Schema) -> Scalar:
        return column(schema, self.random.choice([name for name in schema.names if not name.startswith("m")] or [None]))

    def condition(self, schema: Schema) -> Scalar:
        marks = [name for name in schema.names if name.startswith("m")]
        if marks and self.random.random() < 0.5:
            mark = column(schema, self.random.choice(marks))
            return mark if self.random.random() < 0.5 else Call("not", (mark,))
        a, b = self.any_column(schema), self.any_column(schema)
        match self.random.randrange(5):
            case 0:
                return Call("is_null", (a,))
            case 1:
                return Call("or", (Call("less", (a, b)), Call("is_null", (b,))))
            case 2:
                return Call("less_equal", (a, b))
            case _:
                return Call("equal", (a, b))


def rows(plan: Plan) -> Counter[str]:
    return Counter([repr(row) for row in execute(plan, optimize=False).to_pylist()])


@pytest.mark.parametrize("seed", range(TREES))
def test_any_order_gives_the_same_rows(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = _Trees(seed)
    plan = trees.tree(trees.random.randint(3, 6))
    guess = random.Random(seed)
    monkeypatch.setattr(cardinality, "estimate", lambda _: guess.choice([1, 10, 1000, 100_000]))
    monkeypatch.setattr(search, "MOST_PAIRS", guess.choice([0, search.MOST_PAIRS]))
    wanted = rows(plan)
    assert rows(alone("order_joins", plan)[0]) == wanted
    assert rows(optimize(plan, check=True)) == wanted


def test_a_filter_over_a_left_join_stays_on_the_right_side_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 left (Filter t (2 left 3)) is not Filter t ((1 left 2) left 3): a row of 1 whose partners fail t comes with nulls."""
    one, two, three = (
        scan(MemorySource(pa.table({name: [1, 2], f"{name}_x": [5, None]}), name)) for name in ("one", "two", "three")
    )

    def left(a: Plan, b: Plan, key: str, other: str) -> Plan:
        return Join(a, b, "left", (column(a.schema, key),), (column(b.schema, other),), ordered=False)

    second = left(two, three, "two", "three")
    kept = Filter(second, Call("is_null", (column(second.schema, "three_x"),)))
    plan = left(one, kept, "one", "two")
    wanted = rows(plan)
    assert sum(wanted.values()) == 2
    for seed in range(20):
        guess = random.Random(seed)
        monkeypatch.setattr(cardinality, "estimate", lambda _, guess=guess: guess.choice([1, 1000, 100_000]))
        assert rows(alone("order_joins", plan)[0]) == wanted
