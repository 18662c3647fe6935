"""What an expression can be where columns are absent: all null, as those that an outer join fills in."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

from lazyframe.planner.folding import folded
from lazyframe.planner.graph import fold
from lazyframe.planner.relations import Join
from lazyframe.planner.scalars import (
    Call,
    Case,
    Cast,
    Column,
    Literal,
    Scalar,
    conjuncts,
    is_volatile,
    null_of,
    substitute,
)
from lazyframe.planner.types import BOOL

NULL, TRUE, FALSE = 1, 2, 4
"""What a value can be, as bits. A value that is no truth value is either of the two last."""

_VALUE = TRUE | FALSE
_ANY = NULL | _VALUE

_BRANCHES = frozenset(["coalesce", "least", "greatest"])


def rejects(predicate: Scalar, absent: Collection[str]) -> bool:
    """Whether the predicate is true of no row in which all columns of `absent` are null.

    A part of it is enough: where one conjunct is false or null the whole is not true.
    """
    for part in conjuncts(predicate):
        columns = part.columns.intersection(absent)
        if not columns or is_volatile(part):
            continue
        found = outcomes(part, columns)
        if not found & TRUE:
            return True
        if found & FALSE and _has_branches(part):
            # `coalesce(n, 0) > 5` is decided by the constant.
            nulls = {c.name: null_of(c.dtype) for c in _columns(part) if c.name in columns}
            if not outcomes(folded(substitute(part, nulls)), ()) & TRUE:
                return True
    return False


def outcomes(scalar: Scalar, absent: Collection[str]) -> int:
    """What the value can be where all columns of `absent` are null: NULL, TRUE and FALSE as bits; at most these."""

    def step(current: Scalar, below: list[int]) -> int:
        match current:
            case Column(name=name):
                return NULL if name in absent else _known(current)
            case Literal(value=value):
                if not value.is_valid:
                    return NULL
                return _VALUE if value.type != BOOL else TRUE if value.as_py() else FALSE
            case Call():
                return _of_call(current, below)
            case Cast(lenient=lenient):
                (arg,) = below
                return NULL if arg == NULL else _VALUE | (NULL if lenient else arg & NULL)
            case Case(conditions=conditions):
                return _of_case(below, len(conditions))
        return _ANY

    return fold(scalar, step)


def absent_in_no_pair(join: Join, name: str) -> bool:
    """Whether a column of a side is null in no pair of rows that the join makes."""
    side = join.left if name in join.left.schema else join.right
    if not side.schema.field(name).nullable:
        return True
    keys = join.left_keys if side is join.left else join.right_keys
    if not join.nulls_equal and any([outcomes(key, (name,)) == NULL for key in keys if name in key.columns]):
        return True
    return join.condition is not None and rejects(join.condition, (name,))


def _known(scalar: Scalar) -> int:
    return _ANY if scalar.nullable else _VALUE


def _of_call(call: Call, args: list[int]) -> int:
    match call.function:
        case "and":
            a, b = args
            return (a & b & TRUE) | ((a | b) & FALSE) | _undecided(a, b, FALSE)
        case "or":
            a, b = args
            return ((a | b) & TRUE) | (a & b & FALSE) | _undecided(a, b, TRUE)
        case "not":
            (a,) = args
            return (a & NULL) | (TRUE if a & FALSE else 0) | (FALSE if a & TRUE else 0)
        case "is_null":
            (a,) = args
            return (TRUE if a & NULL else 0) | (FALSE if a & _VALUE else 0)
        case "is_not_null":
            (a,) = args
            return (FALSE if a & NULL else 0) | (TRUE if a & _VALUE else 0)
        case "coalesce":
            return _first_value(args)
        case "equal_missing" | "not_equal_missing":
            a, b = args
            if NULL in (a, b) and not (a & b & NULL):
                return FALSE if call.function == "equal_missing" else TRUE
            return _VALUE
        case "is_in":
            return NULL | FALSE if args[0] == NULL else _ANY
    match call.definition.nulls:
        case "propagate":
            return NULL if NULL in args else _VALUE | (reduce(int.__or__, args, 0) & NULL)
        case "all":
            return NULL if all([a == NULL for a in args]) else _VALUE | (reduce(int.__and__, args, NULL) & NULL)
        case "never":
            return _VALUE
    return _ANY


def _undecided(a: int, b: int, decides: int) -> int:
    """NULL where one of two truth values can be null while the other does not decide."""
    if (a & NULL and b & ~decides) or (b & NULL and a & ~decides):
        return NULL
    return 0


def _first_value(args: list[int]) -> int:
    found = 0
    for arg in args:
        found |= arg & _VALUE
        if not arg & NULL:
            return found
    return found | NULL


def _of_case(below: list[int], branches: int) -> int:
    found = 0
    for condition, value in zip(below[:branches], below[branches : 2 * branches], strict=True):
        if condition & TRUE:
            found |= value
        if condition == TRUE:
            return found
    return found | below[-1]


def _has_branches(scalar: Scalar) -> bool:
    def step(current: Scalar, below: list[bool]) -> bool:
        return isinstance(current, Case) or (isinstance(current, Call) and current.function in _BRANCHES) or any(below)

    return fold(scalar, step)


def _columns(scalar: Scalar) -> list[Column]:
    def step(current: Scalar, below: list[list[Column]]) -> list[Column]:
        return [current] if isinstance(current, Column) else [each for found in below for each in found]

    return fold(scalar, step)


__all__ = ["FALSE", "NULL", "TRUE", "absent_in_no_pair", "outcomes", "rejects"]
