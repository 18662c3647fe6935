"""A query of the join-order benchmark as a graph: relations with their own predicates, and values that are equal across them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sqlglot
from sqlglot import exp


@dataclass(frozen=True)
class Relation:
    """A table under the name it has in the query, the predicates on it alone, and its columns by the class they belong to."""

    table: str
    alias: str
    predicates: tuple[str, ...]
    columns: dict[int, tuple[str, ...]]


@dataclass(frozen=True)
class JoinQuery:
    """A query that joins all its relations by equalities. Sets of relations are integers, whose bits are their positions.

    Args:
        select: the list of what it asks for.
        relations: in the order of FROM.
    """

    select: str
    relations: tuple[Relation, ...]

    @cached_property
    def neighbours(self) -> list[int]:
        """For each relation those that share a class of equal values with it, itself left out."""
        shares = [set(relation.columns) for relation in self.relations]
        return [
            sum(1 << j for j, other in enumerate(shares) if j != i and mine & other) for i, mine in enumerate(shares)
        ]

    def members(self, of: int) -> list[Relation]:
        """The relations of a set."""
        return [relation for position, relation in enumerate(self.relations) if of >> position & 1]

    def connected(self) -> list[int]:
        """The sets of relations that can be joined without making all pairs of rows, smaller ones first."""
        found = {1 << position for position in range(len(self.relations))}
        grown = found
        while grown:
            grown = {
                of | 1 << n for of in grown for n in range(len(self.relations)) if self.around(of) >> n & 1
            } - found
            found |= grown
        return sorted(found, key=lambda of: (of.bit_count(), of))

    def around(self, of: int) -> int:
        """The relations outside of a set that share a class with one in it."""
        reached = 0
        for position, neighbours in enumerate(self.neighbours):
            reached |= neighbours if of >> position & 1 else 0
        return reached & ~of


def join_query(text: str) -> JoinQuery:
    """A query read off its text.

    Raises:
        ValueError: where a condition over several relations is not an equality of columns.
    """
    tree = sqlglot.parse_one(text, dialect="duckdb")
    tables = {table.alias_or_name: table.name for table in tree.find_all(exp.Table)}
    equal: list[set[tuple[str, str]]] = []
    own: dict[str, list[str]] = {alias: [] for alias in tables}
    for condition in _conjuncts(tree.args["where"].this):
        columns = [(column.table, column.name) for column in condition.find_all(exp.Column)]
        aliases = {alias for alias, _ in columns}
        if len(aliases) == 1:
            own[aliases.pop()].append(_sql(condition))
        elif isinstance(condition, exp.EQ) and len(columns) == 2:
            merged = set(columns).union(*[each for each in equal if not each.isdisjoint(columns)])
            equal = [*[each for each in equal if each.isdisjoint(columns)], merged]
        else:
            raise ValueError(f"not an equality of columns: {_sql(condition)}")
    relations = []
    for alias, table in tables.items():
        mine = {n: tuple(sorted(c for a, c in each if a == alias)) for n, each in enumerate(equal)}
        relations.append(
            Relation(table, alias, tuple(own[alias]), {n: columns for n, columns in mine.items() if columns})
        )
    return JoinQuery(", ".join([_sql(each) for each in tree.expressions]), tuple(relations))


def _conjuncts(condition: exp.Expression) -> Iterator[exp.Expression]:
    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _sql(node: exp.Expression) -> str:
    return node.sql(dialect="duckdb", identify=True)
