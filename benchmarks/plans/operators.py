"""A plan that has run, as a tree of operators with the rows that left each, in the same terms for every engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SCAN, FILTER, JOIN, AGGREGATE, WINDOW = "scan", "filter", "join", "aggregate", "window"
DISTINCT, SETS, SORT, LIMIT, UNNEST = "distinct", "set operation", "sort", "limit", "unnest"

PASS = "pass"
"""What neither keeps nor makes rows, such as projections and unions."""

SHARED = "shared"
"""Rows that are computed once for several readers. What computed them is the input of one of the readers only."""

CONSTANTS = "constants"
"""Rows that are written in the query: no table."""

_ABSORBING = (SCAN, JOIN)


@dataclass(frozen=True)
class Operator:
    """An operator of a plan that has run.

    Args:
        kind: one of the kinds above.
        rows: that left it.
        inputs: the operators it read.
    """

    kind: str
    rows: int
    inputs: tuple[Operator, ...] = ()


@dataclass(frozen=True)
class Rows:
    """What the measures say of one plan, or of several together."""

    scanned: int = 0
    joined: int = 0
    intermediate: int = 0

    def __add__(self, other: Rows) -> Rows:
        return Rows(self.scanned + other.scanned, self.joined + other.joined, self.intermediate + other.intermediate)


def measured(root: Operator) -> Rows:
    """The rows scanned, rows joined and intermediate rows of a plan, as `benchmarks.plans` defines them."""
    found = Rows()
    for operator, is_answer in _counted(root):
        found += Rows(
            operator.rows if operator.kind == SCAN else 0,
            operator.rows if operator.kind == JOIN else 0,
            0 if is_answer else operator.rows,
        )
    return found


def _counted(root: Operator) -> Iterator[tuple[Operator, bool]]:
    """The operators that count, each filter made one with the scan or join that it filters; and whether they give the answer."""
    stack = [(root, True)]
    while stack:
        current, is_answer = stack.pop()
        if current.kind == CONSTANTS:
            continue
        if current.kind in (PASS, SHARED):
            stack.extend([(below, is_answer and current.kind == PASS) for below in current.inputs])
            continue
        current = _with_filtered(_without_constants(current))
        yield current, is_answer
        stack.extend([(below, False) for below in current.inputs])


def _with_filtered(operator: Operator) -> Operator:
    """A filter as a scan or join of the rows it keeps, where it stands over one; any other operator as it is."""
    if operator.kind != FILTER:
        return operator
    below = _without_constants(operator.inputs[0])
    while below.kind in (PASS, FILTER) and len(below.inputs) == 1:
        below = _without_constants(below.inputs[0])
    return Operator(below.kind, operator.rows, below.inputs) if below.kind in _ABSORBING else operator


def _without_constants(operator: Operator) -> Operator:
    """A join with constants as a filter: an IN of many values is a join in one engine and a condition in another."""
    if operator.kind != JOIN:
        return operator
    tables = [below for below in operator.inputs if not _is_constant(below)]
    return Operator(FILTER, operator.rows, tuple(tables)) if len(tables) == 1 else operator


def _is_constant(operator: Operator) -> bool:
    while operator.kind == PASS and len(operator.inputs) == 1:
        (operator,) = operator.inputs
    return operator.kind == CONSTANTS
