"""Inner joins as a graph: relations are its vertices, equalities between them its edges.

In which order the relations are joined is left open: `planner/rules/order_joins.py` decides it, by the estimates made here.
Sets of relations are integers whose bits are numbers of relations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import NamedTuple

from lazyframe.planner.predicates import key_pair
from lazyframe.planner.relations import Filter, Join, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.scalars import Call, Scalar, conjunction, conjuncts, is_total, is_volatile
from lazyframe.planner.statistics import Domain, distinct_keys, domain, estimate, selectivity

UNKNOWN_ROWS = 1e6
"""How many rows a relation is taken to have whose source does not know."""


class Equality(NamedTuple):
    """Two values of one type, over two sets of relations that share none, that are equal in every row.

    `values` is the number of the class of values that are equal through a chain of equalities.
    """

    left: Scalar
    right: Scalar
    of_left: int
    of_right: int
    values: int

    def flipped(self) -> Equality:
        return Equality(self.right, self.left, self.of_right, self.of_left, self.values)

    def is_between(self, a: int, b: int) -> bool:
        """Whether it is of a value over `a` and one over `b`, in this order."""
        return not (self.of_left & ~a or self.of_right & ~b)


class Condition(NamedTuple):
    """A condition over a set of relations, and about which share of the pairs it keeps."""

    predicate: Scalar
    of: int
    share: float


class Group(NamedTuple):
    """Relations that have been joined: the set of them, the plan, and about how many rows it gives."""

    of: int
    plan: Plan
    rows: float


class JoinGraph:
    """Relations, and what holds between them.

    Args:
        relations: plans no two of which have a column of one name.
        keys: pairs of values of one type that are equal, over any of the relations.
        parts: conditions that hold, over any of the relations. None of them can raise, or is volatile.

    Attributes:
        groups: the relations, each filtered by the conditions that use it alone.
        equalities: those between two sets of relations.
        conditions: the others, over several relations or none.
    """

    def __init__(
        self, relations: Sequence[Plan], keys: Iterable[tuple[Scalar, Scalar]], parts: Iterable[Scalar]
    ) -> None:
        self._bits = {name: 1 << n for n, relation in enumerate(relations) for name in relation.schema.names}
        self.equalities: list[Equality] = []
        self.conditions: list[Condition] = []
        own: list[list[Scalar]] = [[] for _ in relations]
        pairs: dict[frozenset[bytes], tuple[Scalar, Scalar]] = {}

        def add(a: Scalar, b: Scalar) -> bool:
            """Take two equal values as an edge, where they are one."""
            left, right = self._of(a), self._of(b)
            if not left or not right or left & right:
                return False
            pairs.setdefault(frozenset((a.digest, b.digest)), (a, b))
            return True

        parts = [*[Call("equal", (a, b)) for a, b in keys if not add(a, b)], *parts]
        for part in parts:
            of = self._of(part)
            if of and not of & (of - 1):
                own[of.bit_length() - 1].append(part)
                continue
            pair = key_pair(part)
            if pair is None or not add(pair.left, pair.right):
                self.conditions.append(Condition(part, of, selectivity(part)))
            elif not pair.exact:
                self.conditions.append(Condition(part, of, 1.0))
        self._domains: dict[tuple[int, int], Domain] = {}
        self._add_equalities(relations, list(pairs.values()))
        self.groups: list[Group] = []
        for n, (relation, predicates) in enumerate(zip(relations, own, strict=True)):
            plan = filtered(relation, predicates)
            self.groups.append(Group(1 << n, plan, _rows(plan)))

    def _add_equalities(self, relations: Sequence[Plan], pairs: Sequence[tuple[Scalar, Scalar]]) -> None:
        classes: dict[bytes, int] = {}
        for a, b in pairs:
            x, y = classes.setdefault(a.digest, len(classes)), classes.setdefault(b.digest, len(classes))
            if x != y:
                classes.update({digest: x for digest, number in classes.items() if number == y})
        fewest: dict[int, float] = {}
        for a, b in pairs:
            left, right, values = self._of(a), self._of(b), classes[a.digest]
            self.equalities.append(Equality(a, b, left, right, values))
            for key, of in ((a, left), (b, right)):
                found = _domain(relations, key, of)
                self._domains[of, values] = found
                fewest[values] = min(fewest.get(values, found.values), found.values)
        # What is equal to a column of few values has no more.
        for (of, values), found in self._domains.items():
            self._domains[of, values] = found._replace(values=fewest[values])

    def between(self, a: int, b: int) -> list[Equality]:
        """The equalities of a value over `a` and one over `b`, in this order."""
        found = []
        for each in self.equalities:
            if each.is_between(a, b):
                found.append(each)
            elif each.is_between(b, a):
                found.append(each.flipped())
        return found

    def rows(self, a: Group, b: Group, keys: Sequence[Equality]) -> float:
        """About how many rows the join of two groups gives, `keys` being the equalities between them."""
        rows = a.rows * b.rows
        if keys:
            # Several equalities of one class say the same once.
            classes = {key.values: key for key in keys}.values()
            domains = [(self._domains[k.of_left, k.values], self._domains[k.of_right, k.values]) for k in classes]
            rows /= distinct_keys(domains)
        for condition in self.conditions:
            if _is_decided(condition.of, a.of, b.of):
                rows *= condition.share
        return rows

    def joined(self, a: Group, b: Group) -> Group:
        """The join of two groups, with all that holds between them. The one of fewer rows becomes the right side."""
        if a.rows < b.rows:
            a, b = b, a
        keys = self.between(a.of, b.of)
        parts = [c.predicate for c in self.conditions if _is_decided(c.of, a.of, b.of)]
        # An equality of more than two relations may lie across the two groups in such a way that it is no key.
        parts += [
            Call("equal", (each.left, each.right))
            for each in self.equalities
            if _is_decided(each.of_left | each.of_right, a.of, b.of)
            and not each.is_between(a.of, b.of)
            and not each.is_between(b.of, a.of)
        ]
        condition = conjunction(parts)
        kind = "inner" if keys or condition is not None else "cross"
        left, right = tuple([key.left for key in keys]), tuple([key.right for key in keys])
        plan = Join(a.plan, b.plan, kind, left, right, condition, ordered=False)
        return Group(a.of | b.of, plan, self.rows(a, b, keys))

    def _of(self, scalar: Scalar) -> int:
        return reduce(int.__or__, [self._bits[name] for name in scalar.columns], 0)


def _is_decided(of: int, a: int, b: int) -> bool:
    """Whether a condition over `of` can be asked of pairs of `a` and `b`, and not of one of them alone."""
    return not of & ~(a | b) and bool(of & ~a) and bool(of & ~b)


def _rows(plan: Plan) -> float:
    rows = estimate(plan)
    return UNKNOWN_ROWS if rows is None else rows


def _domain(relations: Sequence[Plan], key: Scalar, of: int) -> Domain:
    if of & (of - 1):
        return Domain(UNKNOWN_ROWS, UNKNOWN_ROWS, 0)
    relation = relations[of.bit_length() - 1]
    found = domain(relation, key)
    return Domain(UNKNOWN_ROWS, UNKNOWN_ROWS, id(relation)) if found is None else found


def is_reorderable(plan: Plan) -> bool:
    """Whether its rows may come in any order, and what it asks may be asked of other pairs, at another place."""
    return (
        isinstance(plan, Join)
        and plan.kind in ("inner", "cross")
        and not plan.ordered
        and plan.validate == "m:m"
        and not plan.nulls_equal
        and all([is_total(scalar) and not is_volatile(scalar) for scalar in plan.scalars()])
    )


def taken_apart(
    root: Join, is_shared: Callable[[Plan], bool]
) -> tuple[list[Plan], list[Join], list[tuple[Scalar, Scalar]], list[Scalar]]:
    """A tree of joins and filters between them as its relations, its joins, pairs of equal keys, and conditions.

    Args:
        root: the top of the tree, which can be reordered.
        is_shared: whether others use a node too; it is then a relation, computed once for all.
    """
    relations: list[Plan] = []
    joins: list[Join] = []
    keys: list[tuple[Scalar, Scalar]] = []
    parts: list[Scalar] = []
    stack: list[Plan] = [root]
    while stack:
        current = stack.pop()
        if current is not root and is_shared(current):
            relations.append(current)
            continue
        match current:
            case Join() if is_reorderable(current):
                joins.append(current)
                keys.extend(zip(current.left_keys, current.right_keys, strict=True))
                if current.condition is not None:
                    parts.extend(conjuncts(current.condition))
                stack += [current.right, current.left]
            case Filter(input=below, predicate=predicate) if (
                is_reorderable(below) and not is_shared(below) and is_total(predicate) and not is_volatile(predicate)
            ):
                parts.extend(conjuncts(predicate))
                stack.append(below)
            case _:
                relations.append(current)
    return relations, joins, keys, parts


__all__ = ["Condition", "Equality", "Group", "JoinGraph", "is_reorderable", "taken_apart"]
