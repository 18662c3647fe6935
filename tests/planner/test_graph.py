"""Nodes: identity by digest, and walks that neither depth nor sharing hurts."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import itertools
import uuid
import zoneinfo

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.sources.memory import MemorySource
from lazyframe.planner.graph import (
    fold,
    postorder,
    pullback,
    remembered,
    replace,
    rewrite,
    rewrite_top_down,
    token,
)
from lazyframe.planner.relations import Filter, Join, Limit, Plan, Project, Union
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import FALSE, TRUE, Call, Case, Cast, Column, Literal, Scalar
from lazyframe.planner.site import TextSite, ambient
from tests.placing import written_at

DEPTH = 20_000
LEVELS = 40

x = Column("x", pa.int64(), True)
p = Column("p", pa.bool_(), True)
q = Column("q", pa.bool_(), True)


def one(value: int) -> Literal:
    return Literal(pa.scalar(value))


def chain() -> Scalar:
    current: Scalar = p
    for _ in range(DEPTH):
        current = Call("not", (current,))
    return current


def ladder() -> Scalar:
    """Each level uses the one below twice: 2^40 paths, 41 nodes."""
    current: Scalar = p
    for _ in range(LEVELS):
        current = Call("and", (current, current))
    return current


def table() -> Plan:
    return scan(MemorySource(pa.table({"x": [1, 2], "p": [True, False]}), "t"))


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class TestDigests:
    def test_equal_nodes_built_apart_are_equal(self):
        a, b = Call("add", (x, one(1))), Call("add", (Column("x", pa.int64(), True), one(1)))
        assert a is not b
        assert a == b
        assert hash(a) == hash(b)
        assert len({a, b}) == 1
        assert a != "x + 1"

    @pytest.mark.parametrize(
        "other",
        [
            Column("y", pa.int64(), True),
            Column("x", pa.int32(), True),
            Column("x", pa.int64(), False),
            Literal(pa.scalar("x")),
        ],
    )
    def test_each_field_counts(self, other):
        assert x != other

    def test_order_and_place_of_children_count(self):
        assert Call("subtract", (x, one(1))) != Call("subtract", (one(1), x))
        assert Case((TRUE,), (one(1),), one(2)) != Case((TRUE,), (one(2),), one(1))
        assert Case((p,), (TRUE,), FALSE) != Case((TRUE,), (p,), FALSE)

    def test_a_class_counts(self):
        plan = table()
        assert Filter(plan, p) != Join(plan, Project(plan, (("y", x),)), "cross", condition=p)

    def test_names_and_children_do_not_run_into_each_other(self):
        plan = table()
        assert Project(plan, (("a", x), ("b", x))) != Project(plan, (("ab", x),))
        assert Union((plan, plan)) != Union((plan,))

    def test_a_source_in_memory_is_equal_to_itself_only(self):
        assert table() != table()

    def test_the_site_does_not_count(self):
        placed = written_at(TextSite("SQL", 1, 2), lambda: Column("x", pa.int64(), True))
        assert placed == x
        assert placed.site != x.site

    VALUES = (
        None, True, False, 0, 1, -1, 2**70, 0.0, -0.0, 1.0, float("nan"), float("inf"), "", "1", b"1", b"",
        (), (1,), (1, 2), ((1,), 2), [1, 2], {1, 2}, {"a": 1}, {"b": 1}, decimal.Decimal("1.0"), decimal.Decimal("1.00"),
        dt.date(2024, 1, 1), dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC),  # noqa: DTZ001
        dt.datetime(2024, 10, 27, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")),
        dt.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")),
        dt.time(1, 2), dt.timedelta(1), dt.timedelta(0, 1), uuid.UUID(int=1), uuid.UUID(int=2), Colour.RED, Colour.BLUE,
        pa.int32(), pa.int64(), pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.list_(pa.int64()),
        pa.struct([("a", pa.int64())]), pa.struct([("b", pa.int64())]), np.int32(1), np.int64(1), np.float64(1),
        pa.scalar(1), pa.scalar(1, pa.int32()), pa.scalar(1.0), pa.scalar(None), pa.scalar(None, pa.int64()),
        pa.array([1, 2]), pa.array([1, None]), pa.array(["1", "2"]), pa.array([], pa.int64()), len, print, x, p,
    )  # fmt: skip

    def test_values_that_differ_have_different_tokens(self):
        tokens = [token(value) for value in self.VALUES]
        # By type too: 1, 1.0 and True are equal to Python.
        typed = [(repr(t), index) for index, t in enumerate(tokens)]
        for (a, i), (b, j) in itertools.combinations(typed, 2):
            assert a != b, f"{self.VALUES[i]!r} and {self.VALUES[j]!r}"

    def test_digests_tell_1_from_true_and_1_point_0(self):
        made = {Literal(pa.scalar(v)).digest for v in (1, 1.0, True, "1")}
        assert len(made) == 4

    def test_equal_constants_have_one_token_however_they_are_sliced_and_chunked(self):
        assert token(pa.array([0, 1, 2]).slice(1)) == token(pa.array([1, 2]))
        assert token({3, 1, 2}) == token({2, 3, 1})

    def test_what_is_no_value_is_refused(self):
        with pytest.raises(TypeError, match="cannot hold a object"):
            token(object())


class TestWalks:
    def test_a_deep_chain(self):
        root = chain()
        assert len(postorder(root)) == DEPTH + 1
        assert fold(root, lambda node, children: 1 + sum(children)) == DEPTH + 1
        assert chain() == root

    def test_shared_diamonds_are_visited_once(self):
        root = ladder()
        order = postorder(root)
        assert len(order) == LEVELS + 1
        assert order[0] is p
        assert order[-1] is root
        assert fold(root, lambda node, children: 1 + max(children, default=0)) == LEVELS + 1
        assert ladder() == root

    def test_rewrite_keeps_what_does_not_change_and_what_is_shared(self):
        root = ladder()
        assert rewrite(root, lambda node: node) is root
        q = Column("q", pa.bool_(), True)
        changed = rewrite(root, lambda node: q if node == p else node)
        assert len(postorder(changed)) == LEVELS + 1
        assert changed.columns == {"q"}

    def test_rewrite_top_down_does_not_enter_what_it_replaces(self):
        root = Call("not", (Call("not", (p,)),))
        seen = []

        def step(node: Scalar) -> Scalar | None:
            seen.append(node)
            return TRUE if node == root.args[0] else None

        assert rewrite_top_down(root, step) == Call("not", (TRUE,))
        assert seen == [root, root.args[0]]
        assert rewrite_top_down(ladder(), lambda node: TRUE if node == p else None).columns == frozenset()

    def test_pullback_adds_up_over_all_paths(self):
        # The number of paths from the root doubles with every level.
        values = pullback(ladder(), 1, lambda node, value: [value] * len(node.children()), lambda a, b: a + b)
        assert values[id(p)] == 2**LEVELS
        deep = pullback(chain(), 0, lambda node, value: [value + 1] * len(node.children()), max)
        assert deep[id(p)] == DEPTH

    def test_pullback_visits_a_node_once_and_when_its_value_is_complete(self):
        shared = Call("not", (p,))
        short = Call("and", (shared, q))
        root = Call("or", (shared, Call("not", (short,))))
        seen = []

        def rule(node: Scalar, value: int) -> list[int]:
            seen.append((node, value))
            return [value * (10 + place) for place in range(len(node.children()))]

        values = pullback(root, 1, rule, int.__add__)
        # From the root: 10 straight to `shared`; 11 * 10 to `short`, of which 110 * 10 and 110 * 11 go on.
        assert [value for node, value in seen if node is shared] == [10 + 1100]
        assert (values[id(p)], values[id(q)]) == (11100, 1210)
        assert len(seen) == len(values) == 6

    def test_pullback_does_not_see_nodes_that_are_given_nothing(self):
        hidden = Call("not", (q,))
        root = Call("and", (Call("not", (p,)), hidden))
        seen = []

        def rule(node: Scalar, value: int) -> list[int | None]:
            seen.append(node)
            return [None if child is hidden else value + 1 for child in node.children()]

        values = pullback(root, 0, rule, max)
        assert hidden not in seen
        assert (values.get(id(p)), values.get(id(hidden)), values.get(id(q))) == (2, None, None)
        # What one path does not give, another may.
        other = Call("or", (hidden, Call("not", (hidden,))))
        steps = pullback(
            other,
            1,
            lambda node, value: [None if node is other and c is hidden else value for c in node.children()],
            max,
        )
        assert steps[id(q)] == 1

    def test_remembered_values_are_computed_once(self):
        calls = []

        def step(node: Plan, children: list[float]) -> float:
            calls.append(node)
            return 1.0 + sum(children)

        plan: Plan = table()
        for level in range(1, 4):
            plan = Limit(plan, 9 - level)
            assert remembered(plan, "_rows", step) == 1.0 + level
        assert len(calls) == 4

    def test_deep_plans(self):
        plan: Plan = table()
        for number in range(DEPTH):
            plan = Limit(plan, number)
        assert fold(plan, lambda node, children: 1 + sum(children)) == DEPTH + 1
        assert len(postorder(rewrite(plan, lambda node: node))) == DEPTH + 1


class TestRebuilding:
    def test_children_come_in_the_order_of_the_fields(self):
        case = Case((p, TRUE), (x, one(1)), one(2))
        assert case.children() == (p, TRUE, x, one(1), one(2))
        assert case.with_children(case.children()) is case
        y = Column("y", pa.int64(), True)
        assert case.with_children((p, TRUE, y, one(1), one(2))) == Case((p, TRUE), (y, one(1)), one(2))

    def test_optional_children(self):
        left, right = table(), Project(table(), (("y", x),))
        bare = Join(left, right, "cross")
        assert bare.children() == (left, right)
        assert bare.scalars() == ()
        keyed = Join(left, right, "inner", (x,), (Column("y", pa.int64(), True),), p)
        assert keyed.scalars() == (x, Column("y", pa.int64(), True), p)
        assert keyed.map_scalars(lambda s: FALSE if s == p else s).condition == FALSE

    def test_named_children(self):
        plan = Project(table(), (("a", x), ("b", p)))
        assert plan.map_scalars(lambda s: s) is plan
        changed = plan.map_scalars(lambda s: Cast(s, pa.string()) if s == x else s)
        assert [name for name, _ in changed.exprs] == ["a", "b"]
        assert changed.schema.types == [pa.string(), pa.bool_()]

    def test_a_copy_stands_where_the_original_does(self):
        here = TextSite("SQL", 7, 1)
        ambient.site = here
        try:
            made = Limit(table(), 1)
        finally:
            ambient.site = None
        assert made.site is here
        assert replace(made, count=2).site is here
        assert replace(made, count=2) == Limit(made.input, 2)

    def test_nodes_do_not_change(self):
        with pytest.raises(AttributeError):
            x.name = "y"
