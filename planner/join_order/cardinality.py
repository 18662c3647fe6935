"""How many rows the join of some relations gives, and what it costs."""

from __future__ import annotations

from typing import NamedTuple

from lazyframe.planner.join_order.graph import JoinGraph, Operator, members
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.statistics import WITHOUT, Domain, common_values, domain, estimate, share_with_partner, skew

UNKNOWN_ROWS = 1e6
"""How many rows a relation is taken to have whose source does not know."""

BUILD = 0.5
PROBE = 0.1
"""What a row costs that is put into the table of a join, or looked up in it, beside one that comes out."""


class Step(NamedTuple):
    """A join of two sets of relations: how many rows it gives, and the place of the operator that it is, -1 for an inner join.

    Of an operator `flipped` says that its left side is the second set.
    """

    rows: float
    operator: int = -1
    flipped: bool = False


class Cardinality:
    """Which sets of relations can be joined, and about how many rows that gives.

    Args:
        graph: the relations and what holds between them.
    """

    def __init__(self, graph: JoinGraph) -> None:
        self.graph = graph
        found = [estimate(plan) for plan in graph.relations]
        self.base = [UNKNOWN_ROWS if rows is None else max(rows, 1.0) for rows in found]
        self._domains: dict[tuple[int, int], Domain] = {}
        self._skews = self._measured_skews()
        self._rows: dict[int, float] = {}

    def inner(self, a: int, b: int, rows: float) -> Step | None:
        """The inner join of two sets that give so many pairs of rows; None where no equality connects them.

        For graphs without operators.
        """
        both = a | b
        known = self._rows.get(both)
        if known is not None:
            # What connects two parts of a set cannot be told from its rows, but whether it does is quick to see.
            return Step(known) if self.is_connected(a, b) else None
        keys = self._keys(a, b)
        if not keys and not self._is_compared(a, b):
            return None
        rows = self._rows[both] = self.held(a, b, rows / common_values(keys) if keys else rows)
        return Step(rows)

    def is_connected(self, a: int, b: int) -> bool:
        """Whether an equality holds between two sets, or one of them is a row that the other is compared with."""
        for each in self.graph.classes:
            if each.of & a and each.of & b:
                return True
        if any([each.sides(a, b) is not None and not each.needs & ~(a | b) for each in self.graph.equalities]):
            return True
        return self._is_compared(a, b)

    def _is_compared(self, a: int, b: int) -> bool:
        one = self.graph.one_row
        if not one or (a & ~one and b & ~one):
            return False
        both = a | b
        return any([not c.needs & ~both and c.needs & a and c.needs & b for c in self.graph.conditions])

    def held(self, a: int, b: int, rows: float) -> float:
        """So many rows of two sets that were joined, less what the conditions leave out that can be asked now."""
        for of_one, of_other, factor in self._skews:
            if (a & of_one and b & of_other) or (b & of_one and a & of_other):
                rows *= factor
        if not self.graph.conditions:
            return rows
        both = a | b
        for condition in self.graph.conditions:
            if not condition.needs & ~both and condition.needs & ~a and condition.needs & ~b:
                rows *= condition.share
        return rows

    def step(self, a: int, b: int, rows_a: float, rows_b: float, *, cross: bool = False) -> Step | None:
        """The join of two sets, inner or another; None where they must not be joined, or nothing connects them.

        Args:
            a, b: the sets.
            rows_a, rows_b: how many rows they give.
            cross: join them also where nothing connects them.
        """
        graph, both = self.graph, a | b
        done = -1
        for place, operator in enumerate(graph.operators):
            needs = operator.needs
            if not needs & ~both and needs & ~a and needs & ~b:
                if done >= 0:
                    return None
                done = place
        for place, operator in enumerate(graph.operators):
            if place == done or not (both & operator.right and both & ~operator.right):
                continue
            needs = operator.needs
            if needs & ~a and needs & ~b and (place, done) not in graph.early:
                return None
        if done < 0:
            keys = self._keys(a, b)
            if not keys and not cross and not self._is_compared(a, b):
                return None
            rows = rows_a * rows_b
            return Step(self.held(a, b, rows / common_values(keys) if keys else rows))
        operator = graph.operators[done]
        if any([each.of & a and each.of & b for each in graph.classes]):
            return None
        flipped = bool(operator.needs_left & ~a or operator.needs_right & ~b)
        if flipped:
            a, b, rows_a, rows_b = b, a, rows_b, rows_a
            if operator.needs_left & ~a or operator.needs_right & ~b:
                return None
        rows = self.held(a, b, self._of_operator(operator, a, b, rows_a, rows_b))
        # What uses a column that the join fills or makes is asked right after it.
        asked = self._keys(a, b)
        return Step(rows / common_values(asked) if asked else rows, done, flipped)

    def _measured_skews(self) -> list[tuple[int, int, float]]:
        """Pairs of relations of which the one finds more or fewer partners in the other than if all keys were as frequent."""
        relations, found = self.graph.relations, []
        for place, each in enumerate(self.graph.classes):
            for one, key in each.values.items():
                for other, reference in each.values.items():
                    if other == one:
                        continue
                    expected = self.base[one] / common_values(
                        [(self._domain(place, 1 << one), self._domain(place, 1 << other))]
                    )
                    factor = skew(relations[one], key, relations[other], reference, expected)
                    if factor != 1:
                        found.append((1 << one, 1 << other, factor))
        return found

    def _of_operator(self, operator: Operator, a: int, b: int, rows_a: float, rows_b: float) -> float:
        if operator.kind in ("mark", "single"):
            return rows_a
        keys = []
        for left, right in zip(operator.left_keys, operator.right_keys, strict=True):
            keys.append((self._domain_of(left, a, rows_a), self._domain_of(right, b, rows_b)))
        if operator.kind == "left":
            return max(rows_a, rows_a * rows_b / common_values(keys)) if keys else rows_a * max(rows_b, 1.0)
        share = share_with_partner(keys, rows_b)
        return rows_a * (share if operator.kind == "semi" else max(1.0 - share, WITHOUT))

    def _domain_of(self, key: Scalar, of: int, rows: float) -> Domain:
        for number in members(of):
            relation = self.graph.relations[number]
            if relation.schema.covers(key.columns):
                found = domain(relation, key)
                if found is not None:
                    return found
        return Domain(max(rows, 1.0), rows, of)

    def _keys(self, a: int, b: int) -> list[tuple[Domain, Domain]]:
        keys = []
        for place, each in enumerate(self.graph.classes):
            of_a, of_b = each.of & a, each.of & b
            if of_a and of_b:
                keys.append((self._domain(place, of_a), self._domain(place, of_b)))
        pairs = [each.sides(a, b) for each in self.graph.equalities if not each.needs & ~(a | b)]
        keys += [
            (self._domain_of(pair[0], a, UNKNOWN_ROWS), self._domain_of(pair[1], b, UNKNOWN_ROWS))
            for pair in pairs
            if pair is not None
        ]
        return keys

    def _domain(self, place: int, of: int) -> Domain:
        """What the values of a class may be in some of its relations: as few as in the one that has fewest."""
        found = self._domains.get((place, of))
        if found is None:
            each = self.graph.classes[place]
            known = []
            for number in members(of):
                relation, rows = self.graph.relations[number], self.base[number]
                known.append(domain(relation, each.values[number]) or Domain(rows, rows, id(relation)))
            found = self._domains[place, of] = min(known, key=lambda domain: (domain.values, not domain.known))
        return found


__all__ = ["BUILD", "PROBE", "UNKNOWN_ROWS", "Cardinality", "Step"]
