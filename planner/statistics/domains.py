"""How many different values a column has, and how many two of them have in common."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import NamedTuple

from lazyframe.planner.relations import Aggregate, Distinct, Plan, Project, Scan
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Call, Column, Scalar, uncast
from lazyframe.planner.sources import Sample, TableSource

_FAR = 100
"""So many nodes down we look for the table that a column comes from."""

_NEARLY = 0.9

_FEWEST_PRESENT = 1e-4


class Domain(NamedTuple):
    """What a key may be: how many values it has in its table, of how many rows, and which table that is.

    `known` tells an estimate from a mere upper bound, such as the range of the values. `dense` says that hardly a number of its
    range is missing. `present` is the share of rows in which the key is not null.
    """

    values: float
    rows: float
    table: int
    known: bool = False
    dense: bool = False
    present: float = 1.0

    @property
    def is_key(self) -> bool:
        """Whether hardly two rows have one value."""
        return self.known and self.values >= _NEARLY * self.rows


def common_values(keys: Sequence[tuple[Domain, Domain]]) -> float:
    """By what the pairs of two sides are divided to get those whose keys are equal.

    The values of one side are taken to be among those of the other, as those of a foreign key are. So it is the larger number
    of values where both are known; where it is unknown how many values a side has, those of the other. Of two sides of which
    each looks like a key, that is one whose numbers have no gaps, else the smaller: the larger is more likely a foreign key.

    Several columns of one table have no more different values together than the table has rows. A null has no partner.

    Source: P. G. Selinger et al., "Access path selection in a relational database management system", SIGMOD 1979.
    """
    values = math.prod([_divisor(a, b) for a, b in keys])
    present = max(math.prod([min(a.present, b.present) for a, b in keys]), _FEWEST_PRESENT)
    if len(keys) == 1:
        return max(values, 1.0) / present
    sides = list(zip(*keys, strict=True))
    rows = [max([domain.rows for domain in side]) for side in sides]
    alone = all([len({domain.table for domain in side}) == 1 for side in sides])
    return max(min(values, min(rows) if alone else max(rows)), 1.0) / present


def _divisor(a: Domain, b: Domain) -> float:
    if a.is_key and b.is_key and a.dense != b.dense:
        return a.values if a.dense else b.values
    if a.known == b.known:
        fewest = not a.known or (a.is_key and b.is_key)
        return min(a.values, b.values) if fewest else max(a.values, b.values)
    return a.values if a.known else b.values


def domain(plan: Plan, key: Scalar) -> Domain | None:
    """What a key over a plan may be, before anything was filtered; None where it is computed, or nothing is known."""
    key = uncast(key)
    if not isinstance(key, Column):
        return None
    name, current = key.name, plan
    unique = False
    for _ in range(_FAR):
        match current:
            case Scan(source=source) if (made_of := getattr(source, "made_of", None)) is not None:
                # Rows that were computed: what they were before anything was filtered.
                current = made_of
            case Scan(source=source, predicate=predicate):
                found = _of_column(source, name, predicate)
                # Of a table of groups the column is the key.
                return found._replace(rows=found.values, known=True) if found is not None and unique else found
            case Project():
                value = current.bindings[name]
                if not isinstance(value, Column):
                    return None
                name, current = value.name, current.input
            case Aggregate(keys=keys):
                key_value = dict(keys).get(name)
                if not isinstance(key_value, Column):
                    return None
                unique = unique or len(keys) == 1
                name, current = key_value.name, current.input
            case Distinct(subset=subset):
                unique = unique or subset == (name,)
                current = current.input
            case _:
                below = [child for child in current.children() if name in child.schema]
                if len(below) != 1:
                    return None
                (current,) = below
    return None


def seen_values(values: float, rows: float, of: float = math.inf) -> float:
    """About how many of so many values are among so many rows, drawn from `of` rows in which each is as often.

    Source: S. B. Yao, "Approximating block accesses in database organizations", CACM 20 (1977); for many rows that of
    A. F. Cardenas, CACM 18 (1975).
    """
    if values <= 0:
        return 0.0
    if rows >= of:
        return values
    each = of / values
    missed = -rows / values if math.isinf(each) else each * math.log1p(-rows / of)
    return values * -math.expm1(missed)


def _of_column(source: TableSource, name: str, predicate: Scalar | None) -> Domain | None:
    statistics = source.statistics()
    if statistics.rows is None:
        return None
    rows = float(statistics.rows)
    about = statistics.columns.get(name)
    values, known, dense = rows, False, False
    if about is not None:
        if about.distinct is not None:
            values, known = min(rows, float(about.distinct)), True
        width = _width(about.minimum, about.maximum)
        if width is not None and width <= values:
            # A table with as many rows as there are numbers in its range has, most likely, each of them once.
            dense = width >= _NEARLY * rows
            values, known = width, known or dense
    if not known and (sample := sample_of(source)) is not None:
        found = sample.distinct(name)
        if found is not None:
            values, known = min(values, found), True
    return Domain(max(values, 1.0), rows, id(source), known, dense, _present(source, name, predicate))


def _present(source: TableSource, name: str, predicate: Scalar | None) -> float:
    """The share of the rows that a predicate keeps in which a column is not null."""
    field = source.schema.field(name)
    statistics = source.statistics()
    known = statistics.columns.get(name)
    if not field.nullable or (known is not None and known.nulls == 0):
        return 1.0
    sample = sample_of(source)
    if sample is not None:
        present: Scalar = Call("is_not_null", (column(source.schema, name),))
        if predicate is None:
            share = sample.share(present)
            return 1.0 if share is None else share
        kept = sample.share(predicate)
        both = sample.share(Call("and", (predicate, present)))
        return both / kept if kept and both is not None else 1.0
    return 1.0 if known is None or known.nulls is None else 1 - known.nulls / max(statistics.rows or 0, known.nulls, 1)


def _width(low: object, high: object) -> float | None:
    match low, high:
        case bool(), _:
            return 2.0
        case int(), int():
            return high - low + 1.0
        case dt.date(), dt.date() if not isinstance(low, dt.datetime):
            return (high - low).days + 1.0
    return None


def sample_of(source: TableSource) -> Sample | None:
    """The sample of a source that has one."""
    draw = getattr(source, "sample", None)
    return None if draw is None else draw()


__all__ = ["Domain", "common_values", "domain", "sample_of", "seen_values"]
