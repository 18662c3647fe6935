"""What must be joined before a join that is not inner may be done, so that every order gives the same rows.

An inner join may be done at any time. A left, semi, anti or mark join may pass the joins around it as far as these equations
hold (`*` is any join; `p12` a condition between 1 and 2):

* (1 inner 2) * 3 = (1 * 3) inner 2, where * is between 1 and 3; and so for any two kinds in place of `inner` and `*`;
* (1 inner 2) * 3 = 1 inner (2 * 3), where * is between 2 and 3;
* (1 left 2) left 3 = 1 left (2 left 3), where the second join is between 2 and 3, and p23 is not true where 2 is null.

No others are used. So the right side of such a join is joined in whole before it, and is joined to nothing else before; and
what uses a column that such a join fills or makes comes after it. It must be done once all that it needs is there.

Source: G. Moerkotte, P. Fender and M. Eich, "On the correct and complete enumeration of the core search space", SIGMOD 2013,
of whose tables of properties this is the part for these kinds, without full joins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lazyframe.planner.join_order.graph import Operator
from lazyframe.planner.scalars import Column, Scalar, uncast


class Conflicts:
    """The joins of a tree that are not inner, from the relations to the root, and what they need.

    `early` are pairs of places in `operators`, of which the second may be done before the first.
    """

    def __init__(self) -> None:
        self.operators: list[Operator] = []
        self.early: set[tuple[int, int]] = set()

    def add(self, operator: Operator, of: Callable[[Scalar], int], asked: Iterable[int]) -> None:
        """Note an operator, and set what it needs. Those below it have been added before.

        Args:
            operator: the operator.
            of: the relations that a value uses.
            asked: what the conditions and equalities below it need.
        """
        uses = 0
        for scalar in (*operator.left_keys, *operator.right_keys):
            uses |= of(scalar)
        if operator.condition is not None:
            uses |= of(operator.condition)
        left, right = uses & operator.left, operator.right
        if not left or operator.kind == "single":
            # It uses no row of the left side in particular, or fails where a row has two partners: not for more rows.
            operator.needs_left, operator.needs_right = operator.left, right
            self.operators.append(operator)
            return
        number = len(self.operators)
        needs = left
        for place, below in enumerate(self.operators):
            if not below.right & left:
                continue
            if operator.kind == below.kind == "left" and _rejects_nulls(operator, below.right, of):
                self.early.add((place, number))
            else:
                needs |= below.needs
        operator.needs_left = self.needs(needs) if needs != left else left
        operator.needs_right = self._least(operator, right, uses, of, asked)
        self.operators.append(operator)

    def needs(self, of: int) -> int:
        """What must have been joined before something over `of` can be asked that stands above all operators so far."""
        while True:
            found = of
            for operator in self.operators:
                if operator.right & found:
                    found |= operator.needs
            if found == of:
                return of
            of = found

    def together(self, of: int) -> bool:
        """Whether relations are on the same side of each operator, so that equal values are equal wherever all are joined."""
        return all([not operator.right & of or not of & ~operator.right for operator in self.operators])

    def _least(
        self, operator: Operator, right: int, uses: int, of: Callable[[Scalar], int], asked: Iterable[int]
    ) -> int:
        """The part of the right side that must be there: all but left joins at its top, which may as well be done after.

        Not one whose rows are filtered in between: rows of the left side would be left out then.
        """
        if operator.kind != "left":
            return right
        for below in reversed(self.operators):
            if below.left | below.right != right or below.kind != "left" or below.right & uses:
                break
            if not _rejects_nulls(below, below.left, of):
                break
            if any([needs & below.left and needs & below.right for needs in asked]):
                break
            right = below.left
        return right


def _rejects_nulls(operator: Operator, filled: int, of: Callable[[Scalar], int]) -> bool:
    """Whether it finds no partner for a row in which all columns of `filled` are null."""
    keys = [*operator.left_keys, *operator.right_keys]
    return any([isinstance(uncast(key), Column) and not of(key) & ~filled for key in keys])


__all__ = ["Conflicts"]
