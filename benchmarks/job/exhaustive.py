"""The best order of joins, found by trying all: each intermediate result is counted, not estimated.

The cost of a tree is the sum of the rows that leave its joins (C_out: S. Cluet and G. Moerkotte, ICDT 1995), over all bushy trees
without cross products.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.job.graph import JoinQuery, Relation

if TYPE_CHECKING:
    import duckdb


class Counter:
    """Counts the rows of joins, each once.

    The rows are not made. Of each relation only how often each combination of join values comes is kept, and one class of values
    after the other is summed over, as variables of a factor graph are; so a join of a billion rows is counted as fast as one of a few.

    Args:
        connection: to a DuckDB that holds the tables.
        kept: a file in which the counts are kept from run to run.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, kept: Path | None = None) -> None:
        self._connection = connection
        self._kept = kept
        known = kept is not None and kept.is_file()
        self._known: dict[str, float] = json.loads(kept.read_text(encoding="utf-8")) if known else {}

    def rows(self, relations: Sequence[Relation]) -> float:
        """How many rows the join of some relations has, which their classes connect."""
        text = _counting(relations)
        if text not in self._known:
            (found,) = self._connection.execute(text).fetchone() or (None,)
            self._known[text] = float(found or 0)
        return self._known[text]

    def keep(self) -> None:
        """Write the counts to their file."""
        if self._kept is not None:
            self._kept.write_text(json.dumps(self._known), encoding="utf-8")


@dataclass(frozen=True)
class Factor:
    """A relation of class values, `v0`, `v1` and so on, with how often each combination comes, `n`."""

    classes: frozenset[int]
    text: str


@dataclass(frozen=True)
class Tree:
    """A tree of joins over a set of relations, and its cost. A leaf has no sides."""

    of: int
    cost: float
    sides: tuple[Tree, Tree] | None = None


def best_tree(query: JoinQuery, counter: Counter) -> Tree:
    """The tree of least cost."""
    best: dict[int, Tree] = {}
    for of in query.connected():
        if of.bit_count() == 1:
            best[of] = Tree(of, 0)
            continue
        rows = counter.rows(query.members(of))
        lowest = of & -of
        found: Tree | None = None
        part = (of - 1) & of
        while part:
            # Each split comes twice: the one whose first part holds the lowest bit stands for both.
            if part & lowest and part in best and of ^ part in best:
                left, right = best[part], best[of ^ part]
                if found is None or rows + left.cost + right.cost < found.cost:
                    found = Tree(of, rows + left.cost + right.cost, (left, right))
            part = (part - 1) & of
        assert found is not None
        best[of] = found
    return best[max(best)]


def ordered_text(query: JoinQuery, tree: Tree) -> str:
    """The query with the joins as the tree has them."""
    predicates = [predicate for relation in query.relations for predicate in relation.predicates]
    where = f" WHERE {' AND '.join(predicates)}" if predicates else ""
    return f"SELECT {query.select} FROM {_joined(query, tree)}{where}"


def _joined(query: JoinQuery, tree: Tree) -> str:
    if tree.sides is None:
        (relation,) = query.members(tree.of)
        return f'"{relation.table}" AS "{relation.alias}"'
    left, right = tree.sides
    first, second = query.members(left.of), query.members(right.of)
    equalities = []
    for one in sorted({n for relation in first for n in relation.columns}):
        a = next(relation for relation in first if one in relation.columns)
        equalities += [f"{_column(a, one)} = {_column(b, one)}" for b in [b for b in second if one in b.columns][:1]]
    return f"({_joined(query, left)} JOIN {_joined(query, right)} ON {' AND '.join(equalities)})"


def _column(relation: Relation, one: int) -> str:
    return f'"{relation.alias}"."{relation.columns[one][0]}"'


def _counting(relations: Sequence[Relation]) -> str:
    used = [n for relation in relations for n in relation.columns]
    factors = [_factor(relation, {n for n in relation.columns if used.count(n) > 1}) for relation in relations]
    while classes := frozenset().union(*[factor.classes for factor in factors]):
        together = {n: [factor.classes for factor in factors if n in factor.classes] for n in sorted(classes)}
        # The one that leaves the smallest combinations.
        one = min(together, key=lambda n: len(frozenset().union(*together[n])))
        merged = [factor for factor in factors if one in factor.classes]
        factors = [*[factor for factor in factors if one not in factor.classes], _summed(merged, one)]
    (factor,) = factors
    return factor.text


def _factor(relation: Relation, classes: set[int]) -> Factor:
    names = [f"{_column(relation, n)} AS v{n}" for n in sorted(classes)]
    conditions = [
        *relation.predicates,
        *[
            f'{_column(relation, n)} = "{relation.alias}"."{other}"'
            for n in sorted(classes)
            for other in relation.columns[n][1:]
        ],
    ]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    groups = f" GROUP BY {', '.join([f'v{n}' for n in sorted(classes)])}" if classes else ""
    chosen = ", ".join([*names, "count(*)::DOUBLE AS n"])
    return Factor(frozenset(classes), f'SELECT {chosen} FROM "{relation.table}" AS "{relation.alias}"{where}{groups}')


def _summed(factors: Sequence[Factor], one: int) -> Factor:
    """The product of some factors, in which the sum is taken over a class that all of them have."""
    first, *others = factors
    text, seen = f"({first.text}) AS f0", dict.fromkeys(first.classes, 0)
    for position, factor in enumerate(others, 1):
        shared = [f"f{seen[n]}.v{n} = f{position}.v{n}" for n in sorted(factor.classes) if n in seen]
        text += f" JOIN ({factor.text}) AS f{position} ON {' AND '.join(shared)}"
        seen |= {n: position for n in factor.classes if n not in seen}
    rest = sorted(seen.keys() - {one})
    product = " * ".join([f"f{position}.n" for position in range(len(factors))])
    chosen = ", ".join([*[f"f{seen[n]}.v{n} AS v{n}" for n in rest], f"sum({product}) AS n"])
    groups = f" GROUP BY {', '.join([f'f{seen[n]}.v{n}' for n in rest])}" if rest else ""
    return Factor(frozenset(rest), f"SELECT {chosen} FROM {text}{groups}")
