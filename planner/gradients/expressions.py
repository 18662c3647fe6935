"""The walk backwards through an expression: from its value to what it is computed from.

A cotangent of a row is null where the value gives nothing to the result: in a branch of a CASE that is not taken, or where a
value is null. Null times any derivative is null, so that what a branch that is not taken would give, NaN or infinite, is
never seen; what could fail is not even computed there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.functions.definition import cast_is_total
from lazyframe.planner.gradients.contents import check_contents, opened
from lazyframe.planner.gradients.partials import STEPS, of_arguments
from lazyframe.planner.gradients.terms import ABSENT, is_real, joined, total
from lazyframe.planner.graph import fold, node, postorder, pullback, unified
from lazyframe.planner.scalars import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Scalar,
    WindowCall,
    _set_dtype,
    _set_nullable,
    is_total,
)
from lazyframe.planner.site import AnySite
from lazyframe.planner.types import NULL, DataType, is_decimal, is_float, is_null


class Stop(NamedTuple):
    """A place at which a path backwards ends without a derivative.

    Args:
        what: the function or part, as a sentence may begin with it.
        site: where the user wrote it.
    """

    what: str
    site: AnySite | None


@node
class _Several(Scalar):
    """Several values that are walked back from at once."""

    values: tuple[Scalar, ...]

    def _derive(self) -> None:
        _set_dtype(self, NULL)
        _set_nullable(self, True)


def cotangents(
    outputs: Iterable[tuple[Scalar, Scalar]], is_leaf: Callable[[Scalar], bool], stops: list[Stop]
) -> list[tuple[Scalar, Scalar]]:
    """What reaches the leaves of some expressions.

    Args:
        outputs: expressions, each with the cotangent of its value.
        is_leaf: what is asked for. Aggregate and window calls that depend on it are leaves as well.
        stops: gets the places at which a path ends.

    Returns:
        Each leaf that is reached, with its cotangent. No two of them are equal.
    """
    pairs = [(opened(value), seed) for value, seed in outputs]
    if not pairs:
        return []
    several: Scalar = _Several(tuple([value for value, _ in pairs]))
    (root,) = unified([several])
    moving = _moving(root, is_leaf)
    reached: dict[Scalar, list[Scalar]] = {}

    def rule(current: Scalar, cotangent: Scalar) -> Sequence[Scalar | None]:
        children = current.children()
        moves = [id(child) in moving for child in children]
        if current is root:
            return [seed if wanted else None for (_, seed), wanted in zip(pairs, moves, strict=True)]
        if is_leaf(current) or isinstance(current, (AggregateCall, WindowCall)):
            reached.setdefault(current, []).append(cotangent)
            return [None] * len(children)
        return _backwards(current, cotangent, moves, stops)

    # The cotangent of the root is never read: one value that comes several times gets all of them.
    nothing: Scalar = ABSENT
    pullback(root, nothing, rule, joined)
    return [(leaf, total(found)) for leaf, found in reached.items()]


def _moving(root: Scalar, is_leaf: Callable[[Scalar], bool]) -> set[int]:
    """The parts that depend on a leaf."""
    moving: set[int] = set()

    def step(current: Scalar, below: list[bool]) -> bool:
        moves = True in below or is_leaf(current)
        if moves:
            moving.add(id(current))
        return moves

    fold(root, step)
    return moving


def depends(scalar: Scalar, is_leaf: Callable[[Scalar], bool]) -> bool:
    """Whether a leaf is part of an expression."""
    return any(map(is_leaf, postorder(scalar)))


def _backwards(current: Scalar, cotangent: Scalar, moves: list[bool], stops: list[Stop]) -> Sequence[Scalar | None]:
    children = current.children()
    match current:
        case Case(conditions=conditions):
            found: list[Scalar | None] = [None] * len(conditions)
            if True in moves[: len(conditions)]:
                stops.append(Stop("the condition of a CASE", current.site))
            found += _of_branches(current, cotangent, moves[len(conditions) :])
        case Cast(arg=arg, to=to):
            if not _keeps_numbers(arg.dtype, to):
                stops.append(Stop(f"a cast to {to}", current.site))
                return [None]
            found = [cotangent]
        case Call():
            given = None if current.function == "detach" else of_arguments(current, cotangent, moves)
            if given is None:
                check_contents(current, moves)
                _check_known(current, moves)
                stops.append(Stop(_described(current), current.site))
                return [None] * len(children)
            found = given
        case _:
            stops.append(Stop(f"a {type(current).__name__}", current.site))
            return [None] * len(children)
    return [_guarded(given, cotangent) for given in found]


def _check_known(current: Call, moves: Sequence[bool]) -> None:
    """Raise UnsupportedError where what moves goes into a function of Python's that gives a number: its part would be missing."""
    if current.function == "python_function" and True in moves and is_real(current.dtype):
        raise UnsupportedError(
            "the gradient cannot pass here: nothing is known of a function that Python runs for each row",
            hint="write it so that lf.trace can read it, without fallback=True; or detach() what it gives",
            site=current.site,
        )


def _of_branches(current: Case, cotangent: Scalar, moves: list[bool]) -> list[Scalar | None]:
    """A branch gets the cotangent of the rows that take it."""
    conditions = current.conditions
    found: list[Scalar | None] = []
    for number in range(len(conditions)):
        values = (*[ABSENT] * number, cotangent)
        found.append(Case(conditions[: number + 1], values, ABSENT) if moves[number] else None)
    found.append(Case(conditions, (ABSENT,) * len(conditions), cotangent) if moves[-1] else None)
    return found


def _guarded(given: Scalar | None, cotangent: Scalar) -> Scalar | None:
    """What could fail is computed only where there is a cotangent to go on."""
    if given is None or given is cotangent or not cotangent.nullable or is_total(given):
        return given
    if is_total(cotangent):
        return Case((Call("is_not_null", (cotangent,)),), (given,), ABSENT)
    return given


def _keeps_numbers(source: DataType, to: DataType) -> bool:
    """Whether a cast moves with its argument: not where it rounds to steps that count."""
    if is_float(to):
        return is_real(source)
    return is_decimal(to) and is_real(source) and (is_null(source) or cast_is_total(source, to))


def _described(current: Call) -> str:
    if current.function == "detach":
        return "detach()"
    if current.function in STEPS:
        return f"{current.function}(), constant between its steps"
    symbol = current.definition.symbol
    return f"the comparison {symbol!r}" if symbol in ("==", "!=", "<", "<=", ">", ">=") else f"{current.function}()"
