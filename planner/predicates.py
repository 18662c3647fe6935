"""Taking predicates apart, and what may move."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from typing import NamedTuple

import pyarrow as pa

from lazyframe.planner.functions.definition import cast_is_total
from lazyframe.planner.graph import postorder, remembered
from lazyframe.planner.scalars import (
    Call,
    Case,
    Column,
    Literal,
    Scalar,
    cast,
    conjunction,
    conjuncts,
    is_total,
    substitute,
)
from lazyframe.planner.types import DataType, common_type, is_float, is_nested, rounds

_BY_VALUE = frozenset(
    ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "equal_missing", "not_equal_missing", "is_in",
     "is_null", "is_not_null", "and", "or", "not", "xor"]
)  # fmt: skip

_SMALL = 400


def split(predicate: Scalar, test: Callable[[Scalar], bool]) -> tuple[Scalar | None, Scalar | None]:
    """The conjuncts for which `test` holds and the others, each as one predicate.

    `test` must hold for a conjunction just where it holds for all its parts.
    """
    if test(predicate):
        return predicate, None
    parts = conjuncts(predicate)
    if len(parts) == 1:
        return None, predicate
    chosen = [test(part) for part in parts]
    if not any(chosen):
        return None, predicate
    return (
        conjunction([part for part, yes in zip(parts, chosen, strict=True) if yes]),
        conjunction([part for part, yes in zip(parts, chosen, strict=True) if not yes]),
    )


def links(call: Call) -> list[Scalar]:
    """The parts of a chain of one function, in the order they are written."""
    parts: list[Scalar] = []
    stack: list[Scalar] = [call]
    while stack:
        current = stack.pop()
        if isinstance(current, Call) and current.function == call.function:
            stack.extend(reversed(current.args))
        else:
            parts.append(current)
    return parts


def both(first: Scalar | None, second: Scalar) -> Scalar:
    """`first and second`. A chain of them leans to the left: balancing it again for each part would be quadratic."""
    return second if first is None else Call("and", (first, second))


class KeyPair(NamedTuple):
    """The two sides of an equality, as one type: rows in which it holds have equal keys.

    Where not `exact`, others may have equal keys too, which the equality itself has to leave out.
    """

    left: Scalar
    right: Scalar
    exact: bool


def key_pair(part: Scalar) -> KeyPair | None:
    """The keys of a condition that says that two values over some columns are equal; None for any other condition."""
    match part:
        case Call(function="equal", args=(a, b)) if a.columns and b.columns:
            wanted = common_type(a.dtype, b.dtype)
            if wanted is not None and cast_is_total(a.dtype, wanted) and cast_is_total(b.dtype, wanted):
                return KeyPair(cast(a, wanted), cast(b, wanted), not rounds(a.dtype, b.dtype))
    return None


def key_pair_between(part: Scalar, left: Container[str], right: Container[str]) -> KeyPair | None:
    """As `key_pair`, of an equality of a value over columns of `left` and one over columns of `right`, in this order."""
    pair = key_pair(part)
    if pair is None:
        return None
    a, b, exact = pair
    if not all(name in left for name in a.columns):
        a, b = b, a
    if all(name in left for name in a.columns) and all(name in right for name in b.columns):
        return KeyPair(a, b, exact)
    return None


def is_total_over(scalar: Scalar, names: Container[str]) -> bool:
    """Whether it can raise no error and uses these columns only."""
    return is_total(scalar) and all(name in names for name in scalar.columns)


def respects_equality(scalar: Scalar) -> bool:
    """Whether it has the same value for values of its columns that are equal as keys.

    Keys that are equal are the same value, but for floats: -0.0 is 0.0, and `1 / x` tells them apart. Comparisons do not.
    """
    return remembered(scalar, "_by_value", _by_value)


def _by_value(current: Scalar, children: list[bool]) -> bool:
    if not all(children):
        return False
    if isinstance(current, Call) and current.function in _BY_VALUE:
        return True
    return not any(isinstance(child, Column) and has_floats(child.dtype) for child in current.children())


def is_small(scalar: Scalar) -> bool:
    """Whether it has so few nodes that walking it again at every step down costs little.

    A chain of thousands of verbs may gather thousands of conditions.
    """
    seen: set[int] = set()
    stack = [scalar]
    while stack:
        current = stack.pop()
        if id(current) not in seen:
            seen.add(id(current))
            if len(seen) > _SMALL:
                return False
            stack.extend(current.children())
    return True


def has_floats(dtype: DataType) -> bool:
    return is_float(dtype) or (is_nested(dtype) and any(is_float(leaf) for leaf in _leaves(dtype)))


def _leaves(dtype: DataType) -> list[DataType]:
    found, stack = [], [dtype]
    while stack:
        current = stack.pop()
        if isinstance(current, pa.DataType) and current.num_fields:
            stack.extend(current.field(i).type for i in range(current.num_fields))
        else:
            found.append(current)
    return found


def substituted(predicate: Scalar, bindings: Mapping[str, Scalar]) -> Scalar | None:
    """`predicate` with `bindings` put in for columns, or None where that could cost more than it saves.

    A value used twice is computed once, but not if it stands in a CASE whose branches are guarded: each branch computes its
    own, on the rows it needs. Thirty `with_columns(x=when(x > 0).then(x // 2).otherwise(x))` put into each other would
    compute the first 2^30 times.
    """
    changed: dict[str, Scalar] = {}
    computed: set[str] = set()
    for name in predicate.columns:
        value = bindings[name]
        if not isinstance(value, Column):
            changed[name] = value
            if not isinstance(value, Literal):
                computed.add(name)
        elif value.name != name:
            changed[name] = value
    if not changed:
        return predicate
    if computed and (not is_small(predicate) or nests_guards(predicate, computed)):
        return None
    return substitute(predicate, changed)


def nests_guards(scalar: Scalar, computed: Collection[str]) -> bool:
    """Whether one of the columns `computed` is used inside a CASE whose branches are guarded (see `substituted`)."""
    return not is_total(scalar) and any(
        isinstance(current, Case) and not is_total(current) and not current.columns.isdisjoint(computed)
        for current in postorder(scalar)
    )
