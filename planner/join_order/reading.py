"""Taking a tree of joins apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from lazyframe.planner.graph import postorder
from lazyframe.planner.join_order.conflicts import Conflicts
from lazyframe.planner.join_order.graph import Condition, Equality, JoinGraph, KeyClass, Operator
from lazyframe.planner.predicates import key_pair
from lazyframe.planner.properties import has_at_most_one_row
from lazyframe.planner.relations import Filter, Join, Plan, Project
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.scalars import Call, Column, Scalar, conjuncts, is_total, is_volatile, substitute
from lazyframe.planner.statistics import selectivity

_KINDS = frozenset(["inner", "cross", "left", "right", "semi", "anti", "mark", "single"])
_INNER = frozenset(["inner", "cross"])


def is_reorderable(plan: Plan) -> bool:
    """Whether its rows may come in any order, and what it asks may be asked of other pairs, at another place."""
    return (
        isinstance(plan, Join)
        and not plan.ordered
        and plan.kind in _KINDS
        and plan.validate == "m:m"
        and not plan.nulls_equal
        and all([is_total(scalar) and not is_volatile(scalar) for scalar in plan.scalars()])
    )


@dataclass(slots=True)
class JoinTree:
    """Joins, with the filters and renamings between them, that may be done in another order.

    Attributes:
        root: its uppermost join.
        inside: its joins, filters and renamings, each before what is below it.
        relations: what they join, from the left to the right.
    """

    root: Join
    inside: list[Plan] = field(default_factory=list)
    relations: list[Plan] = field(default_factory=list)


def joined_below(root: Join, is_shared: Callable[[Plan], bool]) -> JoinTree:
    """The tree of joins below a join that can be reordered.

    Args:
        root: the top of the tree.
        is_shared: whether others use a node too; it is then a relation, computed once for all.
    """
    tree = JoinTree(root)
    stack: list[Plan] = [root]
    while stack:
        current = stack.pop()
        if current is root or (not is_shared(current) and _is_inside(current, is_shared)):
            tree.inside.append(current)
            stack.extend(reversed(current.children()))
        else:
            tree.relations.append(current)
    return tree


def _is_inside(plan: Plan, is_shared: Callable[[Plan], bool]) -> bool:
    while True:
        match plan:
            case Join():
                return is_reorderable(plan)
            case Filter(input=below, predicate=predicate) if is_total(predicate) and not is_volatile(predicate):
                pass
            case Project(input=below, exprs=exprs):
                if not all([isinstance(scalar, Column) for _, scalar in exprs]):
                    return False
            case _:
                return False
        if is_shared(below):
            return False
        plan = below


def read(tree: JoinTree, built: Mapping[int, Plan]) -> JoinGraph | None:
    """The graph of a tree; None where two of its relations have columns of one name, or something uses no relation.

    Args:
        tree: the tree.
        built: for the identity of each relation what it became.
    """
    relations = [built[id(relation)] for relation in tree.relations]
    return _Reading(relations).graph(tree)


class _Reading:
    """The reading of one tree, from its relations to its root."""

    def __init__(self, relations: list[Plan]) -> None:
        self.relations = relations
        self.bits: dict[str, int] = {}
        self.own: list[list[Scalar]] = [[] for _ in relations]
        self.pairs: list[Equality] = []
        self.conditions: list[Condition] = []
        self.decided = True
        self.conflicts = Conflicts()
        self.repeats = False
        for number, relation in enumerate(relations):
            for name in relation.schema.names:
                self.repeats = self.repeats or name in self.bits
                self.bits[name] = 1 << number

    def graph(self, tree: JoinTree) -> JoinGraph | None:
        if self.repeats:
            return None
        seen: dict[int, tuple[int, dict[str, str]]] = {}
        for number, (relation, plan) in enumerate(zip(tree.relations, self.relations, strict=True)):
            seen[id(relation)] = 1 << number, {name: name for name in plan.schema.names}
        for current in reversed(tree.inside):
            seen[id(current)] = self._node(current, [seen[id(child)] for child in current.children()])
        _, names = seen[id(tree.root)]
        return self._assembled(names)

    def _node(self, plan: Plan, below: list[tuple[int, dict[str, str]]]) -> tuple[int, dict[str, str]]:
        """The relations below a node, and for each of its columns the name in them. Notes what the node says."""
        of = 0
        for each, _ in below:
            of |= each
        match plan:
            case Project(exprs=exprs):
                ((_, names),) = below
                return of, {name: names[scalar.name] for name, scalar in exprs if isinstance(scalar, Column)}
            case Filter(predicate=predicate):
                ((_, names),) = below
                self._hold([_renamed(part, names) for part in conjuncts(predicate)])
                return of, names
            case Join():
                return of, self._join(plan, below)
        raise AssertionError(f"{type(plan).__name__} is no part of a tree of joins")

    def _join(self, join: Join, below: list[tuple[int, dict[str, str]]]) -> dict[str, str]:
        (left, left_names), (right, right_names) = below
        both = {**left_names, **right_names}
        left_keys = tuple([_renamed(key, left_names) for key in join.left_keys])
        right_keys = tuple([_renamed(key, right_names) for key in join.right_keys])
        condition = None if join.condition is None else _renamed(join.condition, both)
        if join.kind in _INNER:
            parts = [] if condition is None else conjuncts(condition)
            equal = zip(left_keys, right_keys, strict=True)
            self._hold([*[Call("equal", (a, b)) for a, b in equal if not self._equal(a, b)], *parts])
            return both
        if join.kind == "right":
            operator = Operator("left", join, right_keys, left_keys, condition, right, left)
        else:
            operator = Operator(join.kind, join, left_keys, right_keys, condition, left, right)
        asked = [*[pair.needs for pair in self.pairs], *[condition.needs for condition in self.conditions]]
        self.conflicts.add(operator, self._of, asked)
        match join.kind:
            case "semi" | "anti":
                return left_names
            case "mark":
                self.bits[join.mark] = operator.needs
                return {**left_names, join.mark: join.mark}
        return both

    def _of(self, scalar: Scalar) -> int:
        found = 0
        for name in scalar.columns:
            found |= self.bits[name]
        return found

    def _equal(self, a: Scalar, b: Scalar) -> bool:
        """Take two equal values as an edge, where they are one."""
        left, right = self._of(a), self._of(b)
        if not left or not right or left & right:
            return False
        self.pairs.append(Equality(a, b, left, right, self.conflicts.needs(left | right)))
        return True

    def _hold(self, parts: Iterable[Scalar]) -> None:
        """Note what holds for all rows at this place of the tree."""
        for part in parts:
            of = self._of(part)
            needs = self.conflicts.needs(of)
            if not of:
                self.decided = False
            elif needs == of and _is_single(of):
                self.own[of.bit_length() - 1].append(part)
            elif (pair := key_pair(part)) is None or not self._equal(pair.left, pair.right):
                self.conditions.append(Condition(part, needs, selectivity(part)))
            elif not pair.exact:
                self.conditions.append(Condition(part, needs, 1.0))

    def _assembled(self, names: dict[str, str]) -> JoinGraph | None:
        if not self.decided:
            return None
        merged = _Classes()
        equalities: list[Equality] = []
        for pair in self.pairs:
            of = pair.of_left | pair.of_right
            single = _is_single(pair.of_left) and _is_single(pair.of_right)
            if single and pair.needs == of and self.conflicts.together(of):
                merged.add(pair.left, pair.right)
            else:
                equalities.append(pair)
        classes = []
        for values in merged.classes():
            found: dict[int, Scalar] = {}
            for value in values:
                number = self._of(value).bit_length() - 1
                if number in found:
                    # Two values of one relation that equal the same third.
                    self.own[number].append(Call("equal", (found[number], value)))
                else:
                    found[number] = value
            classes.append(KeyClass(sum([1 << number for number in found]), found))
        plans = [filtered(plan, parts) for plan, parts in zip(self.relations, self.own, strict=True)]
        early = frozenset(self.conflicts.early)
        few = sum([1 << number for number, plan in enumerate(self.relations) if has_at_most_one_row(plan)])
        return JoinGraph(plans, classes, equalities, self.conditions, self.conflicts.operators, early, names, few)


def _is_single(of: int) -> bool:
    return not of & (of - 1)


def _renamed(scalar: Scalar, names: Mapping[str, str]) -> Scalar:
    """The scalar over the columns of the relations."""
    changed = {
        part.name: Column(names[part.name], part.dtype, part.nullable)
        for part in _columns(scalar)
        if names[part.name] != part.name
    }
    return substitute(scalar, changed) if changed else scalar


def _columns(scalar: Scalar) -> list[Column]:
    if isinstance(scalar, Column):
        return [scalar]
    return [each for each in postorder(scalar) if isinstance(each, Column)]


class _Classes:
    """Values that are equal through a chain of equalities."""

    def __init__(self) -> None:
        self._class: dict[bytes, dict[bytes, Scalar]] = {}

    def add(self, a: Scalar, b: Scalar) -> None:
        first = self._class.get(a.digest, {a.digest: a})
        second = self._class.get(b.digest, {b.digest: b})
        if first is second:
            return
        joined = {**first, **second}
        self._class.update(dict.fromkeys(joined, joined))

    def classes(self) -> list[list[Scalar]]:
        return [list(found.values()) for found in {id(each): each for each in self._class.values()}.values()]


__all__ = ["JoinTree", "is_reorderable", "joined_below", "read"]
